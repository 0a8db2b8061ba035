"""Send messages to Telegram: delivery, streaming, formatting and files."""
