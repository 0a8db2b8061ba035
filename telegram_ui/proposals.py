"""What the model proposes to remember or to forget, put before a person with two buttons.

A fact to remember stands in the question itself, so that its button works after a restart with nothing kept anywhere.
Does not know when something is proposed (model_tools.py).
"""

from collections.abc import Mapping
from typing import Protocol

import telegram
from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from records import Fact, OwnerConfig, Person, Proposal
from telegram_ui.buttons import Buttons
from telegram_ui.chat import Chat
from telegram_ui.delivery import Delivery
from telegram_ui.family import Ask, Handler, MayConfigure, Press
from telegram_ui.wizard import ADMINS_ONLY

PROPOSED = "prp"
QUESTIONS = {"remember": "Shall I remember this?", "forget": "Shall I forget this?"}
LABELS = {"remember": ("Remember it", "No"), "forget": ("Forget it", "Keep it")}
DECLINED = {"remember": "Not remembered.", "forget": "It stays as it is."}
MEMORY_OFF = "Memory is off now, or incognito: nothing was changed."
GONE = "There is no such fact any more."


class Memory(Protocol):
    """What is needed of external_memory.ExternalMemory."""

    async def config(self, owner: int) -> OwnerConfig | None: ...


class Known(Protocol):
    """What is needed of facts.Facts."""

    async def add(self, owner: int, text: str) -> tuple[Fact, bool]: ...
    async def delete(self, owner: int, id_: int) -> Fact | None: ...


class Proposals:
    """A family without commands of its own."""

    def __init__(self, memory: Memory, known: Known, delivery: Delivery, *, may_configure: MayConfigure) -> None:
        self._memory = memory
        self._known = known
        self._delivery = delivery
        self._may_configure = may_configure

    @property
    def handlers(self) -> Mapping[str, Handler]:
        return {}

    @property
    def presses(self) -> Mapping[str, Press]:
        return {PROPOSED: self._press}

    async def _press(self, ask: Ask) -> str | None:
        if not await self._may_configure(ask.chat, ask.person):
            return ADMINS_ONLY
        kind, _, number = ask.argument.partition("-")
        config = await self._memory.config(ask.chat.scope.owner)
        if number == "no":
            told = DECLINED.get(kind, GONE)
        elif config is None or not config.enabled or config.incognito:
            told = MEMORY_OFF
        else:
            told = await (self._forget(ask, int(number)) if kind == "forget" else self._remember(ask))
        if ask.message_id is not None:
            await self._delivery.replace(ask.chat, ask.message_id, told)
        return None

    async def _remember(self, ask: Ask) -> str:
        shown = ask.update.effective_message
        text = shown.text or "" if isinstance(shown, telegram.Message) else ""
        heading, _, words = text.partition("\n\n")
        if heading != QUESTIONS["remember"] or not words:
            return "This question is too old to be answered. Tell me again, or use /memory add."
        fact, is_new = await self._known.add(ask.chat.scope.owner, words)
        return f"{'Remembered' if is_new else 'Known already'} as fact {fact.id}: {fact.text}\n\n/memory shows it."

    async def _forget(self, ask: Ask, number: int) -> str:
        fact = await self._known.delete(ask.chat.scope.owner, number)
        return f"Forgotten: fact {number}. /memory undo {number} brings it back for a day." if fact else GONE


def question(proposal: Proposal) -> str:
    return f"{QUESTIONS[proposal.kind]}\n\n{proposal.text}"


def keyboard(proposal: Proposal, buttons: Buttons, chat: Chat, person: Person) -> InlineKeyboardMarkup:
    """Yes and no, for this person alone."""
    yes, no = LABELS[proposal.kind]
    return InlineKeyboardMarkup(
        [
            [
                InlineKeyboardButton(label, callback_data=buttons.data(PROPOSED, chat, person, payload))
                for label, payload in ((yes, f"{proposal.kind}-{proposal.fact}"), (no, f"{proposal.kind}-no"))
            ]
        ]
    )
