"""Split messages into passages to embed, index and show, and extract their informative sentences."""

from collections import Counter
from collections.abc import Callable, Iterator, Set
from itertools import chain, islice, pairwise

from text.analyzer import list_search_terms
from text.characters import count_weighted_characters, find_grapheme_start, find_sentence_ends, split_sentences

MAX_WHOLE_LETTERS = 600  # as `count_weighted_characters` counts, some 150 tokens: up to here a message is one passage
PASSAGE_LETTERS = 400  # letters of a passage of a longer message: some 100 tokens
MAX_SENTENCES = 200  # the first ones of a text, from which an extract is chosen


def split_into_passages(text: str) -> list[str]:
    """Split a text into passages. Joining the passages restores the text."""
    if count_weighted_characters(text) <= MAX_WHOLE_LETTERS:
        return [text]
    passages, room, is_blank = list[list[str]]([[]]), PASSAGE_LETTERS, True
    for piece in _split_into_lines_and_sentences(text):
        size = count_weighted_characters(piece)
        if size > room and not is_blank:
            passages.append([])
            room, is_blank = PASSAGE_LETTERS, True
        passages[-1].append(piece)  # a text may have thousands of blank lines, which one passage takes
        is_blank &= piece.isspace()
        room -= size
    return ["".join(pieces) for pieces in passages]


def join_passages_at_indexes(text: str, indexes: Set[int]) -> str:
    """Return the passages of a text at these indexes as one text, with "…" in place of omitted passages."""
    passages = split_into_passages(text)
    if len(indexes) >= len(passages):
        return text
    joined, last = "", -1
    for index in sorted(index for index in indexes if index < len(passages)):
        gap = "… " if last < 0 < index else " … " if index > last + 1 else ""
        joined = (joined.rstrip() + gap + passages[index].lstrip()) if gap else joined + passages[index]
        last = index
    return joined.strip() + (" …" if last < len(passages) - 1 else "")


def extract_informative_sentences(text: str, max_tokens: int, count_tokens: Callable[[str], int]) -> str:
    """Return the most informative sentences of a text, in order and without code, within `max_tokens` tokens.

    Repeatedly choose the sentence with the highest total weight of new terms per token, among those with at least two
    new terms. The weight of a term is the number of sentences that contain it, since a text repeats its topic.
    """
    sentences = list(islice(dict.fromkeys(split_sentences("".join(text.split("```")[::2]))), MAX_SENTENCES))
    terms = {sentence: frozenset(list_search_terms(sentence)) for sentence in sentences}
    costs = {sentence: count_tokens(f"{sentence} … ") for sentence in sentences}
    frequency = Counter(chain.from_iterable(terms.values()))
    said = set[str]()
    chosen: list[str] = []
    while fitting := [
        sentence for sentence in sentences if costs[sentence] <= max_tokens and len(terms[sentence] - said) > 1
    ]:
        best = max(fitting, key=lambda fit: sum(frequency[term] for term in terms[fit] - said) / costs[fit])
        chosen.append(best)
        said |= terms[best]
        max_tokens -= costs[best]
    return " … ".join(sorted(chosen, key=sentences.index))


def _split_into_lines_and_sentences(text: str) -> Iterator[str]:
    """Yield the lines of a text, splitting long lines into sentences, and long sentences at spaces if possible."""
    for line in text.splitlines(keepends=True):
        if count_weighted_characters(line) <= PASSAGE_LETTERS:
            yield line
            continue
        for start, end in pairwise([0, *find_sentence_ends(line), len(line)]):
            yield from _split_sentence_into_pieces(line[start:end])


def _split_sentence_into_pieces(sentence: str) -> Iterator[str]:
    # A character of a script without spaces counts more than one letter.
    longest = max(1, PASSAGE_LETTERS * len(sentence) // max(1, count_weighted_characters(sentence)))
    start = 0
    while start < len(sentence):
        end = start + longest
        if end < len(sentence):
            space = sentence.rfind(" ", start + longest // 2, end)
            end = space + 1 if space > 0 else max(start + 1, find_grapheme_start(sentence, end, start))
        yield sentence[start:end]
        start = end
