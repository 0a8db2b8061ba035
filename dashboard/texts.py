"""The texts of a page, made from a file of `locales/` into values that a browser can put together by itself.

Owns their form: a text is a string, or a list of strings, {"argument"} and {"argument", "cases", "other"}. Does not
know what the texts say.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from starlette.requests import Request

from locales.catalog import ENGLISH, FOLDER, LANGUAGES, RIGHT_TO_LEFT
from locales.choice import spoken

FAMILY = "dashboard"
"""The file with the page's texts."""
MOST_WANTED = 20
"""Languages of a browser that are looked at."""

Pattern = str | list[str | dict[str, Any]]


@cache
def page_texts(family: str, language: str) -> dict[str, Any]:
    """All that a page says in one of LANGUAGES, with the names of the others. `family`: the file with its texts."""
    # Here, because reading Fluent takes a tenth of a second that a bot without a page need not spend.
    from fluent.syntax import FluentParser
    from fluent.syntax import ast as fluent

    source = (FOLDER / language / f"{family}.ftl").read_text(encoding="utf-8")
    entries = FluentParser(with_spans=False).parse(source).body
    texts: Mapping[str, Pattern] = {
        one.id.name: _pattern(one.value) for one in entries if isinstance(one, fluent.Message) and one.value
    }
    return {
        "language": language,
        "languages": dict(LANGUAGES),
        "right_to_left": language in RIGHT_TO_LEFT,
        "texts": texts,
    }


def wanted_texts(family: str, request: Request) -> dict[str, Any]:
    """The texts in the first language that the page wants of ours, or else that of its browser."""
    wanted = request.query_params.get("wanted", "")
    return page_texts(family, preferred(wanted.split(",")[:MOST_WANTED]) if wanted else reader_of(request))


def preferred(tags: Iterable[str], default: str = ENGLISH) -> str:
    """The first of some IETF tags that is one of our languages."""
    return next((one for tag in tags if (one := spoken(tag.strip()))), default)


def reader_of(request: Request, default: str = ENGLISH) -> str:
    """The language of whoever looks at the page that asks."""
    tags = request.headers.get("accept-language", "").split(",")[:MOST_WANTED]
    return preferred((tag.partition(";")[0] for tag in tags), default)


def _pattern(pattern: object) -> Pattern:
    """Raises TypeError for what the texts of pages do not use: functions, terms, references to other texts."""
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
                cases = {_name(one.key): _pattern(one.value) for one in choice.variants}
                other = next(_name(one.key) for one in choice.variants if one.default)
                parts.append({"argument": choice.selector.id.name, "cases": cases, "other": other})
            case _:
                raise TypeError(f"the page cannot show {element}")
    return "".join(map(str, parts)) if all(isinstance(one, str) for one in parts) else parts


def _name(key: object) -> str:
    from fluent.syntax import ast as fluent

    return key.name if isinstance(key, fluent.Identifier) else str(getattr(key, "value", key))
