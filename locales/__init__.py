"""What people read, in seven languages: a folder a language, a Fluent file a family of texts. Does not know who reads.

`tr("wizard-expired", number=3)` gives a text in the language of the person who is served: the key's first word names
the file, the rest the text in it. English is the language of reference: every other has its keys, and no others.

Translations speak informally to their reader (ты, tú, du, 你, você); Portuguese is that of Brazil, Chinese simplified.

catalog.py  texts by key, in the language of whoever is served, and which that is; a file is read when it is needed
lists.py    several things in one phrase
page_texts.py  the texts that a page shows, and the language of whoever looks at it
receipts.py what was done to a memory, in words
told.py     what a person is told of an error, and why something was found
"""
