"""Requests to be reminded, in each language that times are read in; and what only looks like one."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.reminders import LONGEST_REMINDER, Wish
from reminders.wishes import LONGEST, wish

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 22, 14, 20, tzinfo=BERLIN)  # a Sunday


def read(text: str, *, asked: bool = False) -> tuple[str, str, str] | None:
    """When (in Berlin), how often, and of what."""
    found = wish(text, NOW, asked=asked)
    return (f"{found.due_at.astimezone(BERLIN):%d.%m.%y %H:%M}", found.repeat, found.text) if found else None


@pytest.mark.parametrize(
    ("text", "when", "repeat", "what"),
    [
        ("Remind me on Friday at 9 to call mum", "27.11.26 09:00", "", "call mum"),
        ("remind me to call mum on friday at 9am", "27.11.26 09:00", "", "call mum"),
        ("Please remind me tomorrow at 7:30 pm to water the plants", "23.11.26 19:30", "", "water the plants"),
        ("Remind me in 20 minutes to take the pizza out", "22.11.26 14:40", "", "take the pizza out"),
        ("Remind me in half an hour to eat", "22.11.26 14:50", "", "eat"),
        ("Remind me every day at 8 to take my pills", "23.11.26 08:00", "daily", "take my pills"),
        ("Remind me every Monday at 10 to send the report", "23.11.26 10:00", "weekly", "send the report"),
        ("Remind me on the 1st of every month to pay the rent", "01.12.26 09:00", "monthly", "pay the rent"),
        ("Remind me at 5 to leave", "22.11.26 17:00", "", "leave"),
        ("Remind me at 9 to leave", "22.11.26 21:00", "", "leave"),
        ("Remind me tonight to lock the door", "22.11.26 19:00", "", "lock the door"),
        ("Remind me tomorrow evening at 8 to lock the door", "23.11.26 20:00", "", "lock the door"),
        ("remind me about the dentist on 14 January at 15:00", "14.01.27 15:00", "", "the dentist"),
        ("remind me on June 14 2027 to book flights", "14.06.27 09:00", "", "book flights"),
        ("Remind me on 2026-12-01 at 8:15 to vote", "01.12.26 08:15", "", "vote"),
        ("Erinnere mich am Freitag um 9 daran, Mama anzurufen", "27.11.26 09:00", "", "Mama anzurufen"),
        ("Kannst du mich morgen um 9 an den Müll erinnern?", "23.11.26 09:00", "", "den Müll"),
        ("Erinnere mich jeden Tag um 20 Uhr an die Tabletten", "22.11.26 20:00", "daily", "die Tabletten"),
        ("Erinnere mich am 27.11.2026 um 9.15 Uhr an Oma", "27.11.26 09:15", "", "Oma"),
        ("Rappelle-moi demain à 18h30 de sortir le chien", "23.11.26 18:30", "", "sortir le chien"),
        (
            "Rappelle-moi tous les lundis à 8h de sortir les poubelles",
            "23.11.26 08:00",
            "weekly",
            "sortir les poubelles",
        ),
        ("Recuérdame mañana a las 8 de la tarde que tengo cita", "23.11.26 20:00", "", "tengo cita"),
        ("Recuérdame los lunes a las 9 la basura", "23.11.26 09:00", "weekly", "la basura"),
        ("Me lembre na sexta às 9 de ligar para a mãe", "27.11.26 09:00", "", "ligar para a mãe"),
        ("Toda segunda às 9h me lembre de regar", "23.11.26 09:00", "weekly", "regar"),
        ("Ricordami tra 15 minuti di uscire", "22.11.26 14:35", "", "uscire"),
        ("Herinner me vrijdag om 9 uur aan de tandarts", "27.11.26 09:00", "", "de tandarts"),
        ("Bana cuma günü saat 9'da annemi aramayı hatırlat", "27.11.26 09:00", "", "annemi aramayı"),
        ("Przypomnij mi jutro o 18:30 o spotkaniu", "23.11.26 18:30", "", "spotkaniu"),
        ("Напомни мне в пятницу в 9 позвонить маме", "27.11.26 09:00", "", "позвонить маме"),
        ("Напомни завтра в 9 вечера вынести мусор", "23.11.26 21:00", "", "вынести мусор"),
        ("Напоминай каждый день в 8 пить таблетки", "23.11.26 08:00", "daily", "пить таблетки"),
        ("ذكرني يوم الجمعة الساعة 9 أن أتصل بأمي", "27.11.26 09:00", "", "أتصل بأمي"),
        ("ذكّرني غداً الساعة 8 مساءً بموعد الطبيب", "23.11.26 20:00", "", "بموعد الطبيب"),
        ("ذكرني بعد ساعتين أن أخرج", "22.11.26 16:20", "", "أخرج"),
        ("提醒我周五9点给妈妈打电话", "27.11.26 09:00", "", "给妈妈打电话"),
        ("明天下午三点提醒我开会", "23.11.26 15:00", "", "开会"),
        ("每月15日提醒我还款", "15.12.26 09:00", "monthly", "还款"),
        ("明日の午後3時に会議を知らせて", "23.11.26 15:00", "", "会議"),
        ("금요일 9시에 엄마에게 전화하라고 알려줘", "27.11.26 09:00", "", "엄마에게 전화"),
        ("Could you please remind me next Monday to pay rent?", "23.11.26 09:00", "", "pay rent"),
        ("Remind me next Sunday to call mum", "29.11.26 09:00", "", "call mum"),
        ("Erinnere mich nächsten Sonntag an Oma", "29.11.26 09:00", "", "Oma"),
        ("Recuérdame el próximo domingo llamar a Ana", "29.11.26 09:00", "", "llamar a Ana"),
        ("I need a reminder tomorrow at 8 to take my pills", "23.11.26 08:00", "", "take my pills"),
        (
            "Könntest du mich bitte morgen früh daran erinnern, den Müll rauszubringen?",
            "23.11.26 09:00",
            "",
            "den Müll rauszubringen",
        ),
        (
            "Ich möchte morgen um 7 erinnert werden, Tabletten zu nehmen.",
            "23.11.26 07:00",
            "",
            "Tabletten zu nehmen",
        ),
        ("Stell mir eine Erinnerung für morgen 8 Uhr: Zahnarzt", "23.11.26 08:00", "", "Zahnarzt"),
        ("Vergiss nicht, mich heute Abend an die Wäsche zu erinnern", "22.11.26 19:00", "", "die Wäsche"),
        ("¿Me puedes recordar dentro de media hora lo de la colada?", "22.11.26 14:50", "", "la colada"),
        ("Quiero que me recuerdes mañana a las 8 tomar la pastilla", "23.11.26 08:00", "", "tomar la pastilla"),
        ("Acuérdame mañana de pagar la luz", "23.11.26 09:00", "", "pagar la luz"),
        ("Можешь мне завтра в 8 напомнить про таблетки?", "23.11.26 08:00", "", "таблетки"),
        ("Поставь мне напоминание на пятницу в 18:00: тренировка", "27.11.26 18:00", "", "тренировка"),
        ("Podes lembrar-me amanhã de manhã de comprar pão?", "23.11.26 09:00", "", "comprar pão"),
        ("Me avisa amanhã às 8 para tomar o remédio", "23.11.26 08:00", "", "tomar o remédio"),
        ("别让我忘了明天下午三点开会", "23.11.26 15:00", "", "开会"),
        ("ذكرني كل يوم اثنين بإخراج القمامة", "23.11.26 09:00", "weekly", "بإخراج القمامة"),
    ],
)
def test_a_request(text: str, when: str, repeat: str, what: str) -> None:
    assert read(text) == (when, repeat, what)


@pytest.mark.parametrize(
    "text",
    [
        "Remind me what we said on Friday",
        "Can you remind me when we meet on Friday at 9?",
        "Напомни, что я говорил в пятницу",
        "¿Me recuerdas qué dije el viernes a las 9?",
        "Me olvidé de la cita del viernes a las 9",
        "Ich sag dir morgen um 9 Bescheid",
        "Я забыл, что завтра в 9 врач",
        "Remind me to buy milk",
        "I will remind him on Friday at 9",
        "What is 9 plus 10 on Friday?",
        "내일 날씨 알려줘",
        "明日の天気を教えて",
        "Remind me at 25:99 to leave",
        "Remind me in 999 months to leave",
        "remind me on February 30 to leave",
        "Remind me on 2020-01-01 to leave",
        "",
        "Remind me tomorrow " + "x" * LONGEST,
    ],
)
def test_no_request(text: str) -> None:
    assert read(text) is None


def test_after_a_command_no_words_of_asking_are_needed() -> None:
    assert read("on Friday at 9 call mum") is None
    assert read("on Friday at 9 call mum", asked=True) == ("27.11.26 09:00", "", "call mum")
    assert read("каждый понедельник в 10 отчёт", asked=True) == ("23.11.26 10:00", "weekly", "отчёт")
    assert read("on Friday at 9", asked=True) is None


def test_a_time_of_the_clock_is_told_from_a_distance() -> None:
    """The one follows its owner to another zone, the other does not."""
    clock, distance = wish("remind me at 17:00 to go", NOW), wish("remind me in 2 hours to go", NOW)
    assert clock is not None
    assert clock.local == datetime(2026, 11, 22, 17)  # noqa: DTZ001 - a wall clock has no zone
    assert clock.due_at == datetime(2026, 11, 22, 16, tzinfo=UTC)
    assert distance is not None
    assert distance.local is None


_LETTERS = "0123456789:. \n'aeinortuvhм чвдня每月日点時시일\u0651\u0308İßﷺ\U0001f600"


@given(
    st.text(_LETTERS, max_size=60), st.sampled_from(["remind me ", "напомни ", "提醒我", "ذكرني ", ""]), st.booleans()
)
def test_whatever_is_written_is_read_within_the_bounds(text: str, cue: str, asked: bool) -> None:
    found: Wish | None = wish(f"{cue}{text}", NOW, asked=asked)
    if found is not None:
        assert found.due_at > NOW
        assert 0 < len(found.text) <= LONGEST_REMINDER


_PARTS = "on at in every next Friday 31 9 5:30 pm day month weeks tomorrow tonight noon the 1st to call June 2026-02-30"


@given(st.lists(st.sampled_from(_PARTS.split()), max_size=12))
def test_words_of_times_in_any_order_are_read_within_the_bounds(parts: list[str]) -> None:
    found = wish("remind me " + " ".join(parts), NOW)
    assert found is None or found.due_at > NOW
