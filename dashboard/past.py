"""What is brought along and taken away: import with its questions and its progress, learning from it, export.

An import runs as long as its request: whoever ends that pauses it, and what came in stays. Does not know formats.
"""

import asyncio
import json
import logging
import shutil
import tempfile
import zipfile
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from typing import IO

from attrs import define, field
from starlette.responses import Response, StreamingResponse

from chat.services import Services
from dashboard.host import Host
from dashboard.parameters import MAX_NUMBER, BadRequest
from dashboard.views import MAX_NAME_CHARS
from dashboard.visits import Answer, Visit, VisitRefused
from locales.catalog import speak_in, tr
from locales.page_texts import to_page_text
from locales.told import error_sentence
from records.errors import ImportBusy, KeepsakeError, StaleFold
from runtime.bounded_json import parse_bounded
from runtime.pacing import MAX_FILE_SECONDS, Files, receive_file
from runtime.tasks import cancel_and_wait
from transfer.exporter import Exported
from transfer.plans import FileContext, format_done, format_instructions_heading, format_plan
from transfer.restorer import Progress

log = logging.getLogger(__name__)

MAX_FILE_BYTES = 50_000_000  # bytes of a file that is imported; Telegram's own bots fetch 20 MB at most
MAX_FILE_NAME_CHARS = 255
MAX_ANSWERS_CHARS = 4_000
PIECE = 65_536  # bytes of an export that are sent at a time
FORMATS = ("json", "markdown", "html")


@define(kw_only=True, eq=False)
class Past:
    """Handle imports and exports."""

    _services: Services
    _host: Host
    _uploads: Files = field(factory=Files, init=False)
    _exports: Files = field(factory=Files, init=False)

    async def plan(self, visit: Visit) -> Answer:
        given = self._parse_given(visit)
        async with self._uploads.turn(visit.session.person):
            data = await _receive_upload(visit)
            plan = await self._services.importer.plan(visit.scope, visit.session.person, data, given)
        asking = [
            question
            for question in plan.questions
            if question.key not in given.answers and (plan.new or question.several)
        ]
        return {
            "text": to_page_text(format_plan(plan, with_instructions=False)),
            "instructions": {"heading": format_instructions_heading(plan), "texts": list(plan.instructions)},
            "questions": [
                {
                    "key": one.key,
                    "text": tr(f"import-ask-{one.name}"),
                    "options": list(one.options),
                    "several": one.several,
                    "chosen": list(
                        one.chosen if one.chosen is not None else range(len(one.options) if one.several else 0)
                    ),
                }
                for one in asking
            ],
            "has_new": plan.has_new,
            "learn": None if plan.has_new else await self._make_learning_offer(visit.owner, plan.ids),
        }

    async def run(self, visit: Visit) -> Response:
        given, stack = self._parse_given(visit), AsyncExitStack()
        await stack.enter_async_context(self._uploads.turn(visit.session.person))
        try:
            data = await _receive_upload(visit)
        except BaseException:
            await stack.aclose()
            raise
        return StreamingResponse(self._stream_import(visit, data, given, stack), media_type="application/x-ndjson")

    async def _stream_import(
        self, visit: Visit, data: bytes, given: FileContext, stack: AsyncExitStack
    ) -> AsyncIterator[str]:
        """Stream the progress of an import and how it ended. Closes the stack."""
        news, so_far = asyncio.Event(), (0, 0)

        async def progress(done: int, total: int) -> None:
            nonlocal so_far
            so_far = done, total
            news.set()

        with speak_in(visit.language):  # the task keeps it
            task = asyncio.create_task(self._run_import(visit, data, given, progress))
        try:
            while not task.done():
                told_so_far = asyncio.ensure_future(news.wait())
                await asyncio.wait({task, told_so_far}, return_when=asyncio.FIRST_COMPLETED)
                told_so_far.cancel()
                if news.is_set() and not task.done():
                    news.clear()
                    yield _format_line({"done": so_far[0], "total": so_far[1]})
            yield _format_line(task.result())
        finally:
            await stack.aclose()
            await cancel_and_wait(task)

    async def _run_import(self, visit: Visit, data: bytes, given: FileContext, progress: Progress) -> Answer:
        """Return the last line of an import."""
        person = visit.session.person
        try:
            async with self._services.memory.kept(visit.owner):  # the request that began this is over
                done = await self._services.importer.run(visit.scope, person, data, given, progress=progress)
            return {
                "said": to_page_text(format_done(done)),
                "learn": await self._make_learning_offer(visit.owner, done.ids),
            }
        except StaleFold:
            return {"error": tr("transfer-moved")}
        except KeepsakeError as error:
            return {"error": to_page_text(error_sentence(error)), "is_busy": isinstance(error, ImportBusy)}
        except Exception as error:  # broad: its reader waits for a line
            log.error("an import failed", exc_info=error)  # noqa: TRY400 - without the error's text
            return {"error": tr("notices-went-wrong")}

    async def _make_learning_offer(self, owner: int, ids: tuple[int, int] | None) -> Answer | None:
        """Return the offer to learn facts from the import, if possible."""
        estimate = await self._services.history_extraction.estimate(owner, *ids) if ids else None
        if estimate is None or ids is None:
            return None
        text = tr(
            "learning-what-it-takes",
            messages=estimate.messages,
            requests=estimate.requests,
            tokens=estimate.tokens,
        )
        return {"text": text, "first": ids[0], "last": ids[1]}

    async def learning(self, visit: Visit) -> Answer:
        """Return the offer to learn from all that was imported at any time and not learned from yet; and how another
        assistant is asked for what it knows.
        """
        return {
            "offer": await self._make_learning_offer(visit.owner, (-MAX_NUMBER, MAX_NUMBER)),
            "paste": tr("transfer-paste-prompt"),
        }

    async def learn(self, visit: Visit) -> Answer:
        first, last = visit.asked.integer("first"), visit.asked.integer("last")
        match await self._services.history_extraction.begin(visit.owner, first, last):
            case "busy":
                raise VisitRefused(409, tr("learning-busy"))
            case "off":
                raise VisitRefused(409, tr("learning-off"))
            case "nothing":
                return {"said": tr("learning-nothing")}
        return {"said": tr("learning-begun")}

    async def stop_learning(self, visit: Visit) -> Answer:
        await self._services.history_extraction.stop(visit.owner)
        return {"said": tr("learning-stopped")}

    # export --------------------------------------------------------------------------------------------------

    async def export(self, visit: Visit) -> Response:
        wanted = visit.asked.text("format", MAX_NAME_CHARS)
        if wanted not in FORMATS:
            raise BadRequest(f"format is one of {', '.join(FORMATS)}.")
        stack = AsyncExitStack()
        try:
            await stack.enter_async_context(self._exports.turn(visit.session.person))
            name, file = await self._open_export(visit.owner, wanted, stack)
        except BaseException:
            await stack.aclose()
            raise

        async def pieces() -> AsyncIterator[bytes]:
            async with stack, asyncio.timeout(MAX_FILE_SECONDS):
                while piece := await asyncio.to_thread(file.read, PIECE):
                    yield piece

        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return StreamingResponse(pieces(), media_type="application/octet-stream", headers=headers)

    async def _open_export(self, owner: int, wanted: str, stack: AsyncExitStack) -> tuple[str, IO[bytes]]:
        """Open an export as one named file, which the stack closes."""
        exporter = self._services.exporter
        making = exporter.files(owner) if wanted == "json" else exporter.readable(owner)
        files = await stack.enter_async_context(making)
        if wanted != "json":
            files = tuple(one for one in files if one.name.endswith((".html", "-page.zip")) == (wanted == "html"))
        if not files:
            raise VisitRefused(404, tr("transfer-nothing"))
        if len(files) == 1:
            return files[0].name, files[0].file
        file = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - the stack closes it
        await asyncio.to_thread(_pack_zip, files, file)
        return f"keepsake-{self._services.clock().date().isoformat()}.zip", file

    async def send(self, visit: Visit) -> Answer:
        """Have the bot send an export into the chat: some of Telegram's apps let no page save a file."""
        wanted = visit.asked.text("format", MAX_NAME_CHARS)
        if wanted not in FORMATS:
            raise BadRequest(f"format is one of {', '.join(FORMATS)}.")
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._exports.turn(visit.session.person))
            name, file = await self._open_export(visit.owner, wanted, stack)
            if not await self._host.send_file(visit.session.person, name, file):
                raise VisitRefused(409, tr("transfer-not-private"))
        return {"said": tr("dashboard-export-sent")}

    def _parse_given(self, visit: Visit) -> FileContext:
        try:
            answers = parse_bounded(visit.asked.text("answers", MAX_ANSWERS_CHARS) or "{}")
        except ValueError:
            answers = None
        if not isinstance(answers, dict) or not all(
            isinstance(answer, list) and all(type(number) is int for number in answer) for answer in answers.values()
        ):
            raise BadRequest("answers are numbers of options, by the keys of questions.")
        chosen = {str(key): tuple(numbers) for key, numbers in answers.items()}
        name = visit.asked.text("name", MAX_FILE_NAME_CHARS)
        return FileContext(name=name, bot=self._host.bot_id, answers=chosen)


async def _receive_upload(visit: Visit) -> bytes:
    """Receive the file in the body on disk, so that a half-sent one takes no memory."""
    with await receive_file(visit.request, MAX_FILE_BYTES) as file:
        return await asyncio.to_thread(file.read)


def _format_line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


def _pack_zip(files: Sequence[Exported], into: IO[bytes]) -> None:
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            with archive.open(file.name, "w") as inner:
                shutil.copyfileobj(file.file, inner)
    into.seek(0)
