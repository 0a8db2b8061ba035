"""Import and export of whole memories.

formats/         The formats of files that can be imported, one file each
archiver.py      archives imported history under extracted summaries
exporter.py      exports a whole memory to files
importer.py      plans and runs the import of a file
plans.py         the plan and the result of an import, and their texts
readable.py      exports a memory as Markdown and a page
reading.py       reads a file in a child process with limits
reading_child.py the code that runs in that process
restorer.py      restores a memory from the bot's own export
rows.py          checks the rows of an export, and selects its reminders
"""
