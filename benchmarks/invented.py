"""Messages made of invented words, for benchmarks without real text.

The word frequencies follow Zipf's law, so that the load on a word index resembles that of real text. The same seed
produces the same messages.
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
from records.turns import IncomingPiece, UserMessage
from text.tokenizer import Tokenizer

START_TIME = datetime(2024, 1, 1, 8, tzinfo=UTC)
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
    """Return the words, most frequent first, and their cumulative weights. They are the same for every seed."""
    rng, words = random.Random(0), dict.fromkeys(_FREQUENT)  # noqa: S311 - repeatable, not secret
    while len(words) < VOCABULARY:
        words["".join(rng.choices(_SYLLABLES, k=rng.randint(2, 4)))] = None
    return list(words), np.array(list(accumulate(1 / (rank + 2.7) for rank in range(VOCABULARY))))


@dataclass
class MessageGenerator:
    """Generates questions and answers with mean lengths of `user_words` and `assistant_words`.

    An invented word has more tokens than a real one. With the default lengths, messages have as many tokens as those in
    benchmarks/data: 32 from the user, and 113 from the assistant.
    """

    seed: int = 1
    user_words: int = 15
    assistant_words: int = 54
    _rng: random.Random = field(init=False)
    _words: list[str] = field(init=False)
    _weights: Floats = field(init=False)

    def __post_init__(self) -> None:
        self._rng = random.Random(self.seed)  # noqa: S311 - repeatable, not secret
        self._words, self._weights = _make_vocabulary()

    def make_question(self) -> str:
        """Make a user's message."""
        return self._make_text(self.user_words, "?")

    def make_answer(self) -> str:
        """Make an assistant's message."""
        return self._make_text(self.assistant_words, ".")

    def _make_text(self, mean_words: int, end: str) -> str:
        count = max(3, round(self._rng.gauss(mean_words, mean_words / 3)))
        # Draws the same words as `random.choices`, which looks up each word by itself and takes several times as long.
        drawn = np.array([self._rng.random() for _ in range(count)]) * self._weights[-1]
        words = [self._words[at] for at in np.searchsorted(self._weights, drawn, "right").tolist()]
        sentences = (words[start : start + 14] for start in range(0, count, 14))
        return ". ".join(" ".join(sentence).capitalize() for sentence in sentences) + end


class InstantModel(ChatModel):
    """A model in this process that answers at once with the result of `make_answer`.

    If `records` is True, it keeps all its prompts.
    """

    def __init__(
        self, name: str, make_answer: Callable[[], str], tokenizer: Tokenizer, *, records: bool = True
    ) -> None:
        self.name = name
        self.prompts: list[Sequence[PromptMessage]] = []
        self._make_answer = make_answer
        self._tokenizer = tokenizer
        self._records = records
        self._prepared: deque[Completion] = deque()

    def prepare_answer(self) -> None:
        """Make the next answer now, so that making it is not part of a measured time."""
        self._prepared.append(self._make_completion())

    async def complete(
        self,
        messages: Sequence[PromptMessage],
        *,
        on_text: OnText | None = None,
        schema: Mapping[str, object] | None = None,
    ) -> Completion:
        if self._records:
            self.prompts.append(messages)
        return self._prepared.popleft() if self._prepared else self._make_completion()

    def _make_completion(self) -> Completion:
        text = self._make_answer()
        return Completion(text=text, model=self.name, usage=Usage(completion=self._tokenizer.count(text)))


class InventedModel(InstantModel):
    """A model that answers with invented messages."""

    def __init__(self, generator: MessageGenerator, *, records: bool = True) -> None:
        super().__init__("invented", generator.make_answer, Tokenizer.for_model("invented"), records=records)


@dataclass
class Clock:
    """A clock that stands still until it is advanced or set."""

    now: datetime = START_TIME

    def __call__(self) -> datetime:
        return self.now

    def advance(self, minutes: int) -> None:
        self.now += timedelta(minutes=minutes)


def make_incoming_messages(
    generator: MessageGenerator, scope: Scope, clock: Clock, *, first: int = 1
) -> Iterator[UserMessage]:
    """Yield user messages without end, advancing the clock by seven minutes before each. Number them from `first`."""
    number = first
    while True:
        clock.advance(7)
        yield UserMessage(
            scope=scope,
            person=PERSON,
            pieces=(IncomingPiece(text=generator.make_question(), source=f"bench:{number}", sent_at=clock.now),),
        )
        number += 1
