"""Things that nobody has two of: a home, an employer, a name, the date of one exam. Read from the words of a fact. Pure.

A new home ends the old one, whatever the model that found it says. Owns the words of the languages it knows; what they
miss costs a fact that stays next to its successor.
"""

# ruff: noqa: E501, SIM905 - words of many languages, in patterns

import re
from dataclasses import dataclass
from functools import lru_cache

from text.analyzer import folded, normal
from text.fingerprint import NUMBER_WORDS, fingerprint

CACHED = 2_000

_DATE = r"(?:\d{4}-\d\d(?:-\d\d)?|\d{1,2}[./]\d{1,2}|\d{1,2}:\d\d|\d{1,2}(?:\.|st|nd|rd|th)? (?:de )?\w+|\w+ \d{1,2}\b)"
# By value: how it is said now, and how it is said of what is over.
_VALUES = {
    "home": (
        r"(?:now )?(?:lives|resides|is living) in|(?:has )?moved (?:from [\w' .-]+? )?to|(?:wohnt|lebt) (?:jetzt |nun )?in|ist (?:von [\w' .-]+? )?nach \S+ (?:ge|um)zogen|(?:vive|reside) (?:ahora )?en|se (?:mudo|ha mudado) (?:de [\w' .-]+? )?a|(?:mora|vive|reside) (?:agora )?(?:em|no|na)|mudou-se (?:de [\w' .-]+? )?para|se mudou (?:de [\w' .-]+? )?para|(?:теперь )?(?:живет|проживает) в|переехала? (?:из \S+ )?в|habite (?:a|en)|vit a|abita a|woont in|mieszka w|(?:现在)?住在|搬到|搬去",
        r"(?:lived|used to live|resided) in|(?:wohnte|lebte|hat .*gewohnt)\b|(?:vivia|vivio) en|(?:morava|vivia|morou) (?:em|no|na)|(?:жил|жила|проживала?) в|habitait|abitava|以前住在|曾住在",
    ),
    "employer": (
        r"(?:now )?(?:works|is working) (?:at|for) (?!home|night|least)|is employed (?:at|by)|(?:has )?joined [A-Z]|arbeitet (?:jetzt |nun )?(?:bei|fur)|trabaja (?:ahora )?(?:en|para)|trabalha (?:agora )?(?:na|no|em|para)|(?:теперь )?работает в (?!офисе|ночн)|travaille chez|lavora (?:da|per)|werkt bij|pracuje w|(?:现在)?在\S{1,20}(?:工作|上班)|就职于",
        r"(?:worked|used to work) (?:at|for) (?!home|night)|arbeitete (?:bei|fur)|(?:trabajaba|trabajo) (?:en|para)|(?:trabalhava|trabalhou) (?:na|no|em|para)|(?:работал|работала) в|travaillait chez|曾在\S{1,20}(?:工作|上班)",
    ),
    "job": (
        r"works as|arbeitet als|trabaja como|trabalha como|работает (?!в|на|по|с|из|без|до|у|за|над)\w+(?:ом|ем|ером|истом|ицей|кой)\b|travaille comme|lavora come|werkt als",
        r"(?:worked|used to work) as|arbeitete als|trabajaba como|trabalhava como",
    ),
    "age": (
        r"is \d{1,3}(?: years old)?(?=[.!]?$)|is \d{1,3} years old|ist \d{1,3} jahre alt|tiene \d{1,3} anos|tem \d{1,3} anos(?! de)|\d{1,3} (?:лет|год|года)(?=[.!]?$)|(?<!\d)\d{1,3}岁",
        "",
    ),
    "birthday": (
        r"(?:birthday|geburtstag|cumpleanos|compleanno|anniversaire|день рождения|生日) ?(?:is|ist|es|e|est|—|-|是)?|was born (?:on|in)|wurde .*geboren|nacio (?:el|en)|nasceu (?:em|a)|родил(?:ся|ась)|出生",
        "",
    ),
    "name": (
        r"(?:'s name is|is called|is named|heißt|se llama|se chama|chama-se|меня зовут|зовут|называют|s'appelle|si chiama|名字(?:是|叫)|名叫)",
        "",
    ),
    "phone": (
        r"phone number|telefonnummer|handynummer|numero de (?:telefono|telefone|celular)|номер телефона|电话(?:号码)?",
        "",
    ),
    "e-mail": (r"\be-?mail\b|\bcorreo\b|электронная почта|邮箱", ""),
    "blood type": (r"blood type|blutgruppe|grupo sanguineo|группа крови|血型", ""),
    "address": (r"address is|adresse ist|direccion es|endereco e|адрес|地址", ""),
    "favourite": (
        r"favou?rite [\w ]{1,60}? is|lieblings\w{1,40} ist|\b\w{1,40} favorit[oa] es|\b\w{1,40} favorit[oa] e\b|любим(?:ый|ая|ое) \w+|最喜欢的\S{1,6}是",
        "",
    ),
}
_PATTERNS = {
    name: (re.compile(folded(now)), re.compile(folded(over)) if over else None) for name, (now, over) in _VALUES.items()
}
# "Anna's exam is on …", "Der Termin von Anna ist am …": its date, of which it has one.
_DATED = re.compile(
    folded(
        rf"^(?P<what>[^,;]{{3,60}}?) (?:is|will be|takes place|starts|begins|has been (?:moved|postponed) to|was (?:moved|postponed) to|is due|ist|findet|beginnt|es|sera|empieza|fica|sera|comeca|будет|состоится|начинается|назначен\w*)(?: now| jetzt| statt)? (?:on |at |in |am |um |el |a las |em |no dia |в |на )?{_DATE}"
    )
)


# "Anna has three cats", "zahlt 900 Euro Miete": how many, or how much, there is now.
_NUMBER = r"(?:\d[\d.,]*|" + "|".join(sorted({folded(normal(word)) for word in NUMBER_WORDS})) + ")"
_AMOUNT = re.compile(
    folded(
        rf"(?:\b(?:has|owns|pays|earns|weighs|hat|besitzt|zahlt|verdient|wiegt|tiene|paga|gana|pesa|tem|ganha|платит|зарабатывает|весит)|^у \w+(?: есть)?|有) {_NUMBER}\b(?P<what>(?: \w+){{1,3}})[.!]?$"
    )
)


@dataclass(frozen=True, kw_only=True, slots=True)
class SingleValue:
    """The thing that a fact gives the value of: "home", "sister home", "exam". `is_over`: it is told as past; `is_single`:
    there cannot be another (of somebody's sisters each has a home).
    """

    subject: str
    is_over: bool = False
    is_single: bool = True


@lru_cache(maxsize=CACHED)
def single_value(text: str) -> SingleValue | None:
    """The thing that a fact gives the one value of; None where people may have several, or it is not known here."""
    plain = folded(normal(text))
    if fingerprint(text).polarity:
        return None
    for name, (now, over) in _PATTERNS.items():
        if match := (over.search(plain) if over else None):
            return _value(plain, match.start(), name, is_over=True)
        if match := now.search(plain):
            value = match.group().removesuffix(" is") if name == "favourite" else name
            return _value(plain, match.start(), value)
    if match := _AMOUNT.search(plain):
        return _value(plain, match.start(), match["what"].strip(" .!"))
    if (match := _DATED.match(plain)) and "'" in match["what"]:
        return SingleValue(subject=match["what"].rpartition("'")[2].removeprefix("s ").strip())
    return None


def _value(plain: str, at: int, value: str, *, is_over: bool = False) -> SingleValue:
    """The value with whose it is, apart from the owner's name, with which every fact begins."""
    _, _, possessed = plain[:at].rpartition("'")
    words = [word for word in re.findall(r"[^\W\d_]+", possessed) if len(word) > 1 and word not in _IDLE]
    is_possessed = "'" in plain[:at]
    if not is_possessed and len(words) < 2:
        return SingleValue(subject=value, is_over=is_over)
    has_name = is_possessed and len(words) > 1
    is_single = value != "name" and (has_name or bool(_UNIQUE.intersection(words)))
    return SingleValue(subject=" ".join([*words, value])[:60], is_over=is_over, is_single=is_single)


_UNIQUE = frozenset(
    "wife husband spouse partner mother father mom mum dad boss frau mann ehefrau ehemann mutter vater chef chefin"
    " esposa esposo marido madre padre jefe jefa mae pai chefe жена жены муж мужа мать мама отец папа начальник".split()
)
_IDLE = frozenset(
    "user now has is der die das jetzt seit el la los ahora desde o a os as agora the and since от с теперь уже сейчас".split()
)
