"""Measurements of recall, tokens, scale and load, on the code that the bot runs.

arguments.py       command-line arguments, checked before anything is measured
bare_bots.py       two bots without memory for comparison
counted_bot.py     a bot that reports its costs, for load.py
crowd.py           people who talk to a bot, for load.py
filling.py         fill stores quickly with invented messages
invented.py        messages of invented words with the frequencies of a real language
judging.py         decide if a message counts as found
load.py            many people at once
locomo.py          conversations and questions from a file in LoCoMo's format
measure.py         percentiles, sizes, and the output of results
on_server.py       a schema for each case on a PostgreSQL server, and the server's CPU time
peer_runner.py     ask one other memory package inside its own environment
peers.py           other memory packages on the same questions
plain_search.py    the two plain searches that recall is compared with
real/              the program with a real small model
recall.py          how much evidence a question brings back
scale.py           what a turn costs as a memory grows
stand_ins.py       a model that answers at once and a server that costs little, for load.py
tokens.py          the tokens of a conversation
vector_file.py     vectors cached in a file, so that repeated measurements need no model
"""
