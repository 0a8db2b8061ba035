"""Pure functions that find where to cut a text, repair broken characters, and escape chat template tokens."""

import json
import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Literal

# Characters that are normalised at once. unicodedata sorts the marks of a letter by counting inversions: for 16,000
# marks in a row it holds the GIL for a third of a second.
PIECE = 250
# Letters that compose with the one before: Korean, and halfwidth marks and letters.
_SYLLABLE_PART = re.compile("[\u1160-\u11ff\uff9e\uff9f\uffc2-\uffdc]")
QUESTION_MARKS = ("?", "？", "؟")
UNSPACED = 2.5  # A character of a script without spaces costs a model as many tokens as so many letters of an alphabet
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ud7af\uf900-\ufaff]")
# A run of marks is tried once, from its beginning: otherwise 16,000 dots took twelve seconds.
_SENTENCE_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”“’»)\]]*+(?=\s)|[。！？]+[”」』）]*|\n+")

# At the end of a text: "Dr."
_ABBREVIATION = re.compile(r"(?:^|\s)(?:[A-ZА-Я]|Mr|Mrs|Ms|Dr|St|Prof|vs|etc|e\.g|i\.e|No|г|ул|т\.е|Sr|Sra)\.\s*$")


def repair_surrogates(text: str) -> str:
    """Join surrogate pairs, and replace lone surrogates with U+FFFD, since UTF-8 cannot encode them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


_UNDRAWN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]+"
)  # runs of characters that no client draws: default ignorables, control characters, the blank of braille
_FLAGS = frozenset(
    "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f" for region in ("gbeng", "gbsct", "gbwls")
)  # the tags that turn a black flag into that of England, Scotland or Wales


def remove_invisible_characters(text: str) -> str:
    """Remove invisible characters, since they could hide instructions. Keep those that emoji and some scripts need."""
    return _UNDRAWN.sub(_get_replacement_of_invisible_run, repair_surrogates(text))


def collapse_to_single_line(text: str) -> str:
    """Return the visible text on one line, with single spaces between words."""
    return " ".join(remove_invisible_characters(text).split())


def _get_replacement_of_invisible_run(run: re.Match[str]) -> str:
    """Return the run if it changes how its neighbours look. Otherwise, return " " for line separators, or ""."""
    text, signs = run.string, run[0]
    before, after = text[run.start() - 1 : run.start()], text[run.end() : run.end() + 1]
    kinds = [unicodedata.category(letter)[0] if letter else "" for letter in (before, after)]
    is_emoji = kinds[0] == "S" or before in "\u203c\u2049\u3030"
    is_keycap = bool(before) and before in "0123456789#*" and after == "\u20e3"
    is_style = signs in ("\ufe0f", "\ufe0e") and bool(before) and (is_emoji or is_keycap)
    is_joined = signs in ("\u200d", "\ufe0f\u200d") and kinds == ["S", "S"]
    # Persian and the scripts of India join or part letters by these.
    is_letters = signs in ("\u200c", "\u200d") and before > "\u0590" and all(kind in "LM" and kind for kind in kinds)
    if is_style or is_joined or is_letters or (before == "\U0001f3f4" and signs in _FLAGS):
        return signs
    return " " if "\u2028" in signs or "\u2029" in signs else ""


def repair_surrogates_in_json(json_value: Any) -> Any:
    """Return a JSON value with `repair_surrogates` applied to all its strings."""
    written = json.dumps(json_value, ensure_ascii=False)
    repaired = repair_surrogates(written)
    return json_value if repaired is written else json.loads(repaired)


def normalize_unicode(form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str) -> str:
    """Normalise a text like unicodedata.normalize, but in linear time even for long runs of combining marks."""
    if len(text) <= PIECE or text.isascii():
        return unicodedata.normalize(form, text)
    ends = [0]
    while ends[-1] < len(text):
        ends.append(_find_safe_cut(text, ends[-1]))
    return "".join(unicodedata.normalize(form, text[start:end]) for start, end in pairwise(ends))


def _find_safe_cut(text: str, start: int) -> int:
    """Return a position from PIECE to 2 * PIECE characters after `start`, outside combined letters if possible."""
    for at in range(start + PIECE, min(start + 2 * PIECE, len(text))):
        if text[at] < "\u0300" or not (unicodedata.category(text[at])[0] == "M" or _SYLLABLE_PART.match(text[at])):
            return at
    return min(start + 2 * PIECE, len(text))


def count_weighted_characters(text: str) -> int:
    """Count characters. Each character of a script without spaces counts 2.5 times, because it costs more tokens."""
    return len(text) + int((UNSPACED - 1) * sum(1 for _ in _UNSPACED.finditer(text)))


def cut_out_middle(text: str, max_chars: int) -> str:
    """Cut out a text's middle to leave about `max_chars` characters. Questions are usually at the start or end."""
    half = max_chars // 2
    return text if len(text) <= max_chars else f"{text[:half]}\n{text[-half:]}"


def find_sentence_ends(text: str) -> Iterator[int]:
    """Yield the position after the end of each sentence or line."""
    return (match.end() for match in _SENTENCE_END.finditer(text))


def split_sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text, trimmed. A line end also ends a sentence."""
    for part in split_sentences_with_spaces(text):
        sentence = part.strip().lstrip("-*•# ").strip()
        if any(character.isalnum() for character in sentence):
            yield sentence


def split_sentences_with_spaces(text: str) -> list[str]:
    """Split a text into sentences, each including the space that follows it."""
    ends = [end for end in find_sentence_ends(text) if not _ABBREVIATION.search(text[max(0, end - 12) : end])]
    return [text[start:end] for start, end in pairwise([0, *ends, len(text)]) if text[start:end].strip()]


def _is_inside_grapheme(text: str, position: int) -> bool:
    """Return True if the characters before and after a position are drawn as one."""
    before, after = text[position - 1], text[position]
    return (
        unicodedata.combining(after) != 0
        or after in "\u200d\ufe0e\ufe0f\u20e3"
        or before == "\u200d"
        or "\U0001f3fb" <= after <= "\U0001f3ff"
        or ("\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff")
        or (before == "\r" and after == "\n")
    )


def find_grapheme_start(text: str, position: int, min_position: int = 0) -> int:
    """Move a position inside a visible character to its start, but not to `min_position` or before it."""
    nearby = range(position, max(min_position, position - 16), -1) if position < len(text) else ()
    return next((boundary for boundary in nearby if not _is_inside_grapheme(text, boundary)), position)


def find_grapheme_end(text: str, position: int) -> int:
    """Return `position` or, if it splits a visible character, the end of that character."""
    nearby = range(position, min(len(text), position + 16)) if position > 0 else ()
    return next((boundary for boundary in nearby if not _is_inside_grapheme(text, boundary)), position)


_JOINER = "\u200d"  # has no width, and is part of no such token
_OPENING = re.compile(
    r"[<\[](?=[|｜][^\s<>|｜]{1,60}[|｜]?[>\]])"  # ChatML, Llama 3, Phi, gpt-oss; DeepSeek; Gemma 4; EXAONE
    rf"|<(?=[^\s<>|｜{_JOINER}]{{1,60}}[|｜]>"  # Gemma 4
    r"|/?(?:s|bos|eos|pad|unk|mask|sop|eop|(?:start|end|begin)_of_[a-z_]{1,30}|(?:unused|reserved_)\d{1,4})>"
    r"|</?SYS>>)"  # Llama 2
    r"|\[(?=/?[A-Z][A-Z_]{2,30}\]|gMASK\]|e~\[)|\](?=~!?b[\[\]])"  # Llama 2, Mistral; GLM; MiniMax
)


def escape_template_tokens(text: str) -> str:
    """Insert invisible joiners into chat template tokens like <|im_start|>, so that servers do not parse them."""
    if "<" not in text and "[" not in text and "]" not in text:
        return text
    return _OPENING.sub(rf"\g<0>{_JOINER}", text)
