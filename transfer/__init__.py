"""Import and export of whole memories.

formats/         The formats of files that can be imported, one file each
archiver.py      imported history → chunks under a pyramid of extracted summaries
exporter.py      a memory → files that hold all of it
importer.py      a file from elsewhere → memory: first what it would add, then the import
plans.py         what an import would do, what is asked about it, and what it did, in values and in words
readable.py      a memory → Markdown and a page, for its owner to read
reading.py       a file is read in a process of its own, with limits
reading_child.py what runs in that process
restorer.py      our own export → the memory as it was, from one file or several
rows.py          the rows of an export of ours, checked; its reminders, within their bounds
"""
