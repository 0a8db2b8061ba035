"""Tests of /reminders, offers of reminders, and the sending of due reminders."""

import asyncio
from datetime import UTC, timedelta
from functools import partial

import pytest

from playground.refusals import Json
from records.errors import KeepsakeError
from records.reminders import NewReminder, Reminder
from records.scopes import Person
from records.turns import Proposal
from reminders.phrases import parse_reminder_phrase
from reminders.sending import MAX_REFUSED, MAX_SENDS, REFUSED_PAUSE, SendOutcome, SendReminder
from telegram_ui.commands import proposals
from telegram_ui.commands.command_group import ChatEvent
from telegram_ui.commands.reminders import make_reminder_payload, parse_offer_and_source_id, send_reminder
from tests.peers.openai_server import Behaviour
from tests.support.talk import ChatHarness
from tests.unit.telegram_ui.commands.conftest import ANN, BOB, GROUP, PRIVATE, STARTED, Desk


async def offer_reminder(desk: Desk, text: str, *, source: int | None = None) -> tuple[Json, dict[str, str]]:
    asked = parse_reminder_phrase(text, desk.moment[0])
    assert isinstance(asked, NewReminder)
    proposal = Proposal(kind="remind", text=asked.text, reminder=asked, source=source)
    await proposals.ask_about_proposal(desk.commands.dependencies, PRIVATE, Person(id=ANN, name="Ann"), proposal)
    return desk.find_newest_buttons(ANN)


async def list_reminders(desk: Desk, owner: int = ANN) -> list[Reminder]:
    return list(await desk.services.reminders.list_reminders(owner))


async def test_reminder_offer_is_accepted_once_after_restart(desk: Desk) -> None:
    message, buttons = await offer_reminder(desk, "on Friday at 9 to call mum")
    assert message["text"] == (
        "Shall I remind you on Friday, 27 November 2026, 9:00 (UTC)?\n"
        "Times are in UTC. /tz sets your time zone; a reminder set for a time of day keeps it.\n\ncall mum"
    )
    assert list(buttons) == ["Yes", "No", "Set my time zone"]
    desk.restart()
    for _ in range(2):
        await desk.press_button(ANN, ANN, message, buttons["Yes"])
    assert [
        (reminder.text, f"{reminder.due_at:%a %H:%M}", reminder.person) for reminder in await list_reminders(desk)
    ] == [("call mum", "Fri 09:00", ANN)]
    assert desk.get_last_text(ANN) == "I will remind you on Friday, 27 November 2026, 9:00 (UTC): call mum"
    _, buttons = desk.find_newest_buttons(ANN)
    assert await desk.press_button(ANN, ANN, message, buttons["Cancel it"]) == "Cancelled: call mum"
    assert await list_reminders(desk) == []


async def test_time_zone_set_from_offer_applies_to_offered_time(desk: Desk) -> None:
    message, buttons = await offer_reminder(desk, "on Friday at 9 to call mum")
    late, late_buttons = await offer_reminder(desk, "in 20 minutes to stretch")
    await desk.press_button(ANN, ANN, message, buttons["Set my time zone"])
    assert "/tz Berlin" in desk.get_last_text(ANN), "an example"
    await desk.say(ANN, ANN, "/tz Tokyo")
    assert "Asia/Tokyo" in desk.get_last_text(ANN), "and nothing else: /settings was not asked for"
    await desk.press_button(ANN, ANN, message, buttons["Yes"])
    await desk.press_button(ANN, ANN, late, late_buttons["Yes"])
    by_text = {reminder.text: reminder.due_at for reminder in await list_reminders(desk)}
    assert f"{by_text['call mum']:%a %H:%M}" == "Fri 00:00"
    assert by_text["stretch"] == desk.moment[0] + timedelta(minutes=20)
    _, buttons = await offer_reminder(desk, "on Friday at 9 to call mum")
    assert list(buttons) == ["Yes", "No"]


async def test_replayed_reminder_command_sets_one_reminder_at_original_time(desk: Desk) -> None:
    desk.peer.world.say(ANN, ANN, "/reminders add in 2 hours to stretch")
    asked_at = desk.moment[0]
    [update] = await desk.fetch_updates()
    ann, argument = Person(id=ANN, name="Ann"), "add in 2 hours to stretch"
    for _ in range(2):
        event = ChatEvent(update=update, chat=PRIVATE, person=ann, argument=argument)
        await desk.commands.run_command_and_send_reply("reminders", event)
        desk.pass_time(timedelta(minutes=7))
    assert [reminder.due_at for reminder in await list_reminders(desk)] == [asked_at + timedelta(hours=2)]


async def test_declined_or_late_reminder_offer_sets_nothing(desk: Desk) -> None:
    message, buttons = await offer_reminder(desk, "in 2 minutes to go")
    await desk.press_button(ANN, ANN, message, buttons["No"])
    assert desk.get_last_text(ANN) == "Nothing was changed."
    desk.pass_time(timedelta(minutes=3))
    assert (
        await desk.press_button(ANN, ANN, message, buttons["Yes"])
        == "This button does nothing any more. Please ask again."
    )
    message, buttons = await offer_reminder(desk, "in 2 minutes to go")
    desk.pass_time(timedelta(minutes=3))
    await desk.press_button(ANN, ANN, message, buttons["Yes"])
    assert desk.get_last_text(ANN) == "That time has passed already."
    assert await list_reminders(desk) == []


@pytest.mark.parametrize("text", ["every Monday at 9 pay", "every weekday at 9 pay", "in 5 minutes to go"])
def test_reminder_payload_round_trips(text: str) -> None:
    asked = parse_reminder_phrase(text, STARTED)
    assert isinstance(asked, NewReminder)
    payload = make_reminder_payload(asked, 10**11)
    assert len(payload) <= 28
    assert parse_offer_and_source_id(payload, f"Remind you?\n\n{asked.text}", UTC) == (asked, 10**11)


@pytest.mark.parametrize("payload", ["", "no", "zz", "12", "ffffffffffffdc00.0", "65oc00", "65xc00.1", "65oc-1.zz"])
def test_rejects_invalid_reminder_payload(payload: str) -> None:
    assert parse_offer_and_source_id(payload, "Remind you?\n\nx", UTC) is None


async def test_reminders_add_uses_time_zone_of_owner(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/tz Berlin")
    await desk.say(ANN, ANN, "/reminders add every Monday at 10 send the report")
    assert desk.get_last_text(ANN) == (
        "I will remind you on Monday, 23 November 2026, 10:00 (Europe/Berlin), and then every week: send the report"
    )
    assert f"{(await list_reminders(desk))[0].due_at:%H:%M}" == "09:00"
    await desk.say(ANN, ANN, "/reminders whenever you like")
    assert "I did not understand “whenever you" in desk.get_last_text(ANN)
    for text, answer in (
        ("9999-12-31 23:59 x", "I can only remind you within the next 10 years."),
        ("tomorrow at 25:61 x", "This day or time does not exist."),
        ("today 0:00 x", "That time has passed already."),
    ):
        await desk.say(ANN, ANN, f"/reminders add {text}")
        assert desk.get_last_text(ANN) == answer
    assert len(await list_reminders(desk)) == 1
    await desk.say(ANN, ANN, "/tz Tokyo")
    await desk.say(ANN, ANN, "/reminders")
    assert desk.get_last_text(ANN) == (
        "1 reminder\n\n1. Monday, 23 November 2026, 10:00 (Asia/Tokyo), and then every week – send the report\n\n"
        "Press a number to cancel that reminder."
    )


async def test_reminder_parsed_by_model_needs_confirmation(desk: Desk, talk: ChatHarness) -> None:
    answer = '{"text": "dentist", "at": "2026-12-03T20:30", "in_minutes": null, "repeat": null}'
    talk.server.script_schema("remind", Behaviour(text=answer))
    await desk.say(ANN, ANN, "/reminders add a Thursday evening in December at half past eight, dentist")
    message, buttons = desk.find_newest_buttons(ANN)
    assert str(message["text"]).startswith("Shall I remind you on Thursday, 3 December 2026, 20:30 (UTC)?")
    assert await list_reminders(desk) == []
    await desk.press_button(ANN, ANN, message, buttons["Yes"])
    assert [(reminder.text, f"{reminder.due_at:%d.%m. %H:%M}") for reminder in await list_reminders(desk)] == [
        ("dentist", "03.12. 20:30")
    ]


async def test_ambiguous_reminder_time_needs_confirmation(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/reminders add 9am Tokyo call Ann")
    message, buttons = desk.find_newest_buttons(ANN)
    assert str(message["text"]).startswith(
        "I am not sure about “Tokyo”. Shall I remind you on Sunday, 22 November 2026, 9:00 (UTC)?"
    )
    assert await list_reminders(desk) == []
    await desk.press_button(ANN, ANN, message, buttons["Yes"])
    assert [(reminder.text, f"{reminder.due_at:%d.%m. %H:%M}") for reminder in await list_reminders(desk)] == [
        ("Tokyo call Ann", "22.11. 09:00")
    ]
    await desk.say(ANN, ANN, "/reminders add call mum tomorrow at 9")
    assert desk.get_last_text(ANN).startswith("Shall I remind you on Sunday, 22 November 2026, 9:00 (UTC)?")
    assert len(await list_reminders(desk)) == 1


async def test_reminder_list_has_pages_and_cancel_buttons(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/reminders")
    assert desk.get_last_text(ANN).startswith("There are no reminders.")
    for number in range(10):
        await desk.say(ANN, ANN, f"/reminders add in {number + 1} hours to do thing {number}")
    await desk.say(ANN, ANN, "/reminders")
    message, buttons = desk.find_newest_buttons(ANN)
    assert list(buttons) == [f"✕ {number}" for number in range(1, 9)] + ["1/2", "▶", "Set my time zone"]
    await desk.press_button(ANN, ANN, message, buttons["▶"])
    _, buttons = desk.find_newest_buttons(ANN)
    assert list(buttons) == ["✕ 9", "✕ 10", "◀", "2/2", "Set my time zone"]
    assert await desk.press_button(ANN, ANN, message, buttons["✕ 10"]) == "Cancelled: do thing 9"
    assert desk.get_last_text(ANN).splitlines()[0] == "9 reminders"
    assert await desk.press_button(ANN, ANN, message, buttons["✕ 10"]) == "This reminder is not there any more."


async def test_group_member_may_cancel_only_own_reminder(desk: Desk) -> None:
    for person in (BOB, ANN):
        await desk.say(person, GROUP, f"/reminders@{desk.peer.world.bot['username']} add tomorrow at 9 meet {person}")
    await desk.say(BOB, GROUP, f"/reminders@{desk.peer.world.bot['username']}")
    assert "Admins of this group set the time zone with /tz" in desk.get_last_text(GROUP), "Bob may not"
    message, buttons = desk.find_newest_buttons(GROUP)
    of_ann = "✕ 2"
    assert await desk.press_button(BOB, GROUP, message, buttons[of_ann]) == (
        "Only the person who asked for it, or an admin, can cancel it."
    )
    assert len(await list_reminders(desk, GROUP)) == 2
    assert await desk.press_button(BOB, GROUP, message, buttons["✕ 1"]) == f"Cancelled: meet {BOB}"


async def send_due_reminders(desk: Desk, tell: SendReminder) -> None:
    await asyncio.gather(*await desk.services.reminders.start_sending_due_reminders(tell))


async def test_due_reminder_is_sent_once_and_rescheduled_if_repeating(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/reminders add in 1 hour to stretch")
    await desk.say(ANN, ANN, "/reminders add every day at 10:00 to eat")
    tell = partial(send_reminder, desk.commands.dependencies)
    await send_due_reminders(desk, tell)
    desk.pass_time(timedelta(hours=1))
    since = len(desk.peer.list_bot_texts(ANN))
    for _ in range(2):
        await send_due_reminders(desk, tell)
    assert sorted(desk.peer.list_bot_texts(ANN)[since:]) == ["Reminder: eat", "Reminder: stretch"]
    [eat] = await list_reminders(desk)
    assert f"{eat.due_at:%d %H:%M}" == "22 10:00"
    desk.pass_time(timedelta(days=3))
    await send_due_reminders(desk, tell)
    assert desk.get_last_text(ANN) == "Reminder: eat\n\nIt was due on Sunday, 22 November 2026, 10:00 (UTC)."
    [eat] = await list_reminders(desk)
    assert f"{eat.due_at:%d %H:%M}" == "25 10:00"


async def test_removed_person_gets_no_reminder(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/reminders add in 1 hour to stretch")
    desk.pass_time(timedelta(hours=1))
    desk.services.memory.serves = lambda person: person != ANN
    since = len(desk.peer.list_bot_texts(ANN))
    await send_due_reminders(desk, partial(send_reminder, desk.commands.dependencies))
    assert (desk.peer.list_bot_texts(ANN)[since:], await list_reminders(desk)) == ([], [])


async def test_failing_reminder_is_attempted_at_most_max_sends_times(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/reminders add in 1 hour to stretch")
    desk.pass_time(timedelta(hours=1))
    told: list[int] = []

    async def dies(one: Reminder, now: object) -> SendOutcome:
        told.append(one.sends)
        raise KeepsakeError

    for _ in range(4):
        await send_due_reminders(desk, dies)
    assert len(told) == MAX_SENDS
    assert await list_reminders(desk) == []


async def test_deferred_reminder_is_retried_without_counting_attempts(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/reminders add in 1 hour to stretch")
    desk.pass_time(timedelta(hours=1))
    told: list[SendOutcome] = ["arrived", "unknown", "later", "later", "later"]

    async def return_next_outcome(one: Reminder, now: object) -> SendOutcome:
        return told.pop()

    for _ in range(3):
        await send_due_reminders(desk, return_next_outcome)
    assert [reminder.sends for reminder in await list_reminders(desk)] == [0]
    await send_due_reminders(desk, return_next_outcome)
    assert await list_reminders(desk) == []
    assert told == []


async def test_slow_chat_does_not_delay_reminders_of_others(desk: Desk) -> None:
    """A group that Telegram had paused for minutes once delayed everybody's reminders."""
    for number in range(9):
        await desk.say(ANN, ANN, f"/reminders add in 1 hour stretch {number}")
    await desk.say(BOB, BOB, "/reminders add in 2 hours to eat")
    waits, told, over = asyncio.Event(), list[str](), asyncio.Event()

    async def record_text_after_pause(reminder: Reminder, now: object) -> SendOutcome:
        if reminder.owner == ANN:
            waits.set()
            await over.wait()
        told.append(reminder.text)
        return "arrived"

    desk.pass_time(timedelta(hours=1))
    of_ann = asyncio.create_task(send_due_reminders(desk, record_text_after_pause))
    await waits.wait()
    desk.pass_time(timedelta(hours=1))
    await send_due_reminders(desk, record_text_after_pause)
    assert told == ["eat"]
    over.set()
    await of_ann
    assert told == ["eat", *(f"stretch {number}" for number in range(9))]


def block_bot(desk: Desk) -> None:
    desk.peer.add_fault(
        "error", method="sendMessage", error_code=403, description="Forbidden: bot was blocked by the user"
    )


async def test_one_time_reminder_waits_for_person_who_blocked_bot(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/reminders add in 1 hour to stretch")
    desk.pass_time(timedelta(hours=1))
    tell, since = partial(send_reminder, desk.commands.dependencies), len(desk.peer.list_bot_texts(ANN))
    block_bot(desk)
    for _ in range(3):  # the second and third time Telegram is not asked
        await send_due_reminders(desk, tell)
    assert desk.peer.list_bot_texts(ANN)[since:] == []
    desk.pass_time(REFUSED_PAUSE)
    await send_due_reminders(desk, tell)
    told = "Reminder: stretch\n\nIt was due on Saturday, 21 November 2026, 10:00 (UTC)."
    assert (desk.peer.list_bot_texts(ANN)[since:], await list_reminders(desk)) == ([told], [])


async def test_reminder_of_person_who_never_comes_back_is_dropped(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/reminders add in 1 hour to stretch")
    desk.pass_time(timedelta(hours=1) + MAX_REFUSED)
    block_bot(desk)
    await send_due_reminders(desk, partial(send_reminder, desk.commands.dependencies))
    assert await list_reminders(desk) == []


async def test_closed_topic_does_not_delay_reminders_of_other_topics(desk: Desk) -> None:
    for hours, what in ((1, "stretch"), (2, "eat"), (3, "sleep")):
        await desk.say(ANN, ANN, f"/reminders add in {hours} hours to {what}")
    told = list[str]()

    async def refuse_first(reminder: Reminder, now: object) -> SendOutcome:
        told.append(reminder.text)
        return "refused" if reminder.text == "stretch" else "arrived"

    desk.pass_time(timedelta(hours=2))
    await send_due_reminders(desk, refuse_first)
    desk.pass_time(timedelta(hours=1))
    await send_due_reminders(desk, refuse_first)
    assert told == ["stretch", "eat", "stretch", "sleep"]


async def test_person_who_blocked_bot_does_not_delay_reminders_of_others(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/reminders add in 1 hour to stretch")
    await desk.say(BOB, BOB, "/reminders add in 1 hour to eat")
    desk.pass_time(timedelta(hours=1))
    told = list[int]()

    async def refuse_ann(reminder: Reminder, now: object) -> SendOutcome:
        told.append(reminder.owner)
        return "refused" if reminder.owner == ANN else "arrived"

    for _ in range(2):
        await send_due_reminders(desk, refuse_ann)
    assert sorted(told) == sorted([ANN, BOB])


@pytest.mark.parametrize(
    ("language", "request_text", "listed"),
    [
        (
            "en",
            "every Monday and Thursday at 9 gym",
            "1. Monday, 23 November 2026, 9:00 (Europe/Berlin), and then every week: Monday, Thursday – gym",
        ),
        (
            "de",
            "jeden Montag und Donnerstag um 9 Uhr Sport",
            "1. Montag, 23. November 2026, 9:00 Uhr (Europe/Berlin), dann jede Woche: Montag, Donnerstag – Sport",
        ),
    ],
)
async def test_reminder_on_two_weekdays_is_listed_and_due_on_both(
    desk: Desk, language: str, request_text: str, listed: str
) -> None:
    await desk.say(ANN, ANN, "/tz Berlin")
    await desk.say(ANN, ANN, f"/language {language}")
    await desk.say(ANN, ANN, f"/reminders add {request_text}")
    assert listed.removeprefix("1. ").partition(" – ")[0] in desk.get_last_text(ANN)
    await desk.say(ANN, ANN, "/reminders")
    assert listed in desk.get_last_text(ANN)
    due = [(await list_reminders(desk))[0].due_at]
    for _ in range(3):
        desk.pass_time(due[-1] - desk.moment[0])
        await send_due_reminders(desk, partial(send_reminder, desk.commands.dependencies))
        due.append((await list_reminders(desk))[0].due_at)
    assert [f"{at:%a %d %H:%M}" for at in due] == ["Mon 23 08:00", "Thu 26 08:00", "Mon 30 08:00", "Thu 03 08:00"]
