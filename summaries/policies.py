"""The list of fold policies. Add a new one here."""

from collections.abc import Mapping

from records.owners import Policy
from records.summaries import FoldReason
from summaries import pyramid, rolling, sliding
from summaries.planning import FoldPolicy

POLICIES: Mapping[Policy, FoldPolicy] = {
    policy.name: policy for policy in (pyramid.POLICY, rolling.POLICY, sliding.POLICY)
}
"""Policies by name, in the order shown to people."""


def find_policy(name: Policy) -> FoldPolicy:
    """Return the policy of this name, or the pyramid if a newer version wrote an unknown name."""
    return POLICIES.get(name, pyramid.POLICY)


FOLD_ALL: FoldReason = "now"
"""For this reason a planner folds every turn that it is shown, as a rebuild does chunk by chunk."""
