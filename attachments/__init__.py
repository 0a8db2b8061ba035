"""Extract text from the documents that people send.

formats/           The formats of documents, one file each
documents.py       reads a document in a child process with limits
documents_child.py the code that runs in that process
passages.py        groups lines into passages for search and quotation
"""
