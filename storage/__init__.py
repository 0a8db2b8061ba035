"""Memory stores: one protocol with three backends."""
