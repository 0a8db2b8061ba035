"""The models that need nothing, no network and no key: one answers by quoting, one summarises by extraction.

Deterministic. OfflineModel knows the layout that prompts.py gives a prompt, and reads it leniently: <summaries>,
<remembered> and <conversation> blocks, `[date] Name: text` lines. Neither understands a text: they compare words.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from errors import ModelBroken
from models.chat_model import OnText
from records import Completion, PromptMessage, Usage
from tokens import Tokenizer, sentence_ends

MARKER = "I am the offline model: I need no network and no key, and I can only quote what you told me."
REMEMBERED = "From what I remember:"
UNKNOWN = "I find nothing about that in what I remember."
NOTED = "Noted."

Said = Literal["user", "summary", "assistant"]

_WEIGHT: dict[Said, float] = {"user": 1.0, "summary": 0.9, "assistant": 0.5}
_ASSISTANT_NAMES = {"assistant", "keepsake", "bot"}
_LONGEST_QUOTE = 300
_SUMMARY_SENTENCES = 5
_SUMMARY_TOKENS = 200
# What is worth less than this share of the best sentence would only crowd out facts at the next level.
_WORTH_KEEPING = 0.2

_BLOCK = re.compile(r"<(remembered|summaries|conversation)>\n?(.*?)(?:</\1>|\Z)", re.DOTALL)
_CLOCK = re.compile(r"^\s*It is now [^\n]*(?:\n|\Z)", re.MULTILINE)
_STAMP = re.compile(r"^\[(?P<stamp>[^\]\n]*)\]\s*", re.MULTILINE)
_NAME = re.compile(r"(?P<name>[^\W\d_][\w .'’-]{0,39}):\s+")
_DATE = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_WORD = re.compile(r"[^\W_]+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ABBREVIATION = re.compile(
    r"(?:^|\s)(?:[A-ZА-Я]|Mr|Mrs|Ms|Dr|St|Prof|vs|etc|e\.g|i\.e|No|г|ул|т\.е|Sr|Sra)\.$"
)

_STOP_WORDS = frozenset(
    [
        "a",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "been",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "for",
        "from",
        "had",
        "has",
        "have",
        "he",
        "her",
        "him",
        "his",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "just",
        "let",
        "like",
        "me",
        "my",
        "no",
        "not",
        "of",
        "on",
        "or",
        "our",
        "she",
        "so",
        "some",
        "tell",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "they",
        "this",
        "to",
        "too",
        "us",
        "very",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "who",
        "whom",
        "whose",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
        "about",
        "again",
        "please",
        "remember",
        "remind",
        "know",
        "say",
        "said",
        "told",
        "also",
        "am",
        "much",
        "many",
        "name",
        "called",
        "don",
        "t",
        "s",
        "m",
        "ll",
        "re",
        "ve",
        "d",
        "и",
        "в",
        "во",
        "не",
        "что",
        "он",
        "на",
        "я",
        "с",
        "со",
        "как",
        "а",
        "то",
        "все",
        "она",
        "так",
        "его",
        "но",
        "да",
        "ты",
        "к",
        "у",
        "же",
        "вы",
        "за",
        "бы",
        "по",
        "ее",
        "мне",
        "было",
        "вот",
        "от",
        "меня",
        "еще",
        "нет",
        "о",
        "из",
        "ему",
        "когда",
        "ли",
        "если",
        "или",
        "ни",
        "быть",
        "был",
        "до",
        "вас",
        "уж",
        "вам",
        "ведь",
        "там",
        "мой",
        "моя",
        "моё",
        "мои",
        "моего",
        "моей",
        "моих",
        "меня",
        "где",
        "кто",
        "какой",
        "какая",
        "какие",
        "сколько",
        "это",
        "эта",
        "этот",
        "для",
        "мы",
        "их",
        "чем",
        "была",
        "были",
        "есть",
        "про",
        "тебя",
        "тебе",
        "напомни",
        "скажи",
        "помнишь",
        "el",
        "la",
        "los",
        "las",
        "un",
        "una",
        "unos",
        "unas",
        "y",
        "o",
        "de",
        "del",
        "en",
        "que",
        "qué",
        "es",
        "son",
        "mi",
        "mis",
        "tu",
        "tus",
        "su",
        "sus",
        "con",
        "por",
        "para",
        "como",
        "cómo",
        "cuál",
        "cuándo",
        "dónde",
        "quién",
        "se",
        "le",
        "lo",
        "me",
        "te",
        "al",
        "no",
        "sí",
        "más",
        "ya",
        "fue",
        "era",
        "ser",
        "está",
        "hay",
        "sobre",
    ]
)
_QUESTION = re.compile(
    r"\s*(?:(?:and|so|but|also|well|hey|и|а|y)\s+)?(?:what|when|where|which|who|whom|whose|why|how|is|are|am|was|were|do"
    r"|does|did|can|could|will|would|should|have|has|had|tell|remind|что|когда|где|кто|как|какой|какая|какие|какое|каков"
    r"|сколько|почему|зачем|куда|откуда|чей|чья|напомни|скажи|расскажи|qué|cuál|cuándo|dónde|quién|cómo|cuánto|cuántos"
    r"|dime|recuérdame)(?:['’]\w+)?\b",
    re.IGNORECASE,
)
_CJK_QUESTION = re.compile(r"什么|哪|谁|几|多少|怎么|吗|何|どこ|いつ|だれ|誰|ですか|ますか")
_GREETING = re.compile(
    r"\s*(?:hi|hello|hey|hiya|good (?:morning|evening|day)|greetings|привет|здравствуй(?:те)?|добрый (?:день|вечер)"
    r"|hola|buen[oa]s (?:días|tardes|noches)|你好|您好|who are you|what are you)\b[^\n]{0,20}$|\s*(?:你好|您好)",
    re.IGNORECASE,
)
_PERSONAL = re.compile(
    r"\b(?:my|i am|i'm|i’m|i have|i've|i live|i work|i like|i love|i hate|i want|i need|i prefer|i was born|remember|call me"
    r"|allerg\w+|birthday|password|phone|address|lives?|named|называй|меня зовут|мой|моя|моё|моего|моей|мои|у меня|живу"
    r"|работаю|люблю|аллерги\w+|зовут|запомни|me llamo|mi|mis|vivo|trabajo|tengo|alergia|soy)\b|我(?:叫|是|住|有|的|喜欢)",
    re.IGNORECASE,
)
_DECISION = re.compile(
    r"\b(?:decid\w+|agreed?|chose|chosen|settled|will|going to|plans?|planned|must|deadline|due|booked|moved?|instead|changed"
    r"|решил\w*|решен\w*|договорил\w*|буд(?:у|ет|ем)|должен|должна|нужно|срок|переехал\w*|decid\w+|acord\w+|debo|plazo)\b"
    r"|决定",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not|never|no longer|cannot|without|except|nobody|нет|не|никогда|без|nunca|jamás|sin)\b|n['’]t\b|不|没",
    re.IGNORECASE,
)
_NAMED = re.compile(r"(?<=[\w,;:'’)] )(?:[A-ZА-ЯЁÁÉÍÓÚÑ][\w’'-]+)|https?://\S+")
_FILLER = re.compile(
    r"\s*(?:thanks?|thank you|ok(?:ay)?|great|sure|nice|cool|noted|got it|hi|hello|hey|bye|you're welcome|of course|certainly"
    r"|спасибо|привет|хорошо|ладно|конечно|gracias|hola|vale|claro)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Sentence:
    """One sentence that was said before. `place`: its order in the prompt; `when`: the day, where it is known."""

    text: str
    said: Said
    place: int
    when: date | None = None


class OfflineModel:
    """Answers by quoting the remembered sentences that share most with the question, and says what it is."""

    def __init__(self, name: str = "offline", tokenizer: Tokenizer | None = None) -> None:
        self.name = name
        self._tokenizer = tokenizer or Tokenizer.for_model(name)

    async def complete(
        self,
        messages: Sequence[PromptMessage],
        *,
        on_text: OnText | None = None,
        max_tokens: int | None = None,
    ) -> Completion:
        """A quotation, an acknowledgement, or the plain sentence that nothing was found; never another's words."""
        return await _completion(self.name, self._tokenizer, messages, answer(messages), on_text, max_tokens)

    async def check(self) -> str:
        return "offline model: nothing to reach; it can only quote"


class ExtractiveSummarizer:
    """Summarises by choosing sentences: the summariser where there is no model, or where it has failed."""

    def __init__(self, name: str = "extractive", tokenizer: Tokenizer | None = None) -> None:
        self.name = name
        self._tokenizer = tokenizer or Tokenizer.for_model(name)

    async def complete(
        self,
        messages: Sequence[PromptMessage],
        *,
        on_text: OnText | None = None,
        max_tokens: int | None = None,
    ) -> Completion:
        """The extract of the last user message. Raises ModelBroken where that holds no sentence."""
        source = next((message.content for message in reversed(messages) if message.role == "user"), "")
        limit = _SUMMARY_TOKENS if max_tokens is None else max_tokens
        text = extract(source, limit, count=self._tokenizer.count) or self._tokenizer.cut_end(
            next((sentence.text for sentence in read_block(source)), ""), limit
        )
        if not text:
            raise ModelBroken("There is nothing to summarise.")
        return await _completion(self.name, self._tokenizer, messages, text, on_text, None)

    async def check(self) -> str:
        return "extractive summaries: nothing to reach"


def answer(messages: Sequence[PromptMessage]) -> str:
    """The offline model's answer to a prompt."""
    remembered, words = read_prompt(messages)
    newcomer = not any(message.role == "assistant" for message in messages) and not remembered
    if _GREETING.match(words):
        return f"Hello! {MARKER}"
    quotes = best_quotes(words, remembered) if words.strip() else []
    if quotes and is_question(words):
        return f"{REMEMBERED} {' '.join(_quoted(quote) for quote in quotes)}"
    if is_question(words) or not words.strip():
        return f"{UNKNOWN} {MARKER}"
    return f"{NOTED} {MARKER}" if newcomer else NOTED


def best_quotes(question: str, remembered: Sequence[Sentence], most: int = 3) -> list[Sentence]:
    """Up to `most` sentences sharing the rarest of the question's content words, the best first.

    The question itself, said now or before, is no answer to it. Of equals the later one wins: it may be a correction.
    """
    wanted = content_words(question)
    stems = {sentence: content_words(sentence.text) for sentence in remembered}
    frequency = Counter(stem for found in stems.values() for stem in found)
    rarity = {stem: math.log(1 + (len(stems) + 1) / (frequency[stem] + 0.5)) for stem in wanted}
    total = sum(rarity.values())
    scored: list[tuple[float, Sentence]] = []
    for sentence, found in stems.items():
        shared = wanted & found
        if not shared or _is_own_words(sentence) or (is_question(sentence.text) and found <= wanted):
            continue
        score = sum(rarity[stem] for stem in shared) / total * _WEIGHT[sentence.said]
        score *= 0.25 if is_question(sentence.text) else 1.0
        score *= 1 + 0.1 * min(3, len(found - wanted))
        scored.append((score, sentence))
    scored.sort(key=lambda pair: (-pair[0], -pair[1].place))
    chosen: list[Sentence] = []
    for score, sentence in scored:
        if score < 0.6 * scored[0][0] or len(chosen) == most:
            break
        if not any(_folded(sentence.text) in _folded(other.text) for other in chosen):
            chosen.append(sentence)
    return chosen


def read_prompt(messages: Sequence[PromptMessage]) -> tuple[list[Sentence], str]:
    """What a prompt remembers, sentence by sentence, oldest part first, and the user's last words."""
    turns = [message for message in messages if message.role != "system"]
    last = turns[-1].content if turns and turns[-1].role == "user" else ""
    words = _CLOCK.sub("", _BLOCK.sub("", last, count=_leading_blocks(last)), count=1).strip()
    sentences: list[Sentence] = []
    for message in turns[:-1] if last else turns:
        block = _BLOCK.search(message.content)
        if message.role == "user" and block:
            sentences += read_block(block.group(2), "summary" if block.group(1) == "summaries" else "user")
            rest = _BLOCK.sub("", message.content)
            sentences += read_block(rest)
        else:
            sentences += read_block(message.content, "assistant" if message.role == "assistant" else "user")
    leading = list(_BLOCK.finditer(last))[: _leading_blocks(last)]
    recalled = [
        sentence for block in leading for sentence in read_block(block.group(2), _kind(block.group(1)))
    ]
    ordered = [*recalled, *sentences]
    return [_at(sentence, place) for place, sentence in enumerate(ordered)], words


def read_block(text: str, said: Said = "user") -> list[Sentence]:
    """The sentences of `[date] Name: text` lines; a line without a stamp goes on from the one before."""
    sentences: list[Sentence] = []
    inner = _BLOCK.search(text)
    text = inner.group(2) if inner else text
    stamps = list(_STAMP.finditer(text))
    starts = [0, *(stamp.start() for stamp in stamps)]
    for place, start in enumerate(starts):
        piece = text[start : starts[place + 1] if place + 1 < len(starts) else len(text)]
        stamp = _STAMP.match(piece) if place else None
        when, who = None, said
        if stamp:
            piece = piece[stamp.end() :]
            when = _day(stamp.group("stamp"))
            if re.match(r"level \d", stamp.group("stamp")):
                who = "summary"
            elif name := _NAME.match(piece):
                piece = piece[name.end() :]
                who = "assistant" if name.group("name").strip().lower() in _ASSISTANT_NAMES else said
        sentences += [
            Sentence(text=sentence, said=who, place=len(sentences) + index, when=when)
            for index, sentence in enumerate(split_sentences(piece))
        ]
    return sentences


def split_sentences(text: str) -> Iterator[str]:
    """The sentences of a text, trimmed, none empty; a line end ends one too."""
    start = 0
    for end in [*sentence_ends(text), len(text)]:
        if _ABBREVIATION.search(text[start:end]):
            continue
        sentence = text[start:end].strip().lstrip("-*•# ").strip()
        if _WORD.search(sentence):
            yield sentence
        start = end


def extract(text: str, max_tokens: int, *, count: Callable[[str], int] | None = None) -> str:
    """The most informative sentences of a conversation or of summaries, verbatim and in order: at most five.

    Chosen one by one, each for what it adds to those before: names, numbers, dates, decisions, negations, what people
    say of themselves; the user's words before the assistant's. At most `max_tokens` by `count`.
    """
    counted = count or Tokenizer.for_model("extractive").count
    sentences = [sentence for sentence in read_block(text) if not _is_own_words(sentence)]
    chosen: list[int] = []
    seen: set[str] = set()
    dearest = 0.0
    worth = {place: _worth(sentence) for place, sentence in enumerate(sentences)}
    words = {place: content_words(sentence.text) for place, sentence in enumerate(sentences)}
    while worth and len(chosen) < _SUMMARY_SENTENCES:
        best = max(worth, key=lambda place: (worth[place] * _novelty(words[place], seen), -place))
        value = worth.pop(best) * _novelty(words[best], seen)
        dearest = max(dearest, value)
        if value <= dearest * _WORTH_KEEPING:
            break
        with_it = sorted([*chosen, best])
        if counted(_joined(sentences, with_it)) <= max_tokens:
            chosen = with_it
            seen |= words[best]
    return _joined(sentences, chosen)


def content_words(text: str) -> frozenset[str]:
    """The words that carry meaning, each cut to a stem that its other forms share; Chinese and the like by pairs."""
    found: set[str] = set()
    for word in _WORD.findall(text.casefold()):
        if _CJK.search(word):
            found.update(word[at : at + 2] for at in range(max(1, len(word) - 1)))
        elif word not in _STOP_WORDS:
            found.add(stem(word))
    return frozenset(found)


def stem(word: str) -> str:
    """A light stem: English plural and verb endings off, a Russian or Spanish final vowel or two off, six letters."""
    if word.isdigit():
        return word
    if word.isascii() and len(word) > 4:
        word = re.sub(r"(?:ies|ied)$", "y", word)
        word = re.sub(r"(?:ing|ed|es|s|e)$", "", word) if len(word) > 4 else word
    elif len(word) > 3:
        word = word.rstrip("аяоуюыиеёэйьмхáéíóú") if len(word.rstrip("аяоуюыиеёэйьмхáéíóú")) >= 3 else word
    if len(word) == 4 and word.isascii() and word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    return word[:6]


def is_question(text: str) -> bool:
    """Whether a text asks for something rather than tells something."""
    tail = text.rstrip("\"'”’») ")
    return tail.endswith(("?", "？")) or bool(_QUESTION.match(text) or _CJK_QUESTION.search(text))


def _worth(sentence: Sentence) -> float:
    """How much a sentence tells that a summary should keep. Zero and below: nothing."""
    text = sentence.text
    length = len(_WORD.findall(text)) if not _CJK.search(text) else len(text) // 2
    value = 1.0
    value += min(3, len(re.findall(r"\d+(?:[.,:/-]\d+)*", text)))
    value += min(3, len(_NAMED.findall(text)))
    value += (
        2.0 * bool(sentence.said != "assistant" and _PERSONAL.search(text))
        + 1.5 * bool(_DECISION.search(text))
        + 1.0 * bool(_NEGATION.search(text))
    )
    if is_question(text):
        value *= 0.2
    if _FILLER.match(text) and length < 8:
        value *= 0.1
    if length < 3 or length > 60:
        value *= 0.5
    return value * (0.3 if sentence.said == "assistant" else 1.0)


def _novelty(words: frozenset[str], seen: set[str]) -> float:
    """The share of a sentence's content words that nothing chosen has yet."""
    return len(words - seen) / len(words) if words else 0.0


def _joined(sentences: Sequence[Sentence], places: Iterable[int]) -> str:
    return " ".join(sentences[place].text for place in places)


def _quoted(sentence: Sentence) -> str:
    text = (
        sentence.text
        if len(sentence.text) <= _LONGEST_QUOTE
        else sentence.text[:_LONGEST_QUOTE].rstrip() + "…"
    )
    day = (
        f" ({sentence.when.day} {_MONTHS[sentence.when.month - 1]} {sentence.when.year})"
        if sentence.when
        else ""
    )
    return f"“{text}”{day}."


_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]  # strftime's names would follow the machine's locale


def _is_own_words(sentence: Sentence) -> bool:
    """Whether this is one of the offline model's own earlier answers, which must not be quoted as knowledge."""
    return any(sentence.text.startswith(own) for own in (REMEMBERED, NOTED, UNKNOWN, MARKER[:24])) or (
        sentence.said == "assistant" and sentence.text.startswith("“")
    )


def _kind(block: str) -> Said:
    return "summary" if block == "summaries" else "user"


def _leading_blocks(text: str) -> int:
    """How many blocks the prompt put before the user's words; one that the user typed further on is the user's."""
    count, rest = 0, text.lstrip()
    while block := _BLOCK.match(rest):
        count, rest = count + 1, rest[block.end() :].lstrip()
    return count


def _at(sentence: Sentence, place: int) -> Sentence:
    return Sentence(text=sentence.text, said=sentence.said, place=place, when=sentence.when)


def _folded(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _day(stamp: str) -> date | None:
    """The last day that a stamp names: of a summary's range, the one until which it holds."""
    for year, month, day in reversed(_DATE.findall(stamp)):
        try:
            return date(int(year), int(month), int(day))
        except ValueError:
            continue
    return None


async def _completion(
    name: str,
    tokenizer: Tokenizer,
    messages: Sequence[PromptMessage],
    text: str,
    on_text: OnText | None,
    max_tokens: int | None,
) -> Completion:
    """The text as a model's answer: cut to its limit, shown word by word where somebody reads along."""
    whole = text
    if max_tokens is not None:
        text = tokenizer.cut_end(text, max_tokens) or text[:1]
    if on_text:
        for word in re.finditer(r"\S+", text):
            await on_text(text[: word.end()])
    usage = Usage(prompt=tokenizer.prompt_tokens(messages), completion=tokenizer.count(text))
    return Completion(text=text, model=name, usage=usage, is_truncated=text != whole)
