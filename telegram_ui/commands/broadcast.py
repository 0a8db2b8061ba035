"""Lets admins write to everybody. Once confirmed, a broadcast is sent in the background, at most once per person."""

from contextlib import AbstractAsyncContextManager, suppress
from datetime import timedelta
from functools import partial

from telegram import InlineKeyboardButton

from chat.operation import format_broadcast_receipt, list_broadcast_recipient_ids
from locales.catalog import tr, use_language
from records.errors import KeepsakeError
from records.scopes import Person
from runtime.tasks import repeat_in_background
from storage.bot_state.broadcasts import Broadcast
from telegram_ui.commands.buttons import make_keyboard
from telegram_ui.commands.command_group import Action, ChatEvent, CommandGroup, Dependencies, HandlerReply
from telegram_ui.sending.chat import Chat, require_lease_for_sending
from telegram_ui.sending.formatting import count_utf16_units

KIND = "bc"
WRITE, SEND, STOP = "w", "s", "c"
SPACING_SECONDS = 0.05  # between two people: Telegram takes about 30 messages a second, and answers need theirs
POLL_SECONDS = 5.0  # seconds between two looks for something to send
GRACE_SECONDS = 2.0  # seconds to finish the current message when the bot stops
MAX_UNITS = 3_500  # UTF-16 units of a broadcast, so that it fits one message with its question
MAX_AGE = timedelta(hours=24)  # an older broadcast may come from a restored backup, and may have been sent before


class BroadcastCommands(CommandGroup):
    """Handlers of the broadcast buttons, which are reached from /admin."""

    question_kind = "broadcast"

    async def accept_text_if_awaited(self, event: ChatEvent) -> bool:
        if await self._question.find_subject_id_of_answer(event) is None:
            return False
        await self._question.close(event)
        if self._operation.is_admin(event.person, in_private=event.chat.is_private):
            await ask_to_confirm_broadcast(self._dependencies, event, event.argument)
        return True

    @Action(KIND, where="admins")
    async def _write_send_or_stop_broadcast(self, event: ChatEvent) -> HandlerReply:
        what, _, number = event.argument.partition(".")
        if what == WRITE:
            return await self._question.ask(event, tr("broadcast-question"))
        broadcasts = self._services.memory.broadcasts
        found = await broadcasts.find_broadcast(int(number)) if number.isdecimal() else None
        if found is None or found.admin != event.person.id:
            return tr("shared-dead-button")
        if what == STOP:
            progress = await broadcasts.count_outcomes(found)
            if await broadcasts.delete_broadcast_if_exists(found):
                receipt = format_broadcast_receipt(progress, tr("broadcast-stopped"))
                await self._show_text(event, receipt if found.is_sending else tr("broadcast-cancelled"))
            return None
        people = await list_broadcast_recipient_ids(self._services.memory, self._operation, event.person.id)
        if await broadcasts.try_to_start(found, people, receipt_id=event.message_id):
            text = f"{tr('broadcast-sending')}\n{tr('broadcast-confirm', people=len(people))}"
            row = _make_broadcast_buttons(self._dependencies, event.person.id, found.id, is_sending=True)
            await self._show_text(event, text, row)
        return None


async def ask_to_confirm_broadcast(dependencies: Dependencies, event: ChatEvent, text: str) -> None:
    """Show an admin the text of a broadcast and the number of recipients, with buttons to send or cancel it."""
    services, admin_id = dependencies.services, event.person.id
    text, keyboard = text.strip(), None
    people = await list_broadcast_recipient_ids(services.memory, dependencies.operator, admin_id)
    if not text:
        question = tr("admin-arguments")
    elif count_utf16_units(text) > MAX_UNITS:
        question = tr("broadcast-too-long", most=MAX_UNITS)
    elif not people:
        question = tr("broadcast-nobody")
    else:
        proposed = await services.memory.broadcasts.store_draft(admin_id, text, now=services.clock())
        keyboard = make_keyboard(_make_broadcast_buttons(dependencies, admin_id, proposed.id, is_sending=False))
        question = f"{tr('broadcast-confirm', people=len(people))}\n\n{proposed.text}"
    await dependencies.delivery.send_text(event.chat, question, keyboard=keyboard)


def _make_broadcast_buttons(
    dependencies: Dependencies, admin_id: int, broadcast_id: int, *, is_sending: bool
) -> list[InlineKeyboardButton]:
    chat, person = Chat(id=admin_id), Person(id=admin_id, name="")
    choices = {"broadcast-stop": STOP} if is_sending else {"broadcast-send": SEND, "broadcast-cancel": STOP}
    return [
        dependencies.buttons.make_button(KIND, chat, person, tr(key), f"{what}.{broadcast_id}")
        for key, what in choices.items()
    ]


def send_broadcasts_in_background(dependencies: Dependencies) -> AbstractAsyncContextManager[None]:
    """Send confirmed broadcasts while the block runs. The bot's next run sends the remaining ones."""
    send = partial(send_broadcasts, dependencies)
    return repeat_in_background("broadcasting", send, interval=POLL_SECONDS, at_start=True, grace=GRACE_SECONDS)


async def send_broadcasts(dependencies: Dependencies) -> None:
    """Send the confirmed broadcasts of the admins that this process serves. Raise KeepsakeError if the store fails."""
    memory = dependencies.services.memory
    for broadcast in await memory.broadcasts.list_broadcasts_in_progress():
        if await memory.select_served_owners([broadcast.admin]):
            if broadcast.admin not in dependencies.operator.admin_ids:
                await memory.broadcasts.delete_broadcast_if_exists(broadcast)
                continue
            language = await memory.get_language(broadcast.admin) or ""
            require_lease_for_sending(memory.shared_inbox, broadcast.admin)
            with use_language(dependencies.choose_language(language)):
                await _send_broadcast(dependencies, broadcast)


async def _send_broadcast(dependencies: Dependencies, broadcast: Broadcast) -> None:
    memory, broadcasts = dependencies.services.memory, dependencies.services.memory.broadcasts
    # Ends, because each round leaves one person fewer.
    while dependencies.services.clock() - broadcast.created_at < MAX_AGE:
        person = await broadcasts.take_next_recipient_id(broadcast)
        if person is None:
            break
        if not memory.serves(person):
            await broadcasts.remove_recipient(broadcast, person)
            continue
        outcome = await dependencies.delivery.try_to_send_text(Chat(id=person), broadcast.text)
        if outcome == "later":
            await broadcasts.requeue_recipient(broadcast, person)
            return
        if outcome != "unknown":
            await broadcasts.record_outcome(broadcast, person, outcome)
        await dependencies.delivery.clock.sleep(SPACING_SECONDS)
    receipt = format_broadcast_receipt(await broadcasts.count_outcomes(broadcast), tr("broadcast-done"))
    if await broadcasts.delete_broadcast_if_exists(broadcast):
        with suppress(KeepsakeError):  # nothing is left to send, even if the admin cannot be told
            await dependencies.delivery.edit_message_or_send_new(
                Chat(id=broadcast.admin), broadcast.receipt_id, receipt
            )
