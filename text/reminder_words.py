"""How languages ask for a reminder, as data: "remind me", hours, parts of the day, "in two hours", "every".

For folded text (analyzer.py): lower case, without diacritics. Months and weekdays are in date_words.py. Does not know
clocks, or what becomes of a request.
"""

from collections.abc import Mapping
from dataclasses import dataclass

# ruff: noqa: E501 - words of many languages, in patterns


@dataclass(frozen=True, kw_only=True, slots=True)
class Words:
    """The words of one language, each entry a pattern of alternatives.

    `cue`: asks to be reminded; `recall`: what follows the cue where somebody asks what was said, not for a reminder.
    `at`: before an hour; `hour`: after it; `am`, `pm`: which half of the day. `parts`: morning, noon, afternoon,
    evening, night. `days`: today, tomorrow, the day after. `units`: minute, hour, day, week, month; `within`: a time
    from now, with {n} and {u}; `half`: in half an hour. `on`: before a day; `every`: before what repeats; `cycles`: daily, weekly, monthly in a
    word. `nth`: a day of the month, as the group. `to`: what joins the rest to the request.
    """

    cue: str
    recall: str
    at: str
    hour: str
    am: str
    pm: str
    parts: tuple[str, str, str, str, str]
    days: tuple[str, str, str]
    units: tuple[str, str, str, str, str]
    within: tuple[str, ...]
    half: str
    on: str
    every: str
    cycles: tuple[str, str, str]
    nth: str
    to: str


HINT = (
    r"remind|forget|erinner|bescheid|rapp[ea]l|recuerd|recordar|recordatorio|acuerd|acordar|olvid|avis[ae]|lembr|esquec|ricord|promemoria|herinner|hatirlat|"
    r"przypomn|напомин|напомни|забы|ذكر|نبهني|تذكير|提醒|忘|リマインド|思い出させ|知らせ|教えて|리마인드|상기|알림|알려"
)
"""In whatever asks for a reminder, in any of these languages: what lacks it is not read closely."""
SPACED: Mapping[str, Words] = {
    "english": Words(
        cue=r"(?:please |(?:can|could|will|would) you (?:please )?)?(?:remind (?:me|us)|(?:set|make|create|add)(?: me)? a reminder(?: for me)?|don't let me forget|i(?: need|'d like| want) a reminder|reminder(?=:))",
        recall=r"(?:again |of |about )?(?:what|who|whom|whose|when|where|which|why|how|if|whether)",
        at=r"at|by|around|about|@",
        hour=r"o'?clock",
        am=r"a\.?m\.?|in the morning",
        pm=r"p\.?m\.?|in the (?:afternoon|evening)|at night",
        parts=(
            r"(?:in the |this )?morning",
            r"(?:at )?(?:noon|midday|lunchtime)",
            r"(?:in the |this )?afternoon",
            r"(?:in the |this )?evening|tonight",
            r"at night",
        ),
        days=("today|this(?= (?:morning|afternoon|evening))|(?=tonight)", "tomorrow", "(?:the )?day after tomorrow"),
        units=("min(?:ute)?s?", "hours?|hrs?", "days?", "weeks?", "months?"),
        within=(r"in (?:about |another )?{n} {u}(?:'s)?(?: time)?", r"{n} {u} from now"),
        half=r"in half an hour",
        on=r"on|this|coming|next|the",
        every=r"every|each",
        cycles=(
            r"daily|every ?day|each day|every (?=morning|evening|night|afternoon)",
            r"weekly|every week",
            r"monthly|every month|each month",
        ),
        nth=r"on the (\d{1,2})(?:st|nd|rd|th)(?: of (?:each|every|the) month)?",
        to=r"to|that|of|about|for",
    ),
    "german": Words(
        cue=r"(?:bitte |kannst du |konntest du |vergiss(?: bitte)? nicht,? )?(?:erinnern?(?:e|st)?(?: du| sie)? (?:mich|uns)(?: bitte)?|(?:mich|uns)(?: bitte)?(?= .* erinnern)|(?:zu |daran )?erinnern(?=\W*\Z|,)"
        r"|(?:ich )?(?:mochte|will)(?= .*erinnert werden)|(?:daran )?erinnert werden|(?:stell|mach|setz)e?(?: mir)?(?: bitte)? eine erinnerung(?: fur)?|(?:sag|gib)e? mir(?: bitte)?(?= .*bescheid))",
        recall=r"(?:daran |noch(?: ein)?mal )?,? ?(?:was|wer|wen|wem|wann|wo|wie|warum|wieso|welche\w*|ob)",
        at=r"um|gegen|ab",
        hour=r"uhr",
        am=r"(?:uhr )?(?:morgens|fruh|vormittags)",
        pm=r"(?:uhr )?(?:nachmittags|abends)",
        parts=(
            r"(?:am )?(?:morgens|vormittags?|fruh(?!\w))|am morgen",
            r"(?:am )?mittags?",
            r"(?:am )?nachmittags?",
            r"(?:am )?abends?",
            r"nachts|in der nacht",
        ),
        days=("heute", "(?<!am )morgen", "ubermorgen"),
        units=("min(?:uten?)?", "stunden?", "tag(?:en?)?", "wochen?", "monat(?:en?)?"),
        within=(r"in (?:etwa )?{n} {u}",),
        half=r"in (?:einer )?halben stunde",
        on=r"am|nachste[nrms]?|kommende[nrms]?|diese[nrms]?",
        every=r"jede[nrs]?|immer(?: am)?",
        cycles=(
            r"taglich|jeden tag|jeden (?=morgen|abend|nachmittag)",
            r"wochentlich|jede woche",
            r"monatlich|jeden monat",
        ),
        nth=r"(?:immer )?am (\d{1,2})\.(?! ?\d)(?: (?:jeden|des) monats?)?",
        to=r"bescheid|daran|an|dass|ans|zu",
    ),
    "french": Words(
        cue=r"(?:peux-tu |s'il te plait,? )?(?:rappelle[sz]?[- ](?:moi|nous)|me rappeler|(?:mets|cree|ajoute)(?:[- ]moi)? un rappel)",
        recall=r"(?:de )?(?:ce qu|qui|quand|ou|comment|pourquoi|quel|si )",
        at=r"a|vers",
        hour=r"h(?:eures?)?",
        am=r"(?:du |le )?matin",
        pm=r"de l'apres-midi|du soir",
        parts=(
            r"(?:le |au |ce )?matin",
            r"(?:a )?midi",
            r"(?:l'|cet )?apres-midi",
            r"(?:le |au |ce )?soir",
            r"(?:la |cette )nuit",
        ),
        days=(r"aujourd'hui|(?=ce (?:matin|soir)|cet apres)", "demain", "apres-demain"),
        units=("min(?:utes?)?", "heures?|h", "jours?", "semaines?", "mois"),
        within=(r"dans (?:environ )?{n} {u}",),
        half=r"dans une demi-heure",
        on=r"le|ce|lundi prochain",
        every=r"chaque|tous les|toutes les",
        cycles=(
            r"quotidiennement|tous les jours|chaque jour|tous les (?=matins|soirs)|chaque (?=matin|soir)",
            r"hebdomadairement|toutes les semaines|chaque semaine",
            r"mensuellement|tous les mois|chaque mois",
        ),
        nth=r"le (\d{1,2})(?:er)?(?: (?:du|de chaque|tous les) mois)?(?! \w*(?:vier|vrier|rs|ril|mai|juin|llet|out|mbre|obre))",
        to=r"de|d'|que|qu'",
    ),
    "spanish": Words(
        cue=r"(?:por favor,? )?(?:(?:puedes |podrias )?(?:recuerda(?:me|nos)|recuerdeme|recordar(?:me|nos)|avisar?me)|(?:me|nos) (?:puedes|podrias) recordar|(?:quiero que )?me recuerd[ae]s|acuerdame|hazme acordar|no me dejes olvidar|(?:pon|crea)(?:me)? un recordatorio(?: para)?)",
        recall=r"(?:de )?(?:que (?:dij\w*|me|te|era|fue|habl\w*)|lo que|quien|cuando|donde|como|por que|cual|si )",
        at=r"a las?|sobre las?|hacia las?",
        hour=r"h(?:oras?)?",
        am=r"a\.?m\.?|de la (?:manana|madrugada)",
        pm=r"p\.?m\.?|de la (?:tarde|noche)",
        parts=(
            r"(?:por|en|de) la manana",
            r"(?:al? )?mediodia",
            r"(?:por|en|esta|de) (?:la )?tarde",
            r"(?:por|en|esta|de) (?:la )?noche",
            r"de madrugada",
        ),
        days=(r"hoy|(?=esta (?:tarde|noche))", "(?<!la )manana", "pasado manana"),
        units=("min(?:utos?)?", "horas?", "dias?", "semanas?", "meses|mes"),
        within=(r"(?:en|dentro de) {n} {u}",),
        half=r"(?:en|dentro de) media hora",
        on=r"el|este|proximo|el proximo",
        every=r"cada|todos los|todas las|los",
        cycles=(
            r"diariamente|a diario|cada dia|todos los dias|todas las (?=mananas|tardes|noches)|cada (?=manana|tarde|noche)",
            r"semanalmente|cada semana|todas las semanas",
            r"mensualmente|cada mes|todos los meses",
        ),
        nth=r"(?:el (?:dia )?)(\d{1,2})(?: de cada mes)?(?! de \w)",
        to=r"que|lo de|de|a",
    ),
    "portuguese": Words(
        cue=r"(?:por favor,? |(?:voce )?pode |podes )?(?:me lembr(?:e|a|ar)|lembr[ea]-me|lembrar-me|lembr[ea] (?:me|nos)|me avis(?:e|a|ar)|avis[ea]-me|nao me deix[ea] esquecer|(?:cria|crie|poe) um lembrete)",
        recall=r"(?:de |d)?(?:o que|que (?:disse|eu|voce)|quem|quando|onde|como|por que|qual|se )",
        at=r"as?|ao|pelas|por volta das",
        hour=r"h(?:oras?)?",
        am=r"da (?:manha|madrugada)",
        pm=r"da (?:tarde|noite)",
        parts=(
            r"(?:de|pela|da) manha",
            r"(?:ao? )?meio[- ]dia",
            r"(?:a|de|pela|da|esta) tarde",
            r"(?:a|de|pela|da|esta) noite",
            r"de madrugada",
        ),
        days=(r"hoje|(?=esta (?:tarde|noite))", "amanha", "depois de amanha"),
        units=("min(?:utos?)?", "horas?", "dias?", "semanas?", "meses|mes"),
        within=(r"(?:em|dentro de|daqui a) {n} {u}",),
        half=r"(?:em|daqui a|dentro de) meia hora",
        on=r"na|no|nesta|neste|a|o|proxim[oa]|em",
        every=r"cada|tod[ao]s?(?: [ao]s)?|aos|as",
        cycles=(
            r"diariamente|todo dia|todos os dias|cada dia|toda (?=manha|tarde|noite)|todas as (?=manhas|tardes|noites)",
            r"semanalmente|toda semana|todas as semanas|cada semana",
            r"mensalmente|todo mes|todos os meses|cada mes",
        ),
        nth=r"(?:no )?dia (\d{1,2})(?: de cada mes)?(?! de \w)",
        to=r"de|que|para|a",
    ),
    "italian": Words(
        cue=r"(?:per favore,? |puoi )?(?:ricorda(?:mi|ci)|ricordarmi|mi ricordi|(?:metti|crea)(?:mi)? un promemoria)",
        recall=r"(?:di )?(?:cosa|che cosa|chi|quando|dove|come|perche|quale|se )",
        at=r"alle|alle ore|verso le|all'",
        hour=r"ore",
        am=r"d(?:i|el) mattin[ao]",
        pm=r"d(?:i|el) (?:pomeriggio|sera)|della sera",
        parts=(
            r"(?:di |al(?:la)? |domani )?mattin[ao]|stamattina",
            r"a mezzogiorno",
            r"(?:di |nel |oggi )?pomeriggio",
            r"(?:di |la )?sera|stasera",
            r"di notte|stanotte",
        ),
        days=(r"oggi|(?=sta(?:mattina|sera|notte))", "domani", "dopodomani"),
        units=("min(?:ut[oi])?", "or[ae]", "giorn[oi]", "settiman[ae]", "mes[ei]"),
        within=(r"(?:tra|fra) {n} {u}",),
        half=r"(?:tra|fra) mezz'?ora",
        on=r"di|il|questo|questa|prossim[oa]",
        every=r"ogni|tutti i|tutte le",
        cycles=(
            r"quotidianamente|ogni giorno|tutti i giorni|ogni (?=mattin|sera|pomeriggio)",
            r"settimanalmente|ogni settimana|tutte le settimane",
            r"mensilmente|ogni mese|tutti i mesi",
        ),
        nth=r"il (?:giorno )?(\d{1,2})(?: di ogni mese)?(?! \w*(?:naio|braio|rzo|rile|ggio|gno|glio|sto|mbre|obre))",
        to=r"di|che|a",
    ),
    "dutch": Words(
        cue=r"(?:kun je |wil je )?(?:herinner (?:me|mij|ons)(?: eraan)?|(?:me|mij|ons)(?= .* herinneren)|herinneren(?=\W*\Z))",
        recall=r"(?:eraan |aan )?(?:wat|wie|wanneer|waar|hoe|waarom|welke?|of )",
        at=r"om|rond|tegen",
        hour=r"uur",
        am=r"(?:uur )?'?s ?(?:ochtends|morgens)",
        pm=r"(?:uur )?'?s ?(?:middags|avonds)",
        parts=(
            r"(?:'s |in de |van)?(?:ochtends?|morgens)",
            r"tussen de middag",
            r"(?:'s |in de |van)?middags?",
            r"(?:'s |in de |van)?avonds?",
            r"(?:'s |van)?nachts?",
        ),
        days=(r"vandaag|(?=van(?:ochtend|middag|avond))", "morgen", "overmorgen"),
        units=("min(?:uten|uut)?", "u(?:ur|ren)", "dag(?:en)?", "we(?:ek|ken)", "maand(?:en)?"),
        within=(r"over {n} {u}",),
        half=r"over een half uur",
        on=r"op|aanstaande|komende|volgende|deze",
        every=r"elke|iedere",
        cycles=(
            r"dagelijks|elke dag|iedere dag|elke (?=ochtend|avond|middag)",
            r"wekelijks|elke week",
            r"maandelijks|elke maand",
        ),
        nth=r"op de (\d{1,2})e?(?: van (?:elke|de) maand)?",
        to=r"eraan|dat|om|te|aan",
    ),
    "turkish": Words(
        cue=r"(?:bana |bize )?(?:.{0,0}hatirlat(?:ir misin|sana|in|maniz)?)|(?:bana|bize)(?= .*hatirlat)",
        recall=r"(?:ne |kim|nerede|nasil|neden|hangi)",
        at=r"saat",
        hour=r"['’]?(?:d[ae]|t[ae]|[yu]?[ae]|[iu]n?d[ae])",
        am=r"sabah",
        pm=r"aksam|ogleden sonra",
        parts=(r"sabahlari|sabah", r"oglen?", r"ogleden sonra", r"aksamlari|aksam", r"gece"),
        days=("bugun|(?=bu (?:sabah|aksam|gece))", "yarin", "obur gun"),
        units=("dakika", "saat", "gun", "hafta", "ay"),
        within=(r"{n} {u} sonra",),
        half=r"yarim saat sonra",
        on=r"bu|onumuzdeki|gelecek",
        every=r"her",
        cycles=(r"her gun|gunluk|her (?=sabah|aksam|gece)", r"her hafta|haftalik", r"her ay|aylik"),
        nth=r"ayin (\d{1,2})['’]?\w*",
        to=r"icin|diye",
    ),
    "polish": Words(
        cue=r"(?:prosze,? |czy mozesz )?(?:przypomnij(?: (?:mi|nam))?|przypomniec (?:mi|nam)|ustaw przypomnienie)",
        recall=r"(?:o tym )?,? ?(?:co (?:mow\w*|pow\w*)|kto|kiedy|gdzie|jak|dlaczego|ktor\w+|czy)",
        at=r"o|o godz\w*\.?|kolo|okolo",
        hour=r"(?:-?(?:ej|tej|mej|ciej|giej|szej))",
        am=r"rano",
        pm=r"po poludniu|wieczorem",
        parts=(r"(?:z )?rana?", r"w poludnie", r"po poludniu", r"wieczor(?:em)?", r"w nocy"),
        days=("dzis(?:iaj)?", "jutro", "pojutrze"),
        units=("min(?:ut\\w*)?", "godzin\\w*", "dni|dzien", "tydzien|tygodni\\w*", "miesiac\\w*|miesiec\\w*"),
        within=(r"za (?:okolo )?{n} {u}", r"za {u}"),
        half=r"za pol godziny",
        on=r"w|we|ten|te|najblizsz\w+|przyszl\w+",
        every=r"co|kazd\w+|w kazd\w+",
        cycles=(
            r"codziennie|kazdego dnia|co dzien|co (?=rano|wieczor)|kazdego (?=rana|wieczor)",
            r"co tydzien|cotygodniowo|kazdego tygodnia",
            r"co miesiac|comiesiecznie|kazdego miesiaca",
        ),
        nth=r"(\d{1,2})(?:-?(?:ego|tego|go))?\.? (?:dnia|kazdego) miesiaca",
        to=r"zeby|aby|o|ze",
    ),
    "russian": Words(
        cue=r"(?:пожалуиста,? |(?:ты )?можешь |не мог\w* бы ты )?(?:(?:напомни(?:те|ть)?|напоминаи(?:те)?)(?: (?:мне|нам))?(?: пожалуиста)?|(?:мне|нам)(?= .*напомни)|(?:создаи|поставь)(?: мне)? напоминание(?: на)?|не даи(?:те)? мне забыть)",
        recall=r"(?:о том )?,? ?(?:что (?:я|ты|мы|он\w*|было) |кто|когда|где|куда|как |почему|зачем|какои|какая|какое|какие|ли )",
        at=r"в|к|около",
        hour=r"час(?:а|ов|у|ам)?|ч\.?",
        am=r"(?:час(?:а|ов)? )?(?:утра|ночи)",
        pm=r"(?:час(?:а|ов)? )?(?:дня|вечера)",
        parts=(r"утром|по утрам|утро", r"в полдень|в обед", r"днем", r"вечером|по вечерам|вечер", r"ночью"),
        days=("сегодня", "завтра", "послезавтра"),
        units=("мин(?:ут\\w*)?", "час(?:а|ов)?", "д(?:ень|ня|неи)", "недел\\w*", "месяц\\w*"),
        within=(r"через (?:примерно )?{n} {u}", r"через {u}"),
        half=r"через полчаса",
        on=r"в|во|эт\w+|следующ\w+|ближаиш\w+",
        every=r"кажд\w+|по",
        cycles=(
            r"ежедневно|каждыи день|каждое (?=утро)|каждыи (?=вечер)|(?=по (?:утрам|вечерам))",
            r"еженедельно|каждую неделю",
            r"ежемесячно|каждыи месяц",
        ),
        nth=r"(\d{1,2})(?:-?(?:го|ого))? числа(?: (?:каждого месяца|ежемесячно))?",
        to=r"чтобы|что|о том,? что|об? |про",
    ),
    "arabic": Words(
        cue=r"(?:من فضلك |هل يمكنك (?:ان )?)?(?:ت?ذكرن[ايy]|ذكريني|تذكيري|اضبط تذكيرا|نبهني)",
        recall=r"(?:ب)?(?:ماذا|ما الذي|بما|من الذي|متي|اين|كيف|لماذا|هل)",
        at=r"(?:في |علي |عند )?الساعه",
        hour=r"(?:تماما)",
        am=r"صباحا?|في الصباح|ص",
        pm=r"مساء|مساءا|ليلا|عصرا|ظهرا|بعد الظهر|م",
        parts=(
            r"(?:في )?(?:ال)?صباحا?",
            r"(?:عند )?(?:ال)?ظهرا?",
            r"بعد الظهر|عصرا",
            r"(?:في )?(?:ال)?مساء|هذا المساء|الليله",
            r"ليلا",
        ),
        days=("اليوم|(?=الليله|هذا المساء)", "غدا|بكره|بكرا", "بعد غد"),
        units=(
            "دقيقه|دقائق|دقيقتين",
            "ساعه|ساعات|ساعتين",
            "يوم|ايام|يومين",
            "اسبوع|اسابيع|اسبوعين",
            "شهر|اشهر|شهور|شهرين",
        ),
        within=(r"(?:بعد|خلال) {n} {u}", r"(?:بعد|خلال) {u}"),
        half=r"بعد نصف ساعه",
        on=r"يوم|في|هذا|القادم",
        every=r"كل(?: يوم)?",
        cycles=(
            r"يوميا|كل يوم(?! \w*(?:اثنين|ثلاثاء|اربعاء|خميس|جمعه|سبت|احد))|كل (?=صباح|مساء)",
            r"اسبوعيا|كل اسبوع",
            r"شهريا|كل شهر",
        ),
        nth=r"(?:في )?(?:ال)?يوم (\d{1,2})(?: من كل شهر)?",
        to=r"ان|ب(?=ان )|بان",
    ),
}
"""Languages that write spaces between words. Where a request could be of several, the first one counts."""

# Languages that write none, or glue their particles on. What they share is in one pattern each.
EASTERN_CUE = (
    r"(?:请|請|麻烦(?:你)?)?提醒(?:一下)?(?:我|我们|我們)?(?:一下)?|设(?:个|一个)?提醒|(?:别|別|不要)[让讓]我忘(?:了|记|記)?|"
    r"(?:を|と|って|よう(?:に)?|の)?(?:リマインド(?:して(?:ください)?)?|思い出させて(?:ください)?|知らせて(?:ください)?)|(?<=後に)教えて(?:ください)?|"
    r"(?:을|를|라고|하라고|는\s?것을)?\s?(?:리마인드\s?해\s?(?:줘|주세요)?|상기시켜\s?(?:줘|주세요)?|알림\s?(?:설정\s?)?해\s?(?:줘|주세요)?|(?<=고)\s?알려\s?(?:줘|주세요))"
)
EASTERN_RECALL = r"什么|甚麼|谁|誰|哪|怎么|为什么|何を|誰が|なぜ|どこ|무엇|뭐라|누가|어디|왜"
EASTERN_PARTS = (
    r"早上|上午|清晨|明早(?=提|叫|\d|[一二三四五六七八九十])|朝に?|午前中に?|아침에?|오전에?",
    r"中午|正午に?|お昼に?|정오에?|점심에?",
    r"下午|午後に?|오후에?",
    r"晚上|傍晚|今晚|夜に?|夕方に?|今夜|저녁에?|오늘\s?밤에?",
    r"半夜|深夜に?|밤에?",
)
EASTERN_AM, EASTERN_PM, EASTERN_NOON = (
    r"早上|上午|凌晨|清晨|午前|朝の?|오전|아침|새벽",
    r"下午|晚上|傍晚|今晚|夜里|午後|夜の?|夕方の?|今夜の?|오후|저녁|밤",
    "中午",
)
EASTERN_DAYS = (
    r"今天|今日(?:は|の)?|오늘|(?=今晚|今夜|오늘)",
    r"明天|明日(?:の|は)?|明早|내일",
    r"后天|後天|明後日の?|あさっての?|모레",
)
EASTERN_UNITS = (
    r"分钟|分鐘|分(?:間)?|분",
    r"个?(?:小时|鐘头|钟头)|個?(?:小時|鐘頭)|時間|시간",
    r"天|日(?:間)?|일",
    r"个?(?:周|星期|礼拜)|個?(?:週|星期|禮拜)|週間|주(?:일)?",
    r"个月|個月|[かヶカケ]月|箇月|개월|달",
)
EASTERN_AFTER = r"(?:之|以)?[后後](?:に)?|後に|\s?(?:후|뒤)(?:에)?"
EASTERN_HALF = r"半(?:个|個)?(?:小时|鐘头|時間)[后後]に?|반\s?시간\s?(?:후|뒤)에?"
EASTERN_CYCLES = (
    r"每天|每日|毎日|매일|每(?=早上|晚)|毎(?=朝|晩)",
    r"每(?:个|個)?(?:周|週|星期|礼拜)(?![一二三四五六日天])|毎週(?![月火水木金土日]曜)|매주(?!\s?[월화수목금토일]요일)",
    r"每(?:个|個)?月|毎月の?|매월|매달",
)
EASTERN_EVERY = r"每(?:个|個)?(?=[周週星礼禮])|毎週の?|매주\s?"
EASTERN_NTH = r"(\d{1,2}|[一二三四五六七八九十]{1,3})(?:日|号|號|일)(?!間|间|간)(?:に|에)?"
EASTERN_ON = r"在?(?:这个?|這個?|下个?|下個?|本|来週の?|今週の?|次の|다음\s?주?\s?|이번\s?주?\s?)?"

MORE_WEEKDAYS = (
    r"segunda|pazartesi\w*(?: gunu)?|lundis|lunes|اثنين",
    r"terca|sali(?: gunu)?|mardis|ثلاثاء",
    r"quarta|mercredis|اربعاء",
    r"quinta|jeudis|خميس",
    r"sexta|vendredis|cuma(?: gun\w+)?|جمعه",
    r"sabados?|samedis|cumartesi(?: gun\w+)?|سبت",
    r"domingos|dimanches|pazar(?: gun\w+)?|يوم احد",
)
"""Weekdays as people say them in requests, where they could be other words elsewhere; Monday first."""
NEXT = (
    r"(?<!\w)(?:next|coming|nachste[nrms]?|kommende[nrms]?|prochaine?|proxim[oa]|que viene|prossim[oa]|volgende|aanstaande|gelecek|onumuzdeki|"
    r"przyszl\w+|najblizsz\w+|следующ\w+|ближаиш\w+|القادم\w*)(?!\w)|下[个個]?|来週の?|다음"
)
"""What says of a weekday that it is not today, in any of these languages."""
