"""From a question to a prompt: ranking, packing, prompt building. Pure. Does not know who asks, or which model answers.

budgets.py           how many tokens a request and each part of it may take
date_expressions.py  "last March", "two weeks ago" → a range of time
explanation.py       what an answer was made from, as ids and figures
fact_ranking.py      which facts are relevant to a question
packing.py           which passages fit the budget
prefix_cache.py      what stays the same from prompt to prompt, for providers' caches
prompt_builder.py    a prompt in the making: what gets room first, what yields
question.py          a question, analysed: its words, its meaning, and the times that it names
ranking.py           which earlier passages matter to a question
replies.py           what a reply to an earlier message brings along
sent_along.py        what a prompt carries of the files that came with this turn
turns.py             turns as a prompt carries them: whole, or cut in the middle
wide_questions.py    questions about an order, a count or a whole story
"""
