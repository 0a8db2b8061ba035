"""Updates in: polling, webhook, the durable queue, parsing, access, dispatch.

access.py         who is served, who may configure, which updates may be written down
answering.py      a turn of the talk: read, answered, sent, settled
attached.py       what a message carries besides words
claim.py          the link that gives a new bot its first admin
dispatch.py       where an update goes
durable_queue.py  the queue between Telegram and the bot
error_boundary.py the one place that catches every error: one log line, one sentence to the person
files.py          what came with a turn is fetched, read, looked at or heard, within limits
mentions.py       how the bot is called in a group
parsing.py        an update → our own values; the only place that converts
paste.py          joining the pieces of a split paste
polling.py        fetching, by the one process that leads: what is not on disk is not confirmed
repeats.py        the button that does again what had failed
serial_queue.py   serial queues by key, fair to one another
service.py        start, fetch, watch and stop in order
shared_queue.py   the queue of a process that shares its work with others
supergroups.py    the memory of a group that becomes a supergroup
webhook.py        the HTTP endpoint that Telegram calls, guarded by a secret
"""
