"""Builds the model requests that extract facts and write the profile, each within the model's context window."""

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from facts.kinds import make_kind_request
from facts.own_words import remove_code_and_block_quotes
from facts.reconciliation import FactCandidates
from facts.schemas import FACTS_SCHEMA, PROFILE_SCHEMA
from llm import prompts
from records.facts import Fact, HistoryBacklog, Profile
from records.messages import Message
from records.model_calls import Prompt, PromptMessage, Schema
from records.summaries import Summary
from text.analyzer import list_search_terms
from text.fingerprint import describes_change, find_topics, make_fingerprint
from text.tokenizer import Tokenizer

MAX_TURNS = 20  # turns of imported history in one request; for other messages, the settings say how many
MAX_KNOWN = 40  # known facts in one request
MAX_COMPARED = 200  # known facts that one message is compared with
MIN_SHARED_WORDS = 2  # words in both a known fact and a message that reports no change; one word proves little
MAX_OTHER_FACTS = 4  # other known facts that are shown: "I moved to Porto" has no word of "lives in Lisbon"
MIN_LINE_TOKENS = 70  # that one line may take, however little room there is
ANSWER_SHARE = 0.25  # share of the window that is left free for the model's answer and a repair
MIN_ROOM_TOKENS = 160  # for messages, if the window has as many; the schema is counted only above that
MIN_TURN_TOKENS = 24  # for messages in any window
SEAM_TOKENS = 8  # left free, since joined texts take a few more tokens than each by itself


@dataclass(frozen=True, kw_only=True, slots=True)
class ExtractionRequest:
    """A request to extract facts, with the messages and the known facts that it contains."""

    request: Prompt
    until: int  # the id of the last message that is covered
    is_all: bool  # True if all given turns are covered
    messages: tuple[Message, ...]
    shown: tuple[Fact, ...]
    turns: tuple[tuple[Message, ...], ...] = ()  # the covered turns


@dataclass(frozen=True, kw_only=True, slots=True)
class ExtractionEstimate:
    """The estimated cost of learning facts from imported messages: messages, model requests and tokens."""

    messages: int
    requests: int
    tokens: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ProfileRequest:
    """A request for a profile, with the facts and the ids of the summaries that it contains."""

    request: Prompt
    facts: tuple[Fact, ...]
    summary_ids: tuple[int, ...]


class RequestBuilder:
    """Builds requests of at most `get_window()` tokens."""

    def __init__(self, tokenizer: Tokenizer, get_window: Callable[[], int]) -> None:
        self._tokens = tokenizer
        self._get_window = get_window

    def make_extraction_request(
        self,
        turns: Sequence[Sequence[Message]],
        known_facts: Sequence[Fact],
        *,
        owner_description: str,
        zone: tzinfo,
        max_turns: int = MAX_TURNS,
    ) -> ExtractionRequest:
        """Build a request with as many of the first turns as fit, and the known facts that they may change.

        If the first turn does not fit, include as many of its messages as possible. Cut the middle of a message that
        takes more than a quarter of the space. Leave out code, quotations and the assistant's messages: small models
        attribute them to the person.
        """
        instructions = prompts.TEXTS["extract_facts"].format(who=owner_description)
        bare = prompts.make_facts_request([], [])
        room = self._count_free_tokens(instructions, bare, FACTS_SCHEMA, _make_repair_messages("…"))
        known_room = min(self._get_window() // 4, room // 3) if room >= MIN_ROOM_TOKENS else 0
        shown, known_lines = self._select_and_format_known_facts(known_facts, turns[:max_turns], known_room)
        room -= self._tokens.count(prompts.make_facts_request(known_lines, [])) - self._tokens.count(bare)
        lines: list[str] = []
        messages: list[Message] = []
        until, is_all, left = turns[0][0].id, False, room
        covered: list[tuple[Message, ...]] = []
        for number, turn in enumerate(turns[:max_turns], start=1):
            fresh = [(message, self._format_message(message, zone, room)) for message in turn]
            size = self._count_tokens([line for _, line in fresh])
            if lines and size > left:
                break
            fitting, until, is_whole = self._select_turn_start_and_last_id(fresh, left)
            lines += [line for _, line in fitting if line]
            covered.append(tuple(message for message in turn if message.id <= until))
            messages += [message for message, _ in fitting if message.role == "user"]
            left -= self._count_tokens([line for _, line in fitting])
            is_all = is_whole and number == len(turns)
            if not is_whole:
                break
        return ExtractionRequest(
            request=_make_request(instructions, prompts.make_facts_request(known_lines, lines)),
            until=until,
            is_all=is_all,
            messages=tuple(messages),
            shown=tuple(fact for fact in shown if fact.is_valid),
            turns=tuple(covered),
        )

    def estimate_extraction(
        self, backlog: HistoryBacklog, *, max_turns: int = MAX_TURNS, kind_requests: int = 0
    ) -> ExtractionEstimate:
        """Estimate the cost of learning from imported messages. `kind_requests` is the number of lines to classify.

        Tokens are rounded up to two significant digits.
        """
        empty = _make_request(prompts.TEXTS["extract_facts"].format(who=""), prompts.make_facts_request([], []))
        frame = self._tokens.count_request_tokens(empty) + self._tokens.count(str(FACTS_SCHEMA))
        said = backlog.characters // 4 + backlog.messages * 15  # a heading of some 15 tokens for each message
        room = max(MIN_ROOM_TOKENS, int((self._get_window() - frame) * (1 - ANSWER_SHARE)))
        requests = max(-(-backlog.messages // max_turns), -(-said // room))
        tokens = said + requests * (frame + 250)  # for the answer and the known facts
        tokens += kind_requests * (self.count_prompt_tokens(make_kind_request("")) + 50)  # for the line and the answer
        unit = 10 ** max(0, len(str(tokens)) - 2)
        return ExtractionEstimate(
            messages=backlog.messages, requests=requests + kind_requests, tokens=-(-tokens // unit) * unit
        )

    def count_prompt_tokens(self, request: Prompt) -> int:
        return self._tokens.count_request_tokens(request)

    def make_repair_request(self, extraction_request: ExtractionRequest, answer: str) -> Prompt:
        """Build a request to repair an unusable answer. Cut the answer if it is too long."""
        free = self._get_window() - self._tokens.count_request_tokens(
            (*extraction_request.request, *_make_repair_messages(""))
        )
        schema = self._tokens.count(str(FACTS_SCHEMA))
        free -= schema if free > schema else 0
        shown = self._tokens.omit_middle(answer, min(free, int(self._get_window() * ANSWER_SHARE / 2)))
        return *extraction_request.request, *_make_repair_messages(shown or "…")

    def fits_window(self, request: Prompt, schema: Schema) -> bool:
        return self.count_prompt_tokens(request) + self._tokens.count(str(schema)) <= self._get_window()

    def make_profile_request(
        self,
        previous_profile: Profile | None,
        summaries: Sequence[Summary],
        facts: Sequence[Fact],
        *,
        owner_description: str,
        now: datetime,
    ) -> ProfileRequest:
        """Build a request from the previous profile, the known facts and the newest summaries.

        The profile may use half of the token budget. If there are summaries, the facts may use half of what remains.
        Withdrawn facts are listed if they share words with the profile or the summaries.
        """
        today, words = now.date().isoformat(), prompts.MAX_PROFILE_WORDS
        instructions = prompts.TEXTS["distil_profile"].format(who=owner_description, today=today, words=words)
        bare = prompts.make_profile_request("-", ["-"], ["-"], ["-"])
        tokens = self._count_free_tokens(instructions, bare, PROFILE_SCHEMA, ())
        previous = previous_profile.text if previous_profile else ""
        text = self._tokens.truncate_to_fit_when_rendered(previous, tokens // 2, prompts.format_profile)
        tokens -= self._count_tokens([prompts.format_profile(text)]) if text else 0
        told = find_topics(" ".join([text, *(summary.text for summary in summaries)]))
        known, withdrawn = ([fact for fact in facts if fact.is_valid is state] for state in (True, False))
        touched = [fact.text for fact in withdrawn if len(find_topics(fact.text) & told) >= MIN_SHARED_WORDS]
        touched = self._select_fitting_lines(touched[:MAX_KNOWN], tokens // 8)
        tokens -= self._count_tokens(touched)
        fact_lines = self._select_fitting_lines(
            [prompts.format_fact(fact) for fact in known], tokens // 2 if summaries else tokens
        )
        newest = sorted(summaries, key=lambda summary: -summary.id)
        lines = self._select_fitting_lines(
            [prompts.format_summary(s) for s in newest], tokens - self._count_tokens(fact_lines)
        )
        return ProfileRequest(
            request=_make_request(instructions, prompts.make_profile_request(text, lines[::-1], fact_lines, touched)),
            facts=tuple(known[: len(fact_lines)]),
            summary_ids=tuple(summary.id for summary in newest[: len(lines)]),
        )

    def _select_and_format_known_facts(
        self, known_facts: Sequence[Fact], turns: Sequence[Sequence[Message]], max_tokens: int
    ) -> tuple[list[Fact], list[str]]:
        """Return the known facts that the turns may change, and their lines in the prompt.

        Most come from the messages of the turns or share words with them. Few are shown, as small models repeat them.
        """
        said = [message for turn in turns for message in turn if message.role == "user"]
        asked: list[tuple[frozenset[str], int]] = []  # the topics of each message, and how many a fact must share
        for message in said:
            reports_change = describes_change(message.content) or make_fingerprint(message.content).polarity
            asked.append((find_topics(message.content), 1 if reports_change else MIN_SHARED_WORDS))
        about = frozenset[str]().union(*(words for words, _ in asked))
        has_change = any(describes_change(message.content) for message in said)
        facts = {fact.id: fact for fact in known_facts}
        said_here = {message.id for message in said}
        candidates = FactCandidates(facts)
        looked_at = {id_ for m in said for id_ in candidates.rank_by_terms(list_search_terms(m.content), MAX_COMPARED)}
        if has_change:
            weightiest = heapq.nlargest(MAX_COMPARED, known_facts, key=lambda fact: (fact.importance, fact.id))
            looked_at.update(fact.id for fact in weightiest)
        looked_at.update(fact.id for fact in known_facts if said_here.intersection(fact.source_ids))
        # The text that holds stands next to the text that it replaced.
        looked_at.update(successor for id_ in [*looked_at] if (successor := facts[id_].superseded_by) in facts)

        topics = {id_: find_topics(f"{facts[id_].text} {facts[id_].subject}") for id_ in looked_at}

        def shares_source_or_words_with_turns(fact: Fact) -> bool:
            return bool(said_here.intersection(fact.source_ids)) or any(
                len(topics[fact.id] & words) >= least for words, least in asked
            )

        def shares_topic_with_turns(fact: Fact) -> bool:
            named = find_topics(" ".join(make_fingerprint(fact.text).names))
            return bool(about & (topics[fact.id] if fact.decided_at else named))

        ranked = sorted(
            (facts[id_] for id_ in looked_at),
            key=lambda fact: (-len(topics[fact.id] & about), -fact.importance, -fact.id),
        )
        related = {fact.id for fact in ranked if shares_source_or_words_with_turns(fact)}
        others = [fact for fact in ranked if fact.id not in related and (has_change or shares_topic_with_turns(fact))]
        if has_change:  # what a person has one of at a time, such as a home, comes first
            others.sort(key=lambda fact: not fact.subject or fact.is_lasting or " " in fact.subject)
        shown = related | {fact.id for fact in others[:MAX_OTHER_FACTS]}
        shown.update(successor for id_ in [*shown] if (successor := facts[id_].superseded_by) in facts)
        ranked = [fact for fact in ranked if fact.id in shown][:MAX_KNOWN]
        lines = self._select_fitting_lines([prompts.format_known_fact(fact) for fact in ranked], max_tokens)
        return ranked[: len(lines)], lines

    def _format_message(self, message: Message, zone: tzinfo, free_tokens: int) -> str:
        def format_line(text: str) -> str:
            return prompts.format_message_for_extraction(message, message.created_at.astimezone(zone), text)

        if message.role == "assistant":
            return ""
        most = min(max(MIN_LINE_TOKENS, free_tokens // 4), free_tokens - 1)
        own = remove_code_and_block_quotes(message.content)  # a model that learns from the rest would seem weak
        text = format_line(self._tokens.truncate_to_fit_when_rendered(own, most, format_line, self._tokens.omit_middle))
        return self._tokens.truncate(text, most)

    def _select_turn_start_and_last_id(
        self, turn: Sequence[tuple[Message, str]], max_tokens: int
    ) -> tuple[Sequence[tuple[Message, str]], int, bool]:
        """Return the messages and lines that fit, the id of the last message read, and True if the whole turn fits."""
        if self._count_tokens([line for _, line in turn]) <= max_tokens:
            return turn, turn[-1][0].id, True
        until = turn[0][0].id
        for number, (message, line) in enumerate(turn):
            size = self._count_tokens([line])
            if message.role == "user" and size > max_tokens:
                return turn[:number], until, False
            until = message.id
            max_tokens -= size
        return turn, until, True

    def _count_free_tokens(self, instructions: str, body: str, schema: Mapping[str, object], repair: Prompt) -> int:
        request = (*_make_request(instructions, body), *repair)
        free = self._get_window() - self._tokens.count_request_tokens(request) - SEAM_TOKENS
        ample = int((free - self._tokens.count(str(schema))) * (1 - ANSWER_SHARE))
        return max(ample, min(MIN_ROOM_TOKENS, free), MIN_TURN_TOKENS)

    def _select_fitting_lines(self, lines: Sequence[str], max_tokens: int) -> list[str]:
        for number, line in enumerate(lines):
            max_tokens -= self._tokens.count(line) + 1
            if max_tokens < 0:
                return list(lines[:number])
        return list(lines)

    def _count_tokens(self, lines: Sequence[str]) -> int:
        return sum(self._tokens.count(line) + 1 for line in lines if line)


def _make_repair_messages(answer: str) -> Prompt:
    repair = PromptMessage(role="user", content=prompts.TEXTS["repair_facts"])
    return PromptMessage(role="assistant", content=answer), repair


def _make_request(instructions: str, body: str) -> Prompt:
    return PromptMessage(role="system", content=instructions), PromptMessage(role="user", content=body)
