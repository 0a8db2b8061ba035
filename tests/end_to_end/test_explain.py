"""The owner looks into the memory: /why, /search, /incognito, and what was saved, as a person sees them."""

import pytest

from playground.refusals import Json
from tests.end_to_end.harness import ANSWERS, LocalServers, Member
from tests.peers.openai_server import Behaviour

pytestmark = pytest.mark.asyncio(loop_scope="module")

WALNUTS = "I keep the walnuts in the blue cellar box."


async def explained(ann: Member, command: str = "/why", *, reply_to: int | None = None) -> tuple[str, str]:
    """The lines above the quote; the quote, or where it does not hold everything all pages behind the button."""
    brief = await ann.tells(command, "was made from", reply_to=reply_to)
    [quote] = [entity for entity in brief["entities"] if entity["type"] == "expandable_blockquote"]
    above, told = brief["text"][: quote["offset"]], brief["text"][quote["offset"] :]
    pages, message, button = [told], brief, "Details"
    while button in labels(message):
        since = ann.now
        ann.press(message, button)
        message, button = await ann.hears("was made from", since=since), "▶"
        pages.append(message["text"])
    return above, "\n".join(pages)


def labels(message: Json) -> list[str]:
    return [button["text"] for row in message.get("reply_markup", {}).get("inline_keyboard", []) for button in row]


@pytest.mark.parametrize("storage", ["SQLite", "JSON"])
async def test_why_tells_what_the_answer_was_made_from_after_a_restart_too(house: LocalServers, storage: str) -> None:
    async with house.bot() as process:
        ann = house.person()
        await ann.sets_up(storage, 3)
        assert "Nothing has been answered here yet" in await ann.asks("/why")
        await ann.asks(WALNUTS)
        for number in range(12):
            await ann.asks(f"Something else, number {number}: " + "the weather was fine " * 5)
        await process.logged("summarized messages")  # folds give way to answers: this one begins once nobody is waiting
        house.model.script(ANSWERS, "In the blue cellar box.")
        answer = await ann.tells("Where are the walnuts?")
        brief, told = await explained(ann)
        await ann.asks("Thank you")
    async with house.bot():
        assert await explained(ann, reply_to=answer["message_id"]) == (brief, told)
    assert len(brief.splitlines()) == 3
    assert "answering-model" in brief
    assert WALNUTS in told
    assert "same words as your question" in told
    assert "Summaries" in told
    assert "Recent talk" in told


async def test_an_answer_older_than_those_that_can_be_explained_says_so_after_a_restart(house: LocalServers) -> None:
    async with house.bot():
        ann = house.person()
        await ann.sets_up()
        answers = [await ann.tells(f"What about walnut {number}?", "Noted.") for number in range(3)]
        await ann.asks("Thank you", "Noted.")  # by then it is stored which message shows the last of them
        explanations = [await explained(ann, reply_to=answer["message_id"]) for answer in answers]
    house.memory.write("DELETE FROM accounts WHERE id = (SELECT MIN(id) FROM accounts)")  # as a hundred newer ones do
    async with house.bot():
        assert "none of the newest 100 answers" in await ann.asks("/why", reply_to=answers[0]["message_id"])
        for answer, told in zip(answers[1:], explanations[1:], strict=True):
            assert await explained(ann, reply_to=answer["message_id"]) == told


async def test_why_of_something_else_and_while_memory_is_off(house: LocalServers) -> None:
    async with house.bot():
        ann = house.person()
        assert await ann.asks("How are you?") == "Noted."
        assert "not stored" in await ann.asks("/why")
        status = await ann.tells("/summary_status")
        assert "cannot be explained" in await ann.asks("/why", reply_to=status["message_id"])


async def test_a_message_in_a_supergroup_has_a_link(house: LocalServers) -> None:
    async with house.bot():
        ann = house.person()
        club = house.group(ann, admins=[ann], topics={7: "Garden"})
        there = ann.within(club, 7)
        await there.asks("/summary_on@keepsake_bot")
        first = there.says("@keepsake_bot " + WALNUTS)
        await there.hears("Noted.", since=there.now - 1)
        for number in range(8):
            await there.asks(f"@keepsake_bot Number {number}: " + "all about the weather " * 180, "Noted.")
        await there.asks("@keepsake_bot Where are the walnuts?", "Noted.")
        message_id = first["message_id"] if "message_id" in first else first["message"]["message_id"]
        told = (await explained(there, "/why@keepsake_bot"))[1]
        assert f"https://t.me/c/{-club - 10**12}/7/{message_id}" in told


@pytest.mark.parametrize("storage", ["SQLite", "JSON"])
async def test_search_finds_earlier_messages_page_by_page(house: LocalServers, storage: str) -> None:
    async with house.bot():
        ann = house.person()
        assert "/search WORDS" in await ann.asks("/search")
        assert "never turned on" in await ann.asks("/search walnuts")
        await ann.sets_up(storage, 3)
        await ann.asks(WALNUTS)
        for number in range(7):
            await ann.asks(f"The market had apples on day {number}.")
        found = await ann.asks("/search walnut")
        assert WALNUTS in found
        assert "apples" not in found
        assert "Nothing was found" in await ann.asks("/search xylophone")
        assert "Nothing was found" in await ann.asks('/search "the walnuts in the red"')
        assert WALNUTS in await ann.asks('/search "Walnuts  in the blue"')
        page = await ann.tells("/search apples")
        assert "5 of 7" in page["text"]
    async with house.bot():
        await ann.asks("There are apples after the search began, too.")
        since = ann.now
        ann.press(page, "More")
        more = await ann.hears("apples", since=since)
        assert "reply_markup" not in more
        days = {line for text in (page["text"], more["text"]) for line in text.splitlines() if "The market" in line}
        assert len(days) == 7
        assert "after the search" not in more["text"]


@pytest.mark.parametrize("storage", ["SQLite", "JSON"])
async def test_incognito_reads_and_writes_nothing(house: LocalServers, storage: str) -> None:
    async with house.bot():
        ann = house.person()
        assert "Memory is off" in await ann.asks("/incognito on")
        await ann.sets_up(storage, 3)
        await ann.asks(WALNUTS)
        await ann.asks("/incognito on", "is on")
    async with house.bot():
        assert "🕶" in await ann.asks("/summary_status")
        house.model.script(ANSWERS, "In the cellar, with the chrysoprase.")
        answer = await ann.asks("Where are my walnuts? Mind the heliotrope.")
        assert answer.startswith("🕶")
        request = str(house.chat_requests()[-1])
        assert WALNUTS in request
        await ann.asks("And again?")
        assert "heliotrope" in str(house.chat_requests()[-1])
        assert WALNUTS in (await explained(ann))[1]
        await ann.asks("/incognito", "is off")
        assert not house.memory.files_with("heliotrope")
        assert not house.memory.files_with("chrysoprase")
        assert await ann.asks("What did I ask before?") == "Noted."
        assert "heliotrope" not in str(house.chat_requests()[-1])
    assert not house.memory.files_with("heliotrope")
    assert not house.memory.files_with("chrysoprase")


async def test_in_a_group_only_admins_go_incognito(house: LocalServers) -> None:
    async with house.bot():
        ann, bob = house.person(), house.person("Bob")
        group = house.group(ann, bob, admins=[ann])
        await ann.within(group).asks("/summary_on@keepsake_bot", "Memory is on")
        assert "Only the admins" in await bob.within(group).asks("/incognito@keepsake_bot on")
        assert "is on" in await ann.within(group).asks("/incognito@keepsake_bot on")


@pytest.mark.parametrize("storage", ["SQLite", "JSON"])
async def test_the_status_tells_what_was_saved(house: LocalServers, storage: str) -> None:
    house.model.default(ANSWERS, Behaviour(text="A long answer. " * 100))
    async with house.bot(RECENT_BUDGET="300"):
        ann = house.person()
        await ann.sets_up(storage, 3)
        assert "Tokens saved" not in await ann.asks("/summary_status")
        for number in range(12):
            await ann.asks(f"Question {number}")
    async with house.bot():
        status = await ann.asks("/summary_status")
        saved = next(line for line in status.splitlines() if line.startswith("Tokens saved"))
        assert int("".join(letter for letter in saved if letter.isdigit())) > 500
    house.model.default(ANSWERS, "Noted.")


async def test_the_model_looks_into_the_memory_by_itself(house: LocalServers) -> None:
    async with house.bot(SNIPPET_BUDGET="0"):
        ann = house.person()
        await ann.sets_up("SQLite", 3)
        await ann.asks(WALNUTS)
        for number in range(9):
            await ann.asks(f"Something else, number {number}.")
        search = {"name": "search_memory", "arguments": {"query": "walnuts"}}
        house.model.script(ANSWERS, Behaviour(calls=(search,)), "In the blue cellar box.")
        assert await ann.asks("Where did I put them?") == "In the blue cellar box."
        told = (await explained(ann))[1]
        assert "the model looked up" in told
        assert WALNUTS in told
        assert WALNUTS not in str([message for message in house.memory.messages(ann.id) if message["origin"] == "tool"])


async def test_what_the_model_proposes_is_done_when_its_reader_says_so(house: LocalServers) -> None:
    async with house.bot():
        ann = house.person()
        await ann.sets_up()
        remember = {"name": "remember", "arguments": {"text": "Ann likes walnuts."}}
        house.model.script(ANSWERS, Behaviour(calls=(remember,)), "Shall I?", Behaviour(calls=(remember,)), "Shall I?")
        asked = await ann.tells("Remember that I like walnuts.", "Shall I remember this?")
        assert asked["text"].endswith("Ann likes walnuts.")
    async with house.bot():
        since = ann.now
        ann.press(asked, "No")
        await ann.hears("Nothing was changed.", since=since)
        assert house.memory.rows("SELECT * FROM facts WHERE user_id = ?", ann.id) == []
        asked = await ann.tells("Do remember it.", "Shall I remember this?")
        since = ann.now
        ann.press(asked, "Remember it")
        await ann.hears("Remembered: Ann likes walnuts.", since=since)
        forget = {"name": "forget", "arguments": {"fact_id": 1}}
        house.model.script(ANSWERS, Behaviour(calls=(forget,)), "Shall I?")
        asked = await ann.tells("Forget that I like walnuts.", "Shall I forget this?")
        assert "cannot be undone" in asked["text"]
        since = ann.now
        ann.press(asked, "Forget it")
        await ann.hears("Forgotten: 1 fact.", since=since)
        assert house.memory.rows("SELECT * FROM facts WHERE user_id = ?", ann.id) == []


async def test_in_a_group_only_admins_decide_what_is_remembered(house: LocalServers) -> None:
    async with house.bot():
        ann, bob = house.person(), house.person("Bob")
        group = house.group(ann, bob, admins=[ann])
        await ann.within(group).asks("/summary_on@keepsake_bot", "Memory is on")
        remember = {"name": "remember", "arguments": {"text": "Bob likes walnuts."}}
        house.model.script(ANSWERS, Behaviour(calls=(remember,)), "Shall I?")
        asked = await bob.within(group).tells("@keepsake_bot remember that I like walnuts.", "Shall I remember this?")
        assert "Only the admins" in await bob.toast(bob.within(group).press(asked, "Remember it"))
