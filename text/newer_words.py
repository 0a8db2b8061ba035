"""Whether a person's own message says something newer about a fact: another home, a new date, that it is over. Pure.

Facts are in the third person and messages in the first. Owns how people say of themselves what nobody has two of
(single_values.py). An imagined difference costs a few words of a prompt, a missed one an answer that is out of date: in
doubt there is one. Does not know which messages are later.
"""

# ruff: noqa: E501 - words of many languages, in patterns

import re
from functools import cache, lru_cache

from text import cues, single_values
from text.analyzer import analyse, folded, normal
from text.characters import sentence_ends
from text.fingerprint import fingerprint, is_general, topics

LONGEST = 2_000
"""Characters of a message that are read."""
LONGEST_SENTENCE = 300
CACHED = 2_000
SHARED = 0.5
"""The share of what a fact is about that a sentence has to name, next to a word of change."""

# What people say of themselves, by the value of which they have one.
_OWN = {
    "home": r"\b(?:i|we)(?:'ve| have|'m| am|'re| are| just| now| finally| recently| currently| actually)* (?:live|living|reside|moved|moving|relocated) (?:(?!with\b)[\w'-]+ ){0,4}?(?:in|to)\b"
    r"|\b(?:ich|wir) (?:wohnen?|leben?|ziehen?)\b.{0,30}?\b(?:in|nach)\b|\b(?:ich bin|wir sind|bin ich|sind wir)\b.{0,40}?\bnach \S+ (?:um)?gezogen|\b(?:wohne|lebe) ich\b.{0,20}?\bin\b"
    r"|\b(?:vivo|vivimos|resido) (?:ahora )?en\b|\b(?:me mude|me he mudado|nos mudamos)(?: de \S+)? a\b|\b(?:moro|moramos|vivo) (?:agora )?(?:em|no|na)\b|\b(?:me mudei|mudei-me)(?: de \S+)? para\b"
    r"|\b(?:живу|живем|переехала?|переехали|переезжаю) (?:теперь |сейчас |уже )?(?:из \S+ )?в\b|\bя (?:теперь|сейчас|уже) (?:живу|переехала?) в\b"
    r"|\b(?:j'habite|je vis|nous habitons)(?: maintenant)? (?:a|en|au)\b|\b(?:j'ai|nous avons|je viens de) demenager? (?:a|en|au)\b|\b(?:abito|vivo) (?:ora |adesso )?(?:a|in)\b|\bmi sono trasferit[oa] (?:a|in)\b"
    r"|\bik woon (?:nu )?in\b|\bik ben (?:\w+ )?naar \S+ verhuisd|\bmieszkam (?:teraz )?w\b|\bprzeprowadzil\w+ sie do\b|\b(?:yasiyorum|oturuyorum|tasindim)\b"
    r"|我们?(?:现在|現在|刚|剛)?(?:住在|搬到|搬去)|に住んで|に引っ越し|에 살고|로 이사|(?:اسكن|اعيش) في|انتقلت الي?",
    "employer": r"\bi(?:'ve| have|'m| am| just| now| currently)* (?:work|working) (?:at|for) (?!home|night|least)|\bi(?:'ve| have| just)* (?:joined|started (?:at|with|working (?:at|for)))\b"
    r"|\bich arbeite (?:jetzt |nun )?(?:bei|fur)\b|\btrabajo (?:ahora )?(?:en|para)\b|\btrabalho (?:agora )?(?:na|no|em|para)\b|\bработаю (?:теперь )?в\b|\bje travaille (?:maintenant )?(?:chez|pour)\b|\blavoro (?:ora )?(?:da|per)\b|\bik werk (?:nu )?bij\b|\bpracuje (?:teraz )?w\b|我(?:现在|現在)?在\S{1,20}(?:工作|上班)",
    "job": r"\bi(?:'m| am| now)* work(?:ing)? as\b|\bi became an?\b|\bich arbeite (?:jetzt |nun )?als\b|\btrabajo (?:ahora )?como\b|\btrabalho (?:agora )?como\b|\bje travaille comme\b|\blavoro come\b|\bik werk (?:nu )?als\b",
    "age": r"\bi(?:'m| am) (?:now )?\d{1,3}\b(?! (?:minutes|hours|days|weeks|percent|%))|\bi (?:just )?turned \d|\bich bin (?:jetzt )?\d{1,3}\b|\bich bin \d{1,3} geworden|\btengo (?:ahora )?\d{1,3} anos|\bcumpli \d|\btenho \d{1,3} anos|\bмне (?:уже |теперь )?\d|\bj'ai (?:maintenant )?\d{1,3} ans|\bho \d{1,3} anni|\bik ben \d{1,3} jaar|我(?:今年|现在)?\d{1,3}岁",
    "birthday": r"\bmy birthday is\b|\bi was born\b|\b(?:ich habe|mein geburtstag)\b.*\bgeburtstag|\bmi cumpleanos es\b|\bмой день рождения\b",
    "name": r"\bmy name is\b|\bi(?:'m| am) called\b|\bich heisse\b|\bich heiße\b|\bme llamo\b|\bme chamo\b|\bменя (?:теперь )?зовут\b|\bje m'appelle\b|\bmi chiamo\b|\bik heet\b|我叫",
    "phone": r"\bmy (?:new )?(?:(?:tele)?phone |mobile |cell )?number is\b|\bmeine (?:neue )?(?:telefon|handy)?nummer ist\b|\bmi (?:nuevo )?(?:numero|telefono)\b.{0,20}\bes\b|\bмой (?:новый )?номер\b",
    "e-mail": r"\bmy (?:new )?e-?mail(?: address)? is\b|\bmeine (?:neue )?e-?mail\b.{0,10}\bist\b|\bmi (?:nuevo )?correo es\b",
    "address": r"\bmy (?:new )?address is\b|\bmeine (?:neue )?adresse ist\b|\bmi (?:nueva )?direccion es\b|\bмой (?:новый )?адрес\b",
}
_MINE = (
    r"\b(?:my|our|meine?r?|unsere?|mis?|nuestr[oa]|minha|meu|мо[йяеи]|наш[аи]?|mon|ma|notre|mi[oa]|mijn|mo[ij]a?)\s+"
)
_FROM = r"\b(?:from|von|de|desde|из|van|z) \S+"


def says_newer(fact: str, message: str) -> bool:
    """Whether a message, in its writer's own words, gives another value of what a fact gives the one value of, or names
    what the fact is about next to a word of change ("now", "no longer", "postponed").
    """
    return any(_differs(fact, sentence) for sentence in _sentences(message))


@lru_cache(maxsize=CACHED)
def _sentences(message: str) -> tuple[str, ...]:
    """The sentences of a message as they are compared: in lower case, without diacritics."""
    plain = folded(normal(message[:LONGEST]))
    found, start = [], 0
    for end in [*sentence_ends(plain), len(plain)]:
        sentence = plain[start:end].strip()
        start = end
        if 3 <= len(sentence) <= LONGEST_SENTENCE:
            found.append(sentence)
    return tuple(found)


def _differs(fact: str, sentence: str) -> bool:
    known = single_values.value_given(fact)
    if known is not None and (begins := _own_value(known.subject, sentence)) is not None:
        return not _terms(re.sub(_FROM, "", sentence[begins:])) & _terms(known.words)
    about = _about(fact)
    shared = len(about & _topics(sentence))
    return bool(shared) and shared >= SHARED * len(about) and _says_change(sentence)


@lru_cache(maxsize=CACHED)
def _own_value(subject: str, sentence: str) -> int | None:
    """From where on a sentence gives its writer's own value of a subject, or that of somebody of theirs; None: it does
    not.
    """
    *whose, value = subject.split()
    if not whose and value in _OWN:
        match = _pattern(_OWN[value]).search(sentence)
        return match.start() if match else None
    for mine in _pattern(_MINE).finditer(sentence):
        rest = sentence[mine.end() :]
        if value in _OWN and (match := single_values.pattern(value).search(rest)):
            if set(whose) & set(rest[: match.start()].split()):
                return mine.end() + match.start()
        elif value not in _OWN and rest.startswith(subject):
            return mine.end() + len(subject)
    return None


@lru_cache(maxsize=CACHED)
def _says_change(sentence: str) -> bool:
    """Whether it says that something changed; "Is my exam still in June?" only asks, unlike "It moved, what now?"."""
    is_question = sentence.endswith(("?", "؟", "？")) and "," not in sentence
    return not is_question and cues.says_change(sentence)


@lru_cache(maxsize=CACHED)
def _topics(sentence: str) -> frozenset[str]:
    return topics(sentence)


@lru_cache(maxsize=CACHED)
def _about(fact: str) -> frozenset[str]:
    """What a fact is about, without names, numbers, and the verbs that most facts have."""
    values = topics(" ".join(fingerprint(fact).distinguishing))
    return frozenset(topic for topic in topics(fact) - values if not is_general(topic) and not topic.isdigit())


@lru_cache(maxsize=CACHED)
def _terms(plain: str) -> frozenset[str]:
    return frozenset(term.lstrip("0") for term in analyse(plain))


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    """Compiled when it is first needed: a start should not wait for it."""
    return re.compile(folded(pattern))
