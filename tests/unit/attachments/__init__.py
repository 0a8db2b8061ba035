"""Tests of attachments, whose contents become text."""
