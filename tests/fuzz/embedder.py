"""Fuzz the local embedder's process with texts from all of Unicode.

C code reads the texts there. Neither that process nor the bot may die of one.
"""

import asyncio
import random
import unicodedata
from collections.abc import Iterator

from llm.local_embedder import LocalEmbedder
from records.errors import ModelError


def texts(count: int, seed: int, lines: int) -> Iterator[str]:
    """Yield texts of neighbouring characters, one repeated character, combining marks and lone surrogates.

    The characters come from all blocks of Unicode. About `lines` of the texts have a million characters.
    """
    rng = random.Random(seed)  # noqa: S311 - to make the same again
    marks = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) in ("Mn", "Mc", "Me")]
    for number in range(count):
        code = max(1, number * 0x110000 // count)
        if number % max(1, count // lines) == 0:
            yield chr(code) * 1_000_000
        elif number % 4 == 0:
            yield chr(code) * 12
        elif number % 4 == 1:
            yield "a" + "".join(rng.choices(marks, k=6)) + chr(code)
        elif number % 4 == 2:
            yield "".join(chr(rng.randrange(0xD800, 0xE000)) for _ in range(4)) + chr(code)
        else:
            yield "".join(chr(min(code + step, 0x10FFFF)) for step in range(6))


async def fuzz_embedder(count: int, seed: int, failures: list[str], *, lines: int = 10) -> dict[str, int]:
    """Embed all texts. Report a text without a vector, or a death of the process, in `failures`."""
    left = texts(count, seed, lines)
    async with LocalEmbedder() as embedder:

        async def feed(*, is_query: bool) -> int:
            fed = 0
            for text in left:
                try:
                    await (embedder.embed_query(text) if is_query else embedder.embed_passages([text]))
                except ModelError as error:
                    failures.append(f"embedder: {text[:20]!a}: {type(error).__name__}")
                fed += 1
            return fed

        fed = await asyncio.gather(feed(is_query=False), feed(is_query=True))
        if embedder.deaths:
            failures.append(f"embedder: its process died {embedder.deaths} times")
        return {"texts": sum(fed), "deaths": embedder.deaths}
