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

_LINE = re.compile(r"^#(?P<id>\d+) \[[^\]\n]*\] (?P<name>[^:\n]{1,64}): (?P<words>.*(?:\n  .*)*)", re.MULTILINE)
_KNOWN = re.compile(r"^(?P<id>\d+) · (?P<subject>[^·\n]*) · since \S+: (?P<text>.+)$", re.MULTILINE)
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
    """What is said, and the fact made of it: `{n}` is the name, `{rest}` what follows, `{of}` whose."""

    said: re.Pattern[str]
    text: str
    subject: str
    kind: str = "personal"
    only_one: bool = False
    importance: int = 3


def _said(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?:^|\b){words}\s+{_REST}{_END}", re.IGNORECASE)


_PATTERNS = (
    _Pattern(_said(r"i (?:now )?live in"), "{n} lives in {rest}.", "home", only_one=True, importance=4),
    _Pattern(_said(r"i(?:'ve| have)? moved (?:from [\w .'-]+? )?to"), "{n} lives in {rest}.", "home", only_one=True),
    _Pattern(_said(r"i (?:now )?work (?:at|for)"), "{n} works at {rest}.", "employer", only_one=True, importance=4),
    _Pattern(_said(r"i (?:now )?work as"), "{n} works as {rest}.", "job", only_one=True, importance=4),
    _Pattern(_said("my name is"), "{n} is called {rest}.", "name", only_one=True, importance=4),
    _Pattern(_said(r"i(?:'m| am) allergic to"), "{n} is allergic to {rest}.", "allergy", importance=5),
    _Pattern(_said(r"i (?:really )?(?:like|love|enjoy)"), "{n} likes {rest}.", "tastes", "preference"),
    _Pattern(_said(r"i (?:hate|dislike|(?:do not|don't) like)"), "{n} does not like {rest}.", "tastes", "preference"),
    _Pattern(
        re.compile(
            rf"\bi(?:'m| am) (?P<rest>an? (?!(?:bit|little|lot|few)\b)[a-z-]+(?: [a-z-]+)?){_END}", re.IGNORECASE
        ),
        "{n} is {rest}.",
        "occupation",
    ),
    _Pattern(
        re.compile(rf"\bmy (?P<of>[a-z]+(?: (?-i:[A-Z])\w+)?) (?:now )?lives in\s+{_REST}{_END}", re.IGNORECASE),
        "{n}'s {of} lives in {rest}.",
        "{of}'s home",
        only_one=True,
    ),
    _Pattern(
        re.compile(rf"\bmy (?P<of>[a-z]+(?: [a-z]+){{0,2}}) (?:is|are) {_REST}{_END}", re.IGNORECASE),
        "{n}'s {of} is {rest}.",
        "{of}",
        only_one=True,
    ),
)


def stated(request: str, schema: Mapping[str, object]) -> str:
    """The JSON that was asked for: facts of a conversation, or a profile out of facts."""
    if schema.get("name") == "profile":
        return json.dumps(_profile(request), ensure_ascii=False)
    return json.dumps({"facts": list(_facts(request))}, ensure_ascii=False)


def _facts(request: str) -> Iterator[dict[str, object]]:
    known = [(int(match["id"]), match["subject"].strip(), match["text"]) for match in _KNOWN.finditer(request)]
    for line in _LINE.finditer(request):
        for sentence in split_sentences(line["words"]):
            wishes = [one for one in standing.find(sentence) if one.kind != "end"]
            yield from (_wish(one, int(line["id"]), known) for one in wishes)
            if wishes or is_question(sentence) or '"' in sentence or "“" in sentence:
                continue
            for pattern in _PATTERNS:
                found = pattern.said.search(sentence.replace("’", "'"))
                if found is None or _OTHERS.search(found["rest"]):
                    continue
                of = found["of"] if "of" in found.groupdict() else ""
                names = {"n": line["name"].strip(), "rest": found["rest"].strip(), "of": of}
                yield _fact(pattern, names, int(line["id"]), known)


def _wish(wish: standing.Standing, source: int, known: list[tuple[int, str, str]]) -> dict[str, object]:
    """What the person asks to keep to, or prefers, in their own words."""
    same = next((number for number, _, words in known if words.casefold() == wish.text.casefold()), None)
    older = next(
        (
            number
            for number, _, words in known
            if standing.replaces(wish.text, words, are_preferences=wish.kind == "preference")
        ),
        None,
    )
    return {
        "text": wish.text,
        "type": wish.kind,
        "subject": standing.aspect(wish.text),
        "importance": 5 if wish.kind == "instruction" else 4,
        "tags": [],
        "sources": [source],
        "since": None,
        "until": None,
        "only_one": False,
        "relation": "repeats" if same else "replaces" if older else "new",
        "known": same or older,
    }


def _fact(
    pattern: _Pattern, names: Mapping[str, str], source: int, known: list[tuple[int, str, str]]
) -> dict[str, object]:
    text, subject = pattern.text.format(**names), pattern.subject.format(**names).lower()
    same = next((number for number, _, words in known if words.casefold() == text.casefold()), None)
    older = next((number for number, about, _ in known if pattern.only_one and about == subject), None)
    return {
        "text": text,
        "type": pattern.kind,
        "subject": subject,
        "importance": pattern.importance,
        "tags": [],
        "sources": [source],
        "since": None,
        "until": None,
        "only_one": pattern.only_one,
        "relation": "repeats" if same else "replaces" if older else "new",
        "known": same or older,
    }


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
