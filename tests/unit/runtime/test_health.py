"""Tests of liveness, readiness and Prometheus metrics over HTTP."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import httpx
import pytest

from records.errors import SettingsError, StorageError
from runtime import health as ready
from runtime.health import Readiness, serve_health
from tests.support.http import NO_CERTIFICATES


@dataclass
class Program:
    """A fake program whose storage can fail. It counts how often it is measured."""

    measured: int = 0
    is_stopping: bool = False
    storage_works: bool = True
    readiness: Readiness = field(init=False)

    def __post_init__(self) -> None:
        self.readiness = Readiness(lambda: self.is_stopping)

    async def measure(self) -> None:
        self.measured += 1
        await self.check_storage()

    async def check_storage(self) -> None:
        if not self.storage_works:
            raise StorageError("Ann's disk is full.")


@pytest.fixture
def program() -> Program:
    return Program()


@pytest.fixture
async def probe(program: Program) -> AsyncIterator[httpx.AsyncClient]:
    async with (
        serve_health(program.readiness, ("127.0.0.1", 0)) as port,
        httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{port}", trust_env=False, verify=NO_CERTIFICATES, timeout=60
        ) as client,
    ):
        yield client


async def test_readyz_reports_start_stop_and_component_failures(
    program: Program, probe: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    async def answers() -> tuple[int, str]:
        answer = await probe.get("/readyz")
        return answer.status_code, answer.text

    assert await answers() == (503, "started: no\nnot stopping: ok\n")
    program.readiness.mark_started(program.measure, storage=program.check_storage)
    assert await answers() == (200, "started: ok\nnot stopping: ok\nstorage: ok\n")
    program.storage_works = False
    assert await answers() == (503, "started: ok\nnot stopping: ok\nstorage: no\n")
    assert await answers() == (503, "started: ok\nnot stopping: ok\nstorage: no\n")
    assert [record.getMessage() for record in caplog.records] == ["not ready: storage (StorageError)"]
    program.storage_works = True
    assert (await answers())[0] == 200
    program.is_stopping = True
    assert await answers() == (503, "started: ok\nnot stopping: no\n")
    assert (await probe.get("/healthz")).status_code == 200


async def test_hanging_component_check_fails(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ready, "CHECK_SECONDS", 0.0)

    async def hangs() -> None:
        await asyncio.Event().wait()

    program.readiness.mark_started(program.measure, updates=hangs)
    assert (await program.readiness.check_each_component())["updates"] is False


async def test_metrics_use_prometheus_format(probe: httpx.AsyncClient) -> None:
    answer = await probe.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert "# TYPE process_resident_memory_bytes gauge" in answer.text


async def test_metrics_are_measured_on_each_scrape_despite_storage_failure(
    program: Program, probe: httpx.AsyncClient
) -> None:
    assert (await probe.get("/metrics")).status_code == 200, "before the start"
    program.readiness.mark_started(program.measure, storage=program.check_storage)
    await probe.get("/metrics")
    program.storage_works = False
    answer = await probe.get("/metrics")
    assert (answer.status_code, program.measured) == (200, 2)
    assert "process_resident_memory_bytes" in answer.text


async def test_rejects_other_paths_and_methods(probe: httpx.AsyncClient) -> None:
    assert (await probe.get("/")).status_code == 404
    assert (await probe.post("/readyz")).status_code == 405


async def test_address_in_use_error_names_setting(program: Program) -> None:
    async with serve_health(program.readiness, ("127.0.0.1", 0)) as port:
        with pytest.raises(SettingsError, match="HEALTH_LISTEN"):
            async with serve_health(program.readiness, ("127.0.0.1", port)):
                pass
