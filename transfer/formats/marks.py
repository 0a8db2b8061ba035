"""What memory and model read of a message besides its words, in English: it was forwarded, it is a poll, a place."""

from collections.abc import Sequence

DELETED = "Deleted account"
"""What Telegram calls somebody who is no longer there."""


def forwarded(name: str, words: str) -> str:
    return f"[Forwarded from {name or 'somebody'}]\n{words}"


def reacted(words: str, emoji: Sequence[str]) -> str:
    """The words with the reactions below them; without words nothing."""
    shown = " ".join(filter(None, emoji))
    return f"{words}\n[Reactions: {shown}]" if words and shown else words


def poll(question: str, answers: Sequence[tuple[str, bool]]) -> str:
    """`answers`: each with whether the person chose it."""
    return "\n".join([f"[Poll] {question}", *(f"- {text}{' (chosen)' if chosen else ''}" for text, chosen in answers)])


def contact(parts: Sequence[str]) -> str:
    return f"[Contact] {' '.join(filter(None, parts))}"


def place(parts: Sequence[str]) -> str:
    """Name, address, latitude and longitude; empty where there is none."""
    shown = ", ".join(filter(None, parts))
    return f"[Place] {shown}" if shown else ""
