"""Tests of /memory: the list, one fact with its buttons, and permissions."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from chat.facts_by_hand import change_fact_and_report, format_undo_result
from llm.prompts import format_fact
from locales.catalog import tr
from records.facts import FactChange, FactKind, NewFact
from records.forgetting import ForgetResult
from records.owners import StorageType
from records.scopes import Person, Scope
from telegram_ui.commands.command_group import LIFETIME
from telegram_ui.commands.memory import parse_memory_view
from tests.support.talk import ChatHarness
from tests.unit.telegram_ui.commands.conftest import ANN, BOB, GROUP, Desk


@pytest.fixture
async def desk(desk: Desk, talk: ChatHarness) -> Desk:
    for owner in (ANN, GROUP):
        await talk.services.memory.configure(owner, storage=StorageType.SQLITE, every_n=20)
    return desk


async def press_button(desk: Desk, label: str, *, person: int = ANN, chat: int = ANN) -> str | None:
    message, buttons = desk.find_newest_buttons(chat)
    return await desk.press_button(person, chat, message, buttons[label])


def get_shown_text(desk: Desk, chat: int = ANN) -> str:
    """Return the current text of the newest message with buttons."""
    return str(desk.find_newest_buttons(chat)[0]["text"])


async def test_memory_reports_when_no_facts_are_known(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/memory")
    assert tr("memory-nothing-known") in desk.get_last_text(ANN)


async def test_memory_add_shows_fact_and_ignores_duplicate(desk: Desk) -> None:
    for nothing in ("", " \u200b\u2060", " \u3164 \u2800\U000e0041"):
        await desk.say(ANN, ANN, f"/memory add{nothing}")
        assert "/memory add" in desk.get_last_text(ANN)
    await desk.say(ANN, ANN, "/memory add Ann is allergic to\nwalnuts.")
    assert desk.get_last_text(ANN) == "Noted: Ann is allergic to walnuts."
    await desk.say(ANN, ANN, "/memory add Ann is allergic to walnuts.")
    await desk.say(ANN, ANN, "/memory add " + "long " * 300)
    assert "has 1,499 characters; at most 300 are allowed" in desk.get_last_text(ANN)
    await desk.say(ANN, ANN, "/memory")
    assert "1 · Ann is allergic to walnuts." in get_shown_text(desk)
    assert "Facts (1)" in get_shown_text(desk)


async def test_added_fact_becomes_standing_instruction_by_button(desk: Desk, talk: ChatHarness) -> None:
    person = Person(id=ANN, name="Ann")
    await desk.say(ANN, ANN, "/memory add Always be brief.")
    await talk.say("What is a cello?", person=person)
    assert "<instructions>\n" not in talk.list_prompts()[-1]
    message, buttons = desk.find_newest_buttons(ANN)
    assert await desk.press_button(ANN, ANN, message, buttons["Always keep to this"]) == (
        "I keep to this from now on: Always be brief."
    )
    await desk.say(ANN, ANN, "/memory add Always be brief.")
    assert desk.get_last_text(ANN) == "Noted: Always be brief."
    await desk.say(ANN, ANN, "/memory")
    assert "What you asked me to keep to (1)" in get_shown_text(desk)
    await talk.say("What is a viola?", person=person)
    assert "<instructions>\n" in talk.list_prompts()[-1]
    assert (
        "Always be brief." in talk.list_prompts()[-1].partition("<instructions>\n")[2].partition("</instructions>")[0]
    )


async def test_memory_lists_instructions_then_preferences_then_facts(desk: Desk) -> None:
    said: tuple[tuple[str, FactKind], ...] = (
        ("Always be brief.", "instruction"),
        ("Ann plays the cello.", "personal"),
        ("I prefer tea to coffee.", "preference"),
        ("Call me Annie.", "instruction"),
    )
    async with desk.services.memory.open_store(ANN) as store:
        for text, kind in said:
            new = NewFact(
                text=text, kind=kind, subject="", source_ids=(), observed_at=desk.moment[0], valid_from=desk.moment[0]
            )
            await store.facts.add_fact(ANN, new, now=desk.moment[0])
    await desk.say(ANN, ANN, "/memory")
    lines = get_shown_text(desk).splitlines()
    numbers = [line.split(" · ")[0] for line in lines if line[:1].isdigit()]
    assert numbers == ["4", "1", "3", "2"]
    headings = ["What you asked me to keep to (2)", "What you prefer (1)", "Facts (1)"]
    assert [line for line in lines if line in headings] == headings


async def test_incognito_blocks_adding_and_editing_facts(desk: Desk, talk: ChatHarness) -> None:
    await desk.say(ANN, ANN, "/memory add Ann plays the cello.")
    await desk.say(ANN, ANN, "/incognito on")
    await desk.say(ANN, ANN, "/memory add Ann is allergic to walnuts.")
    assert "Incognito is on" in desk.get_last_text(ANN)
    await desk.say(ANN, ANN, "/memory edit 1 Ann plays the viola.")
    assert "Incognito is on" in desk.get_last_text(ANN)
    await desk.say(ANN, ANN, "/memory 1")
    assert "Incognito is on" in str(await press_button(desk, "Edit"))
    assert [fact.text for fact in await talk.services.facts.list_all(ANN)] == ["Ann plays the cello."]
    await desk.say(ANN, ANN, "/import")
    assert desk.get_last_text(ANN).startswith("Nothing is written while you are incognito."), "no file is asked for"
    await desk.say(ANN, ANN, "/memory delete 1")
    assert not [fact for fact in await talk.services.facts.list_all(ANN) if fact.is_valid]
    await desk.say(ANN, ANN, "/incognito off")
    await desk.say(ANN, ANN, "/memory add Ann is allergic to walnuts.")
    assert "Noted: " in desk.get_last_text(ANN)


async def test_deleted_fact_cannot_be_pinned(desk: Desk, talk: ChatHarness) -> None:
    await desk.say(ANN, ANN, "/memory add Ann plays the cello.")
    await change_fact_and_report(talk.services, ANN, "delete", 1)
    await desk.say(ANN, ANN, "/memory pin 1")
    assert desk.get_last_text(ANN) == "There is no fact 1 to change. /memory lists what I know."
    assert [fact.is_pinned for fact in await talk.services.facts.list_all(ANN)] == [False]


async def test_fact_is_pinned_deleted_and_restored_by_buttons(desk: Desk, talk: ChatHarness) -> None:
    await desk.say(ANN, ANN, "/memory add Ann plays the cello.")
    await desk.say(ANN, ANN, "/memory")
    await press_button(desk, "1")
    assert "Put in by hand." in get_shown_text(desk)
    assert "Pinned" in str(await press_button(desk, "Pin"))
    assert "📌 " in get_shown_text(desk)
    await press_button(desk, "Unpin")
    assert "📌" not in get_shown_text(desk)
    assert "Deleted: “Ann plays the cello.”\nUndo works" in str(await press_button(desk, "Delete"))
    assert [fact.is_valid for fact in await talk.services.facts.list_all(ANN)] == [False]
    assert "as it was" in str(await press_button(desk, "Undo"))
    assert [fact.is_valid for fact in await talk.services.facts.list_all(ANN)] == [True]
    await press_button(desk, "‹ All facts")
    assert "1 · Ann plays the cello." in get_shown_text(desk)


async def test_fact_edit_keeps_number_and_can_be_undone(desk: Desk, talk: ChatHarness) -> None:
    await desk.say(ANN, ANN, "/memory add Ann plays the cello.")
    await desk.say(ANN, ANN, "/memory 1")
    await press_button(desk, "Edit")
    assert "until now: Ann plays the cello." in desk.get_last_text(ANN)
    desk.restart()
    assert await desk.say(ANN, ANN, "x" * 301)
    assert "Please try again; /cancel leaves everything as it is." in desk.get_last_text(ANN)
    assert await desk.say(ANN, ANN, "Ann plays the viola.")
    assert "Ann plays the viola.\n\n" in get_shown_text(desk)
    assert "Until 21 November: Ann plays the cello." in get_shown_text(desk)
    assert not await desk.say(ANN, ANN, "Ann plays the drums.")
    assert await press_button(desk, "Undo") == "It is as it was before; the other text is erased."
    assert [fact.text for fact in await talk.services.facts.list_all(ANN)] == ["Ann plays the cello."]
    await desk.say(ANN, ANN, "/memory undo 1")
    assert "nothing to undo" in desk.get_last_text(ANN)


async def test_fact_that_replaced_another_is_kept_beside_it_by_one_button(desk: Desk, talk: ChatHarness) -> None:
    """A model took "child" for something that a person has one of."""
    child = {"type": "state", "about": "Ann", "attribute": "child", "is_single": True, "replaces": []}
    for number, name in ((1, "Mia"), (3, "Leo"), (5, "Tom")):
        told = child | {"message": number, "quote": f"my child {name}", "text": f"Ann has a child called {name}."}
        talk.server.set_default_schema_answer("facts", json.dumps({"facts": [told]}))
        await talk.say(f"This is about my child {name}.", person=Person(id=ANN, name="Ann"))
        await talk.services.facts.learn(Scope(owner=ANN))
        if name == "Leo":
            await desk.say(ANN, ANN, "/memory 2")
            assert "Ann has a child called Mia." in get_shown_text(desk)
            message, buttons = desk.find_newest_buttons(ANN)
            assert "beside it: Ann has a child called Leo." in str(await press_button(desk, "Both are true"))
            again = await desk.press_button(ANN, ANN, message, buttons["Both are true"])
            assert again == "Nothing has changed: Ann has a child called Leo."
            assert "Mia" not in get_shown_text(desk)
    facts = await talk.services.facts.list_all(ANN)
    assert [(fact.is_valid, fact.superseded_by) for fact in facts] == [(True, None)] * 3
    assert await change_fact_and_report(talk.services, ANN, "both", 9) == tr("memory-no-such-fact", id="9")


def test_format_undo_result_counts_erased_derivatives() -> None:
    told = "It is as it was before; the other text is erased"
    assert format_undo_result(ForgetResult()) == f"{told}."
    assert format_undo_result(ForgetResult(profiles=1)) == f"{told}, and 1 version of your profile made from it."
    assert (
        format_undo_result(ForgetResult(facts=1, profiles=2))
        == f"{told}, and 1 fact, 2 versions of your profile made from it."
    )


async def test_cancelled_or_expired_fact_edit_changes_nothing(desk: Desk, talk: ChatHarness) -> None:
    await desk.say(ANN, ANN, "/memory add Ann plays the cello.")
    await desk.say(ANN, ANN, "/memory 1")
    await press_button(desk, "Edit")
    await desk.say(ANN, ANN, "/cancel")
    assert not await desk.say(ANN, ANN, "Just a message.")
    await press_button(desk, "Edit")
    desk.pass_time(LIFETIME + timedelta(seconds=1))
    assert not await desk.say(ANN, ANN, "Just another message.")
    assert [fact.text for fact in await talk.services.facts.list_all(ANN)] == ["Ann plays the cello."]


async def test_fact_view_shows_history_and_sources(desk: Desk, talk: ChatHarness) -> None:
    now = talk.moment[0]
    oslo = NewFact(
        text="Ann lives in Oslo.",
        kind="personal",
        subject="home",
        source_ids=(4, 7),
        observed_at=now,
        valid_from=now,
        importance=0.75,
        tags=("housing",),
    )
    knee = replace(oslo, text="Ann's knee is bad.", subject="", quote="My knee is bad.")
    changes = [FactChange(fact=knee), FactChange(fact=replace(knee, valid_from=now - timedelta(days=90)))]
    changes += [FactChange(fact=oslo), FactChange(fact=replace(oslo, text="Ann lives in Bergen."), closes=(-3,))]
    async with talk.services.memory.open_store(ANN) as store:
        await store.facts.commit_changes(
            Scope(owner=ANN), changes, source_messages=[], last_learned_id=0, new_last_learned_id=0, now=now
        )
    await desk.say(ANN, ANN, "/memory 1")
    assert "Said on 21 November: “My knee is bad.”" in get_shown_text(desk)
    assert "since" not in get_shown_text(desk), "told of today, it may be bad for years"
    await desk.say(ANN, ANN, "/memory 2")
    assert "True since 23 August; last said on 21 November." in get_shown_text(desk)
    await desk.say(ANN, ANN, "/memory 4")
    text = get_shown_text(desk)
    assert "important\n" in text
    assert "home" not in text
    assert "Learned from 2 messages." in text
    assert "Until 21 November: Ann lives in Oslo." in text
    await desk.say(ANN, ANN, "/memory #3")
    assert "Replaced by: Ann lives in Bergen." in get_shown_text(desk)
    await desk.say(ANN, ANN, "/memory 99")
    assert "no fact 99" in desk.get_last_text(ANN)


async def test_pinning_keeps_fact_date_and_editing_keeps_quote_date(desk: Desk, talk: ChatHarness) -> None:
    then = talk.moment[0]
    knee = NewFact(
        text="Ann's knee is bad.",
        kind="personal",
        subject="",
        source_ids=(4,),
        observed_at=then,
        valid_from=then,
        quote="My knee is bad.",
    )
    async with talk.services.memory.open_store(ANN) as store:
        await store.facts.commit_changes(
            Scope(owner=ANN),
            [FactChange(fact=knee)],
            source_messages=[],
            last_learned_id=0,
            new_last_learned_id=0,
            now=then,
        )
    talk.moment[0] += timedelta(days=2)
    facts = talk.services.facts
    await facts.edit(ANN, 1, "Ann's left knee is bad.")
    by_hand, _ = await facts.add_fact_unless_known(ANN, "Ann has a cat.")
    talk.moment[0] += timedelta(days=3)
    for fact_id in (1, by_hand.id):
        await change_fact_and_report(talk.services, ANN, "pin", fact_id)
        [pinned] = [fact for fact in await facts.list_all(ANN) if fact.id == fact_id]
        assert pinned.is_pinned
        assert format_fact(pinned).startswith(f"[fact {fact_id} · said 2026-11-23]"), "not the day of the pin"
    await desk.say(ANN, ANN, "/memory 1")
    assert "Said on 21 November: “My knee is bad.”" in get_shown_text(desk)
    assert "last said on 23 November." in get_shown_text(desk)
    await talk.services.corrections.undo_fact_edit(ANN, 1)
    assert [fact.observed_at for fact in await facts.list_all(ANN)] == [then, then + timedelta(days=2)]


async def test_fact_list_has_pages(desk: Desk) -> None:
    for number in range(14):
        await desk.say(ANN, ANN, f"/memory add Ann has {number} balloons.")
    await desk.say(ANN, ANN, "/memory")
    assert "Facts (14)" in get_shown_text(desk)
    assert {"1/3", "▶"} <= set(desk.find_newest_buttons(ANN)[1])
    await press_button(desk, "▶")
    await press_button(desk, "▶")
    assert "Ann has 0 balloons." in get_shown_text(desk)
    await press_button(desk, "1")
    await press_button(desk, "‹ All facts")
    assert "3/3" in desk.find_newest_buttons(ANN)[1]


async def test_profile_is_rewritten_shown_and_erased(desk: Desk, talk: ChatHarness) -> None:
    await desk.say(ANN, ANN, "/memory add Ann plays the cello.")
    talk.server.set_default_schema_answer(
        "profile", '{"profile": "Ann plays the cello.", "preferences": "Likes quiet."}'
    )
    await desk.say(ANN, ANN, "/memory")
    await press_button(desk, "Profile")
    assert "no profile yet" in get_shown_text(desk)
    said = len(desk.peer.list_bot_texts(ANN))
    assert "rewriting" in str(await press_button(desk, "Rewrite now"))
    while len(desk.peer.list_bot_texts(ANN)) == said:
        await desk.peer.world.calls.wait_for_entries(desk.peer.world.calls.last)
    assert desk.get_last_text(ANN).startswith("Profile\n\n")
    await desk.say(ANN, ANN, "/memory")
    assert "Ann plays the cello.\nLikes quiet." in get_shown_text(desk)
    await press_button(desk, "Profile")
    await press_button(desk, "Erase 1")
    assert await talk.services.distiller.list_versions(ANN) == []


async def test_group_facts_are_readable_by_all_but_changed_only_by_admins(desk: Desk) -> None:
    await desk.say(ANN, GROUP, "/memory add The club meets on Mondays.")
    assert "✍" in str(desk.peer.list_calls("setMessageReaction")), "the reaction says that it is noted"
    await desk.say(BOB, GROUP, "/memory add The club is closed.")
    assert desk.get_last_text(GROUP) == tr("shared-admins-only")
    await desk.say(BOB, GROUP, "/memory")
    assert "What I know about you" in get_shown_text(desk, GROUP)
    assert await press_button(desk, "1", person=BOB, chat=GROUP) is None
    assert await press_button(desk, "Delete", person=BOB, chat=GROUP) == tr("shared-admins-only")
    assert "somebody else" in str(await press_button(desk, "Delete", person=ANN, chat=GROUP))


async def test_invalid_memory_argument_shows_usage(desk: Desk) -> None:
    for argument in ("edit", "edit x y", "pin", "frobnicate", "delete 12345678901"):
        await desk.say(ANN, ANN, f"/memory {argument}")
        assert "/memory add TEXT" in desk.get_last_text(ANN)
    await desk.say(ANN, ANN, "/memory delete 5")
    assert "no fact 5" in desk.get_last_text(ANN)
    for data in ("", "l.x", "f", "q.1", "f.1.2.3", "f.-1", "l.99999999999"):
        action, _, numbers = data.partition(".")
        assert parse_memory_view(action, numbers) is None


async def test_fact_is_added_by_button(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/memory")
    assert await press_button(desk, "➕ Add") is None
    assert "should remember" in desk.get_last_text(ANN)
    await desk.say(ANN, ANN, "Ann plays the cello.")
    assert desk.get_last_text(ANN) == "Noted: Ann plays the cello."
    await desk.say(ANN, ANN, "/memory")
    assert "Facts (1)" in get_shown_text(desk)


async def test_destructive_buttons_have_danger_style(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/memory add Ann plays the cello.")
    await desk.say(ANN, ANN, "/memory")
    await press_button(desk, "1")
    rows = desk.find_newest_buttons(ANN)[0]["reply_markup"]["inline_keyboard"]
    assert [button["text"] for row in rows for button in row if button.get("style") == "danger"] == ["Delete"]
    await desk.say(ANN, ANN, "/forget everything")
    rows = desk.find_newest_buttons(ANN)[0]["reply_markup"]["inline_keyboard"]
    assert [button["text"] for row in rows for button in row if button.get("style") == "danger"] == [
        "Forget everything"
    ]


async def test_group_fact_is_confirmed_by_reaction_or_text_if_refused(desk: Desk) -> None:
    await desk.say(ANN, GROUP, "/memory add The picnic is on Sunday.")
    [call] = desk.peer.list_calls("setMessageReaction")
    assert "✍" in str(call["params"]["reaction"])
    assert not desk.peer.list_bot_texts(GROUP)
    desk.peer.add_fault("error", method="setMessageReaction", error_code=404, description="Not Found", times=None)
    await desk.say(ANN, GROUP, "/memory add Bob brings bread.")
    await desk.say(ANN, GROUP, "/memory add Eve brings tea.")
    assert desk.peer.list_bot_texts(GROUP) == ["Noted: Bob brings bread.", "Noted: Eve brings tea."]
    assert len(desk.peer.list_calls("setMessageReaction")) == 2, "a refusal is remembered"


async def test_fact_valid_within_one_day_names_day_once(desk: Desk, talk: ChatHarness) -> None:
    await desk.say(ANN, ANN, "/memory add Ann works at the bakery.")
    await desk.say(ANN, ANN, "/memory")
    [fact] = await talk.services.facts.list_all(ANN)
    desk.pass_time(timedelta(hours=2))
    await talk.services.facts.supersede_fact(ANN, fact.id, "Ann works at the school.")
    await press_button(desk, str(fact.id))
    assert "It was true until 21 November; last said on 21 November." in get_shown_text(desk)
    desk.pass_time(timedelta(days=2))
    [_, newer] = await talk.services.facts.list_all(ANN)
    await desk.say(ANN, ANN, "/memory")
    await talk.services.facts.supersede_fact(ANN, newer.id, "Ann works at the library.")
    await press_button(desk, str(newer.id))
    assert "True from 21 November until 23 November; last said on 21 November." in get_shown_text(desk)
