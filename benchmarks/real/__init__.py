"""Measure the program with a real model at a running endpoint. `python -m benchmarks.real`

__main__.py  plays a scripted conversation, asks about it, and prints the figures
answered.py  the model's answers in a file, so that an interrupted run can continue
judging.py   counts what was learned, kept, invented and answered
script.py    the scripted conversation and its questions
watched.py   a chat model that records its calls
"""
