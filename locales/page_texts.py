"""Convert the texts of a page to JSON, for the browser to format."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from locales.catalog import ENGLISH, FOLDER, LANGUAGES, RIGHT_TO_LEFT, list_text_file_names, match_language

MAX_WANTED = 20  # languages of a browser that are considered
_KEY = re.compile(r"""["`]([a-z]+)-([\w-]+)(?:\$\{[^}]*\})?["`]""")

Pattern = str | list[str | dict[str, Any]]  # strings, {"argument"}, and {"argument", "cases", "other"}


@cache
def make_page_texts(static_folder: Path, language: str) -> dict[str, Any]:
    """Return the texts that the page's modules use in one language, and the names of all languages."""
    return {
        "language": language,
        "languages": dict(LANGUAGES),
        "right_to_left": language in RIGHT_TO_LEFT,
        "texts": {
            key: _convert_fluent_pattern(text)
            for file_name, names in _find_referenced_keys_by_file(static_folder).items()
            for key, text in _read_fluent_messages_by_key(language, file_name).items()
            if any(key == name or (name.endswith("-") and key.startswith(name)) for name in names)
        },
    }


@cache
def _find_referenced_keys_by_file(static_folder: Path) -> Mapping[str, frozenset[str]]:
    # A key in a template literal counts up to its first placeholder.
    sources = [
        file.read_text(encoding="utf-8") for file in sorted(static_folder.iterdir()) if file.suffix in (".js", ".html")
    ]
    known, found = set(list_text_file_names()), dict[str, set[str]]()
    for file_name, name in (pair for source in sources for pair in _KEY.findall(source)):
        if file_name in known:
            found.setdefault(file_name, set()).add(f"{file_name}-{name}")
    return {file_name: frozenset(names) for file_name, names in found.items()}


def _read_fluent_messages_by_key(language: str, file_name: str) -> Mapping[str, object]:
    # Imported here, because it takes a tenth of a second of the start.
    from fluent.syntax import FluentParser
    from fluent.syntax import ast as fluent

    source = (FOLDER / language / f"{file_name}.ftl").read_text(encoding="utf-8")
    entries = FluentParser(with_spans=False).parse(source).body
    return {entry.id.name: entry.value for entry in entries if isinstance(entry, fluent.Message) and entry.value}


def make_page_texts_for_request(static_folder: Path, language_tags: str, headers: Mapping[str, str]) -> dict[str, Any]:
    """Return the page's texts in the first supported language of `language_tags`, or else of Accept-Language."""
    wanted = {"accept-language": language_tags} if language_tags else headers
    return make_page_texts(static_folder, find_supported_browser_language(wanted))


def remove_commands(text: str) -> str:
    """Remove sentences and bracketed text with commands, because the page has buttons instead. May return ""."""
    command = _make_command_pattern()
    kept = list[str]()
    for part in _PARTS.findall(_BRACKETS.sub(lambda found: "" if command.search(found[0]) else found[0], text)):
        if not command.search(part):
            kept.append(part)
        elif kept:
            kept[-1] = _UNFINISHED.sub(lambda found: "。" if found[0] == "；" else ".", kept[-1])
    return "".join(kept).strip()


_PARTS = re.compile(r".+?(?:[.!?;؟؛](?=\s|\Z)|[。！？；]|\Z)\s*", re.DOTALL)
_BRACKETS = re.compile(r"\s?[(（][^()（）]*[)）]")
_UNFINISHED = re.compile(r"[;；؛](?=\s*\Z)")


@cache
def _make_command_pattern() -> re.Pattern[str]:
    names = "|".join(key.removeprefix("menu-") for key in _read_fluent_messages_by_key(ENGLISH, "menu"))
    return re.compile(rf"(?<![\w/.:])/(?:{names})\b")


def find_supported_browser_language(headers: Mapping[str, str], default: str = ENGLISH) -> str:
    """Return the first supported language of a browser's Accept-Language header, or `default`."""
    tags = headers.get("accept-language", "").split(",")[:MAX_WANTED]
    return next(filter(None, (match_language(tag.partition(";")[0].strip()) for tag in tags)), default)


def _convert_fluent_pattern(pattern: object) -> Pattern:
    # Functions, terms and references to other texts are not supported.
    from fluent.syntax import ast as fluent

    if not isinstance(pattern, fluent.Pattern):
        raise TypeError(f"the page cannot show {pattern}")
    parts: list[str | dict[str, Any]] = []
    for element in pattern.elements:
        match element:
            case fluent.TextElement(value=text):
                parts.append(text)
            case fluent.Placeable(expression=fluent.VariableReference(id=name)):
                parts.append({"argument": name.name})
            case fluent.Placeable(expression=fluent.SelectExpression() as choice) if isinstance(
                choice.selector, fluent.VariableReference
            ):
                cases = {
                    _get_variant_key(variant.key): _convert_fluent_pattern(variant.value) for variant in choice.variants
                }
                other = next(_get_variant_key(variant.key) for variant in choice.variants if variant.default)
                parts.append({"argument": choice.selector.id.name, "cases": cases, "other": other})
            case _:
                raise TypeError(f"the page cannot show {element}")
    return "".join(map(str, parts)) if all(isinstance(part, str) for part in parts) else parts


def _get_variant_key(key: object) -> str:
    from fluent.syntax import ast as fluent

    return key.name if isinstance(key, fluent.Identifier) else str(getattr(key, "value", key))
