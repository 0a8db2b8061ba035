"""The page reuses texts of the chat, without the parts that name commands."""

import pytest

from locales.catalog import LANGUAGES, tr, use_language
from locales.page_texts import remove_commands


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("Memory is not set up yet. /summary_on turns it on.", "Memory is not set up yet."),
        ("Deleted: tea. Undo works for a day; /forget erases at once.", "Deleted: tea. Undo works for a day."),
        ("Memory is off (/summary_on), or incognito is on (/incognito off).", "Memory is off, or incognito is on."),
        ("记忆还没有设置；/summary_on 打开它。", "记忆还没有设置。"),
        ("Two lines.\n/why says more.\nThe third.", "Two lines.\nThe third."),
        ("Send /dashboard to me.", ""),
        ("Noted: /r/python and https://a.example/why, 3/4.", "Noted: /r/python and https://a.example/why, 3/4."),
    ],
)  # fmt: skip
def test_remove_commands_drops_text_naming_command(said: str, left: str) -> None:
    assert remove_commands(said) == left


@pytest.mark.parametrize("language", LANGUAGES)
def test_remove_commands_works_in_every_language(language: str) -> None:
    with use_language(language):
        for said in (
            *(tr("summaries-not-configured"), tr("memory-incognito-on"), tr("chats-off")),
            tr("memory-done-delete", text="Tea."),
        ):
            assert "/" in said
            assert "/" not in remove_commands(said)
            assert remove_commands(said)
