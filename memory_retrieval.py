"""A question → a Context within a token budget, with an account of every token.

Owns what is looked up for a request and what yields first when not everything fits (contract: system prompt > the
user's words > the last turns > summaries > older turns > snippets). Does not know models, Telegram, or how anything is
stored.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from records import Clock, Context, Incoming, Message, Scope, Snippet, Summary
from retrieval.prompt_draft import Budgets, PromptDraft
from storage.store import MemoryStore
from tokens import Tokenizer
from words import content_terms

LAST_TURNS = 4
"""So many turns stay verbatim, folded or not."""
CANDIDATES = 100
"""Messages that a search looks at more closely."""
SNIPPET_TOKENS = 300
"""A remembered message longer than this is shown with its middle left out."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Recall:
    """What a question by itself brings back: `ranked`, all that was found, best first; `snippets`, those that fit the
    budget, in order of time; `tokens`, what their part of the prompt takes."""

    ranked: tuple[Snippet, ...]
    snippets: tuple[Snippet, ...]
    tokens: int


class MemoryRetrieval:
    """Builds contexts. One instance serves all scopes; it keeps nothing between two calls."""

    def __init__(self, *, tokenizer: Tokenizer, budgets: Budgets, system_prompt: str, clock: Clock) -> None:
        self._tokens = tokenizer
        self._budgets = budgets
        self._system_prompt = system_prompt
        self._clock = clock

    async def context(
        self,
        incoming: Incoming,
        *,
        store: MemoryStore | None,
        turn: int | None = None,
        unstored: Sequence[Message] = (),
        ceiling: int | None = None,
    ) -> Context:
        """The context of one request. Raises a StorageError.

        `store`: the owner's store; None while memory is off. `turn`: the stored turn that is being answered; it and
        what came after it are not "earlier". `unstored`: earlier messages that live in this process only.
        `ceiling`: lower than the settings' where an endpoint found that too long.
        """
        scope = incoming.scope
        draft = self._draft(incoming, ceiling or self._budgets.ceiling)
        if store is None:
            draft.take_last_turns(_newest_turns(unstored, LAST_TURNS))
            draft.take_older_turns(unstored)
            return draft.context()
        summaries = sorted(await store.summaries(scope), key=lambda one: (-one.level, one.first_id))
        draft.take_last_turns([*await store.last_turns(scope, LAST_TURNS, before=turn), *unstored])
        draft.take_summaries(summaries)
        draft.take_older_turns([one for one in await store.unfolded(scope) if turn is None or one.turn < turn])
        await self._note_uncovered(draft, store, scope, summaries)
        found = await self.snippets(incoming.text, store=store, scope=scope, without=draft.shown_ids)
        draft.take_snippets([one for one in found if turn is None or one.message.turn < turn])
        return draft.context()

    async def recall(self, incoming: Incoming, *, store: MemoryStore) -> Recall:
        """What the words alone bring back, packed as a prompt would carry it without any recent turns beside it."""
        draft = self._draft(incoming, self._budgets.ceiling)
        found = await self.snippets(incoming.text, store=store, scope=incoming.scope)
        draft.take_snippets(found)
        context = draft.context()
        tokens = sum(part.tokens for part in context.parts if part.name == "snippets")
        return Recall(ranked=tuple(found), snippets=context.snippets, tokens=tokens)

    async def snippets(
        self, question: str, *, store: MemoryStore, scope: Scope, without: frozenset[int] = frozenset()
    ) -> list[Snippet]:
        """Earlier messages that answer to the question, best first; `without`: ids shown verbatim already."""
        terms = content_terms(question)
        if not terms:
            return []
        hits = await store.search(scope, terms, limit=CANDIDATES + len(without))
        return [
            Snippet(
                message=hit.message,
                text=self._tokens.cut_middle(hit.message.content, SNIPPET_TOKENS),
                score={"words": hit.score},
            )
            for hit in hits
            if hit.message.id not in without
        ]

    def _draft(self, incoming: Incoming, ceiling: int) -> PromptDraft:
        return PromptDraft(
            tokenizer=self._tokens,
            budgets=self._budgets.under(min(ceiling, self._budgets.ceiling)),
            incoming=incoming,
            system_prompt=self._system_prompt,
            now=self._clock(),
        )

    async def _note_uncovered(
        self, draft: PromptDraft, store: MemoryStore, scope: Scope, summaries: Sequence[Summary]
    ) -> None:
        """No hole: what is archived under no active summary (a file from elsewhere) is at least in the account."""
        counts = await store.counts(scope)
        if counts.archived > sum(summary.message_count for summary in summaries):
            newest = await store.page(scope, limit=1)
            draft.take_uncovered(1, newest[-1].id if newest else 1)


def _newest_turns(messages: Sequence[Message], turns: int) -> list[Message]:
    newest = sorted({message.turn for message in messages})[-turns:]
    return [message for message in messages if message.turn in newest]
