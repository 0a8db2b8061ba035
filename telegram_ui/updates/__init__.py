"""Updates in: polling, webhook, the durable queue, parsing, access, dispatch.

access.py           who is served, who may configure
answer_delivery.py  an answer is sent as often as it needs and no oftener
dispatch.py         where an update goes
durable_queue.py    the queue between Telegram and the bot
error_boundary.py   what fails behind it is said once, in the log and to the person
parsing.py          an update → our own values; the only place that converts
paste.py            the pieces of a split paste, put together
relevance.py        which updates may be written down
serial_queue.py     ordered work, lane by lane
service.py          connect, fetch, watch, leave in order
supergroups.py      a group that becomes a supergroup takes its memory along
webhook.py          the door that opens to Telegram's secret only
"""
