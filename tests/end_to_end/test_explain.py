"""Tests of how owners look into their memory.

Covers /why, /search, /incognito, the saved tokens, and changes that the model proposes.
"""

import pytest

from playground.refusals import Json
from tests.end_to_end.harness import ANSWERS, LocalServers, Member
from tests.peers.openai_server import Behaviour

pytestmark = pytest.mark.asyncio(loop_scope="module")

WALNUTS = "I keep the walnuts in the blue cellar box."


async def read_explanation(ann: Member, command: str = "/why", *, reply_to: int | None = None) -> tuple[str, str]:
    """Return the lines above the quote, and the quoted details from all pages behind the button."""
    brief = await ann.ask_for_message(command, "was made from", reply_to=reply_to)
    [quote] = [entity for entity in brief["entities"] if entity["type"] == "expandable_blockquote"]
    above, told = brief["text"][: quote["offset"]], brief["text"][quote["offset"] :]
    pages, message, button = [told], brief, "Details"
    while button in list_button_labels(message):
        since = ann.last_event
        ann.press_button(message, button)
        message, button = await ann.wait_for_message("was made from", since=since), "▶"
        pages.append(message["text"])
    return above, "\n".join(pages)


def list_button_labels(message: Json) -> list[str]:
    return [button["text"] for row in message.get("reply_markup", {}).get("inline_keyboard", []) for button in row]


@pytest.mark.parametrize("storage", ["SQLite", "JSON"])
async def test_why_explains_answer_before_and_after_restart(servers: LocalServers, storage: str) -> None:
    async with servers.run_bot() as process:
        ann = servers.add_person()
        await ann.set_up_memory(storage, 3)
        assert "Nothing has been answered here yet" in await ann.ask("/why")
        await ann.ask(WALNUTS)
        for number in range(12):
            await ann.ask(f"Something else, number {number}: " + "the weather was fine " * 5)
        await process.wait_for_log_line(
            "summarized messages"
        )  # folds give way to answers: this one begins once nobody is waiting
        servers.model.script(ANSWERS, "In the blue cellar box.")
        answer = await ann.ask_for_message("Where are the walnuts?")
        brief, told = await read_explanation(ann)
        await ann.ask("Thank you")
    async with servers.run_bot():
        assert await read_explanation(ann, reply_to=answer["message_id"]) == (brief, told)
    assert len(brief.splitlines()) == 3
    assert "answering-model" in brief
    assert WALNUTS in told
    assert "same words as your question" in told
    assert "Summaries" in told
    assert "Recent talk" in told


async def test_why_reports_expired_explanation_after_restart(servers: LocalServers) -> None:
    async with servers.run_bot():
        ann = servers.add_person()
        await ann.set_up_memory()
        answers = [await ann.ask_for_message(f"What about walnut {number}?", "Noted.") for number in range(3)]
        await ann.ask("Thank you", "Noted.")  # by then it is stored which message shows the last of them
        explanations = [await read_explanation(ann, reply_to=answer["message_id"]) for answer in answers]
    servers.memory.write("DELETE FROM accounts WHERE id = (SELECT MIN(id) FROM accounts)")  # as a hundred newer ones do
    async with servers.run_bot():
        assert "not one of the newest 100 answers" in await ann.ask("/why", reply_to=answers[0]["message_id"])
        for answer, told in zip(answers[1:], explanations[1:], strict=True):
            assert await read_explanation(ann, reply_to=answer["message_id"]) == told


async def test_why_works_while_memory_is_off_and_refuses_other_messages(servers: LocalServers) -> None:
    async with servers.run_bot():
        ann = servers.add_person()
        assert await ann.ask("How are you?") == "Noted."
        assert "not stored" in await ann.ask("/why")
        status = await ann.ask_for_message("/summary_status")
        assert "cannot be explained" in await ann.ask("/why", reply_to=status["message_id"])


async def test_why_links_to_message_in_supergroup(servers: LocalServers) -> None:
    async with servers.run_bot():
        ann = servers.add_person()
        club = servers.add_group(ann, admins=[ann], topics={7: "Garden"})
        there = ann.with_chat(club, 7)
        await there.ask("/summary_on@keepsake_bot")
        first = there.say("@keepsake_bot " + WALNUTS)
        await there.wait_for_message("Noted.", since=there.last_event - 1)
        for number in range(8):
            await there.ask(f"@keepsake_bot Number {number}: " + "all about the weather " * 180, "Noted.")
        await there.ask("@keepsake_bot Where are the walnuts?", "Noted.")
        message_id = first["message_id"] if "message_id" in first else first["message"]["message_id"]
        told = (await read_explanation(there, "/why@keepsake_bot"))[1]
        assert f"https://t.me/c/{-club - 10**12}/7/{message_id}" in told


@pytest.mark.parametrize("storage", ["SQLite", "JSON"])
async def test_search_lists_earlier_messages_page_by_page(servers: LocalServers, storage: str) -> None:
    async with servers.run_bot():
        ann = servers.add_person()
        assert "/search WORDS" in await ann.ask("/search")
        assert "never turned on" in await ann.ask("/search walnuts")
        await ann.set_up_memory(storage, 3)
        await ann.ask(WALNUTS)
        for number in range(7):
            await ann.ask(f"The market had apples on day {number}.")
        found = await ann.ask("/search walnut")
        assert WALNUTS in found
        assert "apples" not in found
        assert "Nothing was found" in await ann.ask("/search xylophone")
        assert "Nothing was found" in await ann.ask('/search "the walnuts in the red"')
        assert WALNUTS in await ann.ask('/search "Walnuts  in the blue"')
        page = await ann.ask_for_message("/search apples")
        assert "5 of 7" in page["text"]
    async with servers.run_bot():
        await ann.ask("There are apples after the search began, too.")
        since = ann.last_event
        ann.press_button(page, "More")
        more = await ann.wait_for_message("apples", since=since)
        assert "reply_markup" not in more
        days = {line for text in (page["text"], more["text"]) for line in text.splitlines() if "The market" in line}
        assert len(days) == 7
        assert "after the search" not in more["text"]


@pytest.mark.parametrize("storage", ["SQLite", "JSON"])
async def test_incognito_answers_use_memory_but_store_nothing(servers: LocalServers, storage: str) -> None:
    async with servers.run_bot():
        ann = servers.add_person()
        assert "Memory is off" in await ann.ask("/incognito on")
        await ann.set_up_memory(storage, 3)
        await ann.ask(WALNUTS)
        await ann.ask("/incognito on", "is on")
    async with servers.run_bot():
        assert "🕶" in await ann.ask("/summary_status")
        servers.model.script(ANSWERS, "In the cellar, with the chrysoprase.")
        answer = await ann.ask("Where are my walnuts? Mind the heliotrope.")
        assert answer.startswith("🕶")
        request = str(servers.list_chat_requests()[-1])
        assert WALNUTS in request
        await ann.ask("And again?")
        assert "heliotrope" in str(servers.list_chat_requests()[-1])
        assert WALNUTS in (await read_explanation(ann))[1]
        await ann.ask("/incognito", "is off")
        assert not servers.memory.find_files_containing("heliotrope")
        assert not servers.memory.find_files_containing("chrysoprase")
        assert await ann.ask("What did I ask before?") == "Noted."
        assert "heliotrope" not in str(servers.list_chat_requests()[-1])
    assert not servers.memory.find_files_containing("heliotrope")
    assert not servers.memory.find_files_containing("chrysoprase")


async def test_only_admins_turn_on_incognito_in_group(servers: LocalServers) -> None:
    async with servers.run_bot():
        ann, bob = servers.add_person(), servers.add_person("Bob")
        group = servers.add_group(ann, bob, admins=[ann])
        await ann.with_chat(group).ask("/summary_on@keepsake_bot", "Memory is on")
        assert "Only the admins" in await bob.with_chat(group).ask("/incognito@keepsake_bot on")
        assert "is on" in await ann.with_chat(group).ask("/incognito@keepsake_bot on")


@pytest.mark.parametrize("storage", ["SQLite", "JSON"])
async def test_status_shows_saved_tokens_after_restart(servers: LocalServers, storage: str) -> None:
    servers.model.set_default_answer(ANSWERS, Behaviour(text="A long answer. " * 100))
    async with servers.run_bot(RECENT_BUDGET="300"):
        ann = servers.add_person()
        await ann.set_up_memory(storage, 3)
        assert "Tokens saved" not in await ann.ask("/summary_status")
        for number in range(12):
            await ann.ask(f"Question {number}")
    async with servers.run_bot():
        status = await ann.ask("/summary_status")
        saved = next(line for line in status.splitlines() if line.startswith("Tokens saved"))
        assert int("".join(letter for letter in saved if letter.isdigit())) > 500
    servers.model.set_default_answer(ANSWERS, "Noted.")


async def test_model_searches_memory_by_tool_call(servers: LocalServers) -> None:
    async with servers.run_bot(SNIPPET_BUDGET="0"):
        ann = servers.add_person()
        await ann.set_up_memory("SQLite", 3)
        await ann.ask(WALNUTS)
        for number in range(9):
            await ann.ask(f"Something else, number {number}.")
        search = {"name": "search_memory", "arguments": {"query": "walnuts"}}
        servers.model.script(ANSWERS, Behaviour(calls=(search,)), "In the blue cellar box.")
        assert await ann.ask("Where did I put them?") == "In the blue cellar box."
        told = (await read_explanation(ann))[1]
        assert "the model looked up" in told
        assert WALNUTS in told
        assert WALNUTS not in str(
            [message for message in servers.memory.list_messages(ann.id) if message["origin"] == "tool"]
        )


async def test_memory_changes_proposed_by_model_require_confirmation(servers: LocalServers) -> None:
    async with servers.run_bot():
        ann = servers.add_person()
        await ann.set_up_memory()
        remember = {"name": "remember", "arguments": {"text": "Ann likes walnuts."}}
        servers.model.script(
            ANSWERS, Behaviour(calls=(remember,)), "Shall I?", Behaviour(calls=(remember,)), "Shall I?"
        )
        asked = await ann.ask_for_message("Remember that I like walnuts.", "Shall I remember this?")
        assert asked["text"].endswith("Ann likes walnuts.")
    async with servers.run_bot():
        since = ann.last_event
        ann.press_button(asked, "No")
        await ann.wait_for_message("Nothing was changed.", since=since)
        assert servers.memory.fetch_rows("SELECT * FROM facts WHERE user_id = ?", ann.id) == []
        asked = await ann.ask_for_message("Do remember it.", "Shall I remember this?")
        since = ann.last_event
        ann.press_button(asked, "Remember it")
        await ann.wait_for_message("Remembered: Ann likes walnuts.", since=since)
        forget = {"name": "forget", "arguments": {"fact_id": 1}}
        servers.model.script(ANSWERS, Behaviour(calls=(forget,)), "Shall I?")
        asked = await ann.ask_for_message("Forget that I like walnuts.", "Shall I forget this?")
        assert "cannot be undone" in asked["text"]
        since = ann.last_event
        ann.press_button(asked, "Forget it")
        await ann.wait_for_message("Forgotten: 1 fact.", since=since)
        assert servers.memory.fetch_rows("SELECT * FROM facts WHERE user_id = ?", ann.id) == []


async def test_only_admins_confirm_proposed_facts_in_group(servers: LocalServers) -> None:
    async with servers.run_bot():
        ann, bob = servers.add_person(), servers.add_person("Bob")
        group = servers.add_group(ann, bob, admins=[ann])
        await ann.with_chat(group).ask("/summary_on@keepsake_bot", "Memory is on")
        remember = {"name": "remember", "arguments": {"text": "Bob likes walnuts."}}
        servers.model.script(ANSWERS, Behaviour(calls=(remember,)), "Shall I?")
        asked = await bob.with_chat(group).ask_for_message(
            "@keepsake_bot remember that I like walnuts.", "Shall I remember this?"
        )
        assert "Only the admins" in await bob.wait_for_toast(bob.with_chat(group).press_button(asked, "Remember it"))
