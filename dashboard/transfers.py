"""Answer the page's requests to import a file, learn facts from it, or export data."""

import asyncio
import json
import logging
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import IO

from attrs import define, field
from starlette.responses import Response, StreamingResponse

from chat.services import Services
from dashboard.endpoints import JsonBody, PageRequest, RequestRefused
from dashboard.forms import serialize_fields
from dashboard.host import Host
from dashboard.parameters import MAX_NUMBER, BadRequest
from dashboard.views import MAX_NAME_CHARS
from locales.catalog import tr, use_language
from locales.page_texts import remove_commands
from locales.sentences import format_error
from records.errors import ImportBusy, KeepsakeError, StaleSummary
from runtime.bounded_json import parse_untrusted_json
from runtime.pacing import MAX_FILE_SECONDS, FileTransfers, receive_file
from runtime.tasks import cancel_and_wait
from transfer.exporter import write_zip
from transfer.formats.history import ReadContext
from transfer.plans import format_import_result, format_instructions_heading, format_plan
from transfer.restorer import Progress

log = logging.getLogger(__name__)

MAX_FILE_BYTES = 50_000_000  # of an import; a bot in Telegram can fetch 20 MB
MAX_FILE_NAME_CHARS = 255
MAX_ANSWERS_CHARS = 4_000
CHUNK_BYTES = 65_536  # of an export that are sent at a time
FORMATS = ("json", "markdown", "html")


@define(kw_only=True, eq=False)
class TransferHandlers:
    """Handlers of requests that import or export data."""

    _services: Services
    _host: Host
    _uploads: FileTransfers = field(factory=FileTransfers, init=False)
    _exports: FileTransfers = field(factory=FileTransfers, init=False)

    async def preview_import(self, request: PageRequest) -> JsonBody:
        """Return a preview of an import, with the questions that the person still has to answer."""
        reading = self._parse_import_context(request)
        async with self._uploads.reserve_transfer_slot(request.session.person):
            data = await _receive_upload(request)
            plan = await self._services.importer.plan(request.scope, request.session.person, data, reading)
        return {
            "text": remove_commands(format_plan(plan, with_instructions=False)),
            "instructions": {"heading": format_instructions_heading(plan), "texts": list(plan.instructions)},
            "questions": [
                {
                    **serialize_fields(question, "key", "options", "several"),
                    "text": tr(f"import-ask-{question.name}"),
                    "chosen": question.chosen
                    if question.chosen is not None
                    else [*range(len(question.options) if question.several else 0)],
                }
                for question in plan.questions
                if question.key not in reading.answers and (plan.new_message_count or question.several)
            ],
            "has_new": plan.has_anything_new,
            "learn": None if plan.has_anything_new else await self._make_fact_learning_offer(request.owner, plan.ids),
        }

    async def run_import(self, request: PageRequest) -> Response:
        reading = self._parse_import_context(request)
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._uploads.reserve_transfer_slot(request.session.person))
            lines = self._stream_import_progress(request, await _receive_upload(request), reading, stack.pop_all())
            return StreamingResponse(lines, media_type="application/x-ndjson")

    async def _stream_import_progress(
        self, request: PageRequest, data: bytes, context: ReadContext, stack: AsyncExitStack
    ) -> AsyncIterator[str]:
        lines = asyncio.Queue[JsonBody | None]()

        async def report_progress(done: int, total: int) -> None:
            lines.put_nowait({"done": done, "total": total})

        async def import_and_report() -> None:
            lines.put_nowait(await self._import_file(request, data, context, report_progress))
            lines.put_nowait(None)

        with use_language(request.language):  # the task inherits the language
            task = asyncio.create_task(import_and_report())
        try:
            while (line := await lines.get()) is not None:
                yield json.dumps(line, ensure_ascii=False) + "\n"
        finally:
            await stack.aclose()
            await cancel_and_wait(task)

    async def _import_file(
        self, request: PageRequest, data: bytes, context: ReadContext, report_progress: Progress
    ) -> JsonBody:
        person = request.session.person
        try:
            async with self._services.memory.hold_owner_lease(request.owner):  # the handler of the request has returned
                done = await self._services.importer.import_file(
                    request.scope, person, data, context, progress=report_progress
                )
            offer = await self._make_fact_learning_offer(request.owner, done.ids)
            return {"said": remove_commands(format_import_result(done)), "learn": offer}
        except StaleSummary:
            return {"error": tr("transfer-moved")}
        except KeepsakeError as error:
            return {"error": remove_commands(format_error(error)), "is_busy": isinstance(error, ImportBusy)}
        except Exception as error:  # broad: the page waits for the last line
            log.error("an import failed", exc_info=error)  # noqa: TRY400 - without the error's text
            return {"error": tr("notices-went-wrong")}

    async def _make_fact_learning_offer(self, owner: int, message_id_range: tuple[int, int] | None) -> JsonBody | None:
        if message_id_range is None:
            return None
        estimate = await self._services.history_extraction.estimate_cost(owner, *message_id_range)
        if estimate is None:
            return None
        figures = {"messages": estimate.messages, "requests": estimate.requests, "tokens": estimate.tokens}
        return {
            "text": tr("learning-what-it-takes", **figures),
            "first": message_id_range[0],
            "last": message_id_range[1],
        }

    async def get_fact_learning_offer(self, request: PageRequest) -> JsonBody:
        """Return an offer to learn facts from imported messages, and a prompt that asks another assistant for facts."""
        return {
            "offer": await self._make_fact_learning_offer(request.owner, (-MAX_NUMBER, MAX_NUMBER)),
            "paste": tr("transfer-paste-prompt"),
        }

    async def start_learning_facts(self, request: PageRequest) -> JsonBody:
        first, last = request.parameters.read_integer("first"), request.parameters.read_integer("last")
        outcome = await self._services.history_extraction.begin(request.owner, first, last)
        if outcome in ("busy", "off"):
            raise RequestRefused(409, tr("learning-busy" if outcome == "busy" else "learning-off"))
        return {"said": tr("learning-nothing" if outcome == "nothing" else "learning-begun")}

    async def stop_learning_facts(self, request: PageRequest) -> JsonBody:
        await self._services.history_extraction.stop(request.owner)
        return {"said": tr("learning-stopped")}

    async def download_export(self, request: PageRequest) -> Response:
        async with AsyncExitStack() as stack:
            name, file = await self._open_export_name_and_file(request, stack)
            opened = stack.pop_all()

        async def read_export_chunks() -> AsyncIterator[bytes]:
            async with opened, asyncio.timeout(MAX_FILE_SECONDS):
                while chunk := await asyncio.to_thread(file.read, CHUNK_BYTES):
                    yield chunk

        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return StreamingResponse(read_export_chunks(), media_type="application/octet-stream", headers=headers)

    async def _open_export_name_and_file(self, request: PageRequest, stack: AsyncExitStack) -> tuple[str, IO[bytes]]:
        wanted = request.parameters.read_text("format", MAX_NAME_CHARS)
        if wanted not in FORMATS:
            raise BadRequest(f"format is one of {', '.join(FORMATS)}.")
        await stack.enter_async_context(self._exports.reserve_transfer_slot(request.session.person))
        exporter = self._services.exporter
        await self._services.distiller.correct_profile_if_stale(request.owner)
        making = exporter.export_files(request.owner) if wanted == "json" else exporter.export_for_people(request.owner)
        files = await stack.enter_async_context(making)
        if wanted != "json":
            files = tuple(file for file in files if file.name.endswith((".html", "-page.zip")) == (wanted == "html"))
        if not files:
            raise RequestRefused(404, tr("transfer-nothing"))
        if len(files) == 1:
            return files[0].name, files[0].file
        archive = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - the stack closes it
        await asyncio.to_thread(write_zip, archive, [(file.name, file.file) for file in files])
        return f"keepsake-{self._services.clock().date().isoformat()}.zip", archive

    async def send_export_to_chat(self, request: PageRequest) -> JsonBody:
        """Send an export to the chat, because Telegram's apps do not let a page save a file."""
        send_file = self._host.send_file
        async with AsyncExitStack() as stack:
            name, file = await self._open_export_name_and_file(request, stack)
            if send_file is None or not await send_file(request.session.person, name, file):
                raise RequestRefused(409, tr("transfer-not-private", command="/export"))
        return {"said": tr("dashboard-export-sent")}

    def _parse_import_context(self, request: PageRequest) -> ReadContext:
        try:
            answers = parse_untrusted_json(request.parameters.read_text("answers", MAX_ANSWERS_CHARS) or "{}")
        except ValueError:
            answers = None
        if not isinstance(answers, dict) or not all(
            isinstance(answer, list) and all(type(number) is int for number in answer) for answer in answers.values()
        ):
            raise BadRequest("answers are numbers of options, by the keys of questions.")
        chosen = {str(key): tuple(numbers) for key, numbers in answers.items()}
        name = request.parameters.read_text("name", MAX_FILE_NAME_CHARS)
        return ReadContext(person=request.session.person, name=name, bot=self._host.bot_id, answers=chosen)


async def _receive_upload(request: PageRequest) -> bytes:
    # Through a temporary file, so that a half-sent upload takes no memory.
    with await receive_file(request.http_request, MAX_FILE_BYTES) as file:
        return await asyncio.to_thread(file.read)
