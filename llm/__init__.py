"""Interfaces of chat, embedding and speech models, with their prompts and token budgets."""
