"""Words for dates and times in the bot's seven languages, for folded text: lower case, without diacritics."""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date

# Month names as prefixes of folded words, January first, by language; a case ending of up to four letters may follow.
MONTHS = (
    "january february march april may june july august september october november december",
    "januar februar maerz|marz april mai juni juli august september oktober november dezember",
    "enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre diciembre",
    "janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro",
    "январ феврал март апрел ма июн|июнь|июня|июне июл|июль|июля|июле август сентябр октябр ноябр декабр",
    "يناير فبراير مارس ابريل مايو يونيو يوليو اغسطس سبتمبر اكتوبر نوفمبر ديسمبر",
)
ENGLISH_MONTHS = tuple(MONTHS[0].split())  # strftime's names would follow the machine's locale
# "May", "march" and the like are also other words: they count only next to a number or "last", "this", "next".
AMBIGUOUS_MONTHS = "may march marco ma mai mart"
RUSSIAN_MAY = frozenset({"маи", "мая", "мае", "маю", "маем"})  # й without its sign is и

# Weekdays, Monday first. Plurals ("on Mondays") are habits and name no day.
WEEKDAYS = (
    r"monday|montag|lunes|segunda-feira|segunda passada|понедельник\w*|الاثنين",
    r"tuesday|dienstag|martes|terca-feira|terca passada|вторник\w*|الثلاثاء",
    r"wednesday|mittwoch|miercoles|quarta-feira|quarta passada|сред[аеуы]|الاربعاء",
    r"thursday|donnerstag|jueves|quinta-feira|quinta passada|четверг\w*|الخميس",
    r"friday|freitag|viernes|sexta-feira|sexta passada|пятниц\w+|الجمعه",
    r"saturday|samstag|sonnabend|sabado|суббот\w+|السبت",
    r"sunday|sonntag|domingo|воскресень\w+|الاحد",
)
EASTERN_WEEKDAYS = tuple(rf"(?:周|週|星期|[礼禮]拜){day}" for day in ("一", "二", "三", "四", "五", "六", "[日天]"))

# Words that may mean the one before the latest ("last Tuesday"), and words for one to come or for many.
LAST_BEFORE = r"last|letzte[nrms]?|vorige[nrms]?|vergangene[nrms]?|прошл\w+"
EASTERN_LAST = r"上[个個]?"
LAST_AFTER = r"pasad[oa]|passad[oa]|الماضي\w*"
NEXT_BEFORE = r"next|every|nachste[nrms]?|kommende[nrms]?|jede[nrms]?|proxim[oa]|cada|следующ\w+|кажд\w+"
EASTERN_NEXT = r"下[个個]?|每[个個]?"
NEXT_AFTER = r"que viene|proxim[oa]|القادم\w*"

# Relative expressions: unit, how many units back the range starts, words, and words of scripts without spaces.
RELATIVE: tuple[tuple[str, int, str, str], ...] = (
    ("day", 0, r"today|heute|hoy|hoje|сегодня|اليوم", r"今天|今日"),
    ("day", 1, r"yesterday|gestern|ayer|ontem|вчера|(?:ال)?امس", r"昨天|昨日"),
    ("day", 2, r"day before yesterday|vorgestern|anteayer|anteontem|позавчера|اول امس", r"前天"),
    (
        "week",
        1,
        r"last week|letzte[nr]? woche|semana pass?ada|на прошлой неделе|الاسبوع الماضي",
        r"上[个個]?(?:周|週|星期|[礼禮]拜)",
    ),
    ("month", 1, r"last month|letzten monat|mes pasado|mes passado|в прошлом месяце|الشهر الماضي", r"上[个個]?月"),
    ("year", 1, r"last year|letztes jahr|ano pasado|ano passado|в прошлом году|العام الماضي|السنه الماضيه", r"去年"),
    ("week", 0, r"this week|diese woche|esta semana|на этой неделе|هذا الاسبوع", r"[这這本][周週]"),
    ("month", 0, r"this month|diesen monat|este mes|в этом месяце|هذا الشهر", r"[这這]个月|本月"),
    ("year", 0, r"this year|dieses jahr|este ano|в этом году|هذا العام", r"今年"),
)

NUMBERS = {
    word: number
    for number, words in enumerate(
        (
            "a an one ein eine einem einen einer un una uno um uma один одну одна одно 一",
            "two couple zwei dos dois duas два две двух 二 两 兩",
            "three drei tres три трех ثلاث ثلاثه 三",
            "four vier cuatro quatro четыре четырех اربع اربعه 四",
            "five funf cinco пять пяти خمس خمسه 五",
            "six sechs seis шесть шести ست سته 六",
            "seven sieben siete sete семь семи سبع سبعه 七",
            "eight acht ocho oito восемь восьми ثماني ثمانيه 八",
            "nine neun nueve nove девять девяти تسع تسعه 九",
            "ten zehn diez dez десять десяти عشر عشره 十",
            "eleven elf once onze одиннадцать",
            "twelve zwolf doce doze двенадцать",
        ),
        1,
    )
    for word in words.split()
}
DUALS = {"يومين": "day", "اسبوعين": "week", "شهرين": "month", "سنتين": "year", "عامين": "year"}
UNITS = {
    "day": r"days?|tage?n?|dias?|день|дн[еяи]\w*|يوم|يوما|ايام",
    "week": r"weeks?|wochen?|semanas?|недел\w+|اسبوع|اسابيع",
    "month": r"months?|monate?n?|mes|meses|месяц\w*|شهر|اشهر|شهور",
    "year": r"years?|jahre?n?|anos?|год\w*|лет|سنه|سنوات|عام|اعوام",
}
EASTERN_UNITS = {"day": r"天|日", "week": r"周|週|[个個]?(?:星期|[礼禮]拜)", "month": r"[个個]月", "year": r"年"}
AGO_AFTER = r"ago|назад|atras|before now"
AGO_BEFORE = r"vor|hace|ha|قبل|منذ"
ALONE_AFTER = r"назад"  # before this, and after the Arabic words of AGO_BEFORE, a unit alone means one of it

ISO_DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b")


def find_iso_dates(text: str) -> Iterator[date]:
    """Yield the dates in a text that are written like 2026-05-03."""
    for written in ISO_DATE.findall(text):
        with suppress(ValueError):
            yield date.fromisoformat(written)
