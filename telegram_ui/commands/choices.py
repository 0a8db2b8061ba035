"""/settings, /tz, /incognito and /language: the settings that an owner can choose."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, tzinfo

import telegram
from telegram import BotCommandScopeChat, InlineKeyboardButton
from telegram.error import TelegramError

from chat.choices import Choice, NotOffered, list_choices
from locales.catalog import LANGUAGES, current_language, tr, use_language
from locales.sentences import format_memory_state
from records.owners import OwnerConfig
from telegram_ui.commands import models as model_choices
from telegram_ui.commands import wording
from telegram_ui.commands.basics import make_private_menu
from telegram_ui.commands.buttons import ASK, BACK, ZONE, make_keyboard, split_into_rows
from telegram_ui.commands.buttons import SETTINGS as KIND
from telegram_ui.commands.command_group import Action, ChatEvent, Command, CommandGroup
from telegram_ui.commands.summaries import POLICY
from telegram_ui.commands.wizard import parse_threshold
from text.time_zones import find_zone_of_offset, format_time_at_offset, format_zone, list_utc_offsets

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


class ChoiceCommands(CommandGroup):
    """The handlers of /settings, /tz, /incognito and /language. In groups, only admins may change settings."""

    heading = "choices"

    @Command("settings", who="admins", stands_alone=True, is_ephemeral=True)
    async def _open_settings(self, event: ChatEvent) -> None:
        await self._show_settings(event, await self._read_config(event))

    @Action(KIND, who="admins")
    async def _apply_pressed_choice(self, event: ChatEvent) -> str | None:
        what, _, value = event.argument.partition(".")
        if what == BACK:
            return await self._show_settings(event, await self._read_config(event))
        if what == ZONE:
            return await self._ask_local_time(event, None if value else event.message_id)
        if what == OFFSET:
            return await self._set_zone_by_time(event, value)
        if refused := await self._set_choice(event, what, value):
            return refused
        return await self._show_settings(event, await self._read_config(event))

    async def _set_choice(self, event: ChatEvent, name: str, value: str) -> str | None:
        choice = next((choice for choice in list_choices(self._services) if choice.name == name), None)
        if choice is None or (wanted := _parse_value(choice, value)) is None:
            return tr("shared-dead-button")
        config = await self._read_config(event)
        if name == "enabled" and wanted is True:
            await self._switch_memory_on(event)
        elif config is not None and config.enabled:
            try:
                async with self._delivery.show_typing(event.chat):
                    await self._update_config(event, **{name: wanted})
            except NotOffered as refused:
                return str(refused)
        return None

    async def _show_settings(self, event: ChatEvent, config: OwnerConfig | None) -> str | None:
        def make_button(label: str, payload: str) -> InlineKeyboardButton:
            return self._make_button(event, KIND, label, payload)

        rows = make_settings_rows(list_choices(self._services), config, make_button, self._now())
        if config is not None and config.enabled:
            label = tr("policy-heading", policy=wording.format_policy_name(config.policy))
            rows.append([self._make_button(event, POLICY, label, ASK)])
        persona = tr(f"model-persona-{model_choices.choose_persona(config)}")
        label = tr("model-manner-button", persona=persona)
        rows.append([self._make_button(event, model_choices.PERSONA, label, ASK)])
        models = tuple(self._services.models)
        if len(models) > 1:
            name = wording.format_quote(model_choices.choose_model(config, models), model_choices.MAX_LABEL_CHARS)
            rows.append([self._make_button(event, model_choices.MODEL, tr("model-button", model=name), ASK)])
        language = tr("language-button", language=LANGUAGES[current_language()])
        rows.append([self._make_button(event, LANGUAGE, language, ASK)])
        lines = [tr("choices-heading"), "", format_memory_state(config)]
        if config is not None and config.enabled:
            lines.append(tr("choices-every-what", turns=config.every_n) if config.auto_fold else tr("policy-by-hand"))
        return await self._show_text(event, "\n".join([*lines, *self._list_missing_abilities(event, config)]), *rows)

    def _list_missing_abilities(self, event: ChatEvent, config: OwnerConfig | None) -> list[str]:
        services, is_admin = self._services, self._operation.is_admin(event.person, is_private=event.chat.is_private)
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
    async def _set_or_ask_time_zone(self, event: ChatEvent) -> str | None:
        name = event.argument.strip()
        if not name:
            return await self._ask_local_time(event, None)
        if not await self._may_configure(event.chat, event.person):
            return tr("shared-admins-only")
        try:
            config = await self._update_config(event, timezone=name)
        except NotOffered as unknown:
            return str(unknown)
        return format_zone_with_time(config.timezone, self._now(), config.zone)

    async def _ask_local_time(self, event: ChatEvent, message_id: int | None) -> str | None:
        """Ask for the person's local time with buttons. `message_id` is the settings message to replace, if any."""
        config, now = await self._read_config(event), self._now()
        after = "" if message_id is None else f".{BACK}"
        times = [
            self._make_button(event, KIND, format_time_at_offset(now, offset), f"{OFFSET}.{offset}{after}")
            for offset in list_utc_offsets()
        ]
        rows = split_into_rows(times, 5)
        back = [] if message_id is None else [self._make_settings_button(event)]
        here = format_zone_with_time(config.timezone if config else "", now, wording.find_zone(config))
        text = f"{here}\n{tr('choices-which-time')}"
        await self._delivery.replace_message(event.chat, message_id, text, keyboard=make_keyboard(*rows, back))
        return None

    async def _set_zone_by_time(self, event: ChatEvent, value: str) -> str | None:
        minutes, _, after = value.partition(".")
        name = find_zone_of_offset(int(minutes)) if minutes.removeprefix("-").isdecimal() and len(minutes) < 5 else None
        if name is None:
            return tr("shared-dead-button")
        config = await self._update_config(event, timezone=name)
        chosen = format_zone_with_time(name, self._now(), config.zone)
        if not after:
            return await self._show_text(event, chosen)
        await self._show_settings(event, config)
        return chosen

    @Command("incognito", who="admins")
    async def _switch_incognito(self, event: ChatEvent) -> str:
        config, word = await self._read_config(event), event.argument.strip().lower()
        if config is None or not config.enabled or word not in ("", ON, OFF):
            return format_memory_state(config)
        chosen = word == ON if word else not config.incognito
        await self._update_config(event, incognito=chosen)
        return tr("incognito-on", mark=tr("notices-incognito")) if chosen else tr("incognito-off")

    @Command("language", who="admins")
    async def _set_or_ask_language(self, event: ChatEvent) -> str | None:
        wanted = event.argument.strip().casefold()
        found = next((code for code, name in LANGUAGES.items() if wanted in (code, name.casefold())), None)
        if found is None and wanted != BY_APP:
            return await self._show_languages(event)
        return await self._set_language(event, found or "")

    @Action(LANGUAGE, who="admins")
    async def _select_language(self, event: ChatEvent) -> str | None:
        if event.argument == ASK:
            return await self._show_languages(event)
        if event.argument != BY_APP and event.argument not in LANGUAGES:
            return tr("shared-dead-button")
        chosen = "" if event.argument == BY_APP else event.argument
        await self._set_language(event, chosen)
        with use_language(self._resolve_language(event, chosen)):
            await self._show_languages(event)
        return None

    async def _set_language(self, event: ChatEvent, language: str) -> str:
        await self._update_config(event, language=language)
        with use_language(self._resolve_language(event, language)):
            await self._set_menu(event, language)
            return tr("language-chosen", language=LANGUAGES[current_language()])

    def _resolve_language(self, event: ChatEvent, language: str) -> str:
        is_shared = not event.chat.is_private
        return self._dependencies.choose_language(language, event.person.language, is_shared=is_shared)

    async def _set_menu(self, event: ChatEvent, language: str) -> None:
        if not event.chat.is_private:
            return
        bot: telegram.Bot = event.update.get_bot()
        scope = BotCommandScopeChat(event.chat.id)
        rows = [(row.name, row.description) for row in make_private_menu(self._dependencies.commands)]
        with suppress(TelegramError):  # commands work without a menu
            await (bot.set_my_commands(rows, scope=scope) if language else bot.delete_my_commands(scope=scope))

    async def _show_languages(self, event: ChatEvent) -> str | None:
        config = await self._read_config(event)
        chosen = config.language if config else ""
        labels = {**LANGUAGES, BY_APP: tr("language-automatic")} if event.chat.is_private else LANGUAGES
        rows = split_into_rows(self._make_choice_buttons(event, LANGUAGE, labels, chosen or BY_APP), 2)
        return await self._show_text(event, tr("language-question"), *rows, [self._make_settings_button(event)])


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
