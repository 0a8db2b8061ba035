"""The words and buttons of /memory: the list of facts, one fact with its history, the profile. Pure.

Owns what each button carries: an action and its numbers, "f.12.0" (see LOOKS and VERBS). Does not know who may press.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from locales.catalog import tr
from records.facts import STANDING, Fact, Profile
from records.forgetting import Forgotten
from telegram_ui.commands.forget import TRACES, counts
from telegram_ui.commands.wording import day, messages

Button = Callable[[str, str], InlineKeyboardButton]
Shown = tuple[str, InlineKeyboardMarkup | None]

PAGE = 6
LOOKS = ("l", "f", "p")
"""Actions that only show: the list from a page on, a fact, the profile's versions."""
VERBS: Mapping[str, str] = {"i": "pin", "o": "unpin", "d": "delete", "u": "undo"}
"""Actions on a fact. Also: "e" asks for a new text, "r" distils the profile, "x" erases a version of it."""

USAGE = (
    "/memory shows what I know about you.\n"
    "/memory add TEXT – tell me something to remember\n"
    "/memory 12 – fact 12 with its history\n"
    "/memory edit 12 TEXT, /memory pin 12, /memory unpin 12, /memory delete 12, /memory undo 12"
)
ADD_WHAT = "Tell me what to remember: /memory add followed by one sentence."
TOO_LONG = "A fact has at most {most} characters; this one has {length}. Nothing was changed."
NOT_ON = "Memory is not set up yet, so I can keep nothing. /summary_on turns it on."
NOT_FOR_ONE_PERSON = (
    "In a channel's direct messages I keep no facts and no profile: they would belong to the channel, and so be told "
    "to everybody who writes to it. What is said here I remember for you alone."
)
INCOGNITO_ON = "Incognito is on, so I write nothing down, and this was not noted. /incognito off ends it."
ADDED = "Noted as fact {id}: {text}"
KNOWN_ALREADY = "I know that already, as fact {id}: {text}"
HOLDS_NO_LONGER = "Fact {id} holds no longer, so it cannot be pinned."
NO_SUCH_FACT = "There is no fact {id} that could be changed. /memory lists what I know."
NOTHING_TO_UNDO = "Fact {id} was not changed by hand, so there is nothing to undo."
NEW_TEXT = "Please send the new text of fact {id}; until now: {text}\n/cancel leaves it as it is."
PROFILE_ERASED = "That version is erased."
UNDONE = "Fact {id} is as it was before; the other text is erased{derived}."
DISTILLING = "I am rewriting the profile; I will tell you when it is done."
DISTILLING_ALREADY = "The profile is being written right now."
NOTHING_KNOWN = (
    "I know nothing about you yet. I learn facts from what you tell me while memory is on, a little after you say it; "
    "/memory add TEXT adds one at once."
)
OFF = "Memory is off: I learn nothing new, and use none of this until /summary_on."
DONE: Mapping[str, str] = {
    "pin": "Fact {id} is pinned: I keep it in mind with every answer.",
    "unpin": "Fact {id} is no longer pinned.",
    "delete": "Fact {id} is deleted. Undo brings it back for a day; then it is erased. /forget erases at once.",
    "undo": "Fact {id} is as it was before.",
}
HEADINGS = ("What you asked me to keep to", "What you prefer", "Facts")
WORTH = ((0.85, "vital"), (0.6, "important"), (0.35, ""), (0.0, "minor"))


@dataclass(frozen=True, kw_only=True, slots=True)
class View:
    """What is shown: the list from `page` on, the fact or version of this number, or the profile's versions."""

    page: int = 0
    fact: int = 0
    profiles: bool = False


def view_of(action: str, numbers: str) -> View | None:
    """What is to be shown after a press; None for data that is no button of ours."""
    parts = numbers.split(".") if numbers else []
    if not all(part.isascii() and part.isdigit() and len(part) <= 10 for part in parts) or len(parts) > 2:
        return None
    values = [int(part) for part in parts]
    if action == "l" and len(values) == 1:
        return View(page=values[0])
    if action in ("p", "r") and not values:
        return View(profiles=True)
    if action in ("f", "e", "x", *VERBS) and values:
        return View(fact=values[0], page=values[1] if len(values) > 1 else 0)
    return None


def shown(
    view: View,
    facts: Sequence[Fact],
    versions: Sequence[Profile],
    *,
    zone: tzinfo,
    is_on: bool,
    is_group: bool,
    button: Button,
) -> Shown:
    """The text of a view and its buttons. `facts`: all of them; `button`: makes one of a label and a payload."""
    if view.profiles:
        return _profiles(versions, zone, button)
    if view.fact:
        fact = next((one for one in facts if one.id == view.fact), None)
        if fact is None:
            return NO_SUCH_FACT.format(id=view.fact), None
        return _fact(fact, facts, view.page, zone, button)
    return _list(view.page, facts, versions, zone, is_on=is_on, is_group=is_group, button=button)


def _list(
    page: int,
    facts: Sequence[Fact],
    versions: Sequence[Profile],
    zone: tzinfo,
    *,
    is_on: bool,
    is_group: bool,
    button: Button,
) -> Shown:
    valid = sorted((fact for fact in facts if fact.is_valid), key=lambda one: (_rank(one), not one.is_pinned, -one.id))
    deleted = [fact for fact in facts if fact.deleted_at is not None]
    pages = max(1, -(-len(valid) // PAGE))
    page = min(page, pages - 1)
    here = valid[page * PAGE : (page + 1) * PAGE]
    lines = [f"What I know about {'this group' if is_group else 'you'}"]
    if not is_on:
        lines.append(OFF)
    if versions and page == 0:
        newest = versions[0]
        lines += ["", f"Profile (version {newest.id}, {day(newest.created_at, zone)})", newest.text]
    if valid:
        where = f", page {page + 1} of {pages}" if pages > 1 else ""
        for rank, heading in enumerate(HEADINGS):
            if of_this := [fact for fact in here if _rank(fact) == rank]:
                total = sum(_rank(fact) == rank for fact in valid)
                lines += ["", f"{heading} ({total}{where})"]
                lines += [line for fact in of_this for line in _listed(fact, facts, zone)]
    elif not versions:
        lines += ["", NOTHING_KNOWN]
    if deleted and page == 0:
        lines += ["", f"Deleted; can be undone for a day: {', '.join(str(fact.id) for fact in deleted)}"]
    if valid:
        lines += ["", "Press a number to see that fact: edit, pin, delete, undo."]
    rows: list[list[InlineKeyboardButton]] = []
    shown_here = [*here, *(deleted if page == 0 else [])][: 2 * PAGE]
    numbers = [button(f"{'📌 ' if fact.is_pinned else ''}{fact.id}", f"f.{fact.id}.{page}") for fact in shown_here]
    rows += [numbers[start : start + PAGE] for start in range(0, len(numbers), PAGE)]
    turn = [button("‹ Newer", f"l.{page - 1}")] if page else []
    turn += [button("Older ›", f"l.{page + 1}")] if page < pages - 1 else []
    rows += [turn] if turn else []
    if versions or valid:
        rows.append([button("Profile: versions, rewrite", "p")])
    return "\n".join(lines), InlineKeyboardMarkup(rows) if rows else None


def _rank(fact: Fact) -> int:
    """Where a fact stands in the list: what the owner asks to keep to comes first."""
    return STANDING.index(fact.kind) if fact.is_standing else len(STANDING)


def _listed(fact: Fact, facts: Sequence[Fact], zone: tzinfo) -> list[str]:
    """Two lines of the list."""
    worth = next(word for least, word in WORTH if fact.importance >= least)
    details = [fact.kind, fact.subject, worth, f"since {day(fact.valid_from, zone)}"]
    earlier = sum(one.superseded_by == fact.id for one in facts)
    details += [f"{earlier} earlier"] if earlier else []
    pinned = "📌 " if fact.is_pinned else ""
    return [f"{fact.id} · {pinned}{fact.text}", f"    {' · '.join(part for part in details if part)}"]


def _fact(fact: Fact, facts: Sequence[Fact], page: int, zone: tzinfo, button: Button) -> Shown:
    """One fact with where it comes from and what was before it."""
    worth = next(word for least, word in WORTH if fact.importance >= least)
    lines = [f"Fact {fact.id}{' 📌' if fact.is_pinned else ''}", fact.text, ""]
    lines.append(" · ".join(part for part in (fact.kind, fact.subject, worth, *fact.tags) if part))
    until = f" until {day(fact.valid_to, zone)}" if fact.valid_to else ""
    lines.append(f"Holds since {day(fact.valid_from, zone)}{until}; last said {day(fact.observed_at, zone)}.")
    if fact.source_ids:
        lines.append(
            f"Learned from {messages(len(fact.source_ids))}: {', '.join(f'#{id_}' for id_ in fact.source_ids[:10])}."
        )
    else:
        lines.append("Added by hand.")
    successor = next((one for one in facts if one.id == fact.superseded_by), None)
    if successor is not None:
        lines.append(f"Superseded by fact {successor.id}: {successor.text}")
    lines += _history(fact, facts, zone)
    if fact.deleted_at is not None:
        lines.append("Deleted. Undo brings it back for a day; then it is erased.")
    own = f"{fact.id}.{page}"
    rows: list[list[InlineKeyboardButton]] = []
    if fact.deleted_at is not None:
        rows.append([button("Undo delete", f"u.{own}")])
    elif fact.is_valid:
        pin = button("Unpin", f"o.{own}") if fact.is_pinned else button("Pin", f"i.{own}")
        rows.append([button("Edit", f"e.{own}"), pin, button("Delete", f"d.{own}")])
        if any(one.superseded_by == fact.id and one.origin == "earlier" for one in facts):
            rows.append([button("Undo edit", f"u.{own}")])
    else:
        rows.append([button("Delete", f"d.{own}")])
    rows.append([button("‹ All facts", f"l.{page}")])
    return "\n".join(lines), InlineKeyboardMarkup(rows)


def _history(fact: Fact, facts: Sequence[Fact], zone: tzinfo) -> list[str]:
    """The facts that this one replaced, back to the first."""
    lines: list[str] = []
    seen, waiting = {fact.id}, [fact.id]
    while waiting:
        successor = waiting.pop(0)
        for one in sorted((one for one in facts if one.superseded_by == successor), key=lambda one: -one.id):
            if one.id not in seen and one.deleted_at is None:
                seen.add(one.id)
                waiting.append(one.id)
                until = day(one.valid_to, zone) if one.valid_to else "now"
                lines.append(f"Before, {day(one.valid_from, zone)} to {until}: {one.text}")
    return lines


def _profiles(versions: Sequence[Profile], zone: tzinfo, button: Button) -> Shown:
    """The newest versions of the profile, the one in use first."""
    few = versions[:3]
    lines = ["There is no profile yet. It is written when there is enough to say, or now, with the button below."]
    if few:
        lines = [f"Profile: {len(versions)} version{'s' * (len(versions) > 1)}, the newest is in use."]
    for one in few:
        lines += ["", f"Version {one.id}, {day(one.created_at, zone)}", one.text]
    rows = [[button("Rewrite now", "r")]]
    rows += [[button(f"Erase version {one.id}", f"x.{one.id}")] for one in few]
    rows.append([button("‹ All facts", "l.0")])
    return "\n".join(lines), InlineKeyboardMarkup(rows)


def distilled(made: Profile | str | None) -> str:
    """The result of writing a profile."""
    if isinstance(made, Profile):
        return f"The profile is rewritten (version {made.id}):\n\n{made.text}"
    if made is None:
        return "There is not enough yet to write a profile from, or the model's answer could not be used."
    return f"The profile was not written: {made} Nothing was changed."


def undone(id_: int, forgotten: Forgotten | None) -> str:
    """The result of undoing an edit; `forgotten` None: there was none."""
    if forgotten is None:
        return NOTHING_TO_UNDO.format(id=id_)
    derived = counts(Forgotten(facts=forgotten.facts, profiles=forgotten.profiles))
    return UNDONE.format(id=id_, derived=f", and {derived} derived from it" if derived else "") + (
        "" if forgotten.is_clean else f" {TRACES}"
    )


def erased(forgotten: Forgotten) -> str:
    """The result of erasing a version of the profile."""
    return (
        PROFILE_ERASED + ("" if forgotten.is_clean else f" {TRACES}")
        if forgotten.profiles
        else tr("shared-dead-button")
    )
