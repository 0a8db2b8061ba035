"""The page of one's memory, as a Mini App in Telegram and in any browser; static/ holds the page itself.

Does not know Telegram, nor its commands.

admin.py       what the bot's admins see and decide
app.py         addresses, guards, files
changes.py     what can be changed, each by the function that a command calls
forms.py       messages, summaries and facts as the page gets them
host.py        what the page is told of the bot around it
parameters.py  the parameters of one request, with their types and bounds
past.py        import with its progress, learning from it, export
sessions.py    who looks: Telegram's initData, one-time links, tokens
views.py       what can be looked at
visits.py      one request of somebody who may make it
why.py         what the last answers were made from
"""
