"""/incognito: memory is read, nothing is written. Does not know what keeps that promise (conversation.py)."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Protocol

from chat.notices import INCOGNITO
from records.owners import OwnerConfig
from telegram_ui.commands.family import Ask, Handler, MayConfigure, Press
from telegram_ui.commands.wizard import ADMINS_ONLY
from telegram_ui.sending.delivery import Delivery

ON = (
    f"Incognito is on: I still read my memory to answer, and write nothing to it. What is said now I know until I "
    f"restart or you turn this off. My answers carry “{INCOGNITO}”. /incognito off ends it."
)
OFF = (
    "Incognito is off: from now on I remember again. What was said meanwhile is stored nowhere, and I have dropped it."
)
HOW = "Send /incognito on, /incognito off, or /incognito alone to change over."
MEMORY_OFF = "Memory is off here: nothing is stored anyway, and nothing of it is read. /summary_on turns it on."


class Memory(Protocol):
    """What is needed of external_memory.ExternalMemory."""

    async def config(self, owner: int) -> OwnerConfig | None: ...
    async def choose(self, owner: int, change: Callable[[OwnerConfig], OwnerConfig]) -> OwnerConfig: ...


class IncognitoCommands:
    """Answers /incognito."""

    def __init__(self, memory: Memory, delivery: Delivery, *, may_configure: MayConfigure) -> None:
        self._memory = memory
        self._delivery = delivery
        self._may_configure = may_configure

    @property
    def handlers(self) -> Mapping[str, Handler]:
        return {"incognito": self._incognito}

    @property
    def presses(self) -> Mapping[str, Press]:
        return {}

    async def _incognito(self, ask: Ask) -> None:
        await self._delivery.say(ask.chat, await self._changed(ask))

    async def _changed(self, ask: Ask) -> str:
        owner, word = ask.chat.scope.owner, ask.argument.strip().lower()
        if word not in ("", "on", "off"):
            return HOW
        if not await self._may_configure(ask.chat, ask.person):
            return ADMINS_ONLY
        config = await self._memory.config(owner)
        if config is None or not config.enabled:
            return MEMORY_OFF
        wanted = word == "on" if word else not config.incognito
        if wanted == config.incognito:
            return "Incognito is on already." if wanted else "Incognito is off already."
        await self._memory.choose(owner, lambda known: replace(known, incognito=wanted))
        return ON if wanted else OFF
