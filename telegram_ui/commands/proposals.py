"""What the model proposes to remember or to forget, put before a person with two buttons.

A fact to remember stands in the question itself, so that its button works after a restart with nothing kept anywhere.
Forgetting goes the way of /forget. Does not know when something is proposed (model_tools.py).
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Protocol

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from records.facts import Fact
from records.forgetting import Forgetting
from records.owners import OwnerConfig
from records.scopes import Person
from records.turns import Proposal
from telegram_ui.commands.buttons import Buttons
from telegram_ui.commands.family import Ask, Handler, MayConfigure, Press
from telegram_ui.commands.forget import FINAL, Forgetful, receipt
from telegram_ui.commands.forget_targets import Target, payload, read
from telegram_ui.commands.wizard import ADMINS_ONLY
from telegram_ui.sending.chat import Chat
from telegram_ui.sending.delivery import Delivery

PROPOSED = "prp"
QUESTIONS = {"remember": "Shall I remember this?", "forget": "Shall I forget this?"}
LABELS = {"remember": ("Remember it", "No"), "forget": ("Forget it", "Keep it")}
DECLINED = {"remember": "Not remembered.", "forget": "It stays as it is."}
MEMORY_OFF = "Memory is off now, or incognito: nothing was changed."
GONE = "There is no such fact any more."
EXPIRED = "This question is more than 10 minutes old and does nothing any more. /forget erases a fact by its number."
WITH_IT = "What was built on it goes too."
NO = "no"


class Memory(Protocol):
    """What is needed of external_memory.ExternalMemory."""

    async def config(self, owner: int) -> OwnerConfig | None: ...


class Known(Protocol):
    """What is needed of facts.Facts."""

    async def add(self, owner: int, text: str) -> tuple[Fact, bool]: ...


class Proposals:
    """A family without commands of its own."""

    def __init__(
        self,
        memory: Memory,
        known: Known,
        corrections: Forgetful,
        delivery: Delivery,
        *,
        may_configure: MayConfigure,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._memory = memory
        self._known = known
        self._corrections = corrections
        self._delivery = delivery
        self._may_configure = may_configure
        self._now = now

    @property
    def handlers(self) -> Mapping[str, Handler]:
        return {}

    @property
    def presses(self) -> Mapping[str, Press]:
        return {PROPOSED: self._press}

    async def _press(self, ask: Ask) -> str | None:
        if not await self._may_configure(ask.chat, ask.person):
            return ADMINS_ONLY
        kind, _, choice = ask.argument.partition("-")
        config = await self._memory.config(ask.chat.scope.owner)
        if choice == NO:
            told = DECLINED.get(kind, GONE)
        elif config is None or not config.enabled or config.incognito:
            told = MEMORY_OFF
        else:
            told = await (self._forget(ask, choice) if kind == "forget" else self._remember(ask))
        await self._delivery.replace(ask.chat, ask.message_id, told)
        return None

    async def _remember(self, ask: Ask) -> str:
        heading, _, words = ask.shown.partition("\n\n")
        if heading != QUESTIONS["remember"] or not words:
            return "This question is too old to be answered. Tell me again, or use /memory add."
        fact, is_new = await self._known.add(ask.chat.scope.owner, words)
        return f"{'Remembered' if is_new else 'Known already'} as fact {fact.id}: {fact.text}\n\n/memory shows it."

    async def _forget(self, ask: Ask, choice: str) -> str:
        target = read(choice, self._now())
        if target is None:
            return EXPIRED
        async with self._delivery.typing(ask.chat):
            taken = await self._corrections.forget(ask.chat.scope.owner, Forgetting(what="facts", ids=(target.number,)))
        return GONE if taken.is_nothing else receipt(taken)


async def put(proposal: Proposal, delivery: Delivery, buttons: Buttons, chat: Chat, person: Person) -> None:
    """Ask this person, and nobody else. To forget is offered for ten minutes, as by /forget."""
    yes, no = LABELS[proposal.kind]
    text, choice = f"{QUESTIONS[proposal.kind]}\n\n{proposal.text}", ""
    if proposal.kind == "forget":
        text += f"\n\n{WITH_IT} {FINAL}"
        choice = payload(Target(kind="fact", number=proposal.fact), datetime.now(UTC))
    choices = [(yes, f"{proposal.kind}-{choice}"), (no, f"{proposal.kind}-{NO}")]
    row = [
        InlineKeyboardButton(label, callback_data=buttons.data(PROPOSED, chat, person, chosen))
        for label, chosen in choices
    ]
    await delivery.say(chat, text, keyboard=InlineKeyboardMarkup([row]))
