"""/summary and /cancel: a wizard that asks for storage and threshold, by button or in words, and turns memory on."""

import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Literal

from locales.catalog import join_with_or, list_words, tr
from locales.sentences import STORAGE_NAMES
from records.errors import StorageError
from records.owners import MAX_EVERY_N, StorageType
from storage.bot_state.wizard_state import LEFT, WizardState
from telegram_ui.commands.buttons import make_nonce
from telegram_ui.commands.command_group import (
    LIFETIME,
    Action,
    ChatEvent,
    Command,
    CommandGroup,
    Dependencies,
    HandlerReply,
)
from telegram_ui.commands.wording import format_option, list_offered_thresholds

CANCEL = "cancel"
KIND = "w"
STORAGE, NUMBER = "storage", "number"
MAX_ANSWER_WORDS = 4  # words of an answer to the first question; a longer text is a message to the bot


def parse_threshold(text: str) -> int | None:
    """Return the threshold in a text such as "20" or "every 20 turns", with digits of any script, or None."""
    words = [word.rstrip(",.!") for word in text.casefold().split()[: MAX_ANSWER_WORDS + 1]]
    numbers = [word for word in words if word.isdecimal()]
    if len(numbers) != 1 or len(numbers[0]) > 10 or not {*words} - {*numbers} <= list_words("wizard-around-numbers"):
        return None
    number = int(numbers[0])
    return number if 1 <= number <= MAX_EVERY_N else None


def parse_storage_type(text: str, storages: Sequence[StorageType]) -> StorageType | None:
    """Return the storage type named in a short text such as "SQLite please", or None."""
    words = [word.strip(",.!?") for word in text.casefold().split()]
    named = {storage for storage in storages if storage in words or STORAGE_NAMES[storage].casefold() in words}
    return named.pop() if len(named) == 1 and len(words) <= MAX_ANSWER_WORDS else None


class SetupWizard(CommandGroup):
    heading = "choices"

    def __init__(self, dependencies: Dependencies) -> None:
        super().__init__(dependencies)
        self._states = self._services.memory.wizards

    @property
    def _offered_storage_names(self) -> dict[StorageType, str]:
        return {storage: STORAGE_NAMES[storage] for storage in self._services.memory.storage_types}

    @Command("summary", who="admins", stands_alone=True)
    async def _begin_wizard(self, event: ChatEvent) -> None:
        state = await self._question.store_state(event, STORAGE, make_nonce())
        config = await self._read_config(event)
        chosen = config.storage if config else None
        labels = {f"{state.nonce}.{storage}": name for storage, name in self._offered_storage_names.items()}
        row = self._make_choice_buttons(event, KIND, labels, f"{state.nonce}.{chosen}")
        offers = [tr(f"wizard-offer-{storage}") for storage in self._offered_storage_names]
        caution = [tr("wizard-on-one-machine")] if self._services.memory.is_shared else []
        question = "\n\n".join((tr("wizard-first"), "\n".join(offers), *caution))
        await self._send_new(event, question, row)

    @Command(CANCEL, who="admins")
    async def _get_nothing_to_cancel_reply(self, event: ChatEvent) -> HandlerReply:
        return tr("wizard-nothing-to-cancel")

    async def try_to_cancel_awaited_input(self, event: ChatEvent) -> bool:
        if (state := await self._find_state(event)) is None:
            return False
        await self._states.delete_state_if_exists(event.chat.chat_scope, event.person.id)
        if (is_expired := self._is_expired(state)) and state.step not in (STORAGE, NUMBER):
            return False  # another command's question, which nobody waits for any more
        await self._delivery.send_text(event.chat, tr("wizard-expired" if is_expired else "wizard-cancelled"))
        return True

    @Action(KIND)
    async def _apply_storage_or_threshold_choice(self, event: ChatEvent) -> HandlerReply:
        nonce, _, choice = event.argument.partition(".")
        state, number = await self._find_state(event), parse_threshold(choice)
        is_known = choice in self._offered_storage_names or number is not None
        if state is None or not is_known or (state.step != LEFT and not secrets.compare_digest(state.nonce, nonce)):
            return tr("shared-dead-button")
        if self._is_expired(state):
            await self._states.delete_state_if_exists(event.chat.chat_scope, event.person.id)
            return await self._show_text(event, tr("wizard-expired"))
        if state.step not in ((STORAGE,) if number is None else (NUMBER, LEFT)):
            return tr("shared-dead-button")
        if not await self._may_configure(event.chat, event.person):
            return tr("shared-admins-only")
        if number is not None:
            await self._configure_memory_and_confirm(event, state, number)
            return await self._show_text(event, format_option(str(number), is_chosen=True))
        storage = StorageType(choice)
        await self._show_text(event, format_option(STORAGE_NAMES[storage], is_chosen=True))
        return await self._save_storage(event, state, storage)

    async def accept_text_if_awaited(self, event: ChatEvent) -> bool:
        chat, text, state = event.chat, event.argument, await self._find_state(event)
        if state is None or state.step not in (STORAGE, NUMBER, LEFT):
            return False
        if state.step == LEFT and state.storage is None:  # it expired, or the question was another command's
            return True
        number = parse_threshold(text)
        if not chat.is_private and number is None and not event.replies_to_bot:
            return False
        if self._is_expired(state):
            is_answer = state.step == NUMBER and number is not None
            nonce = str(event.update.update_id) if is_answer else ""  # another text is answered, also if it comes again
            with suppress(StorageError):
                await self._states.store_state(replace(state, step=LEFT, nonce=nonce, storage=None))
            await self._delivery.send_text(chat, tr("wizard-expired"))
            return is_answer
        if state.step == STORAGE:
            storage = parse_storage_type(text, tuple(self._offered_storage_names))
            if storage is None and (len(text.split()) > MAX_ANSWER_WORDS or "?" in text):
                return False
            if storage is None:
                storages = join_with_or([*self._offered_storage_names.values(), "/cancel"])
                await self._delivery.send_text(chat, tr("wizard-no-storage", storages=storages))
            else:
                await self._save_storage(event, state, storage)
        elif number is None:
            await self._ask_for_threshold(event, state, "wizard-no-number")
        else:
            await self._configure_memory_and_confirm(event, state, number)
        return True

    async def _find_state(self, event: ChatEvent) -> WizardState | None:
        """Return the state of a person's wizard, or None unless it is open or was ended by this same update."""
        state = await self._states.find_state(event.chat.chat_scope, event.person.id)
        return state if state is not None and state.accepts_answer(event.update.update_id) else None

    async def _end_wizard(self, state: WizardState, event: ChatEvent) -> None:
        """End the wizard. Store the update id, so that the same update reaches the wizard again if it is replayed."""
        await self._states.store_state(replace(state, step=LEFT, nonce=str(event.update.update_id)))

    async def _save_storage(self, event: ChatEvent, state: WizardState, storage: StorageType) -> HandlerReply:
        await self._states.store_state(replace(state, step=NUMBER, expires_at=self._now() + LIFETIME, storage=storage))
        return await self._ask_for_threshold(event, state, "wizard-second")

    async def _ask_for_threshold(
        self, event: ChatEvent, state: WizardState, question_key: Literal["wizard-second", "wizard-no-number"]
    ) -> HandlerReply:
        config, text = await self._read_config(event), tr(question_key, least=1, most=MAX_EVERY_N)
        chosen = config.every_n if config else None
        labels = {f"{state.nonce}.{number}": str(number) for number in list_offered_thresholds(chosen)}
        return await self._send_new(
            event, text, self._make_choice_buttons(event, KIND, labels, f"{state.nonce}.{chosen}")
        )

    async def _configure_memory_and_confirm(self, event: ChatEvent, state: WizardState, threshold: int) -> None:
        chat, storage, memory = event.chat, state.storage or StorageType.SQLITE, self._services.memory
        if not await self._may_configure(chat, event.person):
            await self._end_wizard(state, event)
            await self._delivery.send_text(chat, tr("shared-admins-only"))
            return
        owner = chat.scope.owner
        before = await memory.get_config(owner)
        async with self._delivery.show_typing(chat):
            await memory.configure(owner, storage=storage, every_n=threshold)
            if before is None:
                await self._save_current_language_for_group(event)
            lines = [tr("wizard-done"), tr("summaries-status-storage", storage=STORAGE_NAMES[storage])]
            lines.append(tr("wizard-threshold", turns=threshold))
            if before is not None and before.storage != storage:
                names = {"from": STORAGE_NAMES[before.storage], "to": STORAGE_NAMES[storage]}
                if total := await memory.count_messages(owner):
                    lines.append(tr("wizard-moved", messages=total, **names))
        await self._end_wizard(state, event)
        await self._delivery.send_text(chat, "\n".join(lines))

    def _is_expired(self, state: WizardState) -> bool:
        return state.step != LEFT and self._now() >= state.expires_at
