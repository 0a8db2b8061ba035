"""The parts of any server, which know nothing of memory: log, locks, HTTP server, threads.

assets.py       files of a page over the wire: packed once, kept by browsers
bounded_json.py JSON that a stranger wrote, within what may be parsed at once
cooperative.py  large work during which other work goes on: loops in a thread that pause
health.py       whether the process may be given work; /healthz, /readyz and /metrics
http_client.py  the one way to open an HTTP session (certificates, proxies) and to read a body
http_server.py  the one way to serve HTTP: webhook, health, playground
locks.py        who may use what belongs to an owner at the same moment
logs.py         what the log may say: no message text, no secret
metrics.py      what the process counts of itself, for Prometheus
pacing.py       how many requests and files of one visitor a page works on
read_through_cache.py  an LRU cache of what a database holds, right while readers and writers overlap
subprocess_child.py  what a child does for itself: limits, and its answers
subprocess_worker.py runs what untrusted input decides in a process of its own
supervisor.py   what systemd is told: ready, alive, stopping
tasks.py        tasks that have an end
tracing.py      spans of what the process does, for OpenTelemetry
"""

VERSION = "1.0.0"
"""Of the program."""
