"""The models that need neither a network nor a key: one answers by quoting, one summarises by extraction.

Both are deterministic and compare words without understanding them. They read the layout that prompts.py writes, any
part of which may be missing.
"""

import json
import math
import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Literal

from llm.chat_model import ChatModel, OnText
from locales.catalog import calendar_day, in_every_language, tr
from records.errors import ModelBroken
from records.model_calls import Completion, PromptMessage, Usage
from text.analyzer import content_terms
from text.characters import sentences
from text.date_words import ENGLISH_MONTHS
from text.tokenizer import Tokenizer

Speaker = Literal["user", "summary", "fact", "assistant"]
_WEIGHT: dict[Speaker, float] = {"fact": 1.2, "user": 1.0, "summary": 0.9, "assistant": 0.5}

_ALIKE = 0.75
"""The share of the best quote's score from which a later quote goes before it: it may say what holds now."""
_LEAST_SHARE = 0.12
"""The share of the question's words, by rarity, that a sentence needs to be an answer at all."""
_LONGEST_QUOTE = 300
_MOST_KNOWN = 8
_SUMMARY_SENTENCES, _SUMMARY_TOKENS = 5, 200
_WORTH_KEEPING = 0.12
"""A sentence worth less than this share of the best would only crowd out facts at the next level."""
_TELLING = re.compile(r"(?<=[\w,;:'’)] )[^\W\d_a-z][\w’'-]+|\d+(?:[.,:/-]\d+)*")
"""A word with a capital letter within a sentence, or a number."""
_BLOCK = re.compile(r"\s*<(?P<kind>[a-z]{5,12})>\n?(?P<inside>.*?)(?:</(?P=kind)>|\Z)", re.DOTALL)
_SPEAKERS: dict[str, Speaker | None] = {
    "remembered": "user", "conversation": "user", "replied": "user", "summaries": "summary", "profile": "summary",
    "facts": "summary", "instructions": "summary", "dropped": None, "superseded": None,
}  # fmt: skip
"""Who speaks in which block of a prompt; None: what no longer holds."""
_OF_OTHERS = re.compile(r"</?(?:forwarded|overheard|document|picture)>")
_OVER = re.compile(r"\bonly until\b|\bsaid something newer\b")
"""What the stamp of a fact says that no longer holds."""
_CLOCK = re.compile(r"It is now \d[^\n]*(?:\n|\Z)")
_STAMP = re.compile(r"\[(?P<stamp>(?:fact \d|\d{4}-\d\d-\d\d)[^\]]*)\][ \t]*|(?P<day>\d{4}-\d\d-\d\d) \([^)]*\)\Z")
_NAME = re.compile(r"(?P<name>[^\W\d_][\w .'’-]{0,39}?)(?: \[[^\]]{0,99}\])?:\s+")
_DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b")


@dataclass(frozen=True, kw_only=True, slots=True)
class Sentence:
    """One sentence of a prompt. `when`: the day, where it is known; `block`: where it stands, "" outside of blocks."""

    text: str
    speaker: Speaker
    when: date | None = None
    block: str = ""


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
    """Answers by quoting the remembered sentences that share most with the question, and says what it is."""

    name = "offline"
    says = "offline model: nothing to reach; it can only quote"

    def _text(self, messages: Sequence[PromptMessage], schema: Mapping[str, object] | None) -> str:
        talk = [one for one in messages if one.role != "system"]
        asked = talk.pop().content if talk and talk[-1].role == "user" else ""
        remembered, words = read(asked)
        words = _CLOCK.sub("", words, count=1).strip()
        for one in talk:
            blocks, rest = read(one.content)
            remembered += [*blocks, *_lines(rest, "assistant" if one.role == "assistant" else "user")]
        is_newcomer = not remembered and all(one.role == "user" for one in talk)
        if words and any(_folded(hello).startswith(_folded(words)) for hello in in_every_language("offline-hello")):
            return f"{tr('offline-hello')} {tr('offline-marker')}"
        if _folded(words) in map(_folded, in_every_language("page-try-4")) and (known := _known(remembered)):
            return "\n".join([tr("offline-remembered"), *map(_quoted, known)])
        if words and not is_question(words):
            return f"{tr('offline-noted')} {tr('offline-marker')}" if is_newcomer else tr("offline-noted")
        if quotes := best_quotes(words, remembered):
            return f"{tr('offline-remembered')} {' '.join(map(_quoted, quotes))}"
        looked_up = (one for one in remembered if one.block == "remembered" and one.speaker != "assistant")
        if words and (nearest := next((one for one in looked_up if not is_question(one.text)), None)):
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
        text = extract(source, _SUMMARY_TOKENS, count=self._tokenizer.count) or self._tokenizer.cut_end(
            next((one.text for one in _all(source)), ""), _SUMMARY_TOKENS
        )
        if not text:
            raise ModelBroken
        return text


def _known(remembered: Sequence[Sentence]) -> list[Sentence]:
    """Facts and profile, and then, the newest first, what the person told that no fact is about."""
    known = [one for one in remembered if one.speaker == "fact" or one.block in ("facts", "profile")]
    about = [_terms(one.text) for one in known]
    told = [
        one
        for one in reversed(remembered)
        if one not in known and one.speaker in ("user", "summary") and not is_question(one.text)
        if (terms := _terms(one.text)) and not any(len(terms & fact) > len(terms) / 2 for fact in about)
    ]
    found = [*known, *sorted(told, key=_day, reverse=True)]
    return list({_folded(one.text): one for one in found}.values())[:_MOST_KNOWN]


def best_quotes(question: str, remembered: Sequence[Sentence], most: int = 3) -> list[Sentence]:
    """Up to `most` sentences that share the rarest of the question's words, the latest first, since it may be a
    correction; questions answer nothing.
    """
    wanted = _terms(question)
    found = [(one, _terms(one.text)) for one in remembered if not is_question(one.text)]
    frequency = Counter(term for _, terms in found for term in terms)
    rarity = {term: math.log(1 + (len(found) + 1) / (frequency[term] + 0.5)) for term in wanted}
    scores = [
        (sum(rarity[term] for term in wanted & terms) * _WEIGHT[one.speaker] * (1 + 0.1 * min(3, len(terms - wanted))))
        for one, terms in found
    ]
    least = max(_ALIKE * max(scores, default=0.0), _LEAST_SHARE * sum(rarity.values()))
    best = [one for score, (one, _) in zip(scores, found, strict=True) if score >= least > 0]
    newest_first = sorted(best, key=_day)[::-1]
    return list({_folded(one.text): one for one in newest_first}.values())[:most]


def extract(text: str, max_tokens: int, *, count: Callable[[str], int]) -> str:
    """The most informative sentences of a conversation or of summaries, verbatim and in order: at most five.

    Each is chosen for what it adds to those before: names, numbers, content words; the user's words before the
    assistant's. At most `max_tokens` by `count`.
    """
    said = _all(text)
    words = [_terms(one.text) for one in said]
    worth = {index: _worth(said[index], terms) for index, terms in enumerate(words) if terms}
    chosen, seen, dearest, kept = list[int](), set[str](), 0.0, ""
    while worth and len(chosen) < _SUMMARY_SENTENCES:
        value, best = max((one * len(words[at] - seen), -at) for at, one in worth.items())
        dearest = max(dearest, value)
        if value <= dearest * _WORTH_KEEPING:
            break
        del worth[-best]
        with_it = sorted([*chosen, -best])
        joined = " ".join(said[index].text for index in with_it)
        if count(joined) <= max_tokens:
            chosen, kept = with_it, joined
            seen |= words[-best]
    return kept


def _worth(sentence: Sentence, words: frozenset[str]) -> float:
    """How much a sentence says that a summary should keep, a word that it does not have yet."""
    value = min(6, len(words)) / 2 + min(6, len(_TELLING.findall(sentence.text)))
    value *= (0.2 if is_question(sentence.text) else 1) * (0.2 if sentence.speaker == "assistant" else 1)
    return value / len(words)


def read(text: str) -> tuple[list[Sentence], str]:
    """The sentences of the blocks at the start of a text, and the rest, where any tag is the person's own."""
    found: list[Sentence] = []
    text = _OF_OTHERS.sub("", text)
    while (block := _BLOCK.match(text)) and block["kind"] in _SPEAKERS:
        if speaker := _SPEAKERS[block["kind"]]:
            found += _lines(block["inside"], speaker, block["kind"])
        text = text[block.end() :]
    return found, text


def _all(text: str) -> list[Sentence]:
    """The sentences of a fold's material: blocks, or plain lines."""
    blocks, rest = read(text)
    return [*blocks, *_lines(rest, "user")]


def _lines(text: str, default: Speaker, block: str = "") -> Iterator[Sentence]:
    """The sentences of `[date] Name: text` lines, or of `Name: text` lines under a `date (ago)`; an indented line, or
    one without a name, goes on from the one before. Leaves out facts that no longer hold and this model's own answers.
    """
    speaker: Speaker | None = default
    when, is_stamped = None, False
    entries: list[tuple[Speaker | None, date | None, list[str]]] = [(speaker, when, [])]
    for line in text.split("\n"):
        words = line
        if stamp := _STAMP.match(line):
            shown = stamp["stamp"] or stamp["day"]
            is_stamped, when, words = True, _last_day(shown), line[stamp.end() :]
            speaker = default if not shown.startswith("fact") else None if _OVER.search(shown) else "fact"
            entries.append((speaker, when, []))
        if is_stamped and speaker in ("user", "assistant") and (name := _NAME.match(words)):
            speaker = "assistant" if name["name"].strip().lower() in ("assistant", "keepsake", "bot") else default
            entries.append((speaker, when, []))
            words = words[name.end() :]
        entries[-1][2].append(words)
    for speaker, when, lines in entries:
        said = "\n".join(lines)
        if speaker and not _is_own(said, speaker):
            yield from (Sentence(text=one, speaker=speaker, when=when, block=block) for one in sentences(said))


def _is_own(said: str, speaker: Speaker) -> bool:
    """Whether words are an earlier answer of the offline model, which must not be quoted as knowledge."""
    return any(one in said for one in _own_words()) or (speaker == "assistant" and said.startswith(("“", "„", "«")))


@cache
def _own_words() -> frozenset[str]:
    keys = ("offline-remembered", "offline-nearest", "offline-unknown", "offline-marker")
    return frozenset[str]().union(*map(in_every_language, keys))


def _terms(text: str) -> frozenset[str]:
    """What a text is about. Six letters count, which joins what stems leave apart (allergy, allergic)."""
    return frozenset(term[:6] for term in content_terms(text))


def _day(sentence: Sentence) -> date:
    """The day of a sentence. What has no date is of a recent turn, and so the latest."""
    return sentence.when or date.max


def _last_day(stamp: str) -> date | None:
    """The last day that a stamp names: of a summary's range, the one until which it holds."""
    for day in reversed(_DATE.findall(stamp)):
        with suppress(ValueError):
            return date.fromisoformat(day)
    return None


def _quoted(sentence: Sentence) -> str:
    text = sentence.text if len(sentence.text) <= _LONGEST_QUOTE else sentence.text[:_LONGEST_QUOTE].rstrip() + "…"
    day = f" ({calendar_day(sentence.when, with_year=True)})" if sentence.when else ""
    end = "" if not day and text.endswith((".", "!", "?", "…", "。")) else "."
    return f"{tr('shared-quoted', text=text)}{day}{end}"


def _folded(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


# facts, by pattern: little is found, and only what an English text says in so many words ----------------------------
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
