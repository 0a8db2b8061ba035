"""Pure functions of text in many languages. Does not know messages or stores.

analyzer.py       the terms by which a text is searched
characters.py     where a text may be cut, and the repair of broken characters
date_words.py     words for dates and times, by language
fingerprint.py    numbers, dates, names and negation, by which two sentences differ
markup.py         Markdown as a tree of texts and tags
passages.py       the passages of a message that are embedded, indexed and shown
rich_messages.py  Telegram's formatted messages as Markdown, with their files
stopwords.py      function words by language, which searches ignore
time_zones.py     time zones as people write them, and wall-clock times
tokenizer.py      counting and cutting by tokens
web_pages.py      HTML, parsed piece by piece
"""
