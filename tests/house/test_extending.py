"""New commands, summary policies and import formats need only a registry entry, as CONTRIBUTING promises."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import telegram

from background.rebuild import RebuildProgress
from records.scopes import Person, Scope
from records.summaries import SummaryPlan, SummaryReason
from summaries.planning import ScopeState, SummaryPolicy, list_message_ids, select_foldable_turns
from summaries.policies import POLICIES
from telegram_ui.commands.buttons import Buttons
from telegram_ui.commands.command_group import Action, ChatEvent, Command, CommandGroup, Dependencies
from telegram_ui.commands.registry import COMMAND_GROUPS, Commands, list_commands
from telegram_ui.commands.summaries import format_summary_policy
from telegram_ui.sending.chat import Chat
from telegram_ui.sending.formatting import Piece
from telegram_ui.sending.newer_api import NewerApi
from tests.support.answer_controls import DirectAnswers
from tests.support.empty_memory import NOBODY_KNOWN
from tests.support.talk import ANNA, ChatHarness, open_chat_harness
from transfer.formats.conversations import HistoryBuilder, ImportFormat
from transfer.formats.detection import FORMATS
from transfer.formats.history import SourceFile

ANN, BOB = Person(id=11, name="Ann"), Person(id=12, name="Bob")


class Toy(CommandGroup):
    """A command group as a new contributor would write it."""

    @Command("toy", who="admins", queue="slow")
    async def _toy(self, event: ChatEvent) -> str:
        return f"toy says {event.argument}"

    @Action("toy")
    async def _press(self, event: ChatEvent) -> str:
        return f"pressed {event.argument}"


class Recorder:
    """A fake of the sending side that records sent texts, answers and command menus."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.menus: dict[str, list[str]] = {}
        self.newer_api = NewerApi(lambda: 0.0)

    async def send_text(self, chat: Chat, text: str | Piece, *, keyboard: object = None) -> list[int]:
        self.said.append(text.text if isinstance(text, Piece) else text)
        return [1]

    async def set_my_commands(
        self, commands: list[telegram.BotCommand], *, scope: telegram.BotCommandScope, language_code: str | None
    ) -> None:
        self.menus[scope.type] = [command.command for command in commands]

    def make_button_press(self, data: str) -> Any:
        async def answer(toast: str | None) -> None:
            self.said.append(toast or "")

        return SimpleNamespace(callback_query=SimpleNamespace(id="1", data=data, answer=answer), effective_message=None)


async def may_configure(chat: Chat, person: Person) -> bool:
    return chat.is_private or person == ANN


async def the_place(place: Scope) -> Scope:
    return place


async def test_new_command_needs_only_group_in_registry(own_texts: Callable[[str, str], None]) -> None:
    telegram_side, buttons = Recorder(), Buttons(b"key")
    own_texts("en", "menu-toy = say what follows")

    async def nothing_asked(*_: object) -> None:
        return None

    states = SimpleNamespace(find_state=nothing_asked)
    memory = SimpleNamespace(wizards=states, people=NOBODY_KNOWN, find_open_conversation_or_chat_scope=the_place)
    services = cast("Any", SimpleNamespace(clock=lambda: datetime.now(UTC), memory=memory))
    dependencies = Dependencies(
        services=services,
        delivery=cast("Any", telegram_side),
        may_configure=may_configure,
        buttons=buttons,
        answers=DirectAnswers(cast("Any", telegram_side)),
    )
    commands = Commands(dependencies, (*COMMAND_GROUPS, Toy))
    private, group = Chat(id=ANN.id), Chat(id=-5, is_private=False)
    update = cast("telegram.Update", None)
    for name, chat, person, argument in (
        ("toy", private, ANN, "hello"),
        ("toy", group, BOB, "hello"),
        ("help", private, ANN, "toy"),
    ):
        await commands.run_command_and_send_reply(
            name, ChatEvent(update=update, chat=chat, person=person, argument=argument)
        )
    assert telegram_side.said[0] == "toy says hello"
    assert "Only the admins" in telegram_side.said[1]
    assert "/toy – say what follows" in telegram_side.said[2]
    assert commands.find_command_action("toy").queue == "slow"
    for owner in (ANN, BOB):
        press = telegram_side.make_button_press(buttons.make_signed_callback_data("toy", private, owner, "7"))
        await commands.run_action_of_pressed_button(ChatEvent(update=press, chat=private, person=ANN))
    assert telegram_side.said[3] == "pressed 7"
    assert "somebody else" in telegram_side.said[4]
    await commands.set_command_menus(cast("telegram.Bot", telegram_side))
    assert "toy" not in telegram_side.menus["all_private_chats"], "it lists twelve commands; /help has all"
    assert "toy" in telegram_side.menus["all_chat_administrators"]
    assert "toy" not in telegram_side.menus["all_group_chats"]
    assert "toy" in commands.names
    assert list_commands((*COMMAND_GROUPS, Toy))[-1].name == "toy"


def test_duplicate_command_name_is_rejected_at_start() -> None:
    services = cast("Any", SimpleNamespace(clock=None, memory=SimpleNamespace(wizards=None, people=NOBODY_KNOWN)))
    with pytest.raises(ValueError, match="/toy is declared twice"):
        Commands(
            Dependencies(
                services=services,
                delivery=cast("Any", Recorder()),
                may_configure=may_configure,
                buttons=Buttons(b"key"),
                answers=DirectAnswers(cast("Any", Recorder())),
            ),
            (Toy, Toy),
        )


SCOPE = Scope(owner=ANNA.id)


def plan_a_pair(state: ScopeState, reason: SummaryReason) -> SummaryPlan | None:
    turns = select_foldable_turns(state.turns, reason)[:2]
    return (
        SummaryPlan(level=1, message_ids=list_message_ids(turns), reason=reason, policy="pairs")
        if len(turns) == 2
        else None
    )


PAIRS = SummaryPolicy(
    name="pairs", plan=plan_a_pair, can_fold=lambda counts, _: counts.active_messages > 1, rebuild_turns=lambda _: 2
)


async def covered(talk: ChatHarness) -> list[tuple[str, int]]:
    """Return the policy and the message count of each active summary."""
    return [
        (summary.policy, summary.message_count)
        for summary in await talk.services.summaries.list_active_summaries(SCOPE)
    ]


async def ignore(progress: RebuildProgress) -> None:
    """Ignore progress reports."""


async def test_new_summary_policy_needs_only_planner_and_registry_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_texts: Callable[[str, str], None]
) -> None:
    """The policy is offered as a choice, folds messages, and makes the summaries of a rebuild."""
    monkeypatch.setitem(POLICIES, PAIRS.name, PAIRS)
    own_texts("en", "policy-name-pairs = Pairs")
    own_texts("en", "policy-about-pairs = two turns, one summary.")
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory()
        config = await talk.services.memory.change_config(ANNA.id, lambda known: replace(known, policy=PAIRS.name))
        assert "• Pairs: two turns, one summary." in format_summary_policy(config)
        for number in range(4):
            await talk.run_turn(f"Animal {number}.")
        assert await covered(talk) == [("pairs", 4), ("pairs", 4)]
        outcome = await talk.services.rebuilder.rebuild_summaries(SCOPE, ignore)
        assert (outcome.state, outcome.summaries) == ("done", 2)
        assert await covered(talk) == [("pairs", 4), ("pairs", 4)]


def read_diary(files: Sequence[SourceFile], builder: HistoryBuilder) -> None:
    day = datetime(2024, 5, 3, tzinfo=UTC)
    entries = enumerate(files[0].text.removeprefix("Dear diary\n").splitlines())
    builder.append_chat([builder.make_message(str(number), "user", entry, day) for number, entry in entries])


DIARY = ImportFormat(name="diary", fits=lambda sample: sample.text.startswith("Dear diary"), read=read_diary)


async def test_new_import_format_needs_only_reader_and_registry_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_texts: Callable[[str, str], None]
) -> None:
    """The format is recognized, and the same file is imported only once."""
    own_texts("en", "import-title-diary = a diary")
    monkeypatch.setitem(FORMATS, DIARY.name, DIARY)
    data = b"Dear diary\nThe spare key lies under the flowerpot.\nIt rained.\n"
    done: list[tuple[int, int]] = []

    async def progress(imported: int, total: int) -> None:
        done.append((imported, total))

    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory()
        plan = await talk.services.importer.plan(SCOPE, ANNA.id, data)
        assert (plan.name, plan.new_message_count) == ("a diary", 2)
        await talk.services.importer.import_file(SCOPE, ANNA.id, data, progress=progress)
        assert done == [(2, 2)]
        assert (await talk.services.importer.plan(SCOPE, ANNA.id, data)).known == 2
        await talk.say("Where is the spare key?")
        assert "under the flowerpot" in talk.list_prompts()[-1]
