"""The database engines of the stores: SQLite and PostgreSQL, behind one protocol."""
