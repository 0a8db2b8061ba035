"""/settings, /tz, /incognito, /language, /model and /persona: the settings that an owner can choose."""

import hashlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime, tzinfo
from functools import partial
from typing import Any

import telegram
from telegram import BotCommandScopeChat, InlineKeyboardButton
from telegram.error import TelegramError

from chat.choices import Choice, NotOffered, list_changeable_settings
from llm.chat_model import choose_model
from locales.catalog import LANGUAGES, get_current_language, tr, use_language
from locales.sentences import format_memory_state
from records.owners import MAX_PERSONA_CHARS, OWN_PERSONA, OwnerConfig
from telegram_ui.commands import wording
from telegram_ui.commands.basics import select_private_menu_commands
from telegram_ui.commands.buttons import ASK, BACK, ZONE, split_into_rows
from telegram_ui.commands.buttons import SETTINGS as KIND
from telegram_ui.commands.command_group import Action, ChatEvent, Command, CommandGroup, HandlerReply
from telegram_ui.commands.summaries import POLICY
from telegram_ui.commands.wizard import parse_threshold
from text.time_zones import find_zone_of_offset, format_time_at_offset, format_zone_name, list_utc_offsets

LANGUAGE, MODEL, PERSONA = "lng", "mod", "per"
LISTS = {"language": LANGUAGE, "model": MODEL, "persona": PERSONA}  # the settings with a list of their own
NOTHING_CHOSEN = {"language": "auto", "persona": "none"}  # the payloads of the value ""
OFFSET = "o"
ON, OFF = "on", "off"
MAX_LABEL_CHARS = 40  # characters of a model's name that a button shows
LABELS: Mapping[str, Callable[[str], str]] = {
    "enabled": lambda _: tr("choices-memory"),
    "incognito": lambda _: tr("choices-incognito"),
    "storage": lambda storage: tr("choices-kept", storage=storage),
    "every_n": lambda number: tr("choices-every", number=number),
    "formatting": lambda how: tr("choices-formatting", how=how),
    "spoken_answers": str,
}  # the choices that have buttons in /settings itself, with functions that return a button's label for a value


class ChoiceCommands(CommandGroup):
    """The handlers of the commands that change settings. In groups, only admins may change settings."""

    heading = "choices"
    question_kind = "persona"

    @property
    def _choices(self) -> Mapping[str, Choice]:
        return {choice.name: choice for choice in list_changeable_settings(self._services)}

    @Command("settings", who="admins", stands_alone=True, is_ephemeral=True)
    async def _show_current_settings(self, event: ChatEvent) -> None:
        await self._show_settings(event, await self._read_config(event))

    @Action(KIND, who="admins")
    async def _apply_pressed_choice(self, event: ChatEvent) -> HandlerReply:
        what, _, value = event.argument.partition(".")
        if what == BACK:
            return await self._show_settings(event, await self._read_config(event))
        if what == ZONE:
            return await self._ask_for_local_time(event, is_from_settings=not value)
        if what == OFFSET:
            return await self._set_zone_from_offset(event, value)
        if refused := await self._set_choice_or_get_refusal(event, what, value):
            return refused
        return await self._show_settings(event, await self._read_config(event))

    async def _set_choice_or_get_refusal(self, event: ChatEvent, setting: str, value: str) -> str | None:
        choice = self._choices.get(setting)
        if choice is None or (wanted := _parse_setting_value(choice, value)) is None:
            return tr("shared-dead-button")
        config = await self._read_config(event)
        if setting == "enabled" and wanted is True:
            await self._switch_on_memory_and_get_old_state(event)
        elif config is not None and config.enabled:
            try:
                async with self._delivery.show_typing(event.chat):
                    await self._update_config(event, **{setting: wanted})
            except NotOffered as refused:
                return str(refused)
        return None

    async def _show_settings(self, event: ChatEvent, config: OwnerConfig | None) -> HandlerReply:
        choices = self._choices
        rows = self._make_choice_rows(event, choices, config)
        if config is not None and config.enabled:
            label = tr("policy-heading", policy=wording.format_policy_name(config.policy))
            rows.append([self._make_button(event, POLICY, label, ASK)])
        persona = choices["persona"].label(choices["persona"].get_value_or_default(config))
        rows.append([self._make_button(event, PERSONA, tr("model-manner-button", persona=persona), ASK)])
        if len(choices["model"].values) > 1:
            name = wording.format_quote(choices["model"].get_value_or_default(config), MAX_LABEL_CHARS)
            rows.append([self._make_button(event, MODEL, tr("model-button", model=name), ASK)])
        language = tr("language-button", language=LANGUAGES[get_current_language()])
        rows.append([self._make_button(event, LANGUAGE, language, ASK)])
        lines = [tr("choices-heading"), "", format_memory_state(config)]
        if config is not None and config.enabled:
            lines.append(tr("choices-every-what", turns=config.every_n) if config.auto_fold else tr("policy-by-hand"))
        return await self._show_text(event, "\n".join([*lines, *self._list_missing_features(event, config)]), *rows)

    def _make_choice_rows(
        self, event: ChatEvent, choices: Mapping[str, Choice], config: OwnerConfig | None
    ) -> list[list[InlineKeyboardButton]]:
        """Return rows of buttons for the choices that apply now, with the current values marked."""
        is_on = config is not None and config.enabled
        offered = [choices[name] for name in (LABELS if is_on else ["enabled"]) if choices[name].is_offered(config)]
        rows = [self._make_choice_row(event, choice, choice.get_value_or_default(config)) for choice in offered]
        zone = format_zone_name(config.timezone if config else "")
        time = wording.format_time(self._now(), wording.get_zone_or_utc(config))
        return [*rows, [self._make_button(event, KIND, tr("choices-zone", zone=zone, time=time), ZONE)]]

    def _make_choice_row(self, event: ChatEvent, choice: Choice, chosen: Any) -> list[InlineKeyboardButton]:
        name = LABELS[choice.name]
        if choice.kind == "switch":
            label = wording.format_switch(name(""), is_on=chosen)
            return [self._make_button(event, KIND, label, f"{choice.name}.{OFF if chosen else ON}")]
        values = wording.list_offered_thresholds(chosen) if choice.kind == "number" else choice.values
        labels = {f"{choice.name}.{value}": name(choice.label(str(value))) for value in values}
        return self._make_choice_buttons(event, KIND, labels, f"{choice.name}.{chosen}")

    def _list_missing_features(self, event: ChatEvent, config: OwnerConfig | None) -> list[str]:
        services, is_admin = self._services, self._operation.is_admin(event.person, in_private=event.chat.is_private)
        model = choose_model(services.models, config)
        lines = [
            (model.supports_pictures is not False, tr("choices-no-pictures"), "OPENAI_MODEL, VISION"),
            (services.attachments.transcriber is not None, tr("choices-no-voices"), "TRANSCRIPTION_MODEL"),
            (services.speech is not None, tr("choices-no-speech"), "SPEECH_MODEL"),
        ]
        return [
            f"{line} {tr('choices-set', setting=setting)}" if is_admin else line
            for is_possible, line, setting in lines
            if not is_possible
        ]

    @Command("tz")
    async def _set_or_ask_for_time_zone(self, event: ChatEvent) -> HandlerReply:
        name = event.argument.strip()
        if not name:
            return await self._ask_for_local_time(event)
        if not await self._may_configure(event.chat, event.person):
            return tr("shared-admins-only")
        try:
            config = await self._update_config(event, timezone=name)
        except NotOffered as unknown:
            return str(unknown)
        return format_zone_with_time(config.timezone, self._now(), config.zone)

    async def _ask_for_local_time(self, event: ChatEvent, *, is_from_settings: bool = False) -> HandlerReply:
        """Ask for the person's local time with buttons, in the message with the settings or in a new one."""
        config, now = await self._read_config(event), self._now()
        after = f".{BACK}" if is_from_settings else ""
        times = [
            self._make_button(event, KIND, format_time_at_offset(now, offset), f"{OFFSET}.{offset}{after}")
            for offset in list_utc_offsets()
        ]
        rows = split_into_rows(times, 5)
        back = [self._make_settings_button(event)] if is_from_settings else []
        here = format_zone_with_time(config.timezone if config else "", now, wording.get_zone_or_utc(config))
        show = self._show_text if is_from_settings else self._send_new
        return await show(event, f"{here}\n{tr('choices-which-time')}", *rows, back)

    async def _set_zone_from_offset(self, event: ChatEvent, offset_payload: str) -> HandlerReply:
        minutes, _, after = offset_payload.partition(".")
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
    async def _switch_incognito(self, event: ChatEvent) -> HandlerReply:
        config, word = await self._read_config(event), event.argument.strip().lower()
        if config is None or not config.enabled or word not in ("", ON, OFF):
            return format_memory_state(config)
        chosen = word == ON if word else not config.incognito
        await self._update_config(event, incognito=chosen)
        return tr("incognito-on", mark=tr("notices-incognito")) if chosen else tr("incognito-off")

    @Command("language", who="admins")
    async def _set_or_ask_for_language(self, event: ChatEvent) -> HandlerReply:
        wanted = event.argument.strip().casefold()
        found = next((code for code, name in LANGUAGES.items() if wanted in (code, name.casefold())), None)
        if found is None and wanted != NOTHING_CHOSEN["language"]:
            return await self._show_options(event, "language")
        await self._set_option(event, "language", found or "")
        with use_language(self._resolve_language(event, found or "")):
            return tr("language-chosen", language=LANGUAGES[get_current_language()])

    @Command("model", who="admins")
    async def _set_or_show_model(self, event: ChatEvent) -> HandlerReply:
        wanted = event.argument.strip().casefold()
        found = next((name for name in self._services.models if name.casefold() == wanted), None)
        if found is None:
            return await self._show_options(event, "model")
        await self._set_option(event, "model", found)
        return tr("model-chosen", model=wording.format_quote(found, 2 * MAX_LABEL_CHARS))

    @Command("persona", who="admins")
    async def _set_or_show_persona(self, event: ChatEvent) -> HandlerReply:
        if event.argument.strip().casefold() in ("off", "reset", tr("model-persona-none").casefold()):
            await self._set_option(event, "persona", "")
        elif event.argument.strip():
            return await self._store_custom_persona(event)
        return await self._show_options(event, "persona")

    async def accept_text_if_awaited(self, event: ChatEvent) -> bool:
        store = partial(self._store_custom_persona, event)
        return await self._question.accept_text_if_answer(event, store, max_chars=MAX_PERSONA_CHARS)

    async def _store_custom_persona(self, event: ChatEvent, replaced_message_id: int = 0) -> HandlerReply:
        """Store a persona in the person's own words. `replaced_message_id` is the message to update, or 0."""
        try:
            config = await self._update_config(event, persona_text=event.argument)
        except NotOffered as too_long:
            return str(too_long)
        if replaced_message_id:
            await self._show_options(event, "persona", replaced_message_id)
        return tr("model-own-now", text=config.persona_text)

    async def _set_option_or_show_options(self, event: ChatEvent, setting: str) -> HandlerReply:
        """Handle a press on one of the values listed for a setting, or on the button that opens that list."""
        language = get_current_language()
        if event.argument != ASK:
            values = {make_option_key(setting, value): value for value in self._choices[setting].values}
            if (value := values.get(event.argument)) is None:
                return tr("shared-dead-button")
            if value == OWN_PERSONA:
                question, example = tr("model-own-question", most=str(MAX_PERSONA_CHARS)), tr("model-own-example")
                return await self._question.ask(event, question, subject_id=event.message_id, placeholder=example)
            await self._set_option(event, setting, value)
            language = self._resolve_language(event, value) if setting == "language" else language
        with use_language(language):
            return await self._show_options(event, setting)

    _press_language = Action(LANGUAGE, who="admins")(partial(_set_option_or_show_options, setting="language"))
    _press_model = Action(MODEL, who="admins")(partial(_set_option_or_show_options, setting="model"))
    _press_persona = Action(PERSONA, who="admins")(partial(_set_option_or_show_options, setting="persona"))

    async def _set_option(self, event: ChatEvent, setting: str, value: str) -> None:
        await self._update_config(event, **{setting: value})
        if setting == "language":
            with use_language(self._resolve_language(event, value)):
                await self._localize_command_menu_of_chat(event, value)

    def _resolve_language(self, event: ChatEvent, chosen_language: str) -> str:
        is_shared = not event.chat.is_private
        return self._dependencies.choose_language(chosen_language, event.person.language, is_shared=is_shared)

    async def _localize_command_menu_of_chat(self, event: ChatEvent, language: str) -> None:
        if not event.chat.is_private:
            return
        bot: telegram.Bot = event.update.get_bot()
        scope = BotCommandScopeChat(event.chat.id)
        rows = [(row.name, row.description) for row in select_private_menu_commands(self._dependencies.commands)]
        with suppress(TelegramError):  # commands work without a menu
            await (bot.set_my_commands(rows, scope=scope) if language else bot.delete_my_commands(scope=scope))

    async def _show_options(
        self, event: ChatEvent, setting: str, replaced_message_id: int | None = None
    ) -> HandlerReply:
        """Show the possible values of a setting, in place of the message `replaced_message_id` if given."""
        config, choice = await self._read_config(event), self._choices[setting]
        chosen, values = choice.get_value_or_default(config), choice.values
        if setting == "model" and len(values) == 1:
            return tr("model-only", model=chosen)
        if setting == "language":
            values = (*LANGUAGES, "") if event.chat.is_private else tuple(LANGUAGES)
        labels = {make_option_key(setting, value): choice.label(value) for value in values}
        shown = {key: wording.format_quote(label, MAX_LABEL_CHARS) for key, label in labels.items()}
        buttons = self._make_choice_buttons(event, LISTS[setting], shown, make_option_key(setting, chosen))
        rows = [*split_into_rows(buttons, 1 if setting == "model" else 2), [self._make_settings_button(event)]]
        text = self._format_option_heading(setting, chosen, config)
        return await self._show_text(event, text, *rows, message_id=replaced_message_id)

    def _format_option_heading(self, setting: str, chosen: str, config: OwnerConfig | None) -> str:
        if setting == "language":
            return tr("language-question")
        if setting == "persona":
            own = f"\n\n{tr('model-own-now', text=config.persona_text)}" if config and chosen == OWN_PERSONA else ""
            return tr("model-manner-question") + own
        keys = {True: "model-can-see", False: "model-can-not-see"}
        abilities = [
            tr(keys[model.supports_pictures], model=wording.format_quote(name, 2 * MAX_LABEL_CHARS))
            for name, model in self._services.models.items()
            if model.supports_pictures is not None
        ]
        return "\n".join([tr("model-question", model=chosen), *abilities])


def make_option_key(setting: str, value: str) -> str:
    """Return a short key for a value of a setting, which fits in the payload of a button."""
    return hashlib.sha256(value.encode()).hexdigest()[:12] if setting == "model" else value or NOTHING_CHOSEN[setting]


def _parse_setting_value(choice: Choice, text: str) -> bool | int | str | None:
    if choice.kind == "switch":
        return {ON: True, OFF: False}.get(text)
    return parse_threshold(text) if choice.kind == "number" else text


def format_zone_with_time(name: str, now: datetime, zone: tzinfo) -> str:
    sentence = tr("choices-zone-is", zone=format_zone_name(name), time=wording.format_time(now, zone))
    return f"{sentence} {tr('choices-zone-fixed')}" if name.startswith("Etc/") else sentence
