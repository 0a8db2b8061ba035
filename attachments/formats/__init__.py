"""The formats of documents. Each reader yields lines lazily, with their places in the document.

detection.py detects the format of a file
epub.py      e-books, chapter by chapter
html.py      the visible text of web pages, under its headings
office.py    docx and xlsx
packed.py    zip archives within size limits, and XML without entities
pdf.py       the text of each page
plain.py     text in common encodings
"""
