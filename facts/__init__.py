"""Extract, reconcile and verify facts, and maintain the profile. Independent of when answers are given."""
