"""What a person is told of an error: its own sentence, or one for its kind, in their language."""

import pytest

from llm.partial_answer import BrokenCall
from locales.catalog import LANGUAGES, use_language
from locales.sentences import FOR_THE_OPERATOR, KEYS, format_error, use_reader_role
from records.errors import KeepsakeError, ModelBroken, ModelError, StorageCorrupt, SummaryRejected


def kinds(kind: type[KeepsakeError]) -> list[type[KeepsakeError]]:
    return [kind, *(inner for below in kind.__subclasses__() for inner in kinds(below))]


@pytest.mark.parametrize("kind", [error for error in KEYS if not issubclass(error, FOR_THE_OPERATOR)])
def test_a_kind_of_error_is_told_in_every_language(kind: type[KeepsakeError]) -> None:
    said = set()
    for language in LANGUAGES:
        with use_language(language):
            said.add(format_error(kind()))
    assert kind().sentence in said, "in English as its docstring has it"
    assert len(said) == len(LANGUAGES)


def test_every_kind_of_failure_of_a_model_has_a_sentence() -> None:
    ours = [kind for kind in kinds(ModelError) if kind.__module__ == "records.errors"]
    assert set(ours) <= set(KEYS)
    with use_language("de"):
        assert format_error(BrokenCall()) == format_error(ModelBroken())


def test_an_error_with_a_sentence_of_its_own_tells_it() -> None:
    assert format_error(ModelBroken("Es war leer.")) == "Es war leer."


def test_only_who_runs_the_bot_reads_names_of_settings() -> None:
    error = ModelBroken("It broke.", remedy="Check OPENAI_MODEL.")
    assert format_error(error) == error.sentence == "It broke. Check OPENAI_MODEL."
    with use_reader_role(is_operator=False):
        assert format_error(error) == "It broke."


def test_what_is_for_the_operator_is_not_told_to_people() -> None:
    with use_language("ru"):
        for error in (StorageCorrupt("memory.db: page 7 is damaged"), SummaryRejected("it invents the number 7")):
            assert "7" not in format_error(error)
