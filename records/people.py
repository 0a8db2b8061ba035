"""Who is let in by a button, next to the settings."""

from dataclasses import dataclass
from typing import Literal

Standing = Literal["asked", "allowed", "refused", "removed"]
"""asked: nobody decided yet; removed: whatever ALLOWED_USER_IDS says."""


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownPerson:
    """A person about whom an admin was asked, or decided. `name`: as their app showed it; `language`: its tag."""

    id: int
    standing: Standing
    name: str
    language: str = ""
