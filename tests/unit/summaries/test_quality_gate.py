"""The quality gate rejects bad summaries with a reason and accepts good ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summaries.quality_gate import (
    find_invented_numbers,
    find_text_faults,
    is_in_another_language,
    parse_source_line,
    remove_copied_headings,
)

SOURCE = (
    "[2026-05-03 14:02] Anna: I have three cats. My flight to Porto is on March 14 at 09:30, seat 12A.\n"
    "[2026-05-03 14:03] Assistant: Noted. It costs 1,250 euros."
)


def list_faults(text: str, *, tokens: int = 30, source_tokens: int = 300) -> list[str]:
    return find_text_faults(text, SOURCE, text_tokens=tokens, source_tokens=source_tokens)


@pytest.mark.parametrize(
    "text",
    [
        "Anna has 3 cats and flies to Porto on 2026-03-14 at 9:30 (seat 12A) for 1250 euros.",
        "On 3 May 2026 Anna said that she has three cats.",
        "1. Anna has cats.\n2. She flies to Porto.",
        "Анна летит в Порту 14.03.",
        "Summary 7: Anna has cats.",
        "[L2] Anna has cats. S7-x: she flies with an A380, COVID-19 or not.",
    ],
)
def test_good_summaries_pass(text: str) -> None:
    assert list_faults(text) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("  \n ", "empty"),
        ("I'm sorry, but I can't help with that.", "refusal"),
        ("К сожалению, я не могу это сделать.", "refusal"),
        ("Anna has 7 cats.", "lacks"),
        ("Anna has 7kg of cats.", "lacks"),
        ("Anna flies on 2026-04-14.", "lacks"),
        ("Anna flies in May-2024.", "lacks"),
        ("Anna retires in FY2031.", "lacks"),
        ("Anna's order is ABX-77812.", "lacks"),
        ("Anna's code is 7f3a9c.", "lacks"),
        ("安娜于2031年搬家。", "lacks"),
        ("アンナは8万円を払う。", "lacks"),
        ("Anna likes her cats. " * 5, "repeats"),
        ("Anna likes her cats. " * 3, "repeats"),
        ("she said that she " * 20, "repeats"),
        ("我们明年夏天要去北京看爷爷奶奶。" * 3, "repeats"),
        ("彼女は来年の春に大阪へ引っ越す予定です。" * 3, "repeats"),
    ],
)
def test_bad_summaries_are_rejected_with_reason(text: str, reason: str) -> None:
    assert any(reason in objection for objection in list_faults(text))


def test_summary_may_repeat_phrases_of_repetitive_source() -> None:
    talk = "".join(f"Let us talk about the weather, part {number}. " for number in range(8))
    assert not find_text_faults(talk, talk, text_tokens=0, source_tokens=0)


def test_extract_of_repetitive_source_is_accepted() -> None:
    """Such a summary was rejected because the source also contained other, varied sentences."""
    extract = "".join(f"Let us talk about the weather, part {number}. " for number in range(4))
    source = extract + "Noted. What is my allergy? You told that it is against hazelnuts, on the first day. " * 2
    assert not find_text_faults(extract, source, text_tokens=0, source_tokens=0)


def test_summary_as_long_as_source_is_rejected_only_for_long_source() -> None:
    assert list_faults("Anna has cats.", tokens=300, source_tokens=300)
    assert not list_faults("Anna has cats.", tokens=100, source_tokens=100)


def of_a_day(text: str, said: str) -> list[str]:
    line = parse_source_line(f"[2026-11-22 09:12] Anna: {said}")
    return find_text_faults(text, line.words, text_tokens=0, source_tokens=0, source_dates=line.days)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The exam is on 12 February.", "My exam is in February."),
        ("She gets up at 9.", "I get up early."),
        ("She has 22 boats.", "I have boats."),
    ],
)
def test_heading_times_and_dates_do_not_justify_other_numbers(text: str, said: str) -> None:
    assert of_a_day(text, said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("On 22 November 2026 Anna bought a boat.", "I bought a boat."),
        ("On 2026-11-22 Anna bought a boat.", "I bought a boat."),
        ("22 ноября 2026 Анна купила лодку.", "Я купила лодку."),
        ("安娜11月21日买了船。", "昨天买了船。"),
        ("Anna bought a boat on November 21st.", "Yesterday I bought a boat."),
        ("Ana viaja el 27 de noviembre.", "Viajo el viernes."),
        ("The exam is on 12 February 2027.", "My exam is on 12 February."),
    ],
)
def test_date_of_message_and_dates_derived_from_it_are_accepted(text: str, said: str) -> None:
    assert not of_a_day(text, said)


def test_copied_headings_are_removed_from_summary() -> None:
    below = ["[2026-03-02 to 2026-03-03] Nora lives in Porto."]
    assert remove_copied_headings(below[0], below) == "Nora lives in Porto."
    assert remove_copied_headings("[sic] Nora [1]", below) == "[sic] Nora [1]"


@given(st.text(), st.text())
def test_any_text_is_checked_without_exception(text: str, source: str) -> None:
    find_text_faults(text, source, text_tokens=1, source_tokens=1)
    assert find_invented_numbers(source, source) == set()


RUSSIAN = "У меня есть кошка Мурка, ей нравится спать на окне. Летом мы ездили на дачу и собирали ягоды."
ENGLISH = "The user told about a cat named Murka and a trip to the dacha in the summer."
GERMAN = "Die Nutzerin hat eine Katze, die nicht auf dem Sofa schläft, und war im Sommer mit ihr im Garten."


@pytest.mark.parametrize(
    ("text", "source", "differs"),
    [
        (ENGLISH, RUSSIAN, True),
        (ENGLISH, GERMAN, True),
        (ENGLISH, "我住在绍兴，楼下是面包店，养了一只乌龟，每周二去合唱团。", True),
        (GERMAN, RUSSIAN, True),
        (f"Краткое содержание: {ENGLISH}", RUSSIAN, True),
        (
            "Summary:\n- The user has a cat.\n- They went to the dacha.\n\n(Пользователь рассказал о кошке.)",
            RUSSIAN,
            True,
        ),
        (
            "用户用 Kubernetes 和 PostgreSQL 部署服务。",
            "我用 Kubernetes 和 PostgreSQL 部署我们的服务，每天晚上都要备份数据库，周末休息，下个月搬到新的机房去。",
            False,
        ),
        ("她有一只猫，夏天去了乡下的房子，采了很多浆果，还在花园里种了番茄和黄瓜，秋天再回到城里。", ENGLISH, True),
        ("У пользователя есть кошка Мурка; летом он ездил на дачу.", RUSSIAN, False),
        ("Katze Murka.", RUSSIAN, False),
        (RUSSIAN + ENGLISH, RUSSIAN, False),
        (ENGLISH, ENGLISH, False),
        (RUSSIAN, f"{ENGLISH} {ENGLISH} {ENGLISH} {RUSSIAN}", False),
    ],
)
def test_detects_summary_in_other_language_than_conversation(text: str, source: str, *, differs: bool) -> None:
    assert is_in_another_language(text, source) == differs


TALKS = {
    "ru": "Вчера ездили с дочкой Аней на дачу под Казанью, сажали помидоры и клубнику. В пятницу у меня приём у "
    "кардиолога. Купила билет на поезд до Москвы. Мама просила привезти ей платок из Павловского Посада. Потом зашли "
    "к соседке, она угостила нас пирогом с вишней и рассказала, как вырастить перец.",
    "ar": "أمس ذهبت مع ابنتي سارة إلى المزرعة قرب عمان وزرعنا الطماطم والفراولة. يوم الجمعة عندي موعد مع طبيب القلب. "
    "اشتريت تذكرة قطار إلى العقبة. أمي طلبت مني أن أحضر لها شالا من السوق",
    "zh": "昨天和女儿小雨去了杭州附近的农场，种了西红柿和草莓。星期五上午我要去看心脏科医生。妈妈让我给她带一条丝巾。",
    "zh, kana": "我在学日语，ありがとうございます是什么意思？我住在杭州，星期五去看医生。最喜欢的歌是レモン，还有猫。",
    "ko": "저는 서울에 살아요. 딸이랑 병원에 갔어요. 강아지도 한 마리 있어요. 엄마는 부산에 사세요.",
    "ru in Latin letters": "privet, ya zhivu v moskve i rabotayu v banke, u menya est sobaka Belka, idu k vrachu",
    "code": "npm install react-router-dom\ngit push origin main --force-with-lease\ndocker compose up -d postgres",
}

UKRAINIAN = (
    "Ольга їздила з донькою Анею на дачу під Казанню, де вони саджали помідори та полуницю. У п'ятницю в неї прийом у "
    "кардіолога. Вона купила квиток на потяг до Москви і поїде сама. Мати просила привезти їй хустку."
)


@pytest.mark.parametrize(
    ("text", "talk", "differs"),
    [
        (UKRAINIAN, "ru", True),
        ("Olga ezdila s dochkoy Aney na dachu, sazhali pomidory i klubniku. Ona kupila bilet do Moskvy.", "ru", True),
        ("Ездила на дачу. She has an appointment and bought a train ticket. Her mother wants a shawl.", "ru", True),
        ("Ольга ездила с дочкой Аней на дачу и сажала помидоры. В пятницу приём у кардиолога.", "ru", False),
        ("عمر با دخترش سارة به مزرعه‌ای نزدیک عمان رفت و گوجه‌فرنگی کاشتند. او یک بلیت قطار به عقبه خرید.", "ar", True),
        ("ذهب عمر مع ابنته سارة إلى المزرعة قرب عمان وزرعا الطماطم. اشترى تذكرة قطار إلى العقبة.", "ar", False),
        ("ذهب عمر إلى المزرعة قرب عمان مع سارة وزرعا الطماطم. (“We go to the farm and we stay there.”)", "ar", False),
        ("李明は娘の小雨と杭州近くの農場へ行き、トマトといちごを植えた。心臓科の診察がある。", "zh", True),
        ("李明和女儿小雨去了杭州附近的农场，种了西红柿和草莓。星期五要看心脏科医生，妈妈让他带一条丝巾。", "zh", False),
        ("用户在学日语，住在杭州，星期五去看医生，最喜欢的歌是米津玄师的那首，还有猫。", "zh, kana", False),
        ("사용자는 서울에 산다. 사용자의 딸은 병원에 갔다. 사용자의 어머니는 부산에 사용자와 산다.", "ko", False),
        ("Пользователь живёт в Москве и работает в банке. У него есть собака Белка.", "ru in Latin letters", False),
        ("Пользователь прислал команды: npm install react-router-dom, git push origin main.", "code", False),
    ],
)  # fmt: skip
def test_distinguishes_languages_of_one_script_and_accepts_romanized_source(
    text: str, talk: str, *, differs: bool
) -> None:
    assert is_in_another_language(text, TALKS[talk]) == differs
