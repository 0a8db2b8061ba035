"""Entry: read the settings, assemble, attach Telegram, run until told to stop.

Owns the command line, exit statuses and signals. 0: all is well; 1: something cannot be reached; 2: a wrong setting.
"""

import argparse
import asyncio
import gc
import signal
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import assembly
from chat.services import Services
from external_memory import ExternalMemory
from playground.stage import open_stage
from records.errors import KeepsakeError, ModelRefused, SettingsError, StorageBusy, StorageCorrupt, StorageTooNew
from runtime import heap, logs
from settings import Settings, environment
from storage import backup
from telegram_ui.commands.buttons import Buttons
from telegram_ui.commands.family import MayConfigure
from telegram_ui.commands.registry import Commands
from telegram_ui.sending.delivery import Delivery
from telegram_ui.updates.service import telegram_service

VERSION = "0.1.0"
DEFAULT_PORT = 8300


class Stop:
    """A wish to stop. What awaits it leaves in order; what does not yet, because it is starting, is cancelled."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.is_awaited = False

    async def wait(self, *others: Coroutine[Any, Any, object]) -> None:
        """Until the wish comes or one of the others ends; what that one raised is raised."""
        self.is_awaited = True
        tasks = [asyncio.ensure_future(one) for one in (self.asked.wait(), *others)]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bot.py", description="Keepsake, a Telegram bot that remembers.")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--playground", action="store_true", help="try it in the browser: no token, no key")
    what.add_argument("--check", action="store_true", help="check settings, storage and model, then exit")
    what.add_argument("--backup", type=Path, metavar="FILE", help="write all memory to FILE, also while the bot runs")
    what.add_argument(
        "--restore", type=Path, metavar="FILE", help="put a backup into DATA_DIR; the bot must be stopped"
    )
    parser.add_argument("--port", type=int, help=f"the playground's port (default: {DEFAULT_PORT}, or a free one)")
    parser.add_argument("--version", action="version", version=f"Keepsake {VERSION}")
    return parser


def main(arguments: Sequence[str] | None = None, environ: Mapping[str, str] | None = None) -> int:
    """Runs the program; its exit status. A KeepsakeError is one line on stderr, never a traceback."""
    options = parser().parse_args(arguments)
    heap.keep_in_one_piece()
    try:
        settings = Settings.from_env(environment() if environ is None else environ)
        logs.set_up(settings.log_level, settings.secrets())
        if settings.database_url:
            raise SettingsError("DATABASE_URL", "storage in PostgreSQL is not built yet; leave it empty.")
        if options.port is not None and not options.playground:
            raise SettingsError("--port", "belongs to --playground.")
        if options.port is not None and not 0 < options.port < 65_536:
            raise SettingsError("--port", "must be a number from 1 to 65535.")
        if options.backup is not None:
            messages = backup.back_up(settings.data_dir, options.backup)
            print(f"backup: {messages} messages are in {options.backup}; it is as private as {settings.data_dir}")
            return 0
        if options.restore is not None:
            return put_back(options.restore, settings.data_dir)
        if options.check:
            return asyncio.run(check(settings))
        if options.playground:
            return asyncio.run(_until_stopped(partial(play, settings, port=options.port)))
        if not settings.telegram_bot_token:
            raise SettingsError(
                "TELEGRAM_BOT_TOKEN",
                "is not set. Get one from @BotFather, or try the bot with: python bot.py --playground",
            )
        assembly.demand_endpoint(settings)
        return asyncio.run(_until_stopped(partial(run, settings)))
    except KeepsakeError as error:
        print(error.sentence, file=sys.stderr)
        return 2 if isinstance(error, SettingsError | StorageBusy | StorageCorrupt | StorageTooNew) else 1
    except KeyboardInterrupt:
        return 130


def put_back(file: Path, folder: Path) -> int:
    """Restore a backup, and say where what was there before has gone."""
    done = backup.restore(file, folder)
    if done.aside is not None:
        print(f"set aside: what {folder} held is in {done.aside} now")
    print(f"restored: {done.messages} messages of {done.made_at} are in {folder}")
    return 0


async def check(settings: Settings) -> int:
    """One line for each part; the exit status."""
    print("settings: all values can be used")
    async with ExternalMemory.open(settings.data_dir, clock=assembly.utc_now):
        print(f"storage: {settings.data_dir} can be read and written")
    assembly.demand_endpoint(settings)
    status = 0
    async with AsyncExitStack() as stack:
        for model in dict.fromkeys(await assembly.open_models(settings, stack)):
            try:
                print(f"model: {await model.check()}")
            except KeepsakeError as error:
                print(f"model: {error.sentence}")
                status = max(status, 2 if isinstance(error, ModelRefused) else 1)
        embedder = await assembly.open_embedder(settings, stack)
        try:
            found = "none, search by words alone" if embedder is None else f"{embedder.name} answers"
            if embedder is not None:
                await embedder.query("Is anybody there?")
            print(f"embeddings: {found}")
        except KeepsakeError as error:
            print(f"embeddings: {error.sentence}")
            status = max(status, 2 if isinstance(error, ModelRefused) else 1)
    return status


async def run(settings: Settings, stop: Stop, *, services: Services | None = None) -> None:
    """The bot, until `stop` is set or Telegram revokes the token."""
    async with AsyncExitStack() as stack:
        if services is None:
            services = await stack.enter_async_context(assembly.open_services(settings))
        service = await stack.enter_async_context(
            telegram_service(
                settings,
                conversation=services.conversation,
                corrections=services.corrections,
                inbox=services.memory.inbox,
                commands=partial(_commands, settings, services),
            )
        )
        # What is there now stays: Python's collector need not walk through it again and again (50 ms each time).
        gc.freeze()
        # Not by the log: LOG_LEVEL may hide it, and whoever starts the bot waits for it.
        print("Keepsake is ready.", file=sys.stderr, flush=True)
        await stop.wait(service.until_failure())


def _commands(settings: Settings, services: Services, delivery: Delivery, may_configure: MayConfigure) -> Commands:
    return Commands(
        services,
        delivery,
        may_configure=may_configure,
        buttons=Buttons(settings.telegram_bot_token.value.encode()),
        retention_days=settings.retention_days,
    )


async def play(settings: Settings, stop: Stop, *, port: int | None) -> None:
    """The same bot against a local Bot API server, with a chat page in the browser."""
    settings = replace(settings, data_dir=settings.data_dir / "playground", webhook_url="")
    settings, model_name, offline = await assembly.playground_model(settings)
    async with AsyncExitStack() as stack:
        services = await stack.enter_async_context(assembly.open_services(settings, offline=offline))
        stage = await stack.enter_async_context(
            open_stage(services, model_name=model_name, port=port or DEFAULT_PORT, is_wanted=port is not None)
        )
        settings = replace(settings, telegram_bot_token=stage.token, telegram_api_url=stage.url, everyone_allowed=True)
        print(f"Keepsake's playground: {stage.url}  (answers: {model_name}; data: {settings.data_dir}; stop: Ctrl-C)")
        sys.stdout.flush()
        await run(settings, stop, services=services)


async def _until_stopped(work: Callable[["Stop"], Coroutine[Any, Any, None]]) -> int:
    """Run `work` until it ends by itself or SIGTERM or SIGINT ask it to stop."""
    stop = Stop()
    task = asyncio.ensure_future(work(stop))

    def ask() -> None:
        stop.asked.set()
        if not stop.is_awaited:
            task.cancel()

    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ask)
    try:
        await task
    except asyncio.CancelledError:
        if not stop.asked.is_set():
            raise
    return 0


if __name__ == "__main__":
    sys.exit(main())
