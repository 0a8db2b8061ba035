"""The program's entry point: command line, signals and exit status.

The exit status is 0 for success, 1 if something cannot be reached, and 2 for a wrong setting.
"""

import argparse
import asyncio
import gc
import logging
import signal
import sys
import time
import webbrowser
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

try:
    import telegram  # noqa: F401 - checks that the libraries are installed
except ModuleNotFoundError:
    print("The bot's libraries are not installed. Run `.venv/bin/python bot.py`, or `make run`.", file=sys.stderr)
    raise SystemExit(2) from None

import assembly
from background.measuring import update_storage_gauges
from chat.services import Services
from external_memory import ExternalMemory
from records.errors import KeepsakeError, SettingsError
from runtime import VERSION, logs, tracing
from runtime.health import Readiness, serve_health
from runtime.supervisor import Supervisor
from settings import Settings, describe_misspelt_variables, read_environment
from storage import backup
from telegram_ui.check import SETTINGS_ERRORS, check_configuration_and_get_exit_status, map_missing_settings_to_errors
from telegram_ui.commands import broadcast
from telegram_ui.commands.command_group import Dependencies
from telegram_ui.commands.dashboard import Health, make_dashboard_host
from telegram_ui.commands.registry import describe_commands_by_name
from telegram_ui.commands.reminders import send_reminder
from telegram_ui.sending import formatting
from telegram_ui.updates.access import make_access_check
from telegram_ui.updates.service import open_telegram_service

log = logging.getLogger("bot")

DEFAULT_PORT = 8300


class StopRequest:
    """A request to stop the bot, which shuts down a running bot cleanly or cancels one that is starting."""

    def __init__(self, supervisor: Supervisor) -> None:
        self.supervisor = supervisor
        self.requested = asyncio.Event()
        self.requested_at: float | None = None  # by time.monotonic()
        self.is_awaited = False

    def request_stop(self) -> None:
        self.supervisor.notify_systemd("STOPPING=1")
        self.requested_at = time.monotonic()
        self.requested.set()

    async def wait_for_stop_or_completion(self, *coroutines: Coroutine[Any, Any, object]) -> None:
        """Wait until a stop is requested or a coroutine ends. Raise the coroutine's exception if it failed."""
        self.is_awaited = True
        tasks = [asyncio.ensure_future(coroutine) for coroutine in (self.requested.wait(), *coroutines)]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bot.py", description="Keepsake, a Telegram bot that remembers.")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--playground", action="store_true", help="try it in the browser: no token, no key")
    what.add_argument("--check", action="store_true", help="check settings, Telegram, storage and model, then exit")
    what.add_argument("--backup", type=Path, metavar="FILE", help="write all memory to FILE, also while the bot runs")
    what.add_argument(
        "--restore",
        type=Path,
        metavar="FILE",
        help="put a backup into DATA_DIR, or into the database of DATABASE_URL; the bot must be stopped",
    )
    parser.add_argument("--port", type=int, help=f"the playground's port (default: {DEFAULT_PORT}, or a free one)")
    parser.add_argument("--no-browser", action="store_true", help="the playground opens no browser by itself")
    parser.add_argument("--version", action="version", version=f"Keepsake {VERSION}")
    return parser


def main(arguments: Sequence[str] | None = None, environ: Mapping[str, str] | None = None) -> int:
    """Run the program and return its exit status. Report a KeepsakeError in one line, without a traceback."""
    options = make_parser().parse_args(arguments)
    try:
        environ = read_environment() if environ is None else environ
        settings = Settings.from_env(environ)
        logs.set_up_logging(settings.log_level, settings.list_secrets(), style=settings.log_format)
        if options.port is not None and not options.playground:
            raise SettingsError("--port", "belongs to --playground.")
        if options.port is not None and not 0 < options.port < 65_536:
            raise SettingsError("--port", "must be a number from 1 to 65535.")
        if options.backup is not None:
            return write_backup_and_get_exit_status(options.backup, settings)
        if options.restore is not None:
            return restore_backup_and_get_exit_status(options.restore, settings)
        if options.check:
            return asyncio.run(check_configuration_and_get_exit_status(settings, describe_misspelt_variables(environ)))
        for sentence in describe_misspelt_variables(environ):
            log.warning("%s", sentence)
        if options.playground:
            browser = not options.no_browser and can_open_browser(environ)
            work = partial(run_playground, settings, port=options.port, opens_page=browser)
            return asyncio.run(_run_and_get_status(work, Supervisor(environ)))
        if missing := list(map_missing_settings_to_errors(settings).values()):
            first, *others = missing
            raise SettingsError(first.variable, " ".join([first.plain, *(error.sentence for error in others)]))
        return asyncio.run(_run_and_get_status(partial(run_bot, settings), Supervisor(environ)))
    except KeepsakeError as error:
        logs.log_regardless_of_level(error.sentence, logging.ERROR)
        return 2 if isinstance(error, SETTINGS_ERRORS) else 1
    except KeyboardInterrupt:
        return 130


def write_backup_and_get_exit_status(file: Path, settings: Settings) -> int:
    """Write a backup to a file, print a report, and return the exit status."""
    url = settings.database_url.value
    made = backup.back_up(settings.data_dir, file, database_url=url)
    held = format_count_with_noun(made.messages, "message is", "messages are")
    print(f"backup: {held} in {file}; it is as private as {settings.data_dir}")
    if made.elsewhere:
        where = "in other DATA_DIRs; back up each of them" if url else "in PostgreSQL; set DATABASE_URL"
        print(f"not in it: {format_count_with_noun(made.elsewhere, 'memory', 'memories')} kept {where}")
    return 0


def restore_backup_and_get_exit_status(file: Path, settings: Settings) -> int:
    """Restore a backup from a file, print a report, and return the exit status."""
    folder, url = settings.data_dir, settings.database_url.value
    restored = backup.restore_backup_file(file, folder, database_url=url)
    if restored.aside is not None:
        print(f"set aside: what {folder} held is in {restored.aside} now")
    verb = "is" if restored.messages == 1 else "are"
    where = "the database that DATABASE_URL names" if url else folder
    count = format_count_with_noun(restored.messages, "message", "messages")
    print(f"restored: {count} of {restored.made_at} {verb} in {where}")
    return 0


async def run_bot(
    settings: Settings, stop: StopRequest, *, services: Services | None = None, serves_dashboard: bool = True
) -> None:
    """Run the bot until a stop is requested or Telegram revokes the token. Serve the page if `serves_dashboard`."""
    readiness = Readiness(stop.requested.is_set)
    async with AsyncExitStack() as stack:
        if settings.health_listen is not None:
            # First, because the start may wait for Telegram.
            await stack.enter_async_context(serve_health(readiness, settings.health_listen))
        if settings.otel_exporter_otlp_endpoint:
            await stack.enter_async_context(tracing.export_spans(settings.otel_exporter_otlp_endpoint))
        if services is None:
            opening = assembly.open_services(
                settings, make_access_check=partial(make_access_check, settings), commands=describe_commands_by_name()
            )
            services = await stack.enter_async_context(opening)
        end_moves = partial(_set_shutdown_deadline, services.memory, stop)
        stack.callback(end_moves)
        run_servers = partial(_run_servers, readiness.check_each_component, serves_dashboard=serves_dashboard)
        service = await stack.enter_async_context(open_telegram_service(settings, services, run_alongside=run_servers))
        # Again before Telegram's side ends, which may wait for a database that does not answer.
        stack.callback(end_moves)
        gc.set_threshold(10_000, 10, 10)  # a turn makes thousands of objects, and nearly no cycles
        gc.freeze()  # saves 50 ms in each later collection
        measuring = partial(
            update_storage_gauges, services.memory, settings.data_dir, has_embedder=services.indexing is not None
        )
        readiness.mark_started(measuring, storage=services.memory.check_writable, updates=service.raise_if_polls_fail)
        # Not by the log, because LOG_LEVEL may hide it.
        logs.log_regardless_of_level("Keepsake is ready.")
        stop.supervisor.notify_systemd("READY=1")
        if service.invitation:
            print(service.invitation, flush=True)
        await stop.wait_for_stop_or_completion(service.wait_until_token_is_refused())


def _set_shutdown_deadline(memory: ExternalMemory, stop: StopRequest) -> None:
    if stop.requested_at is not None:
        memory.set_shutdown_deadline(stop.requested_at + 5.0)  # the process has ten seconds to end


@asynccontextmanager
async def _run_servers(health: Health, dependencies: Dependencies, *, serves_dashboard: bool) -> AsyncIterator[None]:
    services, settings = dependencies.services, dependencies.settings
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(services.reminders.run_sender(partial(send_reminder, dependencies)))
        await stack.enter_async_context(broadcast.send_broadcasts_in_background(dependencies))
        if serves_dashboard and settings.dashboard_url:
            # Imported here, because a bot without a page needs no web server.
            from dashboard.app import serve_dashboard

            served = serve_dashboard(services, make_dashboard_host(dependencies, health), settings.dashboard_listen)
            await stack.enter_async_context(served)
        yield


async def run_playground(settings: Settings, stop: StopRequest, *, port: int | None, opens_page: bool = False) -> None:
    """Run the bot with a local Bot API server and a chat page. If `opens_page`, open the page in a browser."""
    # Imported here, because a bot without a playground needs no web server.
    from playground.stage import serve_playground

    settings = replace(settings, data_dir=settings.data_dir / "playground", webhook_url="", backup_dir=None)
    settings, model_name, offline = await choose_model_and_check_if_offline(settings)
    async with AsyncExitStack() as stack:
        served = partial(make_access_check, replace(settings, everyone_allowed=True))
        known = describe_commands_by_name()
        opening = assembly.open_services(settings, offline=offline, make_access_check=served, commands=known)
        services = await stack.enter_async_context(opening)
        stage = await stack.enter_async_context(
            serve_playground(
                services,
                model_name="" if offline else model_name,
                port=port or DEFAULT_PORT,
                is_port_required=port is not None,
                folder=settings.data_dir,
                format_answer=_split_answer_into_telegram_messages,
            )
        )
        settings = replace(
            settings,
            telegram_bot_token=stage.token,
            telegram_api_url=stage.url,
            everyone_allowed=True,
            admin_user_ids=stage.admins,
            dashboard_url=f"{stage.url}/memory",
        )
        address = f"Keepsake's playground: {stage.url}"
        print(f"{address}  (answers: {model_name}; data: {settings.data_dir}; stop: Ctrl-C)", flush=True)
        if opens_page:
            await asyncio.to_thread(webbrowser.open, stage.url)
        await run_bot(settings, stop, services=services, serves_dashboard=False)


async def choose_model_and_check_if_offline(settings: Settings) -> tuple[Settings, str, bool]:
    """Return settings for the playground, the model's display name, and True if the model is offline."""
    from llm.offline import OfflineModel
    from playground.ollama import OLLAMA, find_ollama_model

    if settings.openai_api_key or settings.openai_base_url:
        return settings, settings.openai_model, False
    if model := await find_ollama_model():
        found = replace(settings, openai_base_url=OLLAMA, openai_model=model, summary_model=model)
        return found, f"{model} (Ollama on this machine)", False
    settings = replace(settings, openai_model=OfflineModel.name, openai_models=(), summary_model=OfflineModel.name)
    return settings, "the offline model (it only quotes what it remembers)", True


def _split_answer_into_telegram_messages(answer: str) -> list[dict[str, Any]]:
    pieces = formatting.split_text(*formatting.convert_markdown_to_text_and_entities(answer))
    shown = (piece for piece in pieces if not piece.is_blank)
    return [{"text": piece.text, "entities": [entity.to_dict() for entity in piece.entities]} for piece in shown]


def can_open_browser(environ: Mapping[str, str]) -> bool:
    """Return True if the program runs in a terminal on a local desktop."""
    if not sys.stdout.isatty() or environ.get("SSH_CONNECTION"):
        return False
    return sys.platform == "darwin" or bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))


async def _run_and_get_status(work: Callable[[StopRequest], Coroutine[Any, Any, None]], supervisor: Supervisor) -> int:
    # A thread that analyses a long text or file gives the interpreter to the event loop ten times as soon as usual.
    sys.setswitchinterval(0.0005)
    stop = StopRequest(supervisor)
    task = asyncio.ensure_future(work(stop))

    def request_stop_on_signal() -> None:
        stop.request_stop()
        if not stop.is_awaited:
            task.cancel()

    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, request_stop_on_signal)
    try:
        async with supervisor.notify_watchdog_in_background():
            await task
    except asyncio.CancelledError:
        if not stop.requested.is_set():
            raise
    return 0


def format_count_with_noun(number: int, singular: str, plural: str) -> str:
    return f"{number:,} {singular if number == 1 else plural}"


def log_fatal_error(_type: object, error: BaseException, _traceback: object) -> None:
    """Log an uncaught exception without its text, which may contain private messages."""
    log.critical("ended by an error: %s", type(error).__name__, exc_info=error)


if __name__ == "__main__":
    sys.excepthook = log_fatal_error
    sys.exit(main())
