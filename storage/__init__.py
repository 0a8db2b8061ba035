"""Stores of memories: one protocol, three backends."""
