"""From a question to a prompt: ranking, packing, prompt building. Pure. Does not know who asks, nor models.

date_expressions.py  "last March", "two weeks before the wedding" → a range of time
excerpts.py          what is shown of a long message: sentences, or a stretch around a word
explanation.py       what an answer was made from, as ids and figures
fact_ranking.py      which facts matter to a question
must_include.py      which messages are shown in any case, and what the prompt carries of each
packing.py           which messages fit the budget
prefix_cache.py      what stays from prompt to prompt, for providers' caches
prompt_builder.py    a prompt in the making: what gets room first, what gives way
ranking.py           which earlier messages matter to a question
search_query.py      what is typed after /search: words, and phrases in quotes
turns.py             turns as a prompt carries them: whole, or cut in their middle
"""
