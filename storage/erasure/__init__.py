"""Forgetting: what goes with a message, a fact or a day, in one transaction.

deletion_cascade.py  what goes with a forgotten or edited message, in one transaction
dependents.py        which summaries, facts and profiles were built on a message
fact_cascade.py      which facts go with what is forgotten
quotes.py            what repeats forgotten words without being built on their message
"""
