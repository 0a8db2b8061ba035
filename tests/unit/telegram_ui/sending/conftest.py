"""Sending is tested against the same peer as the commands: one with faults and a clock to wait by."""

from tests.unit.telegram_ui.commands.conftest import peer as peer
