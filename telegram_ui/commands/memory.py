"""What is known of an owner, shown and put right: /memory, and /tz.

Owns their words and buttons, and where a person stands who is asked for a fact's new words. Does not know how facts
are learned, nor how messages are sent.
"""

import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Protocol
from zoneinfo import available_timezones

import telegram
from telegram import ForceReply, InlineKeyboardMarkup

from facts.distillation import Tell
from records.facts import Fact, Profile
from records.forgetting import Forgetting, Forgotten
from records.owners import OwnerConfig
from records.scopes import Person, Scope
from storage.files.wizard_state import WizardState
from telegram_ui.commands import memory_texts as texts
from telegram_ui.commands.buttons import Buttons
from telegram_ui.commands.family import Ask, Handler, MayConfigure, Press
from telegram_ui.commands.memory_texts import View
from telegram_ui.commands.wizard import ADMINS_ONLY, LEFT, answers_the_bot
from telegram_ui.sending.chat import Chat
from telegram_ui.sending.delivery import Delivery, DeliveryError

log = logging.getLogger(__name__)

KIND = "mem"
EDITING = "fact:"
"""How the step of a person begins who is asked for new words; the fact's number follows."""
LIFETIME = timedelta(minutes=10)
LONGEST_FACT = 300


class Memory(Protocol):
    """What is needed of external_memory.ExternalMemory."""

    async def config(self, owner: int) -> OwnerConfig | None: ...
    async def choose(self, owner: int, change: Callable[[OwnerConfig], OwnerConfig]) -> OwnerConfig: ...


class Known(Protocol):
    """What is needed of facts.Facts."""

    async def known(self, owner: int) -> list[Fact]: ...
    async def add(self, owner: int, text: str) -> tuple[Fact, bool]: ...
    async def edit(self, owner: int, id_: int, text: str) -> Fact | None: ...
    async def pin(self, owner: int, id_: int, *, is_pinned: bool) -> Fact | None: ...
    async def delete(self, owner: int, id_: int) -> Fact | None: ...
    async def restore(self, owner: int, id_: int) -> Fact | None: ...


class Profiles(Protocol):
    """What is needed of distilling.Distilling."""

    async def versions(self, owner: int) -> list[Profile]: ...
    def start(self, owner: int, tell: Tell) -> bool: ...


class Amends(Protocol):
    """What is needed of amending.Amending."""

    async def forget(self, owner: int, what: Forgetting) -> Forgotten: ...
    async def undo_edit(self, owner: int, fact: int) -> Forgotten | None: ...


class States(Protocol):
    """What is needed of storage.wizards.WizardStates."""

    async def get(self, scope: Scope, person: int) -> WizardState | None: ...
    async def put(self, state: WizardState) -> None: ...
    async def drop(self, scope: Scope, person: int) -> bool: ...


class MemoryCommands:
    """The commands of this family."""

    def __init__(
        self,
        memory: Memory,
        known: Known,
        profiles: Profiles,
        corrections: Amends,
        states: States,
        delivery: Delivery,
        buttons: Buttons,
        *,
        may_configure: MayConfigure,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._memory = memory
        self._known = known
        self._profiles = profiles
        self._corrections = corrections
        self._states = states
        self._delivery = delivery
        self._buttons = buttons
        self._may_configure = may_configure
        self._now = now
        self.handlers: Mapping[str, Handler] = {"memory": self._command, "tz": self._tz}
        self.presses: Mapping[str, Press] = {KIND: self._press}

    # /memory -------------------------------------------------------------------------------------------------

    async def _command(self, ask: Ask) -> None:
        verb, _, rest = ask.argument.strip().partition(" ")
        verb, rest = verb.casefold(), rest.strip()
        number, _, words = rest.partition(" ")
        if not verb:
            await self._show(ask, View())
        elif verb.lstrip("#").isdecimal() and not rest:
            await self._show(ask, View(fact=int(verb.lstrip("#")[:10])))
        elif not await self._may_configure(ask.chat, ask.person):
            await self._delivery.say(ask.chat, ADMINS_ONLY)
        elif verb == "add":
            await self._delivery.say(ask.chat, await self._add(ask.chat, rest))
        elif verb == "edit" and _id(number) and words.strip():
            await self._edit(ask.chat, ask.person, _id(number), words.strip())
        elif verb in ("pin", "unpin", "delete", "undo") and _id(rest):
            await self._delivery.say(ask.chat, await self._done(ask.chat, verb, _id(rest)))
        else:
            await self._delivery.say(ask.chat, texts.USAGE)

    async def _add(self, chat: Chat, text: str) -> str:
        text = " ".join(text.split())
        if not text:
            return texts.ADD_WHAT
        if len(text) > LONGEST_FACT:
            return texts.TOO_LONG.format(most=LONGEST_FACT, length=len(text))
        if await self._memory.config(chat.scope.owner) is None:
            return texts.NOT_ON
        fact, is_new = await self._known.add(chat.scope.owner, text)
        return (texts.ADDED if is_new else texts.KNOWN_ALREADY).format(id=fact.id, text=fact.text)

    async def _edit(self, chat: Chat, person: Person, id_: int, text: str) -> None:
        """Give a fact other words, and show it."""
        text = " ".join(text.split())
        if len(text) > LONGEST_FACT:
            await self._delivery.say(chat, texts.TOO_LONG.format(most=LONGEST_FACT, length=len(text)))
        elif await self._known.edit(chat.scope.owner, id_, text) is None:
            await self._delivery.say(chat, texts.NO_SUCH_FACT.format(id=id_))
        else:
            shown, keyboard = await self._shown(chat, person, View(fact=id_))
            await self._delivery.say(chat, shown, keyboard=keyboard)

    async def _done(self, chat: Chat, verb: str, id_: int) -> str:
        """Do one thing to a fact; the sentence that tells it."""
        owner = chat.scope.owner
        fact: Fact | None = None
        match verb:
            case "pin" | "unpin":
                fact = await self._known.pin(owner, id_, is_pinned=verb == "pin")
            case "delete":
                fact = await self._known.delete(owner, id_)
            case "undo":
                held = {one.id: one for one in await self._known.known(owner)}.get(id_)
                if held is not None and held.deleted_at is not None:
                    fact = await self._known.restore(owner, id_)
                elif held is not None:
                    return texts.undone(id_, await self._corrections.undo_edit(owner, id_))
        return (texts.DONE[verb] if fact else texts.NO_SUCH_FACT).format(id=id_)

    async def _show(self, ask: Ask, view: View, *, instead_of: int | None = None) -> None:
        shown, keyboard = await self._shown(ask.chat, ask.person, view)
        await self._delivery.replace(ask.chat, instead_of, shown, keyboard=keyboard)

    async def _shown(self, chat: Chat, person: Person, view: View) -> tuple[str, InlineKeyboardMarkup | None]:
        owner = chat.scope.owner
        config = await self._memory.config(owner)
        facts, versions = await self._known.known(owner), await self._profiles.versions(owner)
        zone: tzinfo = config.zone if config else UTC

        def data(payload: str) -> str:
            return self._buttons.data(KIND, chat, person, payload)

        is_on = config is not None and config.enabled
        return texts.shown(view, facts, versions, zone=zone, is_on=is_on, is_group=not chat.is_private, data=data)

    # buttons -------------------------------------------------------------------------------------------------

    async def _press(self, ask: Ask) -> str | None:
        """A button of a list or of a fact: see memory_texts.py for what each carries."""
        action, _, numbers = ask.argument.partition(".")
        view = texts.view_of(action, numbers)
        if view is None:
            return texts.STALE
        if action in texts.LOOKS:
            await self._show(ask, view, instead_of=ask.message_id)
            return None
        if not await self._may_configure(ask.chat, ask.person):
            return ADMINS_ONLY
        if action == "e":
            return await self._ask_words(ask.chat, ask.person, view.fact)
        if action == "r":
            return self._refresh(ask.chat)
        if action == "x":
            what = Forgetting(what="profiles", ids=(view.fact,))
            told, view = texts.erased(await self._corrections.forget(ask.chat.scope.owner, what)), View(profiles=True)
        else:
            told = await self._done(ask.chat, texts.VERBS[action], view.fact)
        await self._show(ask, view, instead_of=ask.message_id)
        return told[:200]

    def _refresh(self, chat: Chat) -> str:
        async def tell(made: Profile | str | None) -> None:
            try:
                await self._delivery.say(chat, texts.distilled(made))
            except DeliveryError as error:
                log.info("a new profile was not told: %s", type(error).__name__)

        return texts.DISTILLING if self._profiles.start(chat.scope.owner, tell) else texts.DISTILLING_ALREADY

    async def _ask_words(self, chat: Chat, person: Person, id_: int) -> str | None:
        facts = {fact.id: fact for fact in await self._known.known(chat.scope.owner)}
        fact = facts.get(id_)
        if fact is None or not fact.is_valid:
            return texts.NO_SUCH_FACT.format(id=id_)
        await self._states.put(
            WizardState(
                scope=chat.scope,
                person=person.id,
                step=f"{EDITING}{id_}",
                nonce=secrets.token_urlsafe(6),
                expires_at=self._now() + LIFETIME,
            )
        )
        asked = texts.NEW_WORDS.format(id=id_, text=fact.text)
        if chat.is_private:
            await self._delivery.say(chat, asked)
        else:
            field = ForceReply(selective=True, input_field_placeholder=fact.text[:64])
            await self._delivery.say(chat, f"{asked} Reply to this message.", keyboard=field)
        return None

    async def input(self, update: telegram.Update, chat: Chat, person: Person, text: str) -> bool:
        """A text that may be a fact's new words; whether it was, so that it is no message to the bot."""
        state = await self._states.get(chat.scope, person.id)
        if state is None or not state.step.startswith(EDITING):
            return False
        if not chat.is_private and not answers_the_bot(update):
            return False
        if self._now() >= state.expires_at:
            await self._states.drop(chat.scope, person.id)
            return False
        if not await self._may_configure(chat, person):
            await self._delivery.say(chat, ADMINS_ONLY)
        else:
            await self._edit(chat, person, int(state.step.removeprefix(EDITING)), text)
        # As with the wizard's: the update that ended it is known again when it is replayed.
        await self._states.put(replace(state, step=LEFT, nonce=str(update.update_id)))
        return True

    # /tz -----------------------------------------------------------------------------------------------------

    async def _tz(self, ask: Ask) -> None:
        owner, wanted = ask.chat.scope.owner, ask.argument.strip()
        config = await self._memory.config(owner)
        if not wanted:
            zone = config.zone if config else UTC
            await self._delivery.say(ask.chat, texts.zone_text(config.timezone if config else "", self._now(), zone))
            return
        if not await self._may_configure(ask.chat, ask.person):
            await self._delivery.say(ask.chat, ADMINS_ONLY)
            return
        name = zone_named(wanted)
        if name is None:
            await self._delivery.say(ask.chat, texts.no_zone(wanted, similar_zones(wanted)))
            return
        config = await self._memory.choose(owner, lambda known: replace(known, timezone=name))
        await self._delivery.say(ask.chat, texts.zone_text(name, self._now(), config.zone))


def zone_named(words: str) -> str | None:
    """The IANA name that somebody writes ("europe/berlin", "Berlin"), "" for UTC; None for none, or for several."""
    wanted = words.strip().replace(" ", "_").casefold()
    if wanted in ("utc", "gmt", "z", "etc/utc"):
        return ""
    names = available_timezones()
    found = [name for name in names if name.casefold() == wanted]
    if not found:
        found = [name for name in names if name.casefold().rpartition("/")[2] == wanted and "/" in name]
    return found[0] if len(found) == 1 else None


def similar_zones(words: str, most: int = 5) -> Sequence[str]:
    """Names that hold the words."""
    wanted = words.strip().replace(" ", "_").casefold()
    return sorted(name for name in available_timezones() if len(wanted) > 2 and wanted in name.casefold())[:most]


def _id(text: str) -> int:
    """The number of a fact ("12", "#12"); 0 for none."""
    digits = text.strip().lstrip("#")
    return int(digits) if digits.isdecimal() and len(digits) <= 10 else 0
