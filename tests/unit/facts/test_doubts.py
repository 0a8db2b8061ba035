"""Doubts and questions in many languages are detected even if the model leaves them out of a fact."""

from datetime import UTC, datetime

import pytest

from facts.schemas import ExtractedFact, corrects_number_of_fact, iterate_candidates_for_each_fact
from records.facts import NewFact
from records.messages import Message
from records.scopes import Scope

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)


def extract_facts(said: str, quote: str, text: str, *, speaker: str = "Paul", replaces: int = 7) -> list[NewFact]:
    """Return the facts extracted from an answer that calls `text` a lasting state replacing another one."""
    message = Message(id=1, scope=Scope(owner=1), role="user", content=said, created_at=NOW, turn=1, speaker=speaker)
    fact = ExtractedFact(
        text=text,
        kind="personal",
        message=1,
        replaces=(replaces,),
        quote=quote,
        about=speaker,
        attribute="home",
        is_single=True,
    )
    return [
        versions[0] for versions in iterate_candidates_for_each_fact([fact], [message], known_ids={replaces}, zone=UTC)
    ]


@pytest.mark.parametrize(
    ("said", "quote", "text"),
    [
        ("je vais peut-être déménager à Nantes", "déménager à Nantes", "Paul va déménager à Nantes"),
        ("je vais probablement quitter Lyon en mai", "quitter Lyon en mai", "Paul quitte Lyon en mai"),
        ("il se peut que je parte au Canada", "parte au Canada", "Paul part au Canada"),
        ("creo que en septiembre me mudo a Cádiz", "me mudo a Cádiz", "Paul se muda a Cádiz"),
        ("puede que deje Sevilla", "deje Sevilla", "Paul deja Sevilla"),
        ("кажется, у меня аллергия на пыль", "аллергия на пыль", "У Пола аллергия на пыль"),
        ("я бы переехал в Самару", "переехал в Самару", "Пол переехал в Самару"),
        ("ربما أنتقل إلى دبي الصيف القادم", "أنتقل إلى دبي", "بول سينتقل إلى دبي"),
        ("أفكر في شراء بيت في عمان", "شراء بيت في عمان", "بول يشتري بيتا في عمان"),
        ("我明年可能会搬到上海", "搬到上海", "保罗会搬到上海"),
        ("也许会去上海", "去上海", "保罗去上海"),
    ],
)
def test_uncertain_fact_keeps_doubt_and_replaces_nothing(said: str, quote: str, text: str) -> None:
    (fact,) = extract_facts(said, quote, text)
    assert fact.is_uncertain
    assert not fact.known
    assert not fact.only_one
    assert fact.text.removeprefix("Paul: ") in said


def test_doubt_in_next_chinese_clause_leaves_fact_certain() -> None:
    (fact,) = extract_facts("我住在杭州，我女儿可能会去北京", "我住在杭州", "保罗住在杭州")
    assert not fact.is_uncertain


@pytest.mark.parametrize(
    ("said", "quote", "text"),
    [
        ("est-ce que je suis allergique au pollen", "je suis allergique au pollen", "Paul est allergique au pollen"),
        ("你觉得我对猫过敏吗", "我对猫过敏", "保罗对猫过敏"),
        ("هل تعرف مطعما في جبل عمان", "مطعما في جبل عمان", "بول يعرف مطعما في جبل عمان"),
        ("не помню, есть ли у меня аллергия на пыль", "у меня аллергия на пыль", "У Пола аллергия на пыль"),
    ],
)  # fmt: skip
def test_question_without_question_mark_yields_no_fact(said: str, quote: str, text: str) -> None:
    assert extract_facts(said, quote, text) == []


def test_matches_arabic_word_regardless_of_vowel_marks() -> None:
    (fact,) = extract_facts("مرحبا أنا عمر أسكن في عمان", "أسكن في عمان", "عمر يسكن في عمّان", speaker="عمر")
    assert fact.text == "عمر يسكن في عمّان"


@pytest.mark.parametrize(
    ("said", "quote", "text"),
    [
        ("我对花生过敏，可以吃这个吗", "我对花生过敏", "保罗对花生过敏"),
        ("je suis allergique au soja, est-ce que je peux sortir", "allergique au soja", "Paul est allergique au soja"),
        ("у меня аллергия на пыль, можно ли мне кошку", "аллергия на пыль", "У Пола аллергия на пыль"),
        ("живу в Туле, не помню, говорил ли я", "живу в Туле", "Пол живёт в Туле"),
        ("أنا نباتي، هل يمكنني أكل هذا", "أنا نباتي", "بول نباتي"),
    ],
)  # fmt: skip
def test_question_in_next_clause_does_not_drop_fact(said: str, quote: str, text: str) -> None:
    (fact,) = extract_facts(said, quote, text)
    assert (fact.text, fact.is_uncertain, fact.known) == (text, False, (7,))


@pytest.mark.parametrize(
    ("said", "quote", "text"),
    [
        ("请尽可能简短地回答", "尽可能简短地回答", "保罗希望尽可能简短地回答"),
        ("しかも犬も飼っています", "犬も飼っています", "ポールは犬も飼っています"),
        ("アニメとかも好きです", "アニメとかも好き", "ポールはアニメが好き"),
        ("아마존에서 일해요", "아마존에서 일해요", "폴은 아마존에서 일한다"),
        ("I think it's great that I live in Oslo", "I live in Oslo", "Paul lives in Oslo"),
        ("mi hermana puede quedarse en Cádiz", "puede quedarse en Cádiz", "La hermana de Paul se queda en Cádiz"),
        ("acho queijo de Minas muito bom", "queijo de Minas muito bom", "Paul gosta de queijo de Minas"),
        ("لقد انتقلت وقد اشتريت بيتا في دبي", "اشتريت بيتا في دبي", "بول اشترى بيتا في دبي"),
        ("люблю фрукты вроде яблок", "люблю фрукты вроде яблок", "Пол любит фрукты вроде яблок"),
        ("я бы хотел, чтобы ты отвечал коротко", "хотел, чтобы ты отвечал коротко", "Пол хочет коротких ответов"),
        ("Vivo en Sevilla, creo que ya te lo dije", "Vivo en Sevilla", "Paul vive en Sevilla"),
    ],
)  # fmt: skip
def test_words_resembling_hedges_leave_fact_certain(said: str, quote: str, text: str) -> None:
    (fact,) = extract_facts(said, quote, text)
    assert (fact.text, fact.is_uncertain) == (text, False)


@pytest.mark.parametrize(
    ("said", "quote", "text"),
    [
        ("札幌に引っ越すかもしれない", "札幌に引っ越す", "ポールは札幌に引っ越す"),
        ("札幌に引っ越すかも", "札幌に引っ越す", "ポールは札幌に引っ越す"),
        ("아마 부산으로 이사할 거예요", "부산으로 이사할", "폴은 부산으로 이사한다"),
        ("قد أنتقل إلى دبي", "أنتقل إلى دبي", "بول ينتقل إلى دبي"),
        ("я вроде переезжаю в Самару", "переезжаю в Самару", "Пол переезжает в Самару"),
        ("вряд ли перееду в Самару", "перееду в Самару", "Пол переедет в Самару"),
    ],
)
def test_ambiguous_hedge_words_make_fact_uncertain(said: str, quote: str, text: str) -> None:
    (fact,) = extract_facts(said, quote, text)
    assert fact.is_uncertain


def test_rejected_number_without_replacement_corrects_no_fact() -> None:
    rent = "Anna's rent is 940 euros a month."
    assert not corrects_number_of_fact("I don't want to pay 940 euros of rent a month", rent)
    assert corrects_number_of_fact("My rent is 980 euros a month, not 940", rent)
