"""Removes a model's thoughts from its text, even while the text is arriving. Code and quoted tags are kept."""

import re

from llm.written.template_tokens import remove_marks_of_answer, unwrap_element
from llm.written.thought_marks import THINKS, find_thought_marks, hold_back_unfinished_mark, is_call, is_closing_mark

_FLAGS = re.DOTALL | re.IGNORECASE | re.MULTILINE | re.VERBOSE
# Where "think" or "reason" may be a word of the answer itself.
_OWN_NAMES = r"thinking|thoughts?|reasoning|\w{0,4}(?:思考|思维|推理)(?:过程|链)?"

# Open WebUI's element, which may also stand behind other text.
_DETAILS = re.compile(r"<details\s[^<>]{0,40}\breasoning\b[^<>]{0,80}> .*? (?:</details>\s*|\Z)", _FLAGS)

_BLOCKS = re.compile(
    rf"""\s*(?:
    # Pangu, Gemini: between reserved tokens, unless a call stands there
    (?P<reserved>[<\[](?:unused|ctrl))\d{{1,4}}[>\]] (?!\s*(?:call:|\[?\{{)) .*? (?:(?P=reserved)\d{{1,4}}[>\]]|\Z)
    # web pages: a section that can be opened
  | <details[^<>]{{0,40}}>\s*
    <summary>(?:<b>)?[^<]{{0,60}}(?:thought|thinking|reasoning)[^<]{{0,60}}(?:</b>)?</summary> .*? (?:</details>\s*|\Z)
    # Ollama
  | Thinking\.\.\.\n .*? (?:\.\.\.done\ thinking\.\s*|\Z)
    # Poe: a heading, and lines that are quoted
  | \*?Thinking\.\.\.\*?\s*+(?<=\n) (?:>[^\n]*+\s*+)+
    # LibreChat: a fence, but no code of ReasonML
  | (?P<fence>```|~~~|:::)[ \t]*(?!reason(?:ml)?\s)\w*(?:{THINKS})\w*[ \t]*\n .*? (?:^(?P=fence)\s*|\Z)
    )""",
    _FLAGS,
)
_NOTES = (
    r"scratch|analysis|reflection|monologue|deliberat|ruminat|planning|(?<![a-z])cot(?![a-z])"
    r"|denken|gedanken|pensam|ra[sz]onam|racioc|ragionam|raisonn|pensée|réflexion|размышлени|мысли|düşün|생각|تفكير"
)
# What an answer to "How did you get it?" also begins with. If nothing closes it, it is no thought.
_PROCESS = rf"""\s*(?:
    # an element of notes, if an answer follows
    <(?P<element>[\w:.-]{{0,30}}(?:{_NOTES})[\w:.-]{{0,30}})(?:\s[^<>\n]{{0,200}})?>
    .*? (?:</(?P=element)\s*>\s*(?=\S)|\Z)
    # gpt-oss, where a server dropped the tokens around the names of its channels
  | (?-i:(?:assistant)?analysis)(?![ \t.,:;!?-])
    .*? (?: (?-i:assistant)\s*(?: (?-i:final) | (?=(?-i:(?:commentary\s*)?to=)) ) | \Z )
    # Gemma 4, likewise
  | (?-i:thought)\n .*? (?:(?=\b(?-i:call):[\w.:]{{3,80}}\{{)|\Z)
    # Granite
  | Here(?:'s|\ is)\ my\ thought\ process: .*? (?:Here(?:'s|\ is)\ my\ response:\s*|\Z)
    # HuatuoGPT-o1
  | \#\#\ Thinking\n .*? (?:^\#\#\ Final\ Response\s*|\Z)
    # HyperCLOVA: a message of another role
  | (?:<\|im_start\|>(?:assistant/)?|/)think\n .*? (?:<\|im_start\|>\w{{1,12}}\n|\Z)
    # Qwen 3.5 and 3.6
  | (?:Here's\ a\ )?thinking\ process:\n .*? (?:</think>\s*|\Z)
    # ReAct
  | Thought:\ (?:(?!^Action:).)*? (?:^Final\ Answer:\s*|(?:^Action:.*)?\Z)
    # Gemini 3.5: a plan in JSON
  | \{{\s*"thought":\s*" .*? (?:"\s*,\s*"(?:call|tool|action)":\s*"[^"\n]*"\s*\}}\s*(?=[^\W\d_])|\Z)
    # quoted lines under a heading
  | >[^\w\n]{{0,6}}(?:{_OWN_NAMES})[^\w\n,.?!]{{0,4}}(?::|\n>) (?:[^\n]*+\n>)*+[^\n]*+ (?:\n\s*+(?=[^>])|\s*\Z)
    # marks such as Bevel's ::thinking::
  | (?P<sign>[:=-]{{2,5}})\ ?(?P<name>think|{_OWN_NAMES})\ ?(?P=sign)
    .*? (?:(?P=sign)\ ?(?:/|end\ )(?P=name)\ ?(?P=sign)\s*|\Z)
    )"""
_PROCESSES = re.compile(_PROCESS, _FLAGS)
_CLOSED_PROCESSES = re.compile(_PROCESS.replace(r"\Z", "(?!)"), _FLAGS)
_NO_VERBS = "alright|but|first|its?|just|lets?|might|most|must|next|not|that|this|users|what"
_TALKED_ABOUT = re.compile(
    rf"""\s* (?:<[\w:]{{1,30}}>|\[unused\d{{1,4}}\](?=\ )) (?:\ \w{{1,5}}\ </[\w:]{{1,30}}>)?\ ?
    (?: (?!(?:{_NO_VERBS})\b)(?:[^\W\dA-Z]\w{{0,20}}[stт]|are)\  | [—是] ) [^<\n]*[.!?…。]\s*\Z""",
    re.VERBOSE,
)  # sentences whose subject is a mark: a verb in the third person follows it. Unclosed thoughts begin in other ways.


def remove_thoughts(text: str, *, is_whole: bool = True) -> str:
    """Remove thoughts from a text. Unless `is_whole`, also hold back an incomplete tag at its end."""
    if is_whole and _TALKED_ABOUT.match(text):
        return text
    text = _remove_blocks(text if is_whole else hold_back_unfinished_mark(text), is_whole=is_whole)
    return _remove_marked_thoughts(text, is_whole=is_whole)


def _remove_blocks(text: str, *, is_whole: bool) -> str:
    """Remove the block in front of an answer. Unless `is_whole`, an unclosed process reaches to the end."""
    text = _DETAILS.sub("", text)
    block = _BLOCKS.match(text) or (_CLOSED_PROCESSES.match(text) if is_whole else _PROCESSES.match(text))
    return unwrap_element(text[block.end() :]) if block else text


def _remove_marked_thoughts(text: str, *, is_whole: bool) -> str:
    kept, place, depth, has_channels = "", 0, 0, False
    for mark in find_thought_marks(text, is_whole=is_whole):
        is_closing, header = is_closing_mark(mark), mark["header"]
        if not depth and (not is_closing or has_channels or is_call(mark)):
            kept += text[place : mark.start()]
        elif not depth:
            kept = ""
        has_channels = has_channels or header is not None
        if is_closing:
            # Only the end of the answer tells if further marks close what was opened within thoughts.
            depth = 0 if is_whole or header else max(0, depth - 1)
            place = mark.start() if is_call(mark) else mark.end()
        else:
            depth = 1 if header else depth + 1
    if depth:
        return kept
    answer = remove_marks_of_answer(kept + text[place:])
    is_behind_thoughts = place and not kept.strip()
    return unwrap_element(_remove_blocks(answer, is_whole=is_whole)).lstrip() if is_behind_thoughts else answer
