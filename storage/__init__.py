"""The stores of memories: one protocol with three backends."""
