"""Removes a model's thoughts from its text, even while the text is arriving. Code and quoted tags are kept."""

import re

from llm.written.template_tokens import remove_marks_of_answer, unwrap_element
from llm.written.thought_marks import BRACKET, PLAIN, THINKS, find_thought_marks, is_closing_mark

_FLAGS = re.DOTALL | re.IGNORECASE | re.MULTILINE | re.VERBOSE
# Where "think" or "reason" may be a word of the answer itself.
_OWN_NAMES = r"thinking|thoughts?|reasoning|\w{0,4}(?:思考|思维|推理)(?:过程|链)?"

# Open WebUI's element, which may also stand behind other text.
_DETAILS = re.compile(r"<details\s[^<>]{0,40}\breasoning\b[^<>]{0,80}> .*? (?:</details>\s*|\Z)", _FLAGS)

_BLOCKS = re.compile(
    rf"""\s*(?:
    # Pangu, Gemini: between reserved tokens, unless a call stands there
    (?P<reserved>[<\[](?:unused|ctrl))\d{{1,4}}[>\]] (?!\s*(?:call:|\[?\{{)) .*? (?:(?P=reserved)\d{{1,4}}[>\]]|\Z)
    # HyperCLOVA: a message of another role
  | <\|im_start\|>(?:assistant/)?think\n .*? (?:<\|im_start\|>\w{{1,12}}\n|\Z)
    # web pages: a section that can be opened
  | <details[^<>]{{0,40}}>\s*
    <summary>(?:<b>)?[^<]{{0,60}}(?:thought|thinking|reasoning)[^<]{{0,60}}(?:</b>)?</summary> .*? (?:</details>\s*|\Z)
    # Ollama
  | Thinking\.\.\.\n .*? (?:\.\.\.done\ thinking\.\s*|\Z)
    # Poe: a heading, and lines that are quoted
  | \*?Thinking\.\.\.\*?\s*+(?<=\n) (?:>[^\n]*+\s*+)+
    # gpt-oss, where a server dropped the tokens around the names of its channels
  | (?-i:analysis)(?![ \t.,:;!?-]) .*? (?-i:assistant)\s*(?:(?-i:final)|(?=(?-i:(?:commentary\s*)?to=)))
    # Gemma 4, likewise
  | (?-i:thought)\n .*? (?=\b(?-i:call):[\w.:]{{3,80}}\{{)
    # LibreChat: a fence, but no code of ReasonML
  | (?P<fence>```|~~~|:::)[ \t]*(?!reason(?:ml)?\s)\w*(?:{THINKS})\w*[ \t]*\n .*? (?:^(?P=fence)\s*|\Z)
    )""",
    _FLAGS,
)
# What an answer to "How did you get it?" also begins with. If nothing closes it, it is no thought.
_PROCESS = rf"""\s*(?:
    # Granite
    Here(?:'s|\ is)\ my\ thought\ process: .*? (?:Here(?:'s|\ is)\ my\ response:\s*|\Z)
    # HuatuoGPT-o1
  | \#\#\ Thinking\n .*? (?:^\#\#\ Final\ Response\s*|\Z)
    # HyperCLOVA
  | /think\n .*? (?:<\|im_start\|>\w{{1,12}}\n|\Z)
    # Qwen 3.5 and 3.6
  | (?:Here's\ a\ )?thinking\ process:\n .*? (?:</think>\s*|\Z)
    # ReAct
  | Thought:\ (?:(?!^Action:).)*? (?:^Final\ Answer:\s*|(?:^Action:.*)?\Z)
    # Gemini 3.5: a plan in JSON
  | \{{\s*"thought":\s*" .*? (?:"\s*,\s*"(?:call|tool|action)":\s*"[^"\n]*"\s*\}}\s*(?=[^\W\d_])|\Z)
    # quoted lines under a heading
  | >[^\w\n]{{0,6}}(?:{_OWN_NAMES})[^\w\n,.?!]{{0,4}}(?::|\n>) (?:[^\n]*+\n>)*+[^\n]*+ (?:\n\s*+(?=[^>])|\s*\Z)
    # marks such as Bevel's ::thinking::
  | (?P<sign>[:=]{{2,5}})\ ?(?P<name>think|{_OWN_NAMES})\ ?(?P=sign)
    .*? (?:(?P=sign)\ ?(?:/|end\ )(?P=name)\ ?(?P=sign)\s*|\Z)
    )"""
_PROCESSES = re.compile(_PROCESS, _FLAGS)
_CLOSED_PROCESSES = re.compile(_PROCESS.replace(r"\Z", "(?!)"), _FLAGS)
# OpenAI's Harmony format: the thoughts, calls and answer of gpt-oss stand in channels.
_CHANNEL = re.compile(
    r"""(?:
        # a name of a tool, which may stand in front of the channel
        (?P<to>(?:to=(?!assistant|user|self) | <\|channel\|>(?!analysis|commentary|final)) [\w.:-]{1,64}\s*)?
        <\|channel\|>
      | \A(?=\s*(?:analysis|commentary|final)\b)  # some servers drop the first token
      | (?:\A|<\|start\|>assistant)(?=\s*to=)
    )
    (?P<head> [^<]{0,100}(?:<\|constrain\|>[^<]{0,100})?) <\|message\|>
    (?P<body> .*?) (?=<\|(?:end|start|channel|return|call|eo[mt]|eot_id)\|>|\Z)""",
    re.DOTALL | re.VERBOSE,
)
_TO_TOOL = re.compile(r"to=(?!assistant|user|self)")
# Between messages. A header that still arrives is no text.
_BOUNDARY = re.compile(r"<\|(?:end|start|return)\|>(?:assistant\b|a[sitan]{0,7}\Z)?(?:\s*t(?:o(?:=\S*)?)?\Z)?")

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
    text = _remove_blocks(text, is_whole=is_whole)
    answer = _extract_final_channel(text)
    if answer is None:
        if not is_whole and _BEGINNING_OF_COLLAPSED.match(text):
            return ""
        answer = _remove_marked_thoughts(text, is_whole=is_whole)
    return answer if is_whole else _hold_back_unfinished_mark(answer)


def _remove_blocks(text: str, *, is_whole: bool) -> str:
    """Remove the block at the beginning of a text. Unless `is_whole`, an unclosed process reaches to the end."""
    text = _DETAILS.sub("", text)
    block = _BLOCKS.match(text) or (_CLOSED_PROCESSES.match(text) if is_whole else _PROCESSES.match(text))
    return text[block.end() :] if block else text


def _extract_final_channel(text: str) -> str | None:
    """Return the final channel and the calls in other channels, or None if the text has no channels.

    If there is neither, return the text after the last channel, or else the text before the first.
    """
    first = _CHANNEL.search(text)
    if first is None or text.count("`", 0, first.start()) % 2:  # in code
        return None
    parts = []
    for channel in _CHANNEL.finditer(text):
        end = channel.end()
        if channel["head"].partition("<|")[0].strip().lower() in ("final", "to=user"):
            parts.append(channel["body"])
        elif channel["to"] or _TO_TOOL.search(channel["head"]):
            header = f"{channel['head'].strip()} {channel['to'] or ''}".strip()
            parts.append(f"{header}<|message|>{channel['body']}")
    if parts:
        return "\n".join(parts)
    # Some models leave out the header of their final channel.
    return _BOUNDARY.sub("", text[end:]).strip() or _BOUNDARY.sub("", text[: first.start()])


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
