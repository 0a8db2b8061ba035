"""What an operator's machines see of a running bot: probes and figures, at an address of their own."""

import httpx
import pytest

from tests.end_to_end.harness import House
from tests.peers.ports import kept_port
from tests.support.http import NO_CERTIFICATES

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_a_running_bot_is_ready_and_counts(own_house: House) -> None:
    with kept_port() as port:
        async with (
            own_house.bot(HEALTH_LISTEN=f"127.0.0.1:{port}"),
            httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False, verify=NO_CERTIFICATES) as probe,
        ):
            ann = own_house.person("Ann")
            await ann.asks("My secret word is quinquereme.")
            ready = await probe.get("/readyz")
            assert (ready.status_code, ready.text.count(": ok")) == (200, 4), ready.text
            page = (await probe.get("/metrics")).text
    for line in (
        'keepsake_turns_total{outcome="answered"} 1.0',
        'keepsake_telegram_requests_total{method="sendMessage",status="200"}',
        "process_resident_memory_bytes",
        "keepsake_updates_unfinished",
    ):
        assert line in page, page
    assert "quinquereme" not in page
    assert str(ann.id) not in page
