"""/export and /import: a memory as a file, and files as memory. Owns their words and steps.

Which file an import means is in Telegram alone: the buttons hang on a reply to it, so that they work after a restart.
Does not know what is in the files.
"""

import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from telegram import ForceReply, InlineKeyboardButton, InlineKeyboardMarkup

from chat.notices import counted
from records.errors import ImportRefused, KeepsakeError, StaleFold, StorageError
from records.scopes import Scope
from telegram_ui.commands.buttons import Buttons
from telegram_ui.commands.family import Ask, Handler, MayConfigure, Press
from telegram_ui.commands.history_extraction import HistoryExtractionCommands
from telegram_ui.sending.chat import ANONYMOUS_ADMIN, Chat
from telegram_ui.sending.delivery import ChatGone, Delivery, DeliveryError
from telegram_ui.sending.documents import Document, Documents, document_in
from transfer.exporter import Exported, Exporter
from transfer.importer import Imported, Importer, ImportPlan

log = logging.getLogger(__name__)

IMPORT, LEAVE = "imp", "iml"
AWAITED = timedelta(minutes=10)
TOLD_EVERY = 3.0
"""Seconds between two words of progress (Telegram bears about one edit a second in a chat)."""

ADMINS_EXPORT = "Only the admins of this group can export its memory."
ADMINS_IMPORT = "Only the admins of this group can import into its memory."
NOTHING = "There is nothing to export: nothing is stored."
NOT_PRIVATE = (
    "I could not write to you in private, and what this group remembers is not for everybody at once. Open a chat with "
    "me, press Start, and send /export here again."
)
ANONYMOUS = "You write as the group, so I do not know whom to send it to. Send /export under your own name."
SENT = "I have sent it to you in private."
ASK_FOR_FILE = (
    "Now send me the file, within 10 minutes:\n"
    "• an export of mine (/export),\n"
    "• result.json of Telegram Desktop (a chat's menu, Export chat history, format JSON),\n"
    "• conversations.json of ChatGPT (Settings, Data controls, Export; the .zip will do).\n\n"
    "At most 20 MB; .zip and .gz are fine. I say first what it would add; nothing is stored before you agree."
)
NO_FILE = "I no longer see the file. Please send it again, with /import as its caption."
LEFT = "Nothing was imported."
NOT_AWAITED = "I no longer wait for a file. Nothing was imported."
AGAIN = "What is in stays; send the file again, and it goes on."


class TransferCommands:
    """The family of /export and /import."""

    def __init__(
        self,
        importer: Importer,
        exporter: Exporter,
        delivery: Delivery,
        buttons: Buttons,
        *,
        may_configure: MayConfigure,
        studies: HistoryExtractionCommands | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._importer = importer
        self._exporter = exporter
        self._delivery = delivery
        self._documents = Documents(delivery)
        self._buttons = buttons
        self._may_configure = may_configure
        self._studies = studies
        self._clock = clock
        self._awaited: dict[tuple[Scope, int], float] = {}

    @property
    def handlers(self) -> Mapping[str, Handler]:
        return {"export": self._export, "import": self._import}

    @property
    def presses(self) -> Mapping[str, Press]:
        return {IMPORT: self._press_import, LEAVE: self._press_leave}

    @property
    def slow_presses(self) -> frozenset[str]:
        return frozenset({IMPORT})

    # /export ---------------------------------------------------------------------------------------------------

    async def _export(self, ask: Ask) -> None:
        here = ask.chat
        if not here.is_private and ask.person.id == ANONYMOUS_ADMIN:
            await self._delivery.say(here, ANONYMOUS)
            return
        if not await self._may_configure(here, ask.person):
            await self._delivery.say(here, ADMINS_EXPORT)
            return
        target = here if here.is_private else Chat(id=ask.person.id)
        async with self._exporter.files(here.scope.owner) as files:
            if not files:
                await self._delivery.say(here, NOTHING)
                return
            try:
                async with self._delivery.typing(target):
                    for file in files:
                        await self._documents.send(target, file.file, file.name, caption_text(file))
            except ChatGone:
                if here.is_private:
                    raise
                await self._delivery.say(here, NOT_PRIVATE)
                return
        if not here.is_private:
            await self._delivery.say(here, SENT)

    # /import ---------------------------------------------------------------------------------------------------

    async def _import(self, ask: Ask) -> None:
        if not await self._may_configure(ask.chat, ask.person):
            await self._delivery.say(ask.chat, ADMINS_IMPORT)
            return
        document = document_in(ask.update.effective_message)
        if document is not None:
            await self._offer(ask, document)
            return
        self._await(ask)
        keyboard = None if ask.chat.is_private else ForceReply(selective=True)
        how = "" if ask.chat.is_private else "\n\nSend it as a reply to this message."
        await self._delivery.say(ask.chat, ASK_FOR_FILE + how, keyboard=keyboard)

    async def take_file(self, ask: Ask) -> bool:
        """Whether a file was awaited here from this person, and so has been dealt with."""
        until = self._awaited.get((ask.chat.scope, ask.person.id))
        document = document_in(ask.update.message)
        if until is None or document is None or self._clock() > until:
            return False
        if not await self._may_configure(ask.chat, ask.person):
            await self._delivery.say(ask.chat, ADMINS_IMPORT)
        elif await self._offer(ask, document):  # else another file may follow
            self._awaited.pop((ask.chat.scope, ask.person.id), None)
        return True

    async def stop_waiting(self, ask: Ask) -> bool:
        until = self._awaited.pop((ask.chat.scope, ask.person.id), None)
        if until is None or self._clock() > until:
            return False
        await self._delivery.say(ask.chat, NOT_AWAITED)
        return True

    def _await(self, ask: Ask) -> None:
        now = self._clock()
        self._awaited = {key: until for key, until in self._awaited.items() if until > now}
        self._awaited[ask.chat.scope, ask.person.id] = now + AWAITED.total_seconds()

    async def _offer(self, ask: Ask, document: Document) -> bool:
        """Say what the file would add, in a reply to it, under which the buttons hang; whether it can be read."""
        chat = replace(ask.chat, reply_to=document.message_id)
        try:
            async with self._delivery.typing(chat):
                data = await self._documents.fetch(chat, document)
                plan = await self._importer.plan(chat.scope, ask.person.id, data)
        except KeepsakeError as error:
            if isinstance(error, ChatGone):
                raise
            await self._delivery.say(chat, error.sentence)
            return False
        if not plan.has_new:
            text, keyboard = await self._told_with_studying(ask, plan_text(plan), plan.ids)
            await self._delivery.say(chat, text, keyboard=keyboard)
            return True
        choices = [("Import", IMPORT), ("Cancel", LEAVE)]
        row = [
            InlineKeyboardButton(word, callback_data=self._buttons.data(kind, ask.chat, ask.person))
            for word, kind in choices
        ]
        await self._delivery.say(chat, plan_text(plan), keyboard=InlineKeyboardMarkup([row]))
        return True

    async def _press_leave(self, ask: Ask) -> str | None:
        await self._show(ask, LEFT)
        return None

    async def _press_import(self, ask: Ask) -> str | None:
        if not await self._may_configure(ask.chat, ask.person):
            return ADMINS_IMPORT
        query = ask.update.callback_query
        document = document_in(query.message if query else None)
        if document is None:
            await self._show(ask, NO_FILE)
            return None
        progress = _Progress(partial(self._show, ask), self._clock)
        await self._show(ask, "Importing…")
        try:
            data = await self._documents.fetch(ask.chat, document)
            done = await self._importer.run(ask.chat.scope, ask.person.id, data, progress=progress.tell)
        except StaleFold:
            await self._show(ask, f"{progress.sofar} The memory was moved or erased meanwhile. {AGAIN}")
        except ImportRefused as refused:
            await self._show(ask, refused.sentence)
        except (StorageError, DeliveryError) as error:
            if isinstance(error, ChatGone):
                raise
            await self._show(ask, f"{progress.sofar} {error.sentence} {AGAIN}")
        else:
            text, keyboard = await self._told_with_studying(ask, done_text(done), done.ids)
            await self._show(ask, text, keyboard)
        return None

    async def _told_with_studying(
        self, ask: Ask, text: str, ids: tuple[int, int] | None
    ) -> tuple[str, InlineKeyboardMarkup | None]:
        """A text, and below it to learn facts from this history; the text alone where that cannot be told now."""
        if self._studies is None or ids is None:
            return text, None
        try:
            offer = await self._studies.offer(ask, ids)
        except StorageError as error:
            log.warning("learning from an import was not offered: %s", type(error).__name__)
            offer = None
        return (f"{text}\n\n{offer[0]}", offer[1]) if offer else (text, None)

    async def _show(self, ask: Ask, text: str, keyboard: InlineKeyboardMarkup | None = None) -> None:
        """In place of the message whose button was pressed."""
        await self._delivery.replace(ask.chat, ask.message_id, text, keyboard=keyboard)


class _Progress:
    """How far an import has got, told now and then."""

    def __init__(self, show: Callable[[str], Awaitable[None]], clock: Callable[[], float]) -> None:
        self._show = show
        self._clock = clock
        self._told_at = -TOLD_EVERY
        self._done = 0

    @property
    def sofar(self) -> str:
        return f"The import stopped after {self._done:,} messages." if self._done else "The import did not begin."

    async def tell(self, done: int, total: int) -> None:
        self._done = done
        now = self._clock()
        if now - self._told_at < TOLD_EVERY or done == total:
            return
        self._told_at = now
        await self._show(f"Importing… {done:,} of {total:,} messages.")


def plan_text(plan: ImportPlan) -> str:
    """What an import would do, in figures."""
    facts = f" and {_facts(plan.facts)}" if plan.facts else ""
    lines = [f"This is {plan.name} with {_messages(plan.total)}{facts}."]
    if plan.is_whole:
        lines.append(
            "Nothing is stored here yet, so it would come back as it was: messages, summaries, facts, choices."
        )
    elif plan.new:
        lines.append(f"It would add {_messages(plan.new)}{_range(plan)}." + _known(plan.known))
        lines.append(
            "They would be archived as history before everything that was said here: found when they matter, and "
            "summarised by extraction, without a model (/summary_rebuild can do better later)."
        )
    elif plan.new_facts:
        lines.append(f"It would add {_facts(plan.new_facts)}." + _known(plan.known))
    elif plan.total or plan.facts:
        lines.append("All of it is known already. There is nothing to import.")
    else:
        lines.append("It holds no messages: there is nothing to import.")
    if plan.new and plan.facts and not plan.is_whole:
        lines.append(_coming_along(plan))
    lines += plan.notes
    if plan.turns_on and plan.has_new:
        lines.append("Memory is off; importing turns it on.")
    return "\n\n".join(lines)


def done_text(done: Imported) -> str:
    """What an import did."""
    if done.is_whole:
        return f"Done: {_messages(done.messages)} came back as they were, and everything that belongs to them."
    added = [_facts(done.facts)] if done.facts else []
    if done.messages or not added:
        added.insert(0, _messages(done.messages))
    return f"Done: {' and '.join(added)} added.{_known(done.known)} Ask me about them."


def caption_text(file: Exported) -> str:
    """What a file of an export holds."""
    named = [("messages", "message", "messages"), ("summaries", "summary", "summaries"), ("facts", "fact", "facts")]
    counts = [counted(file.counts[table], one, many) for table, one, many in named if file.counts.get(table)]
    what = ", ".join(counts) or "your settings"
    kind = "packed text" if file.name.endswith(".gz") else "text that you can read"
    return f"Everything that I keep here: {what}. It is {kind}; /import takes it back."


def _known(count: int) -> str:
    return f" {_messages(count)} {'is' if count == 1 else 'are'} known already and stay as they are." if count else ""


def _range(plan: ImportPlan) -> str:
    if plan.first_at is None or plan.last_at is None:
        return ""
    first, last = _day(plan.first_at), _day(plan.last_at)
    return f" of {first}" if first == last else f" from {first} to {last}"


def _day(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d")


def _coming_along(plan: ImportPlan) -> str:
    if plan.new_facts == plan.facts:
        return "Its fact comes along." if plan.facts == 1 else "Its facts come along."
    if not plan.new_facts:
        return "Its fact is known already." if plan.facts == 1 else "Its facts are known already."
    return f"{_facts(plan.new_facts)} that {'is' if plan.new_facts == 1 else 'are'} not known yet would come along."


def _messages(count: int) -> str:
    return counted(count, "message", "messages")


def _facts(count: int) -> str:
    return counted(count, "fact", "facts")
