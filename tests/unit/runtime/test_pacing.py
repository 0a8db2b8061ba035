"""Tests of rate limits per visitor and of limits on concurrent file transfers."""

import asyncio

import pytest

from runtime import pacing
from runtime.pacing import MAX_FILES, MAX_WAIT, FileTransfers, RateLimiter, TransfersBusy, Visitors


def test_rate_limiter_delays_and_then_refuses_requests_after_burst() -> None:
    turns = RateLimiter(burst=3, per_second=2)
    assert [turns.reserve_slot_and_get_delay(100.0) for _ in range(5)] == [0, 0, 0, 0.5, 1.0]
    waits = [turns.reserve_slot_and_get_delay(100.0) for _ in range(100)]
    assert max(wait for wait in waits if wait != float("inf")) <= MAX_WAIT
    assert waits[-1] == float("inf")
    assert turns.reserve_slot_and_get_delay(1_000.0) == 0  # it is as at first


def test_known_session_has_own_limiter_at_any_address() -> None:
    visitors = Visitors()
    visitors.remember_person_of_token("token", 7)

    def scope(address: str, token: str) -> dict[str, object]:
        return {"type": "http", "client": (address, 1), "headers": [(b"authorization", f"Bearer {token}".encode())]}

    own, is_known = visitors.find_limiter_and_check_session(scope("192.0.2.1", "token"))
    assert is_known
    assert visitors.find_limiter_and_check_session(scope("192.0.2.2", "token"))[0] is own
    stranger, is_known = visitors.find_limiter_and_check_session(scope("192.0.2.1", "forged"))
    assert not is_known
    assert visitors.find_limiter_and_check_session(scope("192.0.2.1", "another"))[0] is stranger


async def test_limits_file_transfers_per_person_and_in_total(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "FILE_PATIENCE", 0.01)
    files, ending = FileTransfers(), asyncio.Event()

    async def hold(person: int, began: asyncio.Event) -> None:
        async with files.reserve_transfer_slot(person):
            began.set()
            await ending.wait()

    async with asyncio.TaskGroup() as group:
        for person in range(MAX_FILES):
            began = asyncio.Event()
            group.create_task(hold(person, began))
            await began.wait()
            with pytest.raises(TransfersBusy):
                async with files.reserve_transfer_slot(person):
                    pass
        with pytest.raises(TransfersBusy):
            async with files.reserve_transfer_slot(99):
                pass
        ending.set()
    async with files.reserve_transfer_slot(99):
        pass
