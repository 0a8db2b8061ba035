"""From a question to a prompt: ranking, packing, building. Pure. Does not know who asks, or which model answers.

date_expressions.py  "last March", "two weeks ago" as ranges of time
explanation.py       the sources of an answer, as ids and figures
fact_ranking.py      the facts that matter to a question
packing.py           the passages that fit the budget
prefix_cache.py      keeps the beginning of prompts stable for providers' caches
prompt_builder.py    builds a request within the token budgets of its parts
question.py          an analysed question: terms, meaning, times
ranking.py           scores the earlier passages
sent_along.py        the words and files of an incoming message
turns.py             past turns, whole or cut in the middle, and messages that are replied to
wide_questions.py    recognises questions about an order, a count or a whole story
"""
