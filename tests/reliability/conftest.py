"""One house for a module; each test starts the bot it needs."""

from tests.end_to_end.conftest import house

__all__ = ["house"]
