"""Facts and profile: extraction, reconciliation, verification. Does not know when a turn is answered.

backoff.py             when learning is tried again after a failure
candidates.py          which known facts a text may be about: an index of their words
distillation.py        the profile: the short document about an owner, distilled from time to time
extraction.py          what the model is asked about facts, and its answer, read defensively
extractor.py           what a model finds in some turns: asked, repaired, in halves, and held to what was said
history_extraction.py  learning facts from imported messages, because their owner asked for it
learning.py            what is known about an owner: facts, learned from their own words or added by hand
profile_schema.py      the profile's schema, and an answer read defensively
reconciliation.py      what a new fact does to the known ones: repeats, changes or ends one, or is another
requests.py            the requests for facts and the profile, within the model's window
verification.py        whether a fact is true to its sources
"""
