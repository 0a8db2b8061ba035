"""The formats of files that can be imported, one file each.

chat_dates.py        days of a chat as text, by the order and calendar of the whole file
chat_heads.py        message heads in a chat as text; dates in any language and calendar
chat_lists.py        chats among people as lists in JSON or tables: Messenger, Slack, Snapchat, Teams, …
chat_texts.py        chats of LINE, KakaoTalk, iMessage, Telegram and Discord as text
chatgpt.py           ChatGPT: conversations, memories, custom instructions
claude.py            Claude: conversations, projects, memories
conversations.py     shared parts: conversations, dates, branches, forwarded text
detection.py         the list of formats, their detection, and unpacking of archives
discord.py           Discord: DiscordChatExporter, the data package
gemini.py            Gemini: Takeout, Workspace, AI Studio
generic.py           conversations in any JSON file or table
history.py           the values that every format produces, and the description of a format
html_blocks.py       the elements of a web page with a given class
json_stream.py       a large JSON text, element by element
keepsake.py          writes and reads the file of /export
memories.py          memories of another assistant, as text or a list
telegram_desktop.py  Telegram Desktop's result.json
telegram_html.py     Telegram Desktop's messages.html
transcripts.py       transcripts in Markdown or plain text
values.py            checks of untrusted values; dates
whatsapp.py          WhatsApp's chat as text
"""
