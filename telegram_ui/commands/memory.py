"""/memory: facts and profile of an owner, shown and corrected.

Owns its words, and what each button carries: an action and its numbers, "f.12.0" (see LOOKS and VERBS).
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from telegram import InlineKeyboardButton

from chat.facts_by_hand import FactsByHand
from locales.catalog import tr
from locales.told import format_worth
from records.facts import LASTING, MAX_FACT_CHARS, Fact, Profile
from records.forgetting import Forgetting, Forgotten
from telegram_ui.commands.buttons import make_keyboard, make_page_buttons, split_rows
from telegram_ui.commands.family import Ask, Dependencies, Family, NextText, command, press
from telegram_ui.commands.wording import format_local_day, zone_of
from telegram_ui.sending.delivery import DeliveryError

log = logging.getLogger(__name__)

KIND = "mem"

Button = Callable[[str, str], InlineKeyboardButton]
Shown = tuple[str, list[Sequence[InlineKeyboardButton]]]

FACTS_PER_PAGE = 6
VIEW_ACTIONS = ("l", "f", "p")  # actions that only show: the list from a page on, a fact, the profile's versions
CHANGES: Mapping[str, str] = {"i": "pin", "o": "unpin", "k": "keep", "d": "delete", "u": "undo"}
"""Actions on a fact. Also: "a" asks for a new one, "e" for its text, "r" distils the profile, "x" erases a version."""

ERASING_ACTIONS = ("d", "x")
NOTED_REACTION = "✍"  # the reaction to what somebody in a group had noted


@dataclass(frozen=True, kw_only=True, slots=True)
class View:
    """A view: the list from `page` on, the fact or version of this number, or the profile's versions."""

    page: int = 0
    fact: int = 0
    profiles: bool = False


class MemoryCommands(Family):
    """Answers /memory. In groups everybody reads, and admins change."""

    heading = "recall"

    def __init__(self, dependencies: Dependencies) -> None:
        super().__init__(dependencies)
        self._by_hand = FactsByHand(self._services)
        self._new_text = NextText("fact", dependencies)  # about the fact's number

    # /memory -------------------------------------------------------------------------------------------------

    @command("memory", is_ephemeral=True)
    async def _show_memory(self, ask: Ask) -> str | None:
        if ask.chat.scope.is_direct_messages:
            return tr("memory-not-for-one-person")
        verb, _, rest = ask.argument.strip().partition(" ")
        verb, rest = verb.casefold(), rest.strip()
        number, _, text = rest.partition(" ")
        if not verb:
            await self._show_view(ask, View())
            return None
        if verb.lstrip("#").isdecimal() and not rest:
            await self._show_view(ask, View(fact=int(verb.lstrip("#")[:10])))
            return None
        if not await self._may_configure(ask.chat, ask.person):
            return tr("shared-admins-only")
        if verb == "add":
            return await self._add_fact(ask, rest)
        if verb == "edit" and _parse_id(number) and text.strip():
            return await self._edit_fact(ask, _parse_id(number), text)
        if verb in ("pin", "unpin", "delete", "undo") and _parse_id(rest):
            return await self._by_hand.change(ask.chat.scope.owner, verb, _parse_id(rest))
        return tr("memory-usage")

    async def _add_fact(self, ask: Ask, text: str) -> str | None:
        """Add a fact; its kind is not told by its words, so a button makes it a lasting instruction."""
        made = await self._by_hand.add(ask.chat.scope.owner, text)
        if isinstance(made, str):
            return made
        # In a group a message about it would be noise for everybody else.
        noted, is_private = ask.message_id, ask.chat.is_private
        if not is_private and noted and await self._delivery.react(ask.chat, noted, NOTED_REACTION):
            return None
        keep = (
            []
            if made.kind == "instruction"
            else [self._make_button(ask, KIND, tr("memory-button-keep"), f"k.{made.id}")]
        )
        await self._show_text(ask, tr("memory-added", text=made.text), keep)
        return None

    async def _edit_fact(self, ask: Ask, id_: int, text: str) -> str | None:
        """Give a fact another text, and show it; a sentence if that cannot be."""
        refusal = await self._by_hand.edit(ask.chat.scope.owner, id_, text)
        if refusal is None:
            await self._show_view(ask, View(fact=id_))
        return refusal

    async def _show_view(self, ask: Ask, view: View) -> None:
        owner = ask.chat.scope.owner
        config = await self._services.memory.config(owner)
        text, rows = render_view(
            view,
            await self._services.facts.known(owner),
            await self._services.distiller.versions(owner),
            zone=zone_of(config),
            is_on=config is not None and config.enabled,
            button=lambda label, payload: self._make_button(
                ask, KIND, label, payload, erases=payload[0] in ERASING_ACTIONS
            ),
        )
        await self._show_text(ask, text, *rows)

    # buttons -------------------------------------------------------------------------------------------------

    @press(KIND)
    async def _press(self, ask: Ask) -> str | None:
        """Return a button of a list or of a fact."""
        action, _, numbers = ask.argument.partition(".")
        view = parse_view(action, numbers)
        if view is None:
            return tr("shared-dead-button")
        toast: str | None = None
        if action not in VIEW_ACTIONS:
            if not await self._may_configure(ask.chat, ask.person):
                return tr("shared-admins-only")
            if action in ("a", "e"):
                return await self._ask_text(ask, view.fact)
            if action == "r":
                return self._refresh_profile(ask)
            if action == "x":
                what = Forgetting(what="profiles", ids=(view.fact,))
                toast = format_erased(await self._services.corrections.forget(ask.chat.scope.owner, what))
                view = View(profiles=True)
            else:
                toast = await self._by_hand.change(ask.chat.scope.owner, CHANGES[action], view.fact)
        await self._show_view(ask, view)
        return toast and toast[:200]

    def _refresh_profile(self, ask: Ask) -> str:
        again = [self._make_button(ask, KIND, tr("answers-try-again"), ask.argument)]

        async def tell(made: Profile | str | None) -> None:
            keyboard = make_keyboard(again if isinstance(made, str) else [])
            try:
                await self._delivery.say(ask.chat, format_profile_result(made), keyboard=keyboard)
            except DeliveryError as error:
                log.info("the owner was not told about a new profile: %s", type(error).__name__)

        self._services.distiller.start(ask.chat.scope.owner, tell)
        return tr("memory-distilling")

    async def _ask_text(self, ask: Ask, id_: int) -> str | None:
        """Ask for the new text of a fact, or, where `id_` is 0, for a new one."""
        owner = ask.chat.scope.owner
        fact = next((one for one in await self._services.facts.known(owner) if one.id == id_), None)
        if id_ and (fact is None or not fact.is_valid):
            return tr("memory-no-such-fact", id=str(id_))
        if await self._services.memory.config(owner) is None:
            return tr("summaries-not-configured")
        if await self._by_hand.is_incognito(owner):
            return tr("memory-incognito-on")
        question = tr("memory-new-text", text=fact.text) if fact else tr("memory-new-fact")
        await self._new_text.ask_for(ask, question, about=id_, example=fact.text if fact else tr("memory-new-fact"))
        return None

    async def take_text(self, ask: Ask) -> bool:
        """A text that may be a new fact, or the new one of a fact; whether it was."""

        async def keep(id_: int) -> str | None:
            return await (self._edit_fact(ask, id_, ask.argument) if id_ else self._add_fact(ask, ask.argument))

        return await self._new_text.take_answer(ask, keep, most=MAX_FACT_CHARS)


def _parse_id(text: str) -> int:
    """Return the number of a fact ("12", "#12"); 0 for none."""
    digits = text.strip().lstrip("#")
    return int(digits) if digits.isdecimal() and len(digits) <= 10 else 0


def parse_view(action: str, numbers: str) -> View | None:
    """Return the view after a press; None for data that is no button of ours."""
    parts = numbers.split(".") if numbers else []
    if not all(part.isascii() and part.isdigit() and len(part) <= 10 for part in parts) or len(parts) > 2:
        return None
    values = [int(part) for part in parts]
    if action == "l" and len(values) == 1:
        return View(page=values[0])
    if action == "a" and not values:
        return View()
    if action in ("p", "r") and not values:
        return View(profiles=True)
    if action in ("f", "e", "x", *CHANGES) and values:
        return View(fact=values[0], page=values[1] if len(values) > 1 else 0)
    return None


def render_view(
    view: View, facts: Sequence[Fact], versions: Sequence[Profile], *, zone: tzinfo, is_on: bool, button: Button
) -> Shown:
    """Return the text of a view and its buttons. `facts`: all of them; `button`: makes one of a label and a payload."""
    if view.profiles:
        return _show_profiles(versions, zone, button)
    if view.fact:
        fact = next((one for one in facts if one.id == view.fact), None)
        if fact is None:
            return tr("memory-no-such-fact", id=str(view.fact)), []
        return _show_fact(fact, facts, view.page, zone, button)
    return _show_list(view.page, facts, versions, zone, is_on=is_on, button=button)


def _show_list(
    page: int, facts: Sequence[Fact], versions: Sequence[Profile], zone: tzinfo, *, is_on: bool, button: Button
) -> Shown:
    valid = sorted(
        (fact for fact in facts if fact.is_valid), key=lambda one: (_rank_fact(one), not one.is_pinned, -one.id)
    )
    deleted = [fact for fact in facts if fact.deleted_at is not None]
    pages = max(1, -(-len(valid) // FACTS_PER_PAGE))
    page = min(page, pages - 1)
    here = valid[page * FACTS_PER_PAGE : (page + 1) * FACTS_PER_PAGE]
    lines = [tr("memory-title")]
    if not is_on:
        lines.append(tr("summaries-is-off"))
    if versions and page == 0:
        newest = versions[0]
        lines += [
            "",
            tr("memory-profile", id=str(newest.id), day=format_local_day(newest.created_at, zone)),
            newest.text,
        ]
    if valid:
        for rank, kind in enumerate((*LASTING, "facts")):
            if of_this := [fact for fact in here if _rank_fact(fact) == rank]:
                total = sum(_rank_fact(fact) == rank for fact in valid)
                lines += ["", f"{tr(f'memory-heading-{kind}')} ({total})"]
                lines += [f"{fact.id} · {_format_text(fact)}" for fact in of_this]
    elif not versions:
        lines += ["", tr("memory-nothing-known")]
    if deleted and page == 0:
        lines += ["", tr("memory-deleted"), *(f"{fact.id} · {fact.text}" for fact in deleted)]
    if valid:
        lines += ["", tr("memory-press")]
    shown_here = [*here, *(deleted if page == 0 else [])][: 2 * FACTS_PER_PAGE]
    numbers = [button(f"{'📌 ' if fact.is_pinned else ''}{fact.id}", f"f.{fact.id}.{page}") for fact in shown_here]
    rows = [
        *split_rows(numbers, FACTS_PER_PAGE),
        make_page_buttons(page, pages, lambda label, at: button(label, f"l.{at}")),
    ]
    profile = [button(tr("memory-button-profile"), "p")] if versions or valid else []
    rows.append([button(tr("memory-button-add"), "a"), *profile])
    return "\n".join(lines), rows


def _rank_fact(fact: Fact) -> int:
    """Return the place of a fact in the list: lasting instructions come first."""
    return LASTING.index(fact.kind) if fact.is_lasting else len(LASTING)


def _format_text(fact: Fact) -> str:
    return f"{'📌 ' if fact.is_pinned else ''}{fact.text}"


def _show_fact(fact: Fact, facts: Sequence[Fact], page: int, zone: tzinfo, button: Button) -> Shown:
    """One fact with where it comes from and what was before it."""
    lines = [_format_text(fact), ""]
    lines += [told] if (told := format_worth(fact)) else []
    held = {"from": format_local_day(fact.valid_from, zone), "said": format_local_day(fact.observed_at, zone)}
    if fact.valid_to:
        lines.append(tr("memory-held", until=format_local_day(fact.valid_to, zone), **held))
    else:
        lines.append(tr("memory-holds", **held))
    lines += [tr("memory-uncertain")] if fact.is_uncertain else []
    if fact.quote:
        lines.append(tr("memory-quote", quote=fact.quote, said=format_local_day(fact.observed_at, zone)))
    elif fact.source_ids:
        lines.append(tr("memory-learned", messages=len(fact.source_ids)))
    else:
        lines.append(tr("memory-by-hand"))
    successor = next((one for one in facts if one.id == fact.superseded_by), None)
    if successor is not None:
        lines.append(tr("memory-superseded", text=successor.text))
    lines += _format_history(fact, facts, zone)
    if fact.deleted_at is not None:
        lines.append(tr("memory-deleted"))
    own = f"{fact.id}.{page}"
    rows: list[Sequence[InlineKeyboardButton]] = []
    if fact.deleted_at is not None:
        rows.append([button(tr("memory-button-undo"), f"u.{own}")])
    elif fact.is_valid:
        label, verb = (tr("memory-button-unpin"), "o") if fact.is_pinned else (tr("memory-button-pin"), "i")
        pin = button(label, f"{verb}.{own}")
        rows.append([button(tr("memory-button-edit"), f"e.{own}"), pin, button(tr("memory-button-delete"), f"d.{own}")])
        if any(one.superseded_by == fact.id and one.origin == "earlier" for one in facts):
            rows.append([button(tr("memory-button-undo"), f"u.{own}")])
    else:
        rows.append([button(tr("memory-button-delete"), f"d.{own}")])
    rows.append([button(tr("memory-button-all"), f"l.{page}")])
    return "\n".join(lines), rows


def _format_history(fact: Fact, facts: Sequence[Fact], zone: tzinfo) -> list[str]:
    """Return the facts that this one replaced, back to the first."""
    lines: list[str] = []
    seen, waiting = {fact.id}, [fact.id]
    while waiting:
        successor = waiting.pop(0)
        for one in sorted((one for one in facts if one.superseded_by == successor), key=lambda one: -one.id):
            if one.id not in seen and one.deleted_at is None:
                seen.add(one.id)
                waiting.append(one.id)
                lines.append(
                    tr("memory-before", until=format_local_day(one.valid_to or fact.valid_from, zone), text=one.text)
                )
    return lines


def _show_profiles(versions: Sequence[Profile], zone: tzinfo, button: Button) -> Shown:
    """Return the newest versions of the profile, the one in use first."""
    few = versions[:3]
    lines = [] if few else [tr("memory-no-profile")]
    for one in few:
        lines += [tr("memory-profile", id=str(one.id), day=format_local_day(one.created_at, zone)), one.text, ""]
    rows: list[Sequence[InlineKeyboardButton]] = [[button(tr("memory-button-rewrite"), "r")]]
    rows += [[button(tr("memory-button-erase", id=str(one.id)), f"x.{one.id}")] for one in few]
    rows.append([button(tr("memory-button-all"), "l.0")])
    return "\n".join(lines), rows


def format_profile_result(made: Profile | str | None) -> str:
    """Return the result of writing a profile."""
    if isinstance(made, Profile):
        return f"{tr('memory-button-profile')}\n\n{made.text}"
    if made is None:
        return tr("memory-not-enough")
    return tr("memory-not-written", why=made)


def format_erased(forgotten: Forgotten) -> str:
    """Return the result of erasing a version of the profile."""
    if not forgotten.profiles:
        return tr("shared-dead-button")
    told = tr("memory-profile-erased")
    return told if forgotten.is_clean else f"{told} {tr('forget-traces')}"
