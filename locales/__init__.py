"""What people read, in seven languages: a folder a language, a Fluent file a family of texts. Does not know who reads.

`tr("wizard-expired", number=3)` gives a text in the language of the person who is served: the key's first word names
the file, the rest the text in it. English is the language of reference: every other has its keys, and no others.

Translations speak informally to their reader (ты, tú, du, 你, você); Portuguese is that of Brazil, Chinese simplified.

catalog.py  texts by key, and the language of the person who is served
lists.py    phrases that list several things
page_texts.py  texts for the page in the browser
receipts.py sentences about forgetting and summarising
told.py     sentences about errors, facts and reasons
"""
