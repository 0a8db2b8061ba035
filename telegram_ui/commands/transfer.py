"""/export and /import: a memory as a file, and files as memory. Owns their words and steps.

Which file an import means is known from Telegram alone: the buttons are under a reply to it, so that they work after a
restart. Does not know what is in the files.
"""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial

from telegram import ForceReply, InlineKeyboardMarkup

from locales.catalog import tr
from records.errors import ImportRefused, KeepsakeError, StaleFold, StorageError
from records.scopes import Scope
from telegram_ui.commands.family import Ask, Dependencies, Family, command, press
from telegram_ui.commands.history_extraction import HistoryExtractionCommands
from telegram_ui.commands.wording import day, facts, messages
from telegram_ui.sending.chat import ANONYMOUS_ADMIN, Chat
from telegram_ui.sending.delivery import ChatGone, DeliveryError
from telegram_ui.sending.documents import Document, Documents, document_in
from text.plurals import counted
from transfer.exporter import Exported
from transfer.importer import INCOGNITO, Imported, ImportPlan

log = logging.getLogger(__name__)

IMPORT, LEAVE = "imp", "iml"
AWAITED = timedelta(minutes=10)
PROGRESS_EVERY = 3.0
"""Seconds between two edits that show progress (Telegram takes about one edit a second in a chat)."""

NOTHING = "There is nothing to export: nothing is stored."
NOT_PRIVATE = (
    "I could not write to you in private, and I do not post what this group remembers in the group. Open a chat with "
    "me, press Start, and send /export here again."
)
ANONYMOUS = "You write as the group, so I do not know who should get the file. Send /export under your own name."
SENT = "I have sent it to you in private."
ASK_FOR_FILE = (
    "Now send me the file, within 10 minutes:\n"
    "• an export of mine (/export),\n"
    "• result.json of Telegram Desktop (a chat's menu, Export chat history, format JSON),\n"
    "• conversations.json of ChatGPT (Settings, Data controls, Export; the .zip will do).\n\n"
    "At most 20 MB; .zip and .gz are fine. First I say what it would add; nothing is stored before you agree."
)
NO_FILE = "I no longer see the file. Please send it again, with /import as its caption."
LEFT = "Nothing was imported."
NOT_AWAITED = "I no longer wait for a file. Nothing was imported."
AGAIN = "What was imported stays; send the file again to continue."


class TransferCommands(Family):
    """The family of /export and /import."""

    heading = "data"

    def __init__(self, dependencies: Dependencies) -> None:
        super().__init__(dependencies)
        self._documents = Documents(self._delivery)
        self._history_extraction = HistoryExtractionCommands(dependencies)
        self._awaited: dict[tuple[Scope, int], float] = {}

    # /export ---------------------------------------------------------------------------------------------------

    @command("export", who="admins", queue="slow", refusal="transfer-admins-export")
    async def _export(self, ask: Ask) -> str | None:
        here = ask.chat
        if not here.is_private and ask.person.id == ANONYMOUS_ADMIN:
            return ANONYMOUS
        target = here if here.is_private else Chat(id=ask.person.id)
        async with self._services.exporter.files(here.scope.owner) as files:
            if not files:
                return NOTHING
            try:
                async with self._delivery.typing(target):
                    for file in files:
                        await self._documents.send(target, file.file, file.name, caption_text(file))
            except ChatGone:
                if here.is_private:
                    raise
                return NOT_PRIVATE
        return None if here.is_private else SENT

    # /import ---------------------------------------------------------------------------------------------------

    # Not slow: the file that it waits for may follow at once.
    @command(
        "import",
        who="admins",
        refusal="transfer-admins-import",
        reads_file=True,
    )
    async def _import(self, ask: Ask) -> None:
        document = document_in(ask.update.effective_message)
        if document is not None:
            await self._offer(ask, document)
            return
        config = await self._services.memory.config(ask.chat.scope.owner)
        if config is not None and config.incognito:
            await self._delivery.say(ask.chat, INCOGNITO)
            return
        now = self._monotonic()
        self._awaited = {key: until for key, until in self._awaited.items() if until > now}
        self._awaited[ask.chat.scope, ask.person.id] = now + AWAITED.total_seconds()
        keyboard = None if ask.chat.is_private else ForceReply(selective=True)
        how = "" if ask.chat.is_private else "\n\nSend it as a reply to this message."
        await self._delivery.say(ask.chat, ASK_FOR_FILE + how, keyboard=keyboard)

    def awaits_file(self, ask: Ask) -> bool:
        until = self._awaited.get((ask.chat.scope, ask.person.id))
        return until is not None and document_in(ask.update.message) is not None and self._monotonic() <= until

    async def take_file(self, ask: Ask) -> bool:
        """Whether a file was awaited here from this person, and so has been dealt with."""
        document = document_in(ask.update.message)
        if document is None or not self.awaits_file(ask):
            return False
        if not await self._may_configure(ask.chat, ask.person):
            await self._delivery.say(ask.chat, tr("transfer-admins-import"))
        elif await self._offer(ask, document):  # otherwise another file may follow
            self._awaited.pop((ask.chat.scope, ask.person.id), None)
        return True

    async def cancel(self, ask: Ask) -> bool:
        until = self._awaited.pop((ask.chat.scope, ask.person.id), None)
        if until is None or self._monotonic() > until:
            return False
        await self._delivery.say(ask.chat, NOT_AWAITED)
        return True

    async def _offer(self, ask: Ask, document: Document) -> bool:
        """Say what the file would add, in a reply to it that carries the buttons; whether the file can be read."""
        chat = replace(ask.chat, reply_to=document.message_id)
        try:
            async with self._delivery.typing(chat):
                data = await self._documents.fetch(chat, document)
                plan = await self._services.importer.plan(chat.scope, ask.person.id, data)
        except KeepsakeError as error:
            if isinstance(error, ChatGone):
                raise
            await self._delivery.say(chat, error.sentence)
            return False
        if not plan.has_new:
            text, keyboard = await self._with_extraction_offer(ask, plan_text(plan), plan.ids)
            await self._delivery.say(chat, text, keyboard=keyboard)
            return True
        row = [self._button(ask, IMPORT, "Import"), self._button(ask, LEAVE, "Cancel")]
        await self._delivery.say(chat, plan_text(plan), keyboard=InlineKeyboardMarkup([row]))
        return True

    @press(LEAVE)
    async def _press_leave(self, ask: Ask) -> None:
        await self._show(ask, LEFT)

    @press(IMPORT, who="admins", queue="slow", refusal="transfer-admins-import", reads_file=True)
    async def _press_import(self, ask: Ask) -> None:
        query = ask.update.callback_query
        document = document_in(query.message if query else None)
        if document is None:
            await self._show(ask, NO_FILE)
            return
        progress = _Progress(partial(self._show, ask), self._monotonic)
        await self._show(ask, "Importing…")
        try:
            data = await self._documents.fetch(ask.chat, document)
            done = await self._services.importer.run(ask.chat.scope, ask.person.id, data, progress=progress.report)
        except StaleFold:
            await self._show(ask, f"{progress.summary} The memory was moved or erased in the meantime. {AGAIN}")
        except ImportRefused as refused:
            await self._show(ask, refused.sentence)
        except (StorageError, DeliveryError) as error:
            if isinstance(error, ChatGone):
                raise
            await self._show(ask, f"{progress.summary} {error.sentence} {AGAIN}")
        else:
            text, keyboard = await self._with_extraction_offer(ask, done_text(done), done.ids)
            await self._show(ask, text, keyboard)

    async def _with_extraction_offer(
        self, ask: Ask, text: str, ids: tuple[int, int] | None
    ) -> tuple[str, InlineKeyboardMarkup | None]:
        """A text, followed by the offer to learn facts from this history if it can be made now."""
        if ids is None:
            return text, None
        try:
            offer = await self._history_extraction.offer(ask, ids)
        except StorageError as error:
            log.warning("learning from an import was not offered: %s", type(error).__name__)
            offer = None
        return (f"{text}\n\n{offer[0]}", offer[1]) if offer else (text, None)


class _Progress:
    """How far an import has got, shown now and then."""

    def __init__(self, show: Callable[[str], Awaitable[None]], clock: Callable[[], float]) -> None:
        self._show = show
        self._clock = clock
        self._shown_at = -PROGRESS_EVERY
        self._done = 0

    @property
    def summary(self) -> str:
        return f"The import stopped after {messages(self._done)}." if self._done else "The import did not begin."

    async def report(self, done: int, total: int) -> None:
        self._done = done
        now = self._clock()
        if now - self._shown_at < PROGRESS_EVERY or done == total:
            return
        self._shown_at = now
        await self._show(f"Importing… {done:,} of {messages(total)}.")


def plan_text(plan: ImportPlan) -> str:
    """What an import would do, in figures."""
    with_facts = f" and {facts(plan.facts)}" if plan.facts else ""
    lines = [f"This is {plan.name} with {messages(plan.total)}{with_facts}."]
    if plan.is_restored and plan.missing:
        lines.append(
            "It is one of several files, and would come back as it was: its messages now, and summaries, facts and "
            f"settings with the last file. Please send the others too, in any order. Still to come: {plan.missing}."
        )
    elif plan.is_restored:
        lines.append(
            "Nothing else is stored here, so it would come back as it was: messages, summaries, facts, settings."
        )
    elif plan.new:
        lines.append(f"It would add {messages(plan.new)}{_range(plan)}." + _known(plan.known))
        lines.append(
            "They would be archived as history, each at its date: found when they matter, and "
            "summarised by extraction, without a model (/summary_rebuild can improve that later)."
        )
    elif plan.new_facts:
        lines.append(f"It would add {facts(plan.new_facts)}." + _known(plan.known))
    elif plan.total or plan.facts:
        lines.append("All of it is known already. There is nothing to import.")
    else:
        lines.append("It holds no messages: there is nothing to import.")
    if plan.new and plan.facts and not plan.is_restored:
        lines.append(_with_facts(plan))
    lines += plan.notes
    if plan.turns_on and plan.has_new:
        lines.append("Memory is off; importing turns it on.")
    return "\n\n".join(lines)


def done_text(done: Imported) -> str:
    """What an import did."""
    if done.missing:
        return f"Done: {messages(done.messages)} came back as they were. Still to come: {done.missing}."
    if done.is_restored:
        return f"Done: {messages(done.messages)} came back as they were, and everything that belongs to them."
    added = [facts(done.facts)] if done.facts else []
    if done.messages or not added:
        added.insert(0, messages(done.messages))
    return f"Done: {' and '.join(added)} added.{_known(done.known)} Ask me about them."


def caption_text(file: Exported) -> str:
    """What a file of an export holds."""
    named = [("messages", "message", "messages"), ("summaries", "summary", "summaries"), ("facts", "fact", "facts")]
    counts = [counted(file.counts[table], one, many) for table, one, many in named if file.counts.get(table)]
    what = ", ".join(counts) or "your settings"
    kind = "compressed text" if file.name.endswith(".gz") else "text that you can read"
    return f"Everything that I keep here: {what}. It is {kind}; /import reads it again."


def _known(count: int) -> str:
    return f" {messages(count)} {'is' if count == 1 else 'are'} known already and stay as they are." if count else ""


def _range(plan: ImportPlan) -> str:
    if plan.first_at is None or plan.last_at is None:
        return ""
    first, last = day(plan.first_at), day(plan.last_at)
    return f" of {first}" if first == last else f" from {first} to {last}"


def _with_facts(plan: ImportPlan) -> str:
    if plan.new_facts == plan.facts:
        return "Its fact would be imported too." if plan.facts == 1 else "Its facts would be imported too."
    if not plan.new_facts:
        return "Its fact is known already." if plan.facts == 1 else "Its facts are known already."
    return f"{facts(plan.new_facts)} that {'is' if plan.new_facts == 1 else 'are'} not known yet would be imported too."
