"""Sending: delivery, streaming, formatting and files."""
