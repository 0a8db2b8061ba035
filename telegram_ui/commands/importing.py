"""/import: adds the contents of files and pasted texts to a memory, and offers to learn facts from them."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from cachetools import LRUCache
from telegram import ForceReply, InlineKeyboardButton, Message

from locales.catalog import tr
from locales.sentences import format_error
from records.errors import ImportRefused, KeepsakeError, StaleSummary, StorageError
from records.scopes import Scope
from storage.bot_state.wizard_state import LEFT
from telegram_ui.commands.buttons import make_keyboard, make_nonce, split_into_rows
from telegram_ui.commands.command_group import Action, ChatEvent, Command, CommandGroup, Dependencies, HandlerReply
from telegram_ui.sending.delivery import ChatGone
from telegram_ui.sending.documents import Document, download_file, find_document
from transfer.formats.history import ImportQuestion, ReadContext
from transfer.plans import format_import_result, format_plan, format_question

log = logging.getLogger(__name__)

IMPORT, LEAVE, LOOK, ANSWER, PASTE, STOP = "imp", "iml", "imk", "imq", "ims", "imz"
LEARN, STOP_LEARNING = "stu", "stn"
ASKED = "q"  # begins the payload of a button that imports a file after questions about it
MAX_REMEMBERED = 1_000  # files that are kept with the answers about them
MAX_PIECE_CHARS = 4_000  # a longer pasted text may go on in the next message (Telegram splits at 4,096)
NUMBERS_A_ROW = 5
AWAITED_FILE = "file"  # the step of a person who is asked for a file
REPORT_SECONDS = 3.0  # seconds between two edits that show progress (Telegram takes about one edit a second in a chat)


@dataclass(frozen=True, kw_only=True, slots=True)
class _ImportSource:
    """A file or text to import, and the id of the message that contains it."""

    message_id: int
    document: Document | None = None
    text: str = ""


@dataclass(kw_only=True, slots=True)
class _Questionnaire:
    """The person's answers about a file, and the question that is now being asked, with the options chosen so far."""

    source: _ImportSource
    answers: dict[str, tuple[int, ...]] = field(default_factory=dict)
    question: ImportQuestion | None = None
    chosen: set[int] = field(default_factory=set)
    heading: str = ""


ButtonRow = Sequence[InlineKeyboardButton]
ImportStep = tuple[str, *tuple[ButtonRow, ...]]  # a text and the rows of buttons under it


class ImportCommands(CommandGroup):
    heading = "data"
    question_kind = "paste"

    def __init__(self, dependencies: Dependencies) -> None:
        super().__init__(dependencies)
        self._asked: LRUCache[tuple[Scope, int], _Questionnaire] = LRUCache(MAX_REMEMBERED)
        self._running: dict[tuple[Scope, int | None], ImportProgress] = {}

    # Not slow: the file that it waits for may follow at once.
    @Command("import", who="admins", reads_file=True)
    async def _begin_import(self, event: ChatEvent) -> None:
        if (sent := _find_import_source(event.update.effective_message)) is not None:
            await self._try_to_offer_import(event, sent)
            return
        config = await self._read_config(event)
        if config is not None and config.incognito:
            await self._delivery.send_text(event.chat, tr("transfer-incognito"))
            return
        await self._question.store_state(event, AWAITED_FILE, make_nonce())
        if event.chat.is_private:
            paste = self._make_button(event, PASTE, tr("transfer-paste"))
            await self._show_text(event, tr("transfer-ask-for-file"), [paste])
        else:
            how = f"{tr('transfer-ask-for-file')}\n\n{tr('transfer-as-reply')}"
            await self._delivery.send_text(event.chat, how, keyboard=ForceReply(selective=True))

    async def awaits_file(self, event: ChatEvent) -> bool:
        if find_document(event.update.message) is None:
            return False
        state = await self._services.memory.wizards.find_state(event.chat.chat_scope, event.person.id)
        if state is None or state.step not in (AWAITED_FILE, f"{self.question_kind}:", LEFT):
            return False
        return state.accepts_answer(event.update.update_id) and self._now() < state.expires_at

    async def accept_file_if_awaited(self, event: ChatEvent) -> None:
        document = find_document(event.update.message)
        if document is None or not await self.awaits_file(event):
            return
        if not await self._may_configure(event.chat, event.person):
            await self._delivery.send_text(event.chat, tr("shared-admins-only"))
        elif await self._try_to_offer_import(event, _ImportSource(message_id=document.message_id, document=document)):
            await self._question.close(event)

    @Action(PASTE)
    async def _ask_to_paste_text(self, event: ChatEvent) -> None:
        await self._question.ask(event, tr("transfer-paste-how"))
        await self._delivery.send_text(event.chat, tr("transfer-paste-prompt"))

    async def accept_text_if_awaited(self, event: ChatEvent) -> bool:
        if await self._question.find_subject_id_of_answer(event) is None or event.message_id is None:
            return False
        if len(event.argument) < MAX_PIECE_CHARS:
            await self._question.close(event)
        await self._try_to_offer_import(event, _ImportSource(message_id=event.message_id, text=event.argument))
        return True

    async def _try_to_offer_import(self, event: ChatEvent, source: _ImportSource) -> bool:
        """Reply to the file with a question or a preview. Return True if the file can be read."""
        chat = replace(event.chat, reply_to=source.message_id)
        async with self._delivery.show_typing(chat):
            (text, *rows), is_read = await self._make_import_step_and_success(event, source)
        await self._delivery.send_text(chat, text, keyboard=make_keyboard(*rows))
        return is_read

    async def _show_next_import_step(self, event: ChatEvent, source: _ImportSource) -> HandlerReply:
        here = replace(event, chat=replace(event.chat, reply_to=source.message_id))  # long texts need a new message
        return await self._show_text(here, *(await self._make_import_step_and_success(event, source))[0])

    async def _make_import_step_and_success(self, event: ChatEvent, source: _ImportSource) -> tuple[ImportStep, bool]:
        """Return the next step or an error message, and True if the file can be read."""
        try:
            return await self._plan_next_import_step(event, source), True
        except ChatGone:
            raise
        except KeepsakeError as error:
            return (format_error(error), self._make_retry_row(event, error, source)), False

    async def _find_import_source_or_explain(self, event: ChatEvent) -> _ImportSource | None:
        """Return the source that a button carries the id of, even if its message was deleted since.

        After a restart, return what the button's message replies to.
        """
        id_ = event.argument.rpartition(".")[2]
        if id_.isdecimal() and (asked := self._asked.get((event.chat.chat_scope, int(id_)))) is not None:
            return asked.source
        query = event.update.callback_query
        if (sent := _find_import_source(query.message if query else None)) is None:
            await self._show_text(event, tr("transfer-no-file"))
        return sent

    def _make_retry_row(
        self, event: ChatEvent, error: KeepsakeError, source: _ImportSource, kind: str = LOOK
    ) -> ButtonRow:
        is_after_questions = _follows_import_questions(event)
        payload = _make_import_payload(source, is_after_questions=is_after_questions)
        return [self._make_button(event, kind, tr("answers-try-again"), payload)] if error.may_pass else []

    async def _load_bytes_and_context(self, event: ChatEvent, source: _ImportSource) -> tuple[bytes, ReadContext]:
        document = source.document
        data = source.text.encode("utf-8", "replace")
        if document is not None:
            data = await download_file(self._delivery, event.chat, document.file_id, document.size)
        return data, ReadContext(
            person=event.person.id,
            name=document.name if document else "",
            bot=event.update.get_bot().id,
            answers=dict(self._get_or_create_questionnaire(event, source).answers),
        )

    def _get_or_create_questionnaire(self, event: ChatEvent, source: _ImportSource) -> _Questionnaire:
        return self._asked.setdefault((event.chat.chat_scope, source.message_id), _Questionnaire(source=source))

    async def _plan_next_import_step(self, event: ChatEvent, source: _ImportSource) -> ImportStep:
        data, given = await self._load_bytes_and_context(event, source)
        plan = await self._services.importer.plan(event.chat.scope, event.person.id, data, given)
        open_questions = [question for question in plan.questions if question.key not in given.answers]
        if not plan.new_message_count:  # speakers and date formats only matter for new messages
            open_questions = [question for question in open_questions if question.several]
        waiting = [question for question in open_questions if question.can_be_answered_later]
        asked = self._get_or_create_questionnaire(event, source)
        if question := next((question for question in open_questions if not question.can_be_answered_later), None):
            usual = question.chosen if question.chosen is not None else range(len(question.options))
            lines = format_plan(plan).split("\n\n")
            asked.question, asked.chosen = question, set(usual) if question.several else set()
            asked.heading = lines[0] if question.is_long else "\n\n".join(lines)
            return self._make_question_step(event, asked, question)
        if not plan.has_anything_new:
            return await self._add_fact_extraction_offer(event, format_plan(plan), plan.ids)
        payload = _make_import_payload(source, is_after_questions=bool(plan.questions and given.answers))
        row = [
            self._make_button(event, IMPORT, tr("transfer-import"), payload),
            self._make_button(event, LEAVE, tr("transfer-cancel")),
        ]
        if not waiting:
            return format_plan(plan), row
        asked.question, asked.chosen, asked.heading = waiting[0], set(), format_plan(plan)
        first = self._make_answer_button(event, asked, tr(f"import-ask-{waiting[0].name}"), "o")
        return format_plan(plan), row, [first]

    def _make_question_step(
        self, event: ChatEvent, questionnaire: _Questionnaire, question: ImportQuestion
    ) -> ImportStep:
        make_button = partial(self._make_answer_button, event, questionnaire)
        buttons, letter = [], "t" if question.several else "s"
        for number, text in enumerate(question.options):
            label = f"{'✓ ' if number in questionnaire.chosen else ''}{number + 1 if question.is_long else text}"
            buttons.append(make_button(label, f"{letter}{number}"))
        rows = split_into_rows(buttons, NUMBERS_A_ROW if question.is_long else 1)
        if question.several:
            everything = tr("transfer-choose-none" if questionnaire.chosen else "transfer-choose-all")
            rows.append([make_button(everything, "a")])
            rows.append([make_button(tr("transfer-go-on"), "d")])
        return format_question(question, questionnaire.chosen, questionnaire.heading), *rows

    def _make_answer_button(
        self, event: ChatEvent, questionnaire: _Questionnaire, label: str, choice: str
    ) -> InlineKeyboardButton:
        payload = f"{len(questionnaire.answers)}.{choice}.{questionnaire.source.message_id}"
        return self._make_button(event, ANSWER, label, payload)

    @Action(ANSWER, who="admins", reads_file=True)
    async def _store_import_answer(self, event: ChatEvent) -> HandlerReply:
        if (sent := await self._find_import_source_or_explain(event)) is None:
            return None
        asked = self._get_or_create_questionnaire(event, sent)
        step, what, *_ = event.argument.split(".")
        if (question := asked.question) is not None:
            if step != str(len(asked.answers)):
                return None  # the button belongs to an earlier question
            number = int(what[1:] or 0)
            if what[0] == "t":
                asked.chosen ^= {number}
            elif what[0] == "a":
                asked.chosen = set() if asked.chosen else set(range(len(question.options)))
            if what[0] in "tao":
                return await self._show_text(event, *self._make_question_step(event, asked, question))
            asked.answers[question.key] = (number,) if what[0] == "s" else tuple(sorted(asked.chosen))
        return await self._show_next_import_step(event, sent)

    @Action(LEAVE)
    async def _cancel_import(self, event: ChatEvent) -> None:
        await self._show_text(event, tr("transfer-ended" if event.argument == ASKED else "transfer-left"))

    @Action(LOOK, who="admins", reads_file=True)
    async def _retry_reading_source(self, event: ChatEvent) -> None:
        if (sent := await self._find_import_source_or_explain(event)) is not None:
            await self._last_buttons.remove_buttons(self._delivery, event.chat, event.message_id)
            await self._try_to_offer_import(event, sent)

    @Action(STOP, who="admins")
    async def _pause_import(self, event: ChatEvent) -> HandlerReply:
        if (progress := self._running.get((event.chat.chat_scope, event.message_id))) is None:
            return None
        progress.is_stopped = True
        return tr("transfer-stopping")

    @Action(IMPORT, who="admins", queue="slow", reads_file=True, runs_once="by button")
    async def _import_file(self, event: ChatEvent) -> HandlerReply:
        key = (event.chat.chat_scope, event.message_id)
        if (sent := await self._find_import_source_or_explain(event)) is None:
            return None
        if _follows_import_questions(event) and not self._get_or_create_questionnaire(event, sent).answers:
            return await self._show_next_import_step(event, sent)
        stop = [self._make_button(event, STOP, tr("transfer-pause"))]
        progress = self._running[key] = ImportProgress(
            lambda text: self._show_text(event, text, stop), self._delivery.clock.time
        )
        try:
            importer = self._services.importer
            with importer.mark_import_running(event.chat.scope.owner):
                await self._show_text(event, tr("transfer-importing"), stop)
                data, given = await self._load_bytes_and_context(event, sent)
                result = await importer.import_file(
                    event.chat.scope, event.person.id, data, given, progress=progress.report
                )
        except _ImportPaused:
            payload = _make_import_payload(sent, is_after_questions=_follows_import_questions(event))
            go_on = self._make_button(event, IMPORT, tr("transfer-go-on"), payload)
            leave = self._make_button(event, LEAVE, tr("transfer-cancel"), ASKED)
            await self._show_text(event, f"{progress.summary} {tr('transfer-paused')}", [go_on, leave])
        except ImportRefused as refused:
            await self._show_text(event, format_error(refused), self._make_retry_row(event, refused, sent, IMPORT))
        except KeepsakeError as error:
            if isinstance(error, ChatGone):
                raise
            is_stale = isinstance(error, StaleSummary)
            reasons = [tr("transfer-moved")] if is_stale else [format_error(error), tr("transfer-again")]
            text = " ".join([progress.summary, *reasons])
            await self._show_text(event, text, self._make_retry_row(event, error, sent, IMPORT))
        else:
            await self._show_text(
                event, *await self._add_fact_extraction_offer(event, format_import_result(result), result.ids)
            )
        finally:
            self._running.pop(key, None)
        return None

    async def _add_fact_extraction_offer(
        self, event: ChatEvent, text: str, message_id_range: tuple[int, int] | None
    ) -> ImportStep:
        if message_id_range is None:
            return (text,)
        try:
            estimate = await self._services.history_extraction.estimate_cost(event.chat.scope.owner, *message_id_range)
        except StorageError as error:
            log.warning("learning from an import was not offered: %s", type(error).__name__)
            return (text,)
        if estimate is None:
            return (text,)
        messages, requests, tokens = estimate.messages, estimate.requests, estimate.tokens
        cost = tr("learning-what-it-takes", messages=messages, requests=requests, tokens=tokens)
        return f"{text}\n\n{cost}", [
            self._make_button(event, LEARN, tr("learning-offer"), f"{message_id_range[0]}.{message_id_range[1]}")
        ]

    @Action(LEARN, who="admins")
    async def _begin_fact_extraction(self, event: ChatEvent) -> HandlerReply:
        first, _, last = event.argument.partition(".")
        outcome = await self._services.history_extraction.begin(event.chat.scope.owner, int(first), int(last))
        if outcome in ("busy", "off"):
            return tr("learning-busy" if outcome == "busy" else "learning-off")
        if outcome == "nothing":
            return await self._show_extraction_status(event, tr("learning-nothing"))
        stop = self._make_button(event, STOP_LEARNING, tr("answers-stop"), event.argument)
        return await self._show_extraction_status(event, tr("learning-begun"), stop)

    @Action(STOP_LEARNING, who="admins")
    async def _stop_fact_extraction(self, event: ChatEvent) -> HandlerReply:
        await self._services.history_extraction.stop(event.chat.scope.owner)
        go_on = self._make_button(event, LEARN, tr("answers-continue"), event.argument)
        return await self._show_extraction_status(event, tr("learning-stopped"), go_on)

    async def _show_extraction_status(
        self, event: ChatEvent, text: str, *buttons: InlineKeyboardButton
    ) -> HandlerReply:
        """Show `text`, the status of learning facts, as the last paragraph of the import receipt."""
        receipt = event.message_text.rpartition("\n\n")[0]
        return await self._show_text(event, "\n\n".join(part for part in (receipt, text) if part), buttons)


def _make_import_payload(source: _ImportSource, *, is_after_questions: bool) -> str:
    """Return a unique payload for a button that imports a source. Each payload works only once."""
    return f"{ASKED if is_after_questions else ''}.{make_nonce()}.{source.message_id}"


def _follows_import_questions(event: ChatEvent) -> bool:
    return event.argument.startswith(ASKED)


class _ImportPaused(Exception):  # noqa: N818 - not a failure
    """Raised to stop an import that the person has paused."""


class ImportProgress:
    """The progress of an import, shown at most once every REPORT_SECONDS."""

    def __init__(self, show: Callable[[str], Awaitable[object]], clock: Callable[[], float]) -> None:
        self._show = show
        self._clock = clock
        self._shown_at = -REPORT_SECONDS
        self._began: tuple[float, int] | None = None
        self._done = 0
        self.is_stopped = False

    @property
    def summary(self) -> str:
        return tr("transfer-stopped", messages=self._done) if self._done else tr("transfer-not-begun")

    async def report(self, done: int, total: int) -> None:
        """Show the progress. Raise _ImportPaused if the person paused the import."""
        self._done = done
        now = self._clock()
        if self.is_stopped and done < total:
            raise _ImportPaused
        if done == total or now - self._shown_at < REPORT_SECONDS:
            return
        self._shown_at = now
        sentences = [tr("transfer-importing-so-far", done=done, messages=total)]
        began, before = self._began = self._began or (now, done)
        if done > before and now > began:
            minutes = round((total - done) * (now - began) / (done - before) / 60)
            sentences.append(tr("transfer-minutes-left", minutes=str(max(1, minutes))))
        await self._show(" ".join(sentences))


def _find_import_source(message: object) -> _ImportSource | None:
    """Return the file in a message, or the file or text that it replies to, or None. Ignore texts from bots."""
    if (document := find_document(message)) is not None:
        return _ImportSource(message_id=document.message_id, document=document)
    replied = message.reply_to_message if isinstance(message, Message) else None
    if replied is None or not replied.text or (replied.from_user and replied.from_user.is_bot):
        return None
    return _ImportSource(message_id=replied.message_id, text=replied.text)
