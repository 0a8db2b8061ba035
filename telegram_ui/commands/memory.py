"""/memory: an owner's facts and profile. A button's payload is an action followed by numbers, such as "f.12.0"."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import tzinfo

from telegram import InlineKeyboardButton

from chat.facts_by_hand import add_fact, change_fact_and_report, edit_fact
from locales.catalog import tr
from locales.sentences import format_importance
from records.facts import LASTING, MAX_FACT_CHARS, Fact, Profile
from records.forgetting import ForgetRequest
from records.owners import OwnerConfig
from telegram_ui.commands.buttons import make_keyboard, make_page_buttons, select_page_and_count, split_into_rows
from telegram_ui.commands.command_group import Action, ChatEvent, Command, CommandGroup, HandlerReply
from telegram_ui.commands.wording import format_local_day, get_zone_or_utc
from telegram_ui.sending.delivery import DeliveryError

KIND = "mem"

MakeButton = Callable[[str, str], InlineKeyboardButton]
RenderedPage = tuple[str, list[Sequence[InlineKeyboardButton]]]

FACTS_PER_PAGE = 6
# Actions that change a fact. "a" asks for a new fact, "e" for a new text, "r" rewrites the profile, and "x" erases one.
CHANGES: Mapping[str, str] = {"i": "pin", "o": "unpin", "k": "keep", "b": "both", "d": "delete", "u": "undo"}
NOTED_REACTION = "✍"  # confirms /memory add in a group, where a message would be noise


@dataclass(frozen=True, kw_only=True, slots=True)
class View:
    """A view of the memory: a page of the list of facts, one fact, or the versions of the profile."""

    page: int = 0
    fact: int = 0  # the id of the fact on the card, or of the profile version to erase
    profiles: bool = False


class MemoryCommands(CommandGroup):
    """The handlers of /memory. In groups, everybody may read the memory, but only admins may change it."""

    heading = "recall"
    question_kind = "fact"

    @Command("memory", is_ephemeral=True)
    async def _show_or_change_memory(self, event: ChatEvent) -> HandlerReply:
        if event.chat.scope.is_channel_direct_chat:
            return tr("memory-not-for-one-person")
        verb, _, rest = event.argument.strip().partition(" ")
        verb, rest = verb.casefold(), rest.strip()
        number, _, text = rest.partition(" ")
        if not verb:
            return await self._show_memory_view(event, View())
        if verb.lstrip("#").isdecimal() and not rest:
            return await self._show_memory_view(event, View(fact=int(verb.lstrip("#")[:10])))
        if not await self._may_configure(event.chat, event.person):
            return tr("shared-admins-only")
        if verb == "add":
            return await self._add_fact_or_get_refusal(event, rest)
        if verb == "edit" and _parse_fact_id(number) and text.strip():
            return await self._edit_fact_or_get_refusal(event, _parse_fact_id(number), text)
        if verb in ("pin", "unpin", "delete", "undo") and _parse_fact_id(rest):
            return await change_fact_and_report(self._services, event.chat.scope.owner, verb, _parse_fact_id(rest))
        return tr("memory-usage")

    async def _add_fact_or_get_refusal(self, event: ChatEvent, text: str) -> HandlerReply:
        fact = await add_fact(self._services, event.chat.scope.owner, text)
        if isinstance(fact, str):
            return fact
        message_id, is_private = event.message_id, event.chat.is_private
        if not is_private and message_id and await self._delivery.add_reaction(event.chat, message_id, NOTED_REACTION):
            return None
        keep = [self._make_button(event, KIND, tr("memory-button-keep"), f"k.{fact.id}")]
        rows = [] if fact.kind == "instruction" else [keep]
        return await self._show_text(event, tr("memory-added", text=fact.text), *rows)

    async def _edit_fact_or_get_refusal(self, event: ChatEvent, fact_id: int, text: str) -> HandlerReply:
        refusal = await edit_fact(self._services, event.chat.scope.owner, fact_id, text, keeps_old_fact=False)
        if refusal is None:
            await self._show_memory_view(event, View(fact=fact_id))
        return refusal

    async def _show_memory_view(self, event: ChatEvent, view: View) -> HandlerReply:
        owner = event.chat.scope.owner
        config = await self._read_config(event)
        text, rows = render_memory_view(
            view,
            await self._services.facts.list_all(owner),
            await self._services.distiller.list_versions(owner),
            config,
            lambda label, code: self._make_button(event, KIND, label, code, erases=code[0] in "dx"),
        )
        return await self._show_text(event, text, *rows)

    @Action(KIND)
    async def _show_view_or_apply_action(self, event: ChatEvent) -> HandlerReply:
        action, _, numbers = event.argument.partition(".")
        view = parse_memory_view(action, numbers)
        if view is None:
            return tr("shared-dead-button")
        toast: str | None = None
        if action not in ("l", "f", "p"):  # those only show a page of the list, a fact, or the profile
            if not await self._may_configure(event.chat, event.person):
                return tr("shared-admins-only")
            if action in ("a", "e"):
                return await self._ask_for_fact_text(event, view.fact)
            if action == "r":
                return self._start_refreshing_profile(event)
            if action == "x":
                request = ForgetRequest(what="profiles", ids=(view.fact,))
                forgotten = await self._services.corrections.forget(event.chat.scope.owner, request)
                toast = tr("memory-profile-erased") if forgotten.profiles else tr("shared-dead-button")
                toast += f" {tr('forget-traces')}" if forgotten.profiles and not forgotten.is_clean else ""
                view = View(profiles=True)
            else:
                toast = await change_fact_and_report(self._services, event.chat.scope.owner, CHANGES[action], view.fact)
        await self._show_memory_view(event, view)
        return toast and toast[:200]

    def _start_refreshing_profile(self, event: ChatEvent) -> HandlerReply:
        again = [self._make_button(event, KIND, tr("answers-try-again"), event.argument)]

        async def send_profile_or_failure(result: Profile | str | None) -> None:
            keyboard = make_keyboard(again if isinstance(result, str) else [])
            if isinstance(result, Profile):
                text = f"{tr('memory-button-profile')}\n\n{result.text}"
            else:
                text = tr("memory-not-enough") if result is None else tr("memory-not-written", why=result)
            with suppress(DeliveryError):
                await self._delivery.send_text(event.chat, text, keyboard=keyboard)

        self._services.distiller.try_to_start(event.chat.scope.owner, send_profile_or_failure)
        return tr("memory-distilling")

    async def _ask_for_fact_text(self, event: ChatEvent, fact_id: int) -> HandlerReply:
        owner = event.chat.scope.owner
        fact = next((fact for fact in await self._services.facts.list_all(owner) if fact.id == fact_id), None)
        if fact_id and (fact is None or not fact.is_valid):
            return tr("memory-no-such-fact", id=str(fact_id))
        if (config := await self._read_config(event)) is None:
            return tr("summaries-not-configured")
        if config.incognito:
            return tr("memory-incognito-on")
        question = tr("memory-new-text", text=fact.text) if fact else tr("memory-new-fact")
        placeholder = fact.text if fact else question
        return await self._question.ask(event, question, subject_id=fact_id, placeholder=placeholder)

    async def accept_text_if_awaited(self, event: ChatEvent) -> bool:
        text = event.argument

        async def add_or_edit_fact(fact_id: int) -> HandlerReply:
            if fact_id:
                return await self._edit_fact_or_get_refusal(event, fact_id, text)
            return await self._add_fact_or_get_refusal(event, text)

        return await self._question.accept_text_if_answer(event, add_or_edit_fact, max_chars=MAX_FACT_CHARS)


def _parse_fact_id(text: str) -> int:
    digits = text.strip().lstrip("#")
    return int(digits) if digits.isdecimal() and len(digits) <= 10 else 0


def parse_memory_view(action: str, dotted_numbers: str) -> View | None:
    """Return the view to show after a button is pressed, or None if the payload is invalid."""
    parts = dotted_numbers.split(".") if dotted_numbers else []
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


def render_memory_view(
    view: View, facts: Sequence[Fact], profiles: Sequence[Profile], config: OwnerConfig | None, make_button: MakeButton
) -> RenderedPage:
    """Return the text of a view and its rows of buttons. `make_button` makes a button from its label and payload."""
    zone = get_zone_or_utc(config)
    if view.profiles:
        return _render_profiles(profiles, zone, make_button)
    if view.fact:
        fact = next((fact for fact in facts if fact.id == view.fact), None)
        if fact is None:
            return tr("memory-no-such-fact", id=str(view.fact)), []
        return _render_fact(fact, facts, view.page, zone, make_button)
    title = "\n".join([tr("memory-title"), *([] if config and config.enabled else [tr("summaries-is-off")])])
    return _render_fact_list(view.page, facts, profiles, title, zone, make_button)


def _render_fact_list(
    page: int, facts: Sequence[Fact], profiles: Sequence[Profile], title: str, zone: tzinfo, make_button: MakeButton
) -> RenderedPage:
    valid = [fact for fact in facts if fact.is_valid]
    valid.sort(key=lambda fact: (_get_display_rank(fact), not fact.is_pinned, -fact.id))
    deleted = [fact for fact in facts if fact.deleted_at is not None]
    here, page, pages = select_page_and_count(valid, page, FACTS_PER_PAGE)
    lines = [title]
    if profiles and page == 0:
        lines += ["", *_format_profile(profiles[0], zone)]
    if valid:
        for rank, kind in enumerate((*LASTING, "facts")):
            if section := [fact for fact in here if _get_display_rank(fact) == rank]:
                total = sum(_get_display_rank(fact) == rank for fact in valid)
                lines += ["", f"{tr(f'memory-heading-{kind}')} ({total})"]
                lines += [f"{fact.id} · {_prepend_pin_if_pinned(fact, fact.text)}" for fact in section]
    elif not profiles:
        lines += ["", tr("memory-nothing-known")]
    if deleted and page == 0:
        lines += ["", tr("memory-deleted"), *(f"{fact.id} · {fact.text}" for fact in deleted)]
    if valid:
        lines += ["", tr("memory-press")]
    listed = [*here, *(deleted if page == 0 else [])][: 2 * FACTS_PER_PAGE]
    numbers = [make_button(_prepend_pin_if_pinned(fact, str(fact.id)), f"f.{fact.id}.{page}") for fact in listed]
    rows = split_into_rows(numbers, FACTS_PER_PAGE)
    rows.append(make_page_buttons(page, pages, lambda label, target: make_button(label, f"l.{target}")))
    profile = [make_button(tr("memory-button-profile"), "p")] if profiles or valid else []
    rows.append([make_button(tr("memory-button-add"), "a"), *profile])
    return "\n".join(lines), rows


def _get_display_rank(fact: Fact) -> int:
    return LASTING.index(fact.kind) if fact.is_lasting else len(LASTING)


def _prepend_pin_if_pinned(fact: Fact, label: str) -> str:
    return f"📌 {label}" if fact.is_pinned else label


def _render_fact(fact: Fact, facts: Sequence[Fact], page: int, zone: tzinfo, make_button: MakeButton) -> RenderedPage:
    lines = [_prepend_pin_if_pinned(fact, fact.text), "", *filter(None, [format_importance(fact)])]
    dates = {"from": format_local_day(fact.valid_from, zone), "said": format_local_day(fact.observed_at, zone)}
    if fact.valid_to:
        until = format_local_day(fact.valid_to, zone)
        is_one_day = fact.valid_from.astimezone(zone).date() == fact.valid_to.astimezone(zone).date()
        lines.append(tr("memory-held-until" if is_one_day else "memory-held", until=until, **dates))
    elif dates["from"] != dates["said"] or not fact.quote:  # what was said today may have been true for long
        lines.append(tr("memory-holds", **dates))
    lines += [tr("memory-uncertain")] if fact.is_uncertain else []
    if fact.origin == "owner" or not (fact.quote or fact.source_ids):
        lines.append(tr("memory-by-hand"))
    if fact.quote:  # which may be older than the text of an edited fact
        quoted = [row for row in facts if row.quote == fact.quote and fact.id in (row.id, row.superseded_by)]
        said_at = min(row.observed_at for row in quoted)
        lines.append(tr("memory-quote", quote=fact.quote, said=format_local_day(said_at, zone)))
    elif fact.source_ids:
        lines.append(tr("memory-learned", messages=len(fact.source_ids)))
    successor = next((other for other in facts if other.id == fact.superseded_by), None)
    lines += [tr("memory-superseded", text=successor.text)] if successor is not None else []
    lines += _format_fact_history(fact, facts, zone)
    lines += [tr("memory-deleted")] if fact.deleted_at is not None else []
    suffix = f"{fact.id}.{page}"
    delete = make_button(tr("memory-button-delete"), f"d.{suffix}")
    undo = make_button(tr("memory-button-undo"), f"u.{suffix}")
    rows: list[Sequence[InlineKeyboardButton]] = [[delete]]
    if fact.deleted_at is not None:
        rows = [[undo]]
    elif fact.is_valid:
        label, action = (tr("memory-button-unpin"), "o") if fact.is_pinned else (tr("memory-button-pin"), "i")
        edit = make_button(tr("memory-button-edit"), f"e.{suffix}")
        rows = [[edit, make_button(label, f"{action}.{suffix}"), delete]]
        both = make_button(tr("memory-button-both"), f"b.{suffix}")
        replaced = [other for other in facts if other.superseded_by == fact.id and other.deleted_at is None]
        offered = {undo if other.origin == "earlier" else both for other in replaced}
        if offered:
            rows.append([button for button in (undo, both) if button in offered])
    rows.append([make_button(tr("memory-button-all"), f"l.{page}")])
    return "\n".join(lines), rows


def _format_fact_history(fact: Fact, facts: Sequence[Fact], zone: tzinfo) -> list[str]:
    lines: list[str] = []
    seen, waiting = {fact.id}, [fact.id]
    while waiting:
        successor = waiting.pop(0)
        replaced = [earlier for earlier in facts if earlier.superseded_by == successor and earlier.deleted_at is None]
        for earlier in sorted(replaced, key=lambda earlier: -earlier.id):
            if earlier.id not in seen:
                seen.add(earlier.id)
                waiting.append(earlier.id)
                until = format_local_day(earlier.valid_to or fact.valid_from, zone)
                lines.append(tr("memory-before", until=until, text=earlier.text))
    return lines


def _render_profiles(profiles: Sequence[Profile], zone: tzinfo, make_button: MakeButton) -> RenderedPage:
    newest = profiles[:3]
    lines = [] if newest else [tr("memory-no-profile")]
    for version in newest:
        lines += [*_format_profile(version, zone), ""]
    rows: list[Sequence[InlineKeyboardButton]] = [[make_button(tr("memory-button-rewrite"), "r")]]
    rows += [[make_button(tr("memory-button-erase", id=str(version.id)), f"x.{version.id}")] for version in newest]
    rows.append([make_button(tr("memory-button-all"), "l.0")])
    return "\n".join(lines), rows


def _format_profile(version: Profile, zone: tzinfo) -> list[str]:
    return [tr("memory-profile", id=str(version.id), day=format_local_day(version.created_at, zone)), version.text]
