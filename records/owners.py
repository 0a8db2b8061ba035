"""An owner's choices, the mode of their memory, and people who asked for access."""

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

Policy = str  # the name of a fold policy, as summaries/policies.py lists them


class StorageType(StrEnum):
    """The store of an owner's memory, as in `users.storage_type`."""

    SQLITE = "sqlite"
    JSON = "json"
    POSTGRES = "postgres"


SpokenAnswers = Literal["", "voice", "always"]
"""Answers that are spoken automatically: none, those to voice messages, or all."""
SPOKEN_ANSWERS: tuple[SpokenAnswers, ...] = ("", "voice", "always")

Formatting = Literal["", "rich"]
"""The format of answers: always plain messages, or Telegram's rich messages where needed."""

OWN_PERSONA = "own"
MAX_PERSONA_CHARS = 500  # some 120 tokens of the system prompt's budget

MAX_INSTRUCTIONS_CHARS = 1000  # of an owner's instructions for summaries


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnerConfig:
    """An owner's choices for all of their scopes.

    `auto_fold` is False if summaries are only made on request. `timezone` is an IANA name, or "" for UTC. `language` is
    a code, or "" if none is chosen. `model` is "" for the default one. `persona` is "", one of llm/prompts.PERSONAS, or
    OWN_PERSONA, which `persona_text` describes. `incognito` means that memory is read and not written.
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


def get_memory_mode(config: OwnerConfig | None) -> Mode:
    """Return the memory mode of an owner, who may have no config yet."""
    if config is None or not config.enabled:
        return "off"
    return "incognito" if config.incognito else "on"


Standing = Literal["asked", "allowed", "refused", "removed", "admin"]
"""A person who "asked" is waiting for a decision. "removed" overrides ALLOWED_USER_IDS. An "admin" claimed the bot's
link.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownPerson:
    """A person who asked for access or about whom an admin decided."""

    id: int
    standing: Standing
    name: str
    language: str = ""
