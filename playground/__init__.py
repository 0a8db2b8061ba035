"""A small Telegram on this machine: a Bot API server and a chat page in the browser.

It does not import the bot. Only past.py reads its memory, for the page.

app.py          page, control, dashboard and Bot API on one port
bot_api.py      the Bot API over HTTP: tokens, methods, faults, files
contents.py     messages that are neither text nor files
control.py      people's actions over HTTP, for the page and for tests
faults.py       faults that tests inject
feed.py         a numbered list whose readers can wait for new entries
files.py        files that were sent
guests.py       people who were added on the page
limits.py       Telegram's limits on sending, if a test or benchmark asks for them
markup.py       messages written in HTML
menus.py        command menus by scope and language
methods.py      the method table; updates, chats, commands, files
ollama.py       the chat model that an Ollama on this machine serves
parameters.py   one request's parameters, with their types
past.py         stored messages on the page after a restart
people.py       people and chats
reactions.py    reactions to messages
refusals.py     Telegram's refusals, word for word
sending.py      methods that show something: send, draft, edit, delete
server.py       the HTTP server on 127.0.0.1
stage.py        starts the playground with Anna, Boris, Carla and a book club
text.py         texts as Telegram's server treats them
updates.py      the bot's pending updates, callback queries and privacy mode
webhook.py      delivery by webhook
world.py        the state of a small Telegram
"""
