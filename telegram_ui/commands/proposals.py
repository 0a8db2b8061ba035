"""What the model proposes to remember or to forget, put before a person with two buttons.

The fact to remember stands in the question itself, so that its button works after a restart although nothing is kept.
Forgetting goes the way of /forget. Does not know when something is proposed (chat/tools.py).
"""

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from records.forgetting import Forgetting
from records.scopes import Person
from records.turns import Proposal
from telegram_ui.commands.family import Ask, Dependencies, Family, press
from telegram_ui.commands.forget import FINAL, receipt
from telegram_ui.commands.forget_targets import Target, payload, read
from telegram_ui.sending.chat import Chat

PROPOSED = "prp"
QUESTIONS = {"remember": "Shall I remember this?", "forget": "Shall I forget this?"}
LABELS = {"remember": ("Remember it", "No"), "forget": ("Forget it", "Keep it")}
DECLINED = {"remember": "Not remembered.", "forget": "It stays as it is."}
MEMORY_OFF = "Memory is off now, or incognito: nothing was changed."
GONE = "There is no such fact any more."
EXPIRED = "This question is more than 10 minutes old and does nothing any more. /forget erases a fact by its number."
DERIVED = "What was built on it goes too."
NO = "no"


class Proposals(Family):
    """A family without commands of its own."""

    @press(PROPOSED, who="admins")
    async def _press(self, ask: Ask) -> None:
        kind, _, choice = ask.argument.partition("-")
        config = await self._services.memory.config(ask.chat.scope.owner)
        if choice == NO:
            outcome = DECLINED.get(kind, GONE)
        elif config is None or not config.enabled or config.incognito:
            outcome = MEMORY_OFF
        else:
            outcome = await (self._forget(ask, choice) if kind == "forget" else self._remember(ask))
        await self._show(ask, outcome)

    async def _remember(self, ask: Ask) -> str:
        heading, _, text = ask.message_text.partition("\n\n")
        if heading != QUESTIONS["remember"] or not text:
            return "This question is too old to be answered. Tell me again, or use /memory add."
        fact, is_new = await self._services.facts.add(ask.chat.scope.owner, text)
        return f"{'Remembered' if is_new else 'Known already'} as fact {fact.id}: {fact.text}\n\n/memory shows it."

    async def _forget(self, ask: Ask, choice: str) -> str:
        target = read(choice, self._now())
        if target is None:
            return EXPIRED
        what = Forgetting(what="facts", ids=(target.number,))
        async with self._delivery.typing(ask.chat):
            forgotten = await self._services.corrections.forget(ask.chat.scope.owner, what)
        return GONE if forgotten.is_nothing else receipt(forgotten)


async def ask(dependencies: Dependencies, chat: Chat, person: Person, proposal: Proposal) -> None:
    """Ask this person and nobody else. The button that forgets works for ten minutes, as under /forget."""
    yes, no = LABELS[proposal.kind]
    text, choice = f"{QUESTIONS[proposal.kind]}\n\n{proposal.text}", ""
    if proposal.kind == "forget":
        text += f"\n\n{DERIVED} {FINAL}"
        choice = payload(Target(kind="fact", number=proposal.fact), dependencies.services.clock())
    row = [
        InlineKeyboardButton(
            label, callback_data=dependencies.buttons.data(PROPOSED, chat, person, f"{proposal.kind}-{chosen}")
        )
        for label, chosen in ((yes, choice), (no, NO))
    ]
    await dependencies.delivery.say(chat, text, keyboard=InlineKeyboardMarkup([row]))
