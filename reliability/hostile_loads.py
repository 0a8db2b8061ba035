"""Attacks by a hostile user. In the past, each of them allowed one user to delay everybody else.

Each function attacks once. It returns when the bot has handled the attack, or when end_load() is called.
"""

import asyncio
import gzip
import json
from asyncio import StreamReader, StreamWriter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count

from runtime.tasks import cancel_and_wait
from tests.end_to_end.harness import Json, Member

FLOOD_MESSAGES = 1_200
STRANGERS_MESSAGES = 900
CONNECTIONS = 400  # twice as many as the bot keeps open
PIPELINES = 20
PAGE_CONNECTIONS = 100
UPLOADS = 60
RECONNECT_SECONDS = 0.005  # before a closed connection is opened again
CRAWL_SECONDS = 1.0  # between two bytes of a slow connection, and before it is opened again
MAX_QUESTIONS_TO_SETTLE = 12
PIECE_CHARS = 4_000
PIECES = 25
IMPORTED_CHARS = 2_000_000  # of one message, which once blocked everybody for half a minute
UNPACKED_BYTES = 15_000_000  # of an archive with tiny parts
WALNUTS = "How many walnuts"
ANSWERS = {
    "Quote 1": "> " * 120 + "x" * 600,
    "Quote 2": "".join(f"**b{n}** _i{n}_ `c{n}` " for n in range(950)),
    "Quote 3": "[" * 8_000 + "](" * 4_000,
    "Quote 4": "".join(f"- **a{n}** [l](http://x.y/{n})\n" for n in range(700)),
}
"""The model's answers, by the words that request them. A slightly longer answer would be sent as a file."""
ELEMENTS = ("{},", "[],", "0,", '"",', '{"a":{}},', '{"id":1,"date":"2020-01-01","text":"x"},')


@dataclass(kw_only=True)
class Attack:
    """The state of an attack. `load_started` is set once the bot is busy with the attack."""

    hostile: Member
    strangers: Sequence[Member]
    address: str
    page: str = ""
    """The host and port of the memory page."""
    token: str = ""
    """The token of the hostile person's session on the page."""
    load_started: asyncio.Event = field(default_factory=asyncio.Event)
    finished_loads: int = 0
    runs_until_ended: bool = False
    """True while a load is running that goes on until `end_load` is called."""
    _numbers: "count[int]" = field(default_factory=lambda: count(1))
    _ending: asyncio.Event = field(default_factory=asyncio.Event)

    def get_next_unique_number(self) -> int:
        return next(self._numbers)

    async def end_load(self) -> None:
        """End an open-ended load by making `wait_for_end` return."""
        self._ending.set()

    async def wait_for_end(self) -> None:
        await self._ending.wait()
        self._ending.clear()

    async def wait_until_answered(self) -> None:
        """Wait until the hostile person gets answers again. Then none of their earlier messages are queued."""
        for _ in range(MAX_QUESTIONS_TO_SETTLE):  # the bot refuses questions while too many wait
            number, since = self.get_next_unique_number(), self.hostile.last_event
            self.hostile.say(f"What about question {number}?")
            with suppress(AssertionError):
                await self.hostile.wait_for_message(f"Answer {number}.", since=since, timeout=30)
                return
        heard = [str(message.get("text"))[:200] for message in self.hostile.list_bot_messages()][-5:]
        raise AssertionError(f"the hostile person is not answered any more; the last words were {heard}")

    async def send_texts(self, text: str, *, times: int = 1) -> None:
        """Send a text `times` times without a pause, then wait for the same number of messages from the bot."""
        since = self.hostile.last_event
        for _ in range(times):
            self.hostile.say(text)
        self.load_started.set()
        while len(self.hostile.list_bot_messages(since=since)) < times:
            await self.hostile.wait_for_message(since=self.hostile.last_event)

    async def send_file(self, data: bytes, *, caption: str = "/import") -> Json:
        """Send a file with a caption, and return the bot's last message about it."""
        since = self.hostile.last_event
        self.hostile.servers.world.send_file(
            self.hostile.id, self.hostile.chat_id, kind="document", name="result.json", data=data, caption=caption
        )
        self.load_started.set()
        return await self.hostile.wait_for_message(
            lambda message: "Reading" not in message.get("text", ""), since=since
        )


Load = Callable[[Attack], Awaitable[None]]


async def request_tool_calls(attack: Attack) -> None:
    """Ask a question that makes the model call its search tool eight times in every round."""
    if not attack.finished_loads:
        for number in range(40):
            said = f"Walnut report {number}: " + f"the tree number {number} bore nuts and leaves. " * 12
            await attack.hostile.ask(said)
    await attack.send_texts(f"{WALNUTS}? " + "Please tell me everything about them. " * 60, times=1)
    attack.finished_loads += 1


async def send_long_texts(attack: Attack) -> None:
    """Send long texts of words with digits, import one of two million characters, and ask about such words."""
    number = attack.get_next_unique_number()
    since = attack.hostile.last_event
    for piece in range(PIECES):
        attack.hostile.say(_make_words(PIECE_CHARS, f"{number}p{piece}"))
    attack.load_started.set()
    await attack.hostile.wait_for_message(since=since)
    export = _make_export(_make_words(IMPORTED_CHARS, f"{number}i"), number=number)
    offer = await attack.send_file(gzip.compress(export, 6))
    if "reply_markup" in offer:
        since = attack.hostile.last_event
        attack.hostile.press_button(offer, "Import")
        await attack.hostile.wait_for_message("Done", since=since)
    await attack.send_texts("Which of w1x2 w3x4 w5x6 was it? " * 100)
    attack.finished_loads += 1


async def import_many_parts(attack: Attack) -> None:
    """Import a file with a huge number of tiny elements. Every second file is compressed."""
    element = ELEMENTS[attack.finished_loads % len(ELEMENTS)]
    size = UNPACKED_BYTES if attack.finished_loads % 2 else 900_000
    data = f'{{"type": "saved_messages", "id": 7, "messages": [{element * (size // len(element))}{{}}]}}'.encode()
    await attack.send_file(gzip.compress(data, 6) if attack.finished_loads % 2 else data)
    attack.finished_loads += 1


async def request_many_entities(attack: Attack) -> None:
    """Request answers that are slow to format: nested quotes, many entities, unclosed brackets and long lists."""
    for words in ANSWERS:
        await attack.send_texts(words)
    attack.finished_loads += 1


async def flood_with_messages(attack: Attack) -> None:
    """Send 1,200 messages, and 900 from strangers, without waiting for answers."""
    for number in range(FLOOD_MESSAGES):
        attack.hostile.say(f"Message {number}")
        if number * STRANGERS_MESSAGES // FLOOD_MESSAGES > (number - 1) * STRANGERS_MESSAGES // FLOOD_MESSAGES:
            attack.strangers[number % len(attack.strangers)].say(f"Let me in {number}")
    attack.finished_loads += 1


async def open_slow_connections(attack: Attack) -> None:
    """Open twice as many webhook connections as the bot keeps, send headers byte by byte, and reopen closed ones."""

    async def send_request_slowly(reader: StreamReader, writer: StreamWriter) -> None:
        writer.write(b"POST /hook HTTP/1.1\r\nhost: a\r\nx-slow: ")
        is_open = True
        while is_open:
            writer.write(b"x")
            with suppress(TimeoutError):
                async with asyncio.timeout(CRAWL_SECONDS):  # wait_for may swallow the end of this task
                    is_open = bool(await reader.read(1))

    await _repeat_connections_until_end(attack, attack.address, CONNECTIONS, send_request_slowly, CRAWL_SECONDS)


async def pipeline_page_requests(attack: Attack) -> None:
    """Send pipelined requests to the page without a session, and read the responses."""
    requests = f"GET /api/home?owner=1 HTTP/1.1\r\nHost: {attack.page}\r\n\r\n".encode() * 50

    async def pipeline_requests(reader: StreamReader, writer: StreamWriter) -> None:
        async def write_repeatedly() -> None:
            while True:
                writer.write(requests)
                await writer.drain()

        writing = asyncio.create_task(write_repeatedly())
        try:
            await _read_to_end(reader)
        finally:
            await cancel_and_wait(writing)

    await _repeat_connections_until_end(attack, attack.page, PIPELINES, pipeline_requests, RECONNECT_SECONDS)


async def open_page_connections(attack: Attack) -> None:
    """Open connections to the page without a session, and reconnect after each answer."""

    async def request_page(reader: StreamReader, writer: StreamWriter) -> None:
        writer.write(f"GET / HTTP/1.1\r\nHost: {attack.page}\r\nConnection: close\r\n\r\n".encode())
        await _read_to_end(reader)

    await _repeat_connections_until_end(attack, attack.page, PAGE_CONNECTIONS, request_page, RECONNECT_SECONDS)


async def send_incomplete_page_uploads(attack: Attack) -> None:
    """Begin uploads in a session on the page, and send only half of each."""
    head = _make_session_request(attack, "POST", "/api/import/plan", "name=result.json", "Content-Length: 49000000\r\n")

    async def send_half(reader: StreamReader, writer: StreamWriter) -> None:
        writer.write(head)
        for _ in range(400):
            writer.write(b" " * 61_000)
            await writer.drain()
        await reader.read()

    await _repeat_connections_until_end(attack, attack.page, UPLOADS, send_half, CRAWL_SECONDS)


async def request_page_exports_without_reading(attack: Attack) -> None:
    """Request exports in a session on the page, and never read the responses."""
    request = _make_session_request(attack, "GET", "/api/export", "format=json")

    async def request_export(_: StreamReader, writer: StreamWriter) -> None:
        writer.write(request)
        await asyncio.sleep(30)

    await _repeat_connections_until_end(attack, attack.page, UPLOADS, request_export, CRAWL_SECONDS)


async def _repeat_connections_until_end(
    attack: Attack,
    address: str,
    count: int,
    use_connection: Callable[[StreamReader, StreamWriter], Awaitable[None]],
    pause_seconds: float,
) -> None:
    """Keep `count` connections open until end_load() is called. Use and close each, and open it again after a pause."""
    host, _, port = address.rpartition(":")

    async def connect_repeatedly() -> None:
        while True:
            with suppress(OSError):
                reader, writer = await asyncio.open_connection(host, int(port))
                try:
                    await use_connection(reader, writer)
                finally:
                    writer.close()
            await asyncio.sleep(pause_seconds)

    tasks = [asyncio.create_task(connect_repeatedly()) for _ in range(count)]
    try:
        await asyncio.sleep(CRAWL_SECONDS)  # time to connect
        attack.runs_until_ended = True
        attack.load_started.set()
        await attack.wait_for_end()
    finally:
        await cancel_and_wait(*tasks)
    attack.finished_loads += 1


async def _read_to_end(reader: StreamReader) -> None:
    while await reader.read(65_536):
        pass


def _make_session_request(attack: Attack, method: str, path: str, query: str, headers: str = "") -> bytes:
    return (
        f"{method} {path}?owner={attack.hostile.id}&{query} HTTP/1.1\r\nHost: {attack.page}\r\n"
        f"Authorization: Bearer {attack.token}\r\n{headers}\r\n"
    ).encode()


def _make_words(char_count: int, seed: str) -> str:
    """Return a text of distinct words with digits, which take the analyzer the most time."""
    return " ".join(f"w{n}x{seed}" for n in range(char_count // 8))[:char_count]


def _make_export(text: str, *, number: int) -> bytes:
    """Return a Telegram export with one message."""
    message = {
        "id": number,
        "type": "message",
        "date_unixtime": str(1_600_000_000 + 60_000 * number),
        "from": "Maria",
        "from_id": "user5",
        "text": text,
    }
    return json.dumps({"name": "Maria", "type": "personal_chat", "id": 5, "messages": [message]}).encode()
