"""Recognises, by meaning, questions about an order, a count or a whole story, since these need several searches."""

import numpy as np

from storage.search.protocol import Floats

WIDE = (
    "In which order did I talk about these things?",
    "How many books did I read in spring?",
    "How often have I been to the gym this year?",
    "Give me an overview of everything we discussed about it over the year.",
    "Summarise how it developed over time.",
    "Tell me the whole story from the beginning.",
    "List all the places that I ever visited.",
    "Have I ever said that?",
)
NARROW = (
    "What is the name of my dog?",
    "When is my appointment?",
    "Where did I put the key?",
    "How do I cook rice?",
    "Please write an email to my landlord.",
    "What should I wear tomorrow?",
    "Which restaurant did I like?",
    "Thanks, that was helpful.",
    "Why did she leave the job?",
    "Can you recommend a book for my trip?",
)
MIN_LEAD = 0.4  # of the closest wide example, in standard deviations of the cosines between the examples


def needs_several_searches(question: Floats, examples: Floats) -> bool:
    """Return True if a question needs several searches. `examples` are the embeddings of WIDE, then NARROW."""
    cosines = examples @ examples.T
    spread = float(cosines[np.triu_indices(len(examples), 1)].std())
    closeness = examples @ question
    return float(closeness[: len(WIDE)].max() - closeness[len(WIDE) :].max()) > MIN_LEAD * spread
