"""The formats of files that can be imported, one file each.

chat_heads.py        who said what, and when, in a chat as text; dates in any language and calendar
chat_lists.py        chats among people as lists in JSON or tables: Messenger, Slack, Snapchat, Teams, …
chat_texts.py        chats of LINE, KakaoTalk, iMessage, Telegram and Discord as text
chatgpt.py           ChatGPT: conversations, memories, custom instructions
claude.py            Claude: conversations, projects, memories
conversations.py     what formats share: conversations, dates, branches, forwarded words
detection.py         the list of formats; which one a file is; zip and tar, up to a limit
discord.py           Discord: DiscordChatExporter, the data package
gemini.py            Gemini: Takeout, Workspace, AI Studio
generic.py           conversations wherever a JSON file or table has them, and transcripts in Markdown
history.py           what a file holds, and what a format is
html_blocks.py       the parts of a web page that have a class
json_stream.py       a large JSON text, element by element
keepsake.py          the file that /export writes, and its reading
memories.py          what another assistant remembers, as text or a list
telegram_desktop.py  Telegram Desktop's result.json
telegram_html.py     Telegram Desktop's messages.html
values.py            values that may be anything: as they have to be; dates
whatsapp.py          WhatsApp's chat as text
"""
