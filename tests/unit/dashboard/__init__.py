"""Tests of the dashboard, the page that shows an owner's memory."""
