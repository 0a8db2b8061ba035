"""Tests of caching vectors in a file: the model embeds each text once, and cached vectors are unchanged."""

from pathlib import Path

import numpy as np

from benchmarks.vector_file import CachedEmbedder
from llm.embeddings import EndpointEmbedder
from settings import Secret
from tests.peers.openai_server import run_openai_server


async def test_cached_embedder_requests_each_text_once(tmp_path: Path) -> None:
    async with run_openai_server() as (server, url):

        def opened() -> CachedEmbedder:
            return CachedEmbedder(EndpointEmbedder(model="e", api_key=Secret("k"), base_url=url), tmp_path / "vectors")

        async with opened() as kept:
            first = await kept.embed_passages(["one", "two"])
            asked = await kept.embed_query("one")
        async with opened() as kept:
            again = await kept.embed_passages(["two", "three", "one"])
            assert np.array_equal(again[[2, 0]], first)
            assert np.array_equal(await kept.embed_query("one"), asked)
            assert (await kept.embed_passages([])).shape[0] == 0
        inputs = [request.body["input"] for request in server.list_requests("e")]
    assert inputs == [["one", "two"], ["one"], ["three"]], "a query is not a passage; nothing is asked twice"
