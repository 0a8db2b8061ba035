"""What CONTRIBUTING promises: something new is added through its registry, and nothing else is touched."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
import telegram

from records.scopes import Person
from telegram_ui.commands.buttons import Buttons
from telegram_ui.commands.family import Ask, Family, command, press
from telegram_ui.commands.registry import FAMILIES, Commands, all_commands
from telegram_ui.sending.chat import Chat

ANN, BOB = Person(id=11, name="Ann"), Person(id=12, name="Bob")


class Toy(Family):
    """A family as a newcomer would add it."""

    @command("toy", "say what follows", who="admins", queue="slow")
    async def _toy(self, ask: Ask) -> str:
        return f"toy says {ask.argument}"

    @press("toy")
    async def _press(self, ask: Ask) -> str:
        return f"pressed {ask.argument}"


class Recorder:
    """Telegram's side: it keeps what is said, answered and listed."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.menus: dict[str, list[str]] = {}

    async def say(self, chat: Chat, text: str, *, keyboard: object = None) -> list[int]:
        self.said.append(text)
        return [1]

    async def set_my_commands(self, commands: list[tuple[str, str]], *, scope: telegram.BotCommandScope) -> None:
        self.menus[scope.type] = [name for name, _ in commands]

    def press(self, data: str) -> Any:
        async def answer(toast: str | None) -> None:
            self.said.append(toast or "")

        return SimpleNamespace(callback_query=SimpleNamespace(data=data, answer=answer), effective_message=None)


async def may_configure(chat: Chat, person: Person) -> bool:
    return chat.is_private or person == ANN


async def test_a_command_is_a_family_in_the_registry_and_nothing_else() -> None:
    telegram_side, buttons = Recorder(), Buttons(b"key")
    services = cast("Any", SimpleNamespace(clock=None, memory=SimpleNamespace(wizards=None)))
    commands = Commands(
        services,
        cast("Any", telegram_side),
        may_configure=may_configure,
        buttons=buttons,
        families=(*FAMILIES, Toy),
    )
    private, group = Chat(id=ANN.id), Chat(id=-5, is_private=False)
    update = cast("telegram.Update", None)
    await commands.handle(update, private, ANN, "toy", "hello")
    await commands.handle(update, group, BOB, "toy", "hello")
    await commands.handle(update, private, ANN, "help", "")
    assert telegram_side.said[0] == "toy says hello"
    assert "Only the admins" in telegram_side.said[1]
    assert "/toy – say what follows" in telegram_side.said[2]
    assert commands.queue_of("toy") == "slow"
    await commands.press(telegram_side.press(buttons.data("toy", private, ANN, "7")), private, ANN)
    await commands.press(telegram_side.press(buttons.data("toy", private, BOB, "7")), private, ANN)
    assert telegram_side.said[3] == "pressed 7"
    assert "somebody else" in telegram_side.said[4]
    await commands.set_menus(cast("telegram.Bot", telegram_side))
    assert "toy" in telegram_side.menus["all_private_chats"]
    assert "toy" in telegram_side.menus["all_chat_administrators"]
    assert "toy" not in telegram_side.menus["all_group_chats"]
    assert "toy" in commands.names
    assert all_commands((*FAMILIES, Toy))[-1].name == "toy"


def test_two_commands_of_one_name_are_refused_at_the_start() -> None:
    services = cast("Any", SimpleNamespace(clock=None, memory=SimpleNamespace(wizards=None)))
    with pytest.raises(ValueError, match="/toy is declared twice"):
        Commands(
            services,
            cast("Any", Recorder()),
            may_configure=may_configure,
            buttons=Buttons(b"key"),
            families=(Toy, Toy),
        )
