"""The list of fold policies. Add a new one here."""

from collections.abc import Mapping

from records.owners import Policy
from summaries import pyramid, rolling, sliding
from summaries.planning import FoldPolicy

# In the order shown to people.
POLICIES: Mapping[Policy, FoldPolicy] = {
    policy.name: policy for policy in (pyramid.POLICY, rolling.POLICY, sliding.POLICY)
}


def find_policy(name: Policy) -> FoldPolicy:
    """Return the policy of this name, or the pyramid for an unknown name from a newer version."""
    return POLICIES.get(name, pyramid.POLICY)
