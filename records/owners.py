"""An owner's choices: where their memory is kept, when it is summarised, and whether it is on."""

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

Policy = str  # the name of a fold policy, as summaries/policies.py lists them


class StorageType(StrEnum):
    """The store of an owner's memory. The value is written to `users.storage_type`."""

    SQLITE = "sqlite"
    JSON = "json"
    POSTGRES = "postgres"


SpokenAnswers = Literal["", "voice", "always"]
"""Which answers are spoken without being asked for: none, those to voice messages, or all."""
SPOKEN_ANSWERS: tuple[SpokenAnswers, ...] = ("", "voice", "always")

Formatting = Literal["", "rich"]
"""How answers are formatted: in plain messages, or those with tables and formulas as Telegram's rich messages."""

OWN_PERSONA = "own"
MAX_PERSONA_CHARS = 500  # characters of a persona in its owner's words: some 120 tokens of the system prompt's part

MAX_INSTRUCTIONS_CHARS = 1000  # characters of an owner's instructions for summaries


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnerConfig:
    """An owner's choices; they apply to all of the owner's scopes.

    `auto_fold` False: summaries are made only on request. `timezone`: an IANA name, "" = UTC. `fold_instructions`: the
    owner's instructions for summaries. `incognito`: memory is read, nothing is written. `language`: the code of the
    language that was chosen, "" = none was. `model`: the name of the model that answers, "" or one that is no longer
    offered = the usual one. `persona`: one of llm/prompts.PERSONAS, OWN_PERSONA (`persona_text` says it), or "" = none.
    `spoken_answers`: which answers are spoken, where the endpoint can. `formatting`: how answers are formatted.
    """

    owner: int
    storage: StorageType
    every_n: int
    enabled: bool
    created_at: datetime
    updated_at: datetime
    policy: Policy = "pyramid"
    auto_fold: bool = True
    timezone: str = ""
    fold_instructions: str = ""
    incognito: bool = False
    language: str = ""
    model: str = ""
    persona: str = ""
    persona_text: str = ""
    spoken_answers: SpokenAnswers = ""
    formatting: Formatting = ""

    @property
    def zone(self) -> tzinfo:
        """The owner's time zone, or UTC if none is chosen or this machine does not know it."""
        try:
            return ZoneInfo(self.timezone) if self.timezone else UTC
        except (ZoneInfoNotFoundError, ValueError, OSError):
            return UTC


Mode = Literal["off", "incognito", "on"]  # the state of an owner's memory, the strictest first

MODES: tuple[Mode, ...] = ("off", "incognito", "on")


def memory_mode_of(config: OwnerConfig | None) -> Mode:
    """Return the memory mode of an owner. `config` is None if nothing was ever configured."""
    if config is None or not config.enabled:
        return "off"
    return "incognito" if config.incognito else "on"


Standing = Literal["asked", "allowed", "refused", "removed", "admin"]
"""A person is "asked" until an admin decides. "removed" overrides ALLOWED_USER_IDS. "admin" claimed the bot's link."""


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownPerson:
    """A person who asked for access or about whom an admin decided, with the name and language of their app."""

    id: int
    standing: Standing
    name: str
    language: str = ""
