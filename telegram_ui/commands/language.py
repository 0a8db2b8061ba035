"""/language: in which language the bot's own words are; a button for each, the current one ticked.

Does not know what is said in which language (locales/), nor which is taken where none is chosen (registry.py).
"""

from contextlib import suppress
from dataclasses import replace

import telegram
from telegram import BotCommandScopeChat, InlineKeyboardMarkup
from telegram.error import TelegramError

from locales.catalog import LANGUAGES, current, speaking, tr
from locales.choice import language_for
from locales.lists import listed
from telegram_ui.commands.family import Ask, Dependencies, Family, command, press
from telegram_ui.commands.wording import ticked

KIND = "lng"
ASK = "ask"
"""What the button of /settings carries: it shows the choice in its place."""
AUTOMATIC = "auto"
IN_A_ROW = 2
LONGEST_SHOWN = 40
"""Characters of a name that is no language's, as the answer repeats it."""


class LanguageCommands(Family):
    """Answers /language. In groups only admins choose."""

    heading = "choices"

    def __init__(self, dependencies: Dependencies) -> None:
        super().__init__(dependencies)
        self._dependencies = dependencies

    @command("language", who="admins")
    async def _language(self, ask: Ask) -> str | None:
        """With buttons; or the one that is named after the command is chosen at once."""
        wanted = ask.argument.strip().casefold()
        if not wanted:
            await self._show_choice(ask, None)
            return None
        found = next((code for code, name in LANGUAGES.items() if wanted in (code, name.casefold())), None)
        if found is None and wanted != AUTOMATIC:
            names = listed([*LANGUAGES, AUTOMATIC])
            return tr("language-unknown", wanted=ask.argument.strip()[:LONGEST_SHOWN], names=names)
        return await self._choose(ask, found or "")

    @press(KIND, who="admins")
    async def _press(self, ask: Ask) -> str | None:
        if ask.argument == ASK:
            await self._show_choice(ask, ask.message_id)
            return None
        if ask.argument != AUTOMATIC and ask.argument not in LANGUAGES:
            return tr("shared-dead-button")
        chosen = "" if ask.argument == AUTOMATIC else ask.argument
        text = await self._choose(ask, chosen)
        with speaking(self._spoken(ask, chosen)):
            await self._show_choice(ask, ask.message_id)
        return text

    async def _choose(self, ask: Ask, chosen: str) -> str:
        """Keep a choice, "" = none; what to say, in the language that is spoken from now on."""
        await self._services.memory.choose(ask.chat.scope.owner, lambda known: replace(known, language=chosen))
        with speaking(self._spoken(ask, chosen)):
            await self._set_menu(ask, chosen)
            key = "language-chosen" if chosen else "language-chosen-automatic"
            return tr(key, language=LANGUAGES[current()])

    def _spoken(self, ask: Ask, chosen: str) -> str:
        default = self._dependencies.default_language
        return language_for(chosen, ask.person.language, is_shared=not ask.chat.is_private, default=default)

    async def _set_menu(self, ask: Ask, chosen: str) -> None:
        """The menu of a private chat speaks the chosen language; without one, that of the person's app again."""
        if not ask.chat.is_private:
            return
        bot: telegram.Bot = ask.update.get_bot()
        scope = BotCommandScopeChat(ask.chat.id)
        rows = [(row.name, row.description) for row in self._dependencies.commands if row.where != "admins"]
        with suppress(TelegramError):  # the commands work all the same
            await (bot.set_my_commands(rows, scope=scope) if chosen else bot.delete_my_commands(scope=scope))

    async def _show_choice(self, ask: Ask, instead_of: int | None) -> None:
        config = await self._services.memory.config(ask.chat.scope.owner)
        chosen = config.language if config else ""
        buttons = [
            self._button(ask, KIND, ticked(name, is_chosen=code == chosen), code) for code, name in LANGUAGES.items()
        ]
        if ask.chat.is_private:
            label = ticked(tr("language-automatic"), is_chosen=not chosen)
            buttons.append(self._button(ask, KIND, label, AUTOMATIC))
        rows = [buttons[start : start + IN_A_ROW] for start in range(0, len(buttons), IN_A_ROW)]
        rows.append([self._settings_button(ask)])
        text = tr("language-question") if ask.chat.is_private else tr("language-question-group")
        await self._delivery.replace(ask.chat, instead_of, text, keyboard=InlineKeyboardMarkup(rows))
