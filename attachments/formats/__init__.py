"""The formats of documents: bytes → lines with their places. Each reads as it is asked, never all at once at first.

detection.py which format a file has, by its content first
epub.py      books: the chapters in their order
html.py      web pages: what a reader sees, under its headings
office.py    docx and xlsx
packed.py    zip archives within bounds, and XML without entities
pdf.py       the text of each page
plain.py     text in the encodings that people use
"""
