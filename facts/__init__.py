"""Extract, reconcile and verify facts, and maintain the profile. Independent of when a turn is answered."""
