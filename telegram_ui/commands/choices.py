"""/settings: every choice of an owner in one message, changed by its buttons; /tz, /incognito and /language.

Owns their words.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, tzinfo

import telegram
from telegram import BotCommandScopeChat, InlineKeyboardButton
from telegram.error import TelegramError

from chat.choices import Choice, NotOffered, choices_of, choose
from locales.catalog import LANGUAGES, current, language_for, speaking, tr
from locales.told import state_of
from records.owners import OwnerConfig
from telegram_ui.commands import models as model_choices
from telegram_ui.commands.basics import private_menu
from telegram_ui.commands.buttons import BACK, ZONE, in_rows, keyboard_of
from telegram_ui.commands.buttons import SETTINGS as KIND
from telegram_ui.commands.family import Ask, Dependencies, Family, command, press
from telegram_ui.commands.policy import KIND as POLICY
from telegram_ui.commands.wizard import number_in
from telegram_ui.commands.wording import checked, clock_time, policy_name, quoted, thresholds, ticked, zone_of
from text.time_zones import clock_at, label, offsets, zone_of_offset

LANGUAGE = "lng"
ASK = "ask"
"""The payload of the button of /settings that shows the choice in its place."""
BY_APP = "auto"
"""The language of a person's app."""
OFFSET = "o"
ON, OFF = "on", "off"
LABELS: Mapping[str, Callable[[str], str]] = {
    "enabled": lambda _: tr("choices-memory"),
    "incognito": lambda _: tr("choices-incognito"),
    "storage": lambda storage: tr("choices-kept", storage=storage),
    "every_n": lambda number: tr("choices-every", number=number),
    "formatting": lambda how: tr("choices-formatting", how=how),
    "spoken_answers": str,
}
"""The choices that /settings makes itself, with the labels of their buttons."""

Button = Callable[[str, str], InlineKeyboardButton]
"""Makes a button of its label and what it carries."""


class ChoiceCommands(Family):
    """Answers /settings and /tz. In groups only admins choose."""

    heading = "choices"

    def __init__(self, dependencies: Dependencies) -> None:
        super().__init__(dependencies)
        self._operation = dependencies.operation

    @command("settings", who="admins", stands_alone=True, is_ephemeral=True)
    async def _settings(self, ask: Ask) -> None:
        await self._show_settings(ask, await self._config(ask))

    @press(KIND, who="admins")
    async def _press(self, ask: Ask) -> str | None:
        """A choice: what it is about, and its value. The message shows it at once."""
        what, _, value = ask.argument.partition(".")
        if what == BACK:
            await self._show_settings(ask, await self._config(ask))
            return None
        if what == ZONE:
            await self._ask_time(ask, None if value else ask.message_id)
            return None
        if what == OFFSET:
            return await self._press_time(ask, value)
        if refused := await self._choose(ask, what, value):
            return refused
        await self._show_settings(ask, await self._config(ask))
        return None

    async def _choose(self, ask: Ask, what: str, value: str) -> str | None:
        """Make a choice; without memory there is none but to turn it on. Return why there is no such choice."""
        choice = next((one for one in choices_of(self._services) if one.name == what), None)
        if choice is None or (wanted := _value(choice, value)) is None:
            return tr("shared-dead-button")
        config = await self._config(ask)
        if what == "enabled" and wanted is True:
            await self._turn_on(ask)
        elif config is not None and config.enabled:
            try:
                async with self._delivery.typing(ask.chat):
                    await choose(self._services, ask.chat.scope.owner, {what: wanted})
            except NotOffered as refused:
                return str(refused)
        return None

    async def _config(self, ask: Ask) -> OwnerConfig | None:
        return await self._services.memory.config(ask.chat.scope.owner)

    async def _show_settings(self, ask: Ask, config: OwnerConfig | None) -> None:
        def button(label: str, payload: str) -> InlineKeyboardButton:
            return self._button(ask, KIND, label, payload)

        rows = settings_rows(choices_of(self._services), config, button, self._now())
        if config is not None and config.enabled:
            label = tr("policy-heading", policy=policy_name(config.policy))
            rows.append([self._button(ask, POLICY, label, ASK)])
        language = tr("language-button", language=LANGUAGES[current()])
        models, manner = tuple(self._services.models), tr(f"model-persona-{model_choices.persona_of(config)}")
        label = tr("model-manner-button", persona=manner)
        rows.append([self._button(ask, model_choices.PERSONA, label, model_choices.ASK)])
        if len(models) > 1:
            label = tr(
                "model-button", model=quoted(model_choices.model_of(config, models), model_choices.LONGEST_LABEL)
            )
            rows.append([self._button(ask, model_choices.MODEL, label, model_choices.ASK)])
        text = "\n".join([settings_text(config), *self._powers(ask, config)])
        await self._show(ask, text, *rows, [self._button(ask, LANGUAGE, language, ASK)])

    def _powers(self, ask: Ask, config: OwnerConfig | None) -> list[str]:
        """Abilities that the operator's settings leave out; admins are told which setting would add each."""
        services, is_admin = self._services, self._operation.is_admin(ask.person, is_private=ask.chat.is_private)
        model = services.models[model_choices.model_of(config, tuple(services.models))]
        lines = [
            (model.sees is not False, tr("choices-no-pictures"), "OPENAI_MODEL, VISION"),
            (services.attachments.hears, tr("choices-no-voices"), "TRANSCRIPTION_MODEL"),
            (services.speech is not None, tr("choices-no-speech"), "SPEECH_MODEL"),
        ]
        return [
            f"{line} {tr('choices-set', setting=setting)}" if is_admin else line
            for is_possible, line, setting in lines
            if not is_possible
        ]

    # the time zone -------------------------------------------------------------------------------------------

    @command("tz")
    async def _tz(self, ask: Ask) -> str | None:
        words = ask.argument.strip()
        if words:
            return await self._choose_zone(ask, words)
        await self._ask_time(ask, None)
        return None

    async def _ask_time(self, ask: Ask, instead_of: int | None) -> None:
        """Show the time zone, and the times of all zones to press. `instead_of`: the settings, which come back."""
        config, now = await self._config(ask), self._now()
        after = "" if instead_of is None else f".{BACK}"
        times = [self._button(ask, KIND, clock_at(now, one), f"{OFFSET}.{one}{after}") for one in offsets()]
        rows = in_rows(times, 5)
        back = [] if instead_of is None else [self._settings_button(ask)]
        text = f"{zone_text(config.timezone if config else '', now, zone_of(config))}\n{tr('choices-which-time')}"
        await self._delivery.replace(ask.chat, instead_of, text, keyboard=keyboard_of(*rows, back))

    async def _press_time(self, ask: Ask, value: str) -> str | None:
        """The offset of the time that was pressed is their zone, until they name a city."""
        minutes, _, after = value.partition(".")
        name = zone_of_offset(int(minutes)) if minutes.removeprefix("-").isdecimal() and len(minutes) < 5 else None
        if name is None:
            return tr("shared-dead-button")
        config = await self._set_zone(ask, name)
        told = zone_text(name, self._now(), config.zone)
        if not after:
            await self._show(ask, told)
            return None
        await self._show_settings(ask, config)
        return told

    async def _choose_zone(self, ask: Ask, words: str) -> str:
        """Set the zone that the words name; what to say."""
        if not await self._may_configure(ask.chat, ask.person):
            return tr("shared-admins-only")
        try:
            config = await self._set_zone(ask, words)
        except NotOffered as unknown:
            return str(unknown)
        return zone_text(config.timezone, self._now(), config.zone)

    async def _set_zone(self, ask: Ask, name: str) -> OwnerConfig:
        return await choose(self._services, ask.chat.scope.owner, {"timezone": name})


def _value(choice: Choice, value: str) -> object:
    """Return the value that a button carries; None if it is none of the choice's."""
    match choice.kind:
        case "switch":
            return {ON: True, OFF: False}.get(value)
        case "number":
            return number_in(value)
    return value


def settings_text(config: OwnerConfig | None) -> str:
    """The state of the settings; the buttons below say the rest."""
    lines = [tr("choices-heading"), "", state_of(config)]
    if config is not None and config.enabled:
        lines.append(tr("choices-every-what", turns=config.every_n) if config.auto_fold else tr("policy-by-hand"))
    return "\n".join(lines)


def settings_rows(
    choices: Sequence[Choice], config: OwnerConfig | None, button: Button, now: datetime
) -> list[list[InlineKeyboardButton]]:
    """The buttons under the settings, the current choices marked; only those that have an effect now."""
    is_on = config is not None and config.enabled
    shown = {one.name: one for one in choices if one.is_offered(config) and (is_on or one.name == "enabled")}
    rows = [_row(shown[name], config, button) for name in LABELS if name in shown]
    zone, time = label(config.timezone if config else ""), clock_time(now, zone_of(config))
    return [*rows, [button(tr("choices-zone", zone=zone, time=time), ZONE)]]


def _row(choice: Choice, config: OwnerConfig | None, button: Button) -> list[InlineKeyboardButton]:
    """Return a button for each value of a choice, or one that switches it."""
    chosen, name = choice.value_in(config), LABELS[choice.name]
    if choice.kind == "switch":
        return [button(checked(name(""), is_on=chosen), f"{choice.name}.{OFF if chosen else ON}")]
    if choice.kind == "number":
        return thresholds(
            chosen, lambda shown, number: button(shown, f"{choice.name}.{number}"), lambda n: name(str(n))
        )
    return [
        button(ticked(name(choice.label(value)), is_chosen=value == chosen), f"{choice.name}.{value}")
        for value in choice.values
    ]


def zone_text(name: str, now: datetime, zone: tzinfo) -> str:
    """The time zone in use."""
    lines = [tr("choices-zone-is", zone=label(name), time=clock_time(now, zone))]
    if name.startswith("Etc/"):
        lines.append(tr("choices-zone-fixed"))
    return " ".join(lines)


class IncognitoCommands(Family):
    """Answers /incognito."""

    heading = "choices"

    @command("incognito", who="admins")
    async def _incognito(self, ask: Ask) -> str:
        owner, word = ask.chat.scope.owner, ask.argument.strip().lower()
        config = await self._services.memory.config(owner)
        if config is None or not config.enabled or word not in ("", ON, OFF):
            return state_of(config)
        chosen = word == ON if word else not config.incognito
        await choose(self._services, owner, {"incognito": chosen})
        return tr("incognito-on", mark=tr("notices-incognito")) if chosen else tr("incognito-off")


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
        found = next((code for code, name in LANGUAGES.items() if wanted in (code, name.casefold())), None)
        if found is None and wanted != BY_APP:
            await self._show_choice(ask)
            return None
        return await self._choose(ask, found or "")

    @press(LANGUAGE, who="admins")
    async def _press(self, ask: Ask) -> str | None:
        if ask.argument == ASK:
            await self._show_choice(ask)
            return None
        if ask.argument != BY_APP and ask.argument not in LANGUAGES:
            return tr("shared-dead-button")
        chosen = "" if ask.argument == BY_APP else ask.argument
        await self._choose(ask, chosen)
        with speaking(self._spoken(ask, chosen)):
            await self._show_choice(ask)
        return None

    async def _choose(self, ask: Ask, chosen: str) -> str:
        """Keep a choice, "" = none; what to say, in the language that is spoken from now on."""
        await choose(self._services, ask.chat.scope.owner, {"language": chosen})
        with speaking(self._spoken(ask, chosen)):
            await self._set_menu(ask, chosen)
            return tr("language-chosen", language=LANGUAGES[current()])

    def _spoken(self, ask: Ask, chosen: str) -> str:
        default = self._dependencies.default_language
        return language_for(chosen, ask.person.language, is_shared=not ask.chat.is_private, default=default)

    async def _set_menu(self, ask: Ask, chosen: str) -> None:
        """The menu of a private chat speaks the chosen language; without one, that of the person's app again."""
        if not ask.chat.is_private:
            return
        bot: telegram.Bot = ask.update.get_bot()
        scope = BotCommandScopeChat(ask.chat.id)
        rows = [(row.name, row.description) for row in private_menu(self._dependencies.commands)]
        with suppress(TelegramError):  # the commands work all the same
            await (bot.set_my_commands(rows, scope=scope) if chosen else bot.delete_my_commands(scope=scope))

    async def _show_choice(self, ask: Ask) -> None:
        config = await self._services.memory.config(ask.chat.scope.owner)
        chosen = config.language if config else ""
        buttons = [
            self._button(ask, LANGUAGE, ticked(name, is_chosen=code == chosen), code)
            for code, name in LANGUAGES.items()
        ]
        if ask.chat.is_private:
            label = ticked(tr("language-automatic"), is_chosen=not chosen)
            buttons.append(self._button(ask, LANGUAGE, label, BY_APP))
        rows = in_rows(buttons, 2)
        await self._show(ask, tr("language-question"), *rows, [self._settings_button(ask)])
