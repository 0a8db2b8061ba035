"""The facts that an English text states outright, by pattern: "I live in …", "my … is …". Deterministic.

Answers what fact extraction asks a model where there is no model: it finds little, and only what was said in so many
words. Reads the layout that prompts.py writes.
"""

import json
import re
from collections.abc import Iterator, Mapping

from text.characters import sentences
from text.date_words import ENGLISH_MONTHS

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
_END = rf"\s*+(?:,|\band\b|\bbut\b|\bbecause\b|{_WHEN}|[.!;]|$)"
_OTHERS = re.compile(r"\b(?:i|i'm|my|me|you|your|we|our|it|this|that|if)\b", re.IGNORECASE)
_QUESTION_MARK = re.compile(r"[?？؟][\"'”“’»)\s]*\Z")
_QUESTION_TAG = re.compile(r",\s*[^\s,]+(?:\s[^\s,]+)?\s*[?？؟]")
_QUESTION_WORD = re.compile(
    r"(?:what|when|where|which|who|whose|why|how|что|когда|где|кто|как|какой|сколько|почему|qué|cuál|cuándo|dónde|quién"
    r"|cómo)(?:['’]\w+)?\b",
    re.IGNORECASE,
)
_INSTRUCTION = re.compile(r"(?:from now on|always|never|please (?:always|never|don't|do not))\b.{3,200}", re.IGNORECASE)


_SAID = tuple(
    (re.compile(rf"\b{said}\s++{_REST}{_END}", re.IGNORECASE), begins, kind, only_one)
    for said, begins, kind, only_one in (
        (r"i (?:now )?live in", "{n} lives in", "fact", True),
        (r"i(?:'ve| have)? moved (?:from [\w .'-]{1,40}? )?to", "{n} lives in", "fact", True),
        (r"i (?:now )?work (?:at|for)", "{n} works at", "fact", True),
        (r"i (?:now )?work as", "{n} works as", "fact", True),
        (r"my name is", "{n} is called", "fact", True),
        (r"i(?:'m| am) allergic to", "{n} is allergic to", "fact", False),
        (r"i (?:really )?(?:like|love|enjoy)", "{n} likes", "preference", False),
        (r"i (?:hate|dislike|(?:do not|don't) like)", "{n} does not like", "preference", False),
        (r"i(?:'m| am)(?= an? (?!(?:bit|little|lot|few)\b)[a-z-]+(?: [a-z-]+)?" + _END + ")", "{n} is", "fact", False),
        (r"my (?P<of>[a-z]+(?: (?-i:[A-Z])\w+)?) (?:now )?lives in", "{n}'s {of} lives in", "fact", True),
        (r"my (?P<of>[a-z]+(?: [a-z]+){0,2}) (?:is|are)", "{n}'s {of} is", "fact", True),
    )
)
"""What is said, how the fact made of it begins, of which kind it is, and whether nobody has two of it.

`{n}` is the name, `{of}` whose; what follows ends the sentence.
"""


def stated(request: str, schema: Mapping[str, object]) -> str:
    """The JSON that was asked for: facts of a conversation, or a profile out of facts."""
    if schema.get("name") == "profile":
        return json.dumps(_profile(request), ensure_ascii=False)
    return json.dumps({"facts": list(_facts(request))}, ensure_ascii=False)


def _facts(request: str) -> Iterator[dict[str, object]]:
    known = [(int(match["id"]), match["text"]) for match in _KNOWN.finditer(request)]
    for line in _LINE.finditer(request):
        number = int(line["id"])
        for sentence in sentences(line["words"]):
            if is_question(sentence) or '"' in sentence or "“" in sentence:
                continue
            if _INSTRUCTION.match(sentence):
                yield from _fact(sentence, "instruction", number, known, [])
                continue
            for said, begins, kind, only_one in _SAID:
                found = said.search(sentence.replace("’", "'"))
                if found is None or _OTHERS.search(found["rest"]):
                    continue
                start = begins.format(n=line["name"].strip(), of=found.groupdict().get("of"))
                older = [id_ for id_, text in known if only_one and text.startswith(f"{start} ")]
                yield from _fact(f"{start} {found['rest'].strip()}.", kind, number, known, older)


def _fact(
    text: str, kind: str, message: int, known: list[tuple[int, str]], older: list[int]
) -> Iterator[dict[str, object]]:
    """A fact that is not known yet; `older`: what it replaces."""
    if not any(words.casefold() == text.casefold() for _, words in known):
        yield {"message": message, "text": text, "type": kind, "replaces": older[0] if older else None}


def _profile(request: str) -> dict[str, str]:
    """The facts themselves, with tastes separate; without facts, the former profile."""
    texts = [match["text"].strip() for match in _FACT.finditer(request)][:12]
    tastes = [text for text in texts if re.search(r"\b(?:likes?|prefers?|hates?)\b", text)]
    former = _FORMER.search(request)
    rest = " ".join(text for text in texts if text not in tastes)
    return {
        "profile": rest or (former["text"] if former and not texts else ""),
        "preferences": " ".join(tastes),
        "ongoing_topics": "",
        "key_history": "",
    }


def is_question(text: str) -> bool:
    """Whether a text asks rather than tells; one with a question tag ("…, isn't it?") tells something."""
    asks = _QUESTION_MARK.search(text) and not _QUESTION_TAG.search(text)
    return bool(asks or _QUESTION_WORD.match(text))
