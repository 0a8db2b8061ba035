"""The tables: their portable form, the validation of rows from files, and migrations."""
