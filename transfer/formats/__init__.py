"""The formats of files that can be imported, one file each.

chatgpt.py           ChatGPT: conversations, memories, custom instructions
claude.py            Claude: conversations, projects, memories
conversations.py     what formats share: conversations, dates, branches, forwarded words
detection.py         the list of formats; which one a file is; zip and gzip, up to a limit
discord.py           Discord: DiscordChatExporter, the data package
gemini.py            Gemini: Takeout, Workspace, AI Studio
generic.py           role and content in JSON or JSONL, Markdown, ShareGPT, OpenWebUI, LibreChat, SillyTavern
history.py           what a file holds, and what a format is
html_blocks.py       the parts of a web page that have a class
json_stream.py       a large JSON text, element by element
keepsake.py          the file that /export writes, and its reading
memories.py          what another assistant remembers, as text or a list
telegram_desktop.py  Telegram Desktop's result.json
telegram_html.py     Telegram Desktop's messages.html
values.py            values that may be anything: as they have to be; dates
whatsapp.py          WhatsApp's chat as text
written_dates.py     dates as they are written for people, in any language
"""
