"""Measurements of recall, tokens, scale and load, on the code that the bot runs. They know no test.

ablation.py        what each part of ranking contributes
arguments.py       command-line arguments, checked before anything is measured
backlog.py         how chats fare while a backlog is embedded (part of scale.py)
bare_bots.py       two bots without memory to compare ours with: one echoes, one asks the same model
capacity/          what ten thousand, a million and a hundred million people need
counted_bot.py     a bot that tells what it costs, for load.py
crowd.py           people who talk to a bot, for load.py
curve.py           how coverage grows with the budget, as a picture
filling.py         stores filled quickly with invented messages under a pyramid of summaries
fit.py             which constants of ranking the data recommend
import_history.py  what an import costs, and what it costs other people
invented.py        messages of invented words, as rare and as frequent as those of a real language
load.py            many people at once
locomo.py          conversations and questions from a file in LoCoMo's format
measure.py         what all measurements share: percentiles, sizes, and how a result is reported
peer_runner.py     asks one other memory package, inside that package's own environment
peers.py           other memory packages on the same questions
plain_search.py    the two plain searches that recall is compared with
planted.py         something to find in a memory of any size: real chats among invented messages
real/              a real small model on this machine, and what the program makes of it
recall.py          how much of the evidence for a question is brought back
scale.py           what a turn costs as a memory grows
scale_recall.py    what searching costs in a large memory, and what its short cuts miss
stand_ins.py       for load.py: a model that answers at once, and a server that costs little
standing.py        whether standing instructions are in the prompt when they apply
tokens.py          what a conversation costs in tokens
vector_file.py     vectors kept in a file between runs, so that repeated measurements need no model
"""
