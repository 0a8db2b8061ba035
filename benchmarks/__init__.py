"""Measurements of the program as it runs: recall, tokens, scale, load. Each prints one JSON object to stdout."""
