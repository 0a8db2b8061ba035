"""Which of the languages a person or a group is answered in. Pure; does not know where a choice is kept."""

from locales.catalog import LANGUAGES


def spoken(code: str) -> str:
    """The one of our languages that an IETF tag means ("pt-BR"), as Telegram gives it; "" for none of them."""
    language = code.casefold().replace("_", "-").partition("-")[0]
    return language if language in LANGUAGES else ""


def language_for(chosen: str, code: str, *, is_shared: bool, default: str) -> str:
    """The language to answer in.

    `chosen`: what the owner of the memory has chosen, or ""; `code`: the tag of the person's app. `is_shared`: others
    read it too, so that nobody's app decides.
    """
    return spoken(chosen) or ("" if is_shared else spoken(code)) or default
