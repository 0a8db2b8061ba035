"""What a word that hardly any message holds may be in the index: the parts and beginnings of a compound or an inflected
word, an Arabic word without what is written together with it. Pure.

Does not know which words messages hold, or how they are looked up.
"""

SHORTEST, LONGEST = 5, 40
"""Letters of a term that has parts; what is longer is no word."""
BEGINNING = 0.5
"""The share of a term that its beginning needs: "nyaralo" of "nyaralonkban", but not "compu" of "computerspiele"."""
PART, REST = 5, 3
"""Letters of the last part of a compound, and of what is before it: "schlussel" of "hausturschlussel", but not "light"
of "flight"."""
_ARABIC = ("وال", "بال", "فال", "كال", "ولل", "لل", "ال", "و", "ف", "ب", "ل", "ك")
"""And, so, in, for, like, and the article, written together with the word; the longest first."""
ARABIC_LEAST = 3
"""Letters of an Arabic word without them."""


def parts(term: str) -> tuple[str, ...]:
    """What to look up for a term: its beginnings and its last parts; of an Arabic one, what else is written with it."""
    if not may_begin(term):
        return ()
    if _is_arabic(term):
        return _arabic(term)
    beginnings = [term[:size] for size in range(len(term) - 1, SHORTEST - 1, -1) if size >= BEGINNING * len(term)]
    endings = [term[start:] for start in range(REST, len(term) - PART + 1)]
    return (*beginnings, *endings)


def may_begin(term: str) -> bool:
    """Whether a term is long enough that what begins with it is related to it, and is a word."""
    return term.isalpha() and (SHORTEST if not _is_arabic(term) else ARABIC_LEAST) <= len(term) <= LONGEST


def _is_arabic(term: str) -> bool:
    return "\u0600" <= term[0] <= "\u06ff"


def _arabic(term: str) -> tuple[str, ...]:
    """The term with each of the prefixes and without; with and without the ending that stems leave or take off."""
    bare = term
    for prefix in _ARABIC:
        if term.startswith(prefix) and len(term) - len(prefix) >= ARABIC_LEAST:
            bare = term[len(prefix) :]
            break
    cores = [bare.removesuffix("ه"), bare.removesuffix("ه") + "ه"]
    if bare.endswith("ت"):  # which stems take for an ending
        cores.append(bare[:-1])
    return tuple(dict.fromkeys(one for core in cores for prefix in ("", *_ARABIC) if (one := prefix + core) != term))
