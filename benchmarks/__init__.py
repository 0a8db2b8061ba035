"""Measurements of recall, tokens, scale and load, on the code that the bot runs. They know no test.

arguments.py       command-line arguments, checked before anything is measured
bare_bots.py       two bots without memory to compare ours with: one echoes, one asks the same model
counted_bot.py     a bot that tells what it costs, for load.py
crowd.py           people who talk to a bot, for load.py
filling.py         stores filled quickly with invented messages under a pyramid of summaries
invented.py        messages of invented words, as rare and as frequent as those of a real language
judging.py         when a message counts as found
load.py            many people at once
locomo.py          conversations and questions from a file in LoCoMo's format
measure.py         what all measurements share: percentiles, sizes, and how a result is reported
on_server.py       a schema for each case on a PostgreSQL server, and what the server spends
peer_runner.py     asks one other memory package, inside that package's own environment
peers.py           other memory packages on the same questions
plain_search.py    the two plain searches that recall is compared with
real/              a real small model on this machine, and what the program makes of it
recall.py          how much of the evidence for a question is brought back
scale.py           what a turn costs as a memory grows
stand_ins.py       for load.py: a model that answers at once, and a server that costs little
tokens.py          what a conversation costs in tokens
vector_file.py     vectors kept in a file between runs, so that repeated measurements need no model
"""
