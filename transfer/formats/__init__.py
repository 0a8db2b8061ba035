"""The formats of files that can be imported, one file each.

chatgpt.py           ChatGPT's conversations.json
detection.py         which format a file is; zip and gzip, up to a limit
history.py           what a file says was said: the values of every format
json_stream.py       a large JSON text, element by element
keepsake.py          the file that /export writes, and its reading
telegram_desktop.py  Telegram Desktop's result.json
"""
