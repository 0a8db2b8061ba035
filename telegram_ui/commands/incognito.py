"""/incognito: memory is read, nothing is written. Does not know what keeps that promise (chat/conversation.py)."""

from dataclasses import replace

from locales.catalog import tr
from telegram_ui.commands.family import Ask, Family, command


class IncognitoCommands(Family):
    """Answers /incognito."""

    heading = "choices"

    @command("incognito", who="admins")
    async def _incognito(self, ask: Ask) -> str:
        owner, word = ask.chat.scope.owner, ask.argument.strip().lower()
        if word not in ("", "on", "off"):
            return tr("incognito-how")
        config = await self._services.memory.config(owner)
        if config is None or not config.enabled:
            return tr("incognito-memory-off")
        chosen = word == "on" if word else not config.incognito
        if chosen == config.incognito:
            return tr("incognito-on-already" if chosen else "incognito-off-already")
        await self._services.memory.choose(owner, lambda current: replace(current, incognito=chosen))
        return tr("incognito-on", mark=tr("notices-incognito")) if chosen else tr("incognito-off")
