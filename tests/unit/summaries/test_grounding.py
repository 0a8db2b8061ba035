"""What nobody said is told in the words that were said; what good summaries say stays."""

import json

import pytest

from benchmarks.real import script as scripts
from summaries.grounding import MOST_SENTENCES, Told, is_ungrounded, mended
from summaries.quality_score import Source
from summaries.sources import sentences_of
from tests.paths import ROOT

RECORDED = json.loads((ROOT / "tests" / "peers" / "recorded.json").read_text(encoding="utf-8"))["folds"]["texts"]


def said(*lines: str, name: str = "Nora") -> list[Source]:
    """Lines of a person; those that begin with "A:" are the assistant's."""
    return [
        Source(
            text=f"[2026-03-02 18:00] {'Assistant' if line.startswith('A:') else name}: {line.removeprefix('A: ')}",
            is_user=not line.startswith("A:"),
        )
        for line in lines
    ]


HOME = ("I live in Porto, Rua das Flores 21, since 3 April.", "Los domingos desayuno siempre en el café Central.")
DOGS = ("Mi vecina se llama Carmen y tiene dos perros.", "A: ¿Cómo se llaman?", "Se llaman Luna y Trueno.")
KITCHEN = (
    "The worktop is of granite, the cabinets are of oak. Tiles are not part of the offer. It costs 6,450 euros.",
)
CAT = ("Biscuit had to go to the vet; she has a weak kidney.", "She only eats special food now.")
FAMILY = ("My sister Mara lives in Oslo.", "My friend Boris is a ferry captain.", "My rent is 980 euros, not 940.")


@pytest.mark.parametrize(
    ("sentence", "lines"),
    [
        # A real small model wrote these of such lines (tests/peers/recorded.json has some).
        ("Nora told the assistant a short joke about rain.", ("Tell me a short joke about rain.",)),
        ("She recommends “Paterson” as a film for tonight.", ("Recommend me a film for tonight.", "A: “Paterson”?")),
        ("Nora would cook for two on a rainy evening.", ("What would you cook for two on a rainy evening?",)),
        ("How do you say thank you in Norwegian?", ("How do you say thank you in Norwegian?",)),
        ("Nora's friend Carmen has two dogs named Luna and Trueno.", DOGS),
        ("Carmen lives at the café Central since 3 April.", HOME),
        ("Nora moved to Rua das Flores 21 on April 4th.", HOME),
        ("The kitchen is made of oak cabinets, granite worktop, and tiles.", KITCHEN),
        ("Nora likes coriander, but she doesn't like it.", ("I don't like coriander at all.",)),
        ("Her favourite colour is warm, not dark red.", ("My favourite colour is dark red.",)),
        ("Nora only eats special food now.", CAT),
        # By hand.
        ("Ihre Schwester Boris ist Kapitän.", FAMILY),
        ("Her sister Boris is a captain.", FAMILY),
        ("Mara pays 980 euros.", FAMILY),
        ("Su hermana Pilar vive en Ayerbe.", ("Mi hermana Pilar vive en Huesca.", "Las colmenas están en Ayerbe.")),
    ],
)
def test_what_nobody_said_is_seen(sentence: str, lines: tuple[str, ...]) -> None:
    assert is_ungrounded(sentence, Told(said(*lines)))


@pytest.mark.parametrize(
    ("sentence", "lines"),
    [
        ("Nora asked for a joke about rain.", ("Tell me a short joke about rain.",)),
        ("She was looking for a film for tonight.", ("Recommend me a film for tonight.",)),
        ("Nora plans a trip to Oslo in May.", ("Can you help me plan my trip to Oslo in May?",)),
        ("The assistant recommended “Paterson” for tonight.", ("Recommend me a film for tonight.", "A: “Paterson”?")),
        ("The neighbour Carmen has two dogs, Luna and Trueno.", DOGS),
        ("Since 3 April Nora has lived in Porto, at Rua das Flores 21.", HOME),
        ("She moved to Rua das Flores 21 in Porto on 3 April, and has breakfast at the café Central.", HOME),
        ("The worktop is granite; tiles are not included.", KITCHEN),
        ("The kitchen of oak and granite costs 6,450 euros.", KITCHEN),
        ("Nora dislikes coriander.", ("I don't like coriander at all.",)),
        ("Nora avoids coriander.", ("I don't like coriander at all.",)),
        ("Her cat Biscuit only eats special food now.", CAT),
        ("Her sister Mara lives in Oslo, and her friend Boris is a ferry captain.", FAMILY),
        ("Her rent is 980 euros, corrected from 940.", FAMILY),
        ("Nora no longer pays 940 euros.", FAMILY),
        ("Nora moved from Oslo to Porto.", ("I live in Oslo.", "Now I live in Porto and left Oslo.")),
        ("Es alérgico a la penicilina, no a las picaduras.", ("soy alérgico a la penicilina, a las picaduras no",)),
        ("Её дочь Варя учится в 7А.", ("меня классной поставили в 7Б, а дочка моя, Варя, в 7А",)),
        ("思琪不吃香菜和内脏。", ("对了思琪下周三过来，她不吃香菜，内脏也一概不碰。",)),
        ("Ihr Bruder Tom wohnt in Bern und arbeitet im Zoo.", ("Mein Bruder Tom wohnt in Bern. Er arbeitet im Zoo.",)),
    ],
)
def test_good_sentences_stay(sentence: str, lines: tuple[str, ...]) -> None:
    assert not is_ungrounded(sentence, Told(said(*lines)))


def test_a_wrong_sentence_gives_way_to_the_persons_own_words() -> None:
    text = "Nora drinks her coffee black. Nora recommends a film for tonight. Nora likes coriander, but she doesn't."
    lines = (
        "I drink my coffee black.",
        "Recommend me a film for tonight.",
        "A: “Paterson”.",
        "I don't like coriander.",
    )
    own = "Nora drinks her coffee black. Nora: “Recommend me a film for tonight.” Nora: “I don't like coriander.”"
    assert mended(text, said(*lines)) == (own, 2)
    assert mended("Nora drinks her coffee black.", said(*lines)) == ("Nora drinks her coffee black.", 0)


def test_what_a_right_sentence_tells_is_not_quoted_again() -> None:
    lines = ("My sister Mara lives in Oslo.", "I don't like coriander.")
    text = "Her sister Mara lives in Oslo. Nora likes coriander like Mara in Oslo."
    assert mended(text, said(*lines))[0] == "Her sister Mara lives in Oslo. Nora: “I don't like coriander.”"


def test_of_two_summaries_what_one_says_is_not_joined_with_what_the_other_says() -> None:
    below = [
        Source(text="[2026-03-02 to 2026-03-03] Nora lives in Porto. Her rent is 980 euros.", is_user=False),
        Source(text="[2026-03-04] Mara teaches in Bergen. The boat costs 1,250 euros.", is_user=False),
    ]
    wrong = "Mara pays 980 euros."
    assert mended(f"Nora lives in Porto. {wrong}", below) == (
        "Nora lives in Porto. Her rent is 980 euros.",
        1,
    )
    assert mended("Mara teaches in Bergen; Nora's rent is 980 euros.", below)[1] == 0


@pytest.mark.parametrize("number", range(len(RECORDED)))
def test_what_a_real_model_wrote_wrongly_is_seen_and_nothing_else(number: int) -> None:
    lines = scripts.read().lines[5 * number : 5 * number + 5]
    told = Told(said(*(text for line in lines for text in (line.text, f"A: {line.answer}"))))
    text, wrong = RECORDED[number]["text"], RECORDED[number]["wrong"]
    found = [sentence.strip() for sentence in sentences_of(text) if is_ungrounded(sentence, told)]
    assert len(found) == len(wrong)
    assert all(sentence.startswith(begins) for sentence, begins in zip(found, wrong, strict=True))


def test_of_very_many_short_sentences_only_some_are_looked_at() -> None:
    assert len(Told(said("It is so. " * (MOST_SENTENCES + 100))).sentences) == MOST_SENTENCES
