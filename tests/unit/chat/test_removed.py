"""No model request is made for a person who was removed, in the background either."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from background.rebuild import Rebuilder, RebuildProgress
from chat.titles import TitleGenerator
from records.errors import QuotaExceeded
from records.scopes import Scope
from tests.peers.openai_server import Behaviour
from tests.support.stepping import wait_for_background_tasks
from tests.support.talk import ANNA, ChatHarness, open_chat_harness
from tests.unit.facts.test_history_extraction import make_chat_export

SCOPE = Scope(owner=ANNA.id)


async def untold(*_: object) -> None: ...


async def settled(talk: ChatHarness) -> None:
    await talk.conversation.run_post_turn_tasks(SCOPE)


async def fold(talk: ChatHarness) -> None:
    await talk.services.summaries.fold(SCOPE, "now")


async def rebuilt(talk: ChatHarness) -> None:
    ends: list[RebuildProgress] = []

    async def tell(progress: RebuildProgress) -> None:
        ends.append(progress)

    ends.append(await talk.services.rebuilder.rebuild_summaries(SCOPE, tell))
    assert [end.state for end in ends] == ["running", "failed"], "there is something to rebuild"


async def distilled(talk: ChatHarness) -> None:
    await talk.services.facts.add_fact_unless_known(ANNA.id, "Likes walruses.")
    with suppress(QuotaExceeded):
        await talk.services.distiller.distil_now(ANNA.id)


async def learned(talk: ChatHarness) -> None:
    talk.moment[0] += timedelta(days=1)
    await talk.services.facts.learn_from_idle_scopes()


async def studied(talk: ChatHarness) -> None:
    assert await talk.services.history_extraction.begin(ANNA.id, -100, -1) == "begun"
    await talk.services.history_extraction.idle.wait()


async def titled(talk: ChatHarness) -> None:
    talk.services.titles.start_generating_titles(SCOPE, [SCOPE])
    await wait_for_background_tasks(TitleGenerator)


async def answered(talk: ChatHarness) -> None:
    assert (await talk.say("Hello?")).is_error


@pytest.mark.parametrize("work", [settled, fold, rebuilt, distilled, learned, studied, titled, answered])
async def test_no_model_request_is_made_for_removed_person(
    tmp_path: Path, work: Callable[[ChatHarness], Awaitable[Any]]
) -> None:
    removed: set[int] = set()
    async with open_chat_harness(tmp_path, lambda owner: owner not in removed) as talk:
        await talk.turn_on_memory(every_n=2)
        for number in range(5):
            await talk.say(f"Walrus {number} lives in Oslo.")
            if number == 1:  # something to rebuild; the rest is due to be folded
                await fold(talk)
        data = make_chat_export("I live in Bergen.", first=50)
        await talk.services.importer.import_file(SCOPE, ANNA.id, data, progress=untold)
        removed.add(ANNA.id)
        before = len(talk.server.requests)
        await work(talk)
    assert talk.server.requests[before:] == []


async def test_resumed_rebuild_makes_no_request_for_removed_person(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory(every_n=2)
        for number in range(3):
            await talk.say(f"Walrus {number} lives in Oslo.")
        await fold(talk)
        talk.server.script("summary-model", Behaviour(hold="start"))
        held = talk.server.hold_count
        talk.services.rebuilder.start_rebuild(SCOPE, untold)
        await talk.server.wait_until_held(held + 1)
    async with open_chat_harness(tmp_path, lambda owner: owner != ANNA.id) as talk:
        await wait_for_background_tasks(Rebuilder)
        assert talk.server.requests == []
