"""The fold policies: this is the list to which a new one is added. Does not know what any of them does."""

from collections.abc import Mapping

from records.owners import Policy
from records.summaries import FoldReason
from summaries import pyramid, rolling, sliding
from summaries.planning import ActiveSummary, ActiveTurn, FoldPolicy, ScopeState

POLICIES: Mapping[Policy, FoldPolicy] = {one.name: one for one in (pyramid.POLICY, rolling.POLICY, sliding.POLICY)}
"""By name, in the order in which a person sees them."""


def policy_of(name: Policy) -> FoldPolicy:
    """The policy of this name; the pyramid where a newer version of the program wrote one that is not known here."""
    return POLICIES.get(name, pyramid.POLICY)


def times_compressed_by_rebuild(policy: FoldPolicy, *, messages: int, every_n: int, most: int) -> int:
    """The times that a rebuild of so many archived messages would compress the oldest detail, without making a summary.

    An upper bound, since a turn has at least one message; not counted further than to `most`.
    """
    size = policy.rebuild_turns(every_n)
    times: dict[int, int] = {}
    active: list[ActiveSummary] = []
    for chunk in range(1, 1 + (-(-messages // size) if size else min(1, messages))):
        turns, reason = [ActiveTurn(message_ids=(chunk,), answered=True)], FOLD_ALL
        while plan := policy.plan(ScopeState(turns=turns, summaries=active, every_n=every_n), reason):
            made = ActiveSummary(id=len(times) + 1, level=plan.level, policy=plan.policy)
            times[made.id] = 1 + max((times[one] for one in plan.summary_ids), default=0)
            active = [*(one for one in active if one.id not in plan.summary_ids), made]
            turns, reason = [], "upwards"
        if max(times[one.id] for one in active) >= most:
            return most
    return max((times[one.id] for one in active), default=0)


FOLD_ALL: FoldReason = "now"
"""For this reason a planner folds every turn that it is shown, as a rebuild does chunk by chunk."""
