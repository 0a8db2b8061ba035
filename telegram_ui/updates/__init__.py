"""Updates in: polling, webhook, the durable queue, parsing, access, dispatch.

access.py           who is served, who may configure, which updates may be written down
answer_delivery.py  how often an answer is sent before it is given up
answering.py        a turn of the talk: read, answered, sent, settled
attached.py         what a message carries besides words
dispatch.py         where an update goes
durable_queue.py    the queue between Telegram and the bot
error_boundary.py   the one place that catches every error: one log line, one sentence to the person
file_attempts.py    how often a file is tried over which the process dies
leader.py           of several processes that serve one bot, which one polls
parsing.py          an update → our own values; the only place that converts
paste.py            joining the pieces of a split paste
placing.py          in which conversation something was said, and how memory stood
polling.py          fetching: what is not on disk is not confirmed
raw_update.py       Telegram's JSON → the library's object, within limits
reading.py          the files of a turn are fetched and read before it is answered
repeats.py          the button that does again what had failed
serial_queue.py     serial queues by key, fair to one another
service.py          start, fetch, watch and stop in order
shared_queue.py     the queue of a process that shares its work with others
supergroups.py      the memory of a group that becomes a supergroup
webhook.py          the HTTP endpoint that Telegram calls, guarded by a secret
"""
