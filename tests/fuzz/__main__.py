"""Fuzz every entry point for outside text with generated inputs, and the memory with random operations.

`python -m tests.fuzz [--inputs 120000] [--examples 60] [--texts 100000] [--seed 1]` prints one JSON object of counts.
It exits with 1 if an exception was not caught or an input cost too much (costs.py). Each input depends only on the
seed and its number, so it can be made again.
"""

import argparse
import asyncio
import copy
import json
import logging
import sys
import tempfile
import time
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import hypothesis
import telegram
from hypothesis import HealthCheck, Phase
from hypothesis import settings as hypothesis_settings
from hypothesis.stateful import run_state_machine_as_test

from assembly import make_summary_limits
from records.errors import SettingsError, StorageTooNew, StorageTooOld
from records.owners import StorageType
from records.scopes import Person, Scope
from settings import Secret, Settings
from storage.bot_state.inbox import Inbox
from storage.bot_state.wizard_state import WizardState
from storage.engine.sqlite import Database, migrate_file
from storage.engine.sqlite_driver import connect, sqlite3
from storage.schema.migrations import MIGRATIONS
from storage.stores import json_files as snapshot
from storage.stores.json import JsonStore
from storage.stores.json_files import JournalEntry
from storage.stores.memory_store import MemoryStore
from telegram_ui.commands.buttons import Buttons
from telegram_ui.commands.command_group import ChatEvent, Dependencies
from telegram_ui.commands.registry import Commands
from telegram_ui.commands.summaries import SummaryCommands
from telegram_ui.commands.wizard import NUMBER, STORAGE, SetupWizard
from telegram_ui.sending import formatting
from telegram_ui.sending.chat import Chat
from telegram_ui.updates.durable_queue import DurableQueue
from telegram_ui.updates.parsing import parse_update
from telegram_ui.updates.relevance import RelevanceFilter
from tests.contract.conftest import NOW, append_turns, fold_messages, make_config, make_message
from tests.contract.test_interleavings import Interleavings
from tests.fuzz.behind import OneMemory, OneState, Query, Silent
from tests.fuzz.costs import MAX_HELD_UNITS, Cost, measure_cost
from tests.fuzz.embedder import fuzz_embedder
from tests.fuzz.imports import ImportEntryPoints
from tests.fuzz.large import Feed, LargeEntryPoints, Make
from tests.fuzz.values import ATOMS, Chance, garble, make_text, mutate
from tests.support.answer_controls import DirectAnswers
from tests.support.postgres_server import run_postgres_server
from tests.support.processor_time import frozen_heap
from tests.support.storages import FILE_STORAGES
from text.analyzer import list_distinct_search_terms

ErrorBoundary = Callable[[Chance], Awaitable[None]]
OFF_THE_LOOP = ("memory.json", "memory.json opened", "markdown")
"""Entry points whose time on the event loop is not judged.

memory.json is read before anybody is served. The program converts Markdown in a thread, as "long answers" does.
"""
AGAIN = 2
"""How many times an input that held the event loop too long is fed again.

The shortest time counts, because the same work takes up to three times as long on a busy machine.
"""


UPDATE: dict[str, Any] = {
    "update_id": 5,
    "message": {
        "message_id": 7,
        "date": 1_790_000_000,
        "chat": {"id": -5, "type": "supergroup", "title": "Picnic", "is_forum": True},
        "from": {"id": 1, "is_bot": False, "first_name": "Ann", "last_name": "Lee", "language_code": "en"},
        "text": "@keepsake_bot what 👨‍👩‍👧 now?",
        "entities": [{"type": "mention", "offset": 0, "length": 13}, {"type": "bold", "offset": 14, "length": 4}],
        "message_thread_id": 3,
        "is_topic_message": True,
        "forward_origin": {"type": "hidden_user", "date": 1_790_000_000, "sender_user_name": "Eve"},
        "reply_to_message": {
            "message_id": 3,
            "date": 1_790_000_000,
            "chat": {"id": -5, "type": "supergroup"},
            "from": {"id": 9, "is_bot": True, "first_name": "Keepsake"},
        },
        "photo": [{"file_id": "f", "file_unique_id": "u", "width": 5, "height": 5}],
        "caption": "/start@keepsake_bot now",
    },
}
JOURNAL = JournalEntry(seq=1).format_line()
MY_NAMES = [name for name in Settings.__dataclass_fields__ if name not in ("everyone_allowed", "data_dir")]


class EntryPoints:
    """The fuzzed entry points, with everything that they need opened once."""

    def __init__(
        self,
        database: Database,
        stores: Sequence[MemoryStore],
        folder: Path,
        written: Sequence[Any],
        imports: ImportEntryPoints,
    ) -> None:
        self._imports = imports
        self._stores = stores
        self._folder = folder
        self._written = written
        self._me = telegram.User(9, "Keepsake", is_bot=True, username="keepsake_bot")
        self._chat, self._person = Chat(id=1), Person(id=1, name="Ann")
        self._states = OneState()
        self._memory = OneMemory(self._states)
        delivery = cast("Any", Silent())

        async def may(chat: Chat, person: Person) -> bool:
            return True

        services = cast("Any", SimpleNamespace(memory=self._memory, clock=lambda: NOW))
        self._buttons = Buttons(b"key")
        dependencies = Dependencies(
            services=services,
            delivery=delivery,
            may_configure=may,
            buttons=self._buttons,
            answers=DirectAnswers(delivery),
        )
        self._commands = Commands(dependencies, [SetupWizard, SummaryCommands])
        self._bot = SimpleNamespace(bot=self._me, id=9)
        served = cast("Any", SimpleNamespace(may_use_bot=lambda person: True))
        concern = RelevanceFilter(served, self._commands.names)
        self._queue = DurableQueue(Inbox(database), is_relevant=concern, now=lambda: NOW, limit=10**9)
        self._updates = 0
        scratch = folder / "scratch.db"
        migrate_file(scratch, MIGRATIONS)
        self._scratch = connect(scratch, durable=False)
        self._opened = 0

    def close(self) -> None:
        self._scratch.close()

    def all(self) -> dict[str, tuple[float, ErrorBoundary]]:
        """Return the entry points by name, each with its share of the inputs. Slow ones get fewer."""
        return {
            "wizard input": (0.2, self.wizard_input),
            "callback data": (0.2, self.callback_data),
            "memory.json": (0.1, self.memory_json),
            "memory.json opened": (0.002, self.memory_json_opened),
            "word queries": (0.148, self.word_query),
            "markdown": (0.15, self.markdown),
            "settings": (0.1, self.settings),
            "updates": (0.1, self.update),
            "imported files": (0.1, self._imports.file),
            "imports": (0.005, self._imports.run),
        }

    async def wizard_input(self, chance: Chance) -> None:
        step = chance.choice((STORAGE, NUMBER))
        self._states.state = WizardState(
            scope=self._chat.scope,
            person=1,
            step=step,
            nonce="n",
            expires_at=datetime(2026 + chance.randrange(2), 1, 2, tzinfo=UTC),
            storage=chance.choice((None, *FILE_STORAGES)),
        )
        update = telegram.Update(chance.randrange(1 << 31))
        event = ChatEvent(update=update, chat=self._chat, person=self._person, argument=make_text(chance, 8))
        await self._commands.pass_text_to_command_if_awaited(event)

    async def callback_data(self, chance: Chance) -> None:
        parts = [chance.choice(("w", "on", "1", "n", "sqlite", "json", "", make_text(chance, 6))) for _ in range(4)]
        data = ":".join(parts[: chance.randrange(5)]) if chance.random() < 0.8 else make_text(chance)
        if chance.random() < 0.5:  # signed, so that it reaches its handler
            payload = chance.choice(("n.sqlite", "n.json", "n.", "x.sqlite", ""))
            data = self._buttons.make_signed_callback_data(
                chance.choice(("w", "on")), self._chat, self._person, payload
            )
        query = Query(data)
        self._states.state = WizardState(
            scope=self._chat.scope, person=1, step=STORAGE, nonce="n", expires_at=datetime(2027, 1, 1, tzinfo=UTC)
        )
        update = cast("Any", SimpleNamespace(update_id=1, callback_query=query, effective_message=None))
        await self._commands.run_action_of_pressed_button(
            ChatEvent(update=update, chat=self._chat, person=self._person)
        )
        assert len(query.answered) == 1

    def _file(self, chance: Chance) -> bytes:
        value = copy.deepcopy(chance.choice(self._written))
        for _ in range(chance.randrange(1, 4)):
            value = mutate(value, chance)
        content = json.dumps(value, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")
        return garble(content, chance) if chance.random() < 0.3 else content

    async def memory_json(self, chance: Chance) -> None:
        file = self._folder / "generated.json"
        file.write_bytes(self._file(chance))
        self._scratch.execute("BEGIN")
        try:
            snapshot.insert_snapshot(self._scratch, snapshot.read_snapshot(file)[1], StorageType.JSON)
        except (
            snapshot.SnapshotError,
            StorageTooNew,
            StorageTooOld,
            sqlite3.IntegrityError,
            sqlite3.ProgrammingError,
            OverflowError,
        ):
            pass  # what a start knows how to take: the file is put aside
        finally:
            self._scratch.rollback()

    async def memory_json_opened(self, chance: Chance) -> None:
        """Open a store over a generated memory.json.

        The file is read, refused and left unchanged, or set aside. An unreadable file is never overwritten.
        """
        self._opened += 1
        folder = self._folder / f"opened-{self._opened}"
        folder.mkdir()
        content = self._file(chance)
        (folder / "memory.json").write_bytes(content)
        if chance.random() < 0.3:
            (folder / "memory.json.journal").write_bytes(garble(JOURNAL * 3, chance))
        try:
            async with JsonStore.open(folder, clock=lambda: NOW) as store:
                for owner in await store.list_owners():
                    await store.count_messages_and_summaries(Scope(owner=owner))
                is_damaged = any("memory.json could not" in report for report in store.reports)
        except (StorageTooNew, StorageTooOld):
            assert (folder / "memory.json").read_bytes() == content
        else:
            aside = [file.read_bytes() for file in folder.glob("memory.json.unreadable-*")]
            assert not is_damaged or content in aside

    async def word_query(self, chance: Chance) -> None:
        question = make_text(chance)
        terms = (
            list(list_distinct_search_terms(question))
            if chance.random() < 0.7
            else [make_text(chance, 4) for _ in range(3)]
        )
        store = chance.choice(self._stores)
        await store.search_messages(Scope(owner=chance.choice((1, 2))), terms, limit=10)

    async def markdown(self, chance: Chance) -> None:
        source = make_text(chance, chance.choice((20, 60, 400)))
        limit = chance.choice((2, 50, 4096))
        text, _ = formatting.convert_markdown_to_text_and_entities(source)
        made = list(formatting.split_text(*formatting.convert_markdown_to_text_and_entities(source), max_units=limit))
        assert "".join(piece.text for piece in made) == text
        for piece in made:
            assert formatting.count_utf16_units(piece.text) <= limit
            assert len(piece.entities) <= formatting.MAX_ENTITIES
            assert all(0 <= entity.offset < entity.offset + entity.length <= limit for entity in piece.entities)
            piece.text.encode()
            piece.plain.encode()

    async def settings(self, chance: Chance) -> None:
        names = chance.sample(MY_NAMES, chance.randrange(1, 5))
        numbers = ("10" * 200, "-5", "1_000", "nan", "inf", "1e400", " 7 ", "0x10", "500")
        environ = {
            name.upper(): make_text(chance, 10) if chance.random() < 0.6 else chance.choice(numbers) for name in names
        }
        error: SettingsError | None = None
        try:
            made = Settings.from_env(environ)
        except SettingsError as refused:
            error = refused
        if error:
            assert error.variable in environ
            return
        make_summary_limits(made, made.max_context_tokens)
        shown = [repr(getattr(made, name)) for name in MY_NAMES if isinstance(getattr(made, name), Secret)]
        assert set(shown) == {repr(Secret(""))}

    async def update(self, chance: Chance) -> None:
        raw = copy.deepcopy(UPDATE)
        for _ in range(chance.randrange(1, 5)):
            raw = mutate(raw, chance)
        # The id is Telegram's own count; a body without one is refused before.
        self._updates += 1
        raw = {**(raw if isinstance(raw, dict) else {}), "update_id": self._updates}
        if chance.random() < 0.5 and isinstance(raw.get("message"), dict):
            raw["message"]["text"] = make_text(chance)
        try:
            update = telegram.Update.de_json(raw, cast("Any", self._bot))
        except Exception:
            return  # inbox and webhook catch whatever PTB stumbles over
        await self._queue.enqueue_updates([(update, raw)])
        while not self._queue.empty():
            parse_update(cast("Any", self._queue.get_nowait()).update, self._me)


@asynccontextmanager
async def open_entry_points(folder: Path) -> AsyncIterator[EntryPoints]:
    """Open the entry points over real stores with some content, and let them garble the files of these stores."""
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(
            Database.open(folder / "memory.db", durable=False, migrations=MIGRATIONS)
        )
        stores = [
            MemoryStore(database, StorageType.SQLITE),
            await stack.enter_async_context(JsonStore.open(folder, clock=lambda: NOW)),
        ]
        for store in stores:
            for owner in (1, 2):
                await store.upsert_owner(make_config(store, owner))
                words = await append_turns(store, Scope(owner=owner), 6, "Zürich машина 喝茶 C++ well-known")
                await fold_messages(store, Scope(owner=owner), words[:4])
            await store.append_messages(Scope(owner=2, thread=5), [make_message(atom) for atom in ATOMS])
        await stores[1].flush_files()
        ours = json.loads((folder / "memory.json").read_text(encoding="utf-8"))
        original = {
            "users": {"1": {"user_id": 1, "storage_type": "json", "summary_every_n": 4, "memory_enabled": True}},
            "messages": {
                "1": [
                    {"id": n, "user_id": 1, "role": "user", "content": f"line {n}", "is_active": n > 2,
                     "created_at": "2024-05-01T10:00:00", "chunk_id": "c1" if n < 3 else None}
                    for n in range(1, 6)
                ]
            },
            "summaries": {
                "1": [{"id": 1, "user_id": 1, "summary_text": "They talked.", "created_at": "2024-05-01T10:00:00",
                       "level": 1, "source_chunk_ids": ["c1"], "is_active": True}]
            },
        }  # fmt: skip
        imports = await stack.enter_async_context(ImportEntryPoints.open(folder / "imports"))
        entry_points = EntryPoints(database, stores, folder, [ours, original], imports)
        with closing(entry_points):
            yield entry_points


async def fuzz_entry_points(inputs: int, seed: int, failures: list[str], worst: dict[str, Cost]) -> dict[str, int]:
    """Feed this many inputs to all entry points, and return how many each one got.

    Uncaught exceptions and inputs that cost too much are added to `failures`, and the highest costs of each entry
    point to `worst`.
    """
    counts: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder)
        async with open_entry_points(files) as entry_points, LargeEntryPoints.open(files / "large") as large:
            everything: dict[str, tuple[float, Make, Feed]] = {
                **{name: (share, _itself, take) for name, (share, take) in entry_points.all().items()},
                **large.all(),
            }
            # A collection of all that the fuzzing itself has loaded would count as the input's.
            with frozen_heap():
                for name, (share, make, feed) in everything.items():
                    counts[name] = max(1, round(inputs * share))
                    worst[name] = Cost()
                    for number in range(counts[name]):
                        found, cost = await _fed(feed, make(Chance(f"{seed} {name} {number}")))
                        for _ in range(AGAIN):
                            if name not in OFF_THE_LOOP and cost.held > MAX_HELD_UNITS and not found:
                                found, further = await _fed(feed, make(Chance(f"{seed} {name} {number}")))
                                cost = replace(cost, held=min(cost.held, further.held))
                        worst[name] = worst[name].max(cost)
                        judged = Cost(memory=cost.memory, child=cost.child) if name in OFF_THE_LOOP else cost
                        failures += [f"{name} {number}: {complaint}" for complaint in (*found, *judged.complaints())]
    return counts


def _itself(chance: Chance) -> Chance:
    """Return the argument: an entry point for small inputs makes its input itself."""
    return chance


async def _fed(feed: Feed, made: object) -> tuple[list[str], Cost]:
    """Feed one input, and return the exception that was not caught, if any, and the cost."""
    try:
        return [], await measure_cost(partial(feed, made))
    except Exception as error:  # whatever it is, it is what this looks for
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(last.filename).name}:{last.lineno}"
        return [f"{type(error).__name__} at {where}: {str(error)[:200]}"], Cost()


class _Counted(Interleavings):
    """The state machine of tests/contract/test_interleavings.py, with a count of its steps."""

    steps = 0

    async def check(self) -> None:
        type(self).steps += 1
        await super().check()


def fuzz_memory(examples: int, seed: int) -> dict[str, int]:
    """Run random operations on the memory, compare it with a model in plain Python, and return the counts.

    The operations are appending, folding, failing, moving, switching, restarting and erasing.
    """
    _Counted.steps = 0
    machine = cast("Any", _Counted)
    hypothesis.seed(seed)(machine)
    with run_postgres_server() as url:
        machine.postgres_url = url
        run_state_machine_as_test(
            machine,
            settings=hypothesis_settings(
                max_examples=examples,
                stateful_step_count=40,
                deadline=None,
                database=None,
                phases=(Phase.generate, Phase.shrink),
                suppress_health_check=list(HealthCheck),
            ),
        )
    return {"examples": examples, "steps": _Counted.steps}


def main() -> int:
    parser = argparse.ArgumentParser(description="Fuzz the entry points and the whole memory.")
    parser.add_argument("--inputs", type=int, default=120_000)
    parser.add_argument("--examples", type=int, default=60)
    parser.add_argument("--texts", type=int, default=100_000, help="for the local embedder")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    # What is refused is logged, one line for each of thousands.
    logging.disable()
    started, failures = time.monotonic(), list[str]()
    worst: dict[str, Cost] = {}
    entry_points = asyncio.run(fuzz_entry_points(options.inputs, options.seed, failures, worst))
    try:
        memory = fuzz_memory(options.examples, options.seed)
    except Exception as error:
        failures.append(f"memory: {type(error).__name__}: {error}")
        memory = {"examples": options.examples, "steps": _Counted.steps}
    embedder = asyncio.run(fuzz_embedder(options.texts, options.seed, failures))
    for failure in failures[:50]:
        sys.stderr.write(failure + "\n")
    result = {
        "seed": options.seed,
        "inputs": sum(entry_points.values()),
        "by_entry_point": entry_points,
        "memory": memory,
        "embedder": embedder,
        "failures": len(failures),
        "most_held_ms": {name: round(cost.held) for name, cost in worst.items()},
        "most_memory_mb": {name: round(cost.memory / 1e6) for name, cost in worst.items()},
        "most_memory_of_a_child_mb": round(max((cost.child for cost in worst.values()), default=0) / 1e6),
        "seconds": round(time.monotonic() - started),
    }
    sys.stdout.write(json.dumps(result) + "\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
