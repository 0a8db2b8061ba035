"""When to fold what, and how a summary is made and judged. Does not know stores or when it is called.

generation.py     how a summary's text is made: requests, parts, a second attempt, the score
planning.py       what every planner looks at, and what a policy is
policies.py       the list of the fold policies
pyramid.py        when to fold what: chunks, and summaries upwards
quality_gate.py   whether a summary may stand
quality_score.py  how good a summary is, measured without a judge
rolling.py        when to fold what: one summary, updated with what was said since
sliding.py        when to fold what: the last messages only, after every turn
"""
