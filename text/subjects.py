"""What a text is broadly about, in many languages: code, databases, food, travel … Pure, and data.

A condition ("when I ask for code") names its subject in other words than the question that it is meant for ("fix this
script"), so both are compared by subject. A text may have several subjects, or none that is known here. Does not know
questions, facts or stores.
"""

# ruff: noqa: E501, ISC004 - words of many languages, in patterns

from functools import lru_cache

from text.analyzer import folded, normal
from text.patterns import Pattern

CACHED = 2_000
LOOKED_AT = 2_000
"""Characters of a text of which the subjects are read."""

# Beginnings of folded words; Chinese, Japanese and Korean anywhere.
_WORDS = {
    "code": (
        r"cod(?:e|ing|ed|igo)(?!\w*(?: postal|-?word))|program(?!me of)\w*|function|script|python|javascript|typescript|java|rust|golang|kotlin|c\+\+|bug|debug|regex|class(?:es)? in|api|unit test|refactor|algorithm|compil|snippet of|pull request|sql|bash|html|css"
        r"|funktion|skript|quelltext|quellcode|fehler in diesem|algorithmus|funcion|algoritm|programa(?:r|cion|cao)|funcao|funcoes|fonction|funzion|codice"
        r"|код|функци|скрипт|програм|питон|алгоритм|регулярн\w+ выраж",
        "代码|代碼|函数|函數|脚本|腳本|编程|編程|程序|程式|算法|コード|関数|スクリプト|코드|함수|스크립트|كود|دالة|برمج",
    ),
    "database": (
        r"database|data base|sql|postgres|mysql|sqlite|mariadb|mongo|redis|schema|quer(?:y|ies)|datenbank|abfrage|base de dat?os|bases? de donnees|consulta sql|banco de dados|basi di dati|baz\w+ danych|veritaban|баз\w+ данных|баз[ауыео]\b|запрос",
        "数据库|資料庫|數據庫|查询|データベース|데이터베이스|قاعدة بيانات",
    ),
    "food": (
        r"recipe|cook|bake|baking|bread|cake|dinner|lunch|breakfast|meal|dish(?:es)?\b|ingredient|kitchen|soup|lasagn|pasta|egg|rezept|koch|back(?:e|en)\b|kuchen|essen|mahlzeit|zutat|gericht|abendessen|receta|cocin|bizcocho|cenar?\b|comida|almuerzo|ingrediente|receita|cozinh|bolo\b|jantar|almoco|recette|cuisin|gateau|diner|ricett|cucin|recept|kook|tarif\b|yemek|przepis|gotowa"
        r"|рецепт|готов|свар|испеч|выпеч|блюд|ужин|обед|завтрак|пирог|сырник|ингредиент",
        "菜谱|菜譜|食谱|食譜|做菜|怎么做|做饭|做飯|烧|红烧|炒|炖|煮|烤|晚饭|晚餐|レシピ|料理|요리|레시피|وصفة|طبخ",
    ),
    "drink": (
        r"drink|tea\b|coffee|juice|wine|beer|beverage|latte|trink|tee\b|kaffee|saft|wein|bier|beb(?:er|o|ida)|te\b|cafe\b|vino|zumo|cerveza|cha\b|suco|vinho|boire|boisson|the\b(?= ou)|пить|чай|кофе|напит|сок\b|вин[оа]\b|пив",
        "喝|茶|咖啡|饮料|飲料|果汁|酒|飲み物|コーヒー|お茶|마시|커피|차를",
    ),
    "travel": (
        r"travel|trip|flight|fly\b|flying|plane|train|hotel|airport|seat|vacation|holiday|itinerary|book(?:ing)? (?:a|me|the) |hike|reise|flug|flieg|zug\b|bahn|urlaub|unterkunft|viaj|vuelo|avion|tren\b|vacacion|viagem|voo\b|aviao|trem\b|ferias|voyag|vol\b|vacances|viaggi|volo|vacanz|путешеств|поезд|самолет|рейс|отель|гостиниц|отпуск|билет",
        "旅行|旅游|旅遊|航班|飞机|飛機|火车|火車|酒店|机票|機票|度假|ホテル|飛行機|여행|비행기|호텔|سفر|رحلة|فندق",
    ),
    "distance": (
        r"distanc|how far|how long is the (?:way|road|walk|drive)|kilomet|miles?\b|far (?:away|is|from)|entfern|wie weit|strecke|a que distancia|cuanto hay de|lejos|que tan lejos|quanto e de|longe|combien de kilometres|a quelle distance|quanto dista|afstand|hoe ver|odleglosc|jak daleko|mesafe|ne kadar uzak|расстоян|как далеко|далеко ли|сколько (?:км|километр)",
        "多远|多遠|距离|距離|公里|英里|どのくらい離れ|얼마나 멀|كم يبعد|المسافة",
    ),
    "weather": (
        r"weather|temperature|forecast|rain|snow|degrees|wetter|temperatur|regen|clima\b|lluvia|tiempo (?:hace|hara)|chuva|meteo|pluie|tempo (?:fa|atmosferico)|pogod|hava durumu|погод|температур|дожд|прогноз",
        "天气|天氣|气温|氣溫|温度|下雨|天気|気温|날씨|기온|الطقس|الحرارة",
    ),
    "writing": (
        r"e-?mail|letter\b|cover letter|essay|draft|blog|poem|proofread|brief an|anschreiben|aufsatz|gedicht|correo|carta\b|ensayo|redacta|poema|redacao|lettre|poeme|lettera|письм|эссе|сочинен|стих",
        "邮件|郵件|信件|作文|文章|诗|詩|メール|手紙|이메일|편지|رسالة|بريد",
    ),
    "translation": (
        r"translat|ubersetz|traduc|traduz|traduir|traduis|tradur|vertaal|tlumacz|cevir|перевед|перевод",
        "翻译|翻譯|翻訳|번역|ترجم",
    ),
    "numbers": (
        r"calculat|comput|sum of|percent|math|equation|how many|how much|rechn|berechn|prozent|gleichung|mathe|calcul|ecuacion|porcentaje|equacao|porcentagem|matemat|вычисл|посчит|рассчит|процент|уравнен|математ",
        "计算|計算|百分|方程|数学|數學|계산|수학|احسب",
    ),
    "health": (
        r"health|doctor|medic|symptom|pain\b|ache|sick|ill\b|sleep|allerg|gesund|arzt|medizin|schmerz|krank|schlaf|salud|dolor|enferm|saude|dor\b|doente|sante|malade|salute|malat|здоров|врач|лекарств|болит|болезн|симптом|аллерг",
        "健康|医生|醫生|药|藥|疼|病|症状|睡眠|病院|건강|의사|صحة|طبيب",
    ),
    "sport": (
        r"workout|exercis|training|gym\b|run(?:ning)?\b|jog|yoga|football|swim|trainingsplan|sport|laufen|ejercicio|entren|correr|exercicio|treino|entrainement|allenament|тренировк|спорт|бег|упражнен|зал\b",
        "锻炼|鍛煉|健身|跑步|运动|運動|瑜伽|トレーニング|운동|رياض|تمرين",
    ),
    "money": (
        r"money|price|cost|budget|invest|salary|tax|dollar|euro\b|euros\b|currency|geld|preis|kosten|gehalt|steuer|dinero|precio|cuesta|presupuesto|impuesto|dinheiro|preco|custa|orcamento|argent|prix\b|soldi|prezzo|деньг|цен[аыу]\b|стоит|бюджет|налог|рубл|доллар|евро",
        "钱|錢|价格|價格|多少钱|预算|預算|工资|税|お金|値段|돈|가격|سعر|مال",
    ),
    "music": (
        r"music|song|album|band\b|playlist|concert|guitar|piano|musik|lied\b|konzert|musica|cancion|canciones|cancao|musique|chanson|canzon|музык|песн|альбом|концерт",
        "音乐|音樂|歌|专辑|專輯|演唱会|音楽|曲|음악|노래|موسيقى|اغنية",
    ),
    "film": (
        r"film|movie|cinema|series\b|watch tonight|pelicula|serie\b|filme|кино|фильм|сериал",
        "电影|電影|剧|劇|映画|ドラマ|영화|فيلم",
    ),
    "book": (
        r"novel|book(?:s)?\b|reading list|author|buch|bucher|roman\b|libro|livro|livre|książk|książek|книг|роман\b",
        "书|書|小说|小說|本を|책|소설|كتاب|رواية",
    ),
    "clothes": (
        r"wear|clothes|shoe|dress\b|jacket|outfit|kleid|schuh|jacke|anzieh|ropa|zapato|vestid|roupa|sapato|vetement|chaussure|одежд|обув|ботин|куртк|наде(?:ть|нь)",
        "衣服|鞋|穿|外套|服を|靴|옷|신발|ملابس",
    ),
    "date": (
        r"what time|date format|calendar|schedul|appointment|meeting|uhrzeit|termin|kalender|que hora|cita\b|calendario|agenda|que horas|reuniao|reunion|rendez-vous|который час|во сколько|встреч|расписан|календар",
        "几点|幾點|时间表|日历|日程|会议|會議|予定|会議|일정|회의|موعد|اجتماع",
    ),
    "history": (r"history|historic|geschichte|historia|histoire|storia|истори", "历史|歷史|역사|تاريخ"),
    "science": (
        r"physics|chemis|biolog|physik|chemie|fisica|quimica|физик|хими|биолог",
        "物理|化学|化學|生物|물리|화학",
    ),
}
_PATTERNS = {
    name: Pattern(folded(rf"(?<![^\W\d_\u2e80-\uffff])(?:{spaced})|(?:{dense})"))
    for name, (spaced, dense) in _WORDS.items()
}


@lru_cache(maxsize=CACHED)
def subjects(text: str) -> frozenset[str]:
    """The subjects of a text, by name."""
    plain = folded(normal(text[:LOOKED_AT]))
    return frozenset(name for name, pattern in _PATTERNS.items() if pattern.search(plain))
