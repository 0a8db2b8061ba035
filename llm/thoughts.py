"""Removes a model's thoughts from its text, also while the text arrives. No other module knows their marks.

A pair of marks whose name says think, thought or reason, in any brackets, holds thoughts. So does the text before a
lone closing mark, every channel but the final one, and a scratchpad in front of the answer. Code stays, and so does a
mark that is only mentioned. ThinkingModels remembers, across restarts, which models end thoughts with a lone mark.
"""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from time import time

_NAME = r"[\w:.-]{0,30}(?:think|thought|reason)[\w:.-]{0,30}"
_MARK = re.compile(
    rf"(?P<code>```.*?(?:```|\Z)|`[^`\n]+`)"
    rf"|(?P<close><\|?/\|?\s*{_NAME}\s*\|?>|[\[({{◁⟨【《＜]\s*/\s*{_NAME}\s*[\])}}▷⟩】》＞]"
    rf"|<\|?END_?{_NAME}\|?>"
    rf"|<channel\|>|<unused95>)"
    rf"|(?P<open><\|?\s*{_NAME}(?:\s[^<>\n]{{0,200}})?\|?>|(?P<bracket>[\[({{◁⟨【《＜])\s*{_NAME}\s*[\])}}▷⟩】》＞]"
    rf"|<\|channel>\s*\w+|<unused94>)",
    re.IGNORECASE | re.DOTALL,
)
_ASIDE = re.compile(r"<details\s[^<>]{0,40}\breasoning\b[^<>]{0,80}>.*?(?:</details>\s*|\Z)", re.DOTALL)
_COLLAPSED = re.compile(r"\A\s*analysis(?:[^a]|a(?!ssistant\s*final))*assistant\s*final")
"""The channels of gpt-oss where a server took away their marks."""
_BEGINNING = re.compile(r"(?:<\|?/?|[\[{◁⟨【]/?)[\w:.| /-]{0,60}\Z|<[\w:|]{1,60}\s[^<>\n]{0,200}\Z|<\|channel>\s*\w*\Z")
"""The beginning of a mark whose end has not arrived yet."""
_CHANNEL = re.compile(r"\A\s*(?:<\|start\|>\w*)?<\|channel\|>")
_CHANNEL_BODY = re.compile(
    r"<\|channel\|>(?P<head>[^<]*(?:<\|constrain\|>[^<]*)?)<\|message\|>"
    r"(?P<body>.*?)(?=<\|(?:end|start|channel|return|call)\|>|\Z)",
    re.DOTALL,
)
_PLAIN = str.maketrans("｜▁", "|_")  # DeepSeek's templates write their marks with these, as long as the plain ones
_RESPONSE = re.compile(
    r"<\|?(?:(?:START|END)_(?:RESPONSE|TEXT)|(?:begin|end)_of_solution)\|?>|<\|(?:return|end)\|>\s*\Z"
)
_WRAPPED = re.compile(
    r"\A\s*<(answer|response|reply|output|solution|final\w{0,20})>(?P<answer>.*?)(?:</\1>\s*\Z|\Z)",
    re.IGNORECASE | re.DOTALL,
)
"""An answer within a tag, as it comes behind thoughts that had one."""
_OPEN_BLOCK = re.compile(
    r"\A\s*<(?P<name>[\w:.-]{0,20}(?:scratchpad|analysis|reflection|monologue|deliberation|planning)[\w:.-]{0,20})"
    r"(?:\s[^<>\n]{0,200})?>",
    re.IGNORECASE,
)
_BLOCK = re.compile(
    _OPEN_BLOCK.pattern + r"(?P<body>.*?)</(?P=name)\s{0,9}>(?P<rest>.*)\Z",
    re.IGNORECASE | re.DOTALL,
)
FILE_NAME = ".thinking-models"
REMEMBERED_SECONDS = 30 * 86_400.0  # since the last such answer; the server may be updated


def begins_with_thoughts(text: str) -> bool:
    """Return True if the first mark is a closing one. Everything before it is thoughts."""
    first = next((mark for mark in _find_marks(text) if not _is_mentioned(text, mark)), None)
    return first is not None and first["close"] is not None


def remove_thoughts(text: str, *, is_whole: bool = True) -> str:
    """Remove thoughts from a text. While it arrives (`is_whole` False), hold back what may become a mark."""
    text = _remove_leading_block(_ASIDE.sub("", _COLLAPSED.sub("", text)), is_whole=is_whole)
    if _CHANNEL.match(text):
        return _remove_unfinished_mark(_find_final_channel(text), is_whole)
    kept, place, is_thought = "", 0, False
    for mark in _find_marks(text):
        if mark["close"]:
            if not is_thought and _is_mentioned(text, mark):
                continue
            if not is_thought:
                kept = ""
            is_thought, place = False, mark.end()
        elif mark["open"] and not is_thought:
            if _is_mentioned(text, mark):
                if mark.end() == len(text) and not is_whole:
                    return kept + text[place : mark.start()]
                continue
            kept, is_thought = kept + text[place : mark.start()], True
    if is_thought:
        return kept
    said = _RESPONSE.sub("", kept + text[place:])
    said = _remove_unfinished_mark(said, is_whole)
    return _unwrap_answer(said) if place and not kept.strip() else said


def _remove_leading_block(text: str, *, is_whole: bool) -> str:
    """Remove a scratchpad or the like in front of the answer. With no answer behind it, it is the answer itself.

    Other tags stay, however they are named: people ask for letters and poems in tags of their own.
    """
    if _OPEN_BLOCK.match(text) is None:
        return text
    block = _BLOCK.match(text)
    if block is None or not block["rest"].strip():
        return text if is_whole else ""
    return _unwrap_answer(block["rest"])


def _unwrap_answer(answer: str) -> str:
    wrapped = _WRAPPED.match(answer)
    return (wrapped["answer"] if wrapped else answer).lstrip()


def _remove_unfinished_mark(said: str, is_whole: bool) -> str:
    beginning = None if is_whole else _BEGINNING.search(said.translate(_PLAIN), max(0, len(said) - 300))
    return said[: beginning.start()] if beginning else said


def _find_marks(text: str) -> "list[re.Match[str]]":
    """Return the marks outside code. Within thoughts a fence does not start code, since it may never be closed."""
    text = text.translate(_PLAIN)
    found: list[re.Match[str]] = []
    place, is_open = 0, False
    while mark := _MARK.search(text, place):  # ends: each mark is behind the one before
        place = mark.end()
        if mark["code"] and is_open:
            place = mark.start() + 1
            continue
        if mark["code"]:
            continue
        if mark["bracket"] and mark.start() and not _is_followed_by_closing_mark(text, mark):
            continue  # a link, or a word in brackets
        found.append(mark)
        is_open = (is_open or not _is_mentioned(text, mark)) if mark["open"] else False
    return found


def _is_followed_by_closing_mark(text: str, mark: "re.Match[str]") -> bool:
    following = next((found for found in _MARK.finditer(text, mark.end()) if not found["code"]), None)
    return following is not None and following["close"] is not None


def _is_mentioned(text: str, mark: "re.Match[str]") -> bool:
    """Return True if a mark is used like a word of a sentence."""
    line = text[max(0, mark.start() - 200) : mark.start()].rpartition("\n")[2]
    before, after = line.rstrip(" "), text[mark.end() : mark.end() + 1]
    if not before or before[-1] in ".!?…。！？>":
        return False
    stands_alone = before != line or before[-1] in "\"'“‘«(,/"
    return stands_alone and (not after or after in " \"'”’»),.;:?!/")


def _find_final_channel(text: str) -> str:
    """Return the text of the final channel, and tool calls of other channels."""
    parts = []
    for channel in _CHANNEL_BODY.finditer(text):
        if "to=" in channel["head"]:
            parts.append(f"{channel['head'].strip()} {channel['body']}")
        elif channel["head"].strip().lower() == "final":
            parts.append(channel["body"])
    return "\n".join(parts)


class ThinkingModels:
    """The models that lately ended their thoughts with a lone closing mark, in a file of `folder`.

    Such thoughts look like an answer until the mark arrives, so drafts of these models wait for it. Without a folder,
    nothing is remembered. `now` returns the time in seconds since 1970.
    """

    def __init__(self, folder: Path | None, now: Callable[[], float] = time) -> None:
        self._file = folder / FILE_NAME if folder is not None else None
        self._now = now

    def remember(self, endpoint: str, model: str) -> None:
        """Remember a model of an endpoint. Ignore errors of writing the file."""
        if self._file is None:
            return
        known = {**self._read(), _make_key(endpoint, model): self._now()}
        with suppress(OSError):
            self._file.touch(0o600)
            self._file.write_text(json.dumps(known))

    def is_known(self, endpoint: str, model: str) -> bool:
        """Return True if the model did this within REMEMBERED_SECONDS."""
        return self._read().get(_make_key(endpoint, model), 0.0) > self._now() - REMEMBERED_SECONDS

    def _read(self) -> dict[str, float]:
        with suppress(OSError, ValueError):
            if self._file is not None and isinstance(known := json.loads(self._file.read_bytes()), dict):
                return {str(key): moment for key, moment in known.items() if isinstance(moment, float)}
        return {}


def _make_key(endpoint: str, model: str) -> str:
    """Hash the address, since it may contain a password."""
    return sha256(f"{endpoint} {model}".encode()).hexdigest()[:32]
