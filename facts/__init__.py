"""Extract, reconcile and verify facts, and maintain the profile. Independent of chat/, which answers people."""
