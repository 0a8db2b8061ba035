"""The SQL that all stores share, one file per topic."""
