"""An owner's choices, the mode of their memory, and people who asked for access."""

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

Policy = str  # the name of a fold policy, as summaries/policies.py lists them


class StorageType(StrEnum):
    """The kind of store that holds an owner's memory, as in `users.storage_type`."""

    SQLITE = "sqlite"
    JSON = "json"
    POSTGRES = "postgres"


SpokenAnswers = Literal["", "voice", "always"]  # the spoken answers: none, those to voice messages, or all
SPOKEN_ANSWERS: tuple[SpokenAnswers, ...] = ("", "voice", "always")
Formatting = Literal["", "rich"]  # the format of answers: plain messages, or Telegram's rich messages where needed
DEFAULT_EVERY_N, MAX_EVERY_N = 20, 500  # turns in one summary of level 1
OFFERED_THRESHOLDS = (5, 10, 20, 50)  # values of every_n that have a button
OWN_PERSONA = "own"
MAX_PERSONA_CHARS = 500  # some 120 tokens of the system prompt's budget
MAX_INSTRUCTIONS_CHARS = 1000  # of an owner's instructions for summaries


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnerConfig:
    """An owner's choices for all of their scopes."""

    owner: int
    storage: StorageType
    every_n: int  # turns in one summary
    enabled: bool
    created_at: datetime
    updated_at: datetime
    policy: Policy = "pyramid"
    auto_fold: bool = True  # False if summaries are only made on request
    timezone: str = ""  # an IANA name, or "" for UTC
    fold_instructions: str = ""
    incognito: bool = False  # True if memory is read and not written
    language: str = ""  # a code, or "" if none is chosen
    model: str = ""  # "" for the default one
    persona: str = ""  # "", one of llm/prompts.PERSONAS, or OWN_PERSONA
    persona_text: str = ""  # the description of OWN_PERSONA
    spoken_answers: SpokenAnswers = ""
    formatting: Formatting = ""

    @property
    def zone(self) -> tzinfo:
        """The owner's time zone, or UTC if none is set or the zone is unknown on this machine."""
        try:
            return ZoneInfo(self.timezone) if self.timezone else UTC
        except (ZoneInfoNotFoundError, ValueError, OSError):
            return UTC


Mode = Literal["off", "incognito", "on"]  # the state of an owner's memory, the strictest first
MODES: tuple[Mode, ...] = ("off", "incognito", "on")


def get_memory_mode(config: OwnerConfig | None) -> Mode:
    """Return the mode of an owner's memory. It is "off" without a configuration."""
    if config is None or not config.enabled:
        return "off"
    return "incognito" if config.incognito else "on"


# Somebody who "asked" is waiting for a decision. "removed" overrides ALLOWED_USER_IDS. An "admin" used the claim link.
AccessStatus = Literal["asked", "allowed", "refused", "removed", "admin"]


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownPerson:
    """A person who asked for access, or whose access has been decided."""

    id: int
    standing: AccessStatus
    name: str
    language: str = ""
