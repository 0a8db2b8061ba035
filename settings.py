"""All settings, read once from the environment. No other module reads the environment.

`python -m settings` prints the flag that `make run` passes to the bot: --playground if there is no token.
"""

import contextlib
import io
import os
import re
import sys
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, Self, get_args
from urllib.parse import unquote, urlsplit

from dotenv import dotenv_values
from dotenv.parser import parse_stream

from records.errors import SettingsError
from records.model_calls import Abilities, Price, parse_abilities, parse_prices
from records.setting_values import (
    ParseText,
    Secret,
    T,
    make_choice_parser,
    make_integer_parser,
    normalize_url,
    parse_address,
    parse_admin_ids,
    parse_api_key,
    parse_ids,
    parse_list,
    parse_postgres_url,
    parse_public_url,
    parse_seconds,
    parse_webhook_token,
)

__all__ = ["Secret", "make_integer_parser"]

DEFAULT_SYSTEM_PROMPT = (
    "You are Keepsake, a helpful, honest assistant in a Telegram chat. Answer in the language of the question, "
    "briefly unless asked for more. You may be shown summaries and quotes of earlier conversation: use them when they "
    "help, and say so when you do not know."
)

MAX_SHOWN_CHARS = 60  # of a wrong value in its error


def setting(default: T, meaning: str, parse: ParseText[T] | None = None, *, label: str = "") -> T:
    """Return a dataclass field whose value comes from the environment variable of the same name in capitals.

    `parse` converts the value. If it is None, the parser depends on the field's type. `meaning` is the description in
    docs/reference.md and .env.example. There, `label` replaces the default.
    """
    return field(default=default, metadata={"meaning": meaning, "parse": parse, "label": label})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of one run. `make reference` generates docs/reference.md and .env.example from them."""

    telegram_bot_token: Secret = setting(Secret(""), "the token from @BotFather")
    telegram_api_url: str = setting(
        "https://api.telegram.org", "the Bot API server; change for a local one", normalize_url
    )
    openai_api_key: Secret = setting(Secret(""), "key of the model's endpoint; required unless the base URL is set")
    openai_base_url: str = setting("", "any OpenAI-compatible endpoint; empty = OpenAI itself", normalize_url)
    openai_model: str = setting("gpt-5.4-mini", "the model that answers")
    openai_models: tuple[str, ...] = setting(
        (),
        "further models at `OPENAI_BASE_URL`, separated by commas, for everybody to choose from with `/model`; "
        "`OPENAI_MODEL` replaces one that is removed",
        lambda text: tuple(dict.fromkeys(parse_list(text))),
        label="none",
    )
    summary_model: str = setting("gpt-5.4-mini", "the model that summarises and learns facts", label="`OPENAI_MODEL`")
    summary_fallback: Literal["none", "extractive"] = setting(
        "none", "what summarises when the model fails: `none` (wait and retry) or `extractive` (the offline summariser)"
    )
    facts: Literal["on", "off"] = setting(
        "on", "`on`: facts are learned from what people say, and a profile is distilled from them; `off`: neither"
    )
    facts_batch_turns: int = setting(4, "facts are learned when this many turns are waiting", make_integer_parser(1))
    facts_quiet_seconds: float = setting(120.0, "seconds of silence after which facts are learned from fewer turns")
    profile_every_summaries: int = setting(
        20, "the profile is distilled again after this many summaries of level 1", make_integer_parser(1)
    )
    profile_keep_summaries: int = setting(10, "this many of the newest are left for the next time")
    embedding_model: str = setting(
        "local", "search by meaning: `local` (a bundled model), `none` (words alone), or a model's name at the endpoint"
    )
    embedding_base_url: str = setting("", "where that model is served, if not at `OPENAI_BASE_URL`", normalize_url)
    embedding_api_key: Secret = setting(Secret(""), "key of that endpoint, if it is a different one")
    embedding_timeout: float = setting(1.0, "seconds to wait for a question's vector before searching by words alone")
    model_timeout: float = setting(60.0, "seconds without a byte from the model before the bot gives up")
    allowed_user_ids: frozenset[int] = setting(
        frozenset(),
        "who may use the bot: numeric ids separated by commas, `*` = everyone, empty = admins and whom they let in",
        parse_ids,
    )
    everyone_allowed: bool = False
    admin_user_ids: frozenset[int] = setting(
        frozenset(),
        "numeric ids of admins; with neither set, the first to open the link that the start prints becomes admin",
        parse_admin_ids,
    )
    daily_token_budget_per_user: int = setting(
        0, "tokens that one person may use in a day (UTC), with summaries and an endpoint's embeddings; 0 = no limit"
    )
    daily_token_budget: int = setting(0, "the same for everybody together")
    model_prices: tuple[tuple[str, Price], ...] = setting(
        (),
        "for `/usage`: US dollars for a million tokens of prompts / answers / cached prompts, such as "
        "`gpt-5.4-mini=0.25/2/0.025, qwen3:4b=0/0`",
        lambda text: parse_prices(parse_list(text)),
        label="none",
    )
    model_abilities: tuple[tuple[str, Abilities], ...] = setting(
        (),
        "what models can do, otherwise detected: `context` (tokens of prompt and answer), `vision` (`on`, `off`; "
        "overrides `VISION`), `tokens` (its tokens for each one counted here, 0.5 to 3), such as "
        "`qwen3:4b context=8192 vision=off tokens=1.2, gpt-5.4 vision=on`",
        lambda text: parse_abilities(parse_list(text)),
        label="none",
    )
    retention_days: int = setting(
        0, "days after which summarised messages are erased, as by `/forget`; 0 = never", make_integer_parser(0, 36_500)
    )
    default_language: str = setting(
        "en",
        "the bot's language for people whose app has none of `en`, `ru`, `es`, `de`, `zh`, `pt`, `ar`, and for groups "
        "that have chosen none",
        make_choice_parser("en", "ru", "es", "de", "zh", "pt", "ar"),
    )
    data_dir: Path = setting(Path("data"), "where everything is kept; one process at a time")
    database_url: Secret = setting(
        Secret(""),
        "`postgresql://user:password@host:port/database`: PostgreSQL as a third storage, and for several processes",
        parse_postgres_url,
    )
    system_prompt: str = setting(DEFAULT_SYSTEM_PROMPT, "personality and instructions", label="a short helpful one")
    max_context_tokens: int = setting(8000, "hard ceiling of one request's prompt", make_integer_parser(500))
    summary_budget: int = setting(2000, "part of the ceiling for summaries")
    recent_budget: int = setting(3000, "part for the newest turns")
    snippet_budget: int = setting(1500, "part for earlier messages that are brought back")
    system_budget: int = setting(1500, "part for the system prompt")
    rolling_summary_tokens: int = setting(
        150, "the most tokens of the single summary of the policies rolling and sliding", make_integer_parser(20)
    )
    idle_fold_minutes: int = setting(
        10, "minutes after which a quiet chat with over half of `RECENT_BUDGET` unsummarised is summarised; 0 = never"
    )
    pressure_percent: int = setting(
        80, "the bot summarises before it answers if the prompt would exceed this share of the ceiling; 0 = never"
    )
    webhook_url: str = setting("", "public https URL of the webhook; empty = updates are polled", parse_public_url)
    webhook_listen: tuple[str, int] = setting(("127.0.0.1", 8443), "address and port for the webhook", parse_address)
    webhook_secret: Secret = setting(
        Secret(""), "secret token of the webhook; new at each start unless set", parse_webhook_token, label="random"
    )
    dashboard_url: str = setting("", "public https URL of the page of one's memory; empty = no page", parse_public_url)
    dashboard_listen: tuple[str, int] = setting(("127.0.0.1", 8090), "address and port of that page", parse_address)
    health_listen: tuple[str, int] | None = setting(
        None,
        "address and port for `/healthz`, `/readyz` and `/metrics`, such as `127.0.0.1:8081`; without a password",
        parse_address,
        label="off",
    )
    otel_exporter_otlp_endpoint: str = setting(
        "",
        "an OpenTelemetry collector (OTLP over HTTP), such as `http://127.0.0.1:4318`, for spans of turns, folds and "
        "model requests; needs `requirements-otel.txt`",
        normalize_url,
    )
    reply_streaming: Literal["auto", "edit", "off"] = setting(
        "auto", "how answers appear while written: `auto` (draft in private chats, edits elsewhere), `edit`, `off`"
    )
    tools: Literal["auto", "off"] = setting(
        "auto",
        "whether the model may search the memory, and propose facts to remember or forget: `auto` (if its "
        "endpoint takes tools), `off`",
    )
    transcription_model: str = setting(
        "",
        "the model at `OPENAI_BASE_URL` that transcribes voice messages (`/audio/transcriptions`), such as "
        "`gpt-transcribe`; empty = none",
    )
    speech_model: str = setting(
        "",
        "the model at `OPENAI_BASE_URL` that speaks answers (`/audio/speech`, in Ogg with Opus), by a button under "
        "them or as `/settings` says, such as `kokoro`; empty = none",
    )
    speech_voice: str = setting("alloy", "the voice of `SPEECH_MODEL`, as its endpoint calls it")
    vision: Literal["auto", "on", "off"] = setting(
        "auto", "whether the model gets pictures: `auto` (until its endpoint refuses two), `on` (always), `off`"
    )
    log_level: str = setting(
        "INFO",
        "`DEBUG`, `INFO`, `WARNING`, `ERROR` or `CRITICAL`, on stderr",
        make_choice_parser("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"),
    )
    log_format: Literal["text", "json"] = setting("text", "of the log: `text`, or `json` (one object on each line)")
    backup_dir: Path | None = setting(
        None,
        "a folder for a daily backup (UTC) of all memory, checked by reading it; it should be on another disk",
        Path,
        label="none",
    )
    backup_keep: int = setting(7, "how many of these are kept; older ones are deleted", make_integer_parser(1, 3_660))

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> Self:
        """Parse the settings from environment variables. If any are invalid, raise a SettingsError that names them all.

        An empty value counts as not set. The token and the key are not required, because a playground needs neither.
        """
        values: dict[str, Any] = {}
        wrong: dict[str, str] = {}
        hidden = [environ.get(f.name.upper(), "").strip() for f in fields(cls) if isinstance(f.default, Secret)]
        for option in fields(cls):
            variable = option.name.upper()
            if option.metadata and (text := environ.get(variable, "").strip()):
                known = option.metadata["parse"] or _PARSERS.get(option.type)
                read = known or make_choice_parser(*get_args(option.type))
                try:
                    values[option.name] = read(text)
                except ValueError as error:
                    place = getattr(environ, "places", {}).get(variable, "the environment")
                    wrong[variable] = f"{error} {_describe_value_unless_secret(text, read, hidden)} in {place}."
        for variable in wrong:  # the first is raised, followed by the others
            others = (f"{name}: {why}" for name, why in wrong.items() if name != variable)
            raise SettingsError(variable, " ".join([wrong[variable], *others, *describe_misspelt_variables(environ)]))
        values.setdefault("summary_model", values.get("openai_model", cls.summary_model))
        return cls(**values, everyone_allowed="*" in parse_list(environ.get("ALLOWED_USER_IDS", "")))

    @property
    def learns_facts(self) -> bool:
        return self.facts == "on"

    def list_secrets(self) -> tuple[str, ...]:
        """Return all secrets that are set, with the logins and queries of URLs, so that the log can redact them."""
        values = (getattr(self, option.name) for option in fields(self))
        found = [value.value for value in values if isinstance(value, Secret)]
        urls = (getattr(self, option.name) for option in fields(self) if option.metadata.get("parse") is normalize_url)
        for url in map(urlsplit, (self.database_url.value, *urls)):
            password = url.password or ""
            # A user of PostgreSQL without a password is no secret, but an endpoint's token may stand there.
            login = url.netloc.rpartition("@")[0] if password or url.scheme.startswith("http") else ""
            pair = f"{unquote(url.username or '')}:{unquote(password)}" if login else ""
            found += [b64encode(pair.encode()).decode(), login, password, unquote(password), url.query]
        return tuple(filter(None, found))


_PARSERS: Mapping[object, ParseText[Any]] = {
    str: str,
    int: make_integer_parser(0),
    float: parse_seconds,
    Path: Path,
    Secret: parse_api_key,
}

# Names of other programs that look more like a different setting.
_NAMES_ELSEWHERE = {"OPENAI_API_BASE": "OPENAI_BASE_URL"}
# A bot's token (Bot API: "123456:ABC-DEF…"), a key as model providers write them, a password within a URL.
_SECRET = re.compile(
    r"\d+:[\w-]{5,}|\b(sk|pk|gsk|key|hf)[-_]\w|://[^/]*@|secret|token|passw|[\w+/=-]{32,}", re.IGNORECASE
)


def _describe_value_unless_secret(text: str, parse: ParseText[Any], secrets: Iterable[str]) -> str:
    is_secret = parse in (Secret, parse_api_key, parse_webhook_token) or _SECRET.search(text)
    if is_secret or any(secret and secret in text for secret in secrets):
        return "It stands"
    cut = text if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]}…"
    return f"It is “{cut}”" if cut.isprintable() else f"It is {cut!a}"


def describe_misspelt_variables(environ: Mapping[str, str]) -> list[str]:
    """Return a sentence for each unknown variable that resembles a setting."""
    ours = [option.name.upper() for option in fields(Settings) if option.metadata]
    # difflib takes quadratic time, and other programs' variables may have any length.
    others = [name for name in sorted(environ.keys() - set(ours)) if len(name) <= MAX_SHOWN_CHARS]
    near = {name: get_close_matches(name.upper(), ours, n=1, cutoff=0.8) for name in others}
    meant = {name: _NAMES_ELSEWHERE.get(name, ours[0]) for name, ours in near.items() if ours}
    return [f"{name} is no setting of this program; did you mean {ours}?" for name, ours in meant.items()]


class Environment(dict[str, str]):
    """Environment variables by name. `places` maps each variable from `.env` to its line there."""

    places: Mapping[str, str]


def read_environment(directory: Path | None = None) -> Environment:
    """Return the variables of `.env`, overridden by the environment. Raise SettingsError if the file is not valid."""
    file = (directory or Path.cwd()) / ".env"
    try:
        # Secret managers serve it as a named pipe. A folder of this name is a virtual environment.
        text = file.read_bytes().decode() if os.path.lexists(file) and not file.is_dir() else ""
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise SettingsError(str(file), f"line {line} is not text in UTF-8.") from None
    except OSError as error:
        raise SettingsError(str(file), f"cannot be read ({error.strerror}).") from None
    # The last line of each binding: the parser gives the first line, including skipped empty ones.
    bindings = parse_stream(io.StringIO(text))
    lines = [(binding.original.line + binding.original.string.rstrip().count("\n"), binding) for binding in bindings]
    if wrong := next((line for line, binding in lines if binding.error), 0):
        raise SettingsError(str(file), f"line {wrong} is not of the form NAME=value.")
    values = {name: value or "" for name, value in dotenv_values(stream=io.StringIO(text)).items()}
    own = {name: value for name, value in os.environ.items() if value.strip() or name not in values}
    environment = Environment({**values, **own})
    environment.places = {
        binding.key: f"line {line} of {file}" for line, binding in lines if binding.key and binding.key not in own
    }
    return environment


if __name__ == "__main__":
    with contextlib.suppress(SettingsError):  # the bot reports it when it starts
        sys.stdout.write("" if read_environment().get("TELEGRAM_BOT_TOKEN", "").strip() else "--playground")
