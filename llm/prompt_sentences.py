"""A prompt as the sentences that it remembers: who said each, and on which day.

Owns the reading of what prompts.py writes (<summaries>, <facts>, <remembered>, <instructions>, <replied>,
<conversation>;
`[date] Name: text` lines), any part of which may be missing. Does not know what the sentences are used for.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from records.model_calls import PromptMessage
from text.characters import ends_with_abbreviation, sentence_ends

Speaker = Literal["user", "summary", "fact", "assistant"]

_ASSISTANT_NAMES = {"assistant", "keepsake", "bot"}

_BLOCK = re.compile(
    r"\s*<(?P<kind>remembered|summaries|conversation|dropped|superseded|profile|facts|instructions|replied)>\n?"
    r"(?P<inside>.*?)(?:</(?P=kind)>|\Z)",
    re.DOTALL,
)
_OVER = re.compile(r"\bonly until\b|\bsaid something newer\b")
"""What the stamp of a fact says that no longer holds."""
_CLOCK = re.compile(r"\s*It is now \d[^\n]*(?:\n|\Z)")
_STAMP = re.compile(
    r"^(?:\[(?P<stamp>(?:fact \d|\d{4}-\d\d-\d\d)[^\]\n]*)\][ \t]*|(?P<day>\d{4}-\d\d-\d\d) \([^)\n]*\)$)",
    re.MULTILINE,
)
_NAME = re.compile(r"(?P<name>[^\W\d_][\w .'’-]{0,39}?)(?: \[[^\]\n]{0,99}\])?:\s+")
_DATE = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")

_QUESTION = re.compile(
    r"\s*(?:(?:and|so|but|also|well|hey|и|а|y)\s+)?(?:what|when|where|which|who|whom|whose|why|how|is|are|am|was|were|do"
    r"|does|did|can|could|will|would|should|have|has|had|tell|remind|что|когда|где|кто|как|какой|какая|какие|какое|каков"
    r"|сколько|почему|зачем|куда|откуда|чей|чья|напомни|скажи|расскажи|qué|cuál|cuándo|dónde|quién|cómo|cuánto|cuántos"
    r"|dime|recuérdame)(?:['’]\w+)?\b",
    re.IGNORECASE,
)
_CJK_QUESTION = re.compile(r"什么|哪|谁|几|多少|怎么|吗|何|どこ|いつ|だれ|誰|ですか|ますか")


@dataclass(frozen=True, kw_only=True, slots=True)
class Sentence:
    """One sentence that was said before. `index`: its order in the prompt; `when`: the day, where it is known; `block`:
    the name of the block that it stands in, "" outside of them. `is_over`: a fact that no longer holds.
    """

    text: str
    speaker: Speaker
    index: int
    when: date | None = None
    block: str = ""
    is_over: bool = False


def read_prompt(messages: Sequence[PromptMessage]) -> tuple[list[Sentence], str]:
    """What a prompt remembers, sentence by sentence, and the user's last words."""
    turns = [message for message in messages if message.role != "system"]
    asked = turns.pop().content if turns and turns[-1].role == "user" else ""
    recalled, words = _without_blocks(asked)
    clock = _CLOCK.match(words)
    talk: list[Sentence] = []
    for message in turns:
        if message.role == "assistant":
            talk += read_lines(message.content, "assistant")
        else:
            quoted, rest = _without_blocks(message.content)
            talk += [*quoted, *read_lines(rest)]
    ordered = [replace(sentence, index=index) for index, sentence in enumerate((*recalled, *talk))]
    return ordered, (words[clock.end() :] if clock else words).strip()


def read_block(text: str) -> list[Sentence]:
    """The sentences of a fold's material: blocks, or plain lines."""
    quoted, rest = _without_blocks(text)
    return [*quoted, *read_lines(rest)]


def read_superseded(text: str) -> list[Sentence]:
    """What a fold's material says that no longer holds."""
    sentences: list[Sentence] = []
    while block := _BLOCK.match(text):
        if block["kind"] == "superseded":
            sentences += read_lines(block["inside"], "fact")
        text = text[block.end() :]
    return sentences


def read_lines(text: str, speaker: Speaker = "user") -> list[Sentence]:
    """The sentences of `[date] Name: text` lines, or of `Name: text` lines under a `date (ago)`; an indented line, or
    one without a name, goes on from the one before.
    """
    entries: list[tuple[Speaker, date | None, bool, list[str]]] = [(speaker, None, False, [])]
    stamped = False
    for line in text.split("\n"):
        who, when, is_over, _ = entries[-1]
        stamp = _STAMP.match(line)
        if stamp:
            shown = stamp["stamp"] or stamp["day"]
            stamped, when = True, _day(shown)
            who = "fact" if shown.startswith("fact") else speaker
            is_over = who == "fact" and _OVER.search(shown) is not None
            entries.append((who, when, is_over, []))
        words = line[stamp.end() :] if stamp else line
        name = _NAME.match(words) if stamped and who not in ("summary", "fact") and not words.startswith(" ") else None
        if name:
            who = "assistant" if name["name"].strip().lower() in _ASSISTANT_NAMES else speaker
            entries.append((who, when, is_over, []))
            words = words[name.end() :]
        entries[-1][3].append(words)
    sentences: list[Sentence] = []
    for who, when, is_over, lines in entries:
        for sentence in split_sentences("\n".join(lines)):
            sentences.append(Sentence(text=sentence, speaker=who, index=len(sentences), when=when, is_over=is_over))
    return sentences


def split_sentences(text: str) -> Iterator[str]:
    """The sentences of a text, trimmed, none empty; a line end ends one too."""
    start = 0
    for end in [*sentence_ends(text), len(text)]:
        if ends_with_abbreviation(text[start:end]):
            continue
        sentence = text[start:end].strip().lstrip("-*•# ").strip()
        if any(character.isalnum() for character in sentence):
            yield sentence
        start = end


def is_question(text: str) -> bool:
    """Whether a text asks rather than tells something."""
    tail = text.rstrip("\"'”“’») ")
    return tail.endswith(("?", "？", "؟")) or bool(_QUESTION.match(text) or _CJK_QUESTION.search(text))


def opens_with_question(text: str) -> bool:
    """Whether a text is nothing but a question; one with a question tag ("…, isn't it?") tells something as well."""
    return bool(_QUESTION.match(text) or (is_question(text) and _CJK_QUESTION.search(text)))


def _without_blocks(text: str) -> tuple[list[Sentence], str]:
    """The sentences of the blocks at the start of a text, and the rest, where any tag is the person's own."""
    sentences: list[Sentence] = []
    while block := _BLOCK.match(text):
        if block["kind"] not in ("dropped", "superseded"):
            kind = block["kind"]
            speaker: Speaker = "summary" if kind in ("summaries", "profile", "facts", "instructions") else "user"
            sentences += [replace(one, block=kind) for one in read_lines(block["inside"], speaker)]
        text = text[block.end() :]
    return sentences, text


def _day(stamp: str) -> date | None:
    """The last day that a stamp names: of a summary's range, the one until which it holds."""
    for year, month, day in reversed(_DATE.findall(stamp)):
        try:
            return date(int(year), int(month), int(day))
        except ValueError:
            continue
    return None
