"""The stores: one interface, and memories in SQLite, JSON and PostgreSQL."""
