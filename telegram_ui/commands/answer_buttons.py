"""The buttons under answers and after the edit of a message. The answers come from chat/conversation.py."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Literal

from telegram import InlineKeyboardMarkup, Update
from telegram.error import TelegramError

from locales.catalog import tr
from locales.sentences import format_error
from records.errors import KeepsakeError
from records.scopes import Person
from records.turns import IncomingPiece, Reply, UserMessage
from runtime.tasks import finish_if_cancelled
from telegram_ui.commands import proposals
from telegram_ui.commands.buttons import AGAIN, make_keyboard, make_nonce, make_page_buttons
from telegram_ui.commands.command_group import Action, Answer, ChatEvent, CommandGroup, Dependencies, HandlerReply
from telegram_ui.commands.summaries import SWITCH_ON
from telegram_ui.commands.why import FACTS, WHY
from telegram_ui.sending.chat import Chat
from telegram_ui.sending.delivery import DeliveryError
from telegram_ui.sending.documents import send_voice
from telegram_ui.sending.formatting import convert_markdown_to_text_and_entities
from telegram_ui.sending.markdown import close_open_formatting
from telegram_ui.sending.streaming import AnswerStream

CORRECTED, ANOTHER, VERSION, RETRY, GO_ON, STOP, LISTEN = "an", "rg", "vs", "ta", "go", "st", "li"
NOTHING = "wn"

RunFollowUp = Callable[[Literal["now", "buttons", "slow"], Callable[[], Awaitable[object]]], Awaitable[None]]
"""Runs a part of the work that follows an answer: now, or later in the queue of that name."""


class AnswerButtons(CommandGroup):
    @Action(CORRECTED, queue="chat", runs_once="by button")
    async def _answer_edited_message(self, event: ChatEvent) -> HandlerReply:
        return await self._regenerate_answer(event, (), status_text=tr("answers-answering"))

    @Action(ANOTHER, queue="chat", runs_once="by button")
    async def _regenerate_answer_above_button(self, event: ChatEvent) -> HandlerReply:
        return await self._regenerate_answer(event, await self._find_answer_message_ids(event), from_answer_button=True)

    @Action(VERSION, queue="chat")
    async def _show_answer_version(self, event: ChatEvent) -> HandlerReply:
        turn, _, number = event.argument.partition(".")
        chat, shown = event.chat, await self._find_answer_message_ids(event)
        stream = self._dependencies.answers.open_stream(event.update.update_id, chat, event.person, shown)
        switch = partial(self._services.conversation.switch_answer_version, in_group=not chat.is_private)
        async with stream.mark_if_interrupted():
            answered = await switch(chat.scope, int(turn), int(number), event.person)
        if answered is None:
            return tr("answers-too-late")
        await finish_if_cancelled(self._deliver_answer(event, stream, *answered))
        return None

    @Action(RETRY, queue="chat", runs_once="by button")
    async def _retry_answer(self, event: ChatEvent) -> HandlerReply:
        return await self._regenerate_answer(event, () if event.message_id is None else (event.message_id,))

    @Action(AGAIN)
    async def _get_already_retried_toast(self, event: ChatEvent) -> HandlerReply:
        # updates/repeats.py handles the first press.
        return tr("answers-pressed-already")

    @Action(GO_ON, queue="chat", runs_once="by button")
    async def _continue_answer(self, event: ChatEvent) -> HandlerReply:
        """Continue a truncated answer. This is a new turn, so the first part stays in the prompt and in memory."""
        stream = await self._begin_answer_stream(event)
        await self._last_buttons.remove_buttons(self._delivery, event.chat, event.message_id)
        source = f"{event.update.get_bot().id}:{event.update.update_id}"
        pieces = (IncomingPiece(text=tr("answers-go-on"), source=source, sent_at=self._now()),)
        incoming = UserMessage(
            scope=event.chat.scope, person=event.person, pieces=pieces, in_group=not event.chat.is_private
        )
        reply_to = self._services.conversation.reply
        async with stream.mark_if_interrupted():
            reply = await reply_to(incoming, on_text=stream.schedule_preview, on_stop=stream.get_text_seen_by_reader)
        await finish_if_cancelled(self._deliver_answer(event, stream, incoming, reply))
        return None

    @Action(LISTEN, queue="slow", runs_once="by button")
    async def _send_answer_as_voice(self, event: ChatEvent) -> HandlerReply:
        if self._dependencies.services.speech is None:  # the setting was removed after the answer was sent
            return tr("shared-dead-button")
        if not event.message_text.strip():
            return tr("answers-nothing-to-say")
        await acknowledge_press(event.update)
        chat = replace(event.chat, reply_to=event.message_id)
        await _send_text_as_voice(self._dependencies, chat, event.person, event.message_text)
        return None

    @Action(NOTHING)
    async def _delete_what_was_wrong_question(self, event: ChatEvent) -> None:
        if event.message_id is not None:
            await self._delivery.delete_messages(event.chat, [event.message_id])

    @Action(STOP)
    async def _stop_answer(self, event: ChatEvent) -> HandlerReply:
        if self._dependencies.answers.try_to_stop(event.chat.chat_scope):
            return None
        # The process that wrote the answer was killed.
        await self._last_buttons.remove_buttons(self._delivery, event.chat, event.message_id)
        return tr("answers-nothing-to-stop")

    async def _regenerate_answer(
        self, event: ChatEvent, replaced_ids: Sequence[int], *, from_answer_button: bool = False, status_text: str = ""
    ) -> HandlerReply:
        """Answer a turn again. If given, `status_text` replaces the text of the message whose button was pressed."""
        chat, turn = event.chat, int(event.argument.partition(".")[0])
        stream = await self._begin_answer_stream(event, replaced_ids=replaced_ids)
        again = partial(
            self._services.conversation.answer_last_turn_again,
            on_text=stream.schedule_preview,
            on_stop=stream.get_text_seen_by_reader,
        )
        async with stream.mark_if_interrupted():
            answered = await again(chat.scope, turn, event.person, in_group=not chat.is_private)
        if answered is not None:
            await finish_if_cancelled(self._deliver_answer(event, stream, *answered, status_text=status_text))
            return None
        if not from_answer_button:
            return await self._show_text(event, tr("answers-too-late"))
        # The answer with the pressed button stays.
        await self._last_buttons.remove_buttons(self._delivery, chat, event.message_id)
        return await self._send_new(event, tr("answers-too-late"))

    async def _find_answer_message_ids(self, event: ChatEvent) -> Sequence[int]:
        if event.message_id is None:
            return ()
        return await self._services.explanations.list_message_ids_of_same_answer(event.chat.scope, event.message_id)

    async def _begin_answer_stream(self, event: ChatEvent, *, replaced_ids: Sequence[int] = ()) -> AnswerStream:
        await acknowledge_press(event.update)
        return self._dependencies.answers.open_stream(event.update.update_id, event.chat, event.person, replaced_ids)

    async def _deliver_answer(
        self, event: ChatEvent, stream: AnswerStream, incoming: UserMessage, reply: Reply, *, status_text: str = ""
    ) -> None:
        if status_text:
            await self._show_text(event, status_text)
        ids, chat, person = (event.update.update_id,), event.chat, event.person
        answer = Answer(update_ids=ids, chat=chat, person=person, asked_by="press", incoming=incoming, reply=reply)
        await deliver_answer(self._dependencies, stream, answer)


async def _run_at_once(_: object, work: Callable[[], Awaitable[object]]) -> None:
    await work()


async def deliver_answer(
    dependencies: Dependencies, stream: AnswerStream, answer: Answer, run_follow_up: RunFollowUp = _run_at_once
) -> None:
    """Deliver the first answer to a message, or one that a button asked for, with everything that follows it."""
    chat, person, reply = answer.chat, answer.person, answer.reply
    keyboard = make_answer_keyboard(dependencies, chat, person, reply)
    has_arrived, shown_as = await dependencies.answers.send_answer(answer, stream, format_reply(reply), keyboard)
    if answer.asked_by == "press":  # a stop from here on must not make the next run ask the model again
        await dependencies.answers.mark_done_once_stored(answer)
    if not reply.is_error:
        await dependencies.services.explanations.record_answer_message_ids(answer.incoming, shown_as)
    if has_arrived:
        for notice in reply.notices:
            await run_follow_up("now", partial(dependencies.delivery.send_text, chat, notice))
        for proposal in reply.proposals:
            await run_follow_up("now", partial(proposals.ask_about_proposal, dependencies, chat, person, proposal))
    if answer.asked_by != "press":  # only now, so that after a stop the next run sends the notices and questions
        await dependencies.answers.mark_done_once_stored(answer)
    last_buttons = dependencies.last_buttons
    before = last_buttons.record_answer_and_get_old_id(chat, shown_as) if keyboard and shown_as else None
    if before is not None:
        clear = partial(last_buttons.remove_buttons_later, dependencies.delivery, chat, before)
        await run_follow_up("buttons", clear)
    if dependencies.services.speech is not None:
        await run_follow_up("slow", partial(_send_voice_answer_if_wanted, dependencies, answer, shown_as))


async def acknowledge_press(update: Update) -> None:
    """Acknowledge a press immediately, so that Telegram stops showing the button as busy."""
    if update.callback_query is not None:
        with suppress(TelegramError):  # the press may be too old
            await update.callback_query.answer()


async def _send_voice_answer_if_wanted(dependencies: Dependencies, answer: Answer, message_ids: Sequence[int]) -> None:
    """Send an answer as a voice message if the settings ask for it. Report errors in the chat, except DeliveryError."""
    chat, reply = answer.chat, answer.reply
    if reply.is_error or not message_ids:
        return
    try:
        config = await dependencies.services.memory.get_config(chat.scope.owner)
        chosen = config.spoken_answers if config is not None else ""
        words = convert_markdown_to_text_and_entities(reply.text)[0]
        if words.strip() and (chosen == "always" or (chosen == "voice" and answer.asked_by == "voice")):
            await _send_text_as_voice(dependencies, replace(chat, reply_to=message_ids[0]), answer.person, words)
    except DeliveryError:
        raise
    except KeepsakeError as error:
        await dependencies.delivery.send_text(chat, format_error(error))


async def _send_text_as_voice(dependencies: Dependencies, chat: Chat, person: Person, text: str) -> None:
    if dependencies.services.speech is not None:
        async with dependencies.delivery.show_typing(chat):
            recording = await dependencies.services.speech.synthesize_speech(text, person_id=person.id)
        await send_voice(dependencies.delivery, chat, recording)


def format_reply(reply: Reply) -> str:
    """Return the text of a reply, with an incognito or stop notice and any text that arrived before an error."""
    above = f"{tr('notices-incognito')}\n\n" if reply.is_incognito else ""
    above += f"{close_open_formatting(reply.half)}\n\n" if reply.half else ""
    return above + (
        f"{close_open_formatting(reply.text)}\n\n{tr('answers-stopped')}" if reply.is_stopped else reply.text
    )


def make_answer_keyboard(
    dependencies: Dependencies, chat: Chat, person: Person, reply: Reply
) -> InlineKeyboardMarkup | None:
    """Return the buttons for an answer or an error message, or None if it gets no buttons."""
    if reply.turn is None:
        return None
    button = partial(dependencies.buttons.make_button, chat=chat, person=person)
    if reply.is_error:
        return make_keyboard([button(RETRY, label=tr("answers-try-again"), payload=_make_turn_payload(reply.turn))])
    row = [button(ANOTHER, label=tr("answers-regenerate"), payload=_make_turn_payload(reply.turn))]
    if reply.is_truncated:
        row.append(button(GO_ON, label=tr("answers-continue"), payload=_make_turn_payload(reply.turn)))
    row.append(button(WHY, label=tr("answers-why")))
    if dependencies.services.speech is not None:
        row.append(button(LISTEN, label=tr("answers-listen"), payload=_make_turn_payload(reply.turn)))
    versions = make_page_buttons(
        reply.version - 1,
        reply.versions,
        lambda label, at: button(VERSION, label=label, payload=f"{reply.turn}.{at + 1}"),
    )
    # A separate message would look like the answer to the next message.
    offer = [button(SWITCH_ON, label=tr("answers-memory-off"))] if reply.offers_memory else []
    return make_keyboard(row, versions, offer)


def _make_turn_payload(turn: int) -> str:
    return f"{turn}.{make_nonce()}"


async def offer_to_answer_again(dependencies: Dependencies, chat: Chat, person: Person, turn: int) -> None:
    """Ask the author of an edited message whether to answer it again."""
    button = dependencies.buttons.make_button(CORRECTED, chat, person, tr("answers-again"), _make_turn_payload(turn))
    await dependencies.delivery.send_text(chat, tr("answers-offer"), keyboard=make_keyboard([button]))


async def ask_what_was_wrong(dependencies: Dependencies, chat: Chat, person: Person, answer_message_id: int) -> None:
    """Ask what was wrong with an answer. Do nothing if the Telegram message is not an answer."""
    turn = await dependencies.services.explanations.find_turn_number_of_answer_message(chat.scope, answer_message_id)
    if turn is None:
        return
    button = partial(dependencies.buttons.make_button, chat=chat, person=person)
    row = [
        button(FACTS, label=tr("answers-wrong-facts"), payload=f"{answer_message_id:x}"),
        button(ANOTHER, label=tr("answers-again"), payload=_make_turn_payload(turn)),
        button(NOTHING, label=tr("answers-wrong-nothing")),
    ]
    about = replace(chat, reply_to=answer_message_id)
    await dependencies.delivery.send_text(about, tr("answers-wrong"), keyboard=make_keyboard(row))
