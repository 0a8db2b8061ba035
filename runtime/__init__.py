"""Server infrastructure that knows nothing of memory: logging, locks, HTTP, threads, child processes.

assets.py       static files: bundling of JavaScript modules, compression and caching
bounded_json.py bounded parsing of untrusted JSON
cooperative.py  long loops in a thread that let other threads run
health.py       /healthz, /readyz and /metrics
http_client.py  HTTP client sessions with certificates and proxies
http_server.py  uvicorn with limits, for the webhook, health, page and playground
locks.py        readers-writer locks for owners
logs.py         logging without message text and secrets
metrics.py      Prometheus metrics
pacing.py       rate limits for requests and files of one visitor
read_through_cache.py  an LRU cache that stays correct while readers and writers overlap
subprocess_child.py  the child's side: resource limits and output
subprocess_worker.py the parent's side: process untrusted input in a child
supervisor.py   systemd notifications
tasks.py        start, finish, repeat and cancel tasks
tracing.py      OpenTelemetry spans
"""

VERSION = "1.0.0"
