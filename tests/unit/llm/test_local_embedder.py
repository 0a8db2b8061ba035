"""If the local embedder's process dies, hangs or is missing, callers get an error and nothing else fails."""

import asyncio
import os
import select
import subprocess
import sys

import numpy as np
import pytest

from llm.embeddings import embed_passages
from llm.local_embedder import LocalEmbedder
from records.errors import ModelRefused, ModelUnreachable
from runtime.subprocess_worker import make_child_script
from tests.paths import ROOT

FRAGILE = make_child_script("tests.support.fragile_embedder")
LIGATURES = "\ufdfa" * 8
"""Eight characters that the model's normalisation expands to 144. They once broke the engine's heap."""


async def test_local_model_matches_meaning_across_languages() -> None:
    async with LocalEmbedder() as embedder:
        passages = await embedder.embed_passages(
            ["My dog is called Biscuit.", "Я живу в Лиссабоне.", "The train was late."]
        )
        query = await embedder.embed_query("Where do I live?")
    assert passages.shape == (3, embedder.dimensions)
    assert passages.dtype == np.float32
    assert np.allclose(np.linalg.norm(passages, axis=1), 1, atol=1e-4)
    assert int(np.argmax(passages @ query)) == 1


async def test_longer_query_is_closer_to_passage_embedding_of_same_text() -> None:
    async with LocalEmbedder() as embedder:
        texts = ["Where do I live?", "I live in Lisbon now, and the flat is small. What would you do? " * 6]
        said = await embedder.embed_passages(texts)
        alike = [float(said[at] @ await embedder.embed_query(text)) for at, text in enumerate(texts)]
    assert alike[0] < alike[1]
    assert alike[1] > 0.95


async def test_local_model_accepts_any_text(caplog: pytest.LogCaptureFixture) -> None:
    async with LocalEmbedder() as embedder:
        odd = ["", "\0a\0b", "\ud800", "x" * 1_000_000, LIGATURES, LIGATURES * 1_000, "a\u0301" * 2_000, "word"]
        vectors = await embedder.embed_passages(odd)
        for text in odd:
            assert (await embedder.embed_query(text)).shape == (384,)
        assert (await embedder.embed_passages([])).shape == (0, 384)
    assert vectors.shape == (len(odd), 384)
    assert np.isfinite(vectors).all()
    assert not caplog.messages


async def test_refuses_text_that_crashed_process_twice_and_embeds_others() -> None:
    async with LocalEmbedder(code=FRAGILE) as embedder:
        with pytest.raises(ModelRefused):
            await embedder.embed_passages(["one", "die", "two"])
        with pytest.raises(ModelRefused):
            await embedder.embed_query("die")
        vectors = await embed_passages(embedder, ["one", "die", "two"])
    assert [bool(row.any()) for row in vectors] == [True, False, True]


async def test_query_concurrent_with_crashing_text_is_not_refused() -> None:
    async with LocalEmbedder(code=FRAGILE) as embedder:
        await embedder.embed_query("it runs")
        outcomes = await asyncio.gather(
            embedder.embed_passages(["die"]), embedder.embed_query("beside"), return_exceptions=True
        )
        assert isinstance(outcomes[0], ModelRefused | ModelUnreachable)
        assert not isinstance(outcomes[1], ModelRefused)


async def test_embeds_next_texts_after_cancelled_queries() -> None:
    async with LocalEmbedder(max_seconds=1.0, code=FRAGILE) as embedder:
        for _ in range(3):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(embedder.embed_query("hang"), 0.2)
        assert (await embedder.embed_passages(["passages go on"])).any()


async def test_missing_model_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    code = FRAGILE.replace(
        "import answer_requests_from_parent_process; answer_requests_from_parent_process()",
        "import without_model; without_model()",
    )
    async with LocalEmbedder(code=code) as embedder:
        for _ in range(3):
            with pytest.raises(ModelUnreachable, match="EMBEDDING_MODEL=none"):
                await embedder.embed_query("x")
    # asyncio may warn that the process ended before it was asked to.
    assert len([record for record in caplog.records if record.name == "llm.local_embedder"]) == 1


HOLDER = """
import asyncio, os
from llm.local_embedder import LocalEmbedder

async def main():
    async with LocalEmbedder() as embedder:
        await embedder.embed_query("x")
        print(open(f"/proc/self/task/{os.getpid()}/children").read().split()[0], flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a process is waited for by its file descriptor")
async def test_child_process_exits_when_parent_is_killed() -> None:
    parent = await asyncio.create_subprocess_exec(sys.executable, "-c", HOLDER, cwd=ROOT, stdout=subprocess.PIPE)
    assert parent.stdout is not None
    descriptor = os.pidfd_open(int(await parent.stdout.readline()))
    try:
        parent.kill()
        await parent.wait()
        ended, _, _ = await asyncio.to_thread(select.select, [descriptor], [], [], 60)
    finally:
        os.close(descriptor)
    assert ended
