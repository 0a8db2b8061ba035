"""A question waits for the next text of the person who was asked, for a while, and through a restart."""

import pytest

from telegram_ui.commands.command_group import LIFETIME, ChatEvent, TextQuestion
from telegram_ui.updates.parsing import parse_update
from tests.unit.telegram_ui.commands.conftest import ANN, BOB, GROUP, Desk


@pytest.fixture
def question(desk: Desk) -> TextQuestion:
    return of_kind("tea", desk)


def of_kind(kind: str, desk: Desk) -> TextQuestion:
    return TextQuestion(kind, desk.commands.dependencies)


async def writes(desk: Desk, person: int, chat: int, *, reply_to: int | None = None) -> ChatEvent:
    desk.peer.world.say(person, chat, "Oolong", reply_to=reply_to)
    [update] = await desk.updates()
    parsed = parse_update(update, desk.peer.bot.bot)
    assert parsed is not None
    return ChatEvent(update=update, chat=parsed.chat, person=parsed.person, argument=parsed.text)


async def test_a_text_answers_once_also_after_a_restart_and_when_it_comes_again(
    desk: Desk, question: TextQuestion
) -> None:
    await question.ask(await writes(desk, ANN, ANN), "Which tea?", subject_id=7, placeholder="Darjeeling")
    answer = await writes(desk, ANN, ANN)
    assert await of_kind("cup", desk).find_subject_id_of_answer(answer) is None
    assert await of_kind("tea", desk).find_subject_id_of_answer(answer) == 7
    await question.close(answer)
    assert await question.find_subject_id_of_answer(answer) is None
    desk.restart()
    assert await desk.commands.awaits_text(answer)
    assert await desk.commands.pass_text_to_command_if_awaited(answer)
    later = await writes(desk, ANN, ANN)
    assert not await desk.commands.awaits_text(later)
    assert not await desk.commands.pass_text_to_command_if_awaited(later)


async def test_a_question_about_nothing_waits_for_ten_minutes(desk: Desk, question: TextQuestion) -> None:
    await question.ask(await writes(desk, ANN, ANN), "Which tea?", subject_id=None, placeholder="Darjeeling")
    answer = await writes(desk, ANN, ANN)
    assert await question.find_subject_id_of_answer(answer) == 0
    desk.pass_time(LIFETIME)
    assert await question.find_subject_id_of_answer(answer) is None


async def test_a_command_in_between_ends_it_in_private(desk: Desk, question: TextQuestion) -> None:
    for person, chat in ((ANN, ANN), (ANN, GROUP)):
        await question.ask(await writes(desk, person, chat), "Which tea?", subject_id=7, placeholder="Darjeeling")
    asked = max(desk.peer.world.messages[GROUP])
    assert await desk.say(ANN, ANN, "/usage")
    assert await question.find_subject_id_of_answer(await writes(desk, ANN, ANN)) is None
    assert await desk.say(ANN, GROUP, "/usage")
    assert await question.find_subject_id_of_answer(await writes(desk, ANN, GROUP, reply_to=asked)) == 7


async def test_in_a_group_only_a_reply_of_the_person_who_was_asked_answers(desk: Desk, question: TextQuestion) -> None:
    await question.ask(await writes(desk, ANN, GROUP), "Which tea?", subject_id=7, placeholder="Darjeeling" * 9)
    asked = max(desk.peer.world.messages[GROUP])
    assert desk.last(GROUP) == "Which tea? Reply to this message."
    assert await question.find_subject_id_of_answer(await writes(desk, ANN, GROUP)) is None
    assert await question.find_subject_id_of_answer(await writes(desk, BOB, GROUP, reply_to=asked)) is None
    assert await question.find_subject_id_of_answer(await writes(desk, ANN, GROUP, reply_to=asked)) == 7
