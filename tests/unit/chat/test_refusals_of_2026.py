"""Refusals that providers and gateways sent in 2026, after reports to opencode, pi, openclaw, archestra and others."""

import json
from pathlib import Path

import pytest

from tests.peers.raw_server import Json, Raw, refusal, said
from tests.unit.chat.test_odd_endpoints import MAX_REQUESTS, talking_to
from tests.unit.chat.test_servers_of_2026 import APPLES, has_feature, has_system, is_long

REFUSALS = json.loads(Path(__file__).with_name("refusals_of_2026.json").read_text(encoding="utf-8"))
IS_REFUSED = {
    "long": is_long,
    "system": has_system,
    "tools": has_feature("tools"),
    "stream_options": has_feature("stream_options"),
}


@pytest.mark.parametrize("kind", REFUSALS)
async def test_what_is_refused_in_new_words_is_answered_in_a_simpler_form(tmp_path: Path, kind: str) -> None:
    refused, status, body = REFUSALS[kind].values()

    def answer(request: Json) -> Raw:
        if not IS_REFUSED[refused](request):
            return said(APPLES)
        return Raw(body=body.encode(), status=status) if isinstance(body, str) else refusal(status, body)

    async with talking_to(tmp_path, answer) as (talk, server):
        await talk.remember()
        assert (await talk.say("word " * 3_000 if refused == "long" else "How many?")).text == APPLES
        assert len(server.requests) <= MAX_REQUESTS
