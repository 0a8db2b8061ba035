"""Clients for servers on this machine."""

import ssl

NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For `verify` of an httpx client: nothing here is encrypted, and to read whom to trust takes each client 30 ms."""
