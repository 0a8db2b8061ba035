"""Texts by key, in the language of whoever is served: `tr`.

Owns reading the files, which language somebody is answered in, that of the task that is running (`speak_in`), and
falling back to English. Does not know what the texts say, nor where a choice is kept.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Literal

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
}
"""Their codes, which are the folders' names, and what each calls itself. A further one is also named in
DEFAULT_LANGUAGE (settings.py) and, where its months and days are words, in text/fingerprint.py.
"""
ENGLISH = "en"
FOLDER = Path(__file__).parent
SHARED = "shared"  # the file whose texts the other files refer to
RIGHT_TO_LEFT = frozenset({"ar"})

Argument = str | int | float
"""A whole number is written in the language's manner and chooses the plural. A number that only names something (the id
of a fact) is a str.
"""

_language: ContextVar[str] = ContextVar("language", default=ENGLISH)
MAX_ARGUMENT_CHARS = 2_500  # characters of one argument: Fluent refuses a whole text for a longer one (MAX_PART_LENGTH)


def tr(key: str, /, **arguments: Argument) -> str:
    """Return a text in the language of the task that is running.

    `key`: the name of a file, a hyphen, and the text's name. Raise LookupError for a key that English does not have,
    and for arguments that do not fit: a test calls every key in every language.
    """
    return translate(_language.get(), key, arguments)


def translate(language: str, key: str, arguments: Mapping[str, Argument] | None = None) -> str:
    """Return a text in one of LANGUAGES, or else in English. Raise LookupError."""
    return _format_text(language, key, arguments) if arguments else texts.without_arguments(language, key)


def _format_text(language: str, key: str, arguments: Mapping[str, Argument]) -> str:
    for one in (language, ENGLISH):
        bundle = texts.bundle(one, key.partition("-")[0])
        if bundle.has_message(key) and (pattern := bundle.get_message(key).value) is not None:
            text, errors = bundle.format_pattern(
                pattern, {name: _shorten_argument(value) for name, value in arguments.items()}
            )
            if errors:
                raise LookupError(f"{key} in {one}: {errors[0]}")
            return str(text)
    raise LookupError(key)


def _shorten_argument(value: Argument) -> Argument:
    return (
        value
        if not isinstance(value, str) or len(value) <= MAX_ARGUMENT_CHARS
        else f"{value[: MAX_ARGUMENT_CHARS - 1]}…"
    )


def translate_everywhere(key: str, /) -> frozenset[str]:
    """Return a text in all languages, to recognise an earlier message."""
    return frozenset(translate(language, key) for language in LANGUAGES)


def list_words(key: str, /, languages: Sequence[str] = ()) -> frozenset[str]:
    """Return the words of a text that is a list of them, separated by spaces: in these languages, by default the
    current one and English. "_" stands for a space within one.
    """
    found = " ".join(translate(language, key) for language in languages or (current_language(), ENGLISH))
    return frozenset(word.replace("_", " ") for word in found.split())


def format_decimal(value: float, places: int) -> str:
    """Format a number with so many decimals in the language: "1,234.50", "1.234,50"."""
    # Here, as with Fluent below: it is not needed at a start.
    from babel.numbers import format_decimal

    return format_decimal(value, f"#,##0.{'0' * places}", locale=current_language())


def format_from_now(seconds: float) -> str:
    """Format a time to come, rounded, in the language: "in 20 seconds", "in 3 hours"."""
    from babel.dates import format_timedelta

    return format_timedelta(timedelta(seconds=max(1, seconds)), add_direction=True, locale=current_language())


def list_weekdays(language: str, width: Literal["abbreviated", "wide"] = "abbreviated") -> Sequence[str]:
    """Return the weekday names of a language, Monday first: "Mon", "Monday"."""
    from babel.dates import get_day_names

    names = get_day_names(width, locale=language)
    return [names[day] for day in range(7)]


def format_day(at: date, *, with_year: bool) -> str:
    """Format a date in the language: "3 June", "3. Juni 2023"."""
    from babel.dates import format_date, format_skeleton

    locale = "en_GB" if current_language() == ENGLISH else current_language()
    return format_date(at, "long", locale=locale) if with_year else format_skeleton("MMMMd", at, locale=locale)


def format_full_day(at: date) -> str:
    """Format a date with weekday and year in the language: "Thursday, 3 December 2026"."""
    from babel.dates import format_date

    return format_date(at, "full", locale="en_GB" if current_language() == ENGLISH else current_language())


def current_language() -> str:
    """Return the language of the running task."""
    return _language.get()


@contextmanager
def speak_in(language: str) -> Iterator[None]:
    """Use one of LANGUAGES inside the block and in the tasks begun there."""
    before = _language.set(language)
    try:
        yield
    finally:
        _language.reset(before)


def list_families(language: str = ENGLISH) -> Sequence[str]:
    """Return the names of a language's files."""
    return sorted(file.stem for file in (FOLDER / language).glob("*.ftl"))


class Texts:
    """Load the texts of a family when one of them is first asked for."""

    def __init__(self) -> None:
        self._bundles: dict[str, FluentBundle] = {}
        self._families: set[tuple[str, str]] = set()
        self._without_arguments: dict[tuple[str, str], str] = {}
        self._reading = threading.Lock()

    def bundle(self, language: str, family: str) -> "FluentBundle":
        """Return a language's bundle with a family's texts in it. The menus are read in a thread: one at a time, or two
        threads would make a bundle each, and what one of them has read would be missing for ever.
        """
        with self._reading:
            for name in (SHARED, family):
                if (language, name) not in self._families:
                    file = FOLDER / language / f"{name}.ftl"
                    has_file = name.isidentifier() and file.is_file()
                    self.extend(language, file.read_text(encoding="utf-8") if has_file else "")
                    self._families.add((language, name))
            return self._bundles[language]

    def extend(self, language: str, source: str) -> None:
        """Add texts in Fluent's syntax; a text that is there already stays."""
        # Here, because it takes a tenth of a second that a start can spend otherwise.
        from fluent.runtime import FluentBundle, FluentResource

        if language not in self._bundles:
            # What a placeable holds may run the other way than an Arabic sentence: Fluent isolates it there.
            self._bundles[language] = FluentBundle([language], use_isolating=language in RIGHT_TO_LEFT)
        if source:
            self._bundles[language].add_resource(FluentResource(source))

    def without_arguments(self, language: str, key: str) -> str:
        """Return the buttons have the same few labels under every answer."""
        if (language, key) not in self._without_arguments:
            self._without_arguments[language, key] = _format_text(language, key, {})
        return self._without_arguments[language, key]


texts = Texts()


def find_language(code: str) -> str:
    """Return the one of our languages that an IETF tag means ("pt-BR"), as Telegram gives it; "" for none of them."""
    language = code.casefold().replace("_", "-").partition("-")[0]
    return language if language in LANGUAGES else ""


def choose_language(chosen: str, code: str, *, is_shared: bool, default: str) -> str:
    """Return the language to answer in.

    `chosen`: what the owner of the memory has chosen, or ""; `code`: the tag of the person's app. `is_shared`: others
    read it too, so that nobody's app decides.
    """
    return find_language(chosen) or ("" if is_shared else find_language(code)) or default
