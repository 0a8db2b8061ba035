"""Settings for HTTP clients of servers on this machine."""

import ssl

NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""The value for `verify` of an httpx client.

Nothing here is encrypted, and loading the trusted certificates takes 30 ms per client.
"""
