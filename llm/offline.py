"""Models that need no network and no key: one answers by quoting, the other summarises by selecting sentences."""

import json
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from llm.chat_model import ChatModel, OnText
from llm.prompts import split_heading
from llm.quoting import MAX_NAME_CHARS, Block
from locales.catalog import format_day, tr, translate_everywhere
from records.errors import ModelBroken
from records.model_calls import Completion, PromptMessage, Usage
from text.analyzer import list_content_terms
from text.characters import QUESTION_MARKS, split_sentences
from text.date_words import ENGLISH_MONTHS, find_iso_dates
from text.tokenizer import Tokenizer

Speaker = Literal["user", "summary", "fact", "assistant"]

_SPEAKERS: dict[Block, Speaker | None] = {
    "remembered": "user", "conversation": "user", "replied": "user", "summaries": "summary", "instructions": "summary",
    "profile": "fact", "facts": "fact", "dropped": None, "superseded": None,
}  # fmt: skip
"""The speaker of each block of a prompt; None: it no longer holds."""
_QUESTION_WORDS = {
    "what", "when", "where", "which", "who", "whose", "why", "how", "что", "когда", "где", "кто", "как", "какой",
    "сколько", "почему", "qué", "cuál", "cuándo", "dónde", "quién", "cómo",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Sentence:
    """One sentence of a prompt, with its day if that is known."""

    text: str
    speaker: Speaker
    when: date | None = None


class _Deterministic(ChatModel):
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
        """Return the computed text, streamed word by word."""
        text = self._text(messages, schema)
        for end, character in enumerate(f"{text} "):
            if on_text and character.isspace():
                await on_text(text[:end])
        usage = Usage(prompt=self._tokenizer.prompt_tokens(messages), completion=self._tokenizer.count(text))
        return Completion(text=text, model=self.name, usage=usage)

    async def check(self) -> str:
        return f"{self.name} model: nothing to reach; it can only quote"


class OfflineModel(_Deterministic):
    """Answers by quoting the user's sentences that best match the question."""

    name = "offline"

    def _text(self, messages: Sequence[PromptMessage], schema: Mapping[str, object] | None) -> str:
        talk = [message for message in messages if message.role != "system"]
        asked = talk.pop().content if talk and talk[-1].role == "user" else ""
        remembered, words = split_blocks(asked)
        if words.startswith("It is now ") and words[10:11].isdigit():
            words = words.partition("\n")[2].strip()
        for one in talk:
            remembered += _read_sentences(one.content) if one.role == "user" else []
        told = [one for one in remembered if one.speaker != "assistant" and not is_question(one.text)]
        is_newcomer = not remembered and all(one.role == "user" for one in talk)
        if words and any(
            _fold_text(hello).startswith(_fold_text(words)) for hello in translate_everywhere("offline-hello")
        ):
            return f"{tr('offline-hello')} {tr('offline-marker')}"
        if _fold_text(words) in map(_fold_text, translate_everywhere("page-try-4")) and (known := _find_known(told)):
            return "\n".join([tr("offline-remembered"), *map(_format_quote, known)])
        if words and not is_question(words):
            return f"{tr('offline-noted')} {tr('offline-marker')}" if is_newcomer else tr("offline-noted")
        if quotes := find_best_quotes(words, told):
            return f"{tr('offline-remembered')} {' '.join(map(_format_quote, quotes))}"
        if words and (nearest := next((one for one in told if one.speaker == "user" and one.when), None)):
            return f"{tr('offline-nearest')} {_format_quote(nearest)}"
        return f"{tr('offline-unknown')} {tr('offline-marker')}"


class ExtractiveSummarizer(_Deterministic):
    """Summarises by selecting sentences, if there is no model or it failed."""

    name = "extractive"

    def _text(self, messages: Sequence[PromptMessage], schema: Mapping[str, object] | None) -> str:
        """Return an extract of the last user message, or the facts that it states if JSON is asked for."""
        source = next((message.content for message in reversed(messages) if message.role == "user"), "")
        if schema is not None:
            return extract_json(source, schema)
        first = next((sentence.text for sentence in _read_sentences(source)), "")
        text = extract_sentences(source, 200, count=self._tokenizer.count) or self._tokenizer.cut_end(first, 200)
        if not text:
            raise ModelBroken
        return text


def _find_known(told: Sequence[Sentence]) -> list[Sentence]:
    """Return up to eight facts and, newest first, statements that no fact covers."""
    known = [one for one in told if one.speaker == "fact"]
    about = [_terms_of(one.text) for one in known]
    rest = ((one, _terms_of(one.text)) for one in reversed(told))
    new = [one for one, terms in rest if terms and not any(len(terms & fact) > len(terms) / 2 for fact in about)]
    return _drop_repeats([*known, *sorted(new, key=_date_of, reverse=True)])[:8]


def find_best_quotes(question: str, told: Sequence[Sentence]) -> list[Sentence]:
    """Return up to three sentences that share the most and rarest words with the question, the latest first."""
    found = [(one, _terms_of(question) & _terms_of(one.text)) for one in told]
    frequency = Counter(term for _, shared in found for term in shared)
    scores = [sum(1 / frequency[term] for term in shared) for _, shared in found]
    least = max(scores, default=0.0) * 0.75
    best = [one for score, (one, _) in zip(scores, found, strict=True) if score >= least > 0]
    return _drop_repeats(sorted(best, key=_date_of)[::-1])[:3]


def extract_sentences(text: str, max_tokens: int, *, count: Callable[[str], int]) -> str:
    """Return up to five of the most informative sentences, verbatim, in order and within `max_tokens`. Prefer what the
    user says.
    """
    every = _drop_repeats(_read_sentences(text))
    said = [one for one in every if one.speaker != "assistant"]
    said = [one for one in said if not is_question(one.text) and _score_sentence(one.text) > 1] or said or every
    chosen, kept = list[int](), ""
    for index in sorted(range(len(said)), key=lambda at: _score_sentence(said[at].text), reverse=True):
        with_it = sorted([*chosen, index])
        joined = " ".join(said[one].text for one in with_it)
        if len(chosen) < 5 and count(joined) <= max_tokens:
            chosen, kept = with_it, joined
    return kept


def _score_sentence(text: str) -> int:
    telling = [word for word in text.split()[1:] if word.lstrip("\"'“„«(")[:1].isupper()]
    telling += [word for word in text.split() if any(map(str.isdigit, word))]
    return min(6, len(_terms_of(text))) + 2 * min(6, len(telling))


def split_blocks(text: str) -> tuple[list[Sentence], str]:
    """Split a text into the sentences of its leading blocks and the remaining text."""
    for of_others in ("forwarded", "overheard", "document", "picture"):
        text = text.replace(f"<{of_others}>", "").replace(f"</{of_others}>", "")
    found, text = list[Sentence](), text.strip()
    while block := next((one for one in _SPEAKERS if text.startswith(f"<{one}>")), None):
        inside, _, text = text.removeprefix(f"<{block}>").partition(f"</{block}>")
        if speaker := _SPEAKERS[block]:
            found += _parse_lines(inside, speaker)
        text = text.lstrip()
    return found, text


def _read_sentences(text: str) -> list[Sentence]:
    blocks, rest = split_blocks(text)
    return [*blocks, *_parse_lines(rest, "user")]


def _parse_lines(text: str, default: Speaker) -> Iterator[Sentence]:
    """Yield the sentences of lines like `[date] Name: text`. Skip facts that are no longer valid."""
    speaker, when, is_stamped, holds = default, None, False, True
    for line in text.split("\n"):
        heading, words = split_heading(line)
        if line[10:12] == " (" and line.endswith(")") and any(find_iso_dates(line[:10])):
            heading, words = line[:10], ""
        if heading:
            # Of a summary's range, the day until which it holds.
            when = next(reversed([*find_iso_dates(heading)]), None)
            is_stamped, speaker, holds = True, default, " · only until " not in heading
        name, colon, rest = words.partition(": ")
        if is_stamped and default == "user" and colon and name[:1].isalpha() and len(name) <= MAX_NAME_CHARS:
            speaker = "assistant" if name.lower() in ("assistant", "keepsake", "bot") else default
            words = rest
        if holds:
            yield from (Sentence(text=sentence, speaker=speaker, when=when) for sentence in split_sentences(words))


def _terms_of(text: str) -> frozenset[str]:
    """Return the content words of a text, cut to six letters. That joins "allergy" and "allergic"."""
    return frozenset(term[:6] for term in list_content_terms(text))


def _drop_repeats(found: Iterable[Sentence]) -> list[Sentence]:
    return list({_fold_text(one.text): one for one in found}.values())


def _date_of(sentence: Sentence) -> date:
    return sentence.when or date.max  # without a date it is of a recent turn, and so the latest


def _format_quote(sentence: Sentence) -> str:
    text = sentence.text if len(sentence.text) <= 300 else sentence.text[:300].rstrip() + "…"
    day = f" ({format_day(sentence.when, with_year=True)})" if sentence.when else ""
    end = "" if not day and text.endswith((".", "!", "?", "…", "。")) else "."
    return f"{tr('shared-quoted', text=text)}{day}{end}"


def _fold_text(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def is_question(text: str) -> bool:
    """Return True if a text is a question. A question tag ("…, isn't it?") does not count."""
    words = text.replace("’", "'").casefold().split()
    if words and words[0].partition("'")[0].strip(",") in _QUESTION_WORDS:
        return True
    _, comma, tag = text.rpartition(",")
    return text.rstrip("\"'”“’») \n\t").endswith(QUESTION_MARKS) and not (comma and len(tag.split()) <= 2)


# facts, by pattern: little is found, and only what an English text says in so many words ----------------------------
_STATEMENTS: Mapping[str, str] = {
    "I live in": " lives in", "I moved to": " lives in", "I work at": " works at", "I work for": " works at",
    "I work as": " works as", "my name is": " is called", "I am allergic to": " is allergic to", "I am a": " is a",
    "I am an": " is an", "I like": " likes", "I love": " likes", "I enjoy": " likes", "I hate": " hates",
    "I do not like": " does not like",
}  # fmt: skip
"""Statements about oneself, and how the fact goes on after the name."""
_SEVERAL = (" is allergic to", " is a", " is an", " likes", " hates", " does not like")
"""Beginnings of facts that may be true of several things at once."""
_INSTRUCTIONS = ("from now on ", "always ", "never ", "please always ", "please never ", "please do not ")
_PLAIN = {"’": "'", "“": '"', " i ": " I ", " i'": " I'", "I'm ": "I am ", "I've ": "I ", "don't ": "do not ",
          "I now ": "I ", "I really ": "I ", " My ": " my "}  # fmt: skip
_ENDS = (", ", ". ", "; ", "! ", " and ", " but ", " because ", " since ", " last ", " this ", " yesterday", " today",
         " in 1", " in 2", *(f" in {month.title()}" for month in ENGLISH_MONTHS))  # fmt: skip
"""Ends of a clause: what follows says when or why, or something else."""
_OTHERS = {"i", "my", "me", "you", "your", "we", "our", "it", "this", "that", "if", "bit", "little", "lot", "few"}


def extract_json(request: str, schema: Mapping[str, object]) -> str:
    """Return facts or a profile as the JSON that was asked for."""
    made = _write_profile(request) if schema.get("name") == "profile" else {"facts": list(_find_facts(request))}
    return json.dumps(made, ensure_ascii=False)


def _find_facts(request: str) -> Iterator[dict[str, object]]:
    known, number, name = dict[str, int](), 0, ""
    for line in request.split("\n"):
        id_, _, fact = line.partition(" · since ")
        if fact and id_.isdecimal():
            known[fact.partition(": ")[2]] = int(id_)
        words = line.strip() if line.startswith("  ") and number else ""
        if line.startswith("#") and (id_ := line[1:].partition(" ")[0]).isdecimal():
            number, (name, _, words) = int(id_), line.partition("] ")[2].partition(": ")
        for sentence in split_sentences(words):
            for text, begins, kind in () if is_question(sentence) else _find_told(sentence, name.strip()):
                older = [one for fact, one in known.items() if begins and fact.startswith(begins)]
                if text not in known:
                    told = {"message": number, "quote": sentence, "text": text, "type": kind}
                    yield told | {"replaces": (*older, None)[0]}


def _find_told(sentence: str, name: str) -> Iterator[tuple[str, str, str]]:
    """Yield the facts of a sentence, the beginning of an older fact to replace, and their kind."""
    plain = f" {sentence}"
    for written, usual in _PLAIN.items():
        plain = plain.replace(written, usual)
    if plain.strip().lower().startswith(_INSTRUCTIONS):
        yield sentence, "", "instruction"
        return
    for end in _ENDS:
        plain = plain.replace(end, "\n ")
    for clause in plain.rstrip(".!").split("\n"):
        begin, rest = _to_statement(clause)
        if rest and '"' not in rest and _OTHERS.isdisjoint(rest.lower().replace("'", " ").split()):
            text = f"{name}{begin} {rest}."
            yield text, "" if begin in _SEVERAL else f"{name}{begin} ", "preference" if _is_taste(text) else "fact"


def _to_statement(clause: str) -> tuple[str, str]:
    """Split a statement into a verb phrase and the rest, or return two empty strings."""
    origin, to, town = clause.partition(" to ")
    if to and " moved from " in origin:
        return " lives in", town
    for said, begin in _STATEMENTS.items():
        if rest := clause.partition(f" {said} ")[2]:
            return begin, rest
    for verb in (" lives in", " is", " are"):
        whose, _, rest = clause.partition(" my ")[2].partition(f"{verb} ")
        if rest and len(whose.split()) < 4:
            return f"'s {whose}{verb}", rest
    return "", ""


def _is_taste(text: str) -> bool:
    return not {"like", "likes", "prefers", "hates"}.isdisjoint(text.split())


def _write_profile(request: str) -> dict[str, str]:
    lines = map(split_heading, request.split("\n"))
    facts = [text.strip() for heading, text in lines if heading.startswith("fact ")][:12]
    former = request.partition("<profile>\n")[2].partition("\n</profile>")[0]
    profile = " ".join(fact for fact in facts if not _is_taste(fact)) if facts else former
    tastes = " ".join(filter(_is_taste, facts))
    return {"profile": profile, "preferences": tastes, "ongoing_topics": "", "key_history": ""}
