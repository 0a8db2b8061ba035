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
from locales.lists import all_of, listed
from locales.told import told
from records.errors import ImportRefused, KeepsakeError, StaleFold, StorageError
from records.scopes import Scope
from telegram_ui.commands.family import Ask, Dependencies, Family, command, press
from telegram_ui.commands.history_extraction import HistoryExtractionCommands
from telegram_ui.commands.wording import QUOTED, day, facts, messages, quoted, summaries
from telegram_ui.sending.chat import ANONYMOUS_ADMIN, Chat
from telegram_ui.sending.delivery import ChatGone
from telegram_ui.sending.documents import Document, Documents, document_in
from transfer.exporter import Exported
from transfer.importer import Imported, ImportPlan

log = logging.getLogger(__name__)

IMPORT, LEAVE, LOOK = "imp", "iml", "imk"
AWAITED = timedelta(minutes=10)
PROGRESS_EVERY = 3.0
"""Seconds between two edits that show progress (Telegram takes about one edit a second in a chat)."""


class TransferCommands(Family):
    """The family of /export and /import."""

    heading = "data"

    def __init__(self, dependencies: Dependencies) -> None:
        super().__init__(dependencies)
        self._documents = Documents(self._delivery)
        self._history_extraction = HistoryExtractionCommands(dependencies)
        self._last_buttons = dependencies.last_buttons
        self._awaited: dict[tuple[Scope, int], float] = {}

    # /export ---------------------------------------------------------------------------------------------------

    @command("export", who="admins", queue="slow", refusal="transfer-admins-export")
    async def _export(self, ask: Ask) -> str | None:
        here = ask.chat
        if not here.is_private and ask.person.id == ANONYMOUS_ADMIN:
            return tr("transfer-anonymous")
        target = here if here.is_private else Chat(id=ask.person.id)
        async with self._services.exporter.files(here.scope.owner) as files:
            if not files:
                return tr("transfer-nothing")
            try:
                async with self._delivery.typing(target):
                    for file in files:
                        caption = " ".join([*_whose(ask), caption_text(file)])
                        await self._documents.send(target, file.file, file.name, caption)
            except ChatGone:
                if here.is_private:
                    raise
                return tr("transfer-not-private")
        return None if here.is_private else tr("transfer-sent")

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
            await self._delivery.say(ask.chat, tr("transfer-incognito"))
            return
        now = self._monotonic()
        self._awaited = {key: until for key, until in self._awaited.items() if until > now}
        self._awaited[ask.chat.place, ask.person.id] = now + AWAITED.total_seconds()
        keyboard = None if ask.chat.is_private else ForceReply(selective=True)
        how = [] if ask.chat.is_private else [tr("transfer-as-reply")]
        await self._delivery.say(ask.chat, "\n\n".join([tr("transfer-ask-for-file"), *how]), keyboard=keyboard)

    def awaits_file(self, ask: Ask) -> bool:
        until = self._awaited.get((ask.chat.place, ask.person.id))
        return until is not None and document_in(ask.update.message) is not None and self._monotonic() <= until

    async def take_file(self, ask: Ask) -> bool:
        """Whether a file was awaited here from this person, and so has been dealt with."""
        document = document_in(ask.update.message)
        if document is None or not self.awaits_file(ask):
            return False
        if not await self._may_configure(ask.chat, ask.person):
            await self._delivery.say(ask.chat, tr("transfer-admins-import"))
        elif await self._offer(ask, document):  # otherwise another file may follow
            self._awaited.pop((ask.chat.place, ask.person.id), None)
        return True

    async def cancel(self, ask: Ask) -> bool:
        until = self._awaited.pop((ask.chat.place, ask.person.id), None)
        if until is None or self._monotonic() > until:
            return False
        await self._delivery.say(ask.chat, tr("transfer-not-awaited"))
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
            again = InlineKeyboardMarkup([[self._button(ask, LOOK, tr("answers-try-again"))]])
            await self._delivery.say(chat, told(error), keyboard=again if error.may_pass else None)
            return False
        if not plan.has_new:
            text, keyboard = await self._with_extraction_offer(ask, plan_text(plan), plan.ids)
            await self._delivery.say(chat, text, keyboard=keyboard)
            return True
        row = [self._button(ask, IMPORT, tr("transfer-import")), self._button(ask, LEAVE, tr("transfer-cancel"))]
        await self._delivery.say(chat, plan_text(plan), keyboard=InlineKeyboardMarkup([row]))
        return True

    @press(LEAVE)
    async def _press_leave(self, ask: Ask) -> None:
        await self._show(ask, tr("transfer-left"))

    @press(LOOK, who="admins", refusal="transfer-admins-import", reads_file=True)
    async def _press_look_again(self, ask: Ask) -> None:
        """A file that could not be fetched or read just now."""
        query = ask.update.callback_query
        document = document_in(query.message if query else None)
        if document is None:
            await self._show(ask, tr("transfer-no-file"))
        else:
            await self._last_buttons.take_away(self._delivery, ask.chat, ask.message_id)
            await self._offer(ask, document)

    @press(IMPORT, who="admins", queue="slow", refusal="transfer-admins-import", reads_file=True)
    async def _press_import(self, ask: Ask) -> None:
        query = ask.update.callback_query
        document = document_in(query.message if query else None)
        if document is None:
            await self._show(ask, tr("transfer-no-file"))
            return
        progress = _Progress(partial(self._show, ask), self._monotonic)
        await self._show(ask, tr("transfer-importing"))
        again = InlineKeyboardMarkup([[self._button(ask, IMPORT, tr("answers-try-again"))]])
        try:
            data = await self._documents.fetch(ask.chat, document)
            done = await self._services.importer.run(ask.chat.scope, ask.person.id, data, progress=progress.report)
        except StaleFold:
            await self._show(ask, " ".join([progress.summary, tr("transfer-moved"), tr("transfer-again")]), again)
        except ImportRefused as refused:
            await self._show(ask, told(refused), again if refused.may_pass else None)
        except KeepsakeError as error:
            if isinstance(error, ChatGone):
                raise
            text = " ".join([progress.summary, told(error), tr("transfer-again")])
            await self._show(ask, text, again if error.may_pass else None)
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
        return tr("transfer-stopped", messages=self._done) if self._done else tr("transfer-not-begun")

    async def report(self, done: int, total: int) -> None:
        self._done = done
        now = self._clock()
        if now - self._shown_at < PROGRESS_EVERY or done == total:
            return
        self._shown_at = now
        await self._show(tr("transfer-importing-so-far", done=done, messages=total))


def plan_text(plan: ImportPlan) -> str:
    """What an import would do, in figures."""
    if plan.facts:
        lines = [tr("transfer-plan-facts", name=plan.name, messages=plan.total, facts=plan.facts)]
    else:
        lines = [tr("transfer-plan", name=plan.name, messages=plan.total)]
    if plan.is_restored and plan.missing:
        lines.append(tr("transfer-plan-part", missing=plan.missing))
    elif plan.is_restored:
        lines.append(tr("transfer-plan-whole"))
    elif plan.new:
        lines.append(" ".join([_added(plan), *_known(plan.known)]))
        lines.append(tr("transfer-as-history"))
    elif plan.new_facts:
        lines.append(" ".join([tr("transfer-adds-facts", facts=plan.new_facts), *_known(plan.known)]))
    elif plan.total or plan.facts:
        lines.append(tr("transfer-all-known"))
    else:
        lines.append(tr("transfer-empty"))
    if plan.new and plan.facts and not plan.is_restored:
        lines.append(_with_facts(plan))
    if plan.reminders:
        lines.append(tr("transfer-plan-reminders", reminders=plan.reminders))
    lines += plan.notes
    if plan.turns_on and plan.has_new:
        lines.append(tr("transfer-turns-on"))
    return "\n\n".join(lines)


def done_text(done: Imported) -> str:
    """What an import did."""
    if done.missing:
        return tr("transfer-done-part", messages=done.messages, missing=done.missing)
    if done.is_restored:
        return tr("transfer-done-whole", messages=done.messages)
    added = [facts(done.facts)] if done.facts else []
    if done.messages or not added:
        added.insert(0, messages(done.messages))
    told = tr("transfer-done", what=all_of(added))
    return " ".join([told, *_known(done.known), tr("transfer-ask-me")])


def _whose(ask: Ask) -> list[str]:
    """Whose memory a file is, where it goes to another chat than its own. A caption has 1,024 characters (Bot API)."""
    chat = ask.update.effective_chat
    if ask.chat.is_private or chat is None:
        return []
    return [tr("transfer-of-group", title=quoted(chat.title or "", 2 * QUOTED))]


def caption_text(file: Exported) -> str:
    """What a file of an export holds."""
    named = {"messages": messages, "summaries": summaries, "facts": facts}
    counts = [words(file.counts[table]) for table, words in named.items() if file.counts.get(table)]
    what = listed(counts) or tr("transfer-settings")
    return tr("transfer-caption-gz" if file.name.endswith(".gz") else "transfer-caption", what=what)


def _known(count: int) -> list[str]:
    return [tr("transfer-known", messages=count)] if count else []


def _added(plan: ImportPlan) -> str:
    """How many messages would be added, and of when."""
    if plan.first_at is None or plan.last_at is None:
        return tr("transfer-adds", messages=plan.new)
    first, last = day(plan.first_at), day(plan.last_at)
    if first == last:
        return tr("transfer-adds-day", messages=plan.new, day=first)
    return tr("transfer-adds-days", messages=plan.new, first=first, last=last)


def _with_facts(plan: ImportPlan) -> str:
    if plan.new_facts == plan.facts:
        return tr("transfer-its-facts", facts=plan.facts)
    if not plan.new_facts:
        return tr("transfer-its-facts-known", facts=plan.facts)
    return tr("transfer-new-facts", facts=plan.new_facts)
