"""What is shown of a long message: the sentences that matter, or a stretch around the word that was asked for. Pure.

Does not know how messages were ranked, nor which of them are shown.
"""

from collections.abc import Callable, Mapping, Sequence

from tokens import Tokenizer, sentence_ends
from words import places


def by_words(text: str, weights: Mapping[str, float], *, tokens: int, tokenizer: Tokenizer) -> str:
    """At most `tokens` of a text: the sentences that hold the weightiest terms; where not even the best of them fits, a
    stretch around its weightiest term. Head and tail where it holds none.
    """
    count = tokenizer.count
    if tokens <= 0 or count(text) <= tokens:
        return text if tokens > 0 else ""
    found = places(text, weights.keys())
    if not found:
        return tokenizer.cut_middle(text, tokens)
    pieces = sentences(text)
    ends = _ends(pieces)
    held: list[set[str]] = [set() for _ in pieces]
    for start, _, term in found:
        held[_piece_at(ends, start)].add(term)
    scores = [sum(weights[term] for term in terms) for terms in held]
    best = max(range(len(pieces)), key=lambda index: (scores[index], -index))
    room = tokens
    while count(pieces[best]) + EDGES <= room:
        shown = clipped(pieces, scores, tokens=room, count=count)
        over = count(shown) - tokens
        if over <= 0:
            return shown
        room -= over
    start, end, _ = max(
        (place for place in found if _piece_at(ends, place[0]) == best),
        key=lambda place: (weights[place[2]], -place[0]),
    )
    return tokenizer.cut_around(text, start, end, tokens)
