"""The facts that an English text states outright, by pattern: "I live in …", "my … is …". Deterministic.

Answers what fact extraction asks a model where there is no model: it finds little, and only what was said in so many
words. Reads the layout that prompts.py writes. Does not know stores.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from llm.prompt_sentences import is_question, split_sentences
from text import standing
from text.date_words import ENGLISH_MONTHS
from text.patterns import Pattern

_LINE = re.compile(r"^#(?P<id>\d+) \[[^\]\n]*\] (?P<name>[^:\n]{1,64}): (?P<words>.*(?:\n  .*)*)", re.MULTILINE)
_KNOWN = re.compile(r"^(?P<id>\d+) · since \S+: (?P<text>.+)$", re.MULTILINE)
_FACT = re.compile(r"^\[fact \d+ · [^\]\n]*\] (?P<text>.+)$", re.MULTILINE)
_FORMER = re.compile(r"\A\s*<profile>\n(?P<text>.*?)\n</profile>", re.DOTALL)
_REST = r"(?P<rest>[^.!?;\"“”«»]{2,80}?)"
_WHEN = (
    r"\b(?:last|this|since|yesterday|today|now)\b"
    rf"|\bin (?:{'|'.join(ENGLISH_MONTHS)}|\d{{4}})\b"
)
"""The name of a place or person ends before these words, which say when."""
_END = rf"\s*(?:,|\band\b|\bbut\b|\bbecause\b|{_WHEN}|[.!;]|$)"
_OTHERS = re.compile(r"\b(?:i|i'm|my|me|you|your|we|our|it|this|that|if)\b", re.IGNORECASE)
_KNOWN_SHARE = 12


@dataclass(frozen=True, slots=True)
class _Pattern:
    """What is said, and the fact made of it: `{n}` is the name, `{of}` whose, and what follows ends the sentence.
    `only_one`: nobody has two of it.
    """

    said: Pattern
    begins: str
    kind: str = "fact"
    only_one: bool = False


def _said(words: str) -> Pattern:
    return Pattern(rf"(?:^|\b){words}\s+{_REST}{_END}", re.IGNORECASE)


_PATTERNS = (
    _Pattern(_said(r"i (?:now )?live in"), "{n} lives in", only_one=True),
    _Pattern(_said(r"i(?:'ve| have)? moved (?:from [\w .'-]+? )?to"), "{n} lives in", only_one=True),
    _Pattern(_said(r"i (?:now )?work (?:at|for)"), "{n} works at", only_one=True),
    _Pattern(_said(r"i (?:now )?work as"), "{n} works as", only_one=True),
    _Pattern(_said("my name is"), "{n} is called", only_one=True),
    _Pattern(_said(r"i(?:'m| am) allergic to"), "{n} is allergic to"),
    _Pattern(_said(r"i (?:really )?(?:like|love|enjoy)"), "{n} likes", "preference"),
    _Pattern(_said(r"i (?:hate|dislike|(?:do not|don't) like)"), "{n} does not like", "preference"),
    _Pattern(
        Pattern(rf"\bi(?:'m| am) (?P<rest>an? (?!(?:bit|little|lot|few)\b)[a-z-]+(?: [a-z-]+)?){_END}", re.IGNORECASE),
        "{n} is",
    ),
    _Pattern(
        Pattern(rf"\bmy (?P<of>[a-z]+(?: (?-i:[A-Z])\w+)?) (?:now )?lives in\s+{_REST}{_END}", re.IGNORECASE),
        "{n}'s {of} lives in",
        only_one=True,
    ),
    _Pattern(
        Pattern(rf"\bmy (?P<of>[a-z]+(?: [a-z]+){{0,2}}) (?:is|are) {_REST}{_END}", re.IGNORECASE),
        "{n}'s {of} is",
        only_one=True,
    ),
)


def stated(request: str, schema: Mapping[str, object]) -> str:
    """The JSON that was asked for: facts of a conversation, or a profile out of facts."""
    if schema.get("name") == "profile":
        return json.dumps(_profile(request), ensure_ascii=False)
    return json.dumps({"facts": list(_facts(request))}, ensure_ascii=False)


def _facts(request: str) -> Iterator[dict[str, object]]:
    known = [(int(match["id"]), match["text"]) for match in _KNOWN.finditer(request)]
    for line in _LINE.finditer(request):
        number = int(line["id"])
        for sentence in split_sentences(line["words"]):
            wishes = [one for one in standing.find(sentence) if one.kind != "end"]
            for wish in wishes:
                alike = wish.kind == "preference"
                older = [id_ for id_, text in known if standing.replaces(wish.text, text, are_preferences=alike)]
                yield from _fact(wish.text, wish.kind, number, known, older)
            if wishes or is_question(sentence) or '"' in sentence or "“" in sentence:
                continue
            for pattern in _PATTERNS:
                found = pattern.said.search(sentence.replace("’", "'"))
                if found is None or _OTHERS.search(found["rest"]):
                    continue
                of = found["of"] if "of" in found.groupdict() else ""
                begins = pattern.begins.format(n=line["name"].strip(), of=of)
                older = [id_ for id_, text in known if pattern.only_one and text.startswith(f"{begins} ")]
                yield from _fact(f"{begins} {found['rest'].strip()}.", pattern.kind, number, known, older)


def _fact(
    text: str, kind: str, message: int, known: list[tuple[int, str]], older: list[int]
) -> Iterator[dict[str, object]]:
    """A fact that is not known yet; `older`: what it replaces."""
    if not any(words.casefold() == text.casefold() for _, words in known):
        yield {"message": message, "text": text, "type": kind, "replaces": older[0] if older else None}


def _profile(request: str) -> dict[str, str]:
    """The facts themselves, with tastes separate; without facts, the former profile."""
    texts = [match["text"].strip() for match in _FACT.finditer(request)][:_KNOWN_SHARE]
    tastes = [text for text in texts if re.search(r"\b(?:likes?|prefers?|hates?)\b", text)]
    former = _FORMER.search(request)
    rest = " ".join(text for text in texts if text not in tastes)
    return {
        "profile": rest or (former["text"] if former and not texts else ""),
        "preferences": " ".join(tastes),
        "ongoing_topics": "",
        "key_history": "",
    }
