"""Metrics count turns, folds and model calls, and contain nothing personal."""

from pathlib import Path

from prometheus_client import generate_latest

from runtime.metrics import REGISTRY
from tests.peers.openai_server import Behaviour
from tests.support.talk import ANNA, open_chat_harness


def figures() -> dict[str, float]:
    """Return the value of every metric by its name and labels."""
    page = generate_latest(REGISTRY).decode()
    lines = [line.rpartition(" ") for line in page.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in lines}


async def test_metrics_count_turns_folds_and_model_calls_by_outcome(tmp_path: Path) -> None:
    before = figures()
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory(every_n=2)
        for number in range(2):
            await talk.run_turn(f"My parrot number {number} is called Xenophilius.")
        talk.server.set_default_answer("chat-model", Behaviour(status=400))
        assert (await talk.say("And now?")).is_error
    after = figures()

    def grew(name: str) -> float:
        return after.get(name, 0.0) - before.get(name, 0.0)

    assert grew('keepsake_turns_total{outcome="answered"}') == 2
    assert grew('keepsake_turns_total{outcome="failed"}') == 1
    assert grew("keepsake_turn_seconds_count") == 2
    assert grew('keepsake_folds_total{outcome="folded",reason="threshold"}') == 1
    assert grew('keepsake_model_seconds_count{model="chat-model"}') == 2
    assert grew('keepsake_model_failures_total{error="ModelRefused",model="chat-model"}') == 1
    assert grew('keepsake_model_requests_total{path="/chat/completions",status="400"}') >= 1
    assert grew('keepsake_model_tokens_total{kind="prompt",model="chat-model"}') > 20
    page = generate_latest(REGISTRY).decode()
    assert "Xenophilius" not in page
    assert ANNA.name not in page
