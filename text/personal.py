"""Whether somebody says something of themselves that a memory would keep: a name, a home, a taste, a plan.

Patterns of a few languages, looked for in the beginning of a message; in doubt nothing is found. Pure. Does not know
what is stored, or why it is asked (facts are learned by a model, from everything).
"""

from text import analyzer
from text.patterns import Pattern

# ruff: noqa: E501 - words of many languages, in patterns

LONGEST = 1_000
"""Characters that are looked at."""

# For `analyzer.normal` text. Each pattern is linear: no repetition within a repetition.
_PERSONAL = (
    Pattern(
        r"\b(?:remember|keep in mind|don't forget|do not forget) (?:that|this|my|i|the|to)\b"
        r"|\bmy (?:\w+ ){1,3}(?:is|are|was|lives?|works?|likes?|hates?|has|turns)\b|\bcall me \w"
        r"|\bi(?:'m| am) (?:\w+ ){0,2}(?:allergic|vegan|vegetarian|from|married|born|\d+ years)\b|\band (?:live|work) (?:in|as|at|for)\b"
        r"|\bi (?:\w+ )?(?:live|work|study|moved|was born|prefer|love|hate|like|own|have a|have an|have two|grew up|keep)\b"
    ),
    Pattern(
        r"\b(?:merk dir|vergiss nicht)\b|\bich (?:heiße|heisse|wohne|lebe|arbeite|studiere|mag|liebe|hasse|bin (?:\w+ ){0,2}(?:aus|allergisch|vegan\w*|vegetari\w+|verheiratet|geboren|jahre)|habe (?:einen?|zwei))\b|\bund (?:wohne|lebe|arbeite|studiere|komme aus)\b|\bwir (?:haben (?:einen?|zwei|drei)|wohnen|leben)\b|\bmeine? (?:\w+ ){1,2}(?:heißt|heisst|ist|wohnt|hat|sind)\b"
    ),
    Pattern(
        r"\b(?:recuerda que|no olvides)\b|\b(?:me llamo|vivo en|trabajo en|soy (?:de|al[eé]rgic\w|vegan\w)|me gusta|prefiero|tengo (?:una?|dos|\d+ años))\b|\bmi (?:\w+ ){1,2}(?:es|se llama|vive|tiene)\b"
    ),
    Pattern(
        r"\b(?:lembre-se|lembra que)\b|\b(?:me chamo|moro em|trabalho em|sou (?:de|al[eé]rgic\w|vegan\w)|eu gosto|prefiro|tenho (?:uma?|dois|\d+ anos))\b|\b(?:meu|minha) (?:\w+ ){1,2}(?:é|e|se chama|mora|tem)\b"
    ),
    Pattern(
        r"\b(?:retiens que|n'oublie pas)\b|\b(?:je m'appelle|j'habite|je travaille|j'aime|je préfère|je prefere)\b|\b(?:mon|ma) \w+ (?:est|s'appelle|habite|a)\b"
    ),
    Pattern(
        r"\b(?:запомни|не забудь)\b|\bменя зовут\b|\bя (?:живу|работаю|учусь|люблю|ненавижу|предпочитаю|родил\w+|переехал\w*)\b|\bмне \d+ (?:год\w*|лет)\b|\bу меня (?:есть|аллергия|двое|собака|кот|кошка)\b|\b(?:мой|моя|мою|мои) (?:\w+ ){1,2}(?:зовут|жив[её]т|работает|любит)\b"
    ),
    Pattern(
        r"(?:记住|記住|别忘了|我叫|我住在|我喜欢|我喜歡|我在\S{1,12}工作|我有一|我对\S{1,8}过敏|我的\S{1,12}(?:住在|叫|是))|(?:تذكر [اأ]ن|اسمي|[اأ]عيش في|[اأ]سكن في|[اأ]عمل في|[اأ]حب|[اأ]فضل|لدي حساسية|(?:[اأ]ختي|[اأ]خي|[اأ]مي|[اأ]بي|زوجتي|زوجي) \w)"
    ),
)
"""One for each language: of most texts none but their own has to be tried."""


def is_worth_keeping(text: str) -> bool:
    """Whether a message tells something of its writer; a question does not."""
    begin = text[:LONGEST]
    if begin.rstrip().endswith(("?", "？", "؟")):
        return False
    normal = analyzer.normal(begin)
    return any(one.search(normal) is not None for one in _PERSONAL)
