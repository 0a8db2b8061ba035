"""Words and tokens in many languages: pure functions of text. Does not know messages or stores.

analyzer.py    text → the terms by which it is searched
characters.py  where a text may be cut, and the repair of broken characters
cues.py        words that tell what a question asks for, as data
date_words.py  how languages name times, as data
stopwords.py   articles, pronouns and the like, by language: what a search leaves out
time_zones.py  time zones as people write them
tokenizer.py   counting and cutting by tokens
"""
