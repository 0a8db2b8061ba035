"""What a person asks to keep to, as changes to what is known: found by rule in their own words, before a model reads.

Owns which known wish a new one repeats, replaces or ends. Pure. Does not know stores; the words are known to
text/standing.py.
"""

from collections.abc import Sequence

from records.facts import Fact, FactChange, FactKind, NewFact
from records.messages import Message
from text import standing
from text.fingerprint import essence

IMPORTANCE: dict[FactKind, float] = {"instruction": 1.0, "preference": 0.75}


def changes(messages: Sequence[Message], known: Sequence[Fact], *, speaks_for: bool = False) -> list[FactChange]:
    """What these messages change. `known`: the owner's valid facts; `speaks_for`: whose words they are is part of the
    fact, because several people share this memory.
    """
    held: dict[int, Fact | NewFact] = {fact.id: fact for fact in known if fact.is_standing}
    made: list[FactChange] = []
    for message in messages:
        for said in standing.find(message.content) if message.is_user and not message.origin else ():
            change = _ended(said, message, held) if said.kind == "end" else _asked(said, message, held, speaks_for)
            if change is None:
                continue
            made.append(change)
            for number in (*change.closes, *((change.same_as,) if change.ends and change.same_as is not None else ())):
                held.pop(number, None)
            if change.same_as is None:
                held[-len(made)] = change.fact
    return made


def is_noted(fact: NewFact, noted: Sequence[Fact]) -> bool:
    """Whether a wish that a model found was noted before from the same words, even if it has ended since."""
    return fact.kind in IMPORTANCE and any(
        one.is_standing and set(one.source_ids) & set(fact.source_ids) and standing.is_like(one.text, fact.text)
        for one in noted
    )


def kind_of(text: str) -> FactKind:
    """The kind of a fact that its owner wrote themselves."""
    found = [one.kind for one in standing.find(text)]
    return "instruction" if "instruction" in found else "preference" if "preference" in found else "personal"


def _asked(
    said: standing.Standing, message: Message, held: dict[int, Fact | NewFact], speaks_for: bool
) -> FactChange | None:
    kind: FactKind = "preference" if said.kind == "preference" else "instruction"
    fact = _new(f"{message.speaker}: {said.text}" if speaks_for and message.speaker else said.text, kind, message)
    for number, one in held.items():
        if essence(one.text) == essence(fact.text):
            return None if message.id in one.source_ids else FactChange(fact=fact, same_as=number)
    return FactChange(
        fact=fact,
        closes=tuple(
            number
            for number, one in held.items()
            if standing.replaces(fact.text, one.text, are_preferences=kind == one.kind == "preference")
        ),
    )


def _ended(said: standing.Standing, message: Message, held: dict[int, Fact | NewFact]) -> FactChange | None:
    """The end of the newest wish that is meant; None where there is none."""
    orders = {number: one for number, one in held.items() if one.kind == "instruction" or not said.is_last}
    meant = [number for number, one in orders.items() if said.is_last or standing.ends(said, one.text)]
    if not meant:
        return None
    newest = max(meant, key=lambda number: (held[number].observed_at, number < 0, abs(number)))
    one = held[newest]
    ended = _new(one.text, one.kind, message, ends=True)
    return FactChange(fact=ended, same_as=newest, ends=True)


def _new(text: str, kind: FactKind, message: Message, *, ends: bool = False) -> NewFact:
    return NewFact(
        text=text,
        kind=kind,
        subject=standing.aspect(text),
        source_ids=(message.id,),
        observed_at=message.created_at,
        valid_from=message.created_at,
        valid_to=message.created_at if ends else None,
        importance=IMPORTANCE[kind],
    )
