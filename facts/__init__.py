"""Facts and profile: extraction, reconciliation, verification. Does not know when a turn is answered.

backoff.py             what could not be learned from, and when it is tried again
distillation.py        the profile: the short document about an owner, distilled now and then
extraction.py          what the model is asked about facts, and what it said, read defensively
fingerprint.py         what must not differ where two say the same: numbers, dates, names, negation
history_extraction.py  imported history that facts are learned from because its owner wants it
learning.py            what is known of an owner: facts, learned from their own words or told by hand
profile_schema.py      the profile's schema, and an answer read defensively
reconciliation.py      what a new fact does to the known: the same, changed, ended, or beside
requests.py            the requests for facts and the profile, within the model's window
verification.py        whether a fact is true to what its sources say
"""
