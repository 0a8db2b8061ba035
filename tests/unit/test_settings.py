"""Where settings come from; what is wrong with one is told by the bot as a process (tests/end_to_end)."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from records.errors import SettingsError
from settings import Settings, environment, setting, whole


def test_the_environment_goes_before_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env").write_text("OPENAI_MODEL=from-file\nSUMMARY_MODEL=größer\n", encoding="utf-8")
    monkeypatch.setenv("OPENAI_MODEL", "from-environment")
    found = environment(tmp_path)
    assert (found["OPENAI_MODEL"], found["SUMMARY_MODEL"]) == ("from-environment", "größer")


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes("OPENAI_API_KEY=ключ".encode("utf-16"))
    with pytest.raises(SettingsError, match=r"\.env"):
        environment(tmp_path)


@dataclass(frozen=True, kw_only=True)
class Extended(Settings):
    """With one more setting: a line."""

    toys: int = setting(3, "how many toys there are", whole(1))


def test_a_further_setting_is_one_line() -> None:
    assert Extended.from_env({}).toys == 3
    assert Extended.from_env({"TOYS": " 5 ", "FACTS": "OFF"}) == Extended(toys=5, facts="off")
    with pytest.raises(SettingsError, match="TOYS: must be a whole number, 1 or more"):
        Extended.from_env({"TOYS": "many"})


def test_everybody_may_be_allowed_next_to_some() -> None:
    found = Settings.from_env({"ALLOWED_USER_IDS": "1; *,2"})
    assert (found.everyone_allowed, found.allowed_user_ids) == (True, frozenset({1, 2}))
    with pytest.raises(SettingsError, match="ADMIN_USER_IDS: '\\*' would make everyone an admin"):
        Settings.from_env({"ADMIN_USER_IDS": "1,*"})


def test_the_summary_model_is_the_answering_one_unless_set() -> None:
    assert Settings.from_env({"OPENAI_MODEL": "one"}).summary_model == "one"
    assert Settings.from_env({"OPENAI_MODEL": "one", "SUMMARY_MODEL": "two"}).summary_model == "two"
