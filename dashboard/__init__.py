"""The page of one's memory, as a Mini App in Telegram and in any browser; static/ holds the page itself.

This package knows neither Telegram nor its commands.

admin.py       requests of the bot's admins
app.py         routes, guards, files
changes.py     writing requests
forms.py       records as JSON
host.py        the parts of the bot that the page needs
parameters.py  the parameters of one request, with their types and limits
past.py        imports and exports
sessions.py    sign-in: Telegram's initData, one-time links, tokens
views.py       reading requests
visits.py      authorization of requests, and their errors
"""
