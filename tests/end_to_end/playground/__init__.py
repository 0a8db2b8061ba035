"""The local Bot API server over real HTTP."""
