"""Words that say what a question asks for, and what a message is, as data: by language, in the words people use.

Does not know how messages are ranked. Patterns are for `analyzer.normal` text; words are analysed as messages are.
"""

from functools import cache

from text import analyzer
from text.patterns import Pattern

# ruff: noqa: E501 - words of many languages, in patterns

# Words with which people say what always holds ("always use metric units") or what they prefer. Left out: words
# whose stem is another word in some language ("mai", "jamais", "lieber").
STANDING = {
    "english": "always never prefer whenever",
    "german": "immer nie niemals bevorzuge grundsätzlich",
    "french": "toujours préfère",
    "spanish": "siempre nunca prefiero",
    "portuguese": "sempre nunca prefiro",
    "italian": "sempre preferisco",
    "dutch": "altijd nooit liever",
    "turkish": "daima tercih",
    "polish": "zawsze nigdy preferuję",
    "russian": "всегда никогда предпочитаю",
    "arabic": "دائما ابدا افضل",
    "chinese": "总是 總是 从不 從不 偏好",
    "japanese": "必ず 常に 今後",
    "korean": "항상",
}

_IN_PAIRS = ("chinese", "japanese", "korean")

# A question about the assistant's own words: "what did you recommend?"
_OF_ASSISTANT = Pattern(
    r"\b(?:did|have|had) you\b|\byou(?:'ve)? (?:said|told|suggest\w*|recommend\w*|advised?|mention\w*|explain\w*|propos\w*|gave|listed|wrote)\b"
    r"|\bhast du\b|\b(?:sagtest|empfahlst|rietst) du\b|\bhaben sie (?:mir|gesagt|empfohlen)"
    r"|\bm'as[- ]tu\b|\bas-tu (?:dit|suggéré|recommandé|conseillé)|\btu (?:m'as|as) (?:dit|suggéré|recommandé|conseillé)|\bavez-vous (?:dit|recommandé)"
    r"|\b(?:me )?(?:dijiste|recomendaste|sugeriste|aconsejaste|explicaste|propusiste)\b"
    r"|\bvocê (?:disse|recomendou|sugeriu|aconselhou|explicou)\b|\bhai (?:detto|consigliato|suggerito|raccomandato|spiegato)\b"
    r"|\bheb je\b.*\b(?:gezegd|aangeraden|voorgesteld|uitgelegd)\b|\b(?:söyledin|önerdin|önermiştin|söylemiştin|tavsiye ett\w+)"
    r"|\b(?:powiedziałe[śm]|poleciłe[śm]|zaproponowałe[śm]|doradziłe[śm])"
    r"|\bты (?:мне )?(?:\w+ )?(?:сказал\w*|советовал\w*|посоветовал\w*|рекомендовал\w*|порекомендовал\w*|предлагал\w*|предложил\w*|объяснил\w*)"
    r"|(?:نصحت|اقترحت|قلت لي)|你(?:之前|当时|那时)?(?:说|說|建议|建議|推荐|推薦|提到|告诉|告訴|给我)"
    r"|(?:言っていた|勧めて|おすすめして|提案して|教えてくれた)|(?:네가|당신이) .*(?:말|추천|제안)"
)

# A question whose answer stands in many messages: in which order, everything, how many in total.
_OF_MANY = Pattern(
    r"\b(?:in (?:what|which)|the) order\b|\bin order\b|\btimeline\b|\blist (?:all|every|the)\b|\ball the \w+|\bin total\b|\bhow many (?:different|times)\b|\bover(?:all)? time\b|\bacross (?:(?:all )?(?:of )?(?:our|my)|all (?:the )?(?:conversations?|sessions?|chats?|messages?|discussions?))\b|\bthroughout (?:our|all|my)\b"
    r"|\breihenfolge\b|\bliste .*\bauf\b|\balle \w+|\binsgesamt\b|\bwie viele verschiedene\b"
    r"|\bdans quel ordre\b|\bliste[zr]?\b|\btou(?:tes|s) les\b|\bau total\b|\ben tout\b"
    r"|\ben qué orden\b|\btod[oa]s l[oa]s\b|\ben total\b|\bem que ordem\b|\btod[oa]s [oa]s\b|\bno total\b"
    r"|\bin che ordine\b|\btutt[ie] (?:gli|i|le)\b|\bin totale\b|\bin welke volgorde\b|\bin totaal\b"
    r"|\bhangi sırayla\b|\btoplam(?:da)?\b|\bw jakiej kolejności\b|\bwszystkie\b|\błącznie\b"
    r"|\bв каком порядке\b|\bпо порядку\b|\bперечисли\w*|\bвсе мои\b|\bсколько всего\b"
    r"|(?:باي ترتيب|بأي ترتيب|جميع|كل ما|المجموع)|顺序|順序|列出|所有|一共|总共|總共|順番|全部|合計|すべて|순서|모두|전부|총"
)

# A question for an overview of how something went, to which the assistant's answers belong as well.
_OF_OVERVIEW = Pattern(
    r"\bsummar(?:y|ies|i[sz]e)\b|\boverview\b|\brecap\b|\bhow (?:did|has|have|had|was|were)\b.*\b(?:progress(?:ed)?|develop(?:ed|ing)?|evolved?|come along|been going)\b"
    r"|\bzusammenfass\w*|\bfass\w* .*\bzusammen\b|\büberblick\b|\bwie (?:hat|haben|ist|sind)\b.*\b(?:entwickelt|verlaufen|vorangekommen)\b"
    r"|\brésume[rzs]?\b|\b(?:un|le) résumé\b|\bcomment\b.*\b(?:évolué|progressé|avancé|développé\w*|déroulé\w*)"
    r"|\bresúme\w+|\bresum(?:en|ir\w*|a|as|o|ão|indo)\b|\bcómo\b.*\b(?:evolucion|desarroll|progres|avanz)\w+|\bcomo\b.*\b(?:evolu|desenvolv|progred|avanç)\w+"
    r"|\briassum\w+|\bcome\b.*\b(?:evolut|svilupp|progredit)\w+|\bsamenvat\w+|\bvat .*\bsamen\b|\boverzicht\b|\bhoe (?:is|zijn|heeft|hebben)\b.*\b(?:ontwikkeld|verlopen|gevorderd)\b"
    r"|\bözet\w*|\bnasıl (?:gelişti|ilerledi)\w*|\bpodsumuj\w*|\bstreść\b|\bjak\b.*\b(?:rozwij|rozwinę|rozwiną|przebieg)\w+"
    r"|\bподведи итог\w*|\bкратко расскажи\b|\bобзор\b|\bобобщи\w*|\bкак\b.*\b(?:развива|развил|продвига|продвину)\w+"
    r"|(?:لخص|ملخص|كيف تطور|كيف تقدم)|总结|總結|概括|概述|回顾|回顧|怎么发展|如何发展|进展如何|進展如何|まとめて|要約|概要|どのように(?:進|発展)|요약|정리해|어떻게 (?:진행|발전)"
)

# A question that goes on from what was said before: "and in Rust?", "what about Oslo?"
_GOES_ON = Pattern(
    r"^\W*(?:and|or|but|what about|how about|same|also|und|oder|aber|auch|y|o|e|ou|mas|pero|también|et|mais|ed|oppure|ma|en|of|maar|ve|ya|peki|i|a|и|а|или|но|тоже|و|او)\b|^\W*(?:那|还有|還有|じゃあ|では|그럼|그리고)|呢[?？]?$"
)

# Words by which people say that what was said before no longer holds: "now", "no longer", "moved", "instead".
_CHANGE = Pattern(
    r"\b(?:now|no longer|any ?more|moved|moving|chang(?:ed?|ing)|switch\w*|instead|actually|correct\w*|meant|wrong|mistake|sorry|new|quit|left|stopp?(?:ed)?|g(?:a|i)ve up|given up|became|back in|postponed|rescheduled|cancel\w*|last day|used to|former\w*|sold|divorced|broke up|not .* but|until|will be|put off)\b"
    r"|\b(?:jetzt|nun|nicht mehr|keine?n? .*mehr|\w*gezogen|gewechselt|wechsle|geändert|statt\w*|doch|eigentlich|neue[rsnm]?|gekündigt|aufgehört|verschoben|verlegt|seit)\b"
    r"|\b(?:ahora|ya no|mud[éeoó]\w*|cambi\w+|en vez|en realidad|nuev[oa]|dej[éeó]|aplaz\w+|desde|agora|já não|não .*mais|troquei|em vez|na verdade|nov[oa]|deixei|adiad\w+)\b"
    r"|\b(?:теперь|сейчас|уже не|больше не|переех\w+|смени\w+|переш[её]л\w*|вместо|на самом деле|нов(?:ый|ая|ое|ую|ом|ой)|броси\w+|уволи\w+|перенес\w+|исправ\w+|измени\w+)\b"
    r"|\b(?:maintenant|désormais|ne .* plus|déménag\w+|chang\w+|nouveau|nouvelle|adesso|ora|non .* più|trasferit\w+|nuovo|nuova|nu|niet meer|verhuisd|nieuwe?|teraz|już nie|artık|şimdi|taşındı\w*)\b"
    r"|现在|現在|不再|搬|换|換|改|其实|其實|新|辞|推迟|今は|もう|引っ越|変わ|이제|이사|바꿨|الان|لم اعد|انتقل"
)


# Words by which people deny that something ever was.
_NEVER = Pattern(
    r"\b(?:never|niemals|nunca|jamais|jam[aá]s|nooit|nigdy|asla|никогда|ни разу)\b|\b(?:ich|noch|habe?|hatte|bin|war)(?: \w+){0,3} nie\b"
    r"|\bnon\b.{0,20}\bmai\b|从未|從未|从来没|從來沒|一度も|한 ?번도|لم .{0,20}(?:قط|[أا]بد[اً]+)"
)


def says_never(text: str) -> bool:
    """Whether something is denied altogether: "I have never …"."""
    return _NEVER.search(analyzer.normal(text)) is not None


def says_change(message: str) -> bool:
    """Whether a message says that something is not as it was."""
    return _CHANGE.search(analyzer.normal(message)) is not None


def goes_on(question: str) -> bool:
    """Whether a question says by its first words that it goes on from what was said before."""
    return _GOES_ON.search(analyzer.normal(question)) is not None


def is_of_assistant(question: str) -> bool:
    """Whether the assistant's own words are asked for."""
    return _OF_ASSISTANT.search(analyzer.normal(question)) is not None


def is_of_many(question: str) -> bool:
    """Whether the answer stands in many messages: an order of events, an overview, everything of a kind."""
    return _OF_MANY.search(analyzer.normal(question)) is not None or is_of_overview(question)


def is_of_overview(question: str) -> bool:
    """Whether an overview is asked for, or how something developed."""
    return _OF_OVERVIEW.search(analyzer.normal(question)) is not None


@cache
def standing_terms() -> frozenset[str]:
    """The terms of STANDING as messages hold them: a short message may be taken for English."""
    return frozenset(
        term
        for language, words in STANDING.items()
        for word in words.split()
        for term in (
            [word] if language in _IN_PAIRS else [analyzer.stem(word, language), analyzer.stem(word, "english")]
        )
    )
