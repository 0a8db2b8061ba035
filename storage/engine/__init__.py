"""The databases under every store: one protocol, SQLite and PostgreSQL."""
