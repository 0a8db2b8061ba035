"""Turns what people send along into text.

formats/           The formats of documents, one file each: bytes → lines, each with its place
documents.py       a document is read in a process of its own, with limits
documents_child.py what runs in that process
passages.py        lines → passages of a size that can be searched and quoted
"""
