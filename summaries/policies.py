"""The list of summary policies. Add new policies to this list."""

from collections.abc import Mapping

from records.owners import Policy
from summaries import pyramid, rolling, sliding
from summaries.planning import SummaryPolicy

# In the order shown to people.
POLICIES: Mapping[Policy, SummaryPolicy] = {
    policy.name: policy for policy in (pyramid.POLICY, rolling.POLICY, sliding.POLICY)
}


def find_policy(name: Policy) -> SummaryPolicy:
    """Return the policy with this name, or the pyramid policy if this version does not know the name."""
    return POLICIES.get(name, pyramid.POLICY)
