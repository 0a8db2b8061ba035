"""The table of commands and the families that answer them agree."""

from pathlib import Path

from records.scopes import Person
from telegram_ui.commands.buttons import Buttons
from telegram_ui.commands.families import families
from telegram_ui.commands.registry import Commands
from telegram_ui.commands.table import COMMANDS
from telegram_ui.commands.wizard import Wizard
from telegram_ui.sending.chat import Chat
from tests.support.talk import talking
from tests.unit.telegram_ui.commands.conftest import Peer


async def test_every_command_of_the_table_is_answered_by_one_family(peer: Peer, tmp_path: Path) -> None:
    async def may_configure(chat: Chat, person: Person) -> bool:
        return True

    async with talking(tmp_path) as talk:
        services, delivery, buttons = talk.services, peer.delivery(), Buttons(b"key")
        wizard = Wizard(services.memory.wizards, services.memory, delivery, may_configure=may_configure)
        found = families(services, delivery, buttons, may_configure=may_configure)
        commands = Commands(services, delivery, wizard, may_configure=may_configure, buttons=buttons, families=found)
        assert commands.names == {command.name for command in COMMANDS}
        for kinds in ("handlers", "presses"):
            names = [name for family in found for name in getattr(family, kinds)]
            assert len(names) == len(set(names)), kinds
