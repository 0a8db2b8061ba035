"""How a summary's text comes about: what is asked, in parts where it is long, and once more where it was refused.

Owns requests, the gate's second chance and the score. Does not know which model answers, who pays for it, or what
becomes of the text.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

from llm import prompts
from records.errors import FoldRefused, ModelDeclined
from records.model_calls import Completion, PromptMessage
from records.summaries import NewSummary
from summaries import quality_gate
from summaries.quality_score import Score, Source, score
from text.analyzer import analyse
from text.tokenizer import Tokenizer

Ask = Callable[[Sequence[PromptMessage]], Awaitable[Completion]]
"""Asks a model. Raises a ModelError."""
LOOKED_AT = 20_000
"""Characters of a message that are looked at for words that must not come back."""
LEAST_ROOM = 32
"""Tokens of lines in one request, however little the window leaves by a mere estimate of tokens."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Material:
    """What a summary is made of, line by line as the model will read it, and how it is wanted.

    `lines`: messages, or the summaries below where `of_summaries`. `base`: the summaries that it is to go on from.
    `dropped`: messages that the base may tell of and the new text must not; `window`: all messages that it is to tell
    of, where something is dropped. `limit`: tokens of the text. `wishes`: the owner's.
    """

    lines: Sequence[Source]
    limit: int
    of_summaries: bool = False
    base: Sequence[Source] = ()
    dropped: Sequence[Source] = ()
    window: Sequence[Source] = ()
    wishes: str = ""

    @property
    def told(self) -> Sequence[Source]:
        """What the text may tell of."""
        return self.window or [*self.base, *self.lines]

    def afresh(self) -> "Material":
        """The same without the base, where something is dropped: what a model does not read it cannot repeat."""
        return replace(self, lines=self.window, base=(), dropped=(), window=()) if self.dropped else self


@dataclass
class _Bill:
    tokens_in: int = 0
    tokens_out: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class _Judged:
    objections: Sequence[str] = ()
    score: Score = field(default_factory=lambda: Score(total=0.0, parts={}))


class Summariser:
    """Makes texts. `window`: the most tokens of one request's prompt."""

    def __init__(self, *, tokenizer: Tokenizer, window: int) -> None:
        self._tokens = tokenizer
        self._window = window

    async def summarise(self, material: Material, ask: Ask, *, model: str) -> NewSummary:
        """A text that passed the gate, at the second attempt at last. Raises FoldRefused, or what `ask` raises."""
        bill, reasons = _Bill(), list[str]()
        wishes = self._tokens.cut_written(material.wishes, self._window // 5, prompts.quoted)
        material = replace(material, wishes=wishes)
        for attempt in (material, material.afresh()):
            try:
                text = await self._text(attempt, ask, reasons, bill)
            except ModelDeclined:
                if reasons:
                    raise
                reasons = ["it was a refusal"]
                continue
            text = self._tokens.cut_end(text.strip(), material.limit)
            judged = await asyncio.to_thread(self._judged, text, attempt)
            if not judged.objections:
                return NewSummary(
                    text=text,
                    model=model,
                    prompt_version=prompts.FOLD_VERSION,
                    tokens_in=bill.tokens_in,
                    tokens_out=bill.tokens_out,
                    score=judged.score.total,
                    details=judged.score.parts,
                )
            reasons = list(judged.objections)
        raise FoldRefused(f"The summary was refused: {'; '.join(reasons)}.")

    def _judged(self, text: str, material: Material) -> _Judged:
        """In a thread: a long source takes a while."""
        known = [*material.base, *material.window] if material.window else material.told
        source = "\n".join(one.text for one in known)
        tokens, source_tokens = self._tokens.count(text), self._tokens.count(source)
        found = quality_gate.objections(text, source, tokens=tokens, source_tokens=source_tokens)
        if not found and material.dropped and _tells_of(text, material.dropped, material.window):
            found = ["it tells of what was to be dropped"]
        if found:
            return _Judged(objections=found)
        told = material.told
        size = source_tokens if not material.window else sum(self._tokens.count(one.text) for one in told)
        return _Judged(score=score(text, told, tokens=tokens, source_tokens=size))

    async def _text(self, material: Material, ask: Ask, reasons: Sequence[str], bill: _Bill) -> str:
        """In one call where everything fits the window, else a call for each part and one more over their texts."""
        request = self._request(material, reasons)
        if self._tokens.prompt_tokens(request) <= self._window:
            return await self._asked(request, ask, bill)
        if material.dropped:
            return await self._text(material.afresh(), ask, reasons, bill)
        if material.base:
            said = await self._text(replace(material, base=()), ask, (), bill)
            below = [*material.base, Source(text=_bullet(said), is_user=False)]
            return await self._text(replace(material, lines=below, base=(), of_summaries=True), ask, reasons, bill)
        texts = [await self._asked(part, ask, bill) for part in self._parts(material, reasons)]
        texts = [text for text in texts if text]
        if len(texts) < 2:
            return texts[0] if texts else ""
        # Two fit one request, so each round leaves fewer, however long the texts are that a model gives.
        half = self._room(replace(material, of_summaries=True), reasons) // 2 - 1
        below = [Source(text=_bullet(self._tokens.cut_written(text, half, _bullet)), is_user=False) for text in texts]
        return await self._text(replace(material, lines=below, of_summaries=True), ask, reasons, bill)

    async def _asked(self, request: Sequence[PromptMessage], ask: Ask, bill: _Bill) -> str:
        completion = await ask(request)
        bill.tokens_in += completion.usage.prompt
        bill.tokens_out += completion.usage.completion
        return completion.text.strip()

    def _parts(self, material: Material, reasons: Sequence[str]) -> list[list[PromptMessage]]:
        """The requests that carry all lines, each within the window; a line too long for one is split."""
        room = self._room(material, reasons)
        pieces = [
            Source(text=piece, is_user=line.is_user)
            for line in material.lines
            for piece in self._tokens.split(line.text, room)
        ]
        groups: list[list[Source]] = [[]]
        used = 0
        for piece in pieces:
            size = self._tokens.count(piece.text) + 1
            if groups[-1] and used + size > room:
                groups.append([])
                used = 0
            groups[-1].append(piece)
            used += size
        return [self._request(replace(material, lines=group), reasons) for group in groups]

    def _request(self, material: Material, reasons: Sequence[str]) -> list[PromptMessage]:
        block = prompts.summaries_block if material.of_summaries else prompts.conversation_block
        kind: prompts.FoldKind = "summaries" if material.of_summaries else "conversation"
        blocks = [block([line.text for line in material.lines])]
        if material.base:
            kind = "sliding" if material.dropped else "rolling"
            blocks.insert(0, prompts.summaries_block([line.text for line in material.base]))
        if material.dropped:
            blocks.append(prompts.dropped_block([line.text for line in material.dropped]))
        system = prompts.fold_instructions(kind, max_tokens=material.limit, wishes=material.wishes, reasons=reasons)
        return [
            PromptMessage(role="system", content=system),
            PromptMessage(role="user", content="\n".join(blocks)),
        ]

    def _room(self, material: Material, reasons: Sequence[str]) -> int:
        """Tokens of lines that fit one request; a few are left for the seams between pieces."""
        frame = self._tokens.prompt_tokens(self._request(replace(material, lines=()), reasons))
        return max(LEAST_ROOM, self._window - frame - 16)


def _bullet(text: str) -> str:
    return f"- {prompts.quoted(text)}"


def _tells_of(text: str, dropped: Sequence[Source], window: Sequence[Source]) -> bool:
    """Whether a text holds words that only the dropped messages have."""
    gone = {term for source in dropped for term in analyse(source.text[:LOOKED_AT])}
    kept = {term for source in window for term in analyse(source.text[:LOOKED_AT])}
    return bool((gone - kept) & set(analyse(text)))
