"""Updates in: polling, webhook, the durable queue, parsing, access, dispatch.

access.py         who is served, who may configure, which updates may be stored, and the first admin
answering.py      reads, answers, sends and settles a turn
attached.py       the attachments of a message
dispatch.py       puts each update into the queue of its handler
durable_queue.py  the queue between Telegram and the bot
error_boundary.py catches every error: one log line, one sentence to the person
files.py          fetches and reads the files of a turn, within limits
parsing.py        parses updates into our own values, without mentions of the bot
paste.py          joins the pieces of a split paste
polling.py        long polling, by the one process that leads
raw_update.py     parses raw updates, within bounds
repeats.py        the buttons that repeat a request
serial_queue.py   fair serial queues, one for each key
service.py        starts, watches and stops the Telegram side
shared_queue.py   the queue of a process that shares its work with others
supergroups.py    the memory of a group that becomes a supergroup
webhook.py        the HTTP endpoint that Telegram calls, guarded by a secret
"""
