"""Measure recall, prompt tokens and the cost of a turn, on the code that the bot runs.

ablation.py        What does each part of ranking give? `python -m benchmarks
arguments.py       What the benchmarks are told, checked before anything is measured: one line on stderr and exit
backlog.py         How chats fare while a backlog is embedded: the local model at work beside them
bare_bots.py       Two bots without memory to stand beside ours: `echo` repeats, `model` asks the same model with the
curve.py           How does coverage grow with the budget? `python -m benchmarks
filling.py         Stores full of invented talk, made quickly: all but the last messages archived under a pyramid of
fit.py             Which constants should ranking have? `python -m benchmarks
import_history.py  What an import costs, and what it costs others
instant_model.py   An OpenAI-compatible endpoint that answers at once: what is left of a turn's time is the bot's own
invented.py        Talk that nobody had: messages of invented words, as rare and as frequent as words of a language
load.py            Many people at once
locomo.py          Conversations and questions out of a file in LoCoMo's format
measure.py         What all measurements share: percentiles, sizes, and how a result leaves the process
peer_runner.py     Asks one other memory package, inside its own environment: `python peer_runner
peers.py           How do other memory packages do? `python -m benchmarks
planted.py         Something to find in a memory of any size: the chats of benchmarks/data beside invented talk, and
recall.py          How much of what was said does a question bring back? `python -m benchmarks
scale.py           What a turn costs as a memory grows
scale_recall.py    What finding costs in a large memory, and what its short cuts miss
tokens.py          What a conversation costs in tokens
vector_file.py     Vectors kept in a file from run to run, by what was embedded: repeated measurements need no model
"""
