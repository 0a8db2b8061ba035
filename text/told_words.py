"""Words that say who did what in what was told: asking, wishing, denying, being somebody's sister, as data by language.

What they miss costs a wrong sentence that is not seen, or a right one that is quoted in the person's own words. Patterns
are for `analyzer.normal` text. Does not know summaries.
"""

# ruff: noqa: E501 - words of many languages, in patterns

from text.analyzer import folded, normal
from text.patterns import Pattern

_ASKS = Pattern(
    r"\b(?:ask|touched on|brought up|mention|spoke|enquir|inquir|wonder|want|wish|request|seek|sought|look(?:s|ed|ing)? (?:for|up|into)|need|consider|discuss|talk|question|interest|curious|explor|search|query|whether|how to|would like|tr(?:y|ies|ied|ying) to|help|receiv|given|got\b|told (?:that|about)|learn|advice|tips?\b|ideas?\b|unsure|undecided|decid|hop(?:e|ing)|prepar|research|draft)"
    r"|\b(?:frag|erfrag|erkundig|wissen|bitte|gebeten|bat\b|wünsch|möchte|wollte|will\b|such|überleg|interess|brauch|hilfe|diskut|besproch|\bob\b|ratschl|\brat\b|tipps?\b)"
    r"|\b(?:pregunt|pidi|pide|consult|quer|quier|busc|neces|duda|interes|habl|solicit|pedi|\bsi (?:es|hay|se|deb|pued|mer)|consej|ayuda|planteó|perguntou|pergunt|procur|precis|saber|convers)"
    r"|(?:спроси|спраши|интерес|хочет|хотел|хотя|узна|прос(?:ит|ил)|попроси|ищет|искал|нуж|обсуд|обсужд|думает|думал|вопрос|совет|помощ|уточн|размышл|сомнева|решает)"
    r"|\b(?:demand|voul|veut|cherch|besoin|souhait|discut|interrog|conseil|chied|chiest|vuole|voleva|cerc|domand|vro?eg|vraag|wil\b|zoek|pyta|chce|szuk|sor(?:du|uyor|mak)|istiyor|istedi|arıyor)"
    r"|问|詢|询|想|请|請|求|咨|需要|希望|打算|讨论|討論|尋ね|聞い|相談|知りたい|欲し|頼|물어|물었|원하|요청|궁금|سأل|طلب|يريد|تريد|يبحث"
)
"""Words by which a summary says that something was asked, wished or received, not done."""

_REQUEST = Pattern(
    r"^\W*(?:(?:ok|okay|please|pls|now|and|so|hey|hi|can you|could you|would you|will you|bitte|kannst du|por favor|пожалуйста|и|а|теперь)[\s,]+){0,3}"
    r"(?:recommend|suggest|tell|give|show|write|explain|translate|help|list|find|make|create|compare|calculate|draft|describe|name|teach|remind|sing|invent|generate|rewrite|summari[sz]e|convert|compute|solve|plan|propose|proofread|correct|check"
    r"|empfiehl|erzähl\w*|schreib\w*|erklär\w*|nenne?|gib|zeig\w*|übersetz\w*|hilf|mach|finde?|vergleiche?|berechne|sag|schlag"
    r"|recomi[eé]nda\w*|dime|cuéntame|cuenta|escrib\w*|explica\w*|traduc\w*|dame|muéstrame|ayúdame|haz\w*|busca\w*|calcula\w*|sugi\w+|enséñame|recomend[ea]\w*|diga|conte|escreva|explique|traduza|mostre|ajude"
    r"|посоветуй\w*|порекомендуй\w*|расскажи\w*|напиши\w*|объясни\w*|переведи\w*|дай\w*|покажи\w*|помоги\w*|найди\w*|сделай\w*|составь\w*|придумай\w*|скажи\w*|подскажи\w*|сравни\w*|посчитай\w*"
    r"|raconte\w*|recommande\w*|écri[st]\w*|explique\w*|tradui\w*|donne\w*|montre\w*|aide\w*|trouve\w*|propose\w*|dis\b|raccontami|consigliami|dimmi|scrivi\w*|spiega\w*|dammi|mostrami|vertel|geef|schrijf|noem|powiedz|napisz|poleć|opowiedz|anlat|yaz|öner|söyle)\b"
    r"|^\W*(?:请|請|帮我|幫我|给我|給我|推荐|推薦|讲|講|告诉我|告訴我|写|寫|翻译|翻譯|解释|解釋)|(?:てください|ください|教えて|해줘|해 줘|알려줘|추천해)\W*$"
    r"|^\W*(?:اكتب|اشرح|ترجم|انصح|اخبرني|قل|احك)"
)
_ONCE = Pattern(
    r"^\W*(?!(?:\w+ )?(?:remind|find|plan|book|check|correct|help|busca|hilf|finde|найди|помоги))(?:\w+\W+){1,5}?(?:a|an|some|another|one|two|three|eine?n?|un|una|um|uma|algún|alguna|algum|une|uno|een|какой-нибудь|какую-нибудь|пару)\b|[给給帮幫].{0,6}(?:一|个|個)"
)
"""A request for one thing ("tell me a joke"), where nothing says that it holds from now on."""
_OF_SELF = Pattern(
    r"\b(?:i|i'm|i've|i'd|i'll|my|mine|we|our|ours|us|im|ich|mein\w*|wir|unser\w*|yo|mi|mis|mío|nosotr\w+|nuestr\w+|soy|tengo|estoy|voy|llevo|vivo|trabajo|eu|meu|minha|meus|minhas|nós|noss\w+|sou|tenho|estou|vou"
    r"|я|мой|моя|моё|мои|моего|моей|моим|моих|мою|моем|мне|меня|мы|наш\w*|нас|нам|у меня|je|j'\w+|mon|ma|mes|nous|notre|nos|io|mio|mia|miei|mie|noi|nostr\w+|sono|ho|ik|mijn|wij|ons|onze|moja|mój|moje|mam|jestem|benim|bizim)\b|我|咱|私|僕|俺|うち|나는|내|저는|제|우리|أنا|انا|عندي"
)
"""What is said of oneself, and so may be told as such even where it stands in a question ("tell me" is not)."""
_PRONOUN = r"(?:she|he|they|er|sie|él|ella|ellos|ellas|он|она|они|il|elle|ils|elles|lui|lei|loro|ele|ela|eles|elas|hij|zij|ze|ona|oni)"
_THIRD = Pattern(
    rf"^\W*(?:(?:and|but|und|aber|y|pero|и|а|но|et|mais|e|ma)\s+)?{_PRONOUN}\b|^\W*(?:他|她|他们|她们|彼女?)"
)
_GOES_ON = Pattern(
    r"^\W*(?:yes|yeah|yep|no|nope|sure|exactly|right|usually|also|and|but|ja|nein|doch|genau|sí|si|se|no|claro|exacto|также|да|нет|ага|конечно|oui|non|sim|não|tak|nie|evet|hayır)\b"
    rf"|\b(?:{_PRONOUN[3:-1]}|them|him|her|their|ihn|ihr|ihm|ihnen|ему|ей|им|его|её|их)\b"
    r"|^\W*(?:\w+\W+){0,4}(?:it|this|that|these|those|dies\w*|eso|esto|ese|esa|isso|isto|это|этот|эта|ça|cela|questo|questa)\b"
    r"|^\W*(?:是|对|對|嗯|不|没|这|那|それ|これ)|他|她|它|彼"
)
_USER = Pattern(
    r"^\W*(?:the |der |die |den |el |la |o |a |l'|le )?(?:user|person|nutzer(?:in)?|benutzer(?:in)?|usuari[oa]|пользователь\w*|utilisat(?:eur|rice)|utente|gebruiker|użytkownik\w*|kullanıcı)\b|^\W*(?:用户|用戶|ユーザー|사용자|المستخدم)"
)
_DENIES = (
    r"(?:not|never|no|none|nobody|nothing|neither|nor|cannot|can't|cant|dont|doesnt|isnt|wont|\w+n't|without|nicht|kein\w*|nie|niemals|nichts|ohne|nunca|jamás|nada|nadie|ningun\w*|sin|tampoco"
    r"|não|nem|sem|не|ни|никогда|без|нельзя|нет|pas|jamais|rien|sans|aucune?|non|mai|senza|niet|geen|nooit|zonder|bez)"
)
_DENIAL = Pattern(rf"\b{_DENIES}\b(?P<next>\W+(?:\w+\W+){{0,2}}\w+)|不|没|沒|别|無|无")
_DENIES_ANYTHING = Pattern(rf"\b{_DENIES}\b|不|没|沒|别|無|无|ない|ません|않|안 ")
_DENIED_SUBJECT = Pattern(
    r"\b(?P<subject>\w+) (?:(?:is|are|was|were|will|do|does|did|has|have|can)(?: not\b|n't\b)|(?:ist|sind|war|waren|wird|werden|hat|haben) (?:nicht|kein)|no (?:es|son|está|están|fue|entra|incluye)|não (?:é|são|está)|не (?:входит|входят|был|будет)|n'(?:est|a) pas|non (?:è|sono))"
)
_MILD_DENIAL = Pattern(
    r"\b(?:dislik|hat(?:e|es|ed|ing)\b|avoid|refus|lack|free\b|stop|quit|unable|fail|cancel|declin|allerg|intoleran|against|skip|miss|forb|forbid|cut out|except|instead|rather|prefer|only|mag keine?|hass|vermeid|verzicht|detest|odia|evit|rechaz|ненавид|избега|отказ|терпеть|déteste|évite)|讨厌|避免|过敏|過敏|除"
)
_CHANGED = Pattern(
    r"\b(?:no longer|correct\w*|chang\w+|any ?more|not yet|used to|former|instead|until|nicht mehr|noch nicht|statt|ya no|todavía no|já não|ainda não|больше не|уже не|ещё не|еще не|вместо|ne .{1,20} plus|non .{1,20} più|niet meer|już nie|artık)\b|不再|もう"
)

_PREPOSITION = Pattern(
    r"^\W*(?:in|at|on|with|of|from|to|for|by|since|until|near|into|after|before|am|im|an|auf|mit|von|aus|zu|zum|zur|für|bei|seit|bis|nach|vor|en|de|del|con|desde|hasta|por|para|a|al|em|no|na|do|da|com|em|в|во|на|с|со|из|от|до|по|у|за|к|для|о|об|à|au|aux|avec|dans|chez|depuis|pour|di|da|per|nel|nella|dal)\b"
)
_RELATIONS = {
    word: number
    for number, words in enumerate(
        (
            "sister schwester hermana irmã сестра сестры сестре сестру сестрой soeur sœur sorella siostra 姐姐 妹妹",
            "brother bruder hermano irmão брат брата брату братом frère fratello broer 哥哥 弟弟",
            "mother mom mum mama mutter madre mamá mãe мать мама маме маму мамы мамой матери mère maman mamma moeder 妈妈 母亲",
            "father dad papa vater padre papá отец папа папе папу папы папой отца отцу père babbo vader 爸爸 父亲",
            "son sohn hijo filho сын сына сыну сыном zoon 儿子",
            "daughter tochter hija filha дочь дочка дочери дочку дочкой figlia dochter 女儿",
            "wife ehefrau esposa жена жене жену жены женой épouse moglie 妻子 老婆",
            "husband ehemann esposo marido муж мужа мужу мужем marito 丈夫 老公",
            "friend freund freundin amigo amiga друг подруга друга подруги подругу другу подруге ami amie amico amica vriend vriendin 朋友",
            "neighbour neighbor nachbar nachbarin vecino vecina vizinho vizinha сосед соседка соседа соседки voisin voisine vicino vicina buurman 邻居",
            "colleague coworker kollege kollegin colega коллега коллеги коллегу collègue collega 同事",
            "boss chefin jefe jefa chefe начальник начальница 老板 上司",
            "landlord landlady vermieter vermieterin casero casera senhorio 房东",
            "aunt tante tía тётя тетя 阿姨 姑姑",
            "uncle onkel tío дядя oncle 叔叔 舅舅",
            "grandmother grandma oma großmutter abuela avó бабушка бабушке бабушки бабушку nonna 奶奶 外婆",
            "grandfather grandpa opa großvater abuelo avô дедушка дедушке дедушки nonno 爷爷 外公",
            "cat cats katze kater gato gata gatos кот кошка кошку кота gatto 猫",
            "dog dogs hund hunde perro perra perros cachorro собака собаку собаки пёс chien chienne 狗",
        ),
        start=1,
    )
    for word in words.split()
}


def says_asked(text: str) -> bool:
    """Whether a sentence says that something was asked for, wished or received."""
    return _ASKS.search(normal(text)) is not None


def is_request(text: str) -> bool:
    """Whether a sentence of a person begins as one that asks for something to be done ("Recommend me a film")."""
    return _REQUEST.search(normal(text)) is not None


def wishes_once(text: str) -> bool:
    """Whether a sentence of a person asks for one thing to be done now, and tells nothing of them."""
    return is_request(text) and _ONCE.search(normal(text)) is not None and not is_of_self(text)


def is_of_self(text: str) -> bool:
    """Whether its speaker says something of themselves."""
    return _OF_SELF.search(normal(text)) is not None


def begins_with_pronoun(text: str) -> bool:
    """Whether a sentence begins with "he", "she" or "they"."""
    return _THIRD.search(normal(text)) is not None


def leans_on_before(text: str) -> bool:
    """Whether a message leans on the one before it: it answers, or says "she", "it", "that"."""
    return _GOES_ON.search(normal(text)) is not None


def begins_with_user(text: str) -> bool:
    """Whether a clause begins with "the user"."""
    return _USER.search(normal(text)) is not None


def begins_with_preposition(text: str) -> bool:
    return _PREPOSITION.search(normal(text)) is not None


def denies(text: str) -> bool:
    """Whether a text has a word that denies, or may stand for a denial."""
    return _DENIES_ANYTHING.search(normal(text)) is not None or denies_mildly(text)


def denied(text: str) -> list[str]:
    """What stands behind each word that denies, up to three words; and what is said not to be ("tiles are not")."""
    plain = normal(text)
    behind = [found["next"] or "" for found in _DENIAL.finditer(plain)]
    return behind + [found["subject"] for found in _DENIED_SUBJECT.finditer(plain)]


def denies_mildly(text: str) -> bool:
    """Whether a text has a word that may stand for a denial ("avoids"), or says that something changed ("no longer")."""
    plain = normal(text)
    return _MILD_DENIAL.search(plain) is not None or _CHANGED.search(plain) is not None


def relation(word: str) -> int | None:
    """The number of the relation that a word names, equal in all languages ("vecina", "neighbour"); None: it is none."""
    return _RELATIONS.get(normal(word)) or _RELATIONS.get(folded(normal(word)))
