"""Messages made of invented words, for benchmarks without real text.

The word frequencies follow Zipf's law, so that the load on a word index resembles that of real text. The same seed
produces the same messages.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import accumulate

from llm.chat_model import ChatModel, OnText
from records.model_calls import Completion, Prompt, Schema, Usage
from records.scopes import Person, Scope
from records.turns import IncomingPiece, UserMessage
from text.tokenizer import Tokenizer

START_TIME = datetime(2024, 1, 1, 8, tzinfo=UTC)
_FREQUENT = """
the of and a to in is you that it he was for on are as with his they I at be this have from or one had by word but not
what all were we when your can said there use an each which she do how their if will up other about out many then them
these so some her would make like him into time has look two more write go see number no way could people my than first
water been call who its now find long down day did get come made may part
""".split()  # noqa: SIM905 - a list of words reads better than a list of strings
_CONSONANTS = ("b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z", "br", "st", "tr")
_SYLLABLES = [consonant + vowel for consonant in _CONSONANTS for vowel in "aeiou"]
VOCABULARY = 50_000
# Average lengths. An invented word has more tokens than a real one, so messages have as many tokens as those in
# benchmarks/data: 32 from the user, and 113 from the assistant.
USER_WORDS = 15
ASSISTANT_WORDS = 54


@cache
def _make_vocabulary() -> tuple[list[str], list[float]]:
    """Return the words, most frequent first, and their cumulative weights. They are the same for every seed."""
    rng, words = random.Random(0), dict.fromkeys(_FREQUENT)  # noqa: S311 - repeatable, not secret
    while len(words) < VOCABULARY:
        words["".join(rng.choices(_SYLLABLES, k=rng.randint(2, 4)))] = None
    return list(words), list(accumulate(1 / (rank + 2.7) for rank in range(VOCABULARY)))


class MessageGenerator:
    """Generates users' questions and assistants' answers from invented words."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)  # noqa: S311 - repeatable, not secret
        self._words, self._weights = _make_vocabulary()

    def make_question(self) -> str:
        """Return a user's question made of invented words."""
        return self._make_text(USER_WORDS, "?")

    def make_answer(self) -> str:
        """Return an assistant's answer made of invented words."""
        return self._make_text(ASSISTANT_WORDS, ".")

    def _make_text(self, mean_words: int, end: str) -> str:
        count = max(3, round(self._rng.gauss(mean_words, mean_words / 3)))
        words = self._rng.choices(self._words, cum_weights=self._weights, k=count)
        sentences = (words[start : start + 14] for start in range(0, count, 14))
        return ". ".join(" ".join(sentence).capitalize() for sentence in sentences) + end


class InstantModel(ChatModel):
    """A model in this process that answers at once with the result of `make_answer`."""

    def __init__(self, make_answer: Callable[[], str], tokenizer: Tokenizer) -> None:
        self.name = "instant"
        self._make_answer = make_answer
        self._tokenizer = tokenizer

    async def complete(
        self, messages: Prompt, *, on_text: OnText | None = None, schema: Schema | None = None
    ) -> Completion:
        text = self._make_answer()
        return Completion(text=text, model=self.name, usage=Usage(completion=self._tokenizer.count(text)))


@dataclass
class Clock:
    """A clock that stands still until it is advanced or set."""

    now: datetime = START_TIME

    def __call__(self) -> datetime:
        return self.now

    def advance(self, minutes: int) -> None:
        self.now += timedelta(minutes=minutes)


def make_incoming_message(scope: Scope, name: str, text: str, clock: Clock) -> UserMessage:
    """Make a message that the person named `name` sends now. Its time has to be unique in the scope."""
    piece = IncomingPiece(text=text, source=f"bench:{clock.now.isoformat()}", sent_at=clock.now)
    return UserMessage(scope=scope, person=Person(id=scope.owner, name=name), pieces=(piece,))
