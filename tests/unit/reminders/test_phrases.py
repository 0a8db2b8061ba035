"""Phrases of `/reminders add` in several languages are parsed fully or refused, naming the unparsed words."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locales.catalog import use_language
from records.reminders import MAX_REMINDER_CHARS, NewReminder
from reminders.phrases import UncertainReminder, parse_reminder_phrase
from tests.support.processor_time import count_units

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 22, 14, 20, tzinfo=BERLIN)  # a Sunday


def read_reminder(language: str, text: str) -> tuple[str, str, str]:
    """Parse a phrase that sets a reminder. Return its time in Berlin, how often it repeats, and its text."""
    with use_language(language):
        found = parse_reminder_phrase(text, NOW)
    assert isinstance(found, NewReminder), found
    return f"{found.due_at.astimezone(BERLIN):%d.%m.%y %H:%M}", found.repeat, found.text


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
        ("ru", "в 9 заказать столик на 8", ("23.11.26 09:00", "", "заказать столик на 8")),
        ("fr", "le jeudi 3 décembre à 15h réunion", ("03.12.26 15:00", "", "réunion")),
        ("en", "in 2 weeks dentist", ("06.12.26 14:20", "", "dentist")),
        ("en", "next Monday at 10 standup", ("23.11.26 10:00", "", "standup")),
        ("en", "next Sunday at 18:00 dinner", ("29.11.26 18:00", "", "dinner")),  # not today
        ("en", "next Sunday, 6 December at 18:00 dinner", ("06.12.26 18:00", "", "dinner")),
        ("en", "on Sunday at 18:00 dinner", ("22.11.26 18:00", "", "dinner")),
        ("de", "nächsten Sonntag um 18 Uhr Essen", ("29.11.26 18:00", "", "Essen")),
        ("es", "el próximo domingo a las 18 cena", ("29.11.26 18:00", "", "cena")),
        ("es", "el domingo que viene a las 18 cena", ("29.11.26 18:00", "", "cena")),
        ("ru", "в следующее воскресенье в 18 ужин", ("29.11.26 18:00", "", "ужин")),
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
        ("pt", "aos sábados às 10 limpar", ("28.11.26 10:00", "weekly", "limpar")),
        ("pt", "aos domingos às 10 ligar", ("29.11.26 10:00", "weekly", "ligar")),
        ("de", "um 9 Uhr 30, Zahnarzt", ("23.11.26 09:30", "", "Zahnarzt")),
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
        ("en", "at 9 o clock pm call", ("22.11.26 21:00", "", "call")),
        ("zh", "明天8点钟 开会", ("23.11.26 08:00", "", "开会")),
        ("ru", "завтра в 9 встреча с Аней", ("23.11.26 09:00", "", "встреча с Аней")),
        ("zh", "31号 交房租", ("31.12.26 09:00", "", "交房租")),
        ("de", "um 19:30 am Fr, 4. Dez. Kino", ("04.12.26 19:30", "", "Kino")),
        ("de", "um 12 am Freitag Essen", ("27.11.26 12:00", "", "Essen")),
        ("ar", "3/12 الساعة 9 طبيب", ("03.12.26 09:00", "", "طبيب")),
        ("ar", "15/12 الساعة 9 طبيب", ("15.12.26 09:00", "", "طبيب")),
        ("ar", "غداً الساعة ٩ طبيب", ("23.11.26 09:00", "", "طبيب")),
        ("en", "tomorrow, 9:00: dentist", ("23.11.26 09:00", "", "dentist")),
        ("ru", "к 9 часам врач", ("23.11.26 09:00", "", "врач")),
        ("pt", "amanhã 17h reunião", ("23.11.26 17:00", "", "reunião")),
        ("pt", "14h30 reunião", ("22.11.26 14:30", "", "reunião")),
        ("pt", "9h reunião", ("23.11.26 09:00", "", "reunião")),
        ("es", "9h reunión", ("23.11.26 09:00", "", "reunión")),
        ("en", "at 7 tonight call mum", ("22.11.26 19:00", "", "call mum")),
        ("en", "this evening at 8 cinema", ("22.11.26 20:00", "", "cinema")),
        ("en", "tonight at 11 take the pill", ("22.11.26 23:00", "", "take the pill")),
        ("en", "tonight at 5 call mum", ("22.11.26 17:00", "", "call mum")),
        ("en", "at midnight tonight lock up", ("23.11.26 00:00", "", "lock up")),
        ("ar", "الليلة الساعة 6 مباراة", ("22.11.26 18:00", "", "مباراة")),
        ("en", "tonight at 5pm call mum", ("22.11.26 17:00", "", "call mum")),
        ("en", "tomorrow at 9 to that shop", ("23.11.26 09:00", "", "that shop")),
        ("en", "tomorrow evening at 8 cinema", ("23.11.26 20:00", "", "cinema")),
        ("de", "morgen Abend um 8 Kino", ("23.11.26 20:00", "", "Kino")),
        ("de", "am Samstag abend um 20 Uhr Kino", ("28.11.26 20:00", "", "Kino")),
        ("es", "mañana por la tarde a las 5 llamar", ("23.11.26 17:00", "", "llamar")),
        ("es", "a las doce del mediodía comer", ("23.11.26 12:00", "", "comer")),
        ("pt", "hoje à noite às 9 ligar", ("22.11.26 21:00", "", "ligar")),
        ("ru", "завтра утром в 8 врач", ("23.11.26 08:00", "", "врач")),
        ("ru", "в 8 вечером кино", ("22.11.26 20:00", "", "кино")),
        ("zh", "今晚8点看电影", ("22.11.26 20:00", "", "看电影")),
        ("ar", "غدا مساء الساعة 8 اتصل", ("23.11.26 20:00", "", "اتصل")),
        ("en", "2026-12-03T09:00:00 vote", ("03.12.26 09:00", "", "vote")),
        ("en", "at 9 London trip packing", ("23.11.26 09:00", "", "London trip packing")),
        ("en", "tomorrow at 9 buy Christmas presents", ("23.11.26 09:00", "", "buy Christmas presents")),
        ("en", "tomorrow at 9 on Zoom with Bob", ("23.11.26 09:00", "", "on Zoom with Bob")),
        ("ru", "в 9 на работу", ("23.11.26 09:00", "", "на работу")),
        ("ru", "завтра днём в 3 врач", ("23.11.26 15:00", "", "врач")),
        ("de", "morgen früh um 7 laufen", ("23.11.26 07:00", "", "laufen")),
        ("de", "um 9.00 Uhr anrufen", ("23.11.26 09:00", "", "anrufen")),
        ("de", "9:15h anrufen", ("23.11.26 09:15", "", "anrufen")),
        ("de", "um 9:15h anrufen", ("23.11.26 09:15", "", "anrufen")),
        ("en", "at 21.00 call", ("22.11.26 21:00", "", "call")),
        ("en", "tomorrow at 9 🎂", ("23.11.26 09:00", "", "🎂")),
        ("en", "7:00 Wake up kids", ("23.11.26 07:00", "", "Wake up kids")),
        ("es", "9:00 Reunión con Ana", ("23.11.26 09:00", "", "Reunión con Ana")),
        ("zh", "星期天10点买菜", ("29.11.26 10:00", "", "买菜")),
        ("en", "Friday evening at 8 cinema", ("27.11.26 20:00", "", "cinema")),
        ("en", "remind me tomorrow at 9 to call mum", ("23.11.26 09:00", "", "call mum")),
        ("en", "at half past eight dentist", ("23.11.26 08:30", "", "dentist")),
        ("en", "tomorrow at half past eight dentist", ("23.11.26 08:30", "", "dentist")),
        ("es", "a las ocho y media dentista", ("23.11.26 08:30", "", "dentista")),
        ("es", "mañana a las ocho y media dentista", ("23.11.26 08:30", "", "dentista")),
        ("de", "um halb neun Zahnarzt", ("23.11.26 08:30", "", "Zahnarzt")),
        ("de", "morgen um halb neun Zahnarzt", ("23.11.26 08:30", "", "Zahnarzt")),
        ("ru", "в половине девятого стоматолог", ("23.11.26 08:30", "", "стоматолог")),
        ("ru", "завтра в половине девятого стоматолог", ("23.11.26 08:30", "", "стоматолог")),
        ("ru", "по понедельникам в 10 отчёт", ("23.11.26 10:00", "weekly", "отчёт")),
        ("ru", "завтра без четверти девять врач", ("23.11.26 08:45", "", "врач")),
        ("en", "in an hour and a half call mum", ("22.11.26 15:50", "", "call mum")),
        ("en", "in 1.5 hours x", ("22.11.26 15:50", "", "x")),
        ("es", "a las 8 diariamente pastillas", ("23.11.26 08:00", "daily", "pastillas")),
        ("ru", "в 8 ежедневно таблетки", ("23.11.26 08:00", "daily", "таблетки")),
        ("en", "tomorrow at nine thirty call", ("23.11.26 09:30", "", "call")),
        ("ru", "завтра в девять тридцать врач", ("23.11.26 09:30", "", "врач")),
        ("en", "in 1h 30m call", ("22.11.26 15:50", "", "call")),
        ("es", "a las nueve menos cuarto cena", ("23.11.26 08:45", "", "cena")),
        ("es", "los lunes a las 9 basura", ("23.11.26 09:00", "weekly", "basura")),
        ("zh", "明天下午三点半 开会", ("23.11.26 15:30", "", "开会")),
        ("zh", "明天下午3点半 开会", ("23.11.26 15:30", "", "开会")),
        ("zh", "明天下午3点30分 开会", ("23.11.26 15:30", "", "开会")),
        ("ru", "завтра в 9 с половиной врач", ("23.11.26 09:30", "", "врач")),
        ("ar", "غدا الساعة 9 والنصف أمي", ("23.11.26 09:30", "", "أمي")),
        ("ar", "الساعة 9 إلا ربع أمي", ("23.11.26 08:45", "", "أمي")),
        ("ar", "الساعة 9 وثلث أمي", ("23.11.26 09:20", "", "أمي")),
        ("en", "in 2 weeks at 9 dentist", ("06.12.26 09:00", "", "dentist")),
        ("de", "in 2 Wochen um 9 Zahnarzt", ("06.12.26 09:00", "", "Zahnarzt")),
        ("es", "en 3 días a las 10 médico", ("25.11.26 10:00", "", "médico")),
        ("ru", "через 3 дня в 10 врач", ("25.11.26 10:00", "", "врач")),
        ("zh", "三天后上午9点开会", ("25.11.26 09:00", "", "开会")),
        ("ar", "بعد 3 أيام الساعة 9 طبيب", ("25.11.26 09:00", "", "طبيب")),
        ("zh", "大后天9点开会", ("25.11.26 09:00", "", "开会")),
        ("de", "überübermorgen um 9 Zahnarzt", ("25.11.26 09:00", "", "Zahnarzt")),
        ("ru", "послепослезавтра в 9 врач", ("25.11.26 09:00", "", "врач")),
        ("zh", "明天零点出发", ("23.11.26 00:00", "", "出发")),
        ("zh", "9点30 开会", ("23.11.26 09:30", "", "开会")),
        ("en", "this afternoon at 5 call", ("22.11.26 17:00", "", "call")),
        ("de", "um 5 diesen Nachmittag anrufen", ("22.11.26 17:00", "", "anrufen")),
        ("es", "esta tarde a las 5 llamar", ("22.11.26 17:00", "", "llamar")),
        ("ru", "утром в 8 врач", ("23.11.26 08:00", "", "врач")),
        ("es", "por la tarde a las 5 llamar", ("22.11.26 17:00", "", "llamar")),
        ("en", "the 1st of every month at 9 rent", ("01.12.26 09:00", "monthly", "rent")),
        ("es", "el 31 de cada mes alquiler", ("31.12.26 09:00", "monthly", "alquiler")),
        ("pt", "no dia 1 de cada mês aluguel", ("01.12.26 09:00", "monthly", "aluguel")),
        ("zh", "每月1日9点交房租", ("01.12.26 09:00", "monthly", "交房租")),
        ("en", "tonight at midnight lock the door", ("23.11.26 00:00", "", "lock the door")),
        ("en", "this evening at eight cinema", ("22.11.26 20:00", "", "cinema")),
        ("en", "tomorrow evening at eight cinema", ("23.11.26 20:00", "", "cinema")),
        ("en", "every evening at nine take the pill", ("22.11.26 21:00", "daily", "take the pill")),
        ("de", "heute Abend um acht Oma anrufen", ("22.11.26 20:00", "", "Oma anrufen")),
        ("de", "morgen früh um sechs laufen", ("23.11.26 06:00", "", "laufen")),
        ("ru", "сегодня вечером в восемь позвонить бабушке", ("22.11.26 20:00", "", "позвонить бабушке")),
        ("es", "mañana por la mañana a las seis correr", ("23.11.26 06:00", "", "correr")),
        ("es", "mañana por la mañana a las once reunión", ("23.11.26 11:00", "", "reunión")),
        ("es", "el viernes a las once reunión", ("27.11.26 11:00", "", "reunión")),
        ("pt", "amanhã à noite às oito ligar para a avó", ("23.11.26 20:00", "", "ligar para a avó")),
        ("es", "esta noche a las nueve cena", ("22.11.26 21:00", "", "cena")),
        ("en", "this afternoon at five call", ("22.11.26 17:00", "", "call")),
        ("en", "in 2 hrs stretch", ("22.11.26 16:20", "", "stretch")),
        ("en", "demain à 9h dentiste", ("23.11.26 09:00", "", "dentiste")),
        ("en", "à 9 heures du soir appeler Anne", ("22.11.26 21:00", "", "appeler Anne")),
        ("en", "dans une demi-heure appeler Anne", ("22.11.26 14:50", "", "appeler Anne")),
        ("en", "le 1er de chaque mois à 9h loyer", ("01.12.26 09:00", "monthly", "loyer")),
        ("en", "le 3 décembre à huit heures et demie dentiste", ("03.12.26 08:30", "", "dentiste")),
        ("en", "tous les lundis à 9h envoyer le rapport", ("23.11.26 09:00", "weekly", "envoyer le rapport")),
        ("de", "um 9 an Tom schreiben", ("23.11.26 09:00", "", "an Tom schreiben")),
        ("en", "tomorrow at 9 midi keyboard", ("23.11.26 09:00", "", "midi keyboard")),
        ("ar", "الساعة 9 م اتصل", ("22.11.26 21:00", "", "اتصل")),
        ("en", "à une heure du matin aller chercher Anne", ("23.11.26 01:00", "", "aller chercher Anne")),
        ("es", "a las 2 de la mañana tomar pastilla", ("23.11.26 02:00", "", "tomar pastilla")),
        ("de", "um 1 Uhr morgens abholen", ("23.11.26 01:00", "", "abholen")),
        ("en", "on Monday the 7th at 9 dentist", ("07.12.26 09:00", "", "dentist")),
        ("en", "remind me tonight at 5:30 p.m. to pick up the kids", ("22.11.26 17:30", "", "pick up the kids")),
        ("en", "at 5:30 p.m. tonight to pick up the kids", ("22.11.26 17:30", "", "pick up the kids")),
        ("ru", "2026/12/31 23:59 съесть мандаринку", ("31.12.26 23:59", "", "съесть мандаринку")),
        ("zh", "2026年12月5日上午9点打电话", ("05.12.26 09:00", "", "打电话")),
        ("pt", "27-11-2026 9:00 ligar", ("27.11.26 09:00", "", "ligar")),
        ("ar", "الاربعاء الساعة 9 طبيب", ("25.11.26 09:00", "", "طبيب")),
        ("es", "a las 9 manana llamar a Ana", ("23.11.26 09:00", "", "llamar a Ana")),
        ("de", "ubermorgen um 9 Zahnarzt", ("24.11.26 09:00", "", "Zahnarzt")),
        ("fr", "à 9h apres-demain appeler Anne", ("24.11.26 09:00", "", "appeler Anne")),
        ("en", "on thurs at 9 call", ("26.11.26 09:00", "", "call")),
        ("en", "on Sept 5 at 9 call", ("05.09.27 09:00", "", "call")),
        ("en", "on Friday 9:15 noon prayer", ("27.11.26 09:15", "", "prayer")),
        ("en", "at 9 buy 2.5 kg of potatoes", ("23.11.26 09:00", "", "buy 2.5 kg of potatoes")),
        ("de", "um 14 Uhr Dienst", ("23.11.26 14:00", "", "Dienst")),
        ("ru", "в 9 завтро позвонить Ане", ("23.11.26 09:00", "", "позвонить Ане")),
        ("en", "at 9 sundae with kids", ("23.11.26 09:00", "", "sundae with kids")),
        ("en", "at 9 call Mary", ("23.11.26 09:00", "", "call Mary")),
        ("de", "um 9 in die Uni", ("23.11.26 09:00", "", "in die Uni")),
        ("es", "a las 9 comprar una manzana", ("23.11.26 09:00", "", "comprar una manzana")),
        ("pt", "às 9 ligar para Amanda", ("23.11.26 09:00", "", "ligar para Amanda")),
        ("ru", "в 9 среднее посчитать", ("23.11.26 09:00", "", "среднее посчитать")),
        ("ar", "الساعة 9 في الجامعة", ("23.11.26 09:00", "", "في الجامعة")),
        ("fr", "à 9h appeler mon mari", ("23.11.26 09:00", "", "appeler mon mari")),
        ("en", "at 9 $50 to Ann", ("23.11.26 09:00", "", "$50 to Ann")),
        ("en", "at 9 do 50/50", ("23.11.26 09:00", "", "do 50/50")),
        ("es", "a las 9 de la mañana de lunes a viernes llamar", ("23.11.26 09:00", "weekly", "llamar")),
        ("pt", "às 7 da noite de segunda a sexta tomar remédio", ("23.11.26 19:00", "weekly", "tomar remédio")),
        ("de", "morgen um 9 zum Amt", ("23.11.26 09:00", "", "zum Amt")),
        ("de", "um 9 Sport, z. B. Joggen", ("23.11.26 09:00", "", "Sport, z. B. Joggen")),
        ("es", "a las 9 renovar dominio", ("23.11.26 09:00", "", "renovar dominio")),
        ("de", "um 9 3 Eier kaufen", ("23.11.26 09:00", "", "3 Eier kaufen")),
        ("de", "in 45 Minuten zwei Kapitel lesen", ("22.11.26 15:05", "", "zwei Kapitel lesen")),
        ("en", "at 6pm 2 tablets of ibuprofen", ("22.11.26 18:00", "", "2 tablets of ibuprofen")),
        ("es", "el 15 a las 9 pagar la luz", ("15.12.26 09:00", "", "pagar la luz")),
        ("pt", "dia 15 às 9 pagar a luz", ("15.12.26 09:00", "", "pagar a luz")),
        ("fr", "le 15 à 9h payer le loyer", ("15.12.26 09:00", "", "payer le loyer")),
        ("ar", "يوم 15 الساعة 9 دفع الفاتورة", ("15.12.26 09:00", "", "دفع الفاتورة")),
        ("ru", "в 9 позвонить Марте", ("23.11.26 09:00", "", "позвонить Марте")),
        ("ru", "через 3 ч проверить духовку", ("22.11.26 17:20", "", "проверить духовку")),
        ("en", "monthly on the 15th at 10 pay rent", ("15.12.26 10:00", "monthly", "pay rent")),
        ("de", "monatlich am 15. um 10 Miete zahlen", ("15.12.26 10:00", "monthly", "Miete zahlen")),
        ("es", "mensualmente el día 15 a las 10 alquiler", ("15.12.26 10:00", "monthly", "alquiler")),
        ("pt", "mensalmente no dia 15 às 10 aluguel", ("15.12.26 10:00", "monthly", "aluguel")),
        ("ru", "ежемесячно 15 числа в 10 аренда", ("15.12.26 10:00", "monthly", "аренда")),
        ("zh", "周五 看牙", ("27.11.26 09:00", "", "看牙")),
        ("de", "morgen dem Hund die Tablette geben", ("23.11.26 09:00", "", "dem Hund die Tablette geben")),
        ("ru", "в четверть восьмого покормить кота", ("23.11.26 07:15", "", "покормить кота")),
        ("es", "a medianoche enviar el formulario", ("23.11.26 00:00", "", "enviar el formulario")),
        ("pt", "nesta quinta às 19:00 coral", ("26.11.26 19:00", "", "coral")),
        ("ar", "هذا الخميس الساعة 7 مساء الجوقة", ("26.11.26 19:00", "", "الجوقة")),
        ("de", "um eins Mittag essen", ("23.11.26 13:00", "", "essen")),
        ("es", "a la una comer con Luis", ("23.11.26 01:00", "", "comer con Luis")),
        ("pt", "amanhã à uma da tarde almoço", ("23.11.26 13:00", "", "almoço")),
        ("pt", "amanhã pedir a uma amiga o livro", ("23.11.26 09:00", "", "pedir a uma amiga o livro")),
        ("pt", "às 9 ir a uma festa", ("23.11.26 09:00", "", "ir a uma festa")),
        ("es", "a la una y media comer con Luis", ("23.11.26 01:30", "", "comer con Luis")),
        ("es", "mañana a la una menos cuarto comer", ("23.11.26 12:45", "", "comer")),
        ("en", "in a fortnight renew passport", ("06.12.26 14:20", "", "renew passport")),
        ("de", "am 3.Dezember 9 Uhr Zahnarzt", ("03.12.26 09:00", "", "Zahnarzt")),
        ("de", "in vierzehn Tagen Blumen umtopfen", ("06.12.26 14:20", "", "Blumen umtopfen")),
        ("ru", "5 числа каждого месяца в 10 показания счётчиков", ("05.12.26 10:00", "monthly", "показания счётчиков")),
        ("ru", "завтра в 2 дня поехать на дачу", ("23.11.26 14:00", "", "поехать на дачу")),
        ("en", "tomorrow to that shop", ("23.11.26 09:00", "", "that shop")),
    ],
)
def test_parses_time_repeat_and_text(language: str, text: str, expected: tuple[str, str, str]) -> None:
    assert read_reminder(language, text) == expected


WORKDAYS = (0, 1, 2, 3, 4)


@pytest.mark.parametrize(
    ("language", "text", "weekdays", "due"),
    [
        ("en", "every Monday and Thursday at 9 gym", (0, 3), "23.11.26 09:00"),
        ("en", "every Mon/Wed/Fri at 7 gym", (0, 2, 4), "23.11.26 07:00"),
        ("en", "Mondays and Thursdays at 9 gym", (0, 3), "23.11.26 09:00"),
        ("en", "every week on Tuesday and Friday at 9 gym", (1, 4), "24.11.26 09:00"),
        ("en", "every Sunday and Saturday at 10 gym", (5, 6), "28.11.26 10:00"),
        ("en", "8:00 every weekday gym", WORKDAYS, "23.11.26 08:00"),
        ("en", "every weekend at 10 gym", (5, 6), "28.11.26 10:00"),
        ("de", "jeden Montag und Donnerstag um 9 Uhr gym", (0, 3), "23.11.26 09:00"),
        ("de", "dienstags, mittwochs und freitags um 18 Uhr gym", (1, 2, 4), "24.11.26 18:00"),
        ("de", "um 8 werktags gym", WORKDAYS, "23.11.26 08:00"),
        ("es", "los lunes y jueves a las 9 gym", (0, 3), "23.11.26 09:00"),
        ("pt", "todas as segundas e quintas às 9 gym", (0, 3), "23.11.26 09:00"),
        ("pt", "nos fins de semana às 10 gym", (5, 6), "28.11.26 10:00"),
        ("pt", "nos dias úteis às 7 gym", WORKDAYS, "23.11.26 07:00"),
        ("ru", "по понедельникам и четвергам в 9 gym", (0, 3), "23.11.26 09:00"),
        ("ru", "каждый будний день в 7 gym", WORKDAYS, "23.11.26 07:00"),
        ("zh", "每周一和周四9点 gym", (0, 3), "23.11.26 09:00"),
        ("zh", "每周一、周三、周五早上7点gym", (0, 2, 4), "23.11.26 07:00"),
        ("ar", "كل اثنين وخميس الساعة 9 gym", (0, 3), "23.11.26 09:00"),
        ("en", "Monday to Friday at 7 gym", WORKDAYS, "23.11.26 07:00"),
        ("en", "from Monday to Friday at 7 gym", WORKDAYS, "23.11.26 07:00"),
        ("en", "every Monday to Friday at 9 gym", WORKDAYS, "23.11.26 09:00"),
        ("en", "at 7 Tuesday through Thursday gym", (1, 2, 3), "24.11.26 07:00"),
        ("en", "Saturday to Tuesday at 10 gym", (0, 1, 5, 6), "23.11.26 10:00"),
        ("en", "Mon-Wed and Friday at 7 gym", (0, 1, 2, 4), "23.11.26 07:00"),
        ("en", "mon-fri at 7 gym", WORKDAYS, "23.11.26 07:00"),
        ("en", "every mon and thu at 9 gym", (0, 3), "23.11.26 09:00"),
        ("de", "montags bis freitags um 7 gym", WORKDAYS, "23.11.26 07:00"),
        ("de", "von Dienstag bis Donnerstag um 9 gym", (1, 2, 3), "24.11.26 09:00"),
        ("de", "Mo - Fr 7 Uhr gym", WORKDAYS, "23.11.26 07:00"),
        ("es", "de lunes a viernes a las 7 gym", WORKDAYS, "23.11.26 07:00"),
        ("es", "desde el martes hasta el jueves a las 9 gym", (1, 2, 3), "24.11.26 09:00"),
        ("pt", "de segunda a sexta às 7 gym", WORKDAYS, "23.11.26 07:00"),
        ("ru", "с понедельника по пятницу в 7 gym", WORKDAYS, "23.11.26 07:00"),
        ("ru", "со среды по субботу в 10 gym", (2, 3, 4, 5), "25.11.26 10:00"),
        ("ru", "каждый день с понедельника до пятницы в 7 gym", WORKDAYS, "23.11.26 07:00"),
        ("zh", "周一到周五7点 gym", WORKDAYS, "23.11.26 07:00"),
        ("zh", "每周二至周四9点gym", (1, 2, 3), "24.11.26 09:00"),
        ("ar", "من الاثنين إلى الجمعة الساعة 7 gym", WORKDAYS, "23.11.26 07:00"),
        ("en", "du lundi au vendredi à 7h gym", WORKDAYS, "23.11.26 07:00"),
        ("en", "de mardi à jeudi à 9h gym", (1, 2, 3), "24.11.26 09:00"),
        ("ar", "من يوم الأحد حتى يوم الخميس الساعة 8 gym", (0, 1, 2, 3, 6), "23.11.26 08:00"),
    ],
)
def test_list_of_weekdays_makes_one_weekly_reminder(
    language: str, text: str, weekdays: tuple[int, ...], due: str
) -> None:
    assert read_reminder(language, text) == (due, "weekly", "gym")
    with use_language(language):
        found = parse_reminder_phrase(text, NOW)
    assert isinstance(found, NewReminder)
    assert found.weekdays == weekdays


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("en", "every Monday the 7th at 9 dentist", "the 7th at 9"),
        ("en", "tomorrow at 9 sunday roast shopping", "sunday"),
        ("en", "from ten to 12 meeting", "12"),
        ("de", "um zehn vor 3 Leuten sprechen", "3"),
        ("en", "whenever you like", "whenever you like"),
        ("en", "buy milk", "buy milk"),
        ("en", "Monday mornings are hard", "Monday mornings"),
        ("en", "on Friday at 9", ""),
        ("en", "every 9:00 x", "every 9:00"),
        ("en", "tomorrow buy 3 eggs", "3"),
        ("en", "Monday at 9 2nd draft", "2nd"),
        ("en", "Monday 3rd grade meeting", "Monday 3rd"),
        ("ru", "завтра в 9 отчёт перед субботой", "субботой"),
        ("de", "Montag um 9 7. Sitzung", "7."),
        ("ru", "в 9 двадцать отжиманий", "двадцать"),
        ("en", "tomorrow at 9 and 17 pills", "and 17"),
        ("en", "12/3 9:00 x", "12/3"),
        ("en", "tomorrow evening cinema", "evening"),
        ("en", "tomorrow at 9 EST call", "EST"),
        ("en", "every 2 days at 8 pills", "every 2 days at 8"),
        ("en", "every hour drink", "every hour"),
        ("en", "every Monday or Thursday at 9 gym", "or Thursday at 9"),
        ("en", "every Monday at 9 and Thursday at 10 gym", "and Thursday at 10"),
        ("en", "every year on 3 May birthday", "every year on 3 May"),
        ("en", "in 3 fortnights x", "in 3"),
        ("en", "in 90 sec take the tea out", "in 90"),
        ("fr", "dans quinze jours contrôle technique", "dans quinze jours"),
        ("en", "tomorrow at 9 dentist on 4 December", "on 4 December"),
        ("en", "Monday at 10 or Tuesday at 11 call", "or Tuesday at 11"),
        ("en", "tomorrow at 10-11 x", "at 10-11"),
        ("en", "3.12 dentist", "3.12"),
        ("en", "on Monday mornings at 9 gym", "mornings at 9"),
        ("en", "every other day at 9 x", "every other day at 9"),
        ("en", "every second Tuesday at 9 x", "every second Tuesday at 9"),
        ("es", "el 3 pagar", "3"),
        ("es", "el día 31 pagar", "31"),
        ("en", "on the 3 dentist", "3"),
        ("en", "at 9 daily pills", "daily"),
        ("de", "um 8 Freitagabend Kino", "Freitagabend"),
        ("en", "every other Tuesday bins", "every other Tuesday"),
        ("en", "at 9 to call mum at 10", "10"),
        ("en", "tomorrow at 9 or 10 call", "or 10"),
        ("en", "from 9 to 10 meeting", "10"),
        ("en", "at 10 past 9 call", "9"),
        ("en", "tomorrow 9-10 meeting", "9-10"),
        ("en", "tomorrow@10 call", "@10"),
        ("en", "at 9ish call", "9ish"),
        ("en", "tomorrow at 9 PST call", "PST"),
        ("en", "tomorrow at 9pm ET call", "ET"),
        ("de", "morgen früh Arzt", "früh"),
        ("de", "morgen um 9 Anna um 10 anrufen", "10"),
        ("de", "morgen um 9 bis 10 Sport", "10"),
        ("es", "mañana temprano médico", "temprano"),
        ("ru", "завтра в 9 мск врач", "мск"),
        ("ru", "завтра в 9 или 10 врач", "или 10"),
        ("zh", "明天中午 吃饭", "中午"),
        ("zh", "明天9点或10点 开会", "或10点"),
        ("en", "every month at 9 pay", "every month at 9"),
        ("en", "tomorrow at nine o five call", "o"),
        ("en", "tomorrow at 9 p call", "p"),
        ("en", "every week on the 5th pay", "every week on the 5th"),
        ("en", "every day on the 5th pay", "on the 5th"),
        ("de", "am 5. Dezember um 9 nächsten Jahres Mama", "Jahres"),
        ("de", "am 25. des nächsten Monats Mama", "Monats"),
        ("de", "morgen um 5 vor halb 9 Mama", "halb 9"),
        ("de", "morgen um fünf nach dreiviertel neun Mama", "dreiviertel neun"),
        ("de", "am Montag um 9 vierzehntägig Mama", "vierzehntägig"),
        ("es", "mañana a las 12 de la medianoche mamá", "medianoche"),
        ("es", "mañana a las nueve pasadas mamá", "pasadas"),
        ("ru", "завтра в девять с четвертью врач", "четвертью"),
        ("ru", "завтра в 10 десятого врач", "десятого"),
        ("ru", "завтра в 9 без пяти врач", "пяти"),
        ("ru", "завтра в 9 по московскому времени врач", "по московскому времени"),
        ("ru", "каждый день в 9 кроме воскресенья врач", "воскресенья"),
        ("ru", "каждый день в 9 до пятницы врач", "пятницы"),
        ("ru", "каждый день в 9 по будням врач", "по будням"),
        ("ru", "по 5 числам врач", "числам"),
        ("zh", "12月3日明年 开会", "明年"),
        ("en", "in a week's time call", "week's"),
        ("en", "5pm-6pm gym", "5pm-6pm"),
        ("de", "morgen 9 Uhr - 10 Uhr Sport", "10"),
        ("ru", "через час-два позвонить", "час-два"),
        ("es", "a las 9 del 16 dentista", "16"),
        ("de", "so um 9 Sport", "so um 9"),
        ("de", "morgen so um 9 Sport", "9"),
        ("en", "1h call mum", "1h"),
        ("en", "2h30 call mum", "2h30"),
        ("ar", "5 ديسمبر العام القادم أمي", "العام"),
        ("en", "at once call mum", "at once"),
        ("en", "today 6 drinks", "6"),
        ("es", "cada día 1 pagar", "1"),
        ("en", "🎂", "🎂"),
        ("en", "(((", "((("),
        ("de", "in einer Woche am 3.12. um 9 Zahnarzt", "am 3.12. um 9"),
        ("zh", "大后天每天8:00吃药", "每天8:00吃药"),
        ("en", "every hour drink on 3 December", "every hour drink on 3 December"),
        ("en", "every hour drink on the 1st", "every hour drink on the 1st"),
        ("en", "every Monday to January 5 gym", "to January 5"),
        ("en", "à 9h ou 10h appeler Anne", "10h"),
        ("en", "tous les deux jours à 9h appeler Anne", "tous les deux jours à 9h"),
        ("en", "every day at 9 from Monday call", "from Monday"),
        ("en", "at 9 every month pay", "at 9 every month"),
        ("ru", "через день в 9 таблетки", "через день в 9"),
        ("zh", "早上六点四十五起床", "四十五起床"),
        ("fr", "à 9h moins le quart appeler Anne", "moins le quart"),
        ("fr", "à 9h le 3 décmbre appeler Anne", "3 décmbre"),
        ("es", "a las 9 el 3/12 noche de cine", "noche"),
        ("pt", "9:15 na sexta-feira noite de jogos", "noite"),
        ("de", "am Freitag 20 % Rabatt um 9", "20"),
    ],
)
def test_unparsed_time_words_make_reminder_uncertain(language: str, text: str, words: str) -> None:
    with use_language(language):
        assert parse_reminder_phrase(text, NOW) == UncertainReminder(words=words)


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("ru", "в 9 по Москве позвонить", "по Москве"),
        ("ru", "завтра в 9:00 по Лондону позвонить", "по Лондону"),
        ("ru", "завтра в 9 московского времени врач", "московского времени"),
        ("de", "um 9 Uhr New Yorker Zeit anrufen", "New Yorker Zeit"),
        ("en", "tomorrow at 9 EAT call", "EAT"),
        ("en", "tomorrow at 9 IST call", "IST"),
        ("en", "tomorrow 9am ist call", "ist"),
        ("en", "tomorrow 9am pst call", "pst"),
        ("en", "tomorrow at 9 WIB call", "WIB"),
        ("en", "tomorrow at 9 MSK call", "MSK"),
        ("en", "tomorrow at 9am (PST) call", "PST"),
        ("en", "tomorrow 9am Eastern call", "Eastern"),
        ("en", "tomorrow 9am eastern time call", "eastern time"),
        ("en", "tomorrow at 9 Indian time call", "Indian time"),
        ("en", "tomorrow at 9 french time call", "french time"),
        ("en", "9am pst call mum tomorrow", "pst"),
        ("en", "9am London time every Monday call", "London time"),
        ("en", "every Monday at 9 London time call", "London time"),
        ("ru", "завтра в 9 по киевскому времени врач", "по киевскому времени"),
        ("ru", "завтра в 9 по москве врач", "по москве"),
        ("de", "morgen um 9 Uhr deutscher Zeit anrufen", "deutscher Zeit"),
        ("es", "mañana a las 9 hora española llamar", "hora española"),
        ("es", "mañana a las 9 (hora de México) llamar", "hora de México"),
        ("en", "2026-12-03T09:00+02:00 call", "+02:00"),
        ("en", "at 9 London time call", "London time"),
        ("en", "at 2pm London time call", "London time"),
        ("en", "tomorrow at 9:00 New York time call", "New York time"),
        ("en", "9am london time tomorrow call", "london time"),
        ("en", "tomorrow 9am utc call", "utc"),
        ("en", "tomorrow at 9 UTC+3 call", "UTC+3"),
        ("en", "on 1 July at 9 Europe/London call", "Europe/London"),
        ("en", "9 Z standup", "9 Z"),
        ("en", "9 GMT call", "9 GMT"),
        ("en", "call Ann tomorrow at 9 UTC", "UTC"),
        ("en", "deploy at 9 UTC every day", "UTC"),
        ("en", "UTC 9:00 call Ann", "UTC 9:00"),
        ("de", "Anna anrufen morgen um 9 Uhr MEZ", "MEZ"),
        ("pt", "ligar amanhã ao meio-dia UTC", "UTC"),
        ("ru", "созвон завтра в 9 по Москве", "по Москве"),
        ("ru", "позвонить Ане завтра в 9 часов по Москве", "по Москве"),
        ("pt", "ligar às 9h horário de Brasília", "horário de Brasília"),
        ("zh", "开会 明天9点北京时间", "北京时间"),
        ("ar", "أمي غدا الساعة 9 بتوقيت مكة", "بتوقيت مكة"),
        ("en", "tomorrow 09:00Z deploy", "Z"),
        ("en", "Friday 11am +05:30 call", "+05:30"),
        ("en", "at 9 (UTC) deploy", "UTC"),
        ("pt", "amanhã às 9 hora de Lisboa ligar", "hora de Lisboa"),
        ("zh", "明天 9:00 伦敦时间 开会", "伦敦时间"),
        ("zh", "9点UTC开会", "UTC"),
        ("ar", "غدا 9:00 بتوقيت لندن أمي", "بتوقيت لندن"),
        ("pt", "amanhã às 9 no horário de Brasília ligar", "horário de Brasília"),
        ("zh", "明天9点北京时间 开会", "北京时间"),
        ("zh", "明天 9:00（北京时间）开会", "北京时间"),
        ("ar", "غدا الساعة 9 بتوقيت مكة أمي", "بتوقيت مكة"),
        ("en", "at 9 call Ann PST", "PST"),
        ("en", "tomorrow at 9 call Ann, London time", "Ann, London time"),
        ("en", "tomorrow at 9 CET call Ann", "CET"),
        ("de", "um 9 Uhr Berliner Zeit Ann anrufen", "Berliner Zeit"),
        ("es", "a las 9 hora de Madrid llamar", "hora de Madrid"),
    ],
)
def test_time_zone_after_time_makes_reminder_uncertain(language: str, text: str, words: str) -> None:
    with use_language(language):
        assert parse_reminder_phrase(text, NOW) == UncertainReminder(words=words)


@pytest.mark.parametrize(
    ("language", "text", "words", "expected"),
    [
        ("en", "call mum tomorrow at 9", "", ("23.11.26 09:00", "", "call mum")),
        ("en", "tomorrow call mum at 9", "", ("23.11.26 09:00", "", "call mum")),
        ("en", "dentist (Friday 9:00)", "", ("27.11.26 09:00", "", "dentist")),
        ("es", "recuérdame llamar mañana a las 9", "", ("23.11.26 09:00", "", "llamar")),
        ("en", "buy 3 eggs at 5", "", ("23.11.26 05:00", "", "buy 3 eggs")),
        ("en", "call mum in 20 minutes", "", ("22.11.26 14:40", "", "call mum")),
        ("en", "pay rent every month on the 1st", "", ("01.12.26 09:00", "monthly", "pay rent")),
        ("de", "morgen Oma anrufen um 9", "", ("23.11.26 09:00", "", "Oma anrufen")),
        ("en", "Mon, Wed, Fri at 7 run", "", ("23.11.26 07:00", "weekly", "run")),
        ("en", "at 9 Tue/Thu gym", "", ("24.11.26 09:00", "weekly", "gym")),
        ("de", "Mo, Mi, Fr um 7 laufen", "", ("23.11.26 07:00", "weekly", "laufen")),
        ("es", "lunes, miércoles y viernes a las 7 correr", "", ("23.11.26 07:00", "weekly", "correr")),
        ("pt", "segunda, quarta e sexta às 7 correr", "", ("23.11.26 07:00", "weekly", "correr")),
        ("ru", "пн, ср, пт в 7 бег", "", ("23.11.26 07:00", "weekly", "бег")),
        ("ru", "позвонить Ане по пн и ср в 9", "", ("23.11.26 09:00", "weekly", "позвонить Ане")),
        ("zh", "周一、周三、周五7点跑步", "", ("23.11.26 07:00", "weekly", "跑步")),
        ("fr", "lundi, mercredi et vendredi à 7h courir", "", ("23.11.26 07:00", "weekly", "courir")),
        ("en", "3 h nap", "3 h", ("23.11.26 03:00", "", "3 h nap")),
        ("es", "3 h siesta", "3 h", ("23.11.26 03:00", "", "3 h siesta")),
        ("ru", "3 ч сон", "3 ч", ("23.11.26 03:00", "", "3 ч сон")),
        (
            "en",
            "every Monday at 9 standup until March",
            "until March",
            ("23.11.26 09:00", "weekly", "standup until March"),
        ),
        (
            "en",
            "every day at 9 pills till Christmas",
            "till Christmas",
            ("23.11.26 09:00", "daily", "pills till Christmas"),
        ),
        (
            "en",
            "every Monday at 9 standup until the end of March",
            "until the end of March",
            ("23.11.26 09:00", "weekly", "standup until the end of March"),
        ),
        ("pt", "toda segunda às 9 reunião até março", "até março", ("23.11.26 09:00", "weekly", "reunião até março")),
        ("zh", "锻炼时间 明天9点", "锻炼时间", ("23.11.26 09:00", "", "锻炼时间")),
        ("zh", "和小李谈话 周五10点", "", ("27.11.26 10:00", "", "和小李谈话")),
        ("en", "call 555-1234 tomorrow 9", "555-1234 tomorrow 9", ("23.11.26 09:00", "", "call 555-1234 tomorrow 9")),
        ("en", "tomorrow 9 call Ann", "9", ("23.11.26 09:00", "", "9 call Ann")),
        ("en", "call Ann (London) at 9", "", ("23.11.26 09:00", "", "call Ann (London)")),
        ("en", "9am London call Ann", "London", ("23.11.26 09:00", "", "London call Ann")),
        ("en", "9am in New York call Bob", "in New York", ("23.11.26 09:00", "", "in New York call Bob")),
        ("de", "um 9 Uhr London anrufen", "London", ("23.11.26 09:00", "", "London anrufen")),
        ("ru", "завтра в 9:00 Лондон созвон", "Лондон", ("23.11.26 09:00", "", "Лондон созвон")),
        ("zh", "9点 伦敦 开会", "伦敦", ("23.11.26 09:00", "", "伦敦 开会")),
        ("en", "at 9 on Christmas dinner", "Christmas", ("23.11.26 09:00", "", "on Christmas dinner")),
        ("en", "at 9 by Christmas finish", "Christmas", ("23.11.26 09:00", "", "by Christmas finish")),
        ("en", "at 9 on payday transfer", "payday", ("23.11.26 09:00", "", "on payday transfer")),
        ("de", "um 20 Uhr an Silvester Feuerwerk", "Silvester", ("22.11.26 20:00", "", "an Silvester Feuerwerk")),
        ("es", "a las 9 en Navidad cena", "en Navidad", ("23.11.26 09:00", "", "en Navidad cena")),
        ("ru", "в 9 на Пасху кулич", "Пасху", ("23.11.26 09:00", "", "на Пасху кулич")),
        ("ar", "الساعة 9 في رمضان اتصل", "رمضان", ("23.11.26 09:00", "", "في رمضان اتصل")),
        ("en", "at 5 march with Ann", "5 march", ("05.03.27 09:00", "", "5 march with Ann")),
        ("de", "um 9 August anrufen", "9 August", ("09.08.27 09:00", "", "9 August anrufen")),
        ("ru", "в 9 марта позвонить", "9 марта", ("09.03.27 09:00", "", "9 марта позвонить")),
        ("en", "12 December at noon parents' evening", "evening", ("12.12.26 12:00", "", "parents' evening")),
        ("en", "tomorrow at 9 PST call", "PST", ("23.11.26 09:00", "", "PST call")),
        ("en", "at 9 or 10 call", "or 10", ("23.11.26 09:00", "", "or 10 call")),
        ("es", "en dos horas y media llamar", "y media", ("22.11.26 16:20", "", "y media llamar")),
        ("ru", "завтра в обед позвонить", "в обед", ("23.11.26 09:00", "", "в обед позвонить")),
        ("de", "um 9 Laura anrufen am Ersten", "am Ersten", ("23.11.26 09:00", "", "Laura anrufen am Ersten")),
        ("es", "a las 9 llamar a Ana el primero", "el primero", ("23.11.26 09:00", "", "llamar a Ana el primero")),
        ("ru", "в 9 позвонить до Пасхи", "Пасхи", ("23.11.26 09:00", "", "позвонить до Пасхи")),
        ("zh", "9点初八开会", "初八开会", ("23.11.26 09:00", "", "初八开会")),
        ("en", "by 9 April finish", "9 April", ("09.04.27 09:00", "", "9 April finish")),
        ("ru", "к 9 марта сдать отчёт", "9 марта", ("09.03.27 09:00", "", "9 марта сдать отчёт")),
        ("ru", "завтра в 9 прогулка по Москве", "по Москве", ("23.11.26 09:00", "", "прогулка по Москве")),
        ("zh", "明天9点 锻炼时间", "锻炼时间", ("23.11.26 09:00", "", "锻炼时间")),
        ("en", "midnight snack", "midnight", ("23.11.26 00:00", "", "midnight snack")),
        ("en", "call Ann tomorrow at 5pm PST", "PST", ("23.11.26 17:00", "", "call Ann tomorrow at 5pm PST")),
        ("en", "call Ann at 5pm PST on Friday", "PST", ("27.11.26 17:00", "", "call Ann at 5pm PST")),
        (
            "en",
            "9am London time every Monday sync",
            "London time",
            ("23.11.26 09:00", "weekly", "London time every Monday sync"),
        ),
        ("en", "at 9 dentist Arpil", "Arpil", ("23.11.26 09:00", "", "dentist Arpil")),
        ("en", "at 9 dentist in Febuary", "Febuary", ("23.11.26 09:00", "", "dentist in Febuary")),
        ("ru", "в 9 врач аперля", "аперля", ("23.11.26 09:00", "", "врач аперля")),
        ("ru", "2 дня поехать на дачу", "2 дня", ("23.11.26 14:00", "", "2 дня поехать на дачу")),
        ("ru", "завтра 3 ночи в отеле", "3 ночи", ("23.11.26 03:00", "", "3 ночи в отеле")),
        ("en", "Friday at 9 pm in the morning call", "morning", ("27.11.26 21:00", "", "in the morning call")),
        (
            "fr",
            "demain dans l'après-midi appeler Anne",
            "l'après-midi",
            ("23.11.26 09:00", "", "dans l'après-midi appeler Anne"),
        ),
        ("es", "el 3 pagar", "3", ("03.12.26 09:00", "", "3 pagar")),
        ("en", "Friday dentist", "Friday", ("27.11.26 09:00", "", "Friday dentist")),
        ("ar", "الجمعة طبيب", "الجمعة", ("27.11.26 09:00", "", "الجمعة طبيب")),
        ("en", "Friday noon prayer at 9", "9", ("27.11.26 12:00", "", "prayer at 9")),
        ("es", "viernes mediodía oración a las 9", "9", ("27.11.26 12:00", "", "oración a las 9")),
        ("de", "um 9 Freitga Oma anrufen", "Freitga", ("23.11.26 09:00", "", "Freitga Oma anrufen")),
        ("en", "at 9 thurday call mum", "thurday", ("23.11.26 09:00", "", "thurday call mum")),
        ("en", "at 5 sun cream", "sun", ("29.11.26 05:00", "", "sun cream")),
        ("en", "Sam 9:00 call back", "Sam", ("28.11.26 09:00", "", "Sam 9:00 call back")),
        ("pt", "às 9 quarta parcela", "quarta", ("25.11.26 09:00", "", "quarta parcela")),
        ("en", "on Friday night at 1 walk home", "1", ("27.11.26 01:00", "", "1 walk home")),
        ("en", "tonight at 5am feed the baby", "5", ("23.11.26 05:00", "", "5am feed the baby")),
        ("en", "tonight at 4:30 feed the baby", "4:30", ("23.11.26 04:30", "", "4:30 feed the baby")),
        ("en", "at 1 tonight lock the door", "tonight", ("23.11.26 01:00", "", "tonight lock the door")),
        ("fr", "cette nuit à 5 heures biberon", "à 5 heures", ("23.11.26 05:00", "", "à 5 heures biberon")),
        ("de", "heute Nacht um 3 Fläschchen", "3", ("23.11.26 03:00", "", "3 Fläschchen")),
        ("ar", "الليلة الساعة 5 طبيب", "الساعة 5", ("23.11.26 05:00", "", "الساعة 5 طبيب")),
        ("en", "12/3 9:00 x", "12/3", ("12.03.27 09:00", "", "12/3 9:00 x")),
        ("en", "in 3 days 10 eggs", "10", ("25.11.26 10:00", "", "10 eggs")),
        ("zh", "9点30开会", "9点30", ("23.11.26 09:30", "", "9点30开会")),
        ("de", "um 9 Uhr 30 Eier kaufen", "9 Uhr 30", ("23.11.26 09:30", "", "9 Uhr 30 Eier kaufen")),
        (
            "en",
            "Monday to Friday vacation",
            "Monday to Friday",
            ("23.11.26 09:00", "weekly", "Monday to Friday vacation"),
        ),
        ("de", "Mo-Fr Urlaub", "Mo-Fr", ("23.11.26 09:00", "weekly", "Mo-Fr Urlaub")),
        ("zh", "周一到周五度假", "周一到周五", ("23.11.26 09:00", "weekly", "周一到周五度假")),
        ("ru", "в 9 позвонить маме на Пасху", "Пасху", ("23.11.26 09:00", "", "позвонить маме на Пасху")),
        ("en", "à 9h appeler à Noël pour chanter", "Noël", ("23.11.26 09:00", "", "appeler à Noël pour chanter")),
        ("ar", "ذكرني أن أتصل غدا الساعة 9", "", ("23.11.26 09:00", "", "أتصل")),
        ("en", "at 9 call mum on 12/31", "", ("31.12.26 09:00", "", "call mum")),
        ("fr", "demain lun yoga", "lun", ("23.11.26 09:00", "", "lun yoga")),
        ("en", "at 9 CAT scan", "CAT", ("23.11.26 09:00", "", "CAT scan")),
        (
            "en",
            "Friday or Saturday at 9 tennis",
            "Friday or Saturday at 9",
            ("27.11.26 09:00", "", "Friday or Saturday at 9 tennis"),
        ),
        (
            "en",
            "tomorrow morning at once call the bank",
            "morning at once",
            ("23.11.26 09:00", "", "morning at once call the bank"),
        ),
        ("ru", "завтра 10 минут растяжка", "10 минут", ("23.11.26 10:00", "", "10 минут растяжка")),
        ("en", "at 9 to 10 meeting", "10", ("23.11.26 09:00", "", "10 meeting")),
        ("en", "at 9 call mum satur", "satur", ("23.11.26 09:00", "", "call mum satur")),
        ("es", "a las 9 dentista maana", "maana", ("23.11.26 09:00", "", "dentista maana")),
        ("en", "at 9 dentist mid Dec", "mid", ("23.11.26 09:00", "", "dentist mid Dec")),
        ("en", "at 9 report eow", "eow", ("23.11.26 09:00", "", "report eow")),
        ("es", "a las 9 limpiar el finde", "el finde", ("23.11.26 09:00", "", "limpiar el finde")),
        ("es", "a las 9 regalos antes de Reyes", "Reyes", ("23.11.26 09:00", "", "regalos antes de Reyes")),
        ("en", "at 9 call mum Fri", "Fri", ("27.11.26 09:00", "", "call mum Fri")),
        ("en", "at 8pm read a book on the 9th", "", ("09.12.26 20:00", "", "read a book")),
        (
            "en",
            "at 9 call Ann on Fri about the rent",
            "on Fri",
            ("23.11.26 09:00", "", "call Ann on Fri about the rent"),
        ),
        ("de", "um 19:30 Uhr Oma anrufen am 3.12.", "", ("03.12.26 19:30", "", "Oma anrufen")),
        ("de", "um 9 Oma am 3.12. anrufen", "am 3.12.", ("23.11.26 09:00", "", "Oma am 3.12. anrufen")),
        ("es", "al mediodía llamar a Ana el 3/12", "", ("03.12.26 12:00", "", "llamar a Ana")),
        ("ru", "в 9 утра позвонить Ане 3.12", "3.12", ("03.12.26 09:00", "", "позвонить Ане 3.12")),
        ("ru", "в 9 утра отчёт в пт", "", ("27.11.26 09:00", "", "отчёт")),
        ("pt", "às cinco ligar para a Ana em 3/12", "", ("03.12.26 05:00", "", "ligar para a Ana")),
        ("fr", "à 9h appeler Anne le 3/12", "", ("03.12.26 09:00", "", "appeler Anne")),
        ("fr", "demain appeler Anne à 9h", "", ("23.11.26 09:00", "", "appeler Anne")),
        ("en", "tomorrow call Ann on Fri", "on Fri", ("23.11.26 09:00", "", "call Ann on Fri")),
        ("en", "tonight at 8 watch the game on Sat", "on Sat", ("22.11.26 20:00", "", "watch the game on Sat")),
        ("de", "jeden Tag um 8 Oma am 3.12. anrufen", "am 3.12.", ("23.11.26 08:00", "daily", "Oma am 3.12. anrufen")),
        ("en", "at 9 tommorow call mum", "tommorow", ("23.11.26 09:00", "", "tommorow call mum")),
        ("en", "at 9 call mum on wendesday", "wendesday", ("23.11.26 09:00", "", "call mum on wendesday")),
        ("en", "on 3rd Febuary call mum", "Febuary", ("03.12.26 09:00", "", "Febuary call mum")),
        ("de", "um 9 am Donerstag Oma anrufen", "Donerstag", ("23.11.26 09:00", "", "am Donerstag Oma anrufen")),
        ("de", "um 9 uebermorgen Oma anrufen", "uebermorgen", ("23.11.26 09:00", "", "uebermorgen Oma anrufen")),
        ("es", "a las 9 el vierns llamar a Ana", "vierns", ("23.11.26 09:00", "", "el vierns llamar a Ana")),
        ("ru", "в 9 в понедельнк позвонить Ане", "понедельнк", ("23.11.26 09:00", "", "в понедельнк позвонить Ане")),
        ("fr", "à 9h vendrdi appeler Anne", "vendrdi", ("23.11.26 09:00", "", "vendrdi appeler Anne")),
        ("de", "morgen 9 Uhr Oma Zeit schenken", "Oma Zeit", ("23.11.26 09:00", "", "Oma Zeit schenken")),
        ("en", "at 9 see Mon Ami", "Mon", ("23.11.26 09:00", "", "see Mon Ami")),
        ("en", "at 9 read the 3rd chapter", "the 3rd", ("23.11.26 09:00", "", "read the 3rd chapter")),
        ("en", "tomorrow at 9 work on 2nd draft", "on 2nd", ("23.11.26 09:00", "", "work on 2nd draft")),
        ("de", "morgen um 9 Arbeit am 2. Band", "am 2.", ("23.11.26 09:00", "", "Arbeit am 2. Band")),
        ("pt", "amanhã às 9 pedir a 2ª via do boleto", "a 2ª", ("23.11.26 09:00", "", "pedir a 2ª via do boleto")),
        ("en", "at 9 meet on the 2nd floor", "on the 2nd", ("23.11.26 09:00", "", "meet on the 2nd floor")),
        ("en", "9:30 appeler mon mari", "mon", ("23.11.26 09:30", "", "appeler mon mari")),
        ("fr", "à 9h appeler Sam", "Sam", ("28.11.26 09:00", "", "appeler Sam")),
        ("de", "morgen Fr. Müller anrufen", "Fr.", ("23.11.26 09:00", "", "Fr. Müller anrufen")),
        ("de", "jeden Tag um 22 Uhr Mi Band laden", "Mi", ("22.11.26 22:00", "daily", "Mi Band laden")),
        ("en", "tomorrow at 9 Time Magazine renewal", "Time Magazine", ("23.11.26 09:00", "", "Time Magazine renewal")),
        ("ru", "завтра в 9 по Скайпу звонок", "по Скайпу", ("23.11.26 09:00", "", "по Скайпу звонок")),
        ("ru", "завтра на 2 дня поехать на дачу", "2 дня", ("23.11.26 09:00", "", "на 2 дня поехать на дачу")),
        (
            "ru",
            "завтра после обеда позвонить в банк",
            "после обеда",
            ("23.11.26 09:00", "", "после обеда позвонить в банк"),
        ),
        ("en", "tomorrow lunchtime call", "lunchtime", ("23.11.26 09:00", "", "lunchtime call")),
        ("en", "at 9 3 Septembre call mum", "Septembre", ("23.11.26 09:00", "", "3 Septembre call mum")),
        (
            "es",
            "a las 9 llamar a Ana el 3 de novimebre",
            "el 3 de novimebre",
            ("23.11.26 09:00", "", "llamar a Ana el 3 de novimebre"),
        ),
        ("es", "9:30 3 de marzzo llamar", "marzzo", ("23.11.26 09:30", "", "3 de marzzo llamar")),
        ("de", "9:30 am Freittag Oma anrufen", "Freittag", ("23.11.26 09:30", "", "Freittag Oma anrufen")),
        ("en", "2h30m stretch", "2h30m", ("23.11.26 02:30", "", "2h30m stretch")),
        ("en", "at 7pm order Christmas presents", "Christmas", ("22.11.26 19:00", "", "order Christmas presents")),
        ("es", "a las 9 preguntar si vienes", "vienes", ("23.11.26 09:00", "", "preguntar si vienes")),
    ],
)
def test_uncertain_time_is_offered_but_not_set(
    language: str, text: str, words: str, expected: tuple[str, str, str]
) -> None:
    with use_language(language):
        found = parse_reminder_phrase(text, NOW)
    assert isinstance(found, UncertainReminder), found
    assert found.reminder is not None
    told = f"{found.reminder.due_at.astimezone(BERLIN):%d.%m.%y %H:%M}", found.reminder.repeat, found.reminder.text
    assert (found.words, told) == (words, expected)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "at 9 call Marc"),
        ("en", "at 9 nap"),
        ("en", "at 9 pay students"),
        ("en", "at 9 call Augusta"),
        ("en", "at 9 call Domenico"),
        ("en", "at 9 sundae with kids"),
        ("en", "at 9 book table for 8"),
        ("de", "um 14 Uhr Dienst"),
        ("es", "a las 9 renovar DNI"),
        ("es", "a las 9 registrar la marca"),
        ("pt", "às 9 ligar para Freitas"),
        ("fr", "à 9h remplir le sondage"),
        ("fr", "à 9h réserver une table pour 4"),
        ("ru", "в 9:30 приготовить завтрак"),
        ("ru", "в 9 позвонить после работы"),
        ("zh", "9点上日语课"),
        ("zh", "9点买5号电池"),
        ("zh", "9点一年级家长会"),
        ("zh", "9点买2.5公斤土豆"),
        ("zh", "9点请三天假"),
        ("zh", "周一到周五早上7点半打卡"),
        ("ar", "في 3 ديسمبر الساعة 9 اتصل بأمي"),
    ],
)
def test_word_resembling_day_remains_in_text(language: str, text: str) -> None:
    assert read_reminder(language if language != "fr" else "en", text)[2] in text


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("en", "remind me tommorow to call amit at 6pm", "tommorow"),
        ("en", "remind me at 3pm tommorow i have a doctors appointment", "tommorow"),
        ("en", "remind me at 6 tomorow to go to market", "tomorow"),
        ("en", "9:30 tuesd call mum", "tuesd"),
        ("en", "at 9 call mum sat", "sat"),
        ("en", "at 9 mon call mum", "mon"),
        ("de", "um 9 Oma anrufen am Dienstga", "Dienstga"),
        ("es", "9:30 llamar a Ana el jueevs", "jueevs"),
        ("pt", "às 9 ligar para Ana na segnda", "segnda"),
        ("ru", "в 9 позвонить маме в пятинцу", "пятинцу"),
        ("fr", "9:30 dmain appeler Luc", "dmain"),
        ("ar", "الساعة 9 اتصل بأمي الثلاثا", "الثلاثا"),
    ],
)
def test_misspelt_day_is_offered_for_confirmation(language: str, text: str, words: str) -> None:
    with use_language("en" if language == "fr" else language):
        found = parse_reminder_phrase(text, NOW)
    assert isinstance(found, UncertainReminder), found
    assert (found.words, found.reminder is not None) == (words, True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("9:30 il 15 chiamare Anna", "il 15"),
        ("9:30 chiamare Anna il 15", "il 15"),
        ("9:30 mama bellen op de 15de", "op de 15de"),
        ("9:30 엄마에게 전화 오늘", "엄마에게 전화 오늘"),
        ("9:30 आज माँ को फोन", "आज माँ को फोन"),
        ("9:30 מחר להתקשר לאמא", "מחר להתקשר לאמא"),
        ("17:45 κάλεσε τη μαμά κάθε μέρα", "κάλεσε τη μαμά κάθε μέρα"),
        ("9:30 あした 母に電話", "あした"),
        ("9:30 gọi mẹ hôm nay", "gọi mẹ"),
        ("9:30 annemi ara ayın 15'inde", "ayın 15'inde"),
        ("17:45 den 15 ring mamma", "15"),
        ("9:30 setiap hari telepon ibu", "setiap hari"),
        ("9:30 soita siskolle joka päivä", "joka päivä"),
        ("9:30 来週 母に電話", "来週"),
    ],
)
def test_text_in_unsupported_language_is_offered_for_confirmation(text: str, words: str) -> None:
    """The text may name a day, and "9:30" does not show if the language of the text is supported."""
    found = parse_reminder_phrase(text, NOW)
    assert isinstance(found, UncertainReminder), found
    assert (found.words, found.reminder is not None) == (words, True)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "at 9 call Marc and Javier"),
        ("en", "9:30 send the report to Bob"),
        ("en", "at 9 match with Leo"),
        ("de", "um 9 Dienst"),
        ("de", "um 9 Łukasz anrufen"),
        ("es", "a las 9 comprar una manzana"),
        ("pt", "às 9 ligar para Amanda"),
        ("ru", "в 9:30 завтрак"),
        ("fr", "à 9h appeler mon mari"),
        ("zh", "9点半去3号楼"),
        ("zh", "9点2号楼开会"),
        ("ar", "الساعة 9 الجامعة"),
        ("en", "9:30 take a nap"),
        ("en", "9:30 buy me 2 eggs"),
        ("en", "9:30 do 15 push-ups"),
        ("en", "9:30 log in to 3 accounts"),
        ("en", "9:30 book a 3-room flat"),
        ("en", "9:30 review PR 15"),
        ("en", "9:30 call Julia"),
        ("en", "9:30 call Łukasz"),
        ("en", "at 9 remember the milk"),
        ("de", "9:30 den Müll rausbringen"),
        ("de", "9:30 Vitamin B 12 nehmen"),
        ("de", "9:30 Škoda abholen"),
        ("de", "um 9 Leute einladen"),
        ("de", "um 9 was Kunden mögen"),
        ("es", "9:30 renovar el DNI"),
        ("es", "a las 9 llamar a Julia"),
        ("es", "a las 9 clase de artes"),
        ("pt", "às 9 limpar o quarto"),
        ("pt", "às 9 consertar a cerca"),
        ("pt", "9:30 jantar"),
        ("ru", "в 9 после работы"),
        ("ar", "الساعة 9 شراء الثوم"),
        ("en", "at 9 lie in the sun"),
        ("es", "mañana mirar el mar"),
        ("es", "a las 9 ir al mar"),
        ("fr", "à 9h voir la mer"),
        ("fr", "à 9h donner le bain"),
        ("en", "at 8 birthday cake"),
        ("pt", "às 8 aniversário da Ana"),
        ("ru", "в 8 день рождения Ани"),
        ("zh", "8点生日聚会"),
        ("en", "tomorrow first aid course"),
        ("es", "mañana último aviso"),
        ("fr", "demain premier cours"),
        ("ru", "в пятницу четверть торта"),
        ("ru", "в 8 недельный отчёт"),
        ("zh", "9点左右开会"),
    ],
)
def test_everyday_text_is_not_mistaken_for_day(language: str, text: str) -> None:
    assert text.endswith(read_reminder("en" if language == "fr" else language, text)[2])


def test_names_only_word_of_time_when_it_is_far_from_clock() -> None:
    found = parse_reminder_phrase("tomorrow at 9 the team discusses the plan for the coming week", NOW)
    assert found == UncertainReminder(words="week")


def test_reads_arabic_friday_written_with_final_ha() -> None:
    day = read_reminder("ar", "الجمعه الساعة 9 اتصل بأمي")
    assert day == read_reminder("ar", "الجمعة الساعة 9 اتصل بأمي")


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("zh", "9点开会周五", "周五"),
        ("zh", "9点週五开会", "週五"),
        ("zh", "9点开会15号", "15号"),
        ("zh", "9点开会3天后", "3天"),
        ("zh", "9点下周开会", "下周"),
        ("zh", "9点月底开会", "月底"),
        ("zh", "9点开会圣诞节", "圣诞节"),
        ("zh", "周五9点下周开会", "下周"),
        ("zh", "9点开会每两周", "每两周"),
        ("ru", "в 9:30 в пятницу на следующей неделе позвонить маме", "неделе"),
        ("ar", "الساعة 9 يوم الجمعة الأسبوع القادم اتصل بأمي", "الأسبوع"),
        ("en", "9:30 call fri mum", "fri"),
        ("de", "um 9 Oma Fr anrufen", "Fr"),
        ("en", "at 9 call mum fortnightly", "fortnightly"),
        ("en", "at 9 call Dec 15 mum", "Dec 15"),
        ("de", "um 9:30 Feitag Oma anrufen", "Feitag"),
        ("de", "um 9:30 Monatsende Oma anrufen", "Monatsende"),
        ("es", "a las 9:30 llamar a mamá el 15", "15"),
        ("es", "a las 9:30 viernez llamar a mamá", "viernez"),
        ("fr", "à 9h30 appeler maman le 15", "le 15"),
        ("fr", "à 9h30 mi-décembre appeler maman", "mi-décembre"),
        ("ru", "в 9:30 на следующей неделе позвонить маме", "неделе"),
        ("ru", "в 9:30 в пятницк позвонить маме", "пятницк"),
        ("ar", "الساعة 9:30 الأسبوع القادم اتصل بأمي", "الأسبوع"),
        ("en", "9:30 venerdì chiamare la mamma", "venerdì"),
        ("en", "9:30 chiamare la mamma ogni giorno", "giorno"),
        ("ru", "о 9:30 в п'ятницю подзвонити мамі", "п'ятницю"),
        ("ru", "о 9:30 подзвонити мамі 15 грудня", "грудня"),
        ("en", "9:30 pazartesi annemi ara", "pazartesi"),
        ("de", "9:30 op vrijdag mama bellen", "vrijdag"),
        ("en", "o 9:30 zadzwonić do mamy w środę", "środę"),
        ("zh", "9:30金曜日会議", "曜"),
    ],
)
def test_recognized_but_unparsed_day_makes_reminder_uncertain(language: str, text: str, words: str) -> None:
    with use_language("en" if language == "fr" else language):
        found = parse_reminder_phrase(text, NOW)
    assert isinstance(found, UncertainReminder), found
    assert words in found.words


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("zh", "明天开会17:45", "17:45"),
        ("de", "in 3 Tagen Oma anrufen um 17 Uhr", ""),
        ("pt", "daqui a 3 dias ligar para a mãe às 9:30", ""),
        ("ru", "в 9:30 позвонить маме 15 числа", ""),
        ("en", "chiamare la mamma venerdì 9:30", "venerdì"),
    ],
)
def test_day_time_or_zone_elsewhere_in_text_makes_reminder_uncertain(language: str, text: str, words: str) -> None:
    with use_language(language):
        found = parse_reminder_phrase(text, NOW)
    assert isinstance(found, UncertainReminder), found
    assert words in found.words


@pytest.mark.parametrize(
    "text",
    [
        "take pills every 2 days at 8",
        "call a week from Friday",
        "trash every other Tuesday at 9",
        "milk between 9 and 10pm",
        "call Ann tomorrow at 9am PST",
    ],
)
def test_partly_understood_trailing_time_is_named(text: str) -> None:
    found = parse_reminder_phrase(text, NOW)
    assert isinstance(found, UncertainReminder)
    assert found.words in text
    assert found.words != ""


@pytest.mark.parametrize(
    ("language", "text", "what"),
    [
        ("en", "tomorrow at 9 time to get up", "time to get up"),
        ("en", "tomorrow at 9 story time with kids", "story time with kids"),
        ("en", "tomorrow at 9 eat lunch", "eat lunch"),
        ("en", "tomorrow at 9 call Ann one more time", "call Ann one more time"),
        ("en", "tomorrow at 9 London call", "London call"),
        ("en", "tomorrow at 9 chat with Bob", "chat with Bob"),
        ("pt", "amanhã às 9 horário de almoço", "horário de almoço"),
        ("de", "morgen um 9 ist Training", "ist Training"),
        ("de", "morgen um 9 Zeit für Oma", "Zeit für Oma"),
        ("ru", "завтра в 9 по почте отправить", "по почте отправить"),
        ("zh", "明天 9:00 时间管理课", "时间管理课"),
    ],
)
def test_words_resembling_time_zone_remain_in_text(language: str, text: str, what: str) -> None:
    due, _, found = read_reminder(language, text)
    assert (due, found) == ("23.11.26 09:00", what)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("at 25 leave", "none"),
        ("tomorrow at 25:61 leave", "none"),
        ("tomorrow at 25.61 leave", "none"),
        ("at 25:99 leave", "none"),
        ("2026-02-30 9:00 leave", "none"),
        ("9999-12-31 23:59 leave", "far"),
        ("Sunday the 22nd at 9 leave", "passed"),
        ("Thursday the 1st at 9 leave", "none"),
        ("in 99999 days leave", "far"),
        ("2020-01-01 9:00 leave", "passed"),
        ("today 9:00 leave", "passed"),
        ("this morning at 9 leave", "passed"),
        ("at 9 this morning leave", "passed"),
        ("in 0 minutes leave", "passed"),
        ("in 0 months leave", "passed"),
        ("on 31 February at 9 x", "none"),
        ("早上零点出发", "none"),
        ("Thursday 4 December 9:00 x", "none"),
        ("on 29 February 2027 x", "none"),
        ("on 28 March 2027 at 2:30 x", "none"),
    ],
)
def test_rejects_impossible_past_or_distant_time(text: str, why: str) -> None:
    assert parse_reminder_phrase(text, NOW) == why


@pytest.mark.parametrize(("language", "text"), [("de", "um 8 morgen Oma anrufen"), ("es", "a las 8 mañana llamar")])
def test_morgen_and_manana_after_hour_mean_tomorrow(language: str, text: str) -> None:
    with use_language(language):
        found = parse_reminder_phrase(text, NOW.replace(hour=6))
    assert isinstance(found, NewReminder)
    assert found.local == datetime(2026, 11, 23, 8)  # noqa: DTZ001 - a wall clock has no zone


@pytest.mark.parametrize("text", ["9999-12-31 23:59 leave", "9999-12-31 24:00 leave"])
def test_last_calendar_day_is_too_far_in_western_time_zone(text: str) -> None:
    assert parse_reminder_phrase(text, NOW.astimezone(ZoneInfo("America/New_York"))) == "far"


@pytest.mark.parametrize(
    ("hour", "text", "due"),
    [(1, "tonight at 3 feed the baby", "22.11.26 03:00"), (1, "tonight at 5am feed the baby", "22.11.26 05:00")],
)
def test_tonight_after_midnight_means_same_night(hour: int, text: str, due: str) -> None:
    found = parse_reminder_phrase(text, NOW.replace(hour=hour))
    assert isinstance(found, UncertainReminder)
    assert found.reminder is not None
    assert f"{found.reminder.due_at.astimezone(BERLIN):%d.%m.%y %H:%M}" == due


def test_only_clock_time_keeps_local_time() -> None:
    """A clock time follows its owner to another time zone, but a delay does not."""
    clock, distance = parse_reminder_phrase("17:00 go", NOW), parse_reminder_phrase("in 2 hours go", NOW)
    assert isinstance(clock, NewReminder)
    assert clock.local == datetime(2026, 11, 22, 17)  # noqa: DTZ001 - a wall clock has no zone
    assert clock.due_at == datetime(2026, 11, 22, 16, tzinfo=UTC)
    assert isinstance(distance, NewReminder)
    assert distance.local is None


def test_delays_in_hours_and_days_are_correct_across_dst_change() -> None:
    found = parse_reminder_phrase("in 2 hours go", datetime(2027, 3, 28, 1, 30, tzinfo=BERLIN))
    assert isinstance(found, NewReminder)
    assert found.due_at == datetime(2027, 3, 28, 2, 30, tzinfo=UTC)
    day = parse_reminder_phrase("in 1 day go", datetime(2027, 3, 27, 14, 0, tzinfo=BERLIN))
    assert isinstance(day, NewReminder)
    assert day.due_at == datetime(2027, 3, 28, 12, 0, tzinfo=UTC), "a day later the clock shows the same"


_PARTS = "on at in every next Friday 31 9 5:30 pm day week minutes tomorrow noon the 1st to call 2026-02-30 ２ 99:99"


@given(st.lists(st.sampled_from(_PARTS.split()), max_size=12))
def test_arbitrary_time_words_never_set_invalid_reminder(parts: list[str]) -> None:
    found = parse_reminder_phrase(" ".join(parts), NOW)
    assert not isinstance(found, NewReminder) or (found.due_at > NOW and 0 < len(found.text) <= MAX_REMINDER_CHARS)


@pytest.mark.parametrize("text", ["at 9 " + "on " * 300, "9:30 " + "at " * 300, "every " + "on " * 300])
def test_reads_many_prepositions_in_linear_time(text: str) -> None:
    """Each preposition began a time that reached to the end: ten seconds for 300 of them."""
    with use_language("en"), count_units() as stopwatch:
        parse_reminder_phrase(text, NOW)
    assert stopwatch.units < 1_000


def test_reads_many_commas_between_words_in_linear_time() -> None:
    """Each gap before "birthday" was divided in all ways: 80 s for four gaps of 80 commas."""
    gap = "," * 200 + " "
    with use_language("en"), count_units() as stopwatch:
        parse_reminder_phrase(f"at 9 on a{gap}b{gap}c{gap}d e birthday dinner", NOW)
    assert stopwatch.units < 1_000
