"""Facts and profile: extraction, reconciliation, verification. Does not know when a turn is answered.

distillation.py        the profile: the short document about an owner, distilled from time to time
extractor.py           what a model finds in some turns: asked, repaired, in halves, and held to what was said
history_extraction.py  learning facts from imported messages, because their owner asked for it
learning.py            what is known about an owner: facts, learned from their own words or added by hand
reconciliation.py      what a new fact does to the known ones: repeats, changes or ends one, or is another
requests.py            the requests for facts and the profile, within the model's window
schemas.py             the schemas of facts and profile, and the answers, read defensively
verification.py        whether a fact is true to its sources
"""
