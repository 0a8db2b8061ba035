"""/model and /persona: the model that answers, and the style of its answers."""

import hashlib
from functools import partial

from chat.choices import NotOffered
from llm.prompts import PERSONAS
from locales.catalog import tr
from records.owners import MAX_PERSONA_CHARS, OWN_PERSONA, OwnerConfig
from telegram_ui.commands.buttons import ASK, make_keyboard, split_into_rows
from telegram_ui.commands.command_group import Action, ChatEvent, Command, CommandGroup, Dependencies, TextQuestion
from telegram_ui.commands.wording import format_quote

MODEL, PERSONA = "mod", "per"
NONE = "none"
MAX_LABEL_CHARS = 40  # characters of a model's name that a button shows


class ModelCommands(CommandGroup):
    """The handlers of /model and /persona. In groups, only admins may choose."""

    heading = "choices"

    def __init__(self, dependencies: Dependencies) -> None:
        super().__init__(dependencies)
        self._question = TextQuestion("persona", dependencies)

    @property
    def _model_names(self) -> tuple[str, ...]:
        return tuple(self._services.models)  # the default one first

    @Command("model", who="admins")
    async def _set_or_show_model(self, event: ChatEvent) -> str | None:
        wanted = event.argument.strip().casefold()
        found = next((name for name in self._model_names if name.casefold() == wanted), None)
        if found is None:
            return await self._show_models(event)
        await self._update_config(event, model=found)
        return tr("model-chosen", model=format_quote(found, 2 * MAX_LABEL_CHARS))

    @Action(MODEL, who="admins")
    async def _select_model(self, event: ChatEvent) -> str | None:
        if event.argument == ASK:
            return await self._show_models(event)
        found = next((name for name in self._model_names if make_model_key(name) == event.argument), None)
        if found is None:
            return tr("shared-dead-button")
        await self._update_config(event, model=found)
        return await self._show_models(event)

    async def _show_models(self, event: ChatEvent) -> str | None:
        chosen = choose_model(await self._read_config(event), self._model_names)
        if len(self._model_names) == 1:
            return tr("model-only", model=chosen)
        labels = {make_model_key(name): format_quote(name, MAX_LABEL_CHARS) for name in self._model_names}
        rows = split_into_rows(self._make_choice_buttons(event, MODEL, labels, make_model_key(chosen)), 1)
        keys = {True: "model-can-see", False: "model-can-not-see"}
        abilities = [
            tr(keys[model.supports_pictures], model=format_quote(name, 2 * MAX_LABEL_CHARS))
            for name, model in self._services.models.items()
            if model.supports_pictures is not None
        ]
        text = "\n".join([tr("model-question", model=chosen), *abilities])
        return await self._show_text(event, text, *rows, [self._make_settings_button(event)])

    @Command("persona", who="admins")
    async def _set_or_show_persona(self, event: ChatEvent) -> str | None:
        if event.argument.strip().casefold() in ("off", "reset", tr("model-persona-none").casefold()):
            await self._update_config(event, persona="")
        elif event.argument.strip():
            return await self._store_custom_persona(event)
        return await self._show_personas(event, None)

    @Action(PERSONA, who="admins")
    async def _select_persona(self, event: ChatEvent) -> str | None:
        wanted = event.argument
        if wanted == ASK:
            return await self._show_personas(event, event.message_id)
        if wanted == OWN_PERSONA:
            question = tr("model-own-question", most=str(MAX_PERSONA_CHARS))
            await self._question.ask(event, question, subject_id=event.message_id, example=tr("model-own-example"))
            return None
        if wanted != NONE and wanted not in PERSONAS:
            return tr("shared-dead-button")
        await self._update_config(event, persona="" if wanted == NONE else wanted)
        return await self._show_personas(event, event.message_id)

    async def accept_awaited_text(self, event: ChatEvent) -> bool:
        store = partial(self._store_custom_persona, event)
        return await self._question.accept_answer(event, store, max_chars=MAX_PERSONA_CHARS)

    async def _store_custom_persona(self, event: ChatEvent, message_id: int = 0) -> str:
        """Store a persona in the person's own words. `message_id` is the message to update, or 0."""
        try:
            config = await self._update_config(event, persona_text=event.argument)
        except NotOffered as too_long:
            return str(too_long)
        if message_id:
            await self._show_personas(event, message_id)
        return tr("model-own-now", text=config.persona_text)

    async def _show_personas(self, event: ChatEvent, message_id: int | None) -> str | None:
        config, text = await self._read_config(event), tr("model-manner-question")
        chosen = choose_persona(config)
        if config is not None and chosen == OWN_PERSONA:
            text += f"\n\n{tr('model-own-now', text=config.persona_text)}"
        labels = {persona: tr(f"model-persona-{persona}") for persona in (NONE, *PERSONAS, OWN_PERSONA)}
        rows = split_into_rows(self._make_choice_buttons(event, PERSONA, labels, chosen), 2)
        keyboard = make_keyboard(*rows, [self._make_settings_button(event)])
        await self._delivery.replace_message(event.chat, message_id, text, keyboard=keyboard)
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
