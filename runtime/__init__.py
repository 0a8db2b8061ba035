"""Server infrastructure that is independent of memory: logging, locks, HTTP, threads, child processes."""

VERSION = "1.0.0"
