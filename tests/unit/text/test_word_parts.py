"""A compound or an inflected word finds what is related to it, in languages that build long words."""

import pytest

from text.analyzer import analyse
from text.word_parts import BEGINNING, LONGEST, may_begin, parts

RELATED = {
    "german": (
        ("Haustürschlüssel", "Schlüssel"),
        ("Kinderarzttermin", "Kinderarzt"),
        ("Radschlösser", "Schlösser"),
    ),
    "dutch": (
        ("fietssleutel", "sleutel"),
        ("zorgverzekering", "verzekering"),
        ("slaapkamerdeuren", "slaapkamerdeur"),
    ),
    "turkish": (("arabamızdan", "arabamız"), ("kitaplığımızda", "kitaplığımız"), ("telefonumdaki", "telefonum")),
    "finnish": (("polkupyörälläni", "polkupyörä"), ("kesämökillämme", "kesämökillä"), ("kotiavaimet", "avaimet")),
    "hungarian": (("lakáskulcsomat", "lakáskulcs"), ("nyaralónkban", "nyaraló"), ("lakáskulcsomat", "kulcsomat")),
    "russian": (("электровелосипед", "велосипед"), ("домработницами", "домработниц"), ("теплостанция", "станция")),
    "arabic": (
        ("والمفتاح", "مفتاح"),
        ("مفتاح", "والمفتاح"),
        ("لسيارة", "السيارة"),
        ("بيت", "والبيت"),
        ("كفندق", "بالفندق"),
    ),
}
TOO_SHORT = (("Wohnzimmerlampe", "Lampe"), ("verzekeringspolis", "verzekering"), ("bejáratikulcs", "kulcs"))
"""Stems of fewer than five letters, or of less than half of the word, would find too much."""
UNRELATED = (("portugal", "port"), ("flight", "light"), ("weight", "eight"), ("start", "art"), ("مكتب", "كتب"))


@pytest.mark.parametrize(("asked", "said"), [pair for pairs in RELATED.values() for pair in pairs])
def test_a_word_is_looked_up_by_its_parts(asked: str, said: str) -> None:
    [term], [held] = analyse(asked), analyse(said)
    assert held == term or held in parts(term)


@pytest.mark.parametrize(("asked", "said"), [*UNRELATED, *TOO_SHORT])
def test_what_only_looks_alike_or_is_too_short_is_no_part(asked: str, said: str) -> None:
    [term], [held] = analyse(asked), analyse(said)
    assert held not in parts(term)


def test_short_words_numbers_and_runs_of_letters_have_no_parts() -> None:
    assert not parts("door")
    assert not parts("b12345678")
    assert not parts("x" * (LONGEST + 1))
    assert not may_begin("door")
    assert len(parts("x" * LONGEST)) <= (2 - BEGINNING) * LONGEST
