"""The models that need neither a network nor a key: one answers by quoting, one summarises by extraction.

Both are deterministic and compare words without understanding them. They read the layout that prompts.py writes, any
part of which may be missing.
"""

import json
import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from llm.chat_model import ChatModel, OnText
from locales.catalog import calendar_day, in_every_language, tr
from records.errors import ModelBroken
from records.model_calls import Completion, PromptMessage, Usage
from text.analyzer import content_terms
from text.characters import sentences
from text.date_words import ENGLISH_MONTHS, iso_dates
from text.tokenizer import Tokenizer

Speaker = Literal["user", "summary", "fact", "assistant"]

_TELLING = re.compile(r"(?<=[\w,;:'’)] )[^\W\d_a-z][\w’'-]+|\d+(?:[.,:/-]\d+)*")
"""A word with a capital letter within a sentence, or a number."""
_BLOCK = re.compile(r"\s*<(?P<kind>[a-z]{5,12})>\n?(?P<inside>.*?)(?:</(?P=kind)>|\Z)", re.DOTALL)
_SPEAKERS: dict[str, Speaker | None] = {
    "remembered": "user", "conversation": "user", "replied": "user", "summaries": "summary", "instructions": "summary",
    "profile": "fact", "facts": "fact", "dropped": None, "superseded": None,
}  # fmt: skip
"""Who speaks in which block of a prompt; None: what no longer holds."""
_OF_OTHERS = re.compile(r"</?(?:forwarded|overheard|document|picture)>")
_CLOCK = re.compile(r"It is now \d[^\n]*(?:\n|\Z)")
_STAMP = re.compile(r"\[(?P<stamp>(?:fact \d|\d{4}-\d\d-\d\d)[^\]]*)\][ \t]*|(?P<day>\d{4}-\d\d-\d\d) \([^)]*\)\Z")
_NAME = re.compile(r"(?P<name>[^\W\d_][\w .'’-]{0,39}?)(?: \[[^\]]{0,99}\])?:\s+")
_QUESTION_MARK = re.compile(r"[?？؟][\"'”“’»)\s]*\Z")
_QUESTION_TAG = re.compile(r",\s*[^\s,]+(?:\s[^\s,]+)?\s*[?？؟]")
_QUESTION_WORD = re.compile(
    r"(?:what|when|where|which|who|whose|why|how|что|когда|где|кто|как|какой|сколько|почему|qué|cuál|cuándo|dónde|quién"
    r"|cómo)(?:['’]\w+)?\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Sentence:
    """One sentence of a prompt. `when`: the day, where it is known."""

    text: str
    speaker: Speaker
    when: date | None = None


class _Deterministic(ChatModel):
    """A model that computes its text. `says`: the line of --check."""

    name: str
    says: str

    def __init__(self) -> None:
        self._tokenizer = Tokenizer.for_model(self.name)

    @abstractmethod
    def _text(self, messages: Sequence[PromptMessage], schema: Mapping[str, object] | None) -> str: ...

    async def complete(
        self,
        messages: Sequence[PromptMessage],
        *,
        on_text: OnText | None = None,
        schema: Mapping[str, object] | None = None,
    ) -> Completion:
        """The text as a model's answer, shown word by word where it is streamed."""
        text = self._text(messages, schema)
        if on_text:
            for word in re.finditer(r"\S+", text):
                await on_text(text[: word.end()])
        usage = Usage(prompt=self._tokenizer.prompt_tokens(messages), completion=self._tokenizer.count(text))
        return Completion(text=text, model=self.name, usage=usage)

    async def check(self) -> str:
        return self.says


class OfflineModel(_Deterministic):
    """Answers by quoting what the person told that shares most with the question, and says what it is."""

    name = "offline"
    says = "offline model: nothing to reach; it can only quote"

    def _text(self, messages: Sequence[PromptMessage], schema: Mapping[str, object] | None) -> str:
        talk = [one for one in messages if one.role != "system"]
        asked = talk.pop().content if talk and talk[-1].role == "user" else ""
        remembered, words = read(asked)
        words = _CLOCK.sub("", words, count=1).strip()
        for one in talk:
            remembered += _all(one.content) if one.role == "user" else []
        told = [one for one in remembered if one.speaker != "assistant" and not is_question(one.text)]
        is_newcomer = not remembered and all(one.role == "user" for one in talk)
        if words and any(_folded(hello).startswith(_folded(words)) for hello in in_every_language("offline-hello")):
            return f"{tr('offline-hello')} {tr('offline-marker')}"
        if _folded(words) in map(_folded, in_every_language("page-try-4")) and (known := _known(told)):
            return "\n".join([tr("offline-remembered"), *map(_quoted, known)])
        if words and not is_question(words):
            return f"{tr('offline-noted')} {tr('offline-marker')}" if is_newcomer else tr("offline-noted")
        if quotes := best_quotes(words, told):
            return f"{tr('offline-remembered')} {' '.join(map(_quoted, quotes))}"
        if words and (nearest := next((one for one in told if one.speaker == "user" and one.when), None)):
            return f"{tr('offline-nearest')} {_quoted(nearest)}"
        return f"{tr('offline-unknown')} {tr('offline-marker')}"


class ExtractiveSummarizer(_Deterministic):
    """Summarises by choosing sentences, where there is no model or the model has failed."""

    name = "extractive"
    says = "extractive summaries: nothing to reach"

    def _text(self, messages: Sequence[PromptMessage], schema: Mapping[str, object] | None) -> str:
        """The extract of the last user message; where JSON is asked for, the facts that it states outright.

        Raises ModelBroken where the message has no sentence.
        """
        source = next((message.content for message in reversed(messages) if message.role == "user"), "")
        if schema is not None:
            return stated(source, schema)
        text = extract(source, 200, count=self._tokenizer.count) or self._tokenizer.cut_end(
            next((one.text for one in _all(source)), ""), 200
        )
        if not text:
            raise ModelBroken
        return text


def _known(told: Sequence[Sentence]) -> list[Sentence]:
    """Facts and profile, and then, the newest first, what the person told that no fact is about: eight at most."""
    known = [one for one in told if one.speaker == "fact"]
    about = [_terms(one.text) for one in known]
    rest = [
        one
        for one in reversed(told)
        if (terms := _terms(one.text)) and not any(len(terms & fact) > len(terms) / 2 for fact in about)
    ]
    return _distinct([*known, *sorted(rest, key=_day, reverse=True)])[:8]


def best_quotes(question: str, told: Sequence[Sentence]) -> list[Sentence]:
    """Up to three sentences that share the question's words, rare ones above all: of those that share almost as much as
    the best the latest first, since they may correct it.
    """
    found = [(one, _terms(question) & _terms(one.text)) for one in told]
    frequency = Counter(term for _, shared in found for term in shared)
    scores = [sum(1 / frequency[term] for term in shared) for _, shared in found]
    least = max(scores, default=0.0) * 0.75
    best = [one for score, (one, _) in zip(scores, found, strict=True) if score >= least > 0]
    return _distinct(sorted(best, key=_day)[::-1])[:3]


def extract(text: str, max_tokens: int, *, count: Callable[[str], int]) -> str:
    """The most telling sentences of a conversation or of summaries, verbatim and in order: at most five, and
    `max_tokens` by `count`. Others than what the person tells are taken only where there is nothing else.
    """
    every = _distinct(_all(text))
    said = [one for one in every if one.speaker != "assistant"]
    said = [one for one in said if not is_question(one.text) and _worth(one.text) > 1] or said or every
    chosen, kept = list[int](), ""
    for index in sorted(range(len(said)), key=lambda at: _worth(said[at].text), reverse=True):
        with_it = sorted([*chosen, index])
        joined = " ".join(said[one].text for one in with_it)
        if count(joined) <= max_tokens:
            chosen, kept = with_it, joined
        if len(chosen) == 5:
            break
    return kept


def _worth(text: str) -> int:
    """How much a sentence tells: words, names, numbers."""
    return min(6, len(_terms(text))) + 2 * min(6, len(_TELLING.findall(text)))


def read(text: str) -> tuple[list[Sentence], str]:
    """The sentences of the blocks at the start of a text, and the rest, where any tag is the person's own."""
    found: list[Sentence] = []
    text = _OF_OTHERS.sub("", text)
    while (block := _BLOCK.match(text)) and block["kind"] in _SPEAKERS:
        if speaker := _SPEAKERS[block["kind"]]:
            found += _lines(block["inside"], speaker)
        text = text[block.end() :]
    return found, text


def _all(text: str) -> list[Sentence]:
    """The sentences of a fold's material or of a message: blocks, or plain lines."""
    blocks, rest = read(text)
    return [*blocks, *_lines(rest, "user")]


def _lines(text: str, default: Speaker) -> Iterator[Sentence]:
    """The sentences of `[date] Name: text` lines, or of `Name: text` lines under a `date (ago)`; a line without a name
    goes on from the one before. Leaves out facts that no longer hold.
    """
    speaker, when, is_stamped, holds = default, None, False, True
    for line in text.split("\n"):
        words = line
        if stamp := _STAMP.match(line):
            shown = stamp["stamp"] or stamp["day"]
            is_stamped, when, words = True, _last_day(shown), line[stamp.end() :]
            speaker, holds = default, " · only until " not in shown
        if is_stamped and default == "user" and (name := _NAME.match(words)):
            speaker = "assistant" if name["name"].strip().lower() in ("assistant", "keepsake", "bot") else default
            words = words[name.end() :]
        if holds:
            yield from (Sentence(text=one, speaker=speaker, when=when) for one in sentences(words))


def _terms(text: str) -> frozenset[str]:
    """What a text is about. Six letters count, which joins what stems leave apart (allergy, allergic)."""
    return frozenset(term[:6] for term in content_terms(text))


def _distinct(found: Iterable[Sentence]) -> list[Sentence]:
    return list({_folded(one.text): one for one in found}.values())


def _day(sentence: Sentence) -> date:
    """The day of a sentence. What has no date is of a recent turn, and so the latest."""
    return sentence.when or date.max


def _last_day(stamp: str) -> date | None:
    """The last day that a stamp names: of a summary's range, the one until which it holds."""
    return next(reversed([*iso_dates(stamp)]), None)


def _quoted(sentence: Sentence) -> str:
    text = sentence.text if len(sentence.text) <= 300 else sentence.text[:300].rstrip() + "…"
    day = f" ({calendar_day(sentence.when, with_year=True)})" if sentence.when else ""
    end = "" if not day and text.endswith((".", "!", "?", "…", "。")) else "."
    return f"{tr('shared-quoted', text=text)}{day}{end}"


def _folded(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def is_question(text: str) -> bool:
    """Whether a text asks rather than tells; one with a question tag ("…, isn't it?") tells something."""
    asks = _QUESTION_MARK.search(text) and not _QUESTION_TAG.search(text)
    return bool(asks or _QUESTION_WORD.match(text))


# facts, by pattern: little is found, and only what an English text says in so many words ----------------------------
_LINE = re.compile(r"^#(?P<id>\d+) \[[^\]\n]*\] (?P<name>[^:\n]{1,64}): (?P<words>.*(?:\n  .*)*)", re.MULTILINE)
_KNOWN = re.compile(r"^(?P<id>\d+) · since \S+: (?P<text>.+)$", re.MULTILINE)
_FACT = re.compile(r"^\[fact \d+ · [^\]\n]*\] (?P<text>.+)$", re.MULTILINE)
_WHEN = rf"last|this|since|yesterday|today|now$|in (?:\d{{4}}|{'|'.join(ENGLISH_MONTHS)})"
_CLAUSE_END = re.compile(rf"[,.!;](?:\s|$)|\s(?:and|but|because|{_WHEN})\b", re.IGNORECASE)
"""What follows says when or why, or something else."""
_OTHERS = re.compile(r"\b(?:i|my|me|you|your|we|our|it|this|that|if)\b|[\"“”«»]", re.IGNORECASE)
_INSTRUCTION = re.compile(r"(?:from now on|always|never|please (?:always|never|don't|do not))\b.{3,200}", re.IGNORECASE)
_STATEMENTS = tuple(
    (re.compile(rf"\b{said} (?P<rest>.{{2,80}})$", re.IGNORECASE), begins, is_only)
    for said, begins, is_only in (
        (r"i (?:now )?live in", "{n} lives in", True),
        (r"i(?:'ve| have)? moved (?:from .{1,40}? )?to", "{n} lives in", True),
        (r"i (?:now )?work (?:at|for)", "{n} works at", True),
        (r"i (?:now )?work as", "{n} works as", True),
        (r"my name is", "{n} is called", True),
        (r"i(?:'m| am) allergic to", "{n} is allergic to", False),
        (r"i (?:really )?(?:like|love|enjoy)", "{n} likes", False),
        (r"i (?:hate|dislike|(?:do not|don't) like)", "{n} does not like", False),
        (r"i(?:'m| am)(?= an? (?!bit|little|lot|few)[a-z-]+(?: [a-z-]+)?$)", "{n} is", False),
        (r"my (?P<of>[a-z]+(?: (?-i:[A-Z])\w+)?) (?:now )?lives in", "{n}'s {of} lives in", True),
        (r"my (?P<of>[a-z]+(?: [a-z]+){0,2}) (?:is|are)", "{n}'s {of} is", True),
    )
)
"""What a clause says, how the fact made of it begins, and whether nobody has two of it.

`{n}`: the name; `{of}`: whose.
"""
_TASTE = re.compile(r"\b(?:likes?|prefers?|hates?)\b")


def stated(request: str, schema: Mapping[str, object]) -> str:
    """The JSON that was asked for: facts of a conversation, or a profile out of facts."""
    made = _profile(request) if schema.get("name") == "profile" else {"facts": list(_facts(request))}
    return json.dumps(made, ensure_ascii=False)


def _facts(request: str) -> Iterator[dict[str, object]]:
    known = {match["text"]: int(match["id"]) for match in _KNOWN.finditer(request)}
    for line in _LINE.finditer(request):
        for sentence in sentences(line["words"].replace("’", "'")):
            if is_question(sentence):
                continue
            for text, begins, kind in _told(sentence, line["name"].strip()):
                older = [id_ for one, id_ in known.items() if begins and one.startswith(begins)]
                if text not in known:
                    yield {"message": int(line["id"]), "text": text, "type": kind, "replaces": (*older, None)[0]}


def _told(sentence: str, name: str) -> Iterator[tuple[str, str, str]]:
    """The facts that a sentence states, how an older one that is replaced begins ("": none is), and their kind."""
    if _INSTRUCTION.match(sentence):
        yield sentence, "", "instruction"
        return
    for clause in _CLAUSE_END.split(sentence):
        matches = ((said.search(clause), begins, is_only) for said, begins, is_only in _STATEMENTS)
        match, begins, is_only = next((one for one in matches if one[0]), (None, "", False))
        if match and not _OTHERS.search(match["rest"]):
            begin = begins.format(n=name, of=match.groupdict().get("of")) + " "
            text = f"{begin}{match['rest'].strip()}."
            yield text, begin if is_only else "", "preference" if _TASTE.search(begin) else "fact"


def _profile(request: str) -> dict[str, str]:
    """The facts themselves, with tastes separate; without facts, the former profile."""
    texts = [match["text"].strip() for match in _FACT.finditer(request)][:12]
    former = re.match(r"\s*<profile>\n(.*?)\n</profile>", request, re.DOTALL)
    profile = " ".join(text for text in texts if not _TASTE.search(text)) if texts else former[1] if former else ""
    tastes = " ".join(text for text in texts if _TASTE.search(text))
    return {"profile": profile, "preferences": tastes, "ongoing_topics": "", "key_history": ""}
