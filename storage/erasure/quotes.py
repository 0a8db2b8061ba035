"""Search for later answers, facts, summaries and profiles that quote forgotten words.

A quote is a run of words, a long number or a rare word, but never a single everyday word.
"""

import asyncio
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain

from records.forgetting import RemainingQuotes
from records.scopes import Scope
from storage.engine.protocol import Connection, Reader, Row
from storage.search import full_text, word_index
from storage.search.terms import select_searchable_terms
from text import analyzer
from text.tokenizer import DEFAULT_ENCODING, Tokenizer
from text.word_lists import EVERY_FUNCTION_WORD

MAX_WORDS = 300  # forgotten words to search for, beginning with those that have digits, then the longest ones
MAX_TEXT_CHARS = 40_000  # characters of forgotten text from which words are taken, which takes half a second
MIN_DIGITS = 4  # of a number that counts as a quote by itself; a short number, as in "3 eggs", does not
MAX_GROUPED = 9  # digits of a number that may also be written in groups of three
_NUMBERS = re.compile(r"\d+(?:[^\w\s]\d+)*"), re.compile(r"(?:(?<![^\W_])[^\W\d_]{1,3})?\d+(?:\W{1,2}\d+)*")
MIN_PIECES = 3
"""Tokens of a word or run that counts as a quote by itself. Everyday words are rarely split into as many tokens."""
CERTAIN_PIECES = 5  # tokens of a word that is rare in any language; the everyday word "аптека" has three
MAX_SHORT = 80  # characters of a text in which a less rare word counts as a quote by itself
MAX_SHORT_PAIRS = 40  # characters of a text without spaces in which a short run counts as a quote
CERTAIN_PAIRS = 5  # pairs in a run of characters that is a quote in any text; four characters may be an everyday phrase
MIN_RUN = 3  # words of a run
MAX_RUN = 8  # words of a run at most
PAIR_PIECES = 0.6  # token estimate for two characters of a script without spaces, so that six characters make a run
WORD_PIECES = 0.4  # of two Chinese characters that a tokenizer keeps whole; without such a pair, four are a run: a name
LARGE_MEMORY = 500
"""Messages of a large memory. In it, a new word counts as rare if the tokenizer splits it at all."""
MAX_HOLDERS = 100  # a word in more messages than this says nothing about any of them
MAX_TEXTS = 500  # messages to compare, beginning with those that have the rarest words
FEW_HOLDERS = 5  # a word used before may still reveal what was forgotten if at most so many messages contain it
MAX_ALONE = 200  # characters of a text that counts as a quote because it consists only of forgotten everyday words
THREADS_AT_ONCE = 100  # threads in one query


RowIds = Mapping[str, Set[int]]  # the ids of rows, by table
Phrase = str | tuple[str, ...]  # a term of a forgotten text, or the words of a run


@dataclass(slots=True)
class _ForgottenWords:
    """The forgotten phrases to search for. A phrase is either a single term, or a "run" of several words.

    `since` maps each phrase to the time and id of the first forgotten text with it, `terms` stems to terms, and `runs`
    first words to runs. `new` holds the phrases that no text used before. A run or a `rare` term is a quote.
    A phrase in `unsure` counts only in a short text, with another phrase, or as a run that occurs more than once.
    """

    since: dict[Phrase, tuple[str, int]] = field(default_factory=dict)
    terms: dict[str, str] = field(default_factory=dict)
    runs: dict[str, set[tuple[str, ...]]] = field(default_factory=dict)
    rare: set[str] = field(default_factory=set)
    unsure: set[Phrase] = field(default_factory=set)
    new: Set[Phrase] = frozenset()
    is_complete: bool = True

    def find_terms(self, text: str) -> set[str]:
        return {self.terms[term] for term in analyzer.list_search_terms(text) if term in self.terms}

    def find_word_runs(self, text: str) -> set[tuple[str, ...]]:
        words = analyzer.split_words(text) if self.runs else []
        return {
            run
            for at, word in enumerate(words)
            for run in self.runs.get(word, ())
            if run == tuple(words[at : at + len(run)])
        }

    def has_unambiguous_quote(self, text: str, phrases: Set[Phrase]) -> bool:
        """Return True if the phrases make the text a quote by the rules in the docstring of this class."""
        if any(isinstance(phrase, tuple) or phrase in self.rare for phrase in phrases - self.unsure):
            return True
        runs = [phrase for phrase in phrases & self.unsure if isinstance(phrase, tuple)]
        joined_runs = [run[0] + "".join(pair[-1] for pair in run[1:]) for run in runs]
        repeated = (joined_run for joined_run in joined_runs if analyzer.normalize_text(text).count(joined_run) > 1)
        if len(runs) > 1 or (runs and len(text) <= MAX_SHORT_PAIRS) or any(repeated):
            return True
        return len(phrases & self.unsure) > len(runs) and (len(text) <= MAX_SHORT or len(self.find_terms(text)) > 1)

    def is_quoted_by(self, text: str, phrases: Set[Phrase]) -> bool:
        """Return True if a text quotes forgotten text, judging by the forgotten phrases found in it.

        Everyday words count as a quote only in a short text that contains nothing else.
        """
        return self.has_unambiguous_quote(text, phrases) or (
            bool(phrases) and len(text) <= MAX_ALONE and self.terms.keys() >= set(analyzer.list_search_terms(text))
        )

    def find_forgotten_phrases(self, text: str, written_at: str) -> set[Phrase]:
        """Return the phrases in `new` that this text contains and that a forgotten text used before `written_at`."""
        phrases = (self.find_word_runs(text) | self.find_terms(text)) & self.new
        return {phrase for phrase in phrases if self.since[phrase][0] <= written_at}


@dataclass(slots=True)
class _RemainingMessages:
    """The messages that remain after a deletion, by message id.

    `rows` includes earlier versions of each message. `phrases` holds those of `_ForgottenWords.new` in each message.
    """

    rows: dict[int, list[Row]] = field(default_factory=dict)
    phrases: dict[int, set[Phrase]] = field(default_factory=dict)

    def add_message(self, row: Row, forgotten_phrases: Set[Phrase]) -> None:
        self.rows.setdefault(row["id"], []).append(row)
        self.phrases.setdefault(row["id"], set()).update(forgotten_phrases)

    def find_quoting_answers(self, words: _ForgottenWords) -> tuple[int, ...]:
        """Return the ids of answers that quote forgotten phrases, ignoring phrases that are also in the question."""
        asked: dict[tuple[int, int], set[Phrase]] = {}
        for number, [row, *_] in self.rows.items():
            if row["role"] == "user":
                asked.setdefault((row["thread_id"], row["turn_id"]), set()).update(self.phrases[number])
        return tuple(
            number
            for number, rows in sorted(self.rows.items())
            if (row := rows[0])["role"] != "user"
            and (rest := self.phrases[number] - asked.get((row["thread_id"], row["turn_id"]), set()))
            and any(words.is_quoted_by(row["content"], rest) for row in rows)
        )

    def collect_user_phrases(self, message_ids: Collection[int] | None) -> set[Phrase]:
        """Return the forgotten phrases in people's messages, limited to `message_ids` unless it is None."""
        ids = self.rows.keys() if message_ids is None else self.rows.keys() & set(message_ids)
        return set().union(*(self.phrases[number] for number in ids if self.rows[number][0]["role"] == "user"))


async def find_remaining_quotes(
    reader: Reader, owner: int, deleted_ids: RowIds, *, fact_ids: Collection[int] = ()
) -> RemainingQuotes:
    """Find the remaining texts that quote the deleted messages or the facts in `fact_ids`."""
    words = await _read_forgotten_words(reader, owner, deleted_ids["messages"], fact_ids)
    said, holders = await _find_remaining_and_quoting_messages(reader, owner, words, deleted_ids["messages"])
    holders |= {row["id"] for row in await reader.fetch_rows(_FACT_SOURCES, owner, json.dumps([*fact_ids]))}
    if not words.new:
        return RemainingQuotes(others=len(holders), is_complete=words.is_complete)

    async def find_ids_of_quoting_rows(sql: str, excluded_ids: Set[int]) -> set[int]:
        rows = [row for row in await reader.fetch_rows(sql, owner) if row["id"] not in excluded_ids]

        def is_row_quoting_forgotten_text(row: Row) -> bool:
            found = words.find_forgotten_phrases(row["text"], row["created_at"])
            return bool(found) and words.is_quoted_by(
                row["text"], found - said.collect_user_phrases(json.loads(row["source_ids"]))
            )

        return await asyncio.to_thread(lambda: {row["quoted_id"] for row in rows if is_row_quoting_forgotten_text(row)})

    answers = await asyncio.to_thread(said.find_quoting_answers, words)
    return RemainingQuotes(
        answers=answers,
        facts=frozenset(await find_ids_of_quoting_rows(_FACTS, deleted_ids["facts"]) - deleted_ids["facts"]),
        summaries=frozenset(await find_ids_of_quoting_rows(_SUMMARIES, deleted_ids["summaries"])),
        profiles=frozenset(await find_ids_of_quoting_rows(_PROFILES, deleted_ids["profiles"])),
        others=len(holders.difference(answers)),
        is_complete=words.is_complete,
    )


async def _read_forgotten_words(
    reader: Reader, owner: int, message_ids: Set[int], fact_ids: Collection[int]
) -> _ForgottenWords:
    rows = await reader.fetch_rows(_TEXTS, owner, json.dumps(sorted(message_ids)))
    rows += await reader.fetch_rows(_FACT_TEXTS, owner, json.dumps([*fact_ids]))
    # Search for the words of an answer only if its question is not forgotten too.
    asked = {row["turn"] for row in rows if row["role"] == "user"}
    rows = [row for row in rows if row["role"] == "user" or row["turn"] not in asked]
    in_large_memory = await reader.fetch_row(_IS_LARGE, owner, LARGE_MEMORY) is not None
    texts = [(str(row["content"]), (str(row["at"]), int(row["id"]))) for row in rows]
    return await asyncio.to_thread(_build_forgotten_words, texts, is_memory_large=in_large_memory)


def _build_forgotten_words(texts: Sequence[tuple[str, tuple[str, int]]], *, is_memory_large: bool) -> _ForgottenWords:
    words, left = _ForgottenWords(), MAX_TEXT_CHARS
    read: list[str] = []
    spoken: set[str] = set()
    foreign: set[str] = set()
    for text, at in texts:
        words.is_complete = words.is_complete and len(text) <= left
        if left > 0:
            read.append(text[:left])
            split = analyzer.split_words(read[-1])
            spoken.update(split)
            is_english = analyzer.detect_language_of_latin_words(split) == "english"
            foreign.update(word for word in split if not (is_english and word.isascii()))
            phrases = chain(
                analyzer.list_search_terms(read[-1]), _iterate_quotable_runs(split), _iterate_number_spellings(read[-1])
            )
            for phrase in phrases:
                words.since[phrase] = min(at, words.since.get(phrase, at))
        left -= len(text)
    rare = {
        word: analyzer.collect_possible_stems(word)
        for word in spoken
        if _is_rare_word(word, is_memory_large=is_memory_large)
    }
    words.rare.update(*rare.values())
    everyday = (word for word in foreign & rare.keys() if word.isalpha() and _count_tokens(f" {word}") < CERTAIN_PIECES)
    words.unsure.update(*(rare[word] for word in everyday))
    for phrase in words.since:
        if isinstance(phrase, tuple):
            words.runs.setdefault(phrase[0], set()).add(phrase)
            words.unsure.update([phrase] if _is_short_character_run(phrase) and not is_memory_large else ())
    terms = [phrase for phrase in words.since if isinstance(phrase, str)]
    with_digits = {term for term in (*terms, *words.runs) if any(map(str.isdigit, term))}
    words.rare |= {term for term in with_digits & {*terms} if _is_rare_word(term, is_memory_large=is_memory_large)}
    # The first group of a number finds the messages with the whole, but is no quote: "2026" of the order 2026112200153.
    terms += with_digits.difference(terms)
    chosen = sorted(terms, key=lambda term: (term not in words.rare, term not in with_digits, -len(term)))[:MAX_WORDS]
    words.is_complete = words.is_complete and len(chosen) == len(terms)
    variants = analyzer.map_terms_to_foreign_stems(chosen, *read)
    words.terms = {form: term for term in chosen for form in variants.get(term, ())} | {term: term for term in chosen}
    return words


async def _find_remaining_and_quoting_messages(
    reader: Reader, owner: int, words: _ForgottenWords, deleted_ids: Set[int]
) -> tuple[_RemainingMessages, set[int]]:
    """Find the remaining messages that contain forgotten phrases. Set `words.new` as a side effect.

    Return these messages with their phrases, and the ids of the messages that quote forgotten text.
    """
    threads = [int(row[0]) for row in await reader.fetch_rows("SELECT thread_id FROM scopes WHERE user_id = ?", owner)]
    scopes = [Scope(owner=owner, thread=thread) for thread in threads]
    held = await reader.run(lambda connection: _find_terms_by_seq(connection, scopes, words))
    rows = await reader.fetch_rows(_HOLDERS, owner, json.dumps(sorted(held)))
    rows = [row for row in rows if row["id"] not in deleted_ids]
    phrases = await asyncio.to_thread(lambda: [_find_phrases_in_row(row, held[row["seq"]], words) for row in rows])
    holding: dict[Phrase, list[Row]] = {}
    for row, found in zip(rows, phrases, strict=True):
        for phrase in found:
            holding.setdefault(phrase, []).append(row)
    known = {*words.terms.values()}
    new = {
        phrase
        for phrase, since in words.since.items()
        if (isinstance(phrase, tuple) or phrase in known)
        and all((row["created_at"], row["id"]) >= since for row in holding.get(phrase, ()))
    }
    # Of an everyday phrase, some characters were said before.
    words.new = {phrase for phrase in new if not _is_short_character_run(phrase) or new.issuperset(phrase)}
    said = _RemainingMessages()
    for row, found in zip(rows, phrases, strict=True):
        said.add_message(row, found & words.new)
    # A word used before still reveals what was forgotten if few messages contain it.
    pointing = {phrase for phrase, held in holding.items() if phrase in words.new or len(held) <= FEW_HOLDERS}
    holders = {
        row["id"]
        for row, found in zip(rows, phrases, strict=True)
        if words.has_unambiguous_quote(row["content"], found & pointing)
    }
    for row in await reader.fetch_rows(_VERSIONS, owner) if words.new else ():
        if row["id"] not in deleted_ids and (new := words.find_forgotten_phrases(row["content"], row["written_at"])):
            said.add_message(row, new)
            if words.has_unambiguous_quote(row["content"], new):
                holders.add(row["id"])
    return said, holders | {*said.find_quoting_answers(words)}


def _find_terms_by_seq(connection: Connection, scopes: Sequence[Scope], words: _ForgottenWords) -> dict[int, set[str]]:
    """Map each message's `seq` to the forgotten terms in it. Skip terms that occur in too many messages."""
    forms: dict[str, list[str]] = {}
    for form, term in words.terms.items():
        forms.setdefault(term, []).append(form)
    held: dict[str, set[int]] = {}
    for term, several in forms.items():
        found = held[term] = set()
        for first in range(0, len(scopes), THREADS_AT_ONCE):
            if len(found) <= MAX_HOLDERS:
                some = scopes[first : first + THREADS_AT_ONCE]
                found.update(
                    full_text.get_word_index(connection).find_seqs_of_messages_with_terms(
                        connection, some, select_searchable_terms(several), MAX_HOLDERS + 1
                    )
                )
    terms = dict[int, set[str]]()
    for term, found in sorted(held.items(), key=lambda pair: len(pair[1])):
        if len(found) <= MAX_HOLDERS and len(terms) <= MAX_TEXTS:
            for seq in found:
                terms.setdefault(seq, set()).add(term)
        else:
            words.is_complete = words.is_complete and term not in words.rare
            words.terms = {form: of for form, of in words.terms.items() if of != term}
    return terms


def _find_phrases_in_row(row: Row, terms: Set[str], words: _ForgottenWords) -> Set[Phrase]:
    heading = {words.terms.get(term) for term in word_index.list_heading_terms(row)}
    said = words.find_terms(row["content"]) if not heading.isdisjoint(terms) else terms
    return words.find_word_runs(row["content"]) | said


# What is a quote ---------------------------------------------------------------------------------------------
def _iterate_quotable_runs(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the shortest run that starts at each word and is long enough to count as a quote."""
    pieces = [_estimate_word_tokens(word) for word in words]
    for first in range(len(words)):
        total = 0.0
        for last in range(first, min(first + MAX_RUN, len(words)) if pieces[first] else first):
            total += pieces[last]
            if total >= MIN_PIECES and last - first + 1 >= MIN_RUN:
                yield tuple(words[first : last + 1])
                break


def _is_short_character_run(phrase: Phrase) -> bool:
    """Return True for a short run in a script without spaces. Such a run may be an everyday word."""
    return isinstance(phrase, tuple) and len(phrase) < CERTAIN_PAIRS and all(map(analyzer.is_character_pair, phrase))


def _iterate_number_spellings(text: str) -> Iterator[Phrase]:
    """Yield other spellings of the numbers in a text: "85000" for "85,000", "de8937" for "DE89 37", and the reverse."""
    for number in {found for pattern in _NUMBERS for found in pattern.findall(analyzer.normalize_text(text))}:
        yield "".join(filter(str.isdigit, number))
        yield (joined := "".join(filter(str.isalnum, number)))
        if joined == number and joined.isdigit() and MIN_DIGITS <= len(joined) <= MAX_GROUPED:
            yield tuple(f"{int(joined):,}".split(","))
        elif joined == number and len(joined) > MAX_GROUPED:  # of a card or bank account, in groups of four
            yield tuple(joined[at : at + 4] for at in range(0, len(joined), 4))


@lru_cache(maxsize=20_000)
def _estimate_word_tokens(word: str) -> float:
    """Estimate the tokens that a word contributes to a quotable run of words. A function word contributes 0."""
    if word in EVERY_FUNCTION_WORD or word.split("'")[0] in EVERY_FUNCTION_WORD:
        return 0
    if analyzer.is_character_pair(word):
        is_chinese = all("\u30a0" <= character <= "\u9fff" for character in word)  # or Katakana, the script of names
        return PAIR_PIECES if not is_chinese else 1 if _count_tokens(word) > 1 else WORD_PIECES
    return _count_tokens(f" {word}")


@lru_cache(maxsize=20_000)
def _is_rare_word(word: str, *, is_memory_large: bool) -> bool:
    """Return True if a word is so rare that any later text with this word counts as a quote."""
    digits = sum(map(str.isdigit, word))
    if digits >= MIN_DIGITS:
        return True
    if analyzer.is_character_pair(word) or digits == len(word):
        return False
    if (digits and not any(map(str.isalpha, word))) or word in EVERY_FUNCTION_WORD:
        return False
    pieces = _count_tokens(f" {word}")
    # As a name, or as a noun of German, it may be whole with a capital.
    if is_memory_large and not digits:
        return pieces > 1
    return min(pieces, _count_tokens(f" {word.capitalize()}")) >= MIN_PIECES


def _count_tokens(text: str) -> int:
    return Tokenizer.for_encoding(DEFAULT_ENCODING).count(text)


_TEXTS = """
SELECT id, role, turn_id AS turn, content, created_at AS at FROM messages
WHERE user_id = ?1 AND id IN (SELECT value FROM json_each(?2))
UNION ALL
SELECT messages.id, messages.role, messages.turn_id, versions.content, versions.written_at FROM versions
JOIN messages ON messages.user_id = versions.user_id AND messages.id = versions.message_id
WHERE versions.user_id = ?1 AND versions.message_id IN (SELECT value FROM json_each(?2))
"""
_FACT_TEXTS = """
SELECT id, 'user' AS role, id AS turn, text AS content, created_at AS at FROM facts
WHERE user_id = ?1 AND (id IN (SELECT value FROM json_each(?2))
  OR origin = 'earlier' AND superseded_by IN (SELECT value FROM json_each(?2)))
"""
_FACT_SOURCES = """
SELECT messages.id FROM messages, facts, json_each(facts.source_ids) AS source
WHERE messages.user_id = ?1 AND messages.id = source.value AND facts.user_id = ?1
AND facts.id IN (SELECT value FROM json_each(?2))
"""
_FACTS = """
SELECT id, CASE WHEN origin = 'earlier' THEN superseded_by ELSE id END AS quoted_id, text, created_at, source_ids
FROM facts WHERE user_id = ?
"""
_SUMMARIES = """
SELECT id, id AS quoted_id, summary_text AS text, created_at, 'null' AS source_ids FROM summaries WHERE user_id = ?
"""
_PROFILES = "SELECT id, id AS quoted_id, text, created_at, 'null' AS source_ids FROM profiles WHERE user_id = ?"
_VERSIONS = """
SELECT messages.id, messages.thread_id, messages.turn_id, messages.role, messages.created_at, versions.content,
  versions.written_at
FROM versions JOIN messages ON messages.user_id = versions.user_id AND messages.id = versions.message_id
WHERE versions.user_id = ?
"""
_HOLDERS = """
SELECT seq, id, thread_id, turn_id, role, created_at, speaker, title, content FROM messages
WHERE user_id = ? AND seq IN (SELECT value FROM json_each(?)) ORDER BY id
"""
_IS_LARGE = "SELECT 1 FROM messages WHERE user_id = ? LIMIT 1 OFFSET ?"
