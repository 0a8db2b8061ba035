"""The formats of files that can be imported, one file each.

chatgpt.py           ChatGPT's conversations.json
detection.py         the list of formats; which one a file is; zip and gzip, up to a limit
history.py           what a file holds, and what a format is
json_stream.py       a large JSON text, element by element
keepsake.py          the file that /export writes, and its reading
telegram_desktop.py  Telegram Desktop's result.json
"""
