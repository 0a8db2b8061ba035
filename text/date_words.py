"""How languages name times, as data: months, weekdays, numbers, units, and the words before or after them.

For folded text (analyzer.py): lower case, without diacritics. Does not know clocks or ranges.
"""

# ruff: noqa: E501, ISC004 - words of many languages, in patterns

# Month names as prefixes of folded words, January first, by language; a case ending of up to four letters may follow.
MONTHS = (
    "january february march april may june july august september october november december",
    "januar februar maerz|marz april mai juni juli august september oktober november dezember",
    "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre diciembre",
    "janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "ocak|ocag subat mart nisan mayis haziran temmuz agustos eylul ekim kasim aralik|aralig",
    "stycz lut maj~ kwie maj czerw lip sierp wrzes|wrzesn pazdz listopad grud",
    "январ феврал март апрел ма июн июл август сентябр октябр ноябр декабр",
    "يناير فبراير مارس ابريل مايو يونيو يوليو اغسطس سبتمبر اكتوبر نوفمبر ديسمبر",
)
ENGLISH_MONTHS = tuple(MONTHS[0].split())
"""strftime's names would follow the machine's locale."""
# "May", "mars", "lip", "mei" and the like are also other words: they count only next to a number or "last", "this", "next".
AMBIGUOUS_MONTHS = "may march mars marco lut maj maj~ lip ma mai mei mart listopad ekim ocak stycz"
RUSSIAN_MAY = frozenset({"маи", "мая", "мае", "маю", "маем"})  # й without its sign is и

# Weekdays, Monday first. Plurals ("on Mondays") are habits and name no day.
WEEKDAYS = (
    r"monday|montag|lundi|lunes|segunda-feira|segunda passada|lunedi|maandag|pazartesi|poniedzial\w+|понедельник\w*|الاثنين",
    r"tuesday|dienstag|mardi|martes|terca-feira|terca passada|martedi|dinsdag|sali gunu|gecen sali|wtor(?:ek|ku)|вторник\w*|الثلاثاء",
    r"wednesday|mittwoch|mercredi|miercoles|quarta-feira|quarta passada|mercoledi|woensdag|carsamba|srod[aeoy]|сред[аеуы]|الاربعاء",
    r"thursday|donnerstag|jeudi|jueves|quinta-feira|quinta passada|giovedi|donderdag|persembe|czwart(?:ek|ku)|четверг\w*|الخميس",
    r"friday|freitag|vendredi|viernes|sexta-feira|sexta passada|venerdi|vrijdag|cuma|piat(?:ek|ku)|пятниц\w+|الجمعه",
    r"saturday|samstag|sonnabend|samedi|sabado|sabato|zaterdag|cumartesi|sobot[aey]|суббот\w+|السبت",
    r"sunday|sonntag|dimanche|domingo|domenica|zondag|pazar gunu|gecen pazar|niedziel[aei]|воскресень\w+|الاحد",
)
EASTERN_WEEKDAYS = (
    r"(?:周|週|星期|[礼禮]拜)一|月曜|월요일",
    r"(?:周|週|星期|[礼禮]拜)二|火曜|화요일",
    r"(?:周|週|星期|[礼禮]拜)三|水曜|수요일",
    r"(?:周|週|星期|[礼禮]拜)四|木曜|목요일",
    r"(?:周|週|星期|[礼禮]拜)五|金曜|금요일",
    r"(?:周|週|星期|[礼禮]拜)六|土曜|토요일",
    r"(?:周|週|星期|[礼禮]拜)[日天]|日曜|일요일",
)

# Words that may mean the one before the latest ("last Tuesday"), and words for one to come or for many.
LAST_BEFORE = r"last|letzte[nrms]?|vorige[nrms]?|vergangene[nrms]?|afgelopen|gecen|прошл\w+|zeszl\w+|ubiegl\w+"
EASTERN_LAST = r"上[个個]?|先週の?|지난(?: ?주)? ?"
LAST_AFTER = r"dernier|derniere|pasad[oa]|passad[oa]|scors[oa]|الماضي\w*"
NEXT_BEFORE = r"next|every|nachste[nrms]?|kommende[nrms]?|jede[nrms]?|prochaine?|proxim[oa]|chaque|cada|ogni|volgende|gelecek|her|следующ\w+|кажд\w+|przyszl\w+|kazd\w+"
EASTERN_NEXT = r"下[个個]?|每[个個]?|毎週?の?|来週の?|다음(?: ?주)? ?|매주 ?"
NEXT_AFTER = r"prochaine?|que viene|proxim[oa]|prossim[oa]|القادم\w*"

# Relative expressions: unit, how many units back the range starts, words, and words of scripts without spaces.
RELATIVE: tuple[tuple[str, int, str, str], ...] = (
    (
        "day",
        0,
        r"today|heute|aujourd'hui|hoy|hoje|oggi|vandaag|bugun|dzisiaj|dzis|сегодня|اليوم",
        r"今天|今日|오늘",
    ),
    (
        "day",
        1,
        r"yesterday|gestern|hier|ayer|ontem|ieri|gisteren|dun|wczoraj|вчера|(?:ال)?امس",
        r"昨天|昨日|きのう|어제",
    ),
    (
        "day",
        2,
        r"day before yesterday|vorgestern|avant-hier|anteayer|anteontem|l'altro ieri|eergisteren|evvelsi gun|позавчера|"
        r"przedwczoraj|اول امس",
        r"前天|おととい|一昨日|그저께",
    ),
    (
        "week",
        1,
        r"last week|letzte[nr]? woche|semaine derniere|semana pasada|semana passada|settimana scorsa|vorige week|"
        r"gecen hafta|(?:zesz|ub)\w+ tygodni\w*|на прошлой неделе|الاسبوع الماضي",
        r"上个?周|上個?週|上[个個]?星期|上[个個]?[礼禮]拜|先週|지난 ?주",
    ),
    (
        "month",
        1,
        r"last month|letzten monat|mois dernier|mes pasado|mes passado|mese scorso|vorige maand|gecen ay|(?:zesz|ub)\w+ miesiac\w*|"
        r"в прошлом месяце|الشهر الماضي",
        r"上个?月|先月|지난달",
    ),
    (
        "year",
        1,
        r"last year|letztes jahr|l'annee derniere|ano pasado|ano passado|anno scorso|vorig jaar|gecen yil|(?:zesz|ub)\w+ rok\w*|"
        r"в прошлом году|العام الماضي|السنه الماضيه",
        r"去年|昨年|작년",
    ),
    (
        "week",
        0,
        r"this week|diese woche|cette semaine|esta semana|questa settimana|bu hafta|на этой неделе",
        r"这周|本周|今週",
    ),
    (
        "month",
        0,
        r"this month|diesen monat|ce mois|este mes|questo mese|bu ay|в этом месяце",
        r"这个月|本月|今月",
    ),
    (
        "year",
        0,
        r"this year|dieses jahr|cette annee|este ano|quest'anno|bu yil|в этом году|هذا العام",
        r"今年",
    ),
)

NUMBERS = {
    word: number
    for number, words in enumerate(
        (
            "a an one ein eine einem einen einer un une una uno um uma een bir jeden jedna jedno один одну одна одно 한 일 一",
            "two couple zwei deux dos due dois duas twee iki dwa dwie два две двух 두 이 二 两 兩",
            "three drei trois tres tre drie uc trzy три трех ثلاث ثلاثه 세 삼 三",
            "four vier quatre cuatro quattro quatro dort cztery четыре четырех اربع اربعه 네 사 四",
            "five funf cinq cinco cinque vijf bes piec пять пяти خمس خمسه 다섯 오 五",
            "six sechs seis sei zes alti szesc шесть шести ست سته 여섯 육 六",
            "seven sieben sept siete sete sette zeven yedi siedem семь семи سبع سبعه 일곱 칠 七",
            "eight acht huit ocho oito otto sekiz osiem восемь восьми ثماني ثمانيه 여덟 팔 八",
            "nine neun neuf nueve nove negen dokuz dziewiec девять девяти تسع تسعه 아홉 구 九",
            "ten zehn dix diez dez dieci tien dziesiec десять десяти عشر عشره 열 십 十",
            "eleven elf onze undici одиннадцать 열한",
            "twelve zwolf douze doce doze dodici twaalf двенадцать 열두",
        ),
        1,
    )
    for word in words.split()
}
DUALS = {"يومين": "day", "اسبوعين": "week", "شهرين": "month", "سنتين": "year", "عامين": "year"}
UNITS = {
    "day": r"days?|tag|tage|tagen|jours?|dias?|giorn[oi]|dag|dagen|gun|dzien|dni|день|дн[еяи]\w*|يوم|يوما|ايام",
    "week": r"weeks?|wochen?|semaines?|semanas?|settiman[ae]|weken|hafta|tydzien|tygodni\w*|недел\w+|اسبوع|اسابيع",
    "month": r"months?|monat|monate|monaten|mois|mes|meses|mes[ei]|maand|maanden|ay|miesiac\w*|miesiec\w*|месяц\w*|شهر|اشهر|شهور",
    "year": r"years?|jahr|jahre|jahren|ans?|annees?|anos?|ann[oi]|jaar|jaren|yil|rok|lata|lat|год\w*|лет|سنه|سنوات|عام|اعوام",
}
EASTERN_UNITS = {
    "day": r"天|日間?|일",
    "week": r"周|週間?|个?星期|個?星期|个?[礼禮]拜|주일?",
    "month": r"个月|個月|[かヶカケ]月|箇月|달|개월",
    "year": r"年間?|년|해",
}
AGO_AFTER = r"ago|назад|temu|geleden|fa|atras|once|evvel|before now"
AGO_BEFORE = r"vor|il y a|hace|ha|قبل|منذ"
ALONE_AFTER = r"назад|temu"
"""Before these, and after the Arabic words of AGO_BEFORE, a unit alone means one of it."""
