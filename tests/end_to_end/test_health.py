"""The health server of a running bot: readiness probes and metrics."""

import asyncio
import shutil
import subprocess
from functools import partial

import httpx
import pytest

from runtime import VERSION
from tests.end_to_end.harness import ANSWERS, PATIENCE, LocalServers
from tests.peers.ports import reserve_port
from tests.support.http import NO_CERTIFICATES
from tests.support.missing import skip_or_fail

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_running_bot_is_ready_and_exports_metrics(own_servers: LocalServers) -> None:
    with reserve_port() as port:
        async with (
            own_servers.run_bot(HEALTH_LISTEN=f"127.0.0.1:{port}"),
            httpx.AsyncClient(
                base_url=f"http://127.0.0.1:{port}", trust_env=False, verify=NO_CERTIFICATES, timeout=60
            ) as probe,
        ):
            ann = own_servers.add_person("Ann")
            for words in ("My secret word is quinquereme.", "Thank you."):  # the first is over when the second begins
                await ann.ask(words, "Noted.")
            async with asyncio.timeout(PATIENCE):  # a busy disk may take longer than a probe waits
                while (ready := await probe.get("/readyz")).status_code != 200:
                    pass
            assert ready.text.count(": ok") == 4, ready.text
            page = (await probe.get("/metrics")).text
    for line in (
        'keepsake_turns_total{outcome="answered"} 2.0',
        'keepsake_telegram_requests_total{method="sendMessage",status="200"}',
        "process_resident_memory_bytes",
        "keepsake_updates_unfinished",
    ):
        assert line in page, page
    for name in ("size_bytes", "backlog_updates", "embedding_queue_messages"):
        assert name in page, page
    assert "quinquereme" not in page
    assert str(ann.id) not in page


async def test_metric_series_start_at_zero(own_servers: LocalServers) -> None:
    """A series that begins at 1 has no increase: rate() and increase() need the 0 before it."""
    with reserve_port() as port:
        async with (
            own_servers.run_bot(HEALTH_LISTEN=f"127.0.0.1:{port}"),
            httpx.AsyncClient(
                base_url=f"http://127.0.0.1:{port}", trust_env=False, verify=NO_CERTIFICATES, timeout=60
            ) as probe,
        ):
            page = (await probe.get("/metrics")).text
    figures = dict(line.rsplit(" ", 1) for line in page.splitlines() if not line.startswith("#"))
    for name in (
        'keepsake_turns_total{outcome="failed"}',
        'keepsake_folds_total{outcome="failed",reason="threshold"}',
        f'keepsake_model_failures_total{{error="ModelBusy",model="{ANSWERS}"}}',
        f'keepsake_model_tokens_total{{kind="prompt",model="{ANSWERS}"}}',
        f'keepsake_model_seconds_count{{model="{ANSWERS}"}}',
        'keepsake_model_requests_total{path="/chat/completions",status="429"}',
        'keepsake_telegram_requests_total{method="sendMessage",status="429"}',
        'keepsake_log_records_total{level="ERROR",room="storage"}',
        "keepsake_backlog_updates",
        "keepsake_embedding_queue_messages",
    ):
        assert figures.get(name) == "0.0", (name, page)
    assert float(figures['keepsake_database_size_bytes{store="sqlite"}']) > 10_000
    [build] = [name for name in figures if name.startswith("keepsake_build_info")]
    assert build == f'keepsake_build_info{{version="{VERSION}"}}'
    declared = {line.split()[2] for line in page.splitlines() if line.startswith("# TYPE")}
    shown = {name.partition("{")[0].removesuffix("_count") for name in figures}
    assert declared <= shown | {name.removesuffix("_total") for name in shown}, declared - shown
    if (promtool := shutil.which("promtool")) is None:
        skip_or_fail("There is no promtool here.")
    check = partial(subprocess.run, capture_output=True, text=True, check=False)
    done = await asyncio.to_thread(check, [promtool, "check", "metrics"], input=page)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
