"""Words and tokens in many languages: pure functions of text. Does not know messages or stores.

analyzer.py       text → the terms by which it is searched
characters.py     where a text may be cut, the repair of broken characters, tokens of chat templates made harmless
date_words.py     how languages name times, as data
fingerprint.py    what must be equal in two sentences that say the same: numbers, dates, names, negation
markup.py         Markdown → a tree of texts and marks
passages.py       what is searched and shown of a message: all of a short one, the passages of a long one
rich_messages.py  formatted messages of Telegram as Markdown, with the files in them
stopwords.py      articles, pronouns and the like, by language: what a search leaves out
time_zones.py     time zones as people write them; the times of a wall clock
tokenizer.py      counting and cutting by tokens
web_pages.py      HTML, parsed piece by piece
"""
