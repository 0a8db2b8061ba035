"""The texts that people read, in seven languages. Each language is a folder of Fluent files.

`tr("wizard-expired", number=3)` returns a text in the language of the person who is served. The key's first word names
the file, and the rest names the text in it. Every language has exactly the keys of English.

Translations speak informally to their reader (ты, tú, du, 你, você); Portuguese is that of Brazil, Chinese simplified.

catalog.py     texts by key, lists of phrases, and the language of the person who is served
page_texts.py  texts for the page in the browser
told.py        sentences about errors, facts, reasons, erased data and new summaries
"""
