"""Pure functions that build a request. Parts are added by priority, each within the remaining tokens."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from llm import prompts, quoting
from records.context import Context, ContextPart, Cut, CutPart, RecalledFact, Snippet
from records.errors import ContextTooLong
from records.facts import Profile
from records.messages import Message
from records.model_calls import PromptMessage
from records.summaries import Summary
from records.turns import UserMessage
from retrieval import prefix_cache, sent_along
from retrieval.turns import WORTH_SHOWING, PastTurn, TurnRenderer, find_prompt_role
from text.tokenizer import Tokenizer

MAX_PROFILE_TOKENS = 800
PROFILE_SHARE = 8  # the profile takes at most an eighth of the whole prompt, out of the room for snippets
ONE_SNIPPET_TOKENS = 64  # enough for a piece of one snippet
MAX_INSTRUCTIONS_TOKENS = 400
INSTRUCTIONS_SHARE = 10  # lasting instructions take at most a tenth of the whole prompt
MAX_MESSAGE_TOKENS = 10**9  # for the first rendering of the message, before its room is known
USUAL_SHARE = 0.25  # tokens per character if none were counted: English has four characters a token
MAX_QUOTED_TOKENS = 150  # of the words that a reply quotes
QUOTED_SHARE = 20  # they take at most a twentieth of the whole prompt
FACTS_SHARE = 3  # facts take at most a third of the budget for snippets
SECTION_SHARE = 3  # a section that takes more than a third of the system prompt's budget is left out


@dataclass(frozen=True, kw_only=True, slots=True)
class Budgets:
    """Token limits of a request (`prompt`) and of its parts."""

    prompt: int
    system: int
    summaries: int
    recent: int
    snippets: int

    def scale_to_fit(self, max_prompt_tokens: int) -> "Budgets":
        """Return a copy with another limit of the whole prompt. Scale down all parts if their sum exceeds it."""
        share = min(1.0, max_prompt_tokens / max(1, self.system + self.summaries + self.recent + self.snippets))
        return replace(self.scale(share), prompt=max_prompt_tokens, system=int(self.system * share))

    def scale(self, factor: float) -> "Budgets":
        """Return a copy with the budgets for summaries, recent turns and snippets multiplied by `factor`."""
        return replace(
            self,
            summaries=int(self.summaries * factor),
            recent=int(self.recent * factor),
            snippets=int(self.snippets * factor),
        )


class PromptBuilder:
    """Builds one request. Its parts must be added in the order of the methods below."""

    def __init__(
        self,
        *,
        tokenizer: Tokenizer,
        budgets: Budgets,
        incoming: UserMessage,
        system_prompt: str,
        now: datetime,
        explains_format: bool = False,
        command_list: str = "",
    ) -> None:
        self._tokens = tokenizer
        self._renderer = TurnRenderer(tokenizer, in_group=incoming.in_group)
        self._now, self._zone = now, now.tzinfo or UTC
        self._full_recent = budgets.recent
        self._one_snippet = min(ONE_SNIPPET_TOKENS, budgets.snippets)
        self._turns: list[PastTurn] = []
        self._summaries: list[Summary] = []
        self._snippets: list[Snippet] = []
        self._facts: list[RecalledFact] = []
        self._instructions: list[RecalledFact] = []
        self._profile: Profile | None = None
        self._profile_text = self._words = ""
        self._cut: list[Cut] = []
        self._dispensable = set[int]()
        self._turns_broken_off = False
        self._history: tuple[int, int] | None = None
        self._clock = prompts.format_current_time(now)
        if incoming.replied is not None:
            limit = min(MAX_QUOTED_TOKENS, budgets.prompt // QUOTED_SHARE)
            replied = replace(incoming.replied, text=tokenizer.truncate(incoming.replied.text, limit))
            self._clock = f"{prompts.format_replied_message(replied)}\n{self._clock}"
        sections = [command_list, prompts.READER if explains_format else ""]
        system = append_sections_that_fit(tokenizer, system_prompt, sections, budgets.system)
        self._system = tokenizer.truncate(system, budgets.system)
        self._pictures = sent_along.select_pictures_that_fit(incoming, budgets.prompt)
        self._incoming = sent_along.IncomingRenderer(incoming, tokenizer, budgets.prompt)
        words, was_shortened = self._incoming.render_and_check_if_cut(MAX_MESSAGE_TOKENS)
        said = tokenizer.count(words)
        room = budgets.prompt - self._tokens.count_request_tokens(self._build_messages()) - 4
        if room < min(said, WORTH_SHOWING):
            self._clock = ""
            room = budgets.prompt - self._tokens.count_request_tokens(self._build_messages()) - 4
        self._message_was_cut = said > room or was_shortened
        self._wanted = budgets.prompt - room + said
        self._words = self._incoming.render_and_check_if_cut(max(0, room))[0] if said > room else words
        self._left = max(0, budgets.prompt - self._tokens.count_request_tokens(self._build_messages()))
        wanted = budgets.summaries + budgets.recent + budgets.snippets
        share = min(1.0, self._left / wanted) if wanted else 0.0
        self._budgets = budgets.scale(share)

    @property
    def message_ids_in_prompt(self) -> frozenset[int]:
        return frozenset(message.id for turn in self._turns if turn.is_whole for message in turn.messages)

    @property
    def remaining_snippet_tokens(self) -> int:
        """The number of tokens left for snippet lines, after deducting the text that encloses them."""
        frame = self._tokens.count(prompts.format_remembered_snippets([], self._now))
        return max(0, min(self._budgets.snippets, self._left - frame - 2))

    def add_last_turns(self, messages: Sequence[Message]) -> None:
        """Add the newest turns that fit. Shorten the first turn that does not fit, and omit all older turns."""
        for turn in reversed(self._renderer.render_turns(messages)):
            self._wanted += turn.tokens
            if not self._turns_broken_off and turn.tokens <= self._left:
                self._add_turn(turn)
                continue
            squeezed = None if self._turns_broken_off else self._renderer.shorten_turn(turn, self._left)
            self._turns_broken_off = True
            self._cut.append(turn.make_cut_record("cut in its middle" if squeezed else "no room"))
            if squeezed:
                self._add_turn(squeezed)

    def add_search_hint(self) -> None:
        """Add a hint that the model should search further in this turn, if there is room for it."""
        size = self._tokens.count(prompts.TEXTS["search_on"]) + 1
        if size <= self._left:
            self._clock = f"{self._clock}\n{prompts.TEXTS['search_on']}"
            self._left -= size
            self._wanted += size

    def add_instructions(self, instructions: Sequence[RecalledFact]) -> None:
        """Add the lasting instructions that fit, the most important first."""
        room = min(MAX_INSTRUCTIONS_TOKENS, self._budgets.prompt // INSTRUCTIONS_SHARE, self._left) - 4
        self._instructions = self._select_facts_that_fit("instructions", instructions, room)
        if self._instructions:
            used = self._tokens.count(self._format_instructions()) + 4
            self._left -= used
            self._wanted += used

    def add_profile(self, profile: Profile | None) -> None:
        """Add the profile. If it is larger than its share of the token limit, add only the beginning."""
        if profile is None:
            return
        frame = self._tokens.count(prompts.format_profile("")) + 8
        room = min(MAX_PROFILE_TOKENS, self._budgets.prompt // PROFILE_SHARE, self._left) - frame
        text = self._tokens.truncate(profile.text, room)
        if room >= WORTH_SHOWING and text:
            self._profile, self._profile_text = profile, text
            used = self._tokens.count(text) + frame
            self._left -= used
            self._wanted += used

    def add_summaries(self, summaries: Sequence[Summary]) -> None:
        """Add the summaries that fit, in the given order. Record the others as cut."""
        room = min(self._budgets.summaries, self._left)
        taken = self._tokens.count(quoting.format_block("summaries", [])) + 6
        for summary in summaries:
            size = self._tokens.count(prompts.format_summary(summary, self._zone)) + 1
            self._wanted += size
            if taken + size <= room:
                self._summaries.append(summary)
                taken += size
            else:
                self.record_cut("summary", summary.first_id, summary.last_id, "no room")
        if self._summaries:
            self._left -= taken

    def has_room_for(self, messages: Sequence[Message]) -> bool:
        """Return True if the turns of these messages fit the budget for recent turns."""
        return sum(turn.tokens for turn in self._renderer.render_turns(messages)) <= self._budgets.recent

    def add_older_turns(self, messages: Sequence[Message]) -> None:
        """Add turns that precede those already added, newest first, until the budget for recent turns is used up."""
        known = {turn.messages[0].turn for turn in self._turns}
        seen = [(cut.first_id, cut.last_id) for cut in self._cut if cut.what == "turns"]
        older = [
            turn
            for turn in self._renderer.render_turns([message for message in messages if message.turn not in known])
            if not any(first <= turn.messages[0].id <= last for first, last in seen)
        ]
        sizes = [turn.tokens for turn in older]
        self._wanted += sum(sizes)
        last = sum(turn.tokens for turn in self._turns)
        # The cut moves by half the budget at once. If it moved with every turn, it would miss the provider's cache.
        budget = max(0, self._full_recent - last)
        start = prefix_cache.find_index_of_first_fitting_turn(sizes, budget=budget, step=self._full_recent // 2)
        room = 0 if self._turns_broken_off else min(max(0, self._budgets.recent - last), self._left)
        while start < len(older) and sum(sizes[start:]) > room:
            start += 1
        if start:
            self.record_cut("turns", older[0].messages[0].id, older[start - 1].messages[-1].id, "recent budget")
        for turn in older[start:]:
            self._add_turn(turn)

    def add_archived_turns(self, messages: Sequence[Message]) -> None:
        """Put archived turns before the other turns if they fit, so that the prompt's beginning rarely changes."""
        if self._turns_broken_off or any(cut.what == "turns" for cut in self._cut):
            return
        known = {turn.messages[0].turn for turn in self._turns}
        more = [turn for turn in self._renderer.render_turns(messages) if turn.messages[0].turn not in known]
        if sum(turn.tokens for turn in more) <= self._left - self._budgets.snippets:
            for turn in more:
                self._add_turn(turn)
            self._dispensable = {turn.messages[0].turn for turn in more}

    def record_cut(self, part: CutPart, first_id: int, last_id: int, reason: str) -> None:
        """Record that a part's messages from `first_id` to `last_id` were left out, and why."""
        self._cut.append(Cut(what=part, first_id=first_id, last_id=last_id, why=reason))

    def add_facts(self, facts: Sequence[RecalledFact]) -> None:
        """Add the facts that fit, best first. Their tokens are taken from the budget for snippets."""
        room = min(self._budgets.snippets // FACTS_SHARE, self._left) - 4
        self._facts = self._select_facts_that_fit("facts", facts, room)
        if self._facts:
            used = self._tokens.count(self._format_facts()) + 4
            self._left -= used
            self._budgets = replace(self._budgets, snippets=max(0, self._budgets.snippets - used))

    def _select_facts_that_fit(
        self, block: quoting.BlockName, facts: Sequence[RecalledFact], max_tokens: int
    ) -> list[RecalledFact]:
        max_tokens -= self._tokens.count(quoting.format_block(block, []))
        fitting = list[RecalledFact]()
        for fact in facts:
            size = self._tokens.count(prompts.format_recalled_fact(fact, self._zone)) + 1
            if size <= max_tokens:
                fitting.append(fact)
                max_tokens -= size
        return fitting

    def set_history_size(self, *, message_count: int, char_count: int) -> None:
        """Set the size of the earlier history, so that `Context.whole` can be estimated."""
        self._history = (max(0, message_count), max(0, char_count))

    def make_room_for_snippet(self) -> None:
        """Make room for at least one snippet, by cutting the oldest turns if necessary."""
        self._budgets = replace(self._budgets, snippets=max(self._one_snippet, self._budgets.snippets))
        while (missing := self._one_snippet - self.remaining_snippet_tokens) > 0 and (
            turns := self._list_turns_by_time()
        ):
            oldest = turns[0]
            squeezed = self._renderer.shorten_turn(oldest, oldest.tokens - missing)
            if squeezed is None and len(turns) == 1:
                break
            self._drop_turn(oldest, "cut in its middle" if squeezed else "no room")
            if squeezed:
                self._add_turn(squeezed)

    def add_snippets(self, snippets: Sequence[Snippet]) -> None:
        """Add snippets, best first, that together fit `remaining_snippet_tokens`."""
        self._snippets = list(snippets)

    def build_context(self) -> Context:
        """Build the finished context. Raise ContextTooLong if it cannot be cut to fit."""
        while (total := self._tokens.count_request_tokens(request := self._build_messages())) > self._budgets.prompt:
            if not self._try_to_drop_least_important_part(total - self._budgets.prompt):
                raise ContextTooLong(remedy=f"({self._budgets.prompt})")
        parts = self._make_context_parts(total)
        return Context(
            messages=tuple(request),
            max_prompt_tokens=self._budgets.prompt,
            wanted=self._wanted,
            parts=parts,
            recent=tuple(message for turn in self._list_turns_by_time() for message in turn.messages),
            summaries=tuple(self._summaries),
            snippets=tuple(sorted(self._snippets, key=lambda snippet: snippet.message.sort_key)),
            facts=(*self._instructions, *self._facts),
            profile=self._profile,
            cut=tuple(sorted(self._cut, key=lambda cut: cut.first_id)),
            message_was_cut=self._message_was_cut,
            whole=self._estimate_tokens_with_full_history(parts),
            earlier=self._history[0] if self._history else 0,
        )

    def _estimate_tokens_with_full_history(self, parts: Sequence[ContextPart]) -> int:
        """Estimate the tokens of a request with the full history verbatim, or return 0 if its size is unknown."""
        if self._history is None:
            return 0
        messages, characters = self._history
        tokens = {part.name: part.tokens for part in parts}
        seen = sum(len(content) for turn in self._turns for content in turn.contents)
        share = tokens["recent"] / seen if seen else USUAL_SHARE
        frame = self._tokens.count_text_message_tokens
        frames = frame("system", "") + frame("user", "") + messages * frame("assistant", "")
        fixed = self._tokens.count_request_tokens([]) + frames
        return fixed + tokens["system"] + tokens["clock"] + tokens["message"] + round(characters * share)

    def _try_to_drop_least_important_part(self, excess_tokens: int) -> bool:
        """Drop or shorten the least important remaining part. Return False if no part is left."""
        if self._snippets:
            self._snippets.pop()
        elif self._facts:
            self._facts.pop()
        elif len(self._turns) > 1:
            self._drop_turn(self._list_turns_by_time()[0], "no room")
        elif self._summaries:
            summary = self._summaries.pop()
            self.record_cut("summary", summary.first_id, summary.last_id, "no room")
        elif self._profile is not None:
            self._profile, self._profile_text = None, ""
        elif self._instructions:
            self._instructions.pop()
        elif self._turns:
            self._cut.append(self._turns.pop().make_cut_record("no room"))
        elif self._clock and self._tokens.count(self._words) < excess_tokens + WORTH_SHOWING:
            self._clock = ""
        elif self._words:
            self._message_was_cut = True
            had = self._tokens.count(self._words)
            cut, _ = self._incoming.render_and_check_if_cut(had - excess_tokens - 4)
            self._words = cut if self._tokens.count(cut) < had else ""
        elif self._system:
            had = self._tokens.count(self._system)
            cut = self._tokens.omit_middle(self._system, had - excess_tokens - 4)
            self._system = cut if self._tokens.count(cut) < had else ""
        else:
            return False
        return True

    def _add_turn(self, turn: PastTurn) -> None:
        self._turns.append(turn)
        if turn.left_out:
            self.record_cut("document", turn.left_out[0].id, turn.left_out[-1].id, "found by searching")
        self._left -= turn.tokens

    def _drop_turn(self, turn: PastTurn, reason: str) -> None:
        self._turns.remove(turn)
        self._left += turn.tokens
        if turn.messages[0].turn in self._dispensable:
            return
        cut = turn.make_cut_record(reason)
        self._cut = [known for known in self._cut if (known.what, known.first_id) != (cut.what, cut.first_id)] + [cut]

    def _list_turns_by_time(self) -> list[PastTurn]:
        return sorted(self._turns, key=lambda turn: turn.messages[0].sort_key)

    def _build_messages(self) -> list[PromptMessage]:
        """Return the prompt's messages, the most stable first, so that providers can cache the beginning."""
        about = "\n\n".join(text for text in (self._format_profile(), self._format_summaries()) if text)
        request = [PromptMessage(role="system", content=self._system)] if self._system else []
        request += [PromptMessage(role="user", content=about)] if about else []
        for turn in self._list_turns_by_time():
            for message, content in zip(turn.messages, turn.contents, strict=True):
                request.append(PromptMessage(role=find_prompt_role(message), content=content))
        last = prompts.make_last_message(
            facts=self._format_facts(),
            snippets=self._format_snippets(),
            instructions=self._format_instructions(),
            current_time=self._clock,
            text=self._words,
        )
        return [*request, PromptMessage(role="user", content=last, pictures=self._pictures)]

    def _format_summaries(self) -> str:
        lines = [prompts.format_summary(summary, self._zone) for summary in self._summaries]
        return quoting.format_block("summaries", lines) if lines else ""

    def _format_profile(self) -> str:
        return prompts.format_profile(self._profile_text) if self._profile_text else ""

    def _format_facts(self) -> str:
        lines = [prompts.format_recalled_fact(fact, self._zone) for fact in self._facts]
        return quoting.format_block("facts", lines) if lines else ""

    def _format_instructions(self) -> str:
        """Format the instructions, oldest first, since a later one overrides an earlier one."""
        in_time = sorted(self._instructions, key=lambda instruction: (instruction.fact.valid_from, instruction.fact.id))
        lines = [prompts.format_recalled_fact(instruction, self._zone) for instruction in in_time]
        return quoting.format_block("instructions", lines) if lines else ""

    def _format_snippets(self) -> str:
        in_time = sorted(self._snippets, key=lambda snippet: snippet.message.sort_key)
        return prompts.format_remembered_snippets(in_time, self._now) if in_time else ""

    def _make_context_parts(self, total_tokens: int) -> tuple[ContextPart, ...]:
        """Return the token count of each part. The remainder of `total_tokens` is counted as `overhead`."""
        budgets, count = self._budgets, self._tokens.count
        turns = sum(count(content) for turn in self._turns for content in turn.contents)
        message = count(self._words) + sum(picture.token_count for picture in self._pictures)
        parts = [
            ContextPart(name="system", tokens=count(self._system), budget=budgets.system),
            ContextPart(name="profile", tokens=count(self._format_profile()), budget=MAX_PROFILE_TOKENS),
            ContextPart(name="summaries", tokens=count(self._format_summaries()), budget=budgets.summaries),
            ContextPart(name="recent", tokens=turns, budget=budgets.recent),
            ContextPart(name="facts", tokens=count(self._format_facts()), budget=budgets.snippets // FACTS_SHARE),
            ContextPart(name="snippets", tokens=count(self._format_snippets()), budget=budgets.snippets),
            ContextPart(name="instructions", tokens=count(self._format_instructions()), budget=MAX_INSTRUCTIONS_TOKENS),
            ContextPart(name="clock", tokens=count(self._clock), budget=0),
            ContextPart(name="message", tokens=message, budget=budgets.prompt),
        ]
        rest = total_tokens - sum(part.tokens for part in parts)
        return (*parts, ContextPart(name="overhead", tokens=rest, budget=0))


def append_sections_that_fit(tokenizer: Tokenizer, system_prompt: str, sections: Sequence[str], max_tokens: int) -> str:
    """Return the system prompt, cut to fit `max_tokens`, followed by the sections that are small enough."""
    sizes = {section: tokenizer.count(section) + 2 for section in sections if section}
    fitting = [section for section, size in sizes.items() if size * SECTION_SHARE <= max_tokens]
    own = tokenizer.truncate(system_prompt, max_tokens - sum(sizes[section] for section in fitting))
    return "\n\n".join(text for text in (own, *fitting) if text)
