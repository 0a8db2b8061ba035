"""The models that need neither a network nor a key: one answers by quoting, one summarises by extraction.

Both are deterministic and compare words without understanding them. Does not know the layout of prompts
(prompt_sentences.py does).
"""

import math
import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from functools import cache

from llm.chat_model import ChatModel, OnText
from llm.offline_facts import stated
from llm.prompt_sentences import (
    Sentence,
    Speaker,
    is_question,
    opens_with_question,
    read_block,
    read_prompt,
    read_superseded,
)
from locales.catalog import in_every_language, tr
from records.errors import ModelBroken
from records.model_calls import Completion, PromptMessage, Usage
from text.analyzer import content_terms
from text.date_words import ENGLISH_MONTHS
from text.tokenizer import Tokenizer

_WEIGHT: dict[Speaker, float] = {"fact": 1.2, "user": 1.0, "summary": 0.9, "assistant": 0.5}
_KNOWN = ("facts", "profile")
"""The blocks of a prompt that say what is known about the person."""
_MOST_KNOWN = 8
_ABOUT_ME = re.compile(
    r"\b(?:what (?:do|did) you (?:know|remember)(?: (?:about|of) me)?|who am i|tell me (?:everything )?about me)\W*$"
    r"|что ты (?:обо мне )?(?:знаешь|помнишь)(?: обо мне)?\W*$|qué sabes (?:de|sobre) mí|was weißt du über mich"
    r"|o que você sabe (?:de|sobre) mim|你(?:知道|记得|了解)我|你对我(?:了解|知道|记得)|ماذا تعرف عني",
    re.IGNORECASE,
)
_ALIKE = 0.75
"""The share of the best quote's score from which a later quote goes before it: it may say what holds now."""
_LEAST_SHARE = 0.12
"""The share of the question's words, by rarity, that a sentence needs to be an answer at all."""
_LONGEST_QUOTE = 300
_SUMMARY_SENTENCES = 5
_SUMMARY_TOKENS = 200
# A sentence worth less than this share of the best would only crowd out facts at the next level.
_WORTH_KEEPING = 0.2

_GREETING = re.compile(
    r"[\s¡]*(?:hi|hello|hey|hiya|good (?:morning|evening|day)|greetings|привет|здравствуй(?:те)?|добрый (?:день|вечер)"
    r"|hola|buen[oa]s (?:días|tardes|noches)|hallo|moin|guten (?:morgen|tag|abend)|olá|oi|bo[am] (?:dia|tarde|noite)"
    r"|مرحبا|أهلا|أهلًا|السلام عليكم|你好|您好|who are you|what are you)\b[^\n]{0,20}$|\s*(?:你好|您好)",
    re.IGNORECASE,
)
_PERSONAL = re.compile(
    r"\b(?:my|i am|i'm|i’m|i have|i've|i live|i work|i like|i love|i hate|i want|i need"
    r"|i prefer|i was born|remember|call me|allerg\w+|birthday|password|phone|address|lives?|named"
    r"|ich (?:bin|habe|heiße|wohne|lebe|arbeite|mag|liebe|hasse|will|möchte|brauche)|mein\w*|geburtstag|heißt"
    r"|wohnt|sou|meu|minha|meus|minhas|moro|trabalho|gosto|me chamo|chama-se|mora"
    r"|اسمي|أنا|أسكن|أعيش|أعمل|أحب|أكره|لدي|عندي|أختي|أخي|أمي|أبي"
    r"|называй|меня зовут|мой|моя|моё|моего|моей|мои|у меня|живу"
    r"|работаю|люблю|аллерги\w+|зовут|запомни|me llamo|mi|mis|vivo|trabajo|tengo|alergia|soy)\b"
    r"|我(?:叫|是|住|有|的|喜欢|对|在|爱|讨厌)",
    re.IGNORECASE,
)
_DECISION = re.compile(
    r"\b(?:decid\w+|agreed?|chose|chosen|settled|will|going to|plans?|planned|must|deadline|due|booked|moved?|instead"
    r"|changed|решил\w*|решен\w*|договорил\w*|буд(?:у|ет|ем)|должен|должна|нужно|срок|переехал\w*|decid\w+|acord\w+|debo|plazo)\b"
    r"|决定",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not|never|no longer|cannot|without|except|nobody|нет|не|никогда|без|nunca|jamás|sin)\b|n['’]t\b|不|没",
    re.IGNORECASE,
)
_NAMED = re.compile(r"(?<=[\w,;:'’)] )(?:[A-ZА-ЯЁÁÉÍÓÚÑ][\w’'-]+)|https?://\S+")
_SELF = re.compile(r"\bI\b")
_THEIRS = re.compile(r"\b(?:my|[\w-]+['’]s) \w", re.IGNORECASE)
_FILLER = re.compile(
    r"\s*(?:thanks?|thank you|ok(?:ay)?|great|sure|nice|cool|noted|got it|hi|hello|hey|bye|you're welcome|of course"
    r"|certainly|спасибо|привет|хорошо|ладно|конечно|gracias|hola|vale|claro)\b",
    re.IGNORECASE,
)

_CORRECTING = re.compile(
    r"\b(?:correct(?:ion|ed)|actually|instead|moved|changed|postponed|rescheduled|no longer|sorry|mistake|wrong|meant"
    r"|исправ\w+|на самом деле|перенес\w+|изменил\w*|en realidad|correcci[oó]n|cambi\w+|aplaz\w+|verschoben|geändert)\b"
    r"|更正|实际上|改(?:到|为|成)",
    re.IGNORECASE,
)
"""Words by which people say that what was said before no longer holds."""
_VALUE = re.compile(
    rf"\b(?:\d[\d.,:/-]*(?:st|nd|rd|th)?|{'|'.join(ENGLISH_MONTHS)}|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.IGNORECASE,
)
"""Numbers, dates and weekdays: what a correction replaces."""
_MOST_CORRECTIONS = 50
_SAME_TOPIC = 0.5
"""The share of an earlier sentence's content words, without values, that its correction repeats."""

QUOTES = ("“", "„", "«")
"""How `shared-quoted` begins, in every language."""
_DAY_OF_A_QUOTE = re.compile(r"\(\d{1,4}[./-]\d\d[./-]\d{2,4}\)\.?")
_OF_THE_MARKER = 9
"""Characters by which the sentence that says what this model is can be told: it is cut into sentences."""


class _Deterministic(ChatModel):
    """A model that computes its text. `says`: the line of --check."""

    name: str
    says: str

    def __init__(self) -> None:
        self._tokenizer = Tokenizer.for_model(self.name)

    @abstractmethod
    def _text(self, messages: Sequence[PromptMessage], schema: Mapping[str, object] | None) -> str: ...

    async def complete(
        self,
        messages: Sequence[PromptMessage],
        *,
        on_text: OnText | None = None,
        schema: Mapping[str, object] | None = None,
    ) -> Completion:
        """The text as a model's answer, shown word by word where it is streamed."""
        text = self._text(messages, schema)
        if on_text:
            for word in re.finditer(r"\S+", text):
                await on_text(text[: word.end()])
        usage = Usage(prompt=self._tokenizer.prompt_tokens(messages), completion=self._tokenizer.count(text))
        return Completion(text=text, model=self.name, usage=usage)

    async def check(self) -> str:
        return self.says


class OfflineModel(_Deterministic):
    """Answers by quoting the remembered sentences that share most with the question, and says what it is."""

    name = "offline"
    says = "offline model: nothing to reach; it can only quote"

    def _text(self, messages: Sequence[PromptMessage], schema: Mapping[str, object] | None) -> str:
        return answer(messages)


class ExtractiveSummarizer(_Deterministic):
    """Summarises by choosing sentences, where there is no model or the model has failed."""

    name = "extractive"
    says = "extractive summaries: nothing to reach"

    def _text(self, messages: Sequence[PromptMessage], schema: Mapping[str, object] | None) -> str:
        """The extract of the last user message; where JSON is asked for, the facts that it states outright.

        Raises ModelBroken where the message has no sentence.
        """
        source = next((message.content for message in reversed(messages) if message.role == "user"), "")
        if schema is not None:
            return stated(source, schema)
        text = extract(source, _SUMMARY_TOKENS, count=self._tokenizer.count) or self._tokenizer.cut_end(
            next((sentence.text for sentence in read_block(source)), ""), _SUMMARY_TOKENS
        )
        if not text:
            raise ModelBroken
        return text


def answer(messages: Sequence[PromptMessage]) -> str:
    """The offline model's answer to a prompt."""
    remembered, words = read_prompt(messages)
    newcomer = not any(message.role == "assistant" for message in messages) and not remembered
    if _GREETING.match(words):
        return f"{tr('offline-hello')} {tr('offline-marker')}"
    if _ABOUT_ME.search(words) and (known := _known(remembered)):
        return "\n".join([tr("offline-remembered"), *map(_quoted, known)])
    quotes = best_quotes(words, remembered) if words.strip() else []
    if quotes and is_question(words):
        return f"{tr('offline-remembered')} {' '.join(_quoted(quote) for quote in quotes)}"
    if is_question(words) and (nearest := _nearest(remembered)):
        return f"{tr('offline-nearest')} {_quoted(nearest)}"
    if is_question(words) or not words.strip():
        return f"{tr('offline-unknown')} {tr('offline-marker')}"
    return f"{tr('offline-noted')} {tr('offline-marker')}" if newcomer else tr("offline-noted")


def _known(remembered: Sequence[Sentence]) -> list[Sentence]:
    """What is known about the person: facts that hold and the profile; then, the newest first, what they said of
    themselves that no fact is about. A fact whose message is in the prompt stands there in their own words alone.
    """
    known = [one for one in remembered if one.speaker == "fact" or one.block in _KNOWN]
    about = [_terms(one.text) for one in known]
    told = [
        one
        for one in remembered
        if one.speaker in ("user", "summary") and one.block not in _KNOWN and _PERSONAL.search(one.text)
        if not is_question(one.text) and not _is_about_one(_terms(one.text), about)
    ]
    found = [*(one for one in known if not one.is_over), *sorted(told, key=_latest_first)]
    return list({_folded(one.text): one for one in found}.values())[:_MOST_KNOWN]


def _is_about_one(terms: frozenset[str], known: Sequence[frozenset[str]]) -> bool:
    """Whether most of what a sentence is about is said by one of what is known."""
    return any(len(terms & one) > len(terms) / 2 for one in known)


def _nearest(remembered: Sequence[Sentence]) -> Sentence | None:
    """The first sentence that was looked up for this question: it is like it in meaning, if not in its words."""
    looked_up = (one for one in remembered if one.block == "remembered" and one.speaker != "assistant")
    return next((one for one in looked_up if not is_question(one.text) and not _is_own_words(one)), None)


def best_quotes(question: str, remembered: Sequence[Sentence], most: int = 3) -> list[Sentence]:
    """Up to `most` sentences sharing the rarest of the question's content words, the best first.

    The question itself, asked now or before, is no answer to it. Of those that are nearly as good as the best, the
    later goes first: it may be a correction.
    """
    wanted = _terms(question)
    stems = {sentence: _terms(sentence.text) for sentence in remembered}
    frequency = Counter(stem for found in stems.values() for stem in found)
    rarity = {stem: math.log(1 + (len(stems) + 1) / (frequency[stem] + 0.5)) for stem in wanted}
    scored: list[tuple[float, Sentence]] = []
    is_of_self = _SELF.search(question) and not _THEIRS.search(question)
    for sentence, found in stems.items():
        share = sum(rarity[stem] for stem in wanted & found) / sum(rarity.values()) if wanted else 0.0
        if share < _LEAST_SHARE or _is_own_words(sentence) or opens_with_question(sentence.text):
            continue
        score = share * _WEIGHT[sentence.speaker] * (0.25 if is_question(sentence.text) else 1.0)
        if is_of_self and _THEIRS.search(sentence.text) and not _SELF.search(sentence.text):
            score *= 0.5  # what was said about the person's sister does not answer a question about the person
        scored.append((score * (1 + 0.1 * min(3, len(found - wanted))), sentence))
    best = max((score for score, _ in scored), default=0.0)
    scored.sort(
        key=lambda pair: (pair[0] < _ALIKE * best, -pair[0] if pair[0] < _ALIKE * best else 0, _latest_first(pair[1]))
    )
    chosen: list[Sentence] = []
    for score, sentence in scored:
        if score < 0.6 * best or len(chosen) == most:
            break
        if not any(_folded(sentence.text) in _folded(other.text) for other in chosen):
            chosen.append(sentence)
    return chosen


def extract(text: str, max_tokens: int, *, count: Callable[[str], int]) -> str:
    """The most informative sentences of a conversation or of summaries, verbatim and in order: at most five.

    Each is chosen for what it adds to those before: names, numbers, dates, decisions, negations, what people say about
    themselves; the user's words before the assistant's. At most `max_tokens` by `count`.
    """
    sentences = [sentence for sentence in read_block(text) if not _is_own_words(sentence)]
    chosen: list[int] = []
    seen: set[str] = set()
    dearest = 0.0
    outdated = _outdated(sentences) | _superseded(sentences, read_superseded(text))
    worth = {index: _worth(sentence) for index, sentence in enumerate(sentences) if index not in outdated}
    words = {index: _terms(sentence.text) for index, sentence in enumerate(sentences)}
    while worth and len(chosen) < _SUMMARY_SENTENCES:
        best = max(worth, key=lambda index: (worth[index] * _novelty(words[index], seen), -index))
        value = worth.pop(best) * _novelty(words[best], seen)
        dearest = max(dearest, value)
        if value <= dearest * _WORTH_KEEPING:
            break
        with_it = sorted([*chosen, best])
        if count(_joined(sentences, with_it)) <= max_tokens:
            chosen = with_it
            seen |= words[best]
    return _joined(sentences, chosen)


def _outdated(sentences: Sequence[Sentence]) -> set[int]:
    """The sentences whose number or date a later one corrects: kept, an old value would rise from level to level."""
    values = [{value.casefold() for value in _VALUE.findall(one.text)} for one in sentences]
    is_told = [bool(found) and not is_question(one.text) for found, one in zip(values, sentences, strict=True)]
    topics = [
        _terms(_VALUE.sub(" ", one.text)) if told else frozenset() for told, one in zip(is_told, sentences, strict=True)
    ]
    correcting = [index for index, one in enumerate(sentences) if is_told[index] and _CORRECTING.search(one.text)]
    return {
        earlier
        for later in correcting[-_MOST_CORRECTIONS:]
        for earlier in range(later)
        if topics[earlier]
        and not values[later] <= values[earlier]
        and len(topics[earlier] & topics[later]) >= _SAME_TOPIC * len(topics[earlier])
    }


def _superseded(sentences: Sequence[Sentence], facts: Sequence[Sentence]) -> set[int]:
    """The sentences that give a number or date of a fact that was corrected later, outside what is read."""
    found: set[int] = set()
    for fact in facts:
        values = {value.casefold() for value in _VALUE.findall(fact.text)}
        topic = _terms(_VALUE.sub(" ", fact.text))
        found |= {
            index
            for index, one in enumerate(sentences)
            if values & {value.casefold() for value in _VALUE.findall(one.text)}
            and len(topic & _terms(_VALUE.sub(" ", one.text))) >= _SAME_TOPIC * len(topic)
        }
    return found


def _worth(sentence: Sentence) -> float:
    """How much a sentence says that a summary should keep; zero and below: nothing."""
    text = sentence.text
    length = max(len(text.split()), sum(character > "\u2fff" for character in text) // 2)
    value = 1.0
    value += min(3, len(re.findall(r"\d+(?:[.,:/-]\d+)*", text)))
    value += min(3, len(_NAMED.findall(text)))
    value += (
        2.0 * bool(sentence.speaker != "assistant" and _PERSONAL.search(text))
        + 1.5 * bool(_DECISION.search(text))
        + 1.0 * bool(_NEGATION.search(text))
    )
    if is_question(text):
        value *= 0.2
    if _FILLER.match(text) and length < 8:
        value *= 0.1
    if length < 3 or length > 60:
        value *= 0.5
    return value * (0.3 if sentence.speaker == "assistant" else 1.0)


def _terms(text: str) -> frozenset[str]:
    """What a text is about. Six letters count, which joins what stems leave apart (allergy, allergic)."""
    return frozenset(term[:6] for term in content_terms(text))


def _latest_first(sentence: Sentence) -> tuple[int, int]:
    """A sort key, the latest first. What has no date is of a recent turn, and so the latest."""
    return -(sentence.when or date.max).toordinal(), -sentence.index


def _novelty(words: frozenset[str], seen: set[str]) -> float:
    """The share of a sentence's content words that nothing chosen has yet."""
    return len(words - seen) / len(words) if words else 0.0


def _joined(sentences: Sequence[Sentence], indices: Iterable[int]) -> str:
    return " ".join(sentences[index].text for index in indices)


def _quoted(sentence: Sentence) -> str:
    text = sentence.text if len(sentence.text) <= _LONGEST_QUOTE else sentence.text[:_LONGEST_QUOTE].rstrip() + "…"
    day = f" ({sentence.when.strftime(tr('shared-day'))})" if sentence.when else ""
    end = "" if not day and text.endswith((".", "!", "?", "…", "。")) else "."
    return f"{tr('shared-quoted', text=text)}{day}{end}"


def _is_own_words(sentence: Sentence) -> bool:
    """Whether a sentence is from an earlier answer of the offline model, which must not be quoted as knowledge."""
    if _DAY_OF_A_QUOTE.fullmatch(sentence.text):
        return True
    is_quote = sentence.speaker == "assistant" and sentence.text.startswith(QUOTES)
    return is_quote or sentence.text.startswith(_own_words())


@cache
def _own_words() -> tuple[str, ...]:
    """How the answers of this model begin, in every language: what is quoted may be from before a change of it."""
    marker = {text[:_OF_THE_MARKER] for text in in_every_language("offline-marker")}
    return (
        *in_every_language("offline-remembered"),
        *in_every_language("offline-nearest"),
        *in_every_language("offline-unknown"),
        *in_every_language("offline-noted"),
        *marker,
    )


def _folded(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
