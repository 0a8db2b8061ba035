"""Tests of the local Bot API server over real HTTP."""
