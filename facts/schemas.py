"""The JSON schemas of facts and profiles, and pure functions that parse a model's answers defensively."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import tzinfo
from itertools import takewhile
from typing import NamedTuple, cast

from facts.own_words import (
    find_quotation,
    find_quote_range,
    is_copied_from_chat,
    lacks_condition,
    narrow_to_statement,
    replaces_other_subject,
)
from facts.verification import find_start_date
from llm import prompts
from llm.meant_json import parse_json_leniently, parse_json_or_none
from records.facts import LASTING, MAX_FACT_CHARS, FactKind, NewFact
from records.messages import Message
from text.analyzer import fold_accents, normalize_text, split_words
from text.characters import QUESTION_MARKS, remove_invisible_characters, repair_surrogates, split_sentences
from text.fingerprint import describes_change, find_topics, is_negated, is_unmarked_question, make_fingerprint
from text.word_lists import WORD_LISTS

MAX_SUBJECT_CHARS = 60
MAX_READINGS = 8  # of an answer's characters, from one opening bracket after another
MAX_QUOTED_CHARS = 2_000  # of a quote that is looked for
MAX_FOUND = 30  # facts of one answer
NAME_CHARS = 3  # of the name at the beginning of a fact in a script without spaces
OPEN = "maybe"  # the model's type of facts that the person is not sure of
OVER = "past"  # the model's type of facts that no longer hold
# The model's names for the kinds of facts.
TYPES: Mapping[str, FactKind] = {
    "state": "personal",
    OVER: "event",
    OPEN: "personal",
    "event": "event",
    "preference": "preference",
    "instruction": "instruction",
}
# The model's names for lines that ask the bot for something once, or tell what is not so: fiction, text to work on.
NO_FACTS = ("question", "request", "example")

# Beginnings of words for conditions that may harm somebody if they are forgotten.
_VITAL = tuple(WORD_LISTS["vital"]["beginnings"].split())
_FACTS = {"type": "array", "items": prompts.make_object_schema(prompts.FACT_PROPERTIES)}
FACTS_SCHEMA = prompts.make_answer_schema("facts", {"facts": _FACTS})


@dataclass(frozen=True, kw_only=True, slots=True)
class ExtractedFact:
    """A fact as the model wrote it. Only the types of its fields have been checked."""

    text: str
    kind: FactKind
    message: int | None  # the id of the message that states it
    replaces: tuple[int, ...]  # the ids of the outdated known facts
    quote: str = ""
    about: str = ""  # its person or, for an instruction, a kind of request
    attribute: str = ""  # the property that it sets, with one value at a time if `is_single`
    is_single: bool = False
    type: str = ""  # as the model named it: one of TYPES, or something else


def parse_facts(answer: str) -> list[ExtractedFact] | None:
    """Parse a model's answer into facts. Return None if the answer is not a list of facts."""
    if isinstance(inner := parse_json_or_none(answer), str):  # JSON in a JSON string
        answer = inner
    items = _parse_list(answer)
    if items is None:
        return None
    items = [item for item in items if not isinstance(item, dict) or item.get("type") not in NO_FACTS]
    facts = [fact for fact in map(_parse_fact, items[:MAX_FOUND]) if fact is not None]
    # A list of things that are no facts at all is as unreadable as no list.
    return None if items and not facts else facts


def iterate_candidates_for_each_fact(
    extracted_facts: Sequence[ExtractedFact], messages: Sequence[Message], *, known_ids: Collection[int], zone: tzinfo
) -> Iterator[list[NewFact]]:
    """Yield the possible versions of each extracted fact, best first. Each version has a different source message.

    Several messages are tried, since models often give wrong line numbers. `known_ids` are the prompt's fact ids.
    """
    for extracted in extracted_facts:
        fact = replace(extracted, replaces=tuple(number for number in extracted.replaces if number in known_ids))
        made = [
            _make_fact(fact, message, statement, zone=zone)
            for message in _rank_possible_source_messages(fact, messages)
            if (statement := _find_statement(fact, message))
        ]
        if made:
            yield made


class _Passage(NamedTuple):
    """A passage of a sentence, with the rest of the sentence before and after it."""

    before: str
    text: str
    after: str


class _Statement(NamedTuple):
    """The words of a message that state a fact."""

    text: str  # a passage of the sentence, including adjacent doubt or denial ("maybe", "I don't")
    sentence: str  # together with the words that introduce it
    is_reported: bool  # True if it quotes others, or has a condition that the fact lacks
    is_introduced: bool  # True if a colon precedes it: only a model can tell whose words follow


def _find_statement(fact: ExtractedFact, message: Message) -> _Statement | None:
    """Find the words that state a fact. Return None if the message lacks its quote, or asks a question with it.

    If the statement contains no name, the message must share a word with the fact, not counting the speaker's name.
    """
    content = message.content
    start, end = find_quote_range(fact.quote, content)
    speaker, _, words = fact.quote.partition(": ")
    if end == 0 and speaker.endswith(prompts.get_speaker_name(message)):  # small models copy the speaker of a line, too
        start, end = find_quote_range(words, content)
    topics, own = _get_word_prefixes(find_topics(fact.text)), _get_word_prefixes(find_topics(message.speaker))
    told = topics - own
    start, end = narrow_to_statement(
        content, start, end, lambda part: not told.isdisjoint(_get_word_prefixes(find_topics(part)))
    )
    quoted, around, is_in_question = _find_sentence_and_check_if_question(content, start, end)
    if end == 0 or is_in_question:
        return None
    passage = _extend_to_negation(_extend_to_hedging_words(_extend_to_sentence_with_more_topics(quoted, topics)))
    text = " ".join(passage.text.split())[:MAX_FACT_CHARS]
    # Two short texts may be stemmed as different languages: "curry", "curri".
    is_related = bool(told & _get_word_prefixes(find_topics(content)))
    if not is_related and (fact.kind == "instruction" or not _find_names(text) - own):
        return None
    sentence = " ".join("".join(passage).split())
    # "My sister wrote", but not "My band is" of “The Blue Cats”.
    introduced = _get_word_prefixes(find_topics(around))
    is_of_others = bool(introduced) and introduced.isdisjoint(told | _get_word_prefixes(find_topics(fact.attribute)))
    is_introduced = is_of_others and around.endswith((":", "：")) and not is_copied_from_chat(around, content)
    is_reported = (is_of_others and not is_introduced) or lacks_condition(fact.text, sentence)
    return _Statement(text, sentence, is_reported, is_introduced and not is_reported)


def _find_sentence_and_check_if_question(content: str, start: int, end: int) -> tuple[_Passage, str, bool]:
    """Split the sentence at content[start:end]. Return it, the words around its quotation, and True for a question."""
    opening, closing = find_quotation(content, start, end)
    first = max((mark.end() for mark in _SENTENCE_END.finditer(content, 0, opening)), default=0)
    last = next((mark.end() for mark in _SENTENCE_END.finditer(content, closing)), len(content))
    after = content[closing:last].strip() if end < closing else ""
    ends_inside = end < closing and _SENTENCE_END.fullmatch(content[closing - 2 : closing - 1])
    if ends_inside and (not after or after[0].isupper()):  # “I live in Rome.” My wife says hello
        last, after = closing - 1, ""
    *earlier, before = _SENTENCE_END.split(content[opening:start])
    # Behind a colon, the sentences before this one are left out.
    before = content[first : opening + 1] + before if earlier and closing == end else content[first:start]
    passage = _Passage(before, content[start:end], content[end:last])
    is_name = opening == start or _is_short_clause(content[opening:closing])
    introduction = "" if is_name else f"{content[first : opening + 1]} {after}".rstrip()
    mark = _CLAUSE_END.search(content, end)
    clause = _CLAUSE_END.split(passage.before)[-1] + content[start : mark.start() if mark else last]
    is_question = is_unmarked_question(clause) or (mark is not None and mark.group() in QUESTION_MARKS)
    return passage, introduction, is_question or passage.before.startswith("¿")


def _move_edges_into_passage(passage: _Passage, before: str, after: str) -> _Passage:
    """Move the adjacent texts `before` and `after` into the passage, but leave final punctuation outside."""
    after = after.rstrip(_FINAL_MARKS)
    rest = passage.before[: len(passage.before) - len(before)]
    return _Passage(rest, before + passage.text + after, passage.after[len(after) :])


def _extend_to_sentence_with_more_topics(passage: _Passage, topics: Set[str]) -> _Passage:
    """Extend a passage to its whole sentence if the sentence is a short statement with more of `topics`."""
    sentence = "".join(passage)
    is_statement = len(sentence) <= MAX_FACT_CHARS and not sentence.endswith(QUESTION_MARKS)
    quoted, told = (topics & _get_word_prefixes(find_topics(text)) for text in (passage.text, sentence))
    if is_statement and len(told) > len(quoted) and not make_fingerprint(sentence).hedges:
        return _move_edges_into_passage(passage, passage.before.lstrip(), passage.after)
    return passage


def _get_word_prefixes(words: Iterable[str]) -> set[str]:
    return {word[:4] for word in words}


def _have_same_prefix(word: str, other: str) -> bool:
    shorter, longer = sorted((word[:4], other[:4]), key=len)
    return shorter == longer or (len(shorter) > 2 and longer.startswith(shorter))  # stems of "живёт" and "живу"


_CLAUSE_END = re.compile(r"[.,;:!?…。，；：！？؟،\n]")
# "I don't smoke but I live in Ghent" denies no home.
CLAUSE_BREAK = re.compile(rf"{_CLAUSE_END.pattern}|{WORD_LISTS['fingerprints']['but']}", re.IGNORECASE)
_FINAL_MARKS = " .!…。！\n"
_SENTENCE_END = re.compile(r"[!?…。！？؟\n]|\.(?!\w)|(?=¿)")


def _extend_to_hedging_words(passage: _Passage) -> _Passage:
    """Extend a passage to include hedging words in its clause, or in a short adjacent clause of the same sentence."""
    if make_fingerprint(passage.text).hedges:
        return passage
    *earlier, before = re.split(r"(?<=[,;:–—，；：、،؛])", passage.before)
    before = "".join([*takewhile(_is_short_clause, earlier[::-1])][::-1]) + before
    after: str = re.findall(r"\A\w*", passage.after)[0]  # the end of a word or unspaced clause
    after += "".join(takewhile(_is_short_clause, re.split(r"(?=[,;:–—，；：、،؛])", passage.after[len(after) :])))
    has_hedges = make_fingerprint(before + passage.text + after).hedges
    return _move_edges_into_passage(passage, before, after) if has_hedges else passage


def _extend_to_negation(passage: _Passage) -> _Passage:
    """Extend a passage to include a negation that precedes it in its clause or follows in a short adjacent clause."""
    if is_negated(passage.text):
        return passage
    before, after = CLAUSE_BREAK.split(passage.before)[-1].lstrip(), CLAUSE_BREAK.split(passage.after)[0]
    is_after = _is_short_clause(after) and is_negated(after)
    return _move_edges_into_passage(passage, before if is_negated(before) else "", after if is_after else "")


def _negates_every_mention_of_topics(quote: str, topics: Iterable[str]) -> bool:
    """Return True if a quote negates the topics, before or shortly after them, in every clause that mentions any."""
    found = []
    for clause in CLAUSE_BREAK.split(quote):
        words = re.finditer(r"[\w'’]+", clause)
        ends = [word.end() for word in words if _get_word_prefixes(find_topics(word[0])) & _get_word_prefixes(topics)]
        if ends:
            found.append(is_negated(clause if _is_short_clause(clause[ends[-1] :]) else clause[: ends[-1]]))
    return bool(found) and all(found)


def corrects_number_of_fact(quote: str, fact_text: str, fact_quote: str = "") -> bool:
    """Return True if a quote corrects a fact's number ("980, not 940") and repeats most of its text or quote."""
    said, topics = find_topics(quote), find_topics(fact_text)
    numbers = {topic for topic in said if topic.isdigit()}
    # A small model adds words to the text ("Nora mentions that her rent is 940 euros").
    if numbers.isdisjoint(topics) or all(2 * len(said & t) <= len(t) for t in (topics, find_topics(fact_quote))):
        return False
    denied = {number for number in numbers if _negates_every_mention_of_topics(quote, {number})}
    return bool(denied & topics) and denied < numbers  # "I don't want to pay 940 euros" corrects nothing


def _is_short_clause(clause: str) -> bool:
    return len(split_words(clause)) <= 2  # and so perhaps nothing but doubt: "maybe", "tal vez", "может быть"


def _make_fact(extracted: ExtractedFact, message: Message, statement: _Statement, *, zone: tzinfo) -> NewFact:
    quote, sentence = statement.text, statement.sentence
    kind = extracted.kind
    own = find_topics(message.speaker) | {"user"}
    about = " ".join(word for word in extracted.about.split() if not find_topics(word) <= own)
    names_other = bool(find_topics(about) & find_topics(sentence))
    if kind == "instruction" and about and not names_other:
        kind = "personal"  # a small model types every fact so, for requests about "code"
    text, hedges = extracted.text, make_fingerprint(quote).hedges
    subject = _get_word_prefixes(find_topics(about) & find_topics(quote)) if kind != "instruction" else ()
    lacks_subject = not all(word in fold_accents(normalize_text(text)) for word in subject)
    is_positive = not (extracted.type == OVER or is_negated(text))
    topics = _get_word_prefixes(find_topics(text) - own)
    denied_parts = [topics, *({topic} for topic in topics if topic.isdigit())]  # "980 euros, not 940"
    is_denied = is_positive and any(_negates_every_mention_of_topics(quote, part) for part in denied_parts)
    is_of_other = replaces_other_subject(text, sentence, message.speaker, message.created_at)
    is_reported = statement.is_reported or is_of_other
    quote = sentence.rstrip(_FINAL_MARKS)[:MAX_FACT_CHARS] if is_reported else quote
    if lacks_subject or is_denied or is_reported or (hedges and not make_fingerprint(text).hedges):
        text = f"{message.speaker or 'User'}: {quote}"
    is_uncertain = bool(hedges) or extracted.type == OPEN
    ends_others = not (is_uncertain or is_denied or is_reported)  # such a fact never replaces another
    is_single = extracted.is_single and kind not in LASTING and ends_others
    # Without the other's name, the key would be the speaker's: "home" of "my sister, she lives in Oslo".
    has_key_of_other = is_of_other and extracted.is_single and names_other
    is_past = extracted.type == OVER and is_single and not about
    told = [text, *(part for part in CLAUSE_BREAK.split(sentence) if topics & _get_word_prefixes(find_topics(part)))]
    # A small model calls "I'm allergic to walnuts" past, too.
    is_over = is_past and bool(extracted.replaces or is_negated(text) or any(map(describes_change, told)))
    said_at, key = message.created_at, f"{about} {extracted.attribute}".strip()
    return NewFact(
        text=text,
        kind="personal" if is_past else kind,
        quote=quote,
        is_uncertain=is_uncertain,
        subject=about if kind in LASTING else key if is_single or has_key_of_other else "",
        source_ids=(message.id,),
        observed_at=said_at,
        valid_from=find_start_date(extracted.text, message, zone) or said_at,
        valid_to=said_at if is_over else None,
        importance=1.0 if any(word in extracted.text.casefold() for word in _VITAL) else 0.5,
        only_one=extracted.is_single and ends_others and extracted.type != OVER,
        known=extracted.replaces if ends_others else (),
        key=key,
        is_change=extracted.type == OVER or describes_change(message.content) or is_negated(f"{text} {sentence}"),
        is_in_question=statement.is_reported or sentence.endswith(QUESTION_MARKS),
        is_introduced=statement.is_introduced,
        is_typed=extracted.type in TYPES,
        line=sentence.rstrip(_FINAL_MARKS) if len(sentence) <= MAX_FACT_CHARS else quote,
        unsaid=_find_topics_missing_from_sentence(text, sentence, message.speaker),
        person_id=message.person_id,
        speaker=message.speaker if message.person_id else "",
    )


def _find_topics_missing_from_sentence(text: str, sentence: str, speaker: str) -> frozenset[str]:
    """Return the topics of a fact's text that the quoted sentence does not mention.

    Return none if the sentence reports a change, because people use any words for that: "I moved back to Porto".
    """
    if describes_change(sentence):
        return frozenset()
    stated = text.partition(" ")[2] or text[NAME_CHARS:]
    if speaker and text.startswith(speaker):
        stated = text.removeprefix(speaker)
    # Two short texts may be stemmed as different languages: "heißt", "heisst".
    said = {"user", *find_topics(speaker), *find_topics(sentence), *split_words(sentence)}
    topics = (topic for topic in find_topics(stated) if topic.isalpha())
    return frozenset(topic for topic in topics if not any(_have_same_prefix(topic, word) for word in said))


def replace_vague_text_with_quote(fact: NewFact, speaker: str, *, is_model_weak: bool) -> NewFact:
    """Replace a fact's text with its quote if it is vague, such as "Anna mentions her father's birthday".

    A text is vague if it has no number and no name except the speaker's, lacks the names and numbers in the quote, and
    shares at most half of its words with the quote. If the quote has no names and numbers, a text is vague only if it
    comes from a weak model, does not name the speaker, and lacks half of the quote's words (at least four). From a weak
    model, the dates in the quote count, too, and a text without its numbers is vague ("Anna tells her phone number").
    """
    told, own = make_fingerprint(fact.text), make_fingerprint(speaker)  # which has a number itself in "Anna2"
    if not {*told.numbers, *told.names} <= {*own.numbers, *own.names}:
        return fact
    topics, stated = find_topics(fact.text), make_fingerprint(fact.quote)
    words = _get_word_prefixes(topics - find_topics(speaker))
    said = _get_word_prefixes(find_topics(fact.quote))
    details = {*_find_names(fact.quote), *stated.numbers, *(stated.dates if is_model_weak and not told.dates else ())}
    is_unclear = is_model_weak and topics.isdisjoint(find_topics(speaker))  # "Anna is a vegetarian" is clear
    lacks_half = is_unclear and max(4, 2 * len(words & said)) <= len(said)  # "fuma" and "fumo" look different
    lacks_value = is_model_weak and bool(stated.numbers)
    is_vague = (details or lacks_half) and not details & words and 2 * len(words & said) <= len(words)
    return tell_as_said(fact, speaker) if is_vague or lacks_value else fact


def tell_as_said(fact: NewFact, speaker: str) -> NewFact:
    return replace(fact, text=f"{speaker or 'User'}: {fact.quote}")


def _find_names(quote: str) -> set[str]:
    without_first_words = [sentence.partition(" ")[2] for sentence in split_sentences(quote)]
    return _get_word_prefixes(name for rest in without_first_words for name in make_fingerprint(rest).names)


def _rank_possible_source_messages(fact: ExtractedFact, messages: Sequence[Message]) -> list[Message]:
    """Return the messages that may state a fact, best first. Prefer the one that the model named if it shares words."""
    topics = find_topics(fact.text)
    shared = {message.id: len(topics & find_topics(message.content)) for message in messages}
    named = [message for message in messages if message.id == fact.message]
    others = [message for message in messages if shared[message.id] and message not in named]
    others.sort(key=lambda message: -shared[message.id])
    return [*named, *others] if not others or (named and shared[named[0].id]) else [*others, *named]


def _iterate_json_values(answer: str) -> Iterator[object]:
    left, fact_end = MAX_READINGS * len(answer), 0  # characters left to read, and where the last fact ends
    for opening in (at for at, sign in enumerate(answer[:10_000]) if sign in "{[" and left > 0 and at >= fact_end):
        try:
            value, end = json.JSONDecoder().raw_decode(answer, opening)
            yield value
            if isinstance(value, dict) and _parse_fact_text(value):
                fact_end = end  # a list within a fact is not a list of facts
        except (ValueError, RecursionError) as error:
            end = getattr(error, "pos", len(answer))
        left -= end - opening
    if answer.rstrip("` \n").endswith(("]", "}")) and (meant := parse_json_leniently(answer)) is not None:
        yield meant  # the answer is complete, but may not be valid JSON


def _parse_list(answer: str) -> list[object] | None:
    single, fallback = list[object](), None
    for value in _iterate_json_values(answer):
        is_wrapped = isinstance(value, dict) and value != {}
        for _ in range(3):  # {"result": {"facts": […]}}
            if isinstance(value, dict) and not _parse_fact_text(value):
                inner = (parse_json_or_none(part) if isinstance(part, str) else part for part in value.values())
                parts = [part for part in inner if isinstance(part, list | dict)]
                if "facts" not in value and value and not parts:
                    break
                value = value.get("facts", parts[0] if len(parts) == 1 else parts)
        if isinstance(value, list | None):
            items = cast("list[object]", value or [])
            if any(map(_parse_fact, items)):
                return [*(item for item in single if item not in items), *items]
            # One that is not wrapped may be the list "replaces" of a damaged fact.
            fallback = items if fallback is None or is_wrapped else fallback
        elif isinstance(value, dict) and _parse_fact_text(value) and value not in single:
            single.append(value)
    return single or fallback


def _parse_fact(item: object) -> ExtractedFact | None:
    if not isinstance(item, dict) or not _parse_fact_text(item):
        return None
    kind = str(item.get("type") or item.get("kind") or "").strip().lower()
    attribute = _parse_short_text(item.get("attribute"), MAX_SUBJECT_CHARS)
    replaced = item.get("replaces")
    values = replaced if isinstance(replaced, list) else [replaced]  # without a schema, models name a single one
    return ExtractedFact(
        text=_parse_fact_text(item),
        kind=TYPES.get(kind, "personal"),
        message=_parse_whole_number(item.get("message")),
        replaces=tuple(number for value in values if (number := _parse_whole_number(value)) is not None),
        quote=_parse_short_text(item.get("quote"), MAX_QUOTED_CHARS),
        about=_parse_short_text(item.get("about"), MAX_SUBJECT_CHARS),
        attribute=attribute,
        is_single=bool(attribute) and item.get("is_single") is not False,
        type=kind,
    )


def _parse_fact_text(item: Mapping[str, object]) -> str:
    texts = (item[name] for name in ("text", "fact", "content", "statement") if isinstance(item.get(name), str))
    text = _parse_short_text(next(texts, ""), MAX_FACT_CHARS + 1)
    return text if len(text) <= MAX_FACT_CHARS and any(map(str.isalnum, text)) else ""


def _parse_short_text(value: object, max_chars: int) -> str:
    return " ".join(remove_invisible_characters(value).split())[:max_chars] if isinstance(value, str) else ""


def _parse_whole_number(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    # Models also write "#41" or "#-7".
    match = re.fullmatch(r"\s*#?(-?\d{1,15})(?:\.0)?\s*", str(value))
    return int(match[1]) if match else None


PROFILE_SCHEMA = prompts.make_answer_schema("profile", {name: {"type": "string"} for name in prompts.PROFILE_SECTIONS})


def parse_profile_sections(answer: str) -> dict[str, str]:
    """Parse a model's answer into profile sections, keyed by name. Return {} if it is unusable."""
    value = next((value for value in _iterate_json_values(answer) if isinstance(value, dict)), {})
    sections: dict[str, str] = {}
    for name in prompts.PROFILE_SECTIONS:
        section = value.get(name)
        texts = [text for text in (section if isinstance(section, list) else [section]) if isinstance(text, str)]
        if text := " ".join(repair_surrogates(" ".join(texts)).replace("\0", " ").split()):
            sections[name] = text
    return sections
