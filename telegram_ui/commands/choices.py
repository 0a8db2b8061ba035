"""/settings: every choice of an owner in one message, changed by its buttons; /tz, /incognito and /language.

Owns their words. Does not know what a choice does.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, tzinfo

import telegram
from telegram import BotCommandScopeChat, InlineKeyboardButton, InlineKeyboardMarkup
from telegram.error import TelegramError

from locales.catalog import LANGUAGES, current, speaking, tr
from locales.choice import language_for
from locales.lists import listed
from locales.told import STORAGE_NAMES
from records.owners import SPOKEN_ANSWERS, OwnerConfig, StorageType
from summaries.policies import POLICIES
from telegram_ui.commands import models as model_choices
from telegram_ui.commands.buttons import BACK, ZONE
from telegram_ui.commands.buttons import SETTINGS as KIND
from telegram_ui.commands.family import Ask, Dependencies, Family, NextText, command, press
from telegram_ui.commands.wizard import number_in
from telegram_ui.commands.wording import (
    clock_time,
    policy_name,
    quoted,
    thresholds,
    ticked,
)
from text.time_zones import clock_at, label, offsets, similar_names, zone_named, zone_of_offset

MEMORY, STORAGE, NUMBER, POLICY, AUTOMATIC, INCOGNITO, SPOKEN = "m", "s", "n", "p", "a", "i", "v"
LANGUAGE = "lng"
ASK = "ask"
"""The payload of the button of /settings that shows the choice in its place."""
BY_APP = "auto"
"""The language of a person's app."""
IN_A_ROW = 2
LONGEST_SHOWN = 40
"""Characters of a name that is no language's, as the answer repeats it."""
OFFSET = "o"
TIMES_IN_A_ROW = 5
ON, OFF = "on", "off"
WORDS_OF_A_CITY = 3
"""A text with more words that names no city is taken for talk: the question is not asked again."""
SPOKEN_NAMES = {one: one or "none" for one in SPOKEN_ANSWERS}
"""The payloads of the buttons, and the ends of the names of their texts."""

Button = Callable[[str, str], InlineKeyboardButton]
"""Makes a button of its label and what it carries."""


class ChoiceCommands(Family):
    """Answers /settings and /tz. In groups only admins choose."""

    heading = "choices"

    def __init__(self, dependencies: Dependencies) -> None:
        super().__init__(dependencies)
        self._operation = dependencies.operation
        self._city = NextText("zone", dependencies)  # about the message with the settings

    @command("settings", who="admins", stands_alone=True)
    async def _settings(self, ask: Ask) -> None:
        await self._show_settings(ask, await self._config(ask), None)

    @press(KIND, who="admins")
    async def _press(self, ask: Ask) -> str | None:
        """A choice: what it is about, and its value. The message shows it at once."""
        what, _, value = ask.argument.partition(".")
        if what == BACK:
            await self._show_settings(ask, await self._config(ask), ask.message_id)
            return None
        if what == ZONE:
            await self._ask_for_zone(ask, None if value else ask.message_id)
            return None
        if what == OFFSET:
            return await self._press_time(ask, value)
        before = await self._config(ask)
        toast = await self._choose(ask, what, value, before)
        if toast is not None:
            await self._show_settings(ask, await self._config(ask), ask.message_id)
        return toast or tr("shared-dead-button")

    async def _choose(self, ask: Ask, what: str, value: str, before: OwnerConfig | None) -> str | None:
        """Make a choice; what the toast says, None for no choice of ours."""
        memory, owner = self._services.memory, ask.chat.scope.owner
        if what == MEMORY and value in (ON, OFF):
            await memory.switch(owner, enabled=value == ON)
            return tr("choices-toast-memory-on" if value == ON else "choices-toast-memory-off")
        if before is None or not before.enabled:
            return tr("choices-nothing-else")
        if what == STORAGE and value in memory.storages:
            return await self._move(ask, StorageType(value), before)
        change = _change(what, value)
        if change is None:
            return None
        change_of, toast = change
        await memory.choose(owner, change_of)
        return toast

    async def _move(self, ask: Ask, storage: StorageType, before: OwnerConfig) -> str:
        memory, owner = self._services.memory, ask.chat.scope.owner
        if storage is before.storage:
            return tr("choices-toast-kept-already", storage=STORAGE_NAMES[storage])
        async with self._delivery.typing(ask.chat):
            await memory.configure(owner, storage=storage, every_n=before.every_n)
        return tr("choices-toast-moved", messages=await memory.total(owner), storage=STORAGE_NAMES[storage])

    async def _config(self, ask: Ask) -> OwnerConfig | None:
        return await self._services.memory.config(ask.chat.scope.owner)

    async def _show_settings(self, ask: Ask, config: OwnerConfig | None, instead_of: int | None) -> None:
        def button(label: str, payload: str) -> InlineKeyboardButton:
            return self._button(ask, KIND, label, payload)

        can_speak = self._services.speech is not None
        rows = settings_rows(config, button, self._services.memory.storages, can_speak=can_speak)
        language = tr("language-button", language=LANGUAGES[current()])
        models, manner = tuple(self._services.models), tr(f"model-persona-{model_choices.persona_of(config)}")
        label = tr("model-manner-button", persona=manner)
        rows.append([self._button(ask, model_choices.PERSONA, label, model_choices.ASK)])
        if len(models) > 1:
            label = tr(
                "model-button", model=quoted(model_choices.model_of(config, models), model_choices.LONGEST_LABEL)
            )
            rows.append([self._button(ask, model_choices.MODEL, label, model_choices.ASK)])
        keyboard = InlineKeyboardMarkup([*rows, [self._button(ask, LANGUAGE, language, ASK)]])
        more = ["", tr("choices-more")] if config is not None and config.enabled else []
        text = "\n".join([settings_text(config, self._now()), "", *self._powers(ask, config), *more])
        await self._delivery.replace(ask.chat, instead_of, text, keyboard=keyboard)

    def _powers(self, ask: Ask, config: OwnerConfig | None) -> list[str]:
        """Lines about pictures and voices, which the operator's settings decide; admins are told by which."""
        services, is_admin = self._services, self._operation.is_admin(ask.person, is_private=ask.chat.is_private)
        model = services.models[model_choices.model_of(config, tuple(services.models))]
        seen = {True: "seen", False: "unseen", None: "tried"}[model.sees]
        heard, spoken = services.attachments.hears, services.speech is not None
        chosen = SPOKEN_NAMES[config.spoken_answers if config is not None else ""]
        lines = [
            (tr(f"choices-pictures-{seen}", model=quoted(model.name, model_choices.LONGEST_LABEL)), model.sees),
            (tr("choices-voices-heard" if heard else "choices-voices-unheard"), heard),
            (
                tr(f"choices-answers-spoken-{chosen}", button=tr("answers-listen"))
                if spoken
                else tr("choices-answers-unspoken"),
                spoken,
            ),
        ]
        settings = ("OPENAI_MODEL, VISION", "TRANSCRIPTION_MODEL", "SPEECH_MODEL")
        return [
            f"{line} {tr('choices-set', setting=setting)}" if is_admin and can is False else line
            for (line, can), setting in zip(lines, settings, strict=True)
        ]

    # the time zone -------------------------------------------------------------------------------------------

    @command("tz")
    async def _tz(self, ask: Ask) -> str:
        words = ask.argument.strip()
        if words:
            return (await self._choose_zone(ask, words))[0]
        config = await self._config(ask)
        return zone_text(config.timezone if config else "", self._now(), config.zone if config else UTC)

    async def _ask_for_zone(self, ask: Ask, about: int | None) -> None:
        question, now = tr("choices-which-city"), self._now()
        times = [self._button(ask, KIND, clock_at(now, one), f"{OFFSET}.{one}") for one in offsets()]
        rows = [times[start : start + TIMES_IN_A_ROW] for start in range(0, len(times), TIMES_IN_A_ROW)]
        if ask.chat.is_private:
            question = f"{question}\n{tr('choices-which-time')}"
        choices = InlineKeyboardMarkup(rows)
        await self._city.ask_for(ask, question, about=about, example="Berlin", choices=choices)

    async def _press_time(self, ask: Ask, value: str) -> str | None:
        """The offset of the time that was pressed is their zone, until they name a city."""
        name = zone_of_offset(int(value)) if value.removeprefix("-").isdecimal() and len(value) < 5 else None
        if name is None:
            return tr("shared-dead-button")
        config = await self._set_zone(ask, name)
        await self._show(ask, zone_text(name, self._now(), config.zone))
        if (shown := await self._city.answered(ask)) is not None:
            await self._city.close(ask)
            if shown:
                await self._show_settings(ask, config, shown)
        return None

    async def _choose_zone(self, ask: Ask, words: str) -> tuple[str, OwnerConfig | None]:
        """Set the zone that the words name; what to say, and the owner's choices now (None: nothing was changed)."""
        if not await self._may_configure(ask.chat, ask.person):
            return tr("shared-admins-only"), None
        name = zone_named(words)
        if name is None:
            return no_zone(words, similar_names(words)), None
        config = await self._set_zone(ask, name)
        return zone_text(name, self._now(), config.zone, asked=words), config

    async def _set_zone(self, ask: Ask, name: str) -> OwnerConfig:
        return await self._services.memory.choose(ask.chat.scope.owner, lambda current: replace(current, timezone=name))

    async def take_text(self, ask: Ask) -> bool:
        """A text that may name a city; whether it was asked for."""
        shown = await self._city.answered(ask)
        if shown is None:
            return False
        text, config = await self._choose_zone(ask, ask.argument.strip())
        is_unknown = config is None and zone_named(ask.argument.strip()) is None
        if is_unknown and len(ask.argument.split()) <= WORDS_OF_A_CITY:
            await self._delivery.say(ask.chat, f"{text}\n{tr('shared-once-more')}")
            return True
        await self._delivery.say(ask.chat, text)
        await self._city.close(ask)
        if config is not None and shown:
            await self._show_settings(ask, config, shown)
        return True


def _change(what: str, value: str) -> tuple[Callable[[OwnerConfig], OwnerConfig], str] | None:
    """The change and the toast of a choice other than memory's switch and storage; None for no choice of ours."""
    number, is_on = number_in(value), value == ON
    if what == NUMBER and number is not None:
        return lambda current: replace(current, every_n=number), tr("choices-toast-number", turns=number)
    if what == POLICY and value in POLICIES:
        return lambda current: replace(current, policy=value), tr(
            "policy-toast-chosen", policy=tr(f"policy-button-{value}")
        )
    if what == AUTOMATIC and value in (ON, OFF):
        return lambda current: replace(current, auto_fold=is_on), tr("policy-toast-on" if is_on else "policy-toast-off")
    if what == INCOGNITO and value in (ON, OFF):
        return lambda current: replace(current, incognito=is_on), tr(
            "choices-toast-incognito-on" if is_on else "choices-toast-incognito-off"
        )
    spoken = next((one for one, name in SPOKEN_NAMES.items() if name == value), None)
    if what == SPOKEN and spoken is not None:
        return lambda current: replace(current, spoken_answers=spoken), tr(
            f"choices-toast-spoken-{value}", button=tr("answers-listen")
        )
    return None


def settings_text(config: OwnerConfig | None, now: datetime) -> str:
    """The choices of an owner in words."""
    zone = tr("choices-zone", zone=label(config.timezone if config else ""), time=clock_time(now, _zone(config)))
    if config is None or not config.enabled:
        return f"{tr('choices-heading')}\n\n{tr('choices-nothing-else')}\n{zone}"
    return "\n".join(
        [
            tr("choices-heading"),
            "",
            tr("choices-memory", storage=STORAGE_NAMES[config.storage]),
            tr(
                "choices-summaries" if config.auto_fold else "choices-summaries-by-hand",
                turns=config.every_n,
                policy=policy_name(config.policy),
            ),
            tr("choices-incognito-on" if config.incognito else "choices-incognito-off"),
            zone,
        ]
    )


def settings_rows(
    config: OwnerConfig | None, button: Button, storages: Sequence[StorageType], *, can_speak: bool
) -> list[list[InlineKeyboardButton]]:
    """The buttons under the settings, the current choices marked; only those that have an effect now."""

    def choice(label: str, what: str, value: str, *, is_chosen: bool) -> InlineKeyboardButton:
        return button(ticked(label, is_chosen=is_chosen), f"{what}.{value}")

    def switch(name: str, what: str, *, is_on: bool) -> list[InlineKeyboardButton]:
        return [
            choice(tr(f"choices-button-{name}-on"), what, ON, is_chosen=is_on),
            choice(tr(f"choices-button-{name}-off"), what, OFF, is_chosen=not is_on),
        ]

    zone = [button(tr("choices-button-zone", zone=label(config.timezone if config else "")), ZONE)]
    if config is None or not config.enabled:
        return [switch("memory", MEMORY, is_on=False), zone]
    speaking = [
        choice(tr(f"choices-button-spoken-{name}"), SPOKEN, name, is_chosen=one == config.spoken_answers)
        for one, name in SPOKEN_NAMES.items()
    ]
    return [
        switch("memory", MEMORY, is_on=True),
        [choice(STORAGE_NAMES[one], STORAGE, one, is_chosen=one is config.storage) for one in storages],
        thresholds(config.every_n, lambda label, number: button(label, f"{NUMBER}.{number}")),
        [choice(tr(f"policy-button-{one}"), POLICY, one, is_chosen=one == config.policy) for one in POLICIES],
        switch("automatic", AUTOMATIC, is_on=config.auto_fold),
        switch("incognito", INCOGNITO, is_on=config.incognito),
        *([speaking] if can_speak else []),
        zone,
    ]


def _zone(config: OwnerConfig | None) -> tzinfo:
    return config.zone if config else UTC


def zone_text(name: str, now: datetime, zone: tzinfo, *, asked: str = "") -> str:
    """The time zone in use, and how to choose another. `asked`: the words by which it was just chosen."""
    local, shown = now.astimezone(zone), label(name)
    lines = []
    if asked and asked.casefold() != shown.casefold():
        lines.append(tr("choices-zone-understood", words=asked, zone=shown))
    if offset := _ahead(local, shown):
        lines.append(tr("choices-zone-is-ahead", zone=shown, time=clock_time(now, zone), offset=offset))
    else:
        lines.append(tr("choices-zone-is", zone=shown, time=clock_time(now, zone)))
    if name.startswith("Etc/"):
        lines.append(tr("choices-zone-fixed"))
    return f"{' '.join(lines)}\n{tr('choices-zone-change')}"


def _ahead(local: datetime, shown: str) -> str:
    """How far a zone is ahead of UTC now, or behind it; nothing where its name says so."""
    if shown.startswith("UTC"):
        return ""
    offset = f"{local:%z}"
    return f"UTC{offset[0]}{int(offset[1:3])}{f':{offset[3:5]}' if offset[3:5] != '00' else ''}"


def no_zone(wanted: str, similar: Sequence[str]) -> str:
    if similar:
        return tr("choices-zone-similar", words=wanted[:60], names=listed(similar))
    return tr("choices-zone-unknown", words=wanted[:60])


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
        if found is None and wanted != BY_APP:
            names = listed([*LANGUAGES, BY_APP])
            return tr("language-unknown", wanted=ask.argument.strip()[:LONGEST_SHOWN], names=names)
        return await self._choose(ask, found or "")

    @press(LANGUAGE, who="admins")
    async def _press(self, ask: Ask) -> str | None:
        if ask.argument == ASK:
            await self._show_choice(ask, ask.message_id)
            return None
        if ask.argument != BY_APP and ask.argument not in LANGUAGES:
            return tr("shared-dead-button")
        chosen = "" if ask.argument == BY_APP else ask.argument
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
            self._button(ask, LANGUAGE, ticked(name, is_chosen=code == chosen), code)
            for code, name in LANGUAGES.items()
        ]
        if ask.chat.is_private:
            label = ticked(tr("language-automatic"), is_chosen=not chosen)
            buttons.append(self._button(ask, LANGUAGE, label, BY_APP))
        rows = [buttons[start : start + IN_A_ROW] for start in range(0, len(buttons), IN_A_ROW)]
        rows.append([self._settings_button(ask)])
        text = tr("language-question") if ask.chat.is_private else tr("language-question-group")
        await self._delivery.replace(ask.chat, instead_of, text, keyboard=InlineKeyboardMarkup(rows))
