"""Decide which messages to fold, and make and judge summaries. Does not know stores or when it is called.

generation.py     generates the text of a summary, in parts and with a second attempt if needed
planning.py       the state that a planner receives, and the definition of a policy
policies.py       the list of the fold policies
pyramid.py        a policy that folds chunks of turns, and summaries into higher levels
quality_gate.py   checks that refuse a bad summary
quality_score.py  scores a summary without a judge
rolling.py        a policy with one live summary, updated with newer turns
sliding.py        a policy with one live summary of the last messages only
"""
