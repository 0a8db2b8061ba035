"""/model and /persona: which model answers, and in what manner.

Owns their words and buttons.
"""

import hashlib

from telegram import InlineKeyboardButton

from chat.choices import NotOffered, choose
from llm.prompts import PERSONAS
from locales.catalog import tr
from records.owners import MAX_PERSONA_CHARS, OWN_PERSONA, OwnerConfig
from telegram_ui.commands.buttons import make_keyboard, split_rows
from telegram_ui.commands.family import Ask, Dependencies, Family, NextText, command, press
from telegram_ui.commands.wording import format_quote, format_ticked

MODEL, PERSONA = "mod", "per"
ASK = "ask"  # the payload of the buttons of /settings that show the choice in its place
NONE = "none"
MAX_LABEL_CHARS = 40  # characters of a model's name that a button shows


class ModelCommands(Family):
    """Answers /model and /persona. In groups only admins choose."""

    heading = "choices"

    def __init__(self, dependencies: Dependencies) -> None:
        super().__init__(dependencies)
        self._own = NextText("persona", dependencies)

    @property
    def _model_names(self) -> tuple[str, ...]:
        """Those that may answer, the usual one first."""
        return tuple(self._services.models)

    # /model --------------------------------------------------------------------------------------------------

    @command("model", who="admins")
    async def _handle_model_command(self, ask: Ask) -> str | None:
        """With buttons; or the one that is named after the command is chosen at once."""
        wanted = ask.argument.strip()
        found = next((name for name in self._model_names if name.casefold() == wanted.casefold()), None)
        if found is None:
            return await self._show_models(ask)
        await self._choose_model(ask, found)
        return tr("model-chosen", model=format_quote(found, 2 * MAX_LABEL_CHARS))

    @press(MODEL, who="admins")
    async def _press_model(self, ask: Ask) -> str | None:
        if ask.argument == ASK:
            return await self._show_models(ask)
        found = next((name for name in self._model_names if make_model_key(name) == ask.argument), None)
        if found is None:
            return tr("shared-dead-button")
        await self._choose_model(ask, found)
        return await self._show_models(ask)

    async def _choose_model(self, ask: Ask, name: str) -> None:
        await choose(self._services, ask.chat.scope.owner, {"model": name})

    async def _show_models(self, ask: Ask) -> str | None:
        chosen = choose_model(await self._services.memory.config(ask.chat.scope.owner), self._model_names)
        if len(self._model_names) == 1:
            return tr("model-only", model=chosen)
        rows = [
            [
                self._make_button(
                    ask,
                    MODEL,
                    format_ticked(format_quote(model, MAX_LABEL_CHARS), is_chosen=model == chosen),
                    make_model_key(model),
                )
            ]
            for model in self._model_names
        ]
        text = "\n".join([tr("model-question", model=chosen), *self._list_abilities()])
        await self._show_text(ask, text, *rows, [self._make_settings_button(ask)])
        return None

    def _list_abilities(self) -> list[str]:
        """Return a line for each model of which it is known whether it sees."""
        keys = {True: "model-can-see", False: "model-can-not-see"}
        return [
            tr(keys[model.sees], model=format_quote(name, 2 * MAX_LABEL_CHARS))
            for name, model in self._services.models.items()
            if model.sees is not None
        ]

    # /persona ------------------------------------------------------------------------------------------------

    @command("persona", who="admins")
    async def _handle_persona_command(self, ask: Ask) -> str | None:
        """With buttons; or words after the command are the person's own. "off" and "reset" choose the usual one."""
        if ask.argument.strip().casefold() in ("off", "reset", tr("model-persona-none").casefold()):
            await self._choose_persona(ask, NONE)
        elif ask.argument.strip():
            return await self._choose_own_persona(ask)
        await self._show_personas(ask, None)
        return None

    @press(PERSONA, who="admins")
    async def _press_persona(self, ask: Ask) -> str | None:
        wanted = ask.argument
        if wanted == ASK:
            await self._show_personas(ask, ask.message_id)
            return None
        if wanted == OWN_PERSONA:
            question = tr("model-own-question", most=str(MAX_PERSONA_CHARS))
            await self._own.ask_for(ask, question, about=ask.message_id, example=tr("model-own-example"))
            return None
        if wanted != NONE and wanted not in PERSONAS:
            return tr("shared-dead-button")
        await self._choose_persona(ask, wanted)
        await self._show_personas(ask, ask.message_id)
        return None

    async def _choose_persona(self, ask: Ask, wanted: str) -> None:
        await choose(self._services, ask.chat.scope.owner, {"persona": "" if wanted == NONE else wanted})

    async def take_text(self, ask: Ask) -> bool:
        """A text that may be a person's own persona; whether it was asked for."""
        return await self._own.take_answer(
            ask, lambda shown: self._choose_own_persona(ask, shown), most=MAX_PERSONA_CHARS
        )

    async def _choose_own_persona(self, ask: Ask, shown: int = 0) -> str:
        """Choose, and return what to say. `shown`: the message with the list that asked for it, 0 for none."""
        try:
            config = await choose(self._services, ask.chat.scope.owner, {"persona_text": ask.argument})
        except NotOffered as too_long:
            return str(too_long)
        if shown:
            await self._show_personas(ask, shown)
        return tr("model-own-now", text=config.persona_text)

    async def _show_personas(self, ask: Ask, instead_of: int | None) -> None:
        config = await self._services.memory.config(ask.chat.scope.owner)
        chosen = choose_persona(config)

        def button(which: str) -> InlineKeyboardButton:
            return self._make_button(
                ask, PERSONA, format_ticked(tr(f"model-persona-{which}"), is_chosen=which == chosen), which
            )

        lines = [tr("model-manner-question")]
        if config is not None and chosen == OWN_PERSONA:
            lines += ["", tr("model-own-now", text=config.persona_text)]
        rows = split_rows([button(one) for one in (NONE, *PERSONAS, OWN_PERSONA)], 2)
        keyboard = make_keyboard(*rows, [self._make_settings_button(ask)])
        await self._delivery.replace(ask.chat, instead_of, "\n".join(lines), keyboard=keyboard)


def make_model_key(model: str) -> str:
    """Return the payload of a model's button: names may be longer than a button's data, and the list may change."""
    return hashlib.sha256(model.encode()).hexdigest()[:12]


def choose_model(config: OwnerConfig | None, models: tuple[str, ...]) -> str:
    """Return the model that answers: the chosen one, as long as it is offered."""
    return config.model if config is not None and config.model in models else models[0]


def choose_persona(config: OwnerConfig | None) -> str:
    """Return the chosen manner: a given persona, OWN_PERSONA, or NONE."""
    is_known = config is not None and (config.persona in PERSONAS or config.persona == OWN_PERSONA)
    return config.persona if config is not None and is_known else NONE
