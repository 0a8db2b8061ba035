"""The plain forms of /reminders add in several languages: read in full, or refused with the words that were not."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locales.catalog import speak_in
from records.reminders import MAX_REMINDER_CHARS, ReminderWish
from reminders.phrases import NotUnderstood, read_phrase

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 22, 14, 20, tzinfo=BERLIN)  # a Sunday


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "on 3 December at 9:00 dentist", ("03.12.26 09:00", "", "dentist")),
        ("en", "on 14 June 2027 wedding", ("14.06.27 09:00", "", "wedding")),
        ("en", "3.12. 9:00 dentist", ("03.12.26 09:00", "", "dentist")),
        ("en", "every month on the 1st pay rent", ("01.12.26 09:00", "monthly", "pay rent")),
        ("en", "tomorrow at noon lunch", ("23.11.26 12:00", "", "lunch")),
        ("en", "am 3. Dezember um 9 Uhr Zahnarzt", ("03.12.26 09:00", "", "Zahnarzt")),
        ("de", "am 3. Dezember um 9 Uhr Zahnarzt", ("03.12.26 09:00", "", "Zahnarzt")),
        ("en", "in an hour call mum", ("22.11.26 15:20", "", "call mum")),
        ("en", "in 2 weeks dentist", ("06.12.26 14:20", "", "dentist")),
        ("en", "next Monday at 10 standup", ("23.11.26 10:00", "", "standup")),
        ("en", "tomorrow 9:00 call mum", ("23.11.26 09:00", "", "call mum")),
        ("en", "on Friday at 9 to call mum", ("27.11.26 09:00", "", "call mum")),
        ("en", "tomorrow at 7:30pm water the plants", ("23.11.26 19:30", "", "water the plants")),
        ("en", "in 20 minutes to stretch", ("22.11.26 14:40", "", "stretch")),
        ("en", "2026-12-01 8:15 vote", ("01.12.26 08:15", "", "vote")),
        ("en", "18:00 leave", ("22.11.26 18:00", "", "leave")),
        ("en", "9:00 leave", ("23.11.26 09:00", "", "leave")),
        ("en", "tomorrow buy milk", ("23.11.26 09:00", "", "buy milk")),
        ("en", "every Monday at 10 send the report", ("23.11.26 10:00", "weekly", "send the report")),
        ("en", "every day at 8 take my pills", ("23.11.26 08:00", "daily", "take my pills")),
        ("de", "jeden Montag um 10 den Bericht schicken", ("23.11.26 10:00", "weekly", "den Bericht schicken")),
        ("de", "morgen um 9 Uhr Oma anrufen", ("23.11.26 09:00", "", "Oma anrufen")),
        ("es", "cada lunes a las 10 enviar el informe", ("23.11.26 10:00", "weekly", "enviar el informe")),
        ("pt", "toda segunda às 10 enviar o relatório", ("23.11.26 10:00", "weekly", "enviar o relatório")),
        ("ru", "каждый понедельник в 10 отчёт", ("23.11.26 10:00", "weekly", "отчёт")),
        ("ru", "через 20 минут размяться", ("22.11.26 14:40", "", "размяться")),
        ("zh", "明天 9:00 开会", ("23.11.26 09:00", "", "开会")),
        ("ar", "غدا 9:00 اجتماع", ("23.11.26 09:00", "", "اجتماع")),
        ("de", "tomorrow 9:00 call mum", ("23.11.26 09:00", "", "call mum")),
        ("en", "31.12. at 9 celebrate", ("31.12.26 09:00", "", "celebrate")),
        ("es", "el 3 de diciembre a las 9 dentista", ("03.12.26 09:00", "", "dentista")),
        ("es", "el 14 de junio de 2027 boda", ("14.06.27 09:00", "", "boda")),
        ("es", "mañana a las 9 de la mañana dentista", ("23.11.26 09:00", "", "dentista")),
        ("es", "mañana al mediodía comer", ("23.11.26 12:00", "", "comer")),
        ("es", "dentro de 2 semanas dentista", ("06.12.26 14:20", "", "dentista")),
        ("es", "en una hora llamar a mamá", ("22.11.26 15:20", "", "llamar a mamá")),
        ("es", "el próximo lunes a las 10 reunión", ("23.11.26 10:00", "", "reunión")),
        ("es", "el lunes que viene a las 10 reunión", ("23.11.26 10:00", "", "reunión")),
        ("es", "cada mes el día 1 pagar el alquiler", ("01.12.26 09:00", "monthly", "pagar el alquiler")),
        ("es", "todos los días a las 8 pastillas", ("23.11.26 08:00", "daily", "pastillas")),
        ("es", "pasado mañana a las 9 dentista", ("24.11.26 09:00", "", "dentista")),
        ("es", "a las 9 de la noche cena", ("22.11.26 21:00", "", "cena")),
        ("de", "in einer Stunde Mama anrufen", ("22.11.26 15:20", "", "Mama anrufen")),
        ("de", "in 2 Wochen Zahnarzt", ("06.12.26 14:20", "", "Zahnarzt")),
        ("de", "in zwei Tagen Zahnarzt", ("24.11.26 14:20", "", "Zahnarzt")),
        ("de", "nächsten Montag um 10 Besprechung", ("23.11.26 10:00", "", "Besprechung")),
        ("de", "jeden Monat am 1. Miete zahlen", ("01.12.26 09:00", "monthly", "Miete zahlen")),
        ("de", "3.12. 9:00 Zahnarzt", ("03.12.26 09:00", "", "Zahnarzt")),
        ("de", "am 3.12. um 9 Zahnarzt", ("03.12.26 09:00", "", "Zahnarzt")),
        ("de", "am 3.12.2026 um 9:30 Uhr Zahnarzt", ("03.12.26 09:30", "", "Zahnarzt")),
        ("de", "morgen um 20 Uhr abends Kino", ("23.11.26 20:00", "", "Kino")),
        ("de", "morgen um 8 Uhr abends Kino", ("23.11.26 20:00", "", "Kino")),
        ("de", "übermorgen um 9 Uhr Zahnarzt", ("24.11.26 09:00", "", "Zahnarzt")),
        ("de", "am Mittwoch um 9 Zahnarzt", ("25.11.26 09:00", "", "Zahnarzt")),
        ("ru", "3 декабря в 9:00 стоматолог", ("03.12.26 09:00", "", "стоматолог")),
        ("ru", "14 июня 2027 свадьба", ("14.06.27 09:00", "", "свадьба")),
        ("ru", "14 июня 2027 года свадьба", ("14.06.27 09:00", "", "свадьба")),
        ("ru", "через час позвонить маме", ("22.11.26 15:20", "", "позвонить маме")),
        ("ru", "через 2 недели стоматолог", ("06.12.26 14:20", "", "стоматолог")),
        ("ru", "через неделю стоматолог", ("29.11.26 14:20", "", "стоматолог")),
        ("ru", "в следующий понедельник в 10 планёрка", ("23.11.26 10:00", "", "планёрка")),
        ("ru", "завтра в полдень обед", ("23.11.26 12:00", "", "обед")),
        ("ru", "каждый месяц 1-го числа платить за квартиру", ("01.12.26 09:00", "monthly", "платить за квартиру")),
        ("ru", "каждую среду в 19:00 бассейн", ("25.11.26 19:00", "weekly", "бассейн")),
        ("ru", "в пятницу в 8 вечера кино", ("27.11.26 20:00", "", "кино")),
        ("ru", "03.12.2026 9:00 врач", ("03.12.26 09:00", "", "врач")),
        ("en", "tomorrow at 9 buy 3 eggs", ("23.11.26 09:00", "", "buy 3 eggs")),
        ("en", "12/25 9:00 x", ("25.12.26 09:00", "", "x")),
        ("en", "25/12 9:00 x", ("25.12.26 09:00", "", "x")),
        ("en", "tomorrow at 9 in the evening cinema", ("23.11.26 21:00", "", "cinema")),
        ("en", "on the 1st at 10 rent", ("01.12.26 10:00", "", "rent")),
        ("en", "on December 3rd at 9am dentist", ("03.12.26 09:00", "", "dentist")),
        ("en", "December 3, 2027 9am dentist", ("03.12.27 09:00", "", "dentist")),
        ("en", "Dec 3 9:00 dentist", ("03.12.26 09:00", "", "dentist")),
        ("en", "Friday 4 December 9:00 x", ("04.12.26 09:00", "", "x")),
        ("en", "at 9 tomorrow call", ("23.11.26 09:00", "", "call")),
        ("en", "tomorrow at midnight x", ("23.11.26 00:00", "", "x")),
        ("en", "today at midnight x", ("23.11.26 00:00", "", "x")),
        ("en", "day after tomorrow at 9 x", ("24.11.26 09:00", "", "x")),
        ("en", "tomorrow at 9 ask if I may go", ("23.11.26 09:00", "", "ask if I may go")),
        ("en", "in 1 hour stretch 3", ("22.11.26 15:20", "", "stretch 3")),
        ("en", "in 2 hours to do thing 0", ("22.11.26 16:20", "", "do thing 0")),
        ("en", "in 20 minutes 3D print it", ("22.11.26 14:40", "", "3D print it")),
        ("en", "tomorrow at 9 2FA reset", ("23.11.26 09:00", "", "2FA reset")),
        ("en", "tomorrow at 9 meet 4711", ("23.11.26 09:00", "", "meet 4711")),
        ("en", "in two hours x", ("22.11.26 16:20", "", "x")),
        ("en", "on 3.12 at 9 x", ("03.12.26 09:00", "", "x")),
        ("en", "tomorrow 9.30 dentist", ("23.11.26 09:30", "", "dentist")),
        ("en", "by Friday send it", ("27.11.26 09:00", "", "send it")),
        ("en", "on the 3rd of December at 9 dentist", ("03.12.26 09:00", "", "dentist")),
        ("zh", "12月3日 9:00 看牙", ("03.12.26 09:00", "", "看牙")),
        ("zh", "明天上午9点 开会", ("23.11.26 09:00", "", "开会")),
        ("pt", "em 2 semanas dentista", ("06.12.26 14:20", "", "dentista")),
        ("pt", "no dia 3 de dezembro às 9 dentista", ("03.12.26 09:00", "", "dentista")),
        ("ar", "بعد 20 دقيقة تمدد", ("22.11.26 14:40", "", "تمدد")),
        ("ru", "в пятницу в 9 позвонить Ане", ("27.11.26 09:00", "", "позвонить Ане")),
        ("pt", "na sexta às 9 ligar para a Ana", ("27.11.26 09:00", "", "ligar para a Ana")),
        ("ar", "كل يوم 8:00 الدواء", ("23.11.26 08:00", "daily", "الدواء")),
        ("ar", "3 ديسمبر 9:00 طبيب الأسنان", ("03.12.26 09:00", "", "طبيب الأسنان")),
        ("zh", "每天 8:00 吃药", ("23.11.26 08:00", "daily", "吃药")),
        ("es", "el viernes a las 9 llamar a Ana", ("27.11.26 09:00", "", "llamar a Ana")),
        ("de", "3.12. um 9 Zahnarzt", ("03.12.26 09:00", "", "Zahnarzt")),
        ("ru", "в 9 утра 3 декабря врач", ("03.12.26 09:00", "", "врач")),
        ("en", "next Friday noon lunch", ("27.11.26 12:00", "", "lunch")),
        ("en", "in 90 min stretch", ("22.11.26 15:50", "", "stretch")),
        ("en", "on the 31st rent", ("31.12.26 09:00", "", "rent")),
        ("en", "at 12 pm lunch", ("23.11.26 12:00", "", "lunch")),
        ("en", "at 12 noon lunch", ("23.11.26 12:00", "", "lunch")),
        ("en", "at 12 am sleep", ("23.11.26 00:00", "", "sleep")),
        ("es", "a las 12 del mediodía comer", ("23.11.26 12:00", "", "comer")),
        ("es", "a las 9 esta noche cena", ("22.11.26 21:00", "", "cena")),
        ("de", "um 8 heute Abend Kino", ("22.11.26 20:00", "", "Kino")),
        ("en", "29 February leap", ("29.02.28 09:00", "", "leap")),
        ("ru", "29 февраля праздник", ("29.02.28 09:00", "", "праздник")),
        ("en", "at 17h call", ("22.11.26 17:00", "", "call")),
        ("en", "at 3 o’clock in the afternoon call", ("22.11.26 15:00", "", "call")),
        ("en", "at ９：３０ call", ("23.11.26 09:30", "", "call")),
        ("en", "tomor\u200brow at 9\u200b:30 call", ("23.11.26 09:30", "", "call")),
        ("en", "2026-12-03T15:00 dentist", ("03.12.26 15:00", "", "dentist")),
        ("en", "Thursday, December 3 at 9 dentist", ("03.12.26 09:00", "", "dentist")),
        ("es", "a las 9 pm cena", ("22.11.26 21:00", "", "cena")),
        ("de", "um 8 am Freitag Arzt", ("27.11.26 08:00", "", "Arzt")),
        ("ru", "31 числа платить", ("31.12.26 09:00", "", "платить")),
        ("pt", "todos os dias às 8 remédio", ("23.11.26 08:00", "daily", "remédio")),
        ("zh", "31号 交房租", ("31.12.26 09:00", "", "交房租")),
    ],
)
def test_a_time_is_read_in_full(language: str, text: str, expected: tuple[str, str, str]) -> None:
    with speak_in(language):
        found = read_phrase(text, NOW)
    assert isinstance(found, ReminderWish), found
    assert (f"{found.due_at.astimezone(BERLIN):%d.%m.%y %H:%M}", found.repeat, found.text) == expected


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("en", "on Monday the 7th at 9 dentist", "the 7th at 9"),
        ("en", "at half past eight dentist", "at half past eight"),
        ("en", "tomorrow at half past eight dentist", "at half past eight"),
        ("en", "every weekday at 7 get up", "every weekday at 7"),
        ("en", "whenever you like", "whenever you"),
        ("en", "buy milk", "buy milk"),
        ("en", "Monday mornings are hard", "Monday mornings"),
        ("en", "on Friday at 9", ""),
        ("en", "every 9:00 x", "every 9:00"),
        ("es", "a las ocho y media dentista", "y media"),
        ("es", "mañana a las ocho y media dentista", "y media"),
        ("de", "um halb neun Zahnarzt", "um halb neun"),
        ("de", "morgen um halb neun Zahnarzt", "um halb neun"),
        ("de", "morgen um 9 Uhr 30 Zahnarzt", "30"),
        ("de", "jeden Werktag um 7 aufstehen", "jeden Werktag um 7"),
        ("ru", "в половине девятого стоматолог", "в половине"),
        ("ru", "завтра в половине девятого стоматолог", "в половине"),
        ("ru", "по понедельникам в 10 отчёт", "по понедельникам в 10"),
        ("ru", "каждый будний день в 7 вставать", "каждый будний день в 7"),
        ("ru", "завтра без четверти девять врач", "девять"),
        ("en", "tomorrow buy 3 eggs", "3"),
        ("en", "tomorrow at 9 and 17 pills", "and 17"),
        ("en", "in an hour and a half call mum", "and a"),
        ("en", "12/3 9:00 x", "12/3"),
        ("en", "tomorrow evening cinema", "evening"),
        ("en", "tomorrow at 9 EST call", "EST"),
        ("en", "every 2 days at 8 pills", "every 2 days at 8"),
        ("en", "every hour drink", "every hour"),
        ("en", "every year on 3 May birthday", "every year on 3 May"),
        ("en", "in 3 fortnights x", "in 3"),
        ("en", "8:00 every weekday x", "8:00 every weekday"),
        ("en", "call mum tomorrow at 9", "call mum tomorrow at 9"),
        ("en", "tomorrow at 9 dentist on 4 December", "December"),
        ("en", "Monday at 10 or Tuesday at 11 call", "or Tuesday at 11"),
        ("en", "in 1.5 hours x", "in 1.5 hours"),
        ("en", "tomorrow at 10-11 x", "at 10-11"),
        ("en", "3.12 dentist", "3.12"),
        ("en", "on Monday mornings at 9 gym", "mornings"),
        ("en", "every other day at 9 x", "every other day at 9"),
        ("en", "every second Tuesday at 9 x", "every second Tuesday at 9"),
        ("en", "every Monday and Wednesday at 8 gym", "and Wednesday at 8"),
        ("es", "el 3 pagar", "el 3"),
        ("es", "el día 31 pagar", "el día 31"),
        ("en", "on the 3 dentist", "on the 3"),
        ("en", "at 7 tonight call mum", "tonight"),
        ("en", "at 9 daily pills", "daily"),
        ("de", "um 8 werktags aufstehen", "werktags"),
        ("es", "a las 8 diariamente pastillas", "diariamente"),
        ("ru", "в 8 ежедневно таблетки", "ежедневно"),
        ("ru", "в 8 вечером кино", "вечером"),
        ("zh", "8点今晚 开会", "今晚"),
        ("de", "um 8 Freitagabend Kino", "Freitagabend"),
        ("en", "tomorrow at nine thirty call", "thirty"),
        ("ru", "завтра в девять тридцать врач", "тридцать"),
        ("en", "in 2 weeks at 9 dentist", "at 9"),
        ("de", "in 2 Wochen um 9 Zahnarzt", "um 9"),
        ("en", "every other Tuesday bins", "every other Tuesday"),
        ("en", "in 1h 30m call", "30m"),
        ("en", "at 9 to call mum at 10", "10"),
        ("en", "tomorrow at 9 or 10 call", "or 10"),
        ("en", "from 9 to 10 meeting", "10"),
        ("en", "at 10 past 9 call", "9"),
        ("en", "tomorrow 9-10 meeting", "9-10"),
        ("en", "tomorrow@10 call", "@10"),
        ("en", "at 9ish call", "9ish"),
        ("en", "tomorrow at 9 PST call", "PST"),
        ("en", "tomorrow at 9pm ET call", "ET"),
        ("en", "2026-12-03T09:00+02:00 call", "+02:00"),
        ("de", "morgen früh Arzt", "früh"),
        ("de", "morgen um 9 Anna um 10 anrufen", "10"),
        ("de", "morgen um 9 bis 10 Sport", "10"),
        ("es", "a las nueve menos cuarto cena", "menos"),
        ("es", "los lunes a las 9 basura", "los lunes a las 9"),
        ("es", "mañana temprano médico", "temprano"),
        ("ru", "завтра в 9 мск врач", "мск"),
        ("ru", "завтра в 9 или 10 врач", "или 10"),
        ("zh", "明天下午三点半 开会", "下午三点半"),
        ("zh", "明天下午3点半 开会", "半"),
        ("zh", "明天下午3点30分 开会", "30分"),
        ("zh", "明天中午 吃饭", "中午"),
        ("zh", "明天9点或10点 开会", "或10点"),
    ],
)
def test_a_word_of_time_that_is_left_over_is_named_and_sets_nothing(language: str, text: str, words: str) -> None:
    with speak_in(language):
        assert read_phrase(text, NOW) == NotUnderstood(words=words)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("at 25 leave", "none"),
        ("tomorrow at 25:61 leave", "none"),
        ("tomorrow at 25.61 leave", "none"),
        ("at 25:99 leave", "none"),
        ("2026-02-30 9:00 leave", "none"),
        ("9999-12-31 23:59 leave", "far"),
        ("in 99999 days leave", "far"),
        ("2020-01-01 9:00 leave", "passed"),
        ("today 9:00 leave", "passed"),
        ("in 0 minutes leave", "passed"),
        ("on 31 February at 9 x", "none"),
        ("Thursday 4 December 9:00 x", "none"),
        ("on 29 February 2027 x", "none"),
        ("on 28 March 2027 at 2:30 x", "none"),
    ],
)
def test_a_time_that_cannot_be_is_no_other_time(text: str, why: str) -> None:
    assert read_phrase(text, NOW) == why


def test_a_time_of_the_clock_is_told_from_a_distance() -> None:
    """The one follows its owner to another zone, the other does not."""
    clock, distance = read_phrase("17:00 go", NOW), read_phrase("in 2 hours go", NOW)
    assert isinstance(clock, ReminderWish)
    assert clock.local == datetime(2026, 11, 22, 17)  # noqa: DTZ001 - a wall clock has no zone
    assert clock.due_at == datetime(2026, 11, 22, 16, tzinfo=UTC)
    assert isinstance(distance, ReminderWish)
    assert distance.local is None


_PARTS = "on at in every next Friday 31 9 5:30 pm day week minutes tomorrow noon the 1st to call 2026-02-30 ２ 99:99"


@given(st.lists(st.sampled_from(_PARTS.split()), max_size=12))
def test_words_of_times_in_any_order_are_read_within_the_bounds(parts: list[str]) -> None:
    found = read_phrase(" ".join(parts), NOW)
    assert not isinstance(found, ReminderWish) or (found.due_at > NOW and 0 < len(found.text) <= MAX_REMINDER_CHARS)
