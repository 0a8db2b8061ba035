"""A question waits for the next text of the asked person, until it expires, even after a restart."""

import pytest

from telegram_ui.commands.command_group import LIFETIME, ChatEvent, TextQuestion
from telegram_ui.updates.parsing import parse_update
from tests.unit.telegram_ui.commands.conftest import ANN, BOB, GROUP, Desk


@pytest.fixture
def question(desk: Desk) -> TextQuestion:
    return make_question("tea", desk)


def make_question(kind: str, desk: Desk) -> TextQuestion:
    return TextQuestion(kind, desk.commands.dependencies)


async def write_and_make_event(desk: Desk, person: int, chat: int, *, reply_to: int | None = None) -> ChatEvent:
    desk.peer.world.say(person, chat, "Oolong", reply_to=reply_to)
    [update] = await desk.fetch_updates()
    parsed = parse_update(update, desk.peer.bot.bot)
    assert parsed is not None
    return ChatEvent(update=update, chat=parsed.chat, person=parsed.person, argument=parsed.text)


async def test_text_answers_question_once_even_when_replayed_after_restart(desk: Desk, question: TextQuestion) -> None:
    await question.ask(await write_and_make_event(desk, ANN, ANN), "Which tea?", subject_id=7, placeholder="Darjeeling")
    answer = await write_and_make_event(desk, ANN, ANN)
    assert await make_question("cup", desk).find_subject_id_of_answer(answer) is None
    assert await make_question("tea", desk).find_subject_id_of_answer(answer) == 7
    await question.close(answer)
    assert await question.find_subject_id_of_answer(answer) is None
    desk.restart()
    scope = answer.chat.chat_scope
    assert await desk.commands.awaits_text(scope, ANN, answer.update.update_id)
    assert await desk.commands.pass_text_to_command_if_awaited(answer)
    later = await write_and_make_event(desk, ANN, ANN)
    assert not await desk.commands.awaits_text(scope, ANN, later.update.update_id)
    assert not await desk.commands.pass_text_to_command_if_awaited(later)


async def test_question_without_subject_expires_after_lifetime(desk: Desk, question: TextQuestion) -> None:
    await question.ask(
        await write_and_make_event(desk, ANN, ANN), "Which tea?", subject_id=None, placeholder="Darjeeling"
    )
    answer = await write_and_make_event(desk, ANN, ANN)
    assert await question.find_subject_id_of_answer(answer) == 0
    desk.pass_time(LIFETIME)
    assert await question.find_subject_id_of_answer(answer) is None


async def test_command_closes_open_question_only_in_private_chat(desk: Desk, question: TextQuestion) -> None:
    for person, chat in ((ANN, ANN), (ANN, GROUP)):
        await question.ask(
            await write_and_make_event(desk, person, chat), "Which tea?", subject_id=7, placeholder="Darjeeling"
        )
    asked = max(desk.peer.world.messages[GROUP])
    assert await desk.say(ANN, ANN, "/usage")
    assert await question.find_subject_id_of_answer(await write_and_make_event(desk, ANN, ANN)) is None
    assert await desk.say(ANN, GROUP, "/usage")
    assert await question.find_subject_id_of_answer(await write_and_make_event(desk, ANN, GROUP, reply_to=asked)) == 7


async def test_group_question_accepts_only_reply_of_asked_person(desk: Desk, question: TextQuestion) -> None:
    await question.ask(
        await write_and_make_event(desk, ANN, GROUP), "Which tea?", subject_id=7, placeholder="Darjeeling" * 9
    )
    asked = max(desk.peer.world.messages[GROUP])
    assert desk.get_last_text(GROUP) == "Which tea? Reply to this message."
    assert await question.find_subject_id_of_answer(await write_and_make_event(desk, ANN, GROUP)) is None
    assert (
        await question.find_subject_id_of_answer(await write_and_make_event(desk, BOB, GROUP, reply_to=asked)) is None
    )
    assert await question.find_subject_id_of_answer(await write_and_make_event(desk, ANN, GROUP, reply_to=asked)) == 7
