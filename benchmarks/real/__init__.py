"""A real model at a running endpoint, and what the program makes of it. `python -m benchmarks.real`. Knows no test.

__main__.py  plays a scripted conversation through the program, asks about it, and prints the figures
answered.py  what was answered, kept so that an interrupted run goes on
judging.py   what of a script was learned, kept, invented and answered
script.py    the scripted conversation and its questions, read from a file
watched.py   a chat model that is watched: calls, times, what was cached, what was shown
"""
