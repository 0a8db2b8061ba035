"""Where settings come from; what is wrong with one is told by the bot as a process (tests/end_to_end)."""

from pathlib import Path

import pytest

from records.errors import SettingsError
from settings import environment


def test_the_environment_goes_before_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env").write_text("OPENAI_MODEL=from-file\nSUMMARY_MODEL=größer\n", encoding="utf-8")
    monkeypatch.setenv("OPENAI_MODEL", "from-environment")
    found = environment(tmp_path)
    assert (found["OPENAI_MODEL"], found["SUMMARY_MODEL"]) == ("from-environment", "größer")


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes("OPENAI_API_KEY=ключ".encode("utf-16"))
    with pytest.raises(SettingsError, match=r"\.env"):
        environment(tmp_path)
