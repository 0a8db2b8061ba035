"""Tests of error messages for users: the error's own sentence, or the translated one of its class."""

import pytest

from llm.partial_answer import BrokenCall
from locales.catalog import LANGUAGES, use_language
from locales.sentences import FOR_THE_OPERATOR, KEYS, format_error, use_reader_role
from records.errors import KeepsakeError, ModelBroken, ModelError, StorageCorrupt, SummaryRejected


def list_error_classes(kind: type[KeepsakeError]) -> list[type[KeepsakeError]]:
    return [kind, *(inner for below in kind.__subclasses__() for inner in list_error_classes(below))]


@pytest.mark.parametrize("kind", [error for error in KEYS if not issubclass(error, FOR_THE_OPERATOR)])
def test_error_message_is_translated_into_every_language(kind: type[KeepsakeError]) -> None:
    said = set()
    for language in LANGUAGES:
        with use_language(language):
            said.add(format_error(kind()))
    assert kind().sentence in said, "in English as its docstring has it"
    assert len(said) == len(LANGUAGES)


def test_every_model_error_has_message() -> None:
    ours = [kind for kind in list_error_classes(ModelError) if kind.__module__ == "records.errors"]
    assert set(ours) <= set(KEYS)
    with use_language("de"):
        assert format_error(BrokenCall()) == format_error(ModelBroken())


def test_format_error_returns_custom_sentence() -> None:
    assert format_error(ModelBroken("Es war leer.")) == "Es war leer."


def test_remedy_is_shown_only_to_operator() -> None:
    error = ModelBroken("It broke.", remedy="Check OPENAI_MODEL.")
    assert format_error(error) == error.sentence == "It broke. Check OPENAI_MODEL."
    with use_reader_role(is_operator=False):
        assert format_error(error) == "It broke."


def test_operator_error_details_are_hidden_from_users() -> None:
    with use_language("ru"):
        for error in (StorageCorrupt("memory.db: page 7 is damaged"), SummaryRejected("it invents the number 7")):
            assert "7" not in format_error(error)
