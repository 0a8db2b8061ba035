"""Removes thoughts that stand in a block of their own at the beginning of an answer, or in a channel of gpt-oss."""

import re

from llm.written.thought_marks import THINKS

_FLAGS = re.DOTALL | re.IGNORECASE | re.MULTILINE | re.VERBOSE
# Where "think" or "reason" may be a word of the answer itself.
OWN_NAMES = r"thinking|thoughts?|reasoning|\w{0,4}(?:思考|思维|推理)(?:过程|链)?"

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
  | \*?Thinking\.\.\.\*?\s*\n (?:\s*>[^\n]*(?:\n|\Z))+
    # quoted lines under a heading, in front of an answer
  | >[^\w\n]{{0,6}}(?:{OWN_NAMES})[^\w\n,.?!]{{0,4}}[:\]*\n](?:[^\n]*\n>)*[^\n]* \s*\n\s*(?=[^\s>])
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
_PROCESSES = re.compile(
    rf"""\s*(?:
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
    # marks such as Bevel's ::thinking::
  | (?P<sign>[:=~+-]{{2,5}})\ ?(?P<name>think|{OWN_NAMES})\ ?(?P=sign)
    .*? (?:(?P=sign)\ ?(?:/|end\ )(?P=name)\ ?(?P=sign)\s*|\Z)
    )""",
    _FLAGS,
)
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


def remove_blocks(text: str, *, is_whole: bool) -> str:
    """Remove the block at the beginning of a text. Unless `is_whole`, an unclosed block reaches to the end."""
    text = _DETAILS.sub("", text)
    block = _BLOCKS.match(text) or _PROCESSES.match(text)
    if block is None or (block.re is _PROCESSES and is_whole and block.end() == len(text)):
        return text
    return text[block.end() :]


def extract_final_channel(text: str) -> str | None:
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
