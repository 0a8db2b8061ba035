"""A small Telegram on this machine: a Bot API server and a chat page in the browser.

Does not know the bot; only past.py reads its memory, for the page.

app.py          page, control, dashboard and Bot API on one port
bot_api.py      the Bot API over HTTP: tokens, methods, faults, files
contents.py     messages that are neither text nor files: formatted ones, checklists, stories
control.py      what people do, over HTTP, for the page and for tests
faults.py       faults that tests inject
feed.py         a numbered list that can be waited on
files.py        files that were sent
guests.py       people who were added on the page, their languages, starting over
limits.py       Telegram's limits on sending, kept where a test or a benchmark says so
markup.py       messages written in HTML
menus.py        command menus by scope and language
methods.py      the method table; updates, chats, commands, files
ollama.py       the chat model that an Ollama on this machine serves
parameters.py   one request's parameters, with their types
past.py         what memory holds of the chats, put back after a restart
people.py       people and chats
reactions.py    emoji under messages
refusals.py     how Telegram refuses, word for word
sending.py      methods that show something: send, draft, edit, delete
server.py       serves it all on 127.0.0.1
stage.py        sets the playground up: Anna, Boris, Carla and a book club
text.py         texts as Telegram's server treats them
updates.py      the bot's pending updates, presses that wait for an answer, and which messages of a group it sees
webhook.py      delivery by webhook
world.py        the state of a small Telegram
"""
