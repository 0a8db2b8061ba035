"""What is shown of a long message: the relevant sentences, or a passage around the word that was asked for; and what
stands for one where it is too long to be embedded whole. Pure.

Does not know how messages were ranked, or which of them are shown.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate

from text.analyzer import positions
from text.characters import reading_length, sentence_ends
from text.tokenizer import NEAR, Tokenizer

ELLIPSES = 4
"""Tokens of the ellipses where something is left out."""
LEAST_SENTENCE = 12
"""What is not longer, as a list's number or a closing brace, says nothing by itself."""
_CODE_BLOCK = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)


def sentences(text: str) -> list[str]:
    """The sentences of a text, each with what follows it, so that joined they are the text; a line is one by itself."""
    pieces = []
    start = 0
    for end in sentence_ends(text):
        if text[start:end].strip():
            pieces.append(text[start:end])
            start = end
    if text[start:].strip():
        pieces.append(text[start:])
    return pieces


def spread(text: str, length: int) -> str:
    """Sentences from all parts of a text, evenly, that together have about that `reading_length`; blocks of code are
    left out, and so is what is too short to say anything.
    """
    pieces = [piece for one in sentences(_CODE_BLOCK.sub("", text)) if len(piece := one.strip()) > LEAST_SENTENCE]
    pieces = pieces or [text]
    lengths = [reading_length(piece) for piece in pieces]
    wanted = max(1, length * len(pieces) // max(1, sum(lengths)))
    chosen, left = list[str](), length
    for index in sorted({at * (len(pieces) - 1) // max(1, wanted - 1) for at in range(wanted)}):
        if lengths[index] <= left:
            chosen.append(pieces[index])
            left -= lengths[index]
        elif not chosen:
            return pieces[index][: len(pieces[index]) * length // lengths[index]]
    return "\n".join(chosen)


def clipped(pieces: Sequence[str], scores: Sequence[float], *, tokens: int, count: Callable[[str], int]) -> str:
    """The best pieces that fit into `tokens` (at least one), in their order, with "…" at every cut."""
    left, kept = tokens - ELLIPSES, set[int]()
    for index in sorted(range(len(pieces)), key=lambda index: (-scores[index], index)):
        cost = count(pieces[index]) + 1
        if cost <= left or not kept:
            kept.add(index)
            left -= cost
    shown, last = "", -1
    for index in sorted(kept):
        if index == last + 1:
            shown += pieces[index]
        else:
            shown = f"{shown.rstrip()} … {pieces[index].lstrip()}" if shown else f"… {pieces[index].lstrip()}"
        last = index
    return shown.strip() + ("" if last == len(pieces) - 1 else " …")


def by_words(text: str, weights: Mapping[str, float], *, tokens: int, tokenizer: Tokenizer) -> str:
    """At most `tokens` of a text: the sentences with the weightiest of the terms, then those with others. Where not
    even the best of them fits, a passage around the weightiest; where the text holds none, its beginning and end.
    """
    if not tokenizer.exceeds(text, tokens):
        return text
    found = positions(text, weights.keys())
    if not found:
        return head_and_tail(text, tokens=tokens, tokenizer=tokenizer)
    pieces = sentences(text)
    heaviest = max((term for _, _, term in found), key=lambda term: weights[term])
    weights = {**weights, heaviest: 1.0 + sum(weights.values())}
    scores = [sum(weights[term] for term in terms) for terms in _held(pieces, found)]
    best = pieces[scores.index(max(scores))].strip()
    if not tokenizer.exceeds(best, tokens):
        shown = clipped(pieces, scores, tokens=tokens, count=tokenizer.count)
        over = tokenizer.count(shown) - tokens
        if over > 0:  # the ellipses
            shown = clipped(pieces, scores, tokens=tokens - over, count=tokenizer.count)
        if tokenizer.count(shown) <= tokens:
            return shown
    start, end, _ = max(_runs(found), key=lambda run: sum(weights[term] for term in run[2]))
    return around(text, start, end, tokens=tokens, tokenizer=tokenizer)


def around(text: str, start: int, end: int, *, tokens: int, tokenizer: Tokenizer) -> str:
    """At most `tokens` of a text, with text[start:end] in it: whole words where spaces are near, "…" at each cut.

    Where there is no room for these, text[start:end] alone.
    """
    count = tokenizer.count
    if not tokenizer.exceeds(text, tokens):
        return text
    middle = text[start:end]
    needed = count(middle)
    room = tokens - ELLIPSES
    while room >= needed:
        free = room - needed
        before = _from_word(tokenizer.tail(text[:start], free // 2), start)
        after = _to_word(tokenizer.head(text, free - count(before), end), len(text) - end)
        if len(after) == len(text) - end and len(before) < start:
            before = _from_word(tokenizer.tail(text[:start], free - count(after)), start)
        shown = before + middle + after
        shown = f"… {shown.lstrip()}" if len(before) < start else shown
        shown = f"{shown.rstrip()} …" if len(after) < len(text) - end else shown
        over = count(shown) - tokens
        if over <= 0:
            return shown
        room -= over
    return tokenizer.head(middle, tokens)


def head_and_tail(text: str, *, tokens: int, tokenizer: Tokenizer) -> str:
    """At most `tokens` of a text: its beginning and its end, with "…" between them; where there is no room for both,
    its beginning alone.
    """
    if not tokenizer.exceeds(text, tokens):
        return text
    room = tokens - ELLIPSES
    while room > 1:
        head = _to_word(tokenizer.head(text, room - room // 2), len(text)).rstrip()
        tail = _from_word(tokenizer.tail(text[len(head) :], room // 2), len(text) - len(head)).lstrip()
        if not head or not tail:
            break
        shown = f"{head} … {tail}"
        over = tokenizer.count(shown) - tokens
        if over <= 0:
            return shown
        room -= over
    return tokenizer.head(text, tokens)


def holding(pieces: Sequence[str], weights: Mapping[str, float]) -> list[bool]:
    """For each piece of a text, whether it holds the weightiest of the terms that the text holds."""
    found = positions("".join(pieces), weights.keys())
    heaviest = max((term for _, _, term in found), key=lambda term: weights[term], default="")
    return [heaviest in held for held in _held(pieces, found)]


def _runs(found: Sequence[tuple[int, int, str]]) -> list[tuple[int, int, set[str]]]:
    """Positions, those that overlap joined (text without spaces is cut into pairs): start, end, terms."""
    runs: list[tuple[int, int, set[str]]] = []
    for start, end, term in found:
        if runs and start < runs[-1][1]:
            first, last, terms = runs.pop()
            runs.append((first, max(last, end), terms | {term}))
        else:
            runs.append((start, end, {term}))
    return runs


def _held(pieces: Sequence[str], found: Sequence[tuple[int, int, str]]) -> list[set[str]]:
    """The terms that each piece holds."""
    ends = list(accumulate(map(len, pieces)))
    held: list[set[str]] = [set() for _ in pieces]
    for start, _, term in found:
        if start < ends[-1]:
            held[bisect_right(ends, start)].add(term)
    return held


def _from_word(tail: str, whole: int) -> str:
    """The end of a longer text, from its first whole word on where that begins near the cut."""
    space = tail.find(" ")
    return tail[space:] if len(tail) < whole and 0 <= space <= len(tail) * NEAR else tail


def _to_word(head: str, whole: int) -> str:
    """The beginning of a longer text, up to its last whole word where that ends near the cut."""
    space = head.rfind(" ")
    return head[:space] if len(head) < whole and space >= len(head) * (1 - NEAR) else head
