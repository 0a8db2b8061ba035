"""Import and export of whole memories."""
