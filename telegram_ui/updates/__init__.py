"""Updates in: polling, webhook, the durable queue, parsing, access, dispatch."""
