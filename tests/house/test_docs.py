"""Documentation matches the code: captions, commands, settings, .env.example, paths and requirements."""

import itertools
import re
import shutil
import subprocess
from dataclasses import fields
from pathlib import Path

import pytest
from dotenv import dotenv_values

from attachments import documents_child
from attachments.formats import packed
from bot import make_parser
from llm import endpoint, openai_client, partial_answer, tool_calls
from records.facts import MAX_FACTS
from runtime import VERSION, http_server
from settings import Secret, Settings
from telegram_ui.commands.registry import list_commands
from telegram_ui.sending import documents as sending_documents
from telegram_ui.sending import formatting
from telegram_ui.updates import durable_queue, webhook
from tests.house import reference
from tests.paths import ROOT
from transfer.formats import detection

README = (ROOT / "README.md").read_text(encoding="utf-8")
REFERENCE = (ROOT / reference.PAGE).read_text(encoding="utf-8")
EXAMPLE = (ROOT / ".env.example").read_text(encoding="utf-8")


def section(title: str) -> str:
    """Return the text under a heading of docs/reference.md."""
    return REFERENCE.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def rows(title: str) -> list[list[str]]:
    """Return the cells of a section's table, without its header."""
    lines = [line for line in section(title).splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


# the house ---------------------------------------------------------------------------------------------------------

DECISIONS = ROOT / "docs" / "decisions"
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def list_repository_files() -> list[str]:
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.fail("this test compares with the repository's own list of files: run it in a clone, with git")
    asked = [git, "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(asked, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    return [name for name in listed if (ROOT / name).exists()]


def packages() -> list[Path]:
    """Return the folder of every package of the program."""
    inits = [
        ROOT / name
        for name in list_repository_files()
        if name.endswith("/__init__.py") and not name.startswith("tests/")
    ]
    return [path.parent for path in inits]


def captions(text: str) -> dict[str, str]:
    """Return file or folder names with their captions, from the lines that have both."""
    lines = [re.fullmatch(r" *([\w./]+(?:\.\w+|/)) +(\S.*)", line) for line in text.splitlines()]
    return {match[1]: match[2] for match in lines if match}


@pytest.mark.parametrize("folder", packages(), ids=lambda folder: str(folder.relative_to(ROOT)))
def test_each_package_readme_lists_modules_with_captions(folder: Path) -> None:
    readme = (folder / "README.md").read_text(encoding="utf-8")
    modules = {path.name for path in folder.glob("*.py")} - {"__init__.py"}
    families = {f"{path.parent.name}/" for path in folder.glob("*/__init__.py")}
    assert captions(readme).keys() == modules | families


def test_architecture_lists_every_folder_and_top_level_module() -> None:
    shown = captions(ARCHITECTURE.split("\n## The map\n")[1].split("```")[1])
    top = {name for name in list_repository_files() if "/" not in name}
    folders = {name.split("/")[0] + "/" for name in list_repository_files() if "/" in name} - {".ci/"}
    families = {f"{folder.relative_to(ROOT)}/" for folder in packages()}
    modules = {name for name in top if name.endswith(".py")}
    assert shown.keys() == modules | folders | families


def test_readme_is_short() -> None:
    assert len(README.split()) <= 1_800


def test_links_point_to_existing_files() -> None:
    for page in [ROOT / name for name in list_repository_files() if name.endswith(".md")]:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
            assert "://" in target or (page.parent / target).exists(), f"{page.name}: {target}"


def test_decisions_are_few_and_short() -> None:
    """Only decisions that a later maintainer would question need a page. Git history has the rest."""
    pages = {page.name: len(page.read_text(encoding="utf-8").splitlines()) for page in DECISIONS.glob("*.md")}
    assert len(pages) <= 40
    assert {name: lines for name, lines in pages.items() if lines > 25} == {}


def named_files() -> list[tuple[str, str]]:
    """Return each Python file that README, CONTRIBUTING, SECURITY or docs/*.md names, with the page's name."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").glob("*.md"))]
    found = ((page.name, re.findall(r"`([\w./]+/\w+\.py)`", page.read_text(encoding="utf-8"))) for page in pages)
    return [(page, path) for page, paths in found for path in paths]


def test_docs_name_existing_python_files() -> None:
    assert [named for named in named_files() if not (ROOT / named[1]).exists()] == []


def test_docs_name_existing_tests() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*.md"))
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text)
    faults = re.findall(r"`(storage|postgres|model|telegram)::(\w+?)_?…?`", text)
    named += [(f"tests/end_to_end/faults/test_faults_{kind}.py", rf"{name}\w*") for kind, name in faults]
    assert named
    missing = [
        (path, name)
        for path, name in named
        if not re.search(rf"^(?:async )?def {name}\(", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert missing == []


def test_docs_name_existing_methods() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*.md"))
    named = set(re.findall(r"`([A-Z]\w+)\.((?!md|json)[a-z]\w+)`", text))
    assert ("DurableQueue", "enqueue_updates") in named
    classes: dict[str, str] = {}
    for name in list_repository_files():
        if name.endswith(".py"):
            blocks = re.split(r"^class (\w+)", (ROOT / name).read_text(encoding="utf-8"), flags=re.MULTILINE)
            classes |= zip(blocks[1::2], blocks[2::2], strict=True)
    missing = [each for each in named if not re.search(rf"def {each[1]}\(", classes.get(each[0], ""))]
    assert missing == []


def test_log_lines_in_operations_page_are_logged() -> None:
    """Numbers and names of classes stand for arguments. The page once explained a line that was logged no more."""
    log = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8").partition("\n## Log\n")[2].partition("\n## ")[0]
    lines = [quoted for quoted in re.findall(r"`([^`\n]+)`", log.partition("| --- |")[2]) if " " in quoted]
    assert len(lines) > 6
    names = [name for name in list_repository_files() if name.endswith(".py") and not name.startswith("tests/")]
    program = "\n".join((ROOT / name).read_text(encoding="utf-8") for name in names)
    patterns = {line: ".*".join(map(re.escape, re.split(r"\d+|[A-Z][a-z]+[A-Z]\w+|…", line))) for line in lines}
    assert [line for line, pattern in patterns.items() if not re.search(pattern, program)] == []


def test_bounds_in_reliability_page_are_constants_in_code() -> None:
    page = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
    bounds = set(re.findall(r"`([A-Z][A-Z_]{3,})`", page))
    assert len(bounds) > 50
    program = [
        ROOT / name for name in list_repository_files() if name.endswith(".py") and not name.startswith("tests/")
    ]
    known = set(re.findall(r"^([A-Z][A-Z_, ]{3,})(?::| =)", "\n".join(map(Path.read_text, program)), re.MULTILINE))
    assert bounds - {name.strip() for names in known for name in names.split(",")} == set()


def test_numbers_in_security_page_match_constants() -> None:
    page = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    mega = 1_000_000
    for said in (
        f"{durable_queue.MAX_UNFINISHED_PER_PERSON} unfinished messages",
        f"tool calls ({tool_calls.MAX_CALLS} an answer)",
        f"messages of one answer ({formatting.MAX_MESSAGES}, else",
        f"{openai_client.MAX_ANSWER_BYTES // mega} MB, {partial_answer.MAX_TEXT_CHARS:,} characters, an hour",
        f"At most {http_server.MAX_CONNECTIONS} connections",
        f"within {2 * http_server.REQUEST_CHECK_SECONDS:g} s is given up",
        f"more than {webhook.MAX_UPDATE_BYTES // mega} MB refused",
        (
            f"at most {sending_documents.MAX_FETCHED_BYTES >> 20} MB, "
            f"unpacked at most {detection.MIN_UNPACKED_BYTES // mega} MB and {detection.UNPACKED_PER_BYTE} times that, "
            f"and never more than {detection.MAX_UNPACKED_BYTES // mega} MB"
        ),
        f"facts to {MAX_FACTS:,} in all",
        (
            f"unpack to {packed.MIN_UNPACKED_BYTES // mega} MB and {packed.UNPACKED_PER_BYTE} times what was sent,"
            f" {packed.MAX_UNPACKED_BYTES // mega} MB at most"
        ),
        (
            f"{documents_child.MEMORY_ANYWAY // mega} MB of memory and {documents_child.MEMORY_EACH} bytes"
            f" for each byte that was sent, {documents_child.MEMORY // mega} MB at most"
        ),
    ):
        assert said in page
    assert (endpoint.MAX_CALL_SECONDS, documents_child.SECONDS) == (3_600, 60), "an hour; a minute of a processor"


# commands and settings ---------------------------------------------------------------------------------------------


def test_command_table_matches_declared_commands() -> None:
    who = {"everyone": "everyone", "admins": "admins"}
    assert rows("Commands in Telegram") == [
        [f"`/{command.name}`", command.description, who[command.who]] for command in list_commands()
    ]


def test_reference_lists_every_command_line_option() -> None:
    told = section("Starting it")
    for option in set(re.findall(r"--[a-z-]+", make_parser().format_help())):
        assert option in told, option


class Asked(dict[str, str]):
    """An empty environment that records the names of the requested variables."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def get(self, key: str, default: str | None = None) -> str:  # type: ignore[override]
        self.names.append(key)
        return default or ""


def list_variables() -> list[str]:
    """Return the names of the variables that the program reads."""
    asked = Asked()
    Settings.from_env(asked)
    return asked.names


def get_setting_value(settings: Settings, variable: str) -> object:
    shown = getattr(settings, variable.lower())
    return shown.value if isinstance(shown, Secret) else shown


def test_each_variable_is_a_settings_field() -> None:
    extra = {"everyone_allowed"}  # the "*" of ALLOWED_USER_IDS
    assert {name.lower() for name in list_variables()} == {field.name for field in fields(Settings)} - extra


def test_reference_and_env_example_are_up_to_date() -> None:
    """Run `make reference` to update both."""
    assert reference.tables(REFERENCE) == REFERENCE
    assert reference.example() == EXAMPLE


def test_reference_lists_every_setting_with_default() -> None:
    told = {name.strip("`"): default for name, default, _ in rows("Settings")}
    assert told.keys() == set(list_variables())
    for name, default in told.items():
        quoted = re.fullmatch(r"`(.+)`", default)
        if quoted and quoted[1] in told:
            assert get_setting_value(Settings.from_env({quoted[1]: "other"}), name) == "other", name
        elif quoted:
            assert Settings.from_env({name: quoted[1]}) == Settings(), name
        elif default == "–":
            assert not get_setting_value(Settings(), name), name
        else:
            assert re.fullmatch("[a-z ]+", default), f"{name}: a default in words, in quotes, or –"


def test_env_example_lists_every_variable_with_default(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    open_lines = re.sub(r"(?m)^#(?=[A-Z_]+=)", "", EXAMPLE)
    (tmp_path / ".env").write_text(open_lines, encoding="utf-8")
    for file in (ROOT / ".env.example", tmp_path / ".env"):
        given = {name: text or "" for name, text in dotenv_values(file).items()}
        assert Settings.from_env(given) == Settings()
    assert not caplog.records, "dotenv complains"
    assert given.keys() == set(list_variables())
    for name, text in given.items():
        assert text or not get_setting_value(Settings(), name) or name in ("SUMMARY_MODEL", "SYSTEM_PROMPT"), name


def test_each_variable_in_env_example_is_explained() -> None:
    lines = EXAMPLE.splitlines()
    for before, line in itertools.pairwise(lines):
        if re.match(r"#?[A-Z_]+=", line):
            assert before.startswith("# "), line


# versions ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "place", ["requirements", "requirements-dev", "requirements-deploy", "requirements-otel", ".ci/requirements"]
)
def test_each_requirement_is_pinned_with_reason(place: str) -> None:
    for line in (ROOT / f"{place}.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith(("#", "-r ")):
            assert re.fullmatch(r"[a-z0-9-]+(?:\[[a-z]+\])?==[\w.]+(?:; .+?)? +# \S.+", line), line


def test_version_is_the_same_everywhere() -> None:
    assert f'version = "{VERSION}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f"## [{VERSION}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
