"""What is written about the program is so: README's tree, commands and settings, .env.example, the requirements."""

import itertools
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest
from dotenv import dotenv_values

from bot import VERSION, parser
from settings import Secret, Settings
from telegram_ui.commands.table import COMMANDS
from tests.paths import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLE = (ROOT / ".env.example").read_text(encoding="utf-8")


def section(title: str) -> str:
    """The text under one of README's headings."""
    return README.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def rows(title: str) -> list[list[str]]:
    """The cells of a section's table, without its heading."""
    lines = [line for line in section(title).splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


# the house ---------------------------------------------------------------------------------------------------------


def tree() -> Iterator[tuple[str, str]]:
    """Path and caption of each line of README's tree; a folder ends with "/"."""
    folder = ""
    for line in section("The house").split("```")[1].strip().splitlines():
        match = re.fullmatch(r"( *)(\S+)(?: +(\S.*))?", line)
        assert match, line
        inside, name, caption = match.groups()
        folder = folder if inside else ""
        yield folder + name, caption or ""
        if not inside and name.endswith("/"):
            folder = name


def repository_files() -> list[str]:
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.fail("this test compares with the repository's own list of files: run it in a clone, with git")
    asked = [git, "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(asked, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    return [name for name in listed if (ROOT / name).exists()]


def entries(folder: str, files: list[str]) -> set[str]:
    """What stands in a folder ("" = the top): files, and folders with "/" after their name."""
    inside = [name.removeprefix(folder) for name in files if name.startswith(folder)]
    return {name.split("/")[0] + "/" * ("/" in name) for name in inside} - {"__init__.py"}


def test_the_tree_names_exactly_the_files_that_exist() -> None:
    files, shown = repository_files(), [path for path, _ in tree()]
    assert len(shown) == len(set(shown))
    opened = {path[: path.index("/") + 1] for path in shown if not path.endswith("/") and "/" in path}
    for folder in {"", *opened}:
        told = {path.removeprefix(folder) for path in shown if path.startswith(folder) and path != folder}
        told = {path for path in told if "/" not in path.removesuffix("/")}
        assert told == entries(folder, files), folder or "top level"


def test_every_line_of_the_tree_has_a_caption() -> None:
    shown = dict(tree())
    for path, caption in shown.items():
        has_lines = path.endswith("/") and any(other != path and other.startswith(path) for other in shown)
        assert caption or has_lines, path


def test_links_lead_to_files() -> None:
    for page in [ROOT / name for name in repository_files() if name.endswith(".md")]:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
            assert "://" in target or (page.parent / target).exists(), f"{page.name}: {target}"


# commands and settings ---------------------------------------------------------------------------------------------


def test_commands_are_those_of_the_table() -> None:
    who = {"everyone": "everyone", "admins": "admins"}
    assert rows("Commands in Telegram") == [
        [f"`/{command.name}`", command.description, who[command.who]] for command in COMMANDS
    ]


def test_every_option_of_the_command_line_is_told() -> None:
    told = section("Starting it")
    for action in parser()._actions:
        assert f"{action.option_strings[-1]}" in told, action.option_strings


class Asked(dict[str, str]):
    """An environment without variables that notes which ones were asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def get(self, key: str, default: str | None = None) -> str:  # type: ignore[override]
        self.names.append(key)
        return default or ""


def variables() -> list[str]:
    """The names of the variables that the program reads."""
    asked = Asked()
    Settings.from_env(asked)
    return asked.names


def value(settings: Settings, variable: str) -> object:
    shown = getattr(settings, variable.lower())
    return shown.value if isinstance(shown, Secret) else shown


def test_each_variable_is_a_field_of_the_settings() -> None:
    extra = {"everyone_allowed"}  # the "*" of ALLOWED_USER_IDS
    assert {name.lower() for name in variables()} == {field.name for field in fields(Settings)} - extra


def test_readme_has_every_setting_with_its_default() -> None:
    told = {name.strip("`"): default for name, default, _ in rows("Settings")}
    assert told.keys() == set(variables())
    for name, default in told.items():
        quoted = re.fullmatch(r"`(.+)`", default)
        if quoted and quoted[1] in told:
            assert value(Settings.from_env({quoted[1]: "other"}), name) == "other", name
        elif quoted:
            assert Settings.from_env({name: quoted[1]}) == Settings(), name
        elif default == "–":
            assert not value(Settings(), name), name
        else:
            assert re.fullmatch("[a-z ]+", default), f"{name}: a default in words, in quotes, or –"


def test_the_example_has_every_variable_with_its_default(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    open_lines = re.sub(r"(?m)^#(?=[A-Z_]+=)", "", EXAMPLE)
    (tmp_path / ".env").write_text(open_lines, encoding="utf-8")
    for file in (ROOT / ".env.example", tmp_path / ".env"):
        given = {name: text or "" for name, text in dotenv_values(file).items()}
        assert Settings.from_env(given) == Settings()
    assert not caplog.records, "dotenv complains"
    assert given.keys() == set(variables())
    for name, text in given.items():
        assert text or not value(Settings(), name) or name in ("SUMMARY_MODEL", "SYSTEM_PROMPT"), name


def test_each_variable_of_the_example_is_explained() -> None:
    lines = EXAMPLE.splitlines()
    for before, line in itertools.pairwise(lines):
        if re.match(r"#?[A-Z_]+=", line):
            assert before.startswith("# "), line


# versions ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_each_requirement_is_pinned_and_has_its_reason(name: str) -> None:
    for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
        if not line.startswith(("#", "-r ")):
            assert re.fullmatch(r"[a-z0-9-]+==[\w.]+(?:; .+?)? +# \S.+", line), line


def test_the_version_is_one_everywhere() -> None:
    assert f'version = "{VERSION}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f"## [{VERSION}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
