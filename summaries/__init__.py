"""When to fold what, and how a summary is made and judged. Does not know stores or when it is called.

generation.py     how a summary's text comes about: requests, parts, a second chance, the score
pyramid.py        when to fold what: chunks, and summaries upwards
quality_gate.py   whether a summary may stand
quality_score.py  how good a summary is, measured without a judge
recompression.py  how often what is made anew would be compressed
rolling.py        when to fold what: one summary, made anew out of itself
situation.py      what every planner looks at
sliding.py        when to fold what: the last messages only, after every turn
sources.py        messages and summaries as planners and models read them
uncovered.py      what lost its summary to a forgetting, and is folded first
"""
