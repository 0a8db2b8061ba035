"""A question that the person's next text answers: asked, answered, closed.

Owns how long it waits, and that the update which ended it is recognised when it comes again. Does not know what is
asked, nor what becomes of the answer.
"""

from datetime import timedelta

from telegram import ForceReply, InlineKeyboardMarkup

from locales.catalog import tr
from storage.bot_state.wizard_state import LEFT, WizardState
from telegram_ui.commands.buttons import nonce
from telegram_ui.commands.family import Ask, Dependencies

LIFETIME = timedelta(minutes=10)
PLACEHOLDER = 64
"""Characters that Telegram shows in an empty reply field."""


class NextText:
    """One kind of question. `kind` begins its step in the store, so that a restart changes nothing."""

    def __init__(self, kind: str, dependencies: Dependencies) -> None:
        self._kind = f"{kind}:"
        self._states = dependencies.services.memory.wizards
        self._delivery = dependencies.delivery
        self._now = dependencies.services.clock

    async def ask_for(
        self, ask: Ask, question: str, *, about: int | None, example: str, choices: InlineKeyboardMarkup | None = None
    ) -> None:
        """Ask a person; an earlier question or setup of theirs here is replaced. `about`: a number that the answer
        needs; `example`: stands in the empty reply field, which only groups need; `choices`: answers to press, which
        only private chats have room for.
        """
        await self._put(ask, f"{self._kind}{about or ''}", nonce())
        if ask.chat.is_private:
            await self._delivery.say(ask.chat, question, keyboard=choices)
        else:
            field = ForceReply(selective=True, input_field_placeholder=example[:PLACEHOLDER])
            await self._delivery.say(ask.chat, tr("choices-reply", question=question), keyboard=field)

    async def answered(self, ask: Ask) -> int | None:
        """What the question was about that this text answers (0: nothing that needs a number); None where it answers
        none, or comes too late.
        """
        state = await self._states.get(ask.chat.place, ask.person.id)
        if state is None or not state.step.startswith(self._kind):
            return None
        if not ask.chat.is_private and not ask.answers_the_bot:
            return None
        if self._now() >= state.expires_at:
            await self._states.drop(ask.chat.place, ask.person.id)
            return None
        return int(state.step.removeprefix(self._kind) or 0)

    async def close(self, ask: Ask) -> None:
        """End the question. The update that ended it is taken for nothing else when it is replayed."""
        await self._put(ask, LEFT, str(ask.update.update_id))

    async def _put(self, ask: Ask, step: str, nonce_: str) -> None:
        await self._states.put(
            WizardState(
                scope=ask.chat.place,
                person=ask.person.id,
                step=step,
                nonce=nonce_,
                expires_at=self._now() + LIFETIME,
            )
        )
