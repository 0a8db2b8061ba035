"""Words and tokens in many languages: pure functions of text. Does not know messages or stores.

analyzer.py    text → the terms by which it is searched
characters.py  where a text may be cut, and the repair of broken characters
cues.py        words that tell what a question asks for, as data
date_words.py  how languages name times, as data
fingerprint.py what must be equal in two sentences that say the same: numbers, dates, names, negation
newer_words.py whether a person's own message says something newer about a fact
past_cues.py   whether a message may ask for what was said, or surely does not
patterns.py    regular expressions that are compiled when they are first needed
personal.py    whether somebody says something of themselves that a memory would keep
plurals.py     a number and what it counts
reminder_words.py  how languages ask for a reminder, as data
single_values.py  of what nobody has two, read from the words of a fact or of the person themselves
standing.py    what a person tells a bot to keep to, and whether it applies to a question
standing_words.py  how people say that, by language, as data
stopwords.py   articles, pronouns and the like, by language: what a search leaves out
subjects.py    what a text is broadly about: code, food, travel …
time_zones.py  time zones as people write them
told_words.py  words that say who did what: asking, denying, relations between people
tokenizer.py   counting and cutting by tokens
wall_clock.py  times of a wall clock, and the next time of what repeats
word_parts.py  what a word that hardly any message holds may be in the index: compounds, inflections, Arabic prefixes
"""
