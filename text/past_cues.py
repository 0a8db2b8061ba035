"""Whether a message may ask for what was said before, or surely does not: a greeting, a question that anybody could be
asked, news. Pure.

Patterns of the languages that the bot speaks. In doubt, and in any other language, a message may ask for what was said.
Does not know what is remembered.
"""

from text import analyzer
from text.patterns import Pattern

# ruff: noqa: E501 - words of many languages, in patterns

LONGEST = 300
"""Characters of the longest message that is looked at: a longer one says by itself what it is about."""

# Greetings, thanks, praise, laughter, good-byes: the whole message. "Yes" and "go on" are none of them, since they go
# on with what was said. These patterns are for `analyzer.normal` text.
_SMALL_TALK = Pattern(
    r"(?:\b(?:hi|hey|hello|good (?:morning|afternoon|evening|night)|bye|goodbye|see you(?: later| tomorrow| soon)?|thanks|thank you|(?:so|very) much|a lot|that helps|lol|(?:ha){2,}h?|wow|great|nice|cool|awesome|perfect|how are you|are you there"
    r"|hallo|moin|servus|guten (?:morgen|tag|abend)|gute nacht|tschüss|danke|vielen dank|sch[öo]n|sehr|super|toll|prima|wie geht'?s(?: dir)?"
    r"|hola|buen[oa]s (?:d[íi]as|tardes|noches)|adi[óo]s|hasta (?:luego|mañana|pronto)|muchas|gracias|genial|perfecto|(?:ja){2,}|qué tal"
    r"|ol[áa]|oi|bom dia|boa (?:tarde|noite)|tchau|at[ée] (?:logo|amanhã|mais)|muito|obrigad[oa]|valeu|tudo bem|perfeito"
    r"|привет|здравствуй(?:те)?|доброе утро|добрый (?:день|вечер)|спокойной ночи|пока|до (?:свидания|завтра)|спасибо|большое|отлично|круто|а?(?:ха){2,}|как дела"
    r"|مرحبا|[أا]هلا|السلام عليكم|صباح (?:الخير|النور)|مساء (?:الخير|النور)|تصبح على خير|مع السلامة|شكرا|جزيلا|ه{3,}|كيف حالك)\b|你好|您好|早上好|早安|下午好|晚上好|晚安|再见|谢谢|你|多谢|太好了|太棒了|哈{2,}|[\W_]){1,12}"
)

# How people begin to ask for what the world knows, and for work that needs no memory.
_OF_THE_WORLD = Pattern(
    r"[\W_]*(?:(?:hi|hey|hello|ok|so|please)\b[\W_]*)*(?:(?:can|could|would) you (?:please )?)?"
    r"(?:(?:write|translate|explain|define|convert|calculate|proofread|spell) |tell me (?:a|an|about|some) |give me (?:a|an|some|two|three|five|ten|\d+) |(?:recommend|suggest) (?:a|an|some) |summari[sz]e the (?:plot|book|film|novel) "
    r"|what(?:'s| is| are|s) (?:an? |\d|the (?:capital|difference|meaning|population|definition|formula|opposite|plural|best|easiest|fastest|weather) )|what does \S+ mean|(?:what can you do|who are you)\b|who (?:wrote|invented|discovered|painted|composed|founded) |why (?:is|are|do|does) (?:the|an?|some|people|most) "
    r"|how (?:do|does|can|would) (?:you|one|people|an?|the|i) |how to |how (?:long|much|many \S+) should |(?:what|which|how|where|when) (?:\S+ )?should (?:i|we|you|one) |should i |which \S+ (?:is|are|has|have) the "
    r"|(?:schreib|übersetz|erkläre?|definiere?|berechne|rechne)\b|erzähl(?:e)? (?:mir )?(?:einen|eine|etwas) |gib mir (?:einen?|drei|fünf|\d+) |empfiehl (?:mir )?eine?n? |was ist (?:eine?|der unterschied|die hauptstadt|der beste|die beste|\d)\b|was bedeutet |was kannst du\b|wer (?:hat .{1,60} (?:geschrieben|erfunden|entdeckt|gemalt|komponiert)|bist du)\b|warum (?:ist|sind) (?:der|die|das) |wie (?:funktioniert|macht man|kann man|mache ich|lange (?:muss|soll)) |was soll(?:te)? (?:ich|man) |soll(?:te)? ich "
    r"|(?:escribe|traduce|explica(?:me)?|explícame|define|convierte|calcula|corrige) |cuéntame (?:un|una|algo) |dame (?:un|una|dos|tres|cinco|\d+) |recomi[ée]nda(?:me)? (?:un|una) |(?:qué es (?:un|una|el|la)|cuál es (?:la capital|la diferencia|el significado|la mejor|el mejor)|cuánto es (?:el )?\d[\d.,%]*|qué significa|quién (?:escribió|inventó|descubrió|pintó|compuso)|por qué (?:el|la|los|las)|cómo (?:se|funciona|puedo|hago)|cuánto tiempo se|qué (?:debo|debería)|debo|debería) |(?:qué (?:sabes|puedes) hacer|quién eres)\b|resume (?:la trama|el libro|la película) "
    r"|(?:escreva|escreve|traduza|traduz|explique|explica|defina|converta|calcule|corrija) |(?:conte|conta)(?:-me)? (?:uma?|algo) |(?:me )?d[êe] (?:uma?|dois|três|\d+) |recomende (?:uma?) |(?:o que é (?:uma?|o|a)|qual é (?:a capital|a diferença|o significado|a melhor|o melhor)|quanto é \d[\d.,%]*|o que significa|quem (?:escreveu|inventou|descobriu|pintou|compôs)|por que (?:o|a|os|as)|como (?:se|funciona|posso|faço)|quanto tempo (?:se )?deve|o que (?:devo|deveria)|devo) |(?:o que você (?:sabe|pode) fazer|quem é você)\b"
    r"|(?:напиши|переведи|объясни|вычисли|посчитай|исправь|перескажи) |расскажи (?:анекдот|шутку|сказку|про|об?)\b|дай (?:два|три|пять|\d+) |посоветуй (?:книгу|фильм|хорош\w+) |что такое |что значит |(?:какая столица|в чем разница|в чём разница|сколько будет \d[\d.,%]*|кто (?:написал|изобрел|изобрёл|открыл|нарисовал)|почему (?:небо|трава|вода|люди)|как (?:сделать|работает|устроен\w*|варить|приготовить|отцентрировать)|сколько (?:варить|времени варить)) |(?:что мне|что лучше|как лучше|стоит ли мне?) |(?:что ты умеешь|кто ты)\b"
    r"|(?:请|請)?(?:帮我)?(?:写一|寫一|翻译|翻譯|把.{1,40}翻译|解释|解釋|用.{0,12}解释|讲个|講個|推荐一|给我[一二三五十两\d]+个|什么是|.{1,12}是什么意思|.{1,20}的首都|.{1,20}有什么区别|为什么(?:天|海|人|水|草)|.{1,20}是谁(?:写|发明|发现|画)|怎么(?:做|让|样才能)|如何|\S{1,10}怎么(?:让|做|用)|.{1,12}要煮多久|你能做什么|你会什么|你是谁|[\d+*/×÷ 的%]{2,20}(?:是|等于)多少|(?:喝|吃|穿|买)什么(?:对|好|比较|适合)|我(?:应该|该)(?:喝|吃|穿|买|怎么))"
    r"|(?:[اأ]كتب|ترجم|[اأ]شرح|[اأ]حسب|صحح) |احك لي |[اأ]عطني (?:ثلاث\w*|خمس\w*|\d+) |ما (?:هو |هي )?(?:الفرق|معنى|عاصمة|عاصمه) |ماذا (?:يعني|تستطيع) |من (?:كتب|اخترع|اكتشف|رسم) |كيف (?:يعمل|تعمل|يمكن|[اأ]صنع) |لماذا (?:السماء|البحر|الناس) |ماذا (?:يجب|ينبغي) [اأ]ن |هل يجب [اأ]ن |من [اأ]نت\b)"
)

# What points at what was said, or at people and things of one's own; advice may speak of one's own, and asks for none
# of what was said.
_SHARED = Pattern(
    r"\b(?:our|ours|we|us|i'm|i've|i am|i was|i had|i have|this|that|these|those|last|ago|yesterday|earlier|before|again|previous\w*|remember\w*|remind\w*|still|already|same|more|it"
    r"|uns(?:er\w*)?|wir|diese\w*|letzte\w*|gestern|vorhin|vorher|wieder|nochmal|früher|erinner\w*"
    r"|nuestr\w*|nosotros|est[ea]s?|es[ea]s?|último|última|ayer|antes|otra vez|recuerd\w*"
    r"|noss\w*|nós|ess[ea]s?|ontem|de novo|lembr\w*"
    r"|наш\w*|мы|эт\w+|прошл\w+|вчера|раньше|снова|опять|напомни\w*|помни\w*|тот|та|ту"
    r"|нас|هذا|هذه|امس|سابقا|مرة اخرى|تذكر\w*|تتذكر)\b|我们|咱|这|那|昨天|上次|之前|以前|再|记得|还"
)
_OWN = Pattern(r"\b(?:my|mine|i|meine?\w*|ich|mi|mis|mío|yo|meus?|minhas?|eu|мо[йяеию]\w*|мой|я|у меня)\b|我")
_ADVICE = Pattern(
    r"\bshould (?:i|we)\b|\bsoll(?:te)? ich\b|\b(?:debo|debería|devo|deveria)\b|\bчто мне\b|\bстоит ли мне\b|我(?:应该|该)|يجب [اأ]ن|ينبغي [اأ]ن|\b(?:how (?:do|can|would) i|wie (?:mache|kann) ich|cómo (?:puedo|hago)|como (?:posso|faço))\b"
)


# How people begin to tell of themselves and their day.
_TELLS = Pattern(
    r"[\W_]*(?:(?:so|well|ok|okay|btw|by the way|oh|and|but|also|today|yesterday|finally|just|now|this (?:morning|evening|week))\b[\W_]*)*(?:(?:i|we|i'm|i've|i'd|i'll|we're|we've|it|it's|she|he|they|she's|he's|they're|my|our|the|got|had|went|just|finally|works|done|good|update)\b"
    r"|(?:ich|wir|heute|gestern|mein\w*|unser\w*|es|sie|er|das|der|die|hab|bin|war)\b|(?:hoy|ayer|mi|mis|nuestr\w+|yo|he|ha|estoy|soy|tengo|fui|estuve|el|la|los|las|ya|al final|resulta|me)\b|(?:hoje|ontem|meu|minha|eu|estou|sou|tenho|fui|o|a|os|as|j[áa])\b|(?:я|мы|сегодня|вчера|мой|моя|мо[её]|мои|наш\w*|он|она|они|у меня|у нас|меня|мне|нас|в)\b|我|我们|今天|昨天|刚|他|她|咱|(?:[أا]نا|اليوم|امس|ذهبت|اشتريت|[أا]مي|[أا]بي|[أا]ختي|[أا]خي)\b)"
)
_ASKS = Pattern(
    r"[?？؟¿]|\b(?:what|which|when|where|who|whom|whose|why|how|do you|did you|can you|could you|would you|will you|have you|are you|tell|show|find|list|remind|remember|recall|help|please|pls|plz|suggest|recommend|give|need|want|write|draft|make|tips?|ideas?|advice|question|any|explain|should|wonder\w*|forgot|again"
    r"|was|welche\w*|wann|wo|wer|wen|wem|warum|wieso|wie|kannst|könntest|hast du|weißt du|zeig\w*|such\w*|erinner\w*|hilf|bitte|brauch\w*|möchte|will|schreib\w*|mach\w*|tipps?|ideen?|soll\w*|frage"
    r"|qué|cuál\w*|cuándo|dónde|quién\w*|por qué|cómo|cuánt\w*|puedes|podrías|dime|muestra\w*|busca\w*|recuérd\w*|ayuda\w*|por favor|necesito|quiero|escríb\w*|hazme|ideas?|consejos?|debo|debería|pregunta"
    r"|o que|qual|quais|quando|onde|quem|por que|como|quant\w*|pode|poderia|diga|mostr\w*|procur\w*|lembr\w*|ajud\w*|por favor|preciso|quero|escrev\w*|dicas?|devo|deveria|pergunta"
    r"|что|чего|какой|какая|какое|какие|как\w{2,3}|когда|где|куда|откуда|кто|кого|кому|почему|зачем|сколько|как|можешь|скажи|покажи|найди|напомни|помнишь|помоги|пожалуйста|нужн\w*|надо|хочу|напиши|составь|сделай|посоветуй|подскажи|дай|стоит ли|ли|вопрос"
    r"|ماذا|ما|متى|[أا]ين|من|لماذا|كيف|كم|هل|[أا]خبرني|[أا]رني|ذكرني|ساعدني|[أا]ريد|[أا]كتب)\b|什么|哪|谁|怎么|为什么|多少|几|吗|呢|能不能|可以|帮|请|告诉|提醒|记得|写|推荐|建议|想要|给我|有没有|是不是|咋|啥|多[久少高大远长]"
)


def is_small_talk(text: str) -> bool:
    """Whether a message is a greeting, thanks, praise or a good-bye, and nothing else."""
    if len(text) > LONGEST or not text.strip():
        return False
    said = analyzer.normal(text)
    found = _SMALL_TALK.match(said)
    return found is not None and found.end() == len(said)


def may_ask_for_past(text: str) -> bool:
    """Whether what was said before may be asked for: True unless it is surely not."""
    return not (asks_anybody(text) or only_tells(text))


def asks_anybody(text: str) -> bool:
    """Whether a message is a question or a wish for which anybody would do, and that points at nothing that was said."""
    if len(text) > LONGEST:
        return False
    said = analyzer.normal(text)
    if _OF_THE_WORLD.match(said) is None or _SHARED.search(said) is not None:
        return False
    return _ADVICE.search(said) is not None or _OWN.search(said) is None


def only_tells(text: str) -> bool:
    """Whether a message tells something and asks for nothing."""
    if len(text) > LONGEST:
        return False
    said = analyzer.normal(text)
    return _TELLS.match(said) is not None and _ASKS.search(said) is None
