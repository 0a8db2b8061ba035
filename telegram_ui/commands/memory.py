"""What I know about an owner, shown and corrected: /memory.

Owns the command. Does not know how facts are learned, nor how messages are sent; the words are in memory_texts.py.
"""

import logging
from datetime import UTC

from telegram import InlineKeyboardMarkup

from locales.catalog import tr
from records.errors import FactsFull
from records.facts import MOST_FACTS, Fact, Profile
from records.forgetting import Forgetting
from telegram_ui.commands import memory_texts as texts
from telegram_ui.commands.family import Ask, Dependencies, Family, command, press
from telegram_ui.commands.memory_texts import View
from telegram_ui.commands.next_text import NextText
from telegram_ui.sending.chat import Chat
from telegram_ui.sending.delivery import DeliveryError

log = logging.getLogger(__name__)

KIND = "mem"
LONGEST_FACT = 300


class MemoryCommands(Family):
    """Answers /memory. In groups everybody reads, and admins change."""

    heading = "recall"

    def __init__(self, dependencies: Dependencies) -> None:
        super().__init__(dependencies)
        self._new_text = NextText("fact", dependencies)  # about the fact's number

    # /memory -------------------------------------------------------------------------------------------------

    @command("memory")
    async def _memory(self, ask: Ask) -> str | None:
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
            return await self._add(ask.chat, rest)
        if verb == "edit" and _id(number) and text.strip():
            return await self._edit(ask, _id(number), text)
        if verb in ("pin", "unpin", "delete", "undo") and _id(rest):
            return await self._change(ask.chat, verb, _id(rest))
        return tr("memory-usage")

    async def _add(self, chat: Chat, text: str) -> str:
        text = " ".join(text.split())
        if not text:
            return tr("memory-add-what")
        if len(text) > LONGEST_FACT:
            return tr("memory-too-long", most=str(LONGEST_FACT), length=str(len(text)))
        config = await self._services.memory.config(chat.scope.owner)
        if config is None:
            return tr("memory-not-on")
        if config.incognito:
            return tr("memory-incognito-on")
        try:
            fact, is_new = await self._services.facts.add(chat.scope.owner, text)
        except FactsFull:
            return tr("memory-full", most=str(MOST_FACTS))
        return tr("memory-added" if is_new else "memory-known-already", text=fact.text)

    async def _edit(self, ask: Ask, id_: int, text: str) -> str | None:
        """Give a fact another text, and show it; a sentence if that cannot be."""
        text = " ".join(text.split())
        if len(text) > LONGEST_FACT:
            return tr("memory-too-long", most=str(LONGEST_FACT), length=str(len(text)))
        if await self._is_incognito(ask.chat):
            return tr("memory-incognito-on")
        if await self._services.facts.edit(ask.chat.scope.owner, id_, text) is None:
            return tr("memory-no-such-fact", id=str(id_))
        await self._show_view(ask, View(fact=id_))
        return None

    async def _is_incognito(self, chat: Chat) -> bool:
        """Whether new words are not to be written; deleting and pinning write none."""
        config = await self._services.memory.config(chat.scope.owner)
        return config is not None and config.incognito

    async def _change(self, chat: Chat, verb: str, id_: int) -> str:
        """Pin, unpin, delete or restore a fact; the sentence that says so."""
        owner, facts = chat.scope.owner, self._services.facts
        fact: Fact | None = None
        match verb:
            case "pin" | "unpin":
                fact = await facts.pin(owner, id_, is_pinned=verb == "pin")
                known = () if fact else await facts.known(owner)
                if held := next((one for one in known if one.id == id_), None):
                    return tr("memory-holds-no-longer", text=held.text)
            case "delete":
                fact = await facts.delete(owner, id_)
            case "undo":
                current = next((one for one in await facts.known(owner) if one.id == id_), None)
                if current is not None and current.deleted_at is not None:
                    fact = await facts.restore(owner, id_)
                elif current is not None:
                    return texts.undone(await self._services.corrections.undo_edit(owner, id_))
        return tr(f"memory-done-{verb}", text=fact.text) if fact else tr("memory-no-such-fact", id=str(id_))

    async def _show_view(self, ask: Ask, view: View, *, instead_of: int | None = None) -> None:
        owner = ask.chat.scope.owner
        config = await self._services.memory.config(owner)
        text, keyboard = texts.shown(
            view,
            await self._services.facts.known(owner),
            await self._services.distiller.versions(owner),
            zone=config.zone if config else UTC,
            is_on=config is not None and config.enabled,
            is_group=not ask.chat.is_private,
            button=lambda label, payload: self._button(ask, KIND, label, payload),
        )
        await self._delivery.replace(ask.chat, instead_of, text, keyboard=keyboard)

    # buttons -------------------------------------------------------------------------------------------------

    @press(KIND)
    async def _press(self, ask: Ask) -> str | None:
        """A button of a list or of a fact: see memory_texts.py for what each carries."""
        action, _, numbers = ask.argument.partition(".")
        view = texts.view_of(action, numbers)
        if view is None:
            return tr("shared-dead-button")
        toast: str | None = None
        if action not in texts.LOOKS:
            if not await self._may_configure(ask.chat, ask.person):
                return tr("shared-admins-only")
            if action == "e":
                return await self._ask_text(ask, view.fact)
            if action == "r":
                return self._refresh(ask)
            if action == "x":
                what = Forgetting(what="profiles", ids=(view.fact,))
                toast = texts.erased(await self._services.corrections.forget(ask.chat.scope.owner, what))
                view = View(profiles=True)
            else:
                toast = await self._change(ask.chat, texts.VERBS[action], view.fact)
        await self._show_view(ask, view, instead_of=ask.message_id)
        return toast and toast[:200]

    def _refresh(self, ask: Ask) -> str:
        again = InlineKeyboardMarkup([[self._button(ask, KIND, tr("answers-try-again"), ask.argument)]])

        async def tell(made: Profile | str | None) -> None:
            keyboard = again if isinstance(made, str) else None
            try:
                await self._delivery.say(ask.chat, texts.distilled(made), keyboard=keyboard)
            except DeliveryError as error:
                log.info("the owner was not told about a new profile: %s", type(error).__name__)

        return (
            tr("memory-distilling")
            if self._services.distiller.start(ask.chat.scope.owner, tell)
            else tr("memory-distilling-already")
        )

    async def _ask_text(self, ask: Ask, id_: int) -> str | None:
        chat = ask.chat
        fact = next((one for one in await self._services.facts.known(chat.scope.owner) if one.id == id_), None)
        if fact is None or not fact.is_valid:
            return tr("memory-no-such-fact", id=str(id_))
        if await self._is_incognito(chat):
            return tr("memory-incognito-on")
        question = tr("memory-new-text", text=fact.text)
        await self._new_text.ask_for(ask, question, about=id_, example=fact.text)
        return None

    async def take_text(self, ask: Ask) -> bool:
        """A text that may be the new one of a fact; whether it was."""
        id_ = await self._new_text.answered(ask)
        if id_ is None:
            return False
        refusal: str | None = tr("shared-admins-only")
        if await self._may_configure(ask.chat, ask.person):
            refusal = await self._edit(ask, id_, ask.argument)
        is_too_long = len(" ".join(ask.argument.split())) > LONGEST_FACT
        if refusal:
            await self._delivery.say(ask.chat, f"{refusal}\n{tr('shared-once-more')}" if is_too_long else refusal)
        if not is_too_long:
            await self._new_text.close(ask)
        return True


def _id(text: str) -> int:
    """The number of a fact ("12", "#12"); 0 for none."""
    digits = text.strip().lstrip("#")
    return int(digits) if digits.isdecimal() and len(digits) <= 10 else 0
