"""Tests of the sources of settings and of errors in them.

tests/end_to_end tests how the bot reports such errors when it runs as a process.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

import pytest

from records.errors import SettingsError
from records.model_calls import Abilities
from settings import Settings, describe_misspelt_variables, make_integer_parser, read_environment, setting


def test_environment_overrides_env_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env").write_text("OPENAI_MODEL=from-file\nSUMMARY_MODEL=größer\n", encoding="utf-8")
    monkeypatch.setenv("OPENAI_MODEL", "from-environment")
    found = read_environment(tmp_path)
    assert (found["OPENAI_MODEL"], found["SUMMARY_MODEL"]) == ("from-environment", "größer")


def test_env_file_of_secret_manager_is_read_from_named_pipe(tmp_path: Path) -> None:
    """1Password mounts `.env` like this (theskumar/python-dotenv#586, casey/just#3246)."""
    os.mkfifo(tmp_path / ".env")
    Thread(target=(tmp_path / ".env").write_text, args=["OPENAI_MODEL=from-the-vault\n"], daemon=True).start()
    assert read_environment(tmp_path)["OPENAI_MODEL"] == "from-the-vault"


def test_env_file_that_is_link_to_nothing_is_refused_and_folder_ignored(tmp_path: Path) -> None:
    (tmp_path / "venv").mkdir()
    (tmp_path / "venv" / ".env").mkdir()
    assert "OPENAI_MODEL" not in read_environment(tmp_path / "venv")
    (tmp_path / ".env").symlink_to("/run/secrets/keepsake.env")
    with pytest.raises(SettingsError, match=r"\.env: cannot be read"):
        read_environment(tmp_path)


def test_env_file_that_is_not_utf8_is_named_in_error(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes("OPENAI_API_KEY=ключ".encode("utf-16"))
    with pytest.raises(SettingsError, match=r"\.env"):
        read_environment(tmp_path)


@dataclass(frozen=True, kw_only=True)
class Extended(Settings):
    """The settings with one additional setting."""

    toys: int = setting(3, "how many toys there are", make_integer_parser(1))


def test_subclass_adds_setting_with_parser_and_range() -> None:
    assert Extended.from_env({}).toys == 3
    assert Extended.from_env({"TOYS": " 5 ", "FACTS": "OFF"}) == Extended(toys=5, facts="off")
    with pytest.raises(SettingsError, match="TOYS: must be a whole number from 1 to"):
        Extended.from_env({"TOYS": "many"})


def test_allowed_user_ids_accept_wildcard_beside_ids() -> None:
    found = Settings.from_env({"ALLOWED_USER_IDS": "1; *,2"})
    assert (found.everyone_allowed, found.allowed_user_ids) == (True, frozenset({1, 2}))
    with pytest.raises(SettingsError, match="ADMIN_USER_IDS: '\\*' would make everyone an admin"):
        Settings.from_env({"ADMIN_USER_IDS": "1,*"})


def test_summary_model_defaults_to_answering_model() -> None:
    assert Settings.from_env({"OPENAI_MODEL": "one"}).summary_model == "one"
    assert Settings.from_env({"OPENAI_MODEL": "one", "SUMMARY_MODEL": "two"}).summary_model == "two"


def test_parses_model_abilities() -> None:
    settings = Settings.from_env({"MODEL_ABILITIES": "qwen3:4b context=8192 vision=off tokens=1.2, a/b vision=ON; c"})
    assert settings.model_abilities == (
        ("qwen3:4b", Abilities(context=8192, vision=False, tokens=1.2)),
        ("a/b", Abilities(vision=True)),
        ("c", Abilities()),
    )


def test_error_names_all_invalid_values_and_misspelt_variables() -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_env({"LOG_LEVEL": "LOUD", "MAX_CONTEXT_TOKENS": "many", "OPENAI_MODLE": "x"})
    for name in ("LOG_LEVEL: ", "MAX_CONTEXT_TOKENS: ", "did you mean OPENAI_MODEL?"):
        assert name in caught.value.sentence
    assert "\n" not in caught.value.sentence


def test_blank_environment_variable_does_not_override_env_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env").write_text("OPENAI_MODEL=from-file\n", encoding="utf-8")
    monkeypatch.setenv("OPENAI_MODEL", " ")
    assert read_environment(tmp_path)["OPENAI_MODEL"] == "from-file"


def test_error_shows_where_invalid_value_was_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / ".env"
    file.write_text(
        "LOG_LEVEL=INFO\n\n# loud\n\nexport LOG_LEVEL=LOUD\nSYSTEM_PROMPT='two\nlines'\n"
        "SNIPPET_BUDGET=few\nOPENAI_API_KEY=ключ\n"
    )
    monkeypatch.setenv("SNIPPET_BUDGET", "many")
    with pytest.raises(SettingsError) as caught:
        Settings.from_env(read_environment(tmp_path))
    assert f" It is “LOUD” in line 5 of {file}." in caught.value.sentence
    assert " It is “many” in the environment." in caught.value.sentence
    assert f" It stands in line 9 of {file}." in caught.value.sentence


@pytest.mark.parametrize("second", [b"OPENAI_MODEL gpt", b"OPENAI_MODEL=\xff", b'OPENAI_MODEL="gpt'])
def test_error_names_invalid_line_of_env_file(tmp_path: Path, second: bytes) -> None:
    (tmp_path / ".env").write_bytes(b"LOG_LEVEL=INFO\n\n" + second + b"\n")
    with pytest.raises(SettingsError, match=r"\.env: line 3 "):
        read_environment(tmp_path)


@pytest.mark.parametrize(
    ("variable", "value", "shown"),
    [
        ("MAX_CONTEXT_TOKENS", "many", "“many”"),
        ("WEBHOOK_URL", "http://bot.example.org", "“http://bot.example.org”"),
        ("WEBHOOK_URL", "bot.example.org", "“bot.example.org”"),
        ("LOG_LEVEL", "LOUD\x1b[2J", r"\x1b"),
        ("ALLOWED_USER_IDS", "9" * 30, "9" * 30),
        ("RECENT_BUDGET", "five " * 20, "five …”"),
        ("HEALTH_LISTEN", "a:" + "9" * 5_000, "must be an address and a port"),
        ("MODEL_ABILITIES", "qwen3:4b context=big", "“qwen3:4b context=big”"),
        ("MODEL_ABILITIES", "qwen3:4b vision=dim", "“qwen3:4b vision=dim”"),
    ],
)
def test_error_quotes_invalid_value(variable: str, value: str, shown: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_env({variable: value})
    assert shown in caught.value.sentence
    assert len(caught.value.sentence) < 250


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("OPENAI_API_KEY", "my “key”"),
        ("TELEGRAM_BOT_TOKEN", "42:AA key"),
        ("WEBHOOK_SECRET", "my key!"),
        ("ALLOWED_USER_IDS", "4242:AAmykey-of-the-bot"),
        ("OPENAI_BASE_URL", "ftp://me:mykey@host"),
        ("MAX_CONTEXT_TOKENS", "sk-mykey"),
        ("LOG_LEVEL", "Zk9key"),
    ],
)
def test_error_never_quotes_secret(variable: str, value: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_env({"EMBEDDING_API_KEY": "Zk9key", variable: value})
    assert value not in caught.value.sentence
    assert "key" not in caught.value.sentence.replace("OPENAI_API_KEY", "")


def test_finds_misspelt_variable_names() -> None:
    environ = {"OPENAI_MODLE": "x", "OPENAI_MODEL": "y", "XDG_DATA_DIRS": "/usr", "PATH": "/bin", "X" * 100_000: "long"}
    assert describe_misspelt_variables(environ) == [
        "OPENAI_MODLE is no setting of this program; did you mean OPENAI_MODEL?"
    ]
    assert describe_misspelt_variables({"openai_model": "x"}) == [
        "openai_model is no setting of this program; did you mean OPENAI_MODEL?"
    ]


def test_accepts_public_or_local_webhook_url() -> None:
    for url in ("https://bot.example.org/hook", "http://127.0.0.1:8443/hook", "http://localhost:1"):
        assert Settings.from_env({"WEBHOOK_URL": url}).webhook_url == url


def test_logins_and_queries_of_urls_are_secrets() -> None:
    settings = Settings.from_env(
        {
            "TELEGRAM_API_URL": "http://bot:tg-pass@10.0.0.2:8081",
            "OPENAI_BASE_URL": "https://me:p%40ss@llm.example/v1?subscription-key=5f1c",
            "EMBEDDING_BASE_URL": "https://sk-abcd@llm.example",
            "OTEL_EXPORTER_OTLP_ENDPOINT": "https://12345:otlp-token@otlp.example",
            "DATABASE_URL": "postgresql://keepsake@db.example/keepsake?password=pg-pass",
        }
    )
    assert "c2stYWJjZDo=" in settings.list_secrets(), "the Authorization header of sk-abcd: carries it"
    assert {"tg-pass", "p%40ss", "p@ss", "subscription-key=5f1c", "otlp-token", "password=pg-pass"} <= {
        *settings.list_secrets()
    }
    assert "keepsake" not in settings.list_secrets(), "the log may name the user"
    assert not any("example" in secret for secret in settings.list_secrets() if "postgresql" not in secret)
