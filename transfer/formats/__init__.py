"""Readers for the supported import formats, with one module per format."""
