"""Reads what a model writes into its text: thoughts, tool calls, and tokens of its chat template."""
