"""Tests of the files in locales/: translations are complete, and texts that are requested exist and are used."""

import re
from datetime import date
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from babel import Locale
from babel.numbers import format_decimal

from locales.catalog import (
    ENGLISH,
    FOLDER,
    LANGUAGES,
    RIGHT_TO_LEFT,
    format_day,
    list_text_file_names,
    translate,
    use_language,
)
from locales.page_texts import make_page_texts
from telegram_ui.commands.registry import list_commands
from tests.house.text_sources import (
    PAGES,
    find_needs,
    list_calls,
    list_literals,
    list_page_calls,
    read_all_texts,
    read_texts,
)

OTHERS = [language for language in LANGUAGES if language != ENGLISH]
NUMBERS = (0, 1, 2, 3, 5, 11, 21, 100, 1_000_000)
"""Numbers for every plural form of each language (Unicode CLDR), and a long number."""
DATES = {"from", "until", "said", "day", "date"}
"""Names of the arguments that are dates."""
MAX_DESCRIPTION_CHARS = 256
"""Maximum characters of a command's description (Bot API, BotCommand)."""


@cache
def list_keys() -> list[str]:
    """Return the keys of all texts. A constant would be read by every process that collects tests."""
    return sorted(read_all_texts(ENGLISH))


@pytest.mark.parametrize("language", OTHERS)
def test_translation_has_same_files_and_keys_as_english(language: str) -> None:
    assert list_text_file_names(language) == list_text_file_names(ENGLISH)
    for family in list_text_file_names(ENGLISH):
        assert list(read_texts(language, family)) == list(read_texts(ENGLISH, family)), f"{language}/{family}.ftl"


@pytest.mark.parametrize("language", LANGUAGES)
def test_confirming_buttons_of_pages_ask_nothing(language: str) -> None:
    sources = "".join(path.read_text() for folder in PAGES for path in sorted(folder.glob("*.js")))
    labels = re.findall(r'askToConfirm\((?:tr\("[^"]+"\)|\w+), tr\("([^"]+)"\)', sources)
    assert "dashboard-forget" in labels
    asking = [label for label in labels if {"?", "？", "؟"} & set(translate(language, label))]
    assert not asking


def test_every_locale_folder_is_a_known_language() -> None:
    assert {path.name for path in FOLDER.iterdir() if path.is_dir() and path.name != "__pycache__"} == set(LANGUAGES)


@pytest.mark.parametrize("language", OTHERS)
def test_translation_uses_same_arguments_as_english(language: str) -> None:
    """A translation may express a number by its plural form alone ("رسالتان"), and have other plural forms."""
    for key in list_keys():
        ours, theirs = find_needs(ENGLISH, key).arguments, find_needs(language, key).arguments
        assert theirs == ours, f"{key} in {language}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_renders_with_all_plurals(language: str) -> None:
    """The text is rendered with every plural form, and contains no Fluent markup."""
    for key in list_keys():
        found = find_needs(language, key)
        for number in NUMBERS if found.plurals else NUMBERS[:1]:
            given = {name: number if name in found.plurals else "Ann" for name in found.arguments}
            shown = translate(language, key, given)
            assert shown.strip(), f"{key} in {language}"
            assert "{" not in shown, f"{key} in {language}"
            assert "}" not in shown, f"{key} in {language}"
            is_isolating = language in RIGHT_TO_LEFT
            assert is_isolating or not {"\u2068", "\u2069"} & set(shown), f"{key} in {language}"
            assert shown.count("\u2068") == shown.count("\u2069"), f"{key} in {language}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentence_ending_with_date_has_one_full_stop(language: str) -> None:
    """A Russian date with a year ends in a full stop of its own ("3 июня 2023 г.")."""
    with use_language(language):
        day = format_day(date(2023, 6, 3), with_year=True)
    for key in list_keys():
        given = {name: day if name in DATES else 5 for name in find_needs(language, key).arguments}
        assert ".." not in translate(language, key, given), f"{key} in {language}"


def test_every_requested_text_exists_and_gets_its_arguments() -> None:
    for call in list_calls():
        for key in call.keys:
            matching = [text_key for text_key in list_keys() if fnmatchcase(text_key, key)]
            assert matching, f"{call.place}: no text is called {key}"
            for text_key in matching if call.arguments is not None else ():
                wanted = find_needs(ENGLISH, text_key).arguments
                assert call.arguments is None or call.arguments >= wanted, f"{call.place}: {text_key} needs {wanted}"


def test_every_text_is_used() -> None:
    patterns = [key for call in list_calls() for key in call.keys]
    referred = {name for key in list_keys() for name in find_needs(ENGLISH, key).texts}
    left = [
        key
        for key in list_keys()
        if key not in list_literals() | referred and not any(fnmatchcase(key, pattern) for pattern in patterns)
    ]
    assert left == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
@pytest.mark.parametrize("language", LANGUAGES)
def test_page_texts_are_complete_and_render_as_on_server(language: str, page: Path) -> None:
    """Rendering in Python follows texts.js. test_page.py shows the texts in a browser."""
    shown = make_page_texts(page, language)["texts"]
    asked = {key for call in list_page_calls(page) for key in call.keys}
    assert [key for key in sorted(asked) if not any(fnmatchcase(pattern, key) for pattern in shown)] == []
    for key, pattern in shown.items():
        found = find_needs(language, key)
        for number in NUMBERS if found.plurals else NUMBERS[:1]:
            given = {name: number if name in found.plurals else "Ann" for name in found.arguments}
            assert put_together(pattern, given, language) == translate(language, key, given), f"{key} in {language}"


def put_together(pattern: Any, given: dict[str, Any], language: str) -> str:
    """Render a pattern with its arguments, as texts.js does."""
    if isinstance(pattern, str):
        return pattern
    shown = []
    for part in pattern:
        if isinstance(part, str):
            shown.append(part)
            continue
        value = given[part["argument"]]
        if "cases" in part:
            case = part["cases"].get(plural_of(value, language), part["cases"][part["other"]])
            written = put_together(case, given, language)
        else:
            written = value if isinstance(value, str) else format_decimal(value, locale=language)
        shown.append(f"\u2068{written}\u2069" if language in RIGHT_TO_LEFT and len(pattern) > 1 else written)
    return "".join(shown)


def plural_of(number: int, language: str) -> str:
    return Locale.parse(language).plural_form(number)


@pytest.mark.parametrize("language", LANGUAGES)
def test_command_descriptions_fit_telegram_limit(language: str) -> None:
    for command in list_commands():
        assert 1 <= len(translate(language, f"menu-{command.name}")) <= MAX_DESCRIPTION_CHARS


@pytest.mark.parametrize("language", sorted(RIGHT_TO_LEFT))
def test_commands_in_right_to_left_texts_are_isolated(language: str) -> None:
    """Otherwise the slash appears on the wrong side, and the text next to it in another order."""
    for key, text in read_all_texts(language).items():
        for number in NUMBERS if find_needs(language, key).plurals else NUMBERS[:1]:
            found = find_needs(language, key)
            given = {name: number if name in found.plurals else "Ann" for name in found.arguments}
            shown = translate(language, text.id.name, given)
            for slash in re.finditer(r"/[a-z]", shown):
                before = shown[: slash.start()]
                assert before.count("\u2068") > before.count("\u2069"), f"{key}: {shown}"


MACHINERY = {
    "en": r"chunk|fold|level|score|quality|shard",
    "ru": r"чанк|фолд|уров(?:ень|ня|ни)|скор|балл|вектор",
    "es": r"nivel|niveles|puntuación|fragmento \\{|calidad|vector",
    "de": r"Stufe|Ebene|Punktzahl|Güte|Qualität|Chunk|Vektor",
    "zh": r"层级|第 \\{ \\$level|得分|评分|质量|向量",
    "pt": r"nível|níveis|pontuação|qualidade|vetor",
    "ar": r"مستوى|المستوى|جودة|متجه",
}
"""Internal terms of each language as a regular expression. Readers of the texts do not know them."""
BY_CONTRACT = {"summaries-status-level"}
"""Keys of texts whose English version programs read (/summary_status says "highest level")."""
IDS_TO_TYPE = {
    "memory-no-such-fact", "memory-profile", "memory-button-erase",
    "forget-line", "admin-request", "import-none-yours",
    "notices-stranger", "notices-stranger-asked",
}  # fmt: skip
"""Keys of texts with a number that a person has typed or has to type."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_contain_no_internal_terms_or_fact_ids(language: str) -> None:
    word = re.compile(rf"(?<!\w)(?:{MACHINERY[language]})\w*", re.IGNORECASE)
    for family in list_text_file_names(language):
        if family == "page":  # the playground's, which shows how the memory works
            continue
        text = (FOLDER / language / f"{family}.ftl").read_text(encoding="utf-8")
        for line in text.splitlines():
            key, _, said = line.partition("=")
            if line.startswith("#") or (language == ENGLISH and key.strip() in BY_CONTRACT):
                continue
            said = re.sub(r"\{[^}]*\}|-?/\w+", "", said if re.match(r"[\w-]+ =", line) else line)
            found = word.search(said)
            assert found is None, f"{language}/{family}.ftl: {line}"
    asking = {key for key in list_keys() if not key.startswith("page-") and "id" in find_needs(language, key).arguments}
    assert asking <= IDS_TO_TYPE, f"a fact is shown by its sentence: {asking - IDS_TO_TYPE}"
