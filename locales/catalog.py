"""Looks up texts by key in the current task's language, which `use_language` sets. English is the fallback."""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fluent.runtime import FluentBundle

LANGUAGES: Mapping[str, str] = {
    "en": "English",
    "ru": "Русский",
    "es": "Español",
    "de": "Deutsch",
    "zh": "中文",
    "pt": "Português",
    "ar": "العربية",
}  # By code and folder. DEFAULT_LANGUAGE in settings.py and the words for dates in text/ have them, too.
ENGLISH = "en"
FOLDER = Path(__file__).parent
SHARED = "shared"  # the file whose texts the other files refer to
RIGHT_TO_LEFT = frozenset({"ar"})

Argument = str | int | float  # a number is formatted for the language and selects the plural; pass an id as str

_language: ContextVar[str] = ContextVar("language", default=ENGLISH)
# Fluent refuses a text with a longer argument (MAX_PART_LENGTH), and counts the two marks that isolate it in Arabic.
MAX_ARGUMENT_CHARS = 2_498


def tr(key: str, /, **arguments: Argument) -> str:
    """Return a text in the current task's language. A key consists of a file's name, a hyphen and the text's name.

    Raise LookupError for an unknown key or wrong arguments.
    """
    return translate(_language.get(), key, arguments)


def translate(language: str, key: str, arguments: Mapping[str, Argument] | None = None) -> str:
    """Return a text in one language, or in English if it is missing. Raise LookupError for an unknown key."""
    for code in (language, ENGLISH):
        bundle = texts.load_bundle(code, key.partition("-")[0])
        if bundle.has_message(key) and (pattern := bundle.get_message(key).value) is not None:
            values = {
                name: f"{value[: MAX_ARGUMENT_CHARS - 1]}…"
                if isinstance(value, str) and len(value) > MAX_ARGUMENT_CHARS
                else value
                for name, value in (arguments or {}).items()
            }
            text, errors = bundle.format_pattern(pattern, values)
            if errors:
                raise LookupError(f"{key} in {code}: {errors[0]}")
            return str(text)
    raise LookupError(key)


def collect_all_translations(key: str, /) -> frozenset[str]:
    return frozenset(translate(language, key) for language in LANGUAGES)


def list_words(key: str, /, languages: Sequence[str] = ()) -> frozenset[str]:
    """Return the words of a text in `languages` (default: the current one and English). "_" stands for a space."""
    found = " ".join(translate(language, key) for language in languages or (get_current_language(), ENGLISH))
    return frozenset(word.replace("_", " ") for word in found.split())


def comma_join(parts: Iterable[str]) -> str:
    return tr("shared-comma").join(parts)


def join_with_and(parts: Sequence[str]) -> str:
    return tr("shared-and", first=comma_join(parts[:-1]), last=parts[-1]) if len(parts) > 1 else "".join(parts)


def join_with_or(parts: Sequence[str]) -> str:
    return tr("shared-or", first=comma_join(parts[:-1]), last=parts[-1]) if len(parts) > 1 else "".join(parts)


def format_decimal(value: float, places: int) -> str:
    """Format a number with `places` decimals in the current language, such as "1,234.50" in English."""
    # Imported here to keep the start fast, as Fluent below.
    from babel.numbers import format_decimal

    return format_decimal(value, f"#,##0.{'0' * places}", locale=get_current_language())


def format_time_until(seconds: float) -> str:
    """Format a time in the future, rounded, as in "in 20 seconds" or "in 3 hours"."""
    from babel.dates import format_timedelta

    return format_timedelta(timedelta(seconds=max(1, seconds)), add_direction=True, locale=get_current_language())


def format_day(day: date, *, with_year: bool) -> str:
    """Format a date, as in "3 June" or "3. Juni 2023"."""
    from babel.dates import format_date, format_skeleton

    locale = "en_GB" if get_current_language() == ENGLISH else get_current_language()
    return format_date(day, "long", locale=locale) if with_year else format_skeleton("MMMMd", day, locale=locale)


def format_full_day(day: date) -> str:
    """Format a date with weekday and year, as in "Thursday, 3 December 2026"."""
    from babel.dates import format_date

    return format_date(day, "full", locale="en_GB" if get_current_language() == ENGLISH else get_current_language())


def get_current_language() -> str:
    return _language.get()


@contextmanager
def use_language(language: str) -> Iterator[None]:
    """Set the language inside the block and in the tasks that are started there."""
    before = _language.set(language)
    try:
        yield
    finally:
        _language.reset(before)


def list_text_file_names(language: str = ENGLISH) -> Sequence[str]:
    """Return the names of a language's files, without ".ftl"."""
    return sorted(file.stem for file in (FOLDER / language).glob("*.ftl"))


class Texts:
    """The user-facing texts in every language. A file is loaded when one of its texts is first used."""

    def __init__(self) -> None:
        self._bundles: dict[str, FluentBundle] = {}
        self._families: set[tuple[str, str]] = set()
        self._reading = threading.Lock()

    def load_bundle(self, language: str, file_name: str) -> "FluentBundle":
        """Load the shared texts and those of a file, and return the language's bundle. Thread-safe."""
        with self._reading:
            for name in (SHARED, file_name):
                if (language, name) not in self._families:
                    file = FOLDER / language / f"{name}.ftl"
                    has_file = name.isidentifier() and file.is_file()
                    self.add_texts(language, file.read_text(encoding="utf-8") if has_file else "")
                    self._families.add((language, name))
            return self._bundles[language]

    def add_texts(self, language: str, ftl_source: str) -> None:
        """Add texts in Fluent's syntax. Existing texts are not replaced."""
        # Imported here, because it takes a tenth of a second of the start.
        from fluent.runtime import FluentBundle, FluentResource

        if language not in self._bundles:
            # Fluent isolates arguments in right-to-left sentences, because they may run left to right.
            self._bundles[language] = FluentBundle([language], use_isolating=language in RIGHT_TO_LEFT)
        if ftl_source:
            self._bundles[language].add_resource(FluentResource(ftl_source))


texts = Texts()


def match_language(tag: str) -> str:
    """Return the supported language that an IETF tag such as "pt-BR" names, or "" if it is not supported."""
    language = tag.casefold().replace("_", "-").partition("-")[0]
    return language if language in LANGUAGES else ""


def choose_language(owner_choice: str, app_language: str, *, is_shared_chat: bool, default: str) -> str:
    """Return the owner's choice, or else the language of the app (unless the chat is shared), or the default."""
    return match_language(owner_choice) or ("" if is_shared_chat else match_language(app_language)) or default
