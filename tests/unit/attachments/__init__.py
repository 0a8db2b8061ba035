"""Tests of attachments and their conversion to text."""
