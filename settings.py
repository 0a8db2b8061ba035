"""Every setting, read once from an environment that is handed in. Nothing else in the program reads the environment.

Owns names, defaults, limits and the sentence for a wrong value. Does not know what the settings are used for.
`python -m settings` prints the flags that `make run` needs: the playground's when there is no token.
"""

import contextlib
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar
from urllib.parse import urlsplit

from dotenv import dotenv_values

from records.errors import SettingsError

DEFAULT_SYSTEM_PROMPT = (
    "You are Keepsake, a helpful, honest assistant in a Telegram chat. Answer in the language of the question, "
    "briefly unless asked for more. You may be shown summaries and quotes of earlier conversation: use them when they "
    "help, and say so when you do not know."
)

LARGEST = 10**12
"""Of a whole number in a setting: what is larger is a slip, and would overflow where shares are reckoned."""

Choice = TypeVar("Choice", bound=str)


@dataclass(frozen=True, slots=True)
class Secret:
    """A value that cannot be printed by accident."""

    value: str

    def __repr__(self) -> str:
        return "Secret('…')"

    __str__ = __repr__

    def __bool__(self) -> bool:
        return bool(self.value)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of one run; `contract.md` of the project describes each, `.env.example` lists them."""

    telegram_bot_token: Secret = Secret("")
    telegram_api_url: str = "https://api.telegram.org"
    openai_api_key: Secret = Secret("")
    openai_base_url: str = ""
    openai_model: str = "gpt-5.4-mini"
    summary_model: str = "gpt-5.4-mini"
    summary_fallback: Literal["none", "extractive"] = "none"
    facts: Literal["on", "off"] = "on"
    facts_batch_turns: int = 4
    facts_quiet_seconds: float = 120.0
    facts_top_k: int = 5
    fact_min_similarity: float | None = None
    fact_duplicate_distance: float = 0.15
    profile_every_summaries: int = 20
    profile_keep_summaries: int = 10
    embedding_model: str = "local"
    embedding_base_url: str = ""
    embedding_api_key: Secret = Secret("")
    data_dir: Path = Path("data")
    database_url: Secret = Secret("")
    allowed_user_ids: frozenset[int] = frozenset()
    everyone_allowed: bool = False
    admin_user_ids: frozenset[int] = frozenset()
    system_prompt: str = DEFAULT_SYSTEM_PROMPT
    max_context_tokens: int = 8000
    summary_budget: int = 2000
    recent_budget: int = 3000
    snippet_budget: int = 1500
    system_budget: int = 1500
    rolling_summary_tokens: int = 150
    idle_fold_minutes: int = 10
    pressure_percent: int = 80
    model_timeout: float = 60.0
    retention_days: int = 0
    daily_token_budget_per_user: int = 0
    daily_token_budget: int = 0
    webhook_url: str = ""
    webhook_listen: tuple[str, int] = ("127.0.0.1", 8443)
    webhook_secret: Secret = Secret("")
    log_level: str = "INFO"
    reply_streaming: Literal["auto", "edit", "off"] = "auto"
    tools: Literal["auto", "off"] = "auto"

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> "Settings":
        """Settings from environment variables. Raises SettingsError, naming the variable, for a wrong value.

        An empty value counts as not set. The token and the key are not demanded here: a playground needs neither.
        """
        env = _Environment(environ)
        everyone, allowed = env.ids("ALLOWED_USER_IDS")
        admins_everyone, admins = env.ids("ADMIN_USER_IDS")
        if admins_everyone:
            raise SettingsError("ADMIN_USER_IDS", "'*' would make everyone an admin; list numeric ids instead.")
        openai_model = env.text("OPENAI_MODEL", cls.openai_model)
        return cls(
            telegram_bot_token=Secret(env.text("TELEGRAM_BOT_TOKEN")),
            telegram_api_url=env.url("TELEGRAM_API_URL", cls.telegram_api_url),
            openai_api_key=Secret(env.text("OPENAI_API_KEY")),
            openai_base_url=env.url("OPENAI_BASE_URL"),
            openai_model=openai_model,
            summary_model=env.text("SUMMARY_MODEL", openai_model),
            summary_fallback=env.choice("SUMMARY_FALLBACK", "none", ("none", "extractive")),
            facts=env.choice("FACTS", "on", ("on", "off")),
            facts_batch_turns=env.integer("FACTS_BATCH_TURNS", 4, least=1),
            facts_quiet_seconds=env.seconds("FACTS_QUIET_SECONDS", 120.0),
            facts_top_k=env.integer("FACTS_TOP_K", 5, least=0),
            fact_min_similarity=env.share("FACT_MIN_SIMILARITY", 0.0, least=-1.0)
            if env.text("FACT_MIN_SIMILARITY")
            else None,
            fact_duplicate_distance=env.share("FACT_DUPLICATE_DISTANCE", 0.15),
            profile_every_summaries=env.integer("PROFILE_EVERY_SUMMARIES", 20, least=1),
            profile_keep_summaries=env.integer("PROFILE_KEEP_SUMMARIES", 10, least=0),
            embedding_model=env.text("EMBEDDING_MODEL", cls.embedding_model),
            embedding_base_url=env.url("EMBEDDING_BASE_URL"),
            embedding_api_key=Secret(env.text("EMBEDDING_API_KEY")),
            data_dir=Path(env.text("DATA_DIR", "data")),
            database_url=Secret(env.text("DATABASE_URL")),
            allowed_user_ids=allowed,
            everyone_allowed=everyone,
            admin_user_ids=admins,
            system_prompt=env.text("SYSTEM_PROMPT", DEFAULT_SYSTEM_PROMPT),
            max_context_tokens=env.integer("MAX_CONTEXT_TOKENS", 8000, least=500),
            summary_budget=env.integer("SUMMARY_BUDGET", 2000, least=0),
            recent_budget=env.integer("RECENT_BUDGET", 3000, least=0),
            snippet_budget=env.integer("SNIPPET_BUDGET", 1500, least=0),
            system_budget=env.integer("SYSTEM_BUDGET", 1500, least=0),
            rolling_summary_tokens=env.integer("ROLLING_SUMMARY_TOKENS", 150, least=20),
            idle_fold_minutes=env.integer("IDLE_FOLD_MINUTES", 10, least=0),
            pressure_percent=env.integer("PRESSURE_PERCENT", 80, least=0),
            model_timeout=env.seconds("MODEL_TIMEOUT", 60.0),
            retention_days=env.integer("RETENTION_DAYS", 0, least=0, most=36_500),
            daily_token_budget_per_user=env.integer("DAILY_TOKEN_BUDGET_PER_USER", 0, least=0),
            daily_token_budget=env.integer("DAILY_TOKEN_BUDGET", 0, least=0),
            webhook_url=env.url("WEBHOOK_URL"),
            webhook_listen=env.address("WEBHOOK_LISTEN", "127.0.0.1:8443"),
            webhook_secret=Secret(env.webhook_secret("WEBHOOK_SECRET")),
            log_level=env.choice("LOG_LEVEL", "INFO", ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"), str.upper),
            reply_streaming=env.choice("REPLY_STREAMING", "auto", ("auto", "edit", "off")),
            tools=env.choice("TOOLS", "auto", ("auto", "off")),
        )

    def secrets(self) -> tuple[str, ...]:
        """Every secret value that is set, for the log's redaction."""
        values = (getattr(self, name) for name in self.__dataclass_fields__)
        return tuple(value.value for value in values if isinstance(value, Secret) and value)


class _Environment:
    """Typed reading of single variables; each method raises SettingsError with the variable's name."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ

    def text(self, name: str, default: str = "") -> str:
        return self._environ.get(name, "").strip() or default

    def url(self, name: str, default: str = "") -> str:
        text = self.text(name, default).rstrip("/")
        try:
            parts = urlsplit(text)
            usable = not text or (parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0)
        except ValueError:
            usable = False
        if not usable:
            raise SettingsError(name, "must be a URL that begins with http:// or https://.")
        return text

    def integer(self, name: str, default: int, *, least: int, most: int = LARGEST) -> int:
        text = self.text(name, str(default))
        try:
            number = int(text)
        except ValueError:
            raise SettingsError(name, f"must be a whole number, {least} or more.") from None
        if not least <= number <= most:
            raise SettingsError(name, f"must be a whole number from {least} to {most}.")
        return number

    def seconds(self, name: str, default: float) -> float:
        text = self.text(name, str(default))
        try:
            number = float(text)
        except ValueError:
            number = 0.0
        if not 0 < number <= 86_400:
            raise SettingsError(name, "must be a number of seconds above 0, at most 86400.")
        return number

    def share(self, name: str, default: float, *, least: float = 0.0) -> float:
        """A number from `least` to 1."""
        text = self.text(name, str(default))
        try:
            number = float(text)
        except ValueError:
            number = least - 1
        if not least <= number <= 1:
            raise SettingsError(name, f"must be a number from {least:g} to 1.")
        return number

    def choice(
        self,
        name: str,
        default: Choice,
        choices: tuple[Choice, ...],
        fold: "type[str] | object" = str.lower,
    ) -> Choice:
        text = self.text(name, default)
        text = text.upper() if fold is str.upper else text.lower()
        for choice in choices:
            if choice == text:
                return choice
        raise SettingsError(name, f"must be one of {', '.join(choices)}.")

    def ids(self, name: str) -> tuple[bool, frozenset[int]]:
        """Whether '*' is among them, and the ids."""
        everyone, ids = False, set[int]()
        for item in self.text(name).replace(";", ",").split(","):
            word = item.strip()
            if word == "*":
                everyone = True
            elif word:
                try:
                    ids.add(int(word))
                except ValueError:
                    raise SettingsError(
                        name, "must be numeric Telegram ids separated by commas, such as 123456,789012."
                    ) from None
        return everyone, frozenset(ids)

    def address(self, name: str, default: str) -> tuple[str, int]:
        host, colon, port = self.text(name, default).rpartition(":")
        if not colon or not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65_536:
            raise SettingsError(name, "must be an address and a port, such as 127.0.0.1:8443.")
        return host, int(port)

    def webhook_secret(self, name: str) -> str:
        text = self.text(name)
        # Telegram's own rule for secret_token (setWebhook): 1-256 characters of A-Z, a-z, 0-9, _ and -.
        if text and not (len(text) <= 256 and all(c.isascii() and (c.isalnum() or c in "_-") for c in text)):
            raise SettingsError(name, "may hold 1 to 256 characters: A-Z, a-z, 0-9, _ and -.")
        return text


def environment(directory: Path | None = None) -> dict[str, str]:
    """The process's environment over `.env` of the working directory. Raises SettingsError for one that is no text."""
    file = (directory or Path.cwd()) / ".env"
    try:
        values = dotenv_values(file) if file.is_file() else {}
    except (OSError, UnicodeDecodeError):
        raise SettingsError(".env", "cannot be read; it has to be a text file in UTF-8.") from None
    return {**{name: value for name, value in values.items() if value is not None}, **os.environ}


if __name__ == "__main__":
    with contextlib.suppress(SettingsError):  # which the bot then tells
        sys.stdout.write("" if environment().get("TELEGRAM_BOT_TOKEN", "").strip() else "--playground")
