"""Models that need no network and no key: one answers by quoting, the other summarises by selecting sentences."""

import json
import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from llm.chat_model import ChatModel, OnText
from llm.prompts import EDITED, split_into_heading_and_text
from llm.quoting import MAX_NAME_CHARS, BlockName
from locales.catalog import collect_all_translations, format_day, tr
from records.errors import ModelBroken
from records.model_calls import Completion, Prompt, Schema, Usage
from text.analyzer import list_distinct_search_terms
from text.characters import QUESTION_MARKS, split_sentences
from text.tokenizer import Tokenizer
from text.word_lists import ENGLISH_MONTHS, WORD_LISTS
from text.written_dates import find_iso_dates

Speaker = Literal["user", "summary", "fact", "assistant"]

# The speaker of each block of a prompt, or None if the block no longer holds.
_SPEAKERS: dict[BlockName, Speaker | None] = {
    "remembered": "user", "conversation": "user", "replied": "user", "summaries": "summary", "instructions": "summary",
    "profile": "fact", "facts": "fact", "dropped": None, "superseded": None,
}  # fmt: skip
# Forwarded and attached content, with its line: without the tags, it would read as the person's own words.
_WORDS_OF_OTHERS = re.compile(r"^[^\n]*?<(forwarded|document|picture)>.*?(?:</\1>|\Z)", re.DOTALL | re.MULTILINE)
_QUESTION_WORDS = frozenset(WORD_LISTS["questions"]["beginnings"].split())


@dataclass(frozen=True, kw_only=True, slots=True)
class Sentence:
    """A sentence of a prompt, with its date if known."""

    text: str
    speaker: Speaker
    when: date | None = None


class _OfflineChatModel(ChatModel):
    def __init__(self) -> None:
        self._tokenizer = Tokenizer.for_model(self.name)

    @abstractmethod
    def _make_answer_text(self, messages: Prompt, schema: Schema | None) -> str: ...

    async def complete(
        self, messages: Prompt, *, on_text: OnText | None = None, schema: Schema | None = None
    ) -> Completion:
        text = self._make_answer_text(messages, schema)
        for end, character in enumerate(f"{text} "):
            if on_text and character.isspace():
                await on_text(text[:end])
        usage = Usage(prompt=self._tokenizer.count_request_tokens(messages), completion=self._tokenizer.count(text))
        return Completion(text=text, model=self.name, usage=usage)

    async def probe_and_describe(self) -> str:
        return f"{self.name} model: nothing to reach; it can only quote"


class OfflineModel(_OfflineChatModel):
    """A model that answers by quoting the user's sentences that best match the question."""

    name = "offline"

    def _make_answer_text(self, messages: Prompt, schema: Schema | None) -> str:
        earlier = [message for message in messages if message.role != "system"]
        asked = earlier.pop().content if earlier and earlier[-1].role == "user" else ""
        sentences, words = split_off_sentences_of_leading_blocks(asked)
        if words.startswith("It is now ") and words[10:11].isdigit():
            words = words.partition("\n")[2].strip()
        for message in earlier:
            sentences += _parse_sentences(message.content) if message.role == "user" else []
        said = (sentence for sentence in sentences if sentence.speaker != "assistant")
        statements = [sentence for sentence in said if not is_question(sentence.text)]
        folded = _casefold(words)
        if words and any(_casefold(hello).startswith(folded) for hello in collect_all_translations("offline-hello")):
            return f"{tr('offline-hello')} {tr('offline-marker')}"
        if folded in map(_casefold, collect_all_translations("page-try-4")) and (
            known := _select_memorable_sentences(statements)
        ):
            return "\n".join([tr("offline-remembered"), *map(_format_quote, known)])
        if words and not is_question(words):
            is_first = not sentences and all(message.role == "user" for message in earlier)
            return f"{tr('offline-noted')} {tr('offline-marker')}" if is_first else tr("offline-noted")
        if quotes := find_best_quotes(words, statements):
            return f"{tr('offline-remembered')} {' '.join(map(_format_quote, quotes))}"
        dated = (sentence for sentence in statements if sentence.speaker == "user" and sentence.when)
        if words and (nearest := next(dated, None)):
            return f"{tr('offline-nearest')} {_format_quote(nearest)}"
        return f"{tr('offline-unknown')} {tr('offline-marker')}"


class ExtractiveSummarizer(_OfflineChatModel):
    """A model that summarises by selecting sentences. It replaces a model that is missing or has failed."""

    name = "extractive"

    def _make_answer_text(self, messages: Prompt, schema: Schema | None) -> str:
        source = next((message.content for message in reversed(messages) if message.role == "user"), "")
        if schema is not None:
            return make_json_answer(source, schema)
        first = next((sentence.text for sentence in _parse_sentences(source)), "")
        text = extract_key_sentences(source, 200, count_tokens=self._tokenizer.count)
        text = text or self._tokenizer.truncate(first, 200)
        if not text:
            raise ModelBroken
        return text


def _select_memorable_sentences(sentences: Sequence[Sentence]) -> list[Sentence]:
    facts = [sentence for sentence in sentences if sentence.speaker == "fact"]
    known = [_list_stems(fact.text) for fact in facts]
    read = [(sentence, _list_stems(sentence.text)) for sentence in reversed(sentences)]
    new = [
        sentence for sentence, terms in read if terms and not any(len(terms & fact) > len(terms) / 2 for fact in known)
    ]
    return _drop_duplicates([*facts, *sorted(new, key=_get_sort_date, reverse=True)])[:8]


def find_best_quotes(question: str, sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return up to three sentences that share the most words with a question, latest first. Rare words weigh more."""
    shared = [_list_stems(question) & _list_stems(sentence.text) for sentence in sentences]
    frequency = Counter(term for terms in shared for term in terms)
    scores = [sum(1 / frequency[term] for term in terms) for terms in shared]
    min_score = max(scores, default=0.0) * 0.75
    best = [sentence for score, sentence in zip(scores, sentences, strict=True) if score >= min_score > 0]
    return _drop_duplicates(sorted(best, key=_get_sort_date)[::-1])[:3]


def extract_key_sentences(text: str, max_tokens: int, *, count_tokens: Callable[[str], int]) -> str:
    """Return up to five informative sentences, in order, without forwarded text. Prefer the user's statements."""
    sentences = _drop_duplicates(_parse_sentences(_WORDS_OF_OTHERS.sub("", text)))
    said = [sentence for sentence in sentences if sentence.speaker != "assistant"]
    telling = [
        sentence for sentence in said if not is_question(sentence.text) and _score_informativeness(sentence.text) > 1
    ]
    texts = [sentence.text for sentence in telling or said or sentences]
    chosen, extract = list[int](), ""
    for index in sorted(range(len(texts)), key=lambda index: _score_informativeness(texts[index]), reverse=True):
        longer = sorted([*chosen, index])
        joined = " ".join(texts[index] for index in longer)
        if len(chosen) < 5 and count_tokens(joined) <= max_tokens:
            chosen, extract = longer, joined
    return extract


def _score_informativeness(text: str) -> int:
    telling = [word for word in text.split()[1:] if word.lstrip("\"'“„«(")[:1].isupper()]
    telling += [word for word in text.split() if any(map(str.isdigit, word))]
    return min(6, len(_list_stems(text))) + 2 * min(6, len(telling))


def split_off_sentences_of_leading_blocks(text: str) -> tuple[list[Sentence], str]:
    for name in ("forwarded", "overheard", "document", "picture"):
        text = text.replace(f"<{name}>", "").replace(f"</{name}>", "")
    sentences, text = list[Sentence](), text.strip()
    while block := next((name for name in _SPEAKERS if text.startswith(f"<{name}>")), None):
        content, _, text = text.removeprefix(f"<{block}>").partition(f"</{block}>")
        if speaker := _SPEAKERS[block]:
            sentences += _parse_utterances(content, speaker)
        text = text.lstrip()
    return sentences, text


def _parse_sentences(text: str) -> list[Sentence]:
    blocks, rest = split_off_sentences_of_leading_blocks(text)
    return [*blocks, *_parse_utterances(rest, "user")]


def _parse_utterances(text: str, default_speaker: Speaker) -> Iterator[Sentence]:
    speaker, when, is_stamped, holds = default_speaker, None, False, True
    for line in text.replace(EDITED, "").split("\n"):
        heading, words = split_into_heading_and_text(line)
        if line[10:12] == " (" and line.endswith(")") and any(find_iso_dates(line[:10])):
            heading, words = line[:10], ""
        if heading:
            # Of a summary's range, the day until which it holds.
            when = next(reversed([*find_iso_dates(heading)]), None)
            is_stamped, speaker, holds = True, default_speaker, " · only until " not in heading
        name, colon, rest = words.partition(": ")
        if is_stamped and default_speaker == "user" and colon and name[:1].isalpha() and len(name) <= MAX_NAME_CHARS:
            speaker = "assistant" if name.lower() in ("assistant", "keepsake", "bot") else default_speaker
            words = rest
        if holds:
            yield from (Sentence(text=sentence, speaker=speaker, when=when) for sentence in split_sentences(words))


def _list_stems(text: str) -> frozenset[str]:
    """Return the content words of a text, cut to six letters so that "allergy" matches "allergic"."""
    return frozenset(term[:6] for term in list_distinct_search_terms(text))


def _drop_duplicates(sentences: Iterable[Sentence]) -> list[Sentence]:
    return list({_casefold(sentence.text): sentence for sentence in sentences}.values())


def _get_sort_date(sentence: Sentence) -> date:
    return sentence.when or date.max  # without a date it is of a recent turn, and so the latest


def _format_quote(sentence: Sentence) -> str:
    text = sentence.text if len(sentence.text) <= 300 else sentence.text[:300].rstrip() + "…"
    day = f" ({format_day(sentence.when, with_year=True)})" if sentence.when else ""
    end = "" if not day and text.endswith((".", "!", "?", "…", "。")) else "."
    return f"{tr('shared-quoted', text=text)}{day}{end}"


def _casefold(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def is_question(text: str) -> bool:
    """Return True if a text is a question. A statement with a tag ("…, isn't it?") is not one."""
    words = text.replace("’", "'").casefold().split()
    if words and words[0].partition("'")[0].strip(",") in _QUESTION_WORDS:
        return True
    _, comma, tag = text.rpartition(",")
    return text.rstrip("\"'”“’») \n\t").endswith(QUESTION_MARKS) and not (comma and len(tag.split()) <= 2)


# Facts by pattern. Only plain English statements are found. -----------------------------------------------------------
# Verbs of statements about oneself, and those of the facts.
_VERBS: Mapping[str, str] = {
    "live in": "lives in", "moved to": "lives in", "work at": "works at", "work for": "works at", "work as": "works as",
    "am allergic to": "is allergic to", "am an": "is an", "am a": "is a", "like": "likes", "love": "likes",
    "enjoy": "likes", "hate": "hates", "do not like": "does not like",
}  # fmt: skip
# Verbs of facts of which a person may have several.
_SEVERAL = (" is allergic to", " is a", " is an", " likes", " hates", " does not like")
_INSTRUCTIONS = ("from now on ", "always ", "never ", "please always ", "please never ", "please do not ")
_STATEMENT = re.compile(
    rf"\b(?:I (?:now |really )?(?P<verb>{'|'.join(_VERBS)})|my (?P<whose>\w+(?: \w+){{0,2}}?) (?P<is>lives in|is|are)) "
    r"(?P<object>.{1,300}?)(?=$|[,.;!](?:\s|$)| (?:and|but|because|since|last|this|yesterday|today|in [12])\b"
    rf"| in (?:{'|'.join(ENGLISH_MONTHS)})\b)",
    re.IGNORECASE,
)
_PLAIN = {"’": "'", "“": '"', "I'm ": "I am ", "I've ": "I ", "don't ": "do not "}
_OTHERS = {"i", "my", "me", "you", "your", "we", "our", "it", "this", "that", "if", "bit", "little", "lot", "few"}


def make_json_answer(request: str, schema: Mapping[str, object]) -> str:
    """Return the facts or profile found in a request, as the JSON that `schema` describes."""
    made = _make_profile_fields(request) if schema.get("name") == "profile" else {"facts": list(_find_facts(request))}
    return json.dumps(made, ensure_ascii=False)


def _find_facts(request: str) -> Iterator[dict[str, object]]:
    known_ids, number, name = dict[str, int](), 0, ""
    for line in request.split("\n"):
        id_, _, fact = line.partition(" · since ")
        if fact and id_.isdecimal():
            known_ids[fact.partition(": ")[2]] = int(id_)
        words = line.strip() if line.startswith("  ") and number else ""
        if line.startswith("#") and (id_ := line[1:].partition(" ")[0]).isdecimal():
            number, (name, _, words) = int(id_), line.partition("] ")[2].partition(": ")
        for sentence in split_sentences(words):
            for text, prefix, kind in () if is_question(sentence) else _parse_facts(sentence, name.strip()):
                older = [number for fact, number in known_ids.items() if prefix and fact.startswith(prefix)]
                if text not in known_ids:
                    fields = {"message": number, "quote": sentence, "text": text, "type": kind}
                    yield fields | {"replaces": older}


def _parse_facts(sentence: str, name: str) -> Iterator[tuple[str, str, str]]:
    """Yield the text, prefix and type of each fact in a sentence. The prefix selects the facts to replace."""
    plain = sentence
    for written, usual in _PLAIN.items():
        plain = plain.replace(written, usual)
    if plain.lower().startswith(_INSTRUCTIONS):
        yield sentence, "", "instruction"
        return
    for found in _STATEMENT.finditer(re.sub(r"\bmoved from .{1,300}? to\b", "moved to", plain)):
        verb, rest = found["verb"], found["object"]
        beginning = f"{name} {_VERBS[verb.lower()]}" if verb else f"{name}'s {found['whose']} {found['is']}"
        if not set('"”') & set(rest) and _OTHERS.isdisjoint(rest.lower().replace("'", " ").split()):
            text = f"{beginning} {rest}."
            kind = "preference" if _is_preference(text) else "fact"
            yield text, "" if beginning.endswith(_SEVERAL) else f"{beginning} ", kind


def _is_preference(text: str) -> bool:
    return not {"like", "likes", "prefers", "hates"}.isdisjoint(text.split())


def _make_profile_fields(request: str) -> dict[str, str]:
    lines = map(split_into_heading_and_text, request.split("\n"))
    facts = [text.strip() for heading, text in lines if heading.startswith("fact ")][:12]
    former = request.partition("<profile>\n")[2].partition("\n</profile>")[0]
    profile = " ".join(fact for fact in facts if not _is_preference(fact)) if facts else former
    tastes = " ".join(filter(_is_preference, facts))
    return {"profile": profile, "preferences": tastes, "ongoing_topics": "", "key_history": ""}
