"""A model's thoughts, and its text without them, while it arrives too. Pure; the one place that knows their marks.

A pair of marks whose name says think, thought or reason, in any brackets, holds thoughts; so does what comes before a
closing mark alone, and every channel but the final one. Code, and marks that are only talked about, stay.
"""

import re

_NAME = r"[\w:.-]{0,30}(?:think|thought|reason)[\w:.-]{0,30}"
_MARK = re.compile(
    rf"(?P<code>```.*?(?:```|\Z)|`[^`\n]+`)"
    rf"|(?P<close><\|?/\|?\s*{_NAME}\s*\|?>|[\[({{◁⟨【《]\s*/\s*{_NAME}\s*[\])}}▷⟩】》]|<\|?END_{_NAME}\|?>"
    rf"|<channel\|>|<unused95>)"
    rf"|(?P<open><\|?\s*{_NAME}(?:\s[^<>\n]{{0,200}})?\|?>|(?P<bracket>[\[({{◁⟨【《])\s*{_NAME}\s*[\])}}▷⟩】》]"
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


def begins_with_thoughts(text: str) -> bool:
    """Return True if the first mark is a closing one, so that everything before it was thought."""
    first = next((mark for mark in _find_marks(text) if not _is_mentioned(text, mark)), None)
    return first is not None and first["close"] is not None


def remove_thoughts(text: str, *, is_whole: bool = True) -> str:
    """Return the text without thoughts. `is_whole` False: without what may become a mark, too."""
    text = _ASIDE.sub("", _COLLAPSED.sub("", text))
    if _CHANNEL.match(text):
        return _remove_beginning(_find_final_channel(text), is_whole)
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
    said = _remove_beginning(said, is_whole)
    return said.lstrip() if place and not kept.strip() else said


def _remove_beginning(said: str, is_whole: bool) -> str:
    beginning = None if is_whole else _BEGINNING.search(said.translate(_PLAIN), max(0, len(said) - 300))
    return said[: beginning.start()] if beginning else said


def _find_marks(text: str) -> "list[re.Match[str]]":
    """Return the marks outside code; within a thought a fence is no code, since it may stay open there."""
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
        if mark["bracket"] and mark.start() and not _is_closed(text, mark):
            continue  # a link, or a word in brackets
        found.append(mark)
        is_open = (is_open or not _is_mentioned(text, mark)) if mark["open"] else False
    return found


def _is_closed(text: str, mark: "re.Match[str]") -> bool:
    """Return True if the next mark after an opening one in brackets closes it."""
    following = next((found for found in _MARK.finditer(text, mark.end()) if not found["code"]), None)
    return following is not None and following["close"] is not None


def _is_mentioned(text: str, mark: "re.Match[str]") -> bool:
    """Return True if a mark stands within a sentence as a word of it does."""
    line = text[max(0, mark.start() - 200) : mark.start()].rpartition("\n")[2]
    before, after = line.rstrip(" "), text[mark.end() : mark.end() + 1]
    if not before or before[-1] in ".!?…。！？>":
        return False
    stands_alone = before != line or before[-1] in "\"'“‘«(,/"
    return stands_alone and (not after or after in " \"'”’»),.;:?!/")


def _find_final_channel(text: str) -> str:
    """Return what the final channel says, and calls of tools in others as they stand."""
    parts = []
    for channel in _CHANNEL_BODY.finditer(text):
        if "to=" in channel["head"]:
            parts.append(f"{channel['head'].strip()} {channel['body']}")
        elif channel["head"].strip().lower() == "final":
            parts.append(channel["body"])
    return "\n".join(parts)
