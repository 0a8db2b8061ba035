"""From a question to a prompt: ranking, packing, prompt building. Pure. Does not know who asks, or which model answers.

background.py        further facts and summaries, where a question needs many messages
budgets.py           how many tokens a request and each part of it may take
changes.py           statements that do not hold alone: corrected, replaced, denied
date_expressions.py  "last March", "two weeks before the wedding" → a range of time
excerpts.py          what is shown of a long message: sentences, or a passage around a word
explanation.py       what an answer was made from, as ids and figures
fact_ranking.py      which facts are relevant to a question
must_include.py      which messages must be shown, and what the prompt carries of each
packing.py           which snippets fit the budget
prefix_cache.py      what stays the same from prompt to prompt, for providers' caches
prompt_builder.py    a prompt in the making: what gets room first, what yields
question.py          a question, analysed: its words, times, and what kind of answer it asks for
ranking.py           which earlier messages matter to a question
replies.py           what a reply to an earlier message brings along
sections.py          what the system prompt says after the operator's own words
sent_along.py        what a prompt carries of the files that came with this turn
search.py            one search of a memory: what is looked for, and what was found
search_query.py      what is typed after /search: words, and phrases in quotes
turns.py             turns as a prompt carries them: whole, or cut in the middle
"""
