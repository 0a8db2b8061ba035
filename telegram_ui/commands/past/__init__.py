"""Exports of a memory as files, and imports of files into a memory.

exporting.py           /export: for people, or for a machine
history_extraction.py  learning from imported history: offered under its receipt, begun and stopped
importing.py           /import: files and pasted texts, the questions about them, progress
"""
