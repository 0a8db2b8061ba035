"""Removes a model's thoughts from its text, even while the text is arriving. Code and quoted tags are kept."""

import re

from llm.written.template_tokens import remove_marks_of_answer, unwrap_element
from llm.written.thought_blocks import extract_final_channel, remove_blocks
from llm.written.thought_marks import BRACKET, PLAIN, find_thought_marks, is_closing_mark

_NO_VERBS = "alright|but|first|its?|just|lets?|might|most|must|next|not|that|this|users|what"
_TALKED_ABOUT = re.compile(
    rf"""\s* (?:<[\w:]{{1,30}}>|\[unused\d{{1,4}}\](?=\ )) (?:\ \w{{1,5}}\ </[\w:]{{1,30}}>)?\ ?
    (?: (?!(?:{_NO_VERBS})\b)(?:[^\W\dA-Z]\w{{0,20}}[stт]|are)\  | [—是] ) [^<\n]*[.!?…。]\s*\Z""",
    re.VERBOSE,
)  # sentences whose subject is a mark: a verb in the third person follows it. Unclosed thoughts begin in other ways.
_BEGINNING_OF_COLLAPSED = re.compile(r"\s*(?:a(?:n(?:a(?:l(?:y(?:si?)?)?)?)?)?\Z|analysis(?![ \t.,:;!?-])|thought\n)")
_UNFINISHED_MARK = re.compile(
    rf"""(?: <{{1,2}}(?:\||!-{{0,2}}\s?)?/{{0,2}} | (?!\(){BRACKET}/? | &lt; ) [\w:.|\ /†-]{{0,60}} (?:&gt?)?\Z
  | &(?:lt?)?\Z
  | [<\[]{{1,2}}[\w:|]{{1,60}}\s+\w+=[^<>\[\]\n]{{0,200}}\Z | \[cite:[\d\s,.]{{0,40}}\Z
  | <\|channel>\s*\w*\Z | (?:<\|\w{{1,12}}\|>[^<]{{0,60}}){{1,43}}(?:<\|?\w{{0,20}}\|?)?\Z
  | ^(?:```|~~~)[ \t]*\w{{0,30}}\Z | \A\s*to=\w{{0,20}}(?:<\|?\w{{0,20}}\|?)?\Z
  | \A\]~?!?b?\Z | \]<(?:\][\w\[</>]{{0,40}})?\Z""",
    re.MULTILINE | re.VERBOSE,
)
MAX_MARK_CHARS = 300  # at the end of a text that still arrives


def remove_thoughts(text: str, *, is_whole: bool = True) -> str:
    """Remove thoughts from a text. Unless `is_whole`, also hold back an incomplete tag at its end."""
    if is_whole and _TALKED_ABOUT.match(text):
        return text
    text = remove_blocks(text, is_whole=is_whole)
    answer = extract_final_channel(text)
    if answer is None:
        if not is_whole and _BEGINNING_OF_COLLAPSED.match(text):
            return ""
        answer = _remove_marked_thoughts(text, is_whole=is_whole)
    return answer if is_whole else _hold_back_unfinished_mark(answer)


def _remove_marked_thoughts(text: str, *, is_whole: bool) -> str:
    kept, place, depth = "", 0, 0
    for mark in find_thought_marks(text, is_whole=is_whole):
        if is_closing_mark(mark):
            kept = kept if depth else ""
            # Only the end of the answer tells if further marks close what was opened within thoughts.
            depth, place = 0 if is_whole else max(0, depth - 1), mark.end()
        else:
            kept += "" if depth else text[place : mark.start()]
            depth += 1
    if depth:
        return kept
    answer = remove_marks_of_answer(kept + text[place:])
    return unwrap_element(answer).lstrip() if place and not kept.strip() else answer


def _hold_back_unfinished_mark(text: str) -> str:
    mark = _UNFINISHED_MARK.search(text.translate(PLAIN), max(0, len(text) - MAX_MARK_CHARS))
    return text[: mark.start()] if mark else text
