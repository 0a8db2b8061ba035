"""Generate .env.example and the tables of docs/reference.md from the declarations in the code.

`python -m tests.house.reference` (`make reference`) writes them, and a test checks that they are up to date.
"""

import re
import textwrap
from dataclasses import Field, fields
from pathlib import Path
from typing import Any

from settings import Secret, Settings
from telegram_ui.commands.registry import list_commands
from tests.paths import ROOT

PAGE = "docs/reference.md"
FILLED_IN = frozenset({"telegram_bot_token", "openai_api_key", "allowed_user_ids", "admin_user_ids"})
"""The settings whose lines in .env.example are not commented out, because nearly everybody fills them in."""
WIDTH = 119
"""Maximum characters per line of a comment in .env.example."""


def list_variable_fields() -> list[Field[Any]]:
    """Return the fields of Settings that are read from an environment variable."""
    return [field for field in fields(Settings) if field.metadata]


def format_default(one: Field[Any]) -> str:
    """Return the default as a person would write it in .env, or an empty string if there is nothing to write."""
    value = one.default
    if one.metadata["label"] or isinstance(value, Secret | frozenset):
        return ""
    return ":".join(str(part) for part in value) if isinstance(value, tuple) else str(value).removesuffix(".0")


def settings_table() -> list[str]:
    rows = ["| variable | default | meaning |", "| --- | --- | --- |"]
    for variable in list_variable_fields():
        shown = variable.metadata["label"] or (f"`{format_default(variable)}`" if format_default(variable) else "–")
        rows.append(f"| `{variable.name.upper()}` | {shown} | {variable.metadata['meaning']} |")
    return rows


def commands_table() -> list[str]:
    rows = ["| command | does | in groups |", "| --- | --- | --- |"]
    return rows + [f"| `/{command.name}` | {command.description} | {command.who} |" for command in list_commands()]


def example() -> str:
    """Return the text of .env.example."""
    lines = [
        "# Copy to .env and fill in what you need; lines that begin with # are the defaults. The environment wins."
    ]
    for variable in list_variable_fields():
        meaning, shown = variable.metadata["meaning"], variable.metadata["label"]
        told = f"{meaning[0].upper()}{meaning[1:]}." + (f" Default: {shown}." if shown else "")
        lines += ["", *textwrap.wrap(told.replace("`", ""), WIDTH, initial_indent="# ", subsequent_indent="# ")]
        lines.append(f"{'' if variable.name in FILLED_IN else '#'}{variable.name.upper()}={format_default(variable)}")
    return "\n".join(lines) + "\n"


def with_table(page: str, title: str, rows: list[str]) -> str:
    """Return the page with `rows` as the table under the heading `title`."""
    before, found, after = page.partition(f"\n## {title}\n")
    table = re.compile(r"^\|.*(?:\n\|.*)*", re.MULTILINE)
    return before + found + table.sub(lambda _: "\n".join(rows), after, count=1)


def tables(page: str) -> str:
    """Return docs/reference.md with both tables generated from the code."""
    return with_table(with_table(page, "Commands in Telegram", commands_table()), "Settings", settings_table())


def write(folder: Path) -> None:
    page = folder / PAGE
    page.write_text(tables(page.read_text(encoding="utf-8")), encoding="utf-8")
    (folder / ".env.example").write_text(example(), encoding="utf-8")


if __name__ == "__main__":
    write(ROOT)
