"""Tests of commands and the wizard, as a person sees them."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from llm import prompts
from locales.catalog import tr
from locales.sentences import format_retention
from records.errors import StorageError
from records.messages import NewMessage
from records.owners import StorageType
from records.scopes import Person, Scope
from records.status import Counts, Status
from records.summaries import Summary, SummaryFailure, SummaryOutcome, SummaryReason
from retrieval.prompt_builder import append_sections_that_fit
from storage.engine.sqlite import Database
from summary_manager import SummaryManager
from telegram_ui.commands.command_group import LIFETIME, ChatEvent
from telegram_ui.commands.registry import describe_commands_by_name, list_commands
from telegram_ui.commands.summaries import format_status
from telegram_ui.commands.wizard import parse_threshold
from telegram_ui.updates.parsing import parse_update
from tests.support.talk import ChatHarness
from tests.unit.telegram_ui.commands.conftest import ANN, BOB, FORUM, GROUP, STARTED, TOPIC, Desk
from text.tokenizer import Tokenizer


class FullDisk:
    """Commit hooks that fail as if the disk were full."""

    def prepare_commit(self, connection: sqlite3.Connection) -> None:
        raise StorageError("No space left on device")

    def abort_commit(self) -> None: ...

    def confirm_commit(self) -> None: ...


@dataclass
class ScriptedSummaries:
    """A fake summary manager that returns the outcome and the summaries of a test."""

    outcome: SummaryOutcome = field(default_factory=lambda: SummaryOutcome(state="nothing"))
    active_summaries: Sequence[Summary] = ()

    async def fold(self, scope: Scope, reason: SummaryReason) -> SummaryOutcome:
        return self.outcome

    async def list_active_summaries(self, scope: Scope) -> Sequence[Summary]:
        return self.active_summaries


@pytest.fixture
def scripted_summaries(desk: Desk) -> ScriptedSummaries:
    made = ScriptedSummaries()
    desk.services = replace(desk.services, summaries=cast("SummaryManager", made))
    desk.restart()
    return made


async def press_button(desk: Desk, person: int, chat: int, name: str) -> str | None:
    message, buttons = desk.find_newest_buttons(chat)
    return await desk.press_button(person, chat, message, buttons[name])


def make_summary(level: int, text: str, *, number: int = 1, covers: int = 8) -> Summary:
    return Summary(
        id=number,
        scope=Scope(owner=ANN),
        level=level,
        text=text,
        created_at=STARTED,
        source_chunk_ids=(number,),
        source_ids=(),
        is_active=True,
        first_id=1,
        last_id=covers,
        first_at=STARTED,
        last_at=STARTED + timedelta(days=1),
        message_count=covers,
        visible_count=covers,
    )


async def test_wizard_configures_memory_in_two_steps(desk: Desk) -> None:
    assert await desk.say(ANN, ANN, "/summary")
    assert set(desk.find_newest_buttons(ANN)[1]) == {"SQLite", "JSON"}
    assert await press_button(desk, ANN, ANN, "JSON") is None
    assert "1 to 500" in desk.get_last_text(ANN)
    assert await desk.say(ANN, ANN, " 7 ")
    assert "External memory configured" in desk.get_last_text(ANN)
    assert "Storage: JSON" in desk.get_last_text(ANN)
    assert "I summarise every 7 of your messages," in desk.get_last_text(ANN)
    config = await desk.services.memory.get_config(ANN)
    assert config is not None
    assert (config.storage, config.every_n, config.enabled) == (StorageType.JSON, 7, True)
    assert not await desk.say(ANN, ANN, "8")


async def test_storage_change_reports_number_of_moved_messages(desk: Desk) -> None:
    memory = desk.services.memory
    await memory.configure(ANN, storage=StorageType.SQLITE, every_n=20)
    async with memory.open_store(ANN) as store:
        await store.append_messages(Scope(owner=ANN), [NewMessage(role="user", content="hi", created_at=STARTED)])
    await desk.say(ANN, ANN, "/summary")
    await press_button(desk, ANN, ANN, "JSON")
    await desk.say(ANN, ANN, "20")
    assert "Moved: 1 message from SQLite to JSON" in desk.get_last_text(ANN)


@pytest.mark.parametrize("wrong", ["0", "501", "-3", "2.5", "twenty", "20 or 30", "²", "9" * 5000])
async def test_wizard_asks_again_after_invalid_threshold(desk: Desk, wrong: str) -> None:
    await desk.say(ANN, ANN, "/summary")
    await press_button(desk, ANN, ANN, "SQLite")
    for text in [wrong] if len(wrong) < 4096 else [wrong[:4096]]:
        assert await desk.say(ANN, ANN, text)
    assert "1 to 500" in desk.get_last_text(ANN)
    assert "/cancel" in desk.get_last_text(ANN)
    await desk.say(ANN, ANN, "٢٠")
    assert "every 20 of your messages" in desk.get_last_text(ANN)


@pytest.mark.parametrize("number", ["20 turns", "Every 20 turns, please.", "after each 20"])
async def test_wizard_accepts_threshold_within_text(desk: Desk, number: str) -> None:
    await desk.say(ANN, ANN, "/summary")
    await press_button(desk, ANN, ANN, "SQLite")
    assert await desk.say(ANN, ANN, number)
    assert "every 20 of your messages" in desk.get_last_text(ANN)


@pytest.mark.parametrize("chat", [ANN, GROUP])
async def test_wizard_offers_threshold_buttons_and_marks_current_choices(desk: Desk, chat: int) -> None:
    await desk.say(ANN, chat, "/summary@keepsake_bot")
    await press_button(desk, ANN, chat, "JSON")
    assert list(desk.find_newest_buttons(chat)[1]) == ["5", "10", "20", "50"]
    message, buttons = desk.find_newest_buttons(chat)
    assert await desk.press_button(ANN, chat, message, buttons["10"]) is None
    assert "every 10 of your messages" in desk.get_last_text(chat)
    assert await desk.press_button(ANN, chat, message, buttons["20"]) == tr("shared-dead-button")
    await desk.services.memory.configure(chat, storage=StorageType.JSON, every_n=7)
    await desk.say(ANN, chat, "/summary@keepsake_bot")
    assert list(desk.find_newest_buttons(chat)[1]) == ["SQLite", "✓ JSON"]
    await press_button(desk, ANN, chat, "✓ JSON")
    assert list(desk.find_newest_buttons(chat)[1]) == ["5", "✓ 7", "10", "20", "50"]


async def test_wizard_asks_again_after_unknown_storage_but_ignores_questions(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/summary")
    assert await desk.say(ANN, ANN, "mongo")
    assert "SQLite, JSON or" in desk.get_last_text(ANN)
    assert not await desk.say(ANN, ANN, "mongo?")
    assert not await desk.say(ANN, ANN, "I would like to know what you make of Mongolia")
    assert await desk.say(ANN, ANN, "sqlite, please")
    assert "2 of 2" in desk.get_last_text(ANN)


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("/summary_policy sliding", "How I summarise: Sliding"),
        ("/summary_policy Off", "Automatic summaries are off"),
        ("/summary_policy on", "How I summarise: Pyramid"),
        ("/summary_policy cubic", "How I summarise: Pyramid"),
        ("/summary_off now", "/summary_off takes no words after it"),
        ("/summary_prompt be brief", "New summaries follow this"),
        ("/summary_prompt off", "are gone"),
    ],
)
async def test_command_argument_is_applied_or_refused(desk: Desk, written: str, says: str) -> None:
    await desk.services.memory.set_enabled(ANN, enabled=True)
    await desk.say(ANN, ANN, written)
    assert says in desk.get_last_text(ANN)
    config = await desk.services.memory.get_config(ANN)
    assert config is not None
    assert config.enabled
    assert config.policy == ("sliding" if "sliding" in written else "pyramid")
    assert config.auto_fold == ("Off" not in written)


def test_unknown_command_suggests_nearest_command(desk: Desk) -> None:
    assert "Did you mean /summary?" in desk.commands.format_unknown_command("sumary")
    assert "Did you mean /summary_status?" in desk.commands.format_unknown_command("status")
    assert "Did you mean" not in desk.commands.format_unknown_command("zzz")


async def test_wizard_survives_restart_and_other_commands(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/summary")
    desk.restart()
    await press_button(desk, ANN, ANN, "SQLite")
    desk.restart()
    await desk.say(ANN, ANN, "/summary_status")
    await desk.say(ANN, ANN, "30")
    assert "every 30 of your messages" in desk.get_last_text(ANN)


@pytest.mark.parametrize("is_pressed", [False, True])
async def test_wizard_repeats_final_reply_when_update_is_replayed(desk: Desk, is_pressed: bool) -> None:
    await desk.say(ANN, ANN, "/summary")
    await press_button(desk, ANN, ANN, "JSON")
    message, buttons = desk.find_newest_buttons(ANN)
    if is_pressed:
        desk.peer.world.press_button(ANN, ANN, message["message_id"], buttons["20"])
    else:
        desk.peer.world.say(ANN, ANN, "20")
    [update] = await desk.fetch_updates()
    parsed = parse_update(update, desk.peer.bot.bot)
    assert parsed is not None
    event = ChatEvent(update=update, chat=parsed.chat, person=parsed.person, argument=parsed.text)
    for _ in range(2):
        if is_pressed:
            await desk.commands.run_action_of_pressed_button(event)
        else:
            assert await desk.commands.pass_text_to_command_if_awaited(event)
        desk.restart()
    assert sum("External memory configured" in text for text in desk.peer.list_bot_texts(ANN)) == 2
    assert not await desk.say(ANN, ANN, "20")


@pytest.mark.parametrize("steps", [1, 2])
@pytest.mark.parametrize("is_full", [False, True])
async def test_message_after_expired_wizard_is_not_consumed_even_when_replayed(
    desk: Desk, steps: int, is_full: bool
) -> None:
    await desk.say(ANN, ANN, "/summary")
    if steps == 2:
        await press_button(desk, ANN, ANN, "SQLite")
    desk.pass_time(LIFETIME)
    desk.peer.world.say(ANN, ANN, "what do you know about walnuts?")
    [update] = await desk.fetch_updates()
    parsed = parse_update(update, desk.peer.bot.bot)
    assert parsed is not None
    event = ChatEvent(update=update, chat=parsed.chat, person=parsed.person, argument=parsed.text)
    if is_full:
        cast("Database", desk.services.memory.wizards.database).commit_hooks = FullDisk()
    for _ in range(2):
        assert not await desk.commands.pass_text_to_command_if_awaited(event)
        desk.restart()


async def test_final_wizard_step_replayed_after_an_hour_has_not_expired(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/summary")
    await press_button(desk, ANN, ANN, "JSON")
    desk.peer.world.say(ANN, ANN, "20")
    [update] = await desk.fetch_updates()
    parsed = parse_update(update, desk.peer.bot.bot)
    assert parsed is not None
    event = ChatEvent(update=update, chat=parsed.chat, person=parsed.person, argument=parsed.text)
    for _ in range(2):
        assert await desk.commands.pass_text_to_command_if_awaited(event)
        desk.restart()
        desk.pass_time(timedelta(hours=1))
    assert desk.peer.list_bot_texts(ANN).count(desk.get_last_text(ANN)) == 2
    assert tr("wizard-expired") not in desk.peer.list_bot_texts(ANN)


async def test_expired_wizard_reports_expiry(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/summary")
    desk.pass_time(LIFETIME)
    await press_button(desk, ANN, ANN, "SQLite")
    assert desk.get_last_text(ANN) == tr("wizard-expired")
    await desk.say(ANN, ANN, "/summary")
    await press_button(desk, ANN, ANN, "SQLite")
    desk.pass_time(LIFETIME)
    assert await desk.say(ANN, ANN, "20")
    assert desk.get_last_text(ANN) == tr("wizard-expired")
    assert await desk.services.memory.get_config(ANN) is None
    assert not await desk.say(ANN, ANN, "20")


async def test_cancel_ends_wizard_at_any_step(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/cancel")
    assert desk.get_last_text(ANN) == tr("wizard-nothing-to-cancel")
    for step in range(2):
        await desk.say(ANN, ANN, "/summary")
        if step:
            await press_button(desk, ANN, ANN, "SQLite")
        await desk.say(ANN, ANN, "/cancel")
        assert desk.get_last_text(ANN) == tr("wizard-cancelled")
        assert not await desk.say(ANN, ANN, "20")
    assert await desk.services.memory.get_config(ANN) is None


async def test_repeated_press_and_older_wizard_buttons_change_nothing(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/summary")
    message, buttons = desk.find_newest_buttons(ANN)
    await desk.say(ANN, ANN, "/summary")
    assert await desk.press_button(ANN, ANN, message, buttons["JSON"]) == tr("shared-dead-button")
    message, buttons = desk.find_newest_buttons(ANN)
    await desk.press_button(ANN, ANN, message, buttons["SQLite"])
    before = desk.peer.list_bot_texts(ANN)
    assert await desk.press_button(ANN, ANN, message, buttons["JSON"]) == tr("shared-dead-button")
    assert desk.peer.list_bot_texts(ANN) == before
    await desk.say(ANN, ANN, "20")
    assert "Storage: SQLite" in desk.get_last_text(ANN)


async def test_group_wizard_continues_only_for_admin_who_started(desk: Desk) -> None:
    await desk.say(BOB, GROUP, "/summary@keepsake_bot")
    assert "Only the admins" in desk.get_last_text(GROUP)
    await desk.say(ANN, GROUP, "/summary@keepsake_bot")
    assert "somebody else" in (await press_button(desk, BOB, GROUP, "JSON") or "")
    await press_button(desk, ANN, GROUP, "SQLite")
    assert "force_reply" not in str(desk.peer.world.messages[GROUP]), "no reply field stays open after a press"
    with_buttons = [message for message in desk.peer.world.messages[GROUP].values() if "reply_markup" in message]
    assert [button["text"].partition(":")[0] for button in with_buttons] == ["Step 2 of 2"], "the first keys are gone"
    message, buttons = desk.find_newest_buttons(GROUP)
    assert "somebody else" in (await desk.press_button(BOB, GROUP, message, buttons["20"]) or "")
    assert not await desk.say(BOB, GROUP, "20")
    assert not await desk.say(ANN, GROUP, "what a day")
    assert await desk.say(ANN, GROUP, "12")
    assert "every 12 of your messages" in desk.get_last_text(GROUP)
    assert await desk.services.memory.get_config(ANN) is None


async def test_wizard_state_is_separate_per_topic(desk: Desk) -> None:
    await desk.say(ANN, FORUM, "/summary@keepsake_bot", thread_id=TOPIC)
    await press_button(desk, ANN, FORUM, "SQLite")
    assert not await desk.say(ANN, FORUM, "20")
    assert await desk.say(ANN, FORUM, "20", thread_id=TOPIC)


async def test_start_button_turns_memory_on_only_for_addressed_person(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/start")
    message, buttons = desk.find_newest_buttons(ANN)
    data = buttons["Turn on memory"]
    desk.restart()
    assert "does nothing" in (await desk.press_button(ANN, ANN, message, data[:-1] + "é") or "")
    assert await desk.services.memory.get_config(ANN) is None
    assert await desk.press_button(ANN, ANN, message, data) is None
    assert "Memory is on: I keep it in SQLite" in desk.get_last_text(ANN)
    shown = desk.peer.world.messages[ANN][message["message_id"]]
    assert "Memory is on, kept in SQLite." in shown["text"]
    assert "Memory is off" not in shown["text"]
    assert list(desk.find_newest_buttons(ANN)[1]) == ["What is stored", "Help"]
    config = await desk.services.memory.get_config(ANN)
    assert config is not None
    assert (config.storage, config.every_n, config.enabled) == (StorageType.SQLITE, 20, True)
    before = desk.peer.list_bot_texts(ANN)
    assert await desk.press_button(ANN, ANN, message, data) == desk.get_last_text(ANN)
    assert desk.peer.list_bot_texts(ANN) == before
    await desk.say(ANN, GROUP, "/start@keepsake_bot")
    assert "somebody else" in (await press_button(desk, BOB, GROUP, "Turn on memory") or "")


async def test_summary_on_and_off_keep_configuration(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/summary_off")
    assert "Memory is off" in desk.get_last_text(ANN)
    await desk.services.memory.configure(ANN, storage=StorageType.JSON, every_n=3)
    await desk.say(ANN, ANN, "/summary_off")
    assert "What is stored stays" in desk.get_last_text(ANN)
    await desk.say(ANN, ANN, "/summary_on")
    assert "JSON" in desk.get_last_text(ANN)
    assert "3 of your messages" in desk.get_last_text(ANN)


def test_status_lists_counts_and_last_failure() -> None:
    counts = Counts(total=12, archived=9, active_turns=1, active_by_level={1: 2, 3: 1})
    failure = SummaryFailure(at=STARTED, error="The model is overloaded.", attempts=2, told=True)
    lines = format_status(Status(config=None, counts=counts, failure=failure)).splitlines()
    for line in (
        "Messages since last summary: 3",
        "Total messages: 12",
        "Archived messages: 9",
        "Active summaries: 3",
        "Highest level: 3",
    ):
        assert line in lines
    assert any(line.startswith("Last failure: 21 November 2026 12:00 UTC") for line in lines)


async def test_summary_status_shows_configuration(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/summary_status")
    assert "not set up" in desk.get_last_text(ANN)
    await desk.services.memory.configure(ANN, storage=StorageType.SQLITE, every_n=1)
    await desk.say(ANN, ANN, "/summary_status")
    assert desk.get_last_text(ANN).splitlines()[:3] == [
        "Memory: enabled",
        "Storage: SQLite",
        "Threshold: 1 message of yours",
    ]


async def test_summary_show_sends_full_texts_with_dates_and_sizes(
    desk: Desk, scripted_summaries: ScriptedSummaries
) -> None:
    await desk.say(ANN, ANN, "/summary_show")
    assert "not set up" in desk.get_last_text(ANN)
    await desk.services.memory.set_enabled(ANN, enabled=True)
    await desk.say(ANN, ANN, "/summary_show")
    assert "no summaries yet" in desk.get_last_text(ANN)
    long = " ".join(f"word{number}" for number in range(2000))
    scripted_summaries.active_summaries = [make_summary(2, long), make_summary(1, "Ann likes tea.", number=2)]
    before = len(desk.peer.list_bot_texts(ANN))
    await desk.say(ANN, ANN, "/summary_show")
    shown = " ".join(desk.peer.list_bot_texts(ANN)[before:])
    assert "Summary of earlier summaries · today 12:00 – tomorrow 12:00 UTC · 8 messages" in shown
    assert long in shown
    assert shown.index("Summary of earlier summaries ·") < shown.index("Summary ·")


@pytest.mark.parametrize(
    ("outcome", "says"),
    [
        (SummaryOutcome(state="folded", summaries=(make_summary(1, "x"),)), "Summarised: 1 summary made"),
        (SummaryOutcome(state="nothing"), "Nothing to summarise"),
        (SummaryOutcome(state="busy"), "right now"),
        (SummaryOutcome(state="failed", error="The model is overloaded."), "Nothing was lost"),
    ],
)
async def test_summary_now_reports_outcome(
    desk: Desk, scripted_summaries: ScriptedSummaries, outcome: SummaryOutcome, says: str
) -> None:
    scripted_summaries.outcome = outcome
    await desk.say(ANN, ANN, "/summary_now")
    assert "Memory is off" in desk.get_last_text(ANN)
    await desk.services.memory.set_enabled(ANN, enabled=True)
    await desk.say(ANN, ANN, "/summary_now")
    assert says in desk.get_last_text(ANN)


async def test_only_group_admins_may_run_summary_commands(desk: Desk) -> None:
    for command in ("summary", "summary_on", "summary_off", "summary_now"):
        await desk.say(BOB, GROUP, f"/{command}@keepsake_bot")
        assert "Only the admins" in desk.get_last_text(GROUP)
    assert await desk.services.memory.get_config(GROUP) is None


async def test_help_and_menus_list_every_command(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/help")
    assert len([line for line in desk.get_last_text(ANN).splitlines() if line.startswith("/")]) == 8
    await press_button(desk, ANN, ANN, "More")
    known = [command for command in list_commands() if command.where != "admins"]
    assert all(f"/{command.name} – {command.description}" in desk.get_last_text(ANN) for command in known)
    assert "/admin" not in desk.get_last_text(ANN)
    await desk.commands.set_command_menus(desk.peer.bot)
    menus = {
        call["params"]["scope"]["type"]: {command["command"] for command in call["params"]["commands"]}
        for call in desk.peer.list_calls("setMyCommands")
    }
    assert menus["all_private_chats"] < {command.name for command in known} == desk.commands.names - {"admin"}
    assert "summary_on" not in menus["all_group_chats"]
    assert "summary_on" in menus["all_chat_administrators"]


async def test_help_has_bold_headings_and_explains_single_command(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/help")
    await press_button(desk, ANN, ANN, "More")
    shown = list(desk.peer.world.messages[ANN].values())[-1]
    bold = [entity for entity in shown["entities"] if entity["type"] == "bold"]
    headings = [shown["text"][entity["offset"] : entity["offset"] + entity["length"]] for entity in bold]
    assert headings == ["First steps", "Your settings", "Conversations", "Summaries", "What I remember", "Your data"]
    await desk.say(ANN, ANN, "/help /why")
    assert desk.get_last_text(ANN).startswith("/why – ")
    assert "\n" not in desk.get_last_text(ANN)


async def test_start_and_privacy_describe_group_storage_in_group(desk: Desk) -> None:
    await desk.say(BOB, GROUP, "/start@keepsake_bot")
    assert "I store nothing until it is turned on" in desk.get_last_text(GROUP)
    await press_button(desk, BOB, GROUP, "What is stored")
    assert "Nothing from private chats comes here" in desk.get_last_text(GROUP)
    assert "only what is said to me" in desk.get_last_text(GROUP)
    await desk.say(BOB, GROUP, "/privacy@keepsake_bot")
    assert desk.get_last_text(GROUP).startswith("Memory is off: ")
    assert "replying to them with /forget" in desk.get_last_text(GROUP)
    await desk.services.memory.configure(ANN, storage=StorageType.JSON, every_n=3)
    await desk.say(ANN, ANN, "/privacy")
    assert desk.get_last_text(ANN).startswith("Memory is on, kept in JSON.")


async def test_turn_on_button_disappears_after_press(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/start")
    message, buttons = desk.find_newest_buttons(ANN)
    await desk.press_button(ANN, ANN, message, buttons["Turn on memory"])
    assert "Turn on memory" not in str(desk.peer.world.messages[ANN][message["message_id"]])


async def test_times_are_shown_in_time_zone_of_person(desk: Desk, talk: ChatHarness) -> None:
    await talk.turn_on_memory(owner=ANN)
    await desk.say(ANN, ANN, "/tz Asia/Tokyo")
    said = talk.make_user_message("The walnuts are in the cellar.", person=Person(id=ANN, name="Ann"))
    await talk.conversation.reply(said)
    await desk.say(ANN, ANN, "/search walnuts")
    assert "1. today 18:00 · Ann" in desk.get_last_text(ANN)
    await desk.say(ANN, ANN, "/forget walnuts")
    assert "today 18:00 · Ann" in desk.get_last_text(ANN)
    await desk.say(ANN, ANN, "/why")
    shown = list(desk.peer.world.messages[ANN].values())[-1]
    assert shown["text"].startswith("What the answer (today 18:00) was made from\n")
    assert "reply_markup" not in shown, "everything is in the quote"
    [quote] = [entity for entity in shown["entities"] if entity["type"] == "expandable_blockquote"]
    assert len(shown["text"][: quote["offset"]].splitlines()) == 3
    assert "· your message: " in shown["text"][quote["offset"] :]
    assert "UTC" not in shown["text"]
    assert "(+" not in shown["text"]


@given(st.one_of(st.text(), st.integers(-1000, 1000).map(str), st.text("0123456789٠١٢٣४५ +-.²½Ⅳ")))
def test_parse_threshold_returns_number_within_limits_or_none(text: str) -> None:
    number = parse_threshold(text)
    assert number is None or 1 <= number <= 500


async def test_arbitrary_callback_data_changes_nothing(desk: Desk, tmp_path: Path) -> None:
    await desk.say(ANN, ANN, "/summary")
    message, buttons = desk.find_newest_buttons(ANN)
    known = list(buttons.values())
    parts = st.sampled_from(["w", "on", str(ANN), str(BOB), "sqlite", "json", "", ":", "\ud7ff", *known[0].split(":")])
    anything = st.one_of(st.text(min_size=1, max_size=60), st.lists(parts, max_size=6).map(":".join))
    made: list[str] = []

    @given(anything)
    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    def collect(data: str) -> None:
        if data not in known and 1 <= len(data.encode("utf-8", "surrogatepass")) <= 64:
            made.append(data)

    collect()
    for data in dict.fromkeys(made):
        try:
            data.encode()
        except UnicodeEncodeError:
            continue
        assert await desk.press_button(ANN, ANN, message, data)
    assert await desk.services.memory.get_config(ANN) is None
    await press_button(desk, ANN, ANN, "SQLite")
    assert "2 of 2" in desk.get_last_text(ANN)


async def test_replayed_final_threshold_is_consumed_and_leaves_no_open_wizard(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/summary")
    await press_button(desk, ANN, ANN, "SQLite")
    desk.peer.world.say(ANN, ANN, "7")
    [update] = await desk.fetch_updates()
    parsed = parse_update(update, desk.peer.bot.bot)
    assert parsed is not None
    for _ in range(2):
        event = ChatEvent(update=update, chat=parsed.chat, person=parsed.person, argument=parsed.text)
        assert await desk.commands.pass_text_to_command_if_awaited(event)
        desk.restart()
    await desk.say(ANN, ANN, "/cancel")
    assert desk.get_last_text(ANN) == tr("wizard-nothing-to-cancel")


@pytest.mark.parametrize(("days", "told"), [(1, "older than a day"), (30, "older than 30 days"), (0, "")])
async def test_format_retention_states_archive_age_limit(desk: Desk, days: int, told: str) -> None:
    assert told in format_retention(days)
    assert bool(format_retention(days)) == bool(told)


async def test_prompt_describes_user_commands_within_token_budget(desk: Desk) -> None:
    told = describe_commands_by_name()
    assert {"forget", "model", "persona", "usage", "reminders", "new", "chats", "settings", "export"} <= told.keys()
    assert not {"admin", "start", "cancel"} & told.keys()
    section = prompts.format_command_list(told)
    assert "Memory is on" in section
    assert "Nothing that is said now is stored" in prompts.format_command_list(told, is_memory_on=False)
    assert len(section) < 1_800, "some 350 tokens, in each request"
    assert (
        append_sections_that_fit(Tokenizer.for_model("gpt-5.4-mini"), "Be brief.", [section, ""], 1_500)
        == f"Be brief.\n\n{section}"
    )
    tokens = Tokenizer.for_model("gpt-5.4-mini")
    assert append_sections_that_fit(tokens, "Be brief.", [section, ""], 1_500) == f"Be brief.\n\n{section}"
    assert append_sections_that_fit(tokens, "Be brief.", [section], 200) == "Be brief.", "in a small window"
