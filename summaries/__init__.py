"""When to fold what, and how a summary is made and judged. Does not know stores or when it is called.

generation.py     how a summary's text is made: requests, parts, a second attempt, the score
grounding.py      whether each sentence was said, and the person's own words where it was not
planning.py       what every planner looks at, and what a policy is
policies.py       the list of the fold policies
pyramid.py        when to fold what: chunks, and summaries upwards
quality_gate.py   whether a summary may stand
quality_score.py  how good a summary is, measured without a judge
rolling.py        when to fold what: one summary, updated with what was said since
shortening.py     how a text that is too long is made to fit
sliding.py        when to fold what: the last messages only, after every turn
sources.py        what sources say apart from their headings: the dates that follow, and of whom
"""
