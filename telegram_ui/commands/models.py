"""/model and /persona: the model that answers, and the style of its answers."""

import hashlib
from functools import partial

from chat.choices import NotOffered
from llm.prompts import PERSONAS
from locales.catalog import tr
from records.owners import MAX_PERSONA_CHARS, OWN_PERSONA, OwnerConfig
from telegram_ui.commands.buttons import ASK, make_keyboard, split_into_rows
from telegram_ui.commands.family import Ask, Command, Dependencies, Family, NextText, Press
from telegram_ui.commands.wording import format_quote

MODEL, PERSONA = "mod", "per"
NONE = "none"
MAX_LABEL_CHARS = 40  # characters of a model's name that a button shows


class ModelCommands(Family):
    """The handlers of /model and /persona. In groups, only admins may choose."""

    heading = "choices"

    def __init__(self, dependencies: Dependencies) -> None:
        super().__init__(dependencies)
        self._own = NextText("persona", dependencies)

    @property
    def _model_names(self) -> tuple[str, ...]:
        return tuple(self._services.models)  # the default one first

    @Command("model", who="admins")
    async def _handle_model_command(self, ask: Ask) -> str | None:
        wanted = ask.argument.strip().casefold()
        found = next((name for name in self._model_names if name.casefold() == wanted), None)
        if found is None:
            return await self._show_models(ask)
        await self._store_choices(ask, model=found)
        return tr("model-chosen", model=format_quote(found, 2 * MAX_LABEL_CHARS))

    @Press(MODEL, who="admins")
    async def _select_model(self, ask: Ask) -> str | None:
        if ask.argument == ASK:
            return await self._show_models(ask)
        found = next((name for name in self._model_names if make_model_key(name) == ask.argument), None)
        if found is None:
            return tr("shared-dead-button")
        await self._store_choices(ask, model=found)
        return await self._show_models(ask)

    async def _show_models(self, ask: Ask) -> str | None:
        chosen = choose_model(await self._read_config(ask), self._model_names)
        if len(self._model_names) == 1:
            return tr("model-only", model=chosen)
        labels = {make_model_key(name): format_quote(name, MAX_LABEL_CHARS) for name in self._model_names}
        rows = split_into_rows(self._make_choice_buttons(ask, MODEL, labels, make_model_key(chosen)), 1)
        keys = {True: "model-can-see", False: "model-can-not-see"}
        abilities = [
            tr(keys[model.supports_pictures], model=format_quote(name, 2 * MAX_LABEL_CHARS))
            for name, model in self._services.models.items()
            if model.supports_pictures is not None
        ]
        text = "\n".join([tr("model-question", model=chosen), *abilities])
        return await self._show_text(ask, text, *rows, [self._make_settings_button(ask)])

    @Command("persona", who="admins")
    async def _handle_persona_command(self, ask: Ask) -> str | None:
        if ask.argument.strip().casefold() in ("off", "reset", tr("model-persona-none").casefold()):
            await self._store_choices(ask, persona="")
        elif ask.argument.strip():
            return await self._store_own_persona(ask)
        return await self._show_personas(ask, None)

    @Press(PERSONA, who="admins")
    async def _select_persona(self, ask: Ask) -> str | None:
        wanted = ask.argument
        if wanted == ASK:
            return await self._show_personas(ask, ask.message_id)
        if wanted == OWN_PERSONA:
            question = tr("model-own-question", most=str(MAX_PERSONA_CHARS))
            await self._own.ask_question(ask, question, subject=ask.message_id, example=tr("model-own-example"))
            return None
        if wanted != NONE and wanted not in PERSONAS:
            return tr("shared-dead-button")
        await self._store_choices(ask, persona="" if wanted == NONE else wanted)
        return await self._show_personas(ask, ask.message_id)

    async def accept_awaited_text(self, ask: Ask) -> bool:
        return await self._own.accept_answer(ask, partial(self._store_own_persona, ask), max_chars=MAX_PERSONA_CHARS)

    async def _store_own_persona(self, ask: Ask, message_id: int = 0) -> str:
        """Store a persona in the person's own words. `message_id` is the message to update, or 0."""
        try:
            config = await self._store_choices(ask, persona_text=ask.argument)
        except NotOffered as too_long:
            return str(too_long)
        if message_id:
            await self._show_personas(ask, message_id)
        return tr("model-own-now", text=config.persona_text)

    async def _show_personas(self, ask: Ask, message_id: int | None) -> str | None:
        config, text = await self._read_config(ask), tr("model-manner-question")
        chosen = choose_persona(config)
        if config is not None and chosen == OWN_PERSONA:
            text += f"\n\n{tr('model-own-now', text=config.persona_text)}"
        labels = {persona: tr(f"model-persona-{persona}") for persona in (NONE, *PERSONAS, OWN_PERSONA)}
        rows = split_into_rows(self._make_choice_buttons(ask, PERSONA, labels, chosen), 2)
        keyboard = make_keyboard(*rows, [self._make_settings_button(ask)])
        await self._delivery.replace_message(ask.chat, message_id, text, keyboard=keyboard)
        return None


def make_model_key(model: str) -> str:
    """Return a short key for a model, which fits in the payload of a button."""
    return hashlib.sha256(model.encode()).hexdigest()[:12]


def choose_model(config: OwnerConfig | None, models: tuple[str, ...]) -> str:
    """Return the chosen model if it is still offered, or else the default model."""
    return config.model if config is not None and config.model in models else models[0]


def choose_persona(config: OwnerConfig | None) -> str:
    """Return the chosen persona, which is one of PERSONAS, OWN_PERSONA or NONE."""
    is_known = config is not None and (config.persona in PERSONAS or config.persona == OWN_PERSONA)
    return config.persona if config is not None and is_known else NONE
