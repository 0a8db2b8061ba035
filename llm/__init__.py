"""Chat, embedding and speech models behind protocols, their prompts and their token budgets."""
