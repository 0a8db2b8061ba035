"""From a question to a prompt: ranking, packing, building. Pure. Does not know who asks, or which model answers."""
