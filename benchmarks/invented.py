"""Messages of invented words, as rare and as frequent as the words of a real language.

They are deterministic by seed. Frequencies follow Zipf's law, so a word index sees the same distribution as with real
text.
"""

import random
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from llm.chat_model import ChatModel, OnText
from records.model_calls import Completion, PromptMessage, Usage
from records.scopes import Person, Scope
from records.turns import Incoming, IncomingPiece
from text.tokenizer import Tokenizer

BEGINNING = datetime(2024, 1, 1, 8, tzinfo=UTC)
PERSON = Person(id=1, name="Nadia")
_FREQUENT = """
the of and a to in is you that it he was for on are as with his they I at be this have from or one had by word but not
what all were we when your can said there use an each which she do how their if will up other about out many then them
these so some her would make like him into time has look two more write go see number no way could people my than first
water been call who its now find long down day did get come made may part
""".split()  # noqa: SIM905 - a list of words reads better than a list of strings
_CONSONANTS = ("b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z", "br", "st", "tr")
_SYLLABLES = [consonant + vowel for consonant in _CONSONANTS for vowel in "aeiou"]
VOCABULARY = 50_000
Floats = NDArray[np.float64]


@cache
def _make_vocabulary() -> tuple[list[str], Floats]:
    """Return the words by falling frequency and their cumulative weights. They are the same for every seed."""
    chance, words = random.Random(0), dict.fromkeys(_FREQUENT)  # noqa: S311 - repeatable, not secret
    while len(words) < VOCABULARY:
        words["".join(chance.choices(_SYLLABLES, k=chance.randint(2, 4)))] = None
    return list(words), np.array(list(accumulate(1 / (rank + 2.7) for rank in range(VOCABULARY))))


@dataclass
class Talk:
    """Endless messages with mean lengths of `user_words` and `assistant_words`.

    Invented words have many tokens. These lengths give as many tokens as the messages of benchmarks/data (user 32,
    assistant 113).
    """

    seed: int = 1
    user_words: int = 15
    assistant_words: int = 54
    _chance: random.Random = field(init=False)
    _words: list[str] = field(init=False)
    _weights: Floats = field(init=False)

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)  # noqa: S311 - repeatable, not secret
        self._words, self._weights = _make_vocabulary()

    def question(self) -> str:
        """A user's message."""
        return self._said(self.user_words, "?")

    def answer(self) -> str:
        """An assistant's message."""
        return self._said(self.assistant_words, ".")

    def _said(self, mean: int, end: str) -> str:
        count = max(3, round(self._chance.gauss(mean, mean / 3)))
        # As `random.choices`, to the word: which looks each of them up by itself, in several times the time.
        drawn = np.array([self._chance.random() for _ in range(count)]) * self._weights[-1]
        words = [self._words[at] for at in np.searchsorted(self._weights, drawn, "right").tolist()]
        sentences = (words[start : start + 14] for start in range(0, count, 14))
        return ". ".join(" ".join(sentence).capitalize() for sentence in sentences) + end


class InstantModel(ChatModel):
    """A model in this process that answers at once with the result of `say`, and may record its prompts."""

    def __init__(self, name: str, say: Callable[[], str], tokens: Tokenizer, *, records: bool = True) -> None:
        self.name = name
        self.prompts: list[Sequence[PromptMessage]] = []
        self._say = say
        self._tokens = tokens
        self._records = records
        self._prepared: deque[Completion] = deque()

    def prepare(self) -> None:
        """Make the next answer now, so that its time is not measured."""
        self._prepared.append(self._completion())

    async def complete(
        self,
        messages: Sequence[PromptMessage],
        *,
        on_text: OnText | None = None,
        schema: Mapping[str, object] | None = None,
    ) -> Completion:
        if self._records:
            self.prompts.append(messages)
        return self._prepared.popleft() if self._prepared else self._completion()

    def _completion(self) -> Completion:
        text = self._say()
        return Completion(text=text, model=self.name, usage=Usage(completion=self._tokens.count(text)))


class InventedModel(InstantModel):
    """Answers with invented messages."""

    def __init__(self, talk: Talk, *, records: bool = True) -> None:
        super().__init__("invented", talk.answer, Tokenizer.for_model("invented"), records=records)


@dataclass
class Clock:
    """A clock that moves only when it is told to."""

    now: datetime = BEGINNING

    def __call__(self) -> datetime:
        return self.now

    def pass_by(self, minutes: int) -> None:
        self.now += timedelta(minutes=minutes)


def make_turns(talk: Talk, scope: Scope, clock: Clock, *, first: int = 1) -> Iterator[Incoming]:
    """Yield one user message after the other, and advance the clock by some minutes for each."""
    number = first
    while True:
        clock.pass_by(7)
        yield Incoming(
            scope=scope,
            person=PERSON,
            pieces=(IncomingPiece(text=talk.question(), source=f"bench:{number}", sent_at=clock.now),),
        )
        number += 1
