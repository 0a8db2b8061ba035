"""The settings that an owner can change. Callers must ensure that only admins change a group's settings."""

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial, reduce
from typing import Any, Literal

from chat.services import Services
from llm.prompts import PERSONAS
from locales.catalog import LANGUAGES, comma_join, tr
from locales.sentences import STORAGE_NAMES
from records.owners import (
    DEFAULT_EVERY_N,
    MAX_EVERY_N,
    MAX_INSTRUCTIONS_CHARS,
    MAX_PERSONA_CHARS,
    OWN_PERSONA,
    SPOKEN_ANSWERS,
    OwnerConfig,
    StorageType,
)
from summaries.policies import POLICIES
from text.characters import collapse_to_single_line, remove_invisible_characters
from text.time_zones import find_similar_zone_names, find_zone_name

ConfigChange = Callable[[OwnerConfig], OwnerConfig]
ControlKind = Literal["switch", "one", "number", "text"]
GROUPS = ("dashboard-memory", "dashboard-tab-summaries", "dashboard-set-answers", "dashboard-set-place")  # headings
# The values before anything was chosen. Others begin as "" or with the first one.
DEFAULTS: Mapping[str, object] = {"enabled": False, "incognito": False, "auto_fold": True, "every_n": DEFAULT_EVERY_N}


class NotOffered(ValueError):  # noqa: N818 - reads as the state it is
    """Raised if a value cannot be chosen. The message is a sentence to show to the person."""


class MemoryIsOff(NotOffered):
    """Raised if a setting cannot be changed because memory is off."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A setting that owners can change. `name` is a field of OwnerConfig. `text` and `hint` are message keys."""

    name: str
    text: str
    _: KW_ONLY
    group: str
    kind: ControlKind = "one"
    values: tuple[str, ...] = ()
    label: Callable[[str], str] = str
    longest: int = 0
    hint: str = ""
    change_to: Callable[[Any], ConfigChange] | None = None

    def is_offered(self, config: OwnerConfig | None) -> bool:
        """Return True if the setting has an effect now and there is more than one value to choose from."""
        is_on = self.name == "enabled" or (config is not None and config.enabled)
        return (is_on or self.group in GROUPS[2:]) and (self.kind != "one" or len(self.values) > 1)

    def get_value_or_default(self, config: OwnerConfig | None) -> Any:
        """Return the current value, or the default if that value is no longer offered."""
        value = DEFAULTS.get(self.name, "") if config is None else getattr(config, self.name)
        return self.values[0] if self.values and value not in self.values else value

    def make_config_change(self, value: object) -> ConfigChange:
        """Return a function that sets the value in a configuration. Raise NotOffered if the value is not allowed."""
        if isinstance(value, str) and self.kind == "text":
            has_lines = self.name == "fold_instructions"
            value = remove_invisible_characters(value).strip() if has_lines else collapse_to_single_line(value)
            if len(value) > self.longest:
                raise NotOffered(tr("shared-too-long", length=len(value), most=self.longest))
        elif isinstance(value, int) and self.kind in ("number", "switch"):
            if self.kind == "number" and not 1 <= value <= MAX_EVERY_N:
                raise NotOffered(tr("shared-dead-button"))
        elif value not in self.values:
            raise NotOffered(tr("shared-dead-button"))
        fields: dict[str, Any] = {self.name: value}
        return self.change_to(value) if self.change_to else lambda known: replace(known, **fields)


def list_changeable_settings(services: Services) -> tuple[Choice, ...]:
    """Return the settings that owners can change, in display order."""
    models, storages = tuple(services.models), services.memory.storage_types
    spoken = SPOKEN_ANSWERS if services.speech is not None else ("",)

    def make_model_change(model_name: str) -> ConfigChange:
        # The default is stored as no choice, so that a later default is followed.
        return lambda known: replace(known, model="" if model_name == models[0] else model_name)

    in_memory, in_summaries, in_answers, in_place = (partial(Choice, group=group) for group in GROUPS)
    return (
        in_memory("enabled", "dashboard-set-enabled", kind="switch"),
        in_memory("incognito", "dashboard-incognito", kind="switch", hint="dashboard-set-incognito-hint"),
        in_memory(
            "storage", "dashboard-set-storage", values=storages, label=lambda value: STORAGE_NAMES[StorageType(value)]
        ),
        in_summaries("auto_fold", "dashboard-set-auto", kind="switch"),
        in_summaries("every_n", "dashboard-set-every", kind="number"),
        in_summaries(
            "policy", "dashboard-set-policy", values=tuple(POLICIES), label=lambda value: tr(f"policy-name-{value}")
        ),
        in_summaries(
            "fold_instructions",
            "dashboard-set-instructions",
            kind="text",
            longest=MAX_INSTRUCTIONS_CHARS,
            hint="policy-prompt-usual",
        ),
        in_answers("model", "dashboard-set-model", values=models, change_to=make_model_change),
        in_answers(
            "persona",
            "dashboard-set-persona",
            values=("", *PERSONAS, OWN_PERSONA),
            label=lambda value: tr(f"model-persona-{value or 'none'}"),
        ),
        in_answers(
            "persona_text",
            "model-persona-own",
            kind="text",
            longest=MAX_PERSONA_CHARS,
            change_to=make_custom_persona_change,
        ),
        in_answers(
            "formatting",
            "dashboard-set-formatting",
            values=("", "rich"),
            label=lambda value: tr(f"choices-formatting-{value or 'plain'}"),
        ),
        in_answers(
            "spoken_answers",
            "dashboard-set-spoken",
            values=spoken,
            label=lambda value: tr(f"choices-spoken-{value or 'none'}"),
        ),
        in_place(
            "language",
            "dashboard-set-language",
            values=("", *LANGUAGES),
            label=lambda value: LANGUAGES[value] if value else tr("language-automatic"),
        ),
        in_place(
            "timezone",
            "dashboard-set-zone",
            kind="text",
            longest=100,
            hint="choices-which-city",
            change_to=make_time_zone_change,
        ),
    )


async def save_settings(services: Services, owner: int, values_by_setting: Mapping[str, object]) -> OwnerConfig:
    """Store chosen values, keyed by setting. Raise NotOffered if a value is invalid, or StorageError on failure."""
    memory, choices = services.memory, list_changeable_settings(services)
    changes = {
        choice.name: choice.make_config_change(values_by_setting[choice.name])
        for choice in choices
        if choice.name in values_by_setting
    }
    storage, config = values_by_setting.get("storage"), await memory.get_config(owner)
    words = values_by_setting.get("persona_text", config.persona_text if config else "")
    if values_by_setting.get("persona") == OWN_PERSONA and not words:
        raise NotOffered(tr("model-own-question", most=str(MAX_PERSONA_CHARS)))
    if "enabled" in values_by_setting:
        config = await memory.set_enabled(owner, enabled=values_by_setting["enabled"] is True)
    if values_by_setting.keys() & {"storage", "every_n"} and (config is None or not config.enabled):
        raise MemoryIsOff(tr("basics-mode-off"))
    if storage is not None and config is not None:
        await memory.configure(owner, storage=StorageType(str(storage)), every_n=config.every_n)
    kept = [change for name, change in changes.items() if name not in ("enabled", "storage")]
    return await memory.change_config(owner, lambda known: reduce(lambda changed, change: change(changed), kept, known))


def make_custom_persona_change(text: str) -> ConfigChange:
    """Return a change that sets a custom answer style, or removes it if the text is empty."""

    def set_custom_persona(config: OwnerConfig) -> OwnerConfig:
        without = "" if config.persona == OWN_PERSONA else config.persona
        return replace(config, persona_text=text, persona=OWN_PERSONA if text else without)

    return set_custom_persona


def make_time_zone_change(zone_text: str) -> ConfigChange:
    zone = find_zone_name(zone_text) if zone_text else ""
    if zone is None:
        similar = comma_join(find_similar_zone_names(zone_text))
        unknown = tr("choices-zone-unknown", words=zone_text[:60])
        raise NotOffered(tr("choices-zone-similar", words=zone_text[:60], names=similar) if similar else unknown)
    return lambda known: replace(known, timezone=zone)
