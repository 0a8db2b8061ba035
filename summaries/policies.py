"""The fold policies: this is the list to which a new one is added."""

from collections.abc import Mapping

from records.owners import Policy
from records.summaries import FoldReason
from summaries import pyramid, rolling, sliding
from summaries.planning import FoldPolicy

POLICIES: Mapping[Policy, FoldPolicy] = {one.name: one for one in (pyramid.POLICY, rolling.POLICY, sliding.POLICY)}
"""By name, in the order in which a person sees them."""


def policy_of(name: Policy) -> FoldPolicy:
    """The policy of this name; the pyramid where a newer version of the program wrote one that is not known here."""
    return POLICIES.get(name, pyramid.POLICY)


FOLD_ALL: FoldReason = "now"
"""For this reason a planner folds every turn that it is shown, as a rebuild does chunk by chunk."""
