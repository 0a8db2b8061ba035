"""Extract, reconcile and verify facts, and maintain the profile. Does not depend on the timing of answers."""
