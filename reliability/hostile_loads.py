"""What a hostile person does: one load for each way in which one person once kept everybody waiting.

Each load is a function that does it once and returns when the bot is through with it. Does not know what it costs.
"""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import count

from tests.end_to_end.harness import Json, Member

MESSAGES, OF_STRANGERS = 1_200, 900
CONNECTIONS = 400  # twice as many as the bot keeps open
PIPELINES = 20
ASKING = 100
UPLOADS = 60
SOON = 0.005  # seconds after which a connection that was closed is opened again at once, as fast as one machine can
CRAWL = 1.0  # seconds between two bytes of a slow connection, and before one that was closed is opened again
TRIES = 12
PIECE = 4_000
PIECES = 25
IMPORTED = 2_000_000  # characters of one imported message: what once kept everybody waiting for half a minute
PACKED = 15_000_000  # bytes that an archive of tiny parts unpacks to
WALNUTS = "How many walnuts"
ANSWERS = {
    "Quote 1": "> " * 120 + "x" * 600,
    "Quote 2": "".join(f"**b{n}** _i{n}_ `c{n}` " for n in range(950)),
    "Quote 3": "[" * 8_000 + "](" * 4_000,
    "Quote 4": "".join(f"- **a{n}** [l](http://x.y/{n})\n" for n in range(700)),
}
"""What the model answers to somebody who asks for it: a little shorter than what would be sent as a file."""
ELEMENTS = ("{},", "[],", "0,", '"",', '{"a":{}},', '{"id":1,"date":"2020-01-01","text":"x"},')


@dataclass(kw_only=True)
class Attack:
    """Who does it and where. `began` is set once the bot is at work on the load; `done`: how often it was done."""

    hostile: Member
    strangers: Sequence[Member]
    address: str
    page: str = ""
    """Where the memory page is served."""
    token: str = ""
    """Of the hostile person's session there."""
    began: asyncio.Event = field(default_factory=asyncio.Event)
    done: int = 0
    lasts: bool = False
    """Whether the load goes on until it is told to end."""
    _numbers: "count[int]" = field(default_factory=lambda: count(1))
    _ending: asyncio.Event = field(default_factory=asyncio.Event)

    def next(self) -> int:
        return next(self._numbers)

    async def end(self) -> None:
        """Let go of what lasts until it is told to end."""
        self._ending.set()

    async def until_ended(self) -> None:
        await self._ending.wait()
        self._ending.clear()

    async def settled(self) -> None:
        """Until the hostile person is answered as usual: nothing of theirs is waiting any more."""
        for _ in range(TRIES):  # a question may be refused, where too much is waiting
            number, since = self.next(), self.hostile.now
            self.hostile.says(f"What about question {number}?")
            with suppress(AssertionError):
                await self.hostile.hears(f"Answer {number}.", since=since, timeout=30)
                return
        heard = [str(message.get("text"))[:200] for message in self.hostile.heard()][-5:]
        raise AssertionError(f"the hostile person is not answered any more; the last words were {heard}")

    async def says(self, text: str, *, times: int = 1) -> None:
        """Say it so many times at once, and wait for so many messages of the bot."""
        since = self.hostile.now
        for _ in range(times):
            self.hostile.says(text)
        self.began.set()
        while len(self.hostile.heard(since=since)) < times:
            await self.hostile.hears(since=self.hostile.now)

    async def sends(self, data: bytes, *, caption: str = "/import") -> Json:
        """Send a file; the bot's last words about it."""
        since = self.hostile.now
        self.hostile.house.world.send_file(
            self.hostile.id, self.hostile.chat_id, kind="document", name="result.json", data=data, caption=caption
        )
        self.began.set()
        return await self.hostile.hears(lambda message: "Reading" not in message.get("text", ""), since=since)


Load = Callable[[Attack], Awaitable[None]]


async def tools(attack: Attack) -> None:
    """Questions about which the model searches memory eight times a round, as long as it may."""
    if not attack.done:
        for number in range(40):
            said = f"Walnut report {number}: " + f"the tree number {number} bore nuts and leaves. " * 12
            await attack.hostile.asks(said)
    await attack.says(f"{WALNUTS}? " + "Please tell me everything about them. " * 60, times=1)
    attack.done += 1


async def long_texts(attack: Attack) -> None:
    """A paste of words with digits, an imported message of two million characters, a question about it."""
    number = attack.next()
    since = attack.hostile.now
    for piece in range(PIECES):
        attack.hostile.says(_words(PIECE, f"{number}p{piece}"))
    attack.began.set()
    await attack.hostile.hears(since=since)
    offer = await attack.sends(gzip.compress(_telegram([_words(IMPORTED, f"{number}i")], first=number), 6))
    if "reply_markup" in offer:
        since = attack.hostile.now
        attack.hostile.press(offer, "Import")
        await attack.hostile.hears("Done", since=since)
    await attack.says("Which of w1x2 w3x4 w5x6 was it? " * 100)
    attack.done += 1


async def many_parts(attack: Attack) -> None:
    """Files of very many tiny elements, as they are and packed."""
    element = ELEMENTS[attack.done % len(ELEMENTS)]
    size = PACKED if attack.done % 2 else 900_000
    data = f'{{"type": "saved_messages", "id": 7, "messages": [{element * (size // len(element))}{{}}]}}'.encode()
    await attack.sends(gzip.compress(data, 6) if attack.done % 2 else data)
    attack.done += 1


async def entities(attack: Attack) -> None:
    """Answers of quotes in quotes, very many short entities, brackets without an end, and deep lists."""
    for words in ANSWERS:
        await attack.says(words)
    attack.done += 1


async def flood(attack: Attack) -> None:
    """1,200 messages at once, and 900 of people whom the bot does not know. Returns at once."""
    for number in range(MESSAGES):
        attack.hostile.says(f"Message {number}")
        if number * OF_STRANGERS // MESSAGES > (number - 1) * OF_STRANGERS // MESSAGES:
            attack.strangers[number % len(attack.strangers)].says(f"Let me in {number}")
    attack.done += 1


async def slow_connections(attack: Attack) -> None:
    """Twice as many connections as the bot keeps, each sending its headers byte by byte; closed ones open again."""
    host, _, port = attack.address.rpartition(":")

    async def crawl() -> None:
        while True:
            with suppress(OSError):
                reader, writer = await asyncio.open_connection(host, int(port))
                try:
                    writer.write(b"POST /hook HTTP/1.1\r\nhost: a\r\nx-slow: ")
                    is_open = True
                    while is_open:
                        writer.write(b"x")
                        with suppress(TimeoutError):
                            async with asyncio.timeout(CRAWL):  # wait_for may swallow the end of this task
                                is_open = bool(await reader.read(1))
                finally:
                    writer.close()
            await asyncio.sleep(CRAWL)

    await _lasting(attack, [crawl() for _ in range(CONNECTIONS)])


async def page_pipelined(attack: Attack) -> None:
    """Connections of somebody without a session who sends request upon request and reads the answers."""
    await _lasting(attack, [_pipeline(attack) for _ in range(PIPELINES)])


async def page_connections(attack: Attack) -> None:
    """Ordinary connections without a session, each of which asks again once it is answered."""
    await _lasting(attack, [_ask_again_and_again(attack) for _ in range(ASKING)])


async def page_uploads(attack: Attack) -> None:
    """Uploads of one person with a session that are sent by halves."""
    await _lasting(attack, [_half_an_upload(attack) for _ in range(UPLOADS)])


async def page_exports(attack: Attack) -> None:
    """Exports of one person with a session that are not read."""
    await _lasting(attack, [_unread_export(attack) for _ in range(UPLOADS)])


async def _lasting(attack: Attack, works: Sequence[Coroutine[object, object, None]]) -> None:
    tasks = [asyncio.create_task(work) for work in works]
    try:
        await asyncio.sleep(CRAWL)  # the moment in which they connect; it proves nothing
        attack.lasts = True
        attack.began.set()
        await attack.until_ended()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    attack.done += 1


@asynccontextmanager
async def _connection(attack: Attack) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    host, _, port = attack.page.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        yield reader, writer
    finally:
        writer.close()


async def _pipeline(attack: Attack) -> None:
    requests = f"GET /api/home?owner=1 HTTP/1.1\r\nHost: {attack.page}\r\n\r\n".encode() * 50
    while True:
        with suppress(OSError):
            async with _connection(attack) as (reader, writer):
                writing = asyncio.create_task(_write_on(writer, requests))
                try:
                    while await reader.read(65_536):
                        pass
                finally:
                    writing.cancel()
                    await asyncio.gather(writing, return_exceptions=True)
        await asyncio.sleep(SOON)


async def _write_on(writer: asyncio.StreamWriter, data: bytes) -> None:
    while True:
        writer.write(data)
        await writer.drain()


async def _ask_again_and_again(attack: Attack) -> None:
    request = f"GET / HTTP/1.1\r\nHost: {attack.page}\r\nConnection: close\r\n\r\n".encode()
    while True:
        with suppress(OSError):
            async with _connection(attack) as (reader, writer):
                writer.write(request)
                await writer.drain()
                while await reader.read(65_536):
                    pass
        await asyncio.sleep(SOON)


async def _half_an_upload(attack: Attack) -> None:
    query = f"owner={attack.hostile.id}&name=result.json"
    head = f"POST /api/import/plan?{query} HTTP/1.1\r\nHost: {attack.page}\r\nAuthorization: Bearer {attack.token}\r\n"
    while True:
        with suppress(OSError):
            async with _connection(attack) as (reader, writer):
                writer.write(f"{head}Content-Length: 49000000\r\n\r\n".encode())
                for _ in range(400):
                    writer.write(b" " * 61_000)
                    await writer.drain()
                await reader.read()
        await asyncio.sleep(CRAWL)


async def _unread_export(attack: Attack) -> None:
    path = f"/api/export?owner={attack.hostile.id}&format=json"
    request = f"GET {path} HTTP/1.1\r\nHost: {attack.page}\r\nAuthorization: Bearer {attack.token}\r\n\r\n"
    while True:
        with suppress(OSError):
            async with _connection(attack) as (_, writer):
                writer.write(request.encode())
                await writer.drain()
                await asyncio.sleep(30)
        await asyncio.sleep(CRAWL)


def _words(characters: int, seed: str) -> str:
    """Words with digits, each another one: what is dearest to analyse."""
    return " ".join(f"w{n}x{seed}" for n in range(characters // 8))[:characters]


def _telegram(texts: Sequence[str], *, first: int) -> bytes:
    messages = [
        {
            "id": first * 1_000 + number,
            "type": "message",
            "date_unixtime": str(1_600_000_000 + 60 * (first * 1_000 + number)),
            "from": "Maria",
            "from_id": "user5",
            "text": text,
        }
        for number, text in enumerate(texts)
    ]
    return json.dumps({"name": "Maria", "type": "personal_chat", "id": 5, "messages": messages}).encode()
