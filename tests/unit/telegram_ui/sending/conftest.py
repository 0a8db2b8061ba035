"""Share the commands' peer, which has faults and a manual clock."""

from tests.unit.telegram_ui.commands.conftest import peer as peer
