"""Tests of spoken times, named days, and ordinary reminders that are set without confirmation."""

import pytest

from locales.catalog import use_language
from records.reminders import NewReminder
from reminders.phrases import UncertainReminder, parse_reminder_phrase
from tests.unit.reminders.test_phrases import NOW, read_reminder

TIMES = {
    "en": (
        "at 9|tomorrow at 9|at 9:30|9am|at 7pm|tomorrow at 18:00|on Friday at 10|in 20 minutes|in 2 hours|"
        "tonight at 8|every day at 8|every Monday at 9|on 3 December at 9|today at 17:00|tomorrow 9am"
    ),
    "de": (
        "um 9|morgen um 9|um 9:30|um 9 Uhr|um 19 Uhr|morgen um 18:00|am Freitag um 10|in 20 Minuten|"
        "in 2 Stunden|heute Abend um 8|jeden Tag um 8|jeden Montag um 9|am 3. Dezember um 9|heute um 17 Uhr|"
        "9 Uhr"
    ),
    "es": (
        "a las 9|mañana a las 9|a las 9:30|a las 9 de la mañana|a las 7 de la tarde|mañana a las 18:00|"
        "el viernes a las 10|en 20 minutos|en 2 horas|esta noche a las 8|todos los días a las 8|"
        "cada lunes a las 9|el 3 de diciembre a las 9|hoy a las 17:00|9:00"
    ),
    "pt": (
        "às 9|amanhã às 9|às 9:30|às 9h|às 7 da noite|amanhã às 18:00|na sexta às 10|em 20 minutos|"
        "daqui a 2 horas|hoje à noite às 8|todos os dias às 8|toda segunda às 9|no dia 3 de dezembro às 9|"
        "hoje às 17h|14h30"
    ),
    "ru": (
        "в 9|завтра в 9|в 9:30|в 9 утра|в 7 вечера|завтра в 18:00|в пятницу в 10|через 20 минут|через 2 часа|"
        "сегодня вечером в 8|каждый день в 8|каждый понедельник в 9|3 декабря в 9|сегодня в 17:00|9:00"
    ),
    "zh": (
        "9点|明天9点|9:30|上午9点|晚上7点|明天18:00|周五10点|过20分钟|过2小时|今晚8点|每天8点|每周一9点|12月3日9点|今天17:00|明天上午9点"
    ),
    "ar": (
        "الساعة 9|غدا الساعة 9|الساعة 9:30|الساعة 9 صباحا|الساعة 7 مساء|غدا 18:00|الجمعة الساعة 10|"
        "بعد 20 دقيقة|بعد ساعتين|الليلة الساعة 8|كل يوم الساعة 8|كل اثنين الساعة 9|3 ديسمبر الساعة 9|"
        "اليوم الساعة 17:00|9:00"
    ),
}
TEXTS = {
    "en": (
        "call Anna|Call mum|dentist|take my pills|Water the plants|buy birthday cake for Tom|"
        "send the report to Bob|team meeting|Zoom with Sarah|pick up kids from school|"
        "on the way home buy milk|in the office print the forms|gym|Pay rent|order new shoes|"
        "call the bank about the card|Doctor Smith appointment|take out the trash|feed the cat|Standup|"
        "buy flowers for Mother's Day|check in for the flight to Boston|talk to Paris about school|"
        "watch the game with Max|laundry"
    ),
    "de": (
        "Anna anrufen|Zahnarzt|Mama anrufen|Tabletten nehmen|Blumen gießen|am Bahnhof Tom abholen|"
        "Bericht an Bob schicken|Besprechung mit dem Team|Geburtstagskuchen backen|"
        "Kinder von der Schule abholen|in der Apotheke das Rezept holen|zum Sport|Miete zahlen|"
        "im Büro die Formulare drucken|neue Schuhe bestellen|Katze füttern|an der Uni anmelden|"
        "Müll rausbringen|Wäsche|mit Max telefonieren|nach Hause fahren|Arzttermin bei Dr. Schmidt|"
        "Oma zum Geburtstag gratulieren|Brot kaufen|Auto in die Werkstatt bringen"
    ),
    "es": (
        "llamar a Ana|dentista|tomar las pastillas|regar las plantas|Reunión con el equipo|"
        "comprar la tarta de cumpleaños|enviar el informe a Luis|recoger a los niños|en casa preparar la cena|"
        "ir al gimnasio|pagar el alquiler|comprar zapatos nuevos|sacar la basura|dar de comer al gato|"
        "médico|Llamar al banco|en la oficina imprimir los papeles|hablar con Carmen|ver el partido|"
        "lavar la ropa|por la farmacia recoger la receta|cita con el doctor Pérez|comprar pan|"
        "de camino a casa comprar leche|felicitar a Marta"
    ),
    "pt": (
        "ligar para a Ana|dentista|tomar o remédio|regar as plantas|Reunião com a equipe|"
        "comprar o bolo de aniversário|enviar o relatório para o João|buscar as crianças na escola|"
        "em casa fazer o jantar|academia|pagar o aluguel|comprar sapatos novos|levar o lixo|"
        "dar comida ao gato|no médico levar os exames|Ligar para o banco|no escritório imprimir os papéis|"
        "falar com a Maria|ver o jogo|lavar roupa|na farmácia buscar a receita|consulta com o doutor Silva|"
        "comprar pão|no caminho de casa comprar leite|dar parabéns à Marta"
    ),
    "ru": (
        "позвонить Ане|стоматолог|выпить таблетки|полить цветы|Созвон с командой|"
        "купить торт на день рождения Тома|отправить отчёт Ивану|забрать детей из школы|на работу|в спортзал|"
        "заплатить за квартиру|купить новые туфли|вынести мусор|покормить кота|к врачу|"
        "Позвонить в банк|в офисе распечатать документы|поговорить с Машей|посмотреть футбол|постирать|"
        "в аптеку за рецептом|приём у доктора Петрова|купить хлеб|по дороге домой купить молоко|"
        "встретить Олю на вокзале"
    ),
    "zh": (
        "给安娜打电话|看牙医|吃药|浇花|开会|买生日蛋糕|把报告发给小王|接孩子放学|回家做饭|去健身房|交房租|买新鞋|倒垃圾|喂猫|去医院|给银行打电话|在公司打印文件|和小李谈话|看比赛|洗衣服|"
        "去药店拿药|见张医生|买面包|在路上买牛奶|上海出差"
    ),
    "ar": (
        "اتصل بآنا|طبيب الأسنان|تناول الدواء|سقي النباتات|اجتماع مع الفريق|شراء كعكة عيد الميلاد|"
        "إرسال التقرير إلى أحمد|إحضار الأطفال من المدرسة|في البيت تحضير العشاء|الذهاب إلى النادي|دفع الإيجار|"
        "شراء هدايا للعيد|إخراج القمامة|إطعام القطة|موعد الطبيب|الاتصال بالبنك|في المكتب طباعة الأوراق|"
        "التحدث مع سارة|مشاهدة المباراة|غسل الملابس|الصيدلية لأخذ الدواء|موعد مع الدكتور علي|شراء الخبز|"
        "شراء الحليب في الطريق|تهنئة مريم"
    ),
}


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "in half an hour call", ("22.11.26 14:50", "", "call")),
        ("en", "in 1.5 hours call", ("22.11.26 15:50", "", "call")),
        ("en", "in 1h30m call", ("22.11.26 15:50", "", "call")),
        ("en", "in 1h 30min call", ("22.11.26 15:50", "", "call")),
        ("en", "in 2 and a half hours call", ("22.11.26 16:50", "", "call")),
        ("en", "at a quarter to nine call", ("23.11.26 08:45", "", "call")),
        ("en", "at nine thirty call", ("23.11.26 09:30", "", "call")),
        ("en", "on Mondays at 9 gym", ("23.11.26 09:00", "weekly", "gym")),
        ("en", "daily at 8 pills", ("23.11.26 08:00", "daily", "pills")),
        ("en", "every evening at 8 pills", ("22.11.26 20:00", "daily", "pills")),
        ("de", "in einer halben Stunde anrufen", ("22.11.26 14:50", "", "anrufen")),
        ("de", "in anderthalb Stunden anrufen", ("22.11.26 15:50", "", "anrufen")),
        ("de", "in 1,5 Stunden anrufen", ("22.11.26 15:50", "", "anrufen")),
        ("de", "in einer Stunde und 30 Minuten anrufen", ("22.11.26 15:50", "", "anrufen")),
        ("de", "um viertel nach 9 Zahnarzt", ("23.11.26 09:15", "", "Zahnarzt")),
        ("de", "um halb eins Mittagessen", ("23.11.26 12:30", "", "Mittagessen")),
        ("de", "um acht uhr dreißig Müll", ("23.11.26 08:30", "", "Müll")),
        ("zh", "明天0点半出发", ("23.11.26 00:30", "", "出发")),
        ("es", "a las 0 y media salir", ("23.11.26 00:30", "", "salir")),
        ("de", "montags um 9 Sport", ("23.11.26 09:00", "weekly", "Sport")),
        ("de", "täglich um 8 Tabletten", ("23.11.26 08:00", "daily", "Tabletten")),
        ("de", "jeden Morgen um halb sieben aufstehen", ("23.11.26 06:30", "daily", "aufstehen")),
        ("es", "en media hora llamar", ("22.11.26 14:50", "", "llamar")),
        ("es", "mañana a las 9 y media de la noche cena", ("23.11.26 21:30", "", "cena")),
        ("es", "todas las noches a las 9 pastillas", ("22.11.26 21:00", "daily", "pastillas")),
        ("pt", "daqui a meia hora ligar", ("22.11.26 14:50", "", "ligar")),
        ("pt", "às 8 e meia da noite jantar", ("22.11.26 20:30", "", "jantar")),
        ("pt", "às segundas às 9 lixo", ("23.11.26 09:00", "weekly", "lixo")),
        ("ru", "через полчаса позвонить", ("22.11.26 14:50", "", "позвонить")),
        ("ru", "через полтора часа позвонить", ("22.11.26 15:50", "", "позвонить")),
        ("ru", "через 1 час 30 минут позвонить", ("22.11.26 15:50", "", "позвонить")),
        ("ru", "в полдевятого стоматолог", ("23.11.26 08:30", "", "стоматолог")),
        ("ru", "в час дня обед", ("23.11.26 13:00", "", "обед")),
        ("ru", "каждое утро в 8 таблетки", ("23.11.26 08:00", "daily", "таблетки")),
        ("zh", "半小时后打电话", ("22.11.26 14:50", "", "打电话")),
        ("zh", "20分钟后提醒我喝水", ("22.11.26 14:40", "", "喝水")),
        ("zh", "二十分钟后喝水", ("22.11.26 14:40", "", "喝水")),
        ("zh", "三天后交作业", ("25.11.26 14:20", "", "交作业")),
        ("zh", "下周五 交报告", ("27.11.26 09:00", "", "交报告")),
        ("zh", "下周一上午九点半开会", ("23.11.26 09:30", "", "开会")),
        ("zh", "三点开会", ("23.11.26 03:00", "", "开会")),
        ("zh", "下午三点开会", ("22.11.26 15:00", "", "开会")),
        ("zh", "明天9点和安开会", ("23.11.26 09:00", "", "和安开会")),
        ("zh", "3点一刻开会", ("23.11.26 03:15", "", "开会")),
        ("zh", "每天早上八点吃药", ("23.11.26 08:00", "daily", "吃药")),
        ("zh", "每晚8点吃药", ("22.11.26 20:00", "daily", "吃药")),
        ("zh", "每月1号交房租", ("01.12.26 09:00", "monthly", "交房租")),
        ("zh", "明晚8点看电影", ("23.11.26 20:00", "", "看电影")),
        ("zh", "十二月二十五日晚上七点吃饭", ("25.12.26 19:00", "", "吃饭")),
        ("zh", "9点买一点水果", ("23.11.26 09:00", "", "买一点水果")),
        ("zh", "9点前往机场", ("23.11.26 09:00", "", "前往机场")),
        ("ar", "التاسعة اتصل", ("23.11.26 09:00", "", "اتصل")),
        ("ar", "الساعة التاسعة صباحا اتصل", ("23.11.26 09:00", "", "اتصل")),
        ("ar", "الساعة الثامنة والنصف صباحا أمي", ("23.11.26 08:30", "", "أمي")),
        ("ar", "غدا في الساعة العاشرة اجتماع", ("23.11.26 10:00", "", "اجتماع")),
        ("ar", "الساعة 3 عصرا طبيب", ("22.11.26 15:00", "", "طبيب")),
        ("ar", "بعد ساعتين اتصل", ("22.11.26 16:20", "", "اتصل")),
        ("ar", "يوميا الساعة 8 الدواء", ("23.11.26 08:00", "daily", "الدواء")),
        ("ar", "الأحد القادم الساعة 9 اجتماع", ("29.11.26 09:00", "", "اجتماع")),
        ("en", "in twenty minutes call", ("22.11.26 14:40", "", "call")),
        ("en", "at ten past nine call", ("23.11.26 09:10", "", "call")),
        ("en", "at ten to nine call", ("23.11.26 08:50", "", "call")),
        ("en", "tmrw 9am call", ("23.11.26 09:00", "", "call")),
        ("de", "um fünf vor halb neun Zahnarzt", ("23.11.26 08:25", "", "Zahnarzt")),
        ("de", "in zwanzig Minuten anrufen", ("22.11.26 14:40", "", "anrufen")),
        ("de", "um zehn nach Hause fahren", ("23.11.26 10:00", "", "nach Hause fahren")),
        ("es", "a las diez menos diez llamar", ("23.11.26 09:50", "", "llamar")),
        ("pt", "às dez e quinze ligar", ("23.11.26 10:15", "", "ligar")),
        ("ru", "без пятнадцати десять позвонить", ("23.11.26 09:45", "", "позвонить")),
        ("ru", "через тридцать минут позвонить", ("22.11.26 14:50", "", "позвонить")),
        ("ar", "بعد عشرين دقيقة اتصل", ("22.11.26 14:40", "", "اتصل")),
        ("en", "à neuf heures vingt appeler Anne", ("23.11.26 09:20", "", "appeler Anne")),
        ("zh", "礼拜天上午九点打电话", ("29.11.26 09:00", "", "打电话")),
        ("zh", "明天9点做礼拜", ("23.11.26 09:00", "", "做礼拜")),
    ],
)
def test_parses_spoken_time(language: str, text: str, expected: tuple[str, str, str]) -> None:
    assert read_reminder(language, text) == expected


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("en", "at 9 Christmas dinner", "Christmas"),
        ("en", "at 9 on my birthday call mum", "birthday"),
        ("en", "at 9 on the wedding day call", "wedding day"),
        ("en", "at 9 call mum on Christmas", "Christmas"),
        ("en", "at 9 call mum on Christmas Eve", "Christmas Eve"),
        ("en", "at 9 call mum Christmas Eve", "Christmas Eve"),
        ("en", "9am Thanksgiving call", "Thanksgiving"),
        ("en", "at 9 call mum Christmas about cake", "Christmas"),
        ("en", "at 9 on thanksgiving call", "thanksgiving"),
        ("en", "at 8pm New Year's Eve party", "New Year's Eve"),
        ("en", "at 9 easter eggs", "easter"),
        ("en", "at 9 on our anniversary dinner", "anniversary"),
        ("en", "at 9 Mother's Day call", "Mother's Day"),
        ("en", "at 9 at Easter call Ann", "at Easter"),
        ("zh", "9点圣诞节", "圣诞节"),
        ("zh", "9点圣诞节吃饭", "圣诞节"),
        ("zh", "圣诞节9点吃饭", "圣诞节9点吃饭"),
        ("zh", "9点 春节给奶奶打电话", "春节"),
        ("zh", "除夕晚上8点 吃饭", "除夕晚上8点"),
        ("zh", "9点生日那天打电话", "生日那天"),
        ("de", "um 9 Weihnachten", "Weihnachten"),
        ("de", "um 9 weihnachten anrufen", "weihnachten"),
        ("de", "um 9 an Weihnachten Oma anrufen", "Weihnachten"),
        ("de", "um 9 Oma anrufen an Weihnachten", "Weihnachten"),
        ("de", "um 9 zu ostern oma anrufen", "ostern"),
        ("de", "um 9 an meinem Geburtstag Mama anrufen", "Geburtstag"),
        ("de", "um 9 am Muttertag Mama anrufen", "Muttertag"),
        ("de", "um 9 am Feiertag laufen", "Feiertag"),
        ("de", "um 20 Uhr Silvester Feuerwerk", "Silvester"),
        ("es", "a las 9 en navidad cena", "en navidad"),
        ("es", "a las 9 Nochebuena cena", "Nochebuena"),
        ("es", "a las 9 el día de mi cumpleaños llamar", "día de mi cumpleaños"),
        ("es", "a las 9 en mi cumpleaños llamar a mamá", "cumpleaños"),
        ("es", "a las 9 el día de Navidad llamar", "día de Navidad"),
        ("pt", "às 9 no natal jantar", "natal"),
        ("pt", "às 9 na páscoa ligar", "páscoa"),
        ("pt", "às 9 no meu aniversário ligar para mamãe", "aniversário"),
        ("pt", "às 9 Natal ceia", "Natal"),
        ("ru", "в 9 на пасху кулич", "пасху"),
        ("ru", "в 9 Рождество звонок", "Рождество"),
        ("ru", "в 9 на рождество позвонить", "рождество"),
        ("ru", "в 9 на мой день рождения позвонить маме", "день рождения"),
        ("ru", "в 9 в Новый год позвонить", "Новый год"),
        ("ru", "в 9 на новый год позвонить", "новый год"),
        ("ar", "الساعة 9 عيد الفطر اتصل", "عيد الفطر"),
        ("ar", "الساعة 9 رمضان", "رمضان"),
        ("ar", "الساعة 9 في عيد ميلادي اتصل", "عيد ميلادي"),
        ("ar", "الساعة 9 يوم العيد اتصل", "يوم العيد"),
        ("en", "9am San Francisco", "San Francisco"),
        ("en", "9am San Francisco call Ann", "San Francisco"),
        ("en", "tomorrow 9am in San Francisco call", "in San Francisco"),
        ("zh", "3点之前 打电话", "之前"),
        ("zh", "3点前打电话", "前打电话"),
        ("zh", "3点以前到机场", "以前到机场"),
        ("zh", "明天3点之前打电话", "之前打电话"),
        ("en", "10 min check oven", "10"),
        ("ar", "10 دقائق الفرن", "10 دقائق"),
        ("en", "in 2 hours 30 eggs", "30"),
        ("en", "in 1.5 months x", "in 1.5 months"),
    ],
)
def test_ambiguous_day_place_or_number_makes_reminder_uncertain(language: str, text: str, words: str) -> None:
    with use_language(language):
        found = parse_reminder_phrase(text, NOW)
    assert isinstance(found, UncertainReminder), found
    assert found.words == words


@pytest.mark.parametrize("language", TIMES)
def test_sets_ordinary_reminders_with_unchanged_text(language: str) -> None:
    """Each of 25 texts follows three of 15 times. In Chinese, every second request has no space between them."""
    times, texts = TIMES[language].split("|"), TEXTS[language].split("|")
    asked = {}
    for number in range(3 * len(texts)):
        time, text = times[number % len(times)], texts[(number * 7 + number // len(texts)) % len(texts)]
        request = f"{time}{text}" if language == "zh" and number % 2 else f"{time} {text}"
        with use_language(language):
            found = parse_reminder_phrase(request, NOW)
        if not isinstance(found, NewReminder) or found.text != text:
            asked[request] = found
    assert asked == {}
