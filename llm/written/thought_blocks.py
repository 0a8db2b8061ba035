"""Removes thoughts that stand in a block of their own at the beginning of an answer."""

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
    # quoted lines under a heading, or a line in brackets, in front of an answer
  | (?: [\[*](?:my\ |inner\ |internal\ )?(?:{OWN_NAMES}):[^\n]*[\]*]
      | >[^\w\n]{{0,6}}(?:{OWN_NAMES})[^\w\n,.?!]{{0,4}}[:\]*\n](?:[^\n]*\n>)*[^\n]* ) \s*\n\s*(?=[^\s>])
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
    # elements, and marks such as Bevel's ::thinking::
  | <(?P<element>\w{{1,20}})\s[^<>]{{0,80}}\b(?:type|class)=["'](?:thinking|thoughts?|reasoning)["'][^<>]{{0,80}}>
    .*? (?:</(?P=element)>\s*(?=\S)|\Z)
  | (?P<sign>[:=~+-]{{2,5}})\ ?(?P<name>think|{OWN_NAMES})\ ?(?P=sign)
    .*? (?:(?P=sign)\ ?(?:/|end\ )(?P=name)\ ?(?P=sign)\s*|\Z)
    )""",
    _FLAGS,
)


def remove_blocks(text: str, *, is_whole: bool) -> str:
    """Remove the block at the beginning of a text. Unless `is_whole`, an unclosed block reaches to the end."""
    text = _DETAILS.sub("", text)
    block = _BLOCKS.match(text) or _PROCESSES.match(text)
    if block is None or (block.re is _PROCESSES and is_whole and block.end() == len(text)):
        return text
    return text[block.end() :]
