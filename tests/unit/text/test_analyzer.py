"""Tests of search terms: forms that people consider the same word become the same term."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text.analyzer import (
    detect_language_of_latin_words,
    list_distinct_search_terms,
    list_search_terms,
    map_terms_to_foreign_stems,
)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Machines, machine!", ["machin", "machin"]),
        ("машину Машина", ["машин", "машин"]),
        ("the Café and a CAFE\u0301", ["cafe", "cafe"]),
        ("ёлка елка", ["елк", "елк"]),
        ("йогурт", ["иогурт"]),
        ("我喜欢喝茶", ["我喜", "喜欢", "欢喝", "喝茶"]),
        ("茶", ["茶"]),
        ("tokyo東京", ["東京", "tokyo"]),
        ("हिन्दी हिन्द", ["हिन्द", "हिन्द"]),
        ("DR-2041 3.5", ["dr", "2041", "3", "5", "dr-2041", "3.5"]),
        ("ﬁne １２", ["fine", "12"]),
        ("Die Häuser und das Haus", ["haus", "haus"]),
        ("Los perros y el perro", ["perr", "perr"]),
        ("Evlerimiz ve evler", ["ev", "ev"]),
        ("هذه القطط", ["قطط"]),
        ("الرِّياض الهديّة", ["رياض", "هديه"]),
        ("הַמּוֹרָה סַבָּא", ["המורה", "סבא"]),
        ("за́мок x̌yz", ["замок", "xyz"]),
        ("私の誕生日", ["私の", "の誕", "誕生", "生日"]),
        ("write to a.b@c.org", ["write", "b", "c", "org", "a.b@c.org"]),
        ("", []),
        ("?!… 🎈", []),
    ],
)
def test_lists_search_terms(text: str, terms: list[str]) -> None:
    assert list_search_terms(text) == terms


def test_word_with_two_forms_counts_once_in_language_detection() -> None:
    """Italian has both "un" and "un'"."""
    assert detect_language_of_latin_words(["un", "día"]) == "spanish"


def test_distinct_terms_omit_stop_words_unless_nothing_else_remains() -> None:
    assert list_distinct_search_terms("What is the name of my cat, and what's my cat like?") == ["name", "cat", "like"]
    assert list_distinct_search_terms("Who are you?") == ["who", "are", "you"]


@given(st.text())
def test_search_terms_of_any_text_contain_no_whitespace(text: str) -> None:
    """Terms are joined by spaces, so none may be empty or contain whitespace."""
    assert all(term and not any(character.isspace() for character in term) for term in list_search_terms(text))
    assert bool(list_distinct_search_terms(text)) == bool(list_search_terms(text))


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("Annem Isparta doğumlu, bahçede güller yetiştirir.", "Isparta"),
        ("Unsere Nachbarn haben zwei alte Häuser in Gießen gekauft und die Schlüssel verloren.", "Häuser"),
        ("I nostri vicini hanno comprato due vecchie case vicino a Lucca e perso le chiavi.", "Lucca"),
        ("Onze buren hebben twee oude huizen gekocht in Zutphen en de sleutels verloren.", "Zutphen"),
        ("A szomszédaink vettek két régi házat Egerben és elvesztették a kulcsokat.", "Egerben"),
        ("Våra grannar köpte två gamla hus i Ystad och tappade nycklarna.", "Ystad"),
        ("Nasi sąsiedzi kupili dwa stare domy pod Krakowem i zgubili klucze.", "Krakowem"),
        ("جدتي تسكن في القرية القديمة.", "قرية"),
        ("اشترى أخي سيارة حمراء.", "السيارة"),
    ],
)
def test_foreign_stems_match_word_in_message_of_same_language(said: str, word: str) -> None:
    [term] = list_distinct_search_terms(word)
    held = set(list_search_terms(said))
    assert term not in held
    assert held & set(map_terms_to_foreign_stems([term], word, accepts_short_stems=True)[term])


def test_alternative_forms_are_made_for_query_terms_only() -> None:
    question = "Lucca, Zutphen, DR-2041, 19:30, машину, 東京, tokyo東京"
    assert map_terms_to_foreign_stems(list_distinct_search_terms(question), question).keys() == {"lucca", "zutphen"}
    assert map_terms_to_foreign_stems(["lucca"], question) == {"lucca": ("lucc",)}
    assert map_terms_to_foreign_stems(["lucca"], question, accepts_short_stems=True) == {"lucca": ("lucc", "luc")}
    assert "even" not in map_terms_to_foreign_stems(["evening"], "evening")["evening"]
    assert map_terms_to_foreign_stems([], question) == {}
    assert map_terms_to_foreign_stems(["dr-2041", "2041", "машин", "東京"], question) == {}


@pytest.mark.parametrize(
    ("word", "stems"),
    [
        ("relations", ["relat", "relation", "relations"]),
        ("universities", ["universiti", "universit", "universities", "universitie"]),
        ("organizations", ["organiz", "organization", "organizations"]),
    ],
)
def test_foreign_stems_have_stable_order(word: str, stems: list[str]) -> None:
    """The order breaks ties between equal scores, and the order of a set differs between processes."""
    assert list(map_terms_to_foreign_stems(set(stems), word)) == stems


@given(st.text())
def test_foreign_stems_of_any_text_are_distinct_and_differ_from_term(text: str) -> None:
    for term, found in map_terms_to_foreign_stems(list_distinct_search_terms(text), text).items():
        assert term not in found
        assert all(len(term) >= 3 for term in found)
        assert len(set(found)) == len(found)
