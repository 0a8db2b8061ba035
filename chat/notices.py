"""The sentences that a person reads next to an answer, or instead of one. Does not know when they are due."""

from records.errors import KeepsakeError, QuotaExceeded

INCOGNITO = "🕶 incognito"
"""The mark of answers that are stored nowhere."""
CUT = (
    "Your message is longer than the model can take at once: it was given the beginning and the end, "
    "without the middle."
)
STORE = (
    "I cannot write to my memory right now. I go on from what I remember of this conversation, and store it as soon as "
    "that works again."
)
UNREAD = (
    "I could not look into my memory for this: {why}. I answered from what I remember of this conversation; your "
    "message is kept."
)
FOLD = (
    "I could not summarise our earlier talk: {why} Nothing is lost: all messages stay as they are, and I try again "
    "after your next message."
)


def apology(error: KeepsakeError, *, kept: bool) -> str:
    if isinstance(error, QuotaExceeded):
        return error.sentence + (" Your message is kept." if kept else "")
    rest = " Your message is kept; write again when you like." if kept else " Please try again in a moment."
    return f"I could not answer: {error.sentence}{rest}"
