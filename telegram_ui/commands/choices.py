"""/settings, /tz, /incognito and /language: the choices of an owner."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, tzinfo

import telegram
from telegram import BotCommandScopeChat, InlineKeyboardButton
from telegram.error import TelegramError

from chat.choices import Choice, NotOffered, list_choices
from locales.catalog import LANGUAGES, choose_language, current_language, tr, use_language
from locales.told import format_memory_state
from records.owners import OwnerConfig
from telegram_ui.commands import models as model_choices
from telegram_ui.commands import wording
from telegram_ui.commands.basics import make_private_menu
from telegram_ui.commands.buttons import ASK, BACK, ZONE, make_keyboard, split_into_rows
from telegram_ui.commands.buttons import SETTINGS as KIND
from telegram_ui.commands.family import Ask, Command, Family, Press
from telegram_ui.commands.summaries import POLICY
from telegram_ui.commands.wizard import parse_threshold
from text.time_zones import find_zone_of_offset, format_time_at_offset, format_zone, list_offsets

LANGUAGE = "lng"
BY_APP = "auto"  # follow the language of the person's app
OFFSET = "o"
ON, OFF = "on", "off"
LABELS: Mapping[str, Callable[[str], str]] = {
    "enabled": lambda _: tr("choices-memory"),
    "incognito": lambda _: tr("choices-incognito"),
    "storage": lambda storage: tr("choices-kept", storage=storage),
    "every_n": lambda number: tr("choices-every", number=number),
    "formatting": lambda how: tr("choices-formatting", how=how),
    "spoken_answers": str,
}  # the choices that have buttons in /settings itself, with functions that return a button's label for a value

MakeButton = Callable[[str, str], InlineKeyboardButton]  # makes a button from its label and payload


class ChoiceCommands(Family):
    """The handlers of /settings, /tz, /incognito and /language. In groups, only admins may change settings."""

    heading = "choices"

    @Command("settings", who="admins", stands_alone=True, is_ephemeral=True)
    async def _handle_settings_command(self, ask: Ask) -> None:
        await self._show_settings(ask, await self._read_config(ask))

    @Press(KIND, who="admins")
    async def _apply_pressed_choice(self, ask: Ask) -> str | None:
        what, _, value = ask.argument.partition(".")
        if what == BACK:
            return await self._show_settings(ask, await self._read_config(ask))
        if what == ZONE:
            return await self._ask_local_time(ask, None if value else ask.message_id)
        if what == OFFSET:
            return await self._set_zone_by_time(ask, value)
        if refused := await self._set_choice(ask, what, value):
            return refused
        return await self._show_settings(ask, await self._read_config(ask))

    async def _set_choice(self, ask: Ask, name: str, value: str) -> str | None:
        choice = next((choice for choice in list_choices(self._services) if choice.name == name), None)
        if choice is None or (wanted := _parse_value(choice, value)) is None:
            return tr("shared-dead-button")
        config = await self._read_config(ask)
        if name == "enabled" and wanted is True:
            await self._switch_memory_on(ask)
        elif config is not None and config.enabled:
            try:
                async with self._delivery.show_typing(ask.chat):
                    await self._store_choices(ask, **{name: wanted})
            except NotOffered as refused:
                return str(refused)
        return None

    async def _show_settings(self, ask: Ask, config: OwnerConfig | None) -> str | None:
        def make_button(label: str, payload: str) -> InlineKeyboardButton:
            return self._make_button(ask, KIND, label, payload)

        rows = make_settings_rows(list_choices(self._services), config, make_button, self._now())
        if config is not None and config.enabled:
            label = tr("policy-heading", policy=wording.format_policy_name(config.policy))
            rows.append([self._make_button(ask, POLICY, label, ASK)])
        persona = tr(f"model-persona-{model_choices.choose_persona(config)}")
        label = tr("model-manner-button", persona=persona)
        rows.append([self._make_button(ask, model_choices.PERSONA, label, ASK)])
        models = tuple(self._services.models)
        if len(models) > 1:
            name = wording.format_quote(model_choices.choose_model(config, models), model_choices.MAX_LABEL_CHARS)
            rows.append([self._make_button(ask, model_choices.MODEL, tr("model-button", model=name), ASK)])
        language = tr("language-button", language=LANGUAGES[current_language()])
        rows.append([self._make_button(ask, LANGUAGE, language, ASK)])
        lines = [tr("choices-heading"), "", format_memory_state(config)]
        if config is not None and config.enabled:
            lines.append(tr("choices-every-what", turns=config.every_n) if config.auto_fold else tr("policy-by-hand"))
        return await self._show_text(ask, "\n".join([*lines, *self._list_missing_abilities(ask, config)]), *rows)

    def _list_missing_abilities(self, ask: Ask, config: OwnerConfig | None) -> list[str]:
        services, is_admin = self._services, self._operation.is_admin(ask.person, is_private=ask.chat.is_private)
        model = services.models[model_choices.choose_model(config, tuple(services.models))]
        lines = [
            (model.supports_pictures is not False, tr("choices-no-pictures"), "OPENAI_MODEL, VISION"),
            (services.attachments.can_transcribe, tr("choices-no-voices"), "TRANSCRIPTION_MODEL"),
            (services.speech is not None, tr("choices-no-speech"), "SPEECH_MODEL"),
        ]
        return [
            f"{line} {tr('choices-set', setting=setting)}" if is_admin else line
            for is_possible, line, setting in lines
            if not is_possible
        ]

    @Command("tz")
    async def _handle_zone_command(self, ask: Ask) -> str | None:
        name = ask.argument.strip()
        if not name:
            return await self._ask_local_time(ask, None)
        if not await self._may_configure(ask.chat, ask.person):
            return tr("shared-admins-only")
        try:
            config = await self._store_choices(ask, timezone=name)
        except NotOffered as unknown:
            return str(unknown)
        return format_zone_with_time(config.timezone, self._now(), config.zone)

    async def _ask_local_time(self, ask: Ask, message_id: int | None) -> str | None:
        """Ask for the person's local time with buttons. `message_id` is the settings message to replace, if any."""
        config, now = await self._read_config(ask), self._now()
        after = "" if message_id is None else f".{BACK}"
        times = [
            self._make_button(ask, KIND, format_time_at_offset(now, offset), f"{OFFSET}.{offset}{after}")
            for offset in list_offsets()
        ]
        rows = split_into_rows(times, 5)
        back = [] if message_id is None else [self._make_settings_button(ask)]
        here = format_zone_with_time(config.timezone if config else "", now, wording.find_zone(config))
        text = f"{here}\n{tr('choices-which-time')}"
        await self._delivery.replace_message(ask.chat, message_id, text, keyboard=make_keyboard(*rows, back))
        return None

    async def _set_zone_by_time(self, ask: Ask, value: str) -> str | None:
        minutes, _, after = value.partition(".")
        name = find_zone_of_offset(int(minutes)) if minutes.removeprefix("-").isdecimal() and len(minutes) < 5 else None
        if name is None:
            return tr("shared-dead-button")
        config = await self._store_choices(ask, timezone=name)
        chosen = format_zone_with_time(name, self._now(), config.zone)
        if not after:
            return await self._show_text(ask, chosen)
        await self._show_settings(ask, config)
        return chosen

    @Command("incognito", who="admins")
    async def _switch_incognito(self, ask: Ask) -> str:
        config, word = await self._read_config(ask), ask.argument.strip().lower()
        if config is None or not config.enabled or word not in ("", ON, OFF):
            return format_memory_state(config)
        chosen = word == ON if word else not config.incognito
        await self._store_choices(ask, incognito=chosen)
        return tr("incognito-on", mark=tr("notices-incognito")) if chosen else tr("incognito-off")

    @Command("language", who="admins")
    async def _handle_language_command(self, ask: Ask) -> str | None:
        wanted = ask.argument.strip().casefold()
        found = next((code for code, name in LANGUAGES.items() if wanted in (code, name.casefold())), None)
        if found is None and wanted != BY_APP:
            return await self._show_languages(ask)
        return await self._set_language(ask, found or "")

    @Press(LANGUAGE, who="admins")
    async def _select_language(self, ask: Ask) -> str | None:
        if ask.argument == ASK:
            return await self._show_languages(ask)
        if ask.argument != BY_APP and ask.argument not in LANGUAGES:
            return tr("shared-dead-button")
        chosen = "" if ask.argument == BY_APP else ask.argument
        await self._set_language(ask, chosen)
        with use_language(self._resolve_language(ask, chosen)):
            await self._show_languages(ask)
        return None

    async def _set_language(self, ask: Ask, language: str) -> str:
        await self._store_choices(ask, language=language)
        with use_language(self._resolve_language(ask, language)):
            await self._set_menu(ask, language)
            return tr("language-chosen", language=LANGUAGES[current_language()])

    def _resolve_language(self, ask: Ask, language: str) -> str:
        default = self._dependencies.default_language
        return choose_language(language, ask.person.language, is_shared=not ask.chat.is_private, default=default)

    async def _set_menu(self, ask: Ask, language: str) -> None:
        if not ask.chat.is_private:
            return
        bot: telegram.Bot = ask.update.get_bot()
        scope = BotCommandScopeChat(ask.chat.id)
        rows = [(row.name, row.description) for row in make_private_menu(self._dependencies.commands)]
        with suppress(TelegramError):  # commands work without a menu
            await (bot.set_my_commands(rows, scope=scope) if language else bot.delete_my_commands(scope=scope))

    async def _show_languages(self, ask: Ask) -> str | None:
        config = await self._read_config(ask)
        chosen = config.language if config else ""
        labels = {**LANGUAGES, BY_APP: tr("language-automatic")} if ask.chat.is_private else LANGUAGES
        rows = split_into_rows(self._make_choice_buttons(ask, LANGUAGE, labels, chosen or BY_APP), 2)
        return await self._show_text(ask, tr("language-question"), *rows, [self._make_settings_button(ask)])


def _parse_value(choice: Choice, value: str) -> object:
    if choice.kind == "switch":
        return {ON: True, OFF: False}.get(value)
    return parse_threshold(value) if choice.kind == "number" else value


def make_settings_rows(
    choices: Sequence[Choice], config: OwnerConfig | None, make_button: MakeButton, now: datetime
) -> list[list[InlineKeyboardButton]]:
    """Return rows of buttons for the choices that apply now, with the current values marked."""
    is_on = config is not None and config.enabled
    shown = {
        choice.name: choice for choice in choices if choice.is_offered(config) and (is_on or choice.name == "enabled")
    }
    rows = [_make_choice_row(shown[name], config, make_button) for name in LABELS if name in shown]
    zone, time = format_zone(config.timezone if config else ""), wording.format_time(now, wording.find_zone(config))
    return [*rows, [make_button(tr("choices-zone", zone=zone, time=time), ZONE)]]


def _make_choice_row(choice: Choice, config: OwnerConfig | None, make_button: MakeButton) -> list[InlineKeyboardButton]:
    chosen, name = choice.get_value(config), LABELS[choice.name]
    if choice.kind == "switch":
        return [make_button(wording.format_switch(name(""), is_on=chosen), f"{choice.name}.{OFF if chosen else ON}")]
    if choice.kind == "number":
        return wording.make_threshold_buttons(
            chosen, lambda shown, number: make_button(shown, f"{choice.name}.{number}"), lambda n: name(str(n))
        )
    labels = [(value, name(choice.label(value))) for value in choice.values]
    return [
        make_button(wording.format_option(label, is_chosen=value == chosen), f"{choice.name}.{value}")
        for value, label in labels
    ]


def format_zone_with_time(name: str, now: datetime, zone: tzinfo) -> str:
    """Return a sentence with the name and the current time of a time zone."""
    sentence = tr("choices-zone-is", zone=format_zone(name), time=wording.format_time(now, zone))
    return f"{sentence} {tr('choices-zone-fixed')}" if name.startswith("Etc/") else sentence
