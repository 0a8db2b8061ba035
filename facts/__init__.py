"""Facts and profile: extraction, reconciliation, verification. Does not know when a turn is answered.

distillation.py        the profile: the short document about an owner, distilled from time to time
extractor.py           asks a model for the facts in some turns, and verifies them
history_extraction.py  learning facts from imported messages, at the owner's request
learning.py            facts about an owner, learned from their own words or added by hand
reconciliation.py      compares a new fact with the known ones: it repeats, changes or ends one, or is new
requests.py            the requests for facts and the profile, within the model's window
schemas.py             the JSON schemas of facts and profile, and parsers of the model's answers
verification.py        checks that a fact agrees with its sources
"""
