"""The table of commands and the families that answer them agree."""

from pathlib import Path

from records import Person
from telegram_ui.buttons import Buttons
from telegram_ui.chat import Chat
from telegram_ui.command_table import COMMANDS
from telegram_ui.commands import Commands
from telegram_ui.families import families
from telegram_ui.wizard import Wizard
from tests.talk import talking
from tests.telegram_ui.outward.conftest import Peer


async def test_every_command_of_the_table_is_answered_by_one_family(peer: Peer, tmp_path: Path) -> None:
    async def may_configure(chat: Chat, person: Person) -> bool:
        return True

    async with talking(tmp_path) as talk:
        conversation, delivery, buttons = talk.conversation, peer.delivery(), Buttons(b"key")
        wizard = Wizard(conversation.memory.wizards, conversation.memory, delivery, may_configure=may_configure)
        found = families(conversation, delivery, buttons, may_configure=may_configure)
        commands = Commands(
            conversation, delivery, wizard, may_configure=may_configure, buttons=buttons, families=found
        )
        assert commands.names == {command.name for command in COMMANDS}
        for kinds in ("handlers", "presses"):
            names = [name for family in found for name in getattr(family, kinds)]
            assert len(names) == len(set(names)), kinds
