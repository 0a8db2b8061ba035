"""Exports of a memory as files, and imports of files into a memory.

exporting.py  /export: for people, or for a machine
importing.py  /import: files and pasted texts, the questions about them, progress, and learning facts from them
"""
