"""Property tests of all fold policies: invariants that hold for any sequence of turns, folds and switches."""

from collections import Counter
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.messages import MessageOutline
from records.owners import Policy
from records.status import Counts
from records.summaries import SummaryPlan, SummaryReason
from summaries import rolling
from summaries.planning import KEPT_MESSAGES, ActiveTurn, ScopeState, select_foldable_turns
from summaries.policies import POLICIES
from summaries.pyramid import MAX_ACTIVE
from tests.support.summaries import standing_summary

EVERY_N = 3


@dataclass
class MadeSummary:
    """A summary as a store would keep it. `covers` has the ids of the messages that it covers."""

    id: int
    level: int
    policy: Policy
    chunk: tuple[int, ...]
    covers: frozenset[int]
    sources: tuple[int, ...]
    is_active: bool = True


@dataclass
class SimulatedScope:
    """A scope without texts that applies plans as a store would."""

    policy: Policy = "pyramid"
    turns: list[list[MessageOutline]] = field(default_factory=list)
    unanswered: set[int] = field(default_factory=set)
    chunk_of: dict[int, int] = field(default_factory=dict)
    made_summaries: list[MadeSummary] = field(default_factory=list)
    newest_id: int = 0

    def add_turn(self, pieces: int, *, answered: bool) -> None:
        ids = range(self.newest_id + 1, self.newest_id + 1 + pieces + answered)
        self.newest_id = ids[-1]
        self.turns.append(
            [MessageOutline(id=id_, turn=ids[0], is_user=place < pieces) for place, id_ in enumerate(ids)]
        )
        if not answered:
            self.unanswered.add(ids[0])

    def make_state(self) -> ScopeState:
        open_turns = [[message for message in turn if message.id not in self.chunk_of] for turn in self.turns]
        return ScopeState(
            turns=[
                ActiveTurn(
                    message_ids=tuple(message.id for message in turn),
                    answered=turn[0].id not in self.unanswered,
                    user_ids=frozenset(message.id for message in turn if message.is_user),
                    tokens=10 * len(turn),
                )
                for turn in open_turns
                if turn
            ],
            summaries=[
                standing_summary(summary.id, summary.level, summary.policy)
                for summary in sorted(self.list_active_summaries(), key=lambda made_summary: min(made_summary.covers))
            ],
            archived=[message for turn in self.turns for message in turn if message.id in self.chunk_of][-20:],
            every_n=EVERY_N,
        )

    def make_counts(self) -> Counts:
        """Return the counts of a store, by which `can_fold` decides without reading messages."""
        state, active = self.make_state(), self.list_active_summaries()
        archived = len(self.chunk_of)
        starts = [min(made.covers) for made in active]
        ids = [number for turn in state.turns for number in turn.message_ids]
        return Counts(
            total=len(ids) + archived,
            archived=archived,
            active_turns=sum(bool(turn.user_ids) for turn in state.turns),
            active_by_level=Counter(made.level for made in active),
            gap=sum(number < max(starts) for number in ids) if starts else 0,
        )

    def list_active_summaries(self) -> list[MadeSummary]:
        return [made_summary for made_summary in self.made_summaries if made_summary.is_active]

    def commit_due_plans(self, reason: SummaryReason) -> list[SummaryPlan]:
        """Commit every plan that is due, checking each one first. Return the plans."""
        plans: list[SummaryPlan] = []
        while found := POLICIES[self.policy].plan(self.make_state(), "upwards" if plans else reason):
            assert len(plans) < 50, "folding comes to an end"
            if plans or reason == "threshold":
                assert POLICIES[self.policy].can_fold(self.make_counts(), EVERY_N), "the counters would have hidden it"
            self.commit(found)
            plans.append(found)
        return plans

    def commit(self, found: SummaryPlan) -> None:
        active = {made_summary.id: made_summary for made_summary in self.list_active_summaries()}
        assert found.message_ids or found.summary_ids
        assert list(found.message_ids) == sorted(set(found.message_ids)), "oldest first, none twice"
        assert not set(found.message_ids) & self.chunk_of.keys(), "no message is folded twice"
        assert set(found.summary_ids) <= active.keys(), "only active summaries are folded"
        assert found.base_id is None or found.base_id in found.summary_ids
        number = len(self.made_summaries) + 1
        below = [active[summary_id] for summary_id in found.summary_ids]
        covers = frozenset(found.message_ids).union(*(made_summary.covers for made_summary in below))
        if found.window_ids:
            assert set(found.window_ids) <= set(found.message_ids) | self.chunk_of.keys()
            covers = frozenset(found.window_ids)
        for made_summary in below:
            made_summary.is_active = False
        self.chunk_of.update(dict.fromkeys(found.message_ids, number))
        self.made_summaries.append(
            MadeSummary(number, found.level, found.policy, found.message_ids, covers, found.summary_ids)
        )


events = st.one_of(
    st.tuples(st.just("say"), st.integers(1, 3), st.booleans()),
    st.tuples(st.just("say"), st.just(1), st.just(True)),
    st.tuples(st.just("fold"), st.sampled_from(["now", "idle", "pressure", "cut", "threshold"])),
)
switches = st.tuples(st.just("switch"), st.sampled_from(sorted(POLICIES)))


def replay_history(scope: SimulatedScope, history: list[tuple[object, ...]]) -> None:
    for event in history:
        match event:
            case ["say", int(pieces), bool(answered)]:
                scope.add_turn(pieces, answered=answered)
                scope.commit_due_plans("threshold")
            case ["fold", str(reason)]:
                scope.commit_due_plans(reason)  # type: ignore[arg-type]
            case ["switch", str(policy)]:
                scope.policy = policy
        check(scope)


def check(scope: SimulatedScope) -> None:
    active = scope.list_active_summaries()
    archived = set(scope.chunk_of)
    assert all(
        number in {made_summary.id for made_summary in scope.made_summaries} for number in scope.chunk_of.values()
    )
    covered = [message for made_summary in active for message in made_summary.covers]
    assert len(covered) == len(set(covered)), "what is active does not overlap"
    assert set(covered) <= archived, "only archived messages are covered"
    for made_summary in scope.made_summaries:
        assert {message for message, chunk in scope.chunk_of.items() if chunk == made_summary.id} == set(
            made_summary.chunk
        )
        assert all(not scope.made_summaries[source - 1].is_active for source in made_summary.sources)
    if not any(made_summary.policy == "sliding" for made_summary in scope.made_summaries):
        assert set(covered) == archived, "no hole"
    for made_summary in active:
        span = [
            message for message in sorted(archived) if min(made_summary.covers) <= message <= max(made_summary.covers)
        ]
        assert set(span) == made_summary.covers, "first to last without a gap"


@pytest.mark.parametrize("policy", sorted(POLICIES))
@given(history=st.lists(events, max_size=60))
def test_every_policy_preserves_fold_invariants(policy: Policy, history: list[tuple[object, ...]]) -> None:
    scope = SimulatedScope(policy=policy)
    replay_history(scope, history)
    assert len(scope.list_active_summaries()) <= (MAX_ACTIVE if policy == "pyramid" else 1)


@given(history=st.lists(st.one_of(events, switches), max_size=80))
def test_switching_policies_preserves_fold_invariants(history: list[tuple[object, ...]]) -> None:
    scope = SimulatedScope()
    replay_history(scope, history)
    for policy in POLICIES:
        scope.policy = policy
        scope.add_turn(1, answered=True)
        scope.commit_due_plans("now")
        check(scope)
        assert len(scope.chunk_of) == scope.newest_id, "now folds everything, whatever went before"
        assert len(scope.list_active_summaries()) <= (MAX_ACTIVE if policy == "pyramid" else 1)


@given(history=st.lists(events, max_size=40), policy=st.sampled_from(sorted(POLICIES)))
def test_automatic_fold_skips_unanswered_turn(policy: Policy, history: list[tuple[object, ...]]) -> None:
    scope = SimulatedScope(policy=policy)
    replay_history(scope, history)
    scope.add_turn(2, answered=False)
    for reason in ("threshold", "idle", "pressure", "cut"):
        scope.commit_due_plans(reason)
        assert not {scope.newest_id, scope.newest_id - 1} & scope.chunk_of.keys()


def add_turns_and_fold(scope: SimulatedScope, turns: int) -> list[list[SummaryPlan]]:
    plans = []
    for _ in range(turns):
        scope.add_turn(1, answered=True)
        plans.append(scope.commit_due_plans("threshold"))
    return plans


def test_rolling_starts_at_ten_messages_and_folds_every_eight() -> None:
    scope = SimulatedScope(policy="rolling")
    plans = add_turns_and_fold(scope, 17)
    assert [turn for turn, made in enumerate(plans, start=1) if made] == [5, 9, 13, 17]
    first, second = plans[4][0], plans[8][0]
    assert (first.message_ids, first.summary_ids, first.base_id) == ((1, 2), (), None)
    assert (second.message_ids, second.summary_ids, second.base_id) == (tuple(range(3, 11)), (1,), 1)
    assert len(scope.make_state().turns) == rolling.VERBATIM_TURNS
    assert [made_summary.is_active for made_summary in scope.made_summaries] == [False, False, False, True]


def test_rolling_merges_summaries_of_pyramid() -> None:
    scope = SimulatedScope()
    add_turns_and_fold(scope, 60)
    levels = {summary.level for summary in scope.list_active_summaries()}
    scope.policy = "rolling"
    add_turns_and_fold(scope, 12)
    (summary,) = scope.list_active_summaries()
    assert summary.level == max(levels)
    assert summary.covers == scope.chunk_of.keys()


def test_sliding_folds_after_every_turn_from_third_on() -> None:
    scope = SimulatedScope(policy="sliding")
    plans = add_turns_and_fold(scope, 12)
    assert [len(made) for made in plans] == [0, 0, *[1] * 10]
    assert [made[0].base_id for made in plans[2:]] == [None, *range(1, 10)]
    assert plans[2][0].window_ids == tuple(range(1, 7))
    assert plans[6][0].window_ids == tuple(range(1, 15))
    assert plans[7][0].window_ids == tuple(range(3, 17)), "what leaves the window leaves the summary"
    assert plans[11][0].message_ids == (23, 24)
    assert len(scope.chunk_of) == 24, "and stays archived"


def test_sliding_window_starts_with_user_message() -> None:
    scope = SimulatedScope(policy="sliding")
    for pieces in (1, 2, 2, 2, 1, 2):
        scope.add_turn(pieces, answered=True)
        scope.commit_due_plans("threshold")
    (summary,) = scope.list_active_summaries()
    assert (min(summary.covers), max(summary.covers), len(summary.covers)) == (3, 16, 14)
    scope.add_turn(2, answered=True)
    scope.commit_due_plans("threshold")
    (summary,) = scope.list_active_summaries()
    assert min(summary.covers) == 6, "5 is an answer"


def test_sliding_summary_has_no_base_from_another_policy() -> None:
    scope = SimulatedScope()
    add_turns_and_fold(scope, 6)
    scope.policy = "sliding"
    (made,) = add_turns_and_fold(scope, 1)[0]
    assert (made.base_id, made.summary_ids) == (None, (1, 2))


def make_turn(*ids: int, tokens: int = 1) -> ActiveTurn:
    return ActiveTurn(message_ids=ids, answered=True, tokens=tokens)


def test_pressure_fold_keeps_last_twenty_messages() -> None:
    turns = [make_turn(number, number + 1) for number in range(1, 60, 2)]
    kept = turns[len(select_foldable_turns(turns, "pressure")) :]
    assert sum(len(turn.message_ids) for turn in kept) == KEPT_MESSAGES


def test_pressure_fold_keeps_last_fifth_of_tokens_when_larger() -> None:
    turns = [make_turn(number, tokens=100 if number < 51 else 10) for number in range(1, 101)]
    kept = turns[len(select_foldable_turns(turns, "pressure")) :]
    assert sum(turn.tokens for turn in kept) >= 0.2 * 5500
    assert len(kept) == 50 + 6


def test_pressure_fold_takes_nothing_when_all_turns_are_kept() -> None:
    assert select_foldable_turns([make_turn(1, 2, tokens=5000)] * 3, "pressure") == []
