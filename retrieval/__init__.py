"""The mechanics of recall: what memory_retrieval.py decides is carried out here."""
