"""Receive and dispatch updates: polling, webhook, the durable queue, parsing and access."""
