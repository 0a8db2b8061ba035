"""/incognito: memory is read, nothing is written. Does not know what keeps that promise (chat/conversation.py)."""

from dataclasses import replace

from chat.notices import INCOGNITO
from telegram_ui.commands.family import Ask, Family, command

ON = (
    "Incognito is on: I still read my memory to answer, and write nothing to it. I know what is said now until I "
    f"restart or you turn this off. My answers are marked “{INCOGNITO}”. /incognito off ends it."
)
OFF = (
    "Incognito is off: from now on I remember again. What was said in the meantime is stored nowhere, and I have "
    "dropped it."
)
HOW = "Send /incognito on, /incognito off, or just /incognito to switch."
MEMORY_OFF = "Memory is off here: nothing is stored anyway, and nothing of it is read. /summary_on turns it on."


class IncognitoCommands(Family):
    """Answers /incognito."""

    heading = "choices"

    @command("incognito", who="admins")
    async def _incognito(self, ask: Ask) -> str:
        owner, word = ask.chat.scope.owner, ask.argument.strip().lower()
        if word not in ("", "on", "off"):
            return HOW
        config = await self._services.memory.config(owner)
        if config is None or not config.enabled:
            return MEMORY_OFF
        chosen = word == "on" if word else not config.incognito
        if chosen == config.incognito:
            return "Incognito is on already." if chosen else "Incognito is off already."
        await self._services.memory.choose(owner, lambda current: replace(current, incognito=chosen))
        return ON if chosen else OFF
