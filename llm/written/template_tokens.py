"""Removes what belongs to a model's chat template from its answer: tokens, headers, citations, results."""

import re

from llm.written.thought_marks import CODE, is_tag_mentioned_as_word

# The header of a message: its role, next to tokens or as a token.
_HEADER = r"""(?:
    (?: <\|(?!\w*end)\w{1,20}\|?> | <start_of_turn> )\s*
    (?: assistant(?!\s*(?:to=|<\|channel\|>)) | (?:user|system|model|ipython)\b ) (?:<\|\w{1,20}\|>)?
  | <[|｜](?:im_)?(?:[Aa]ssistant|[Uu]ser|system)(?:_start)?[|｜]>    # Phi, GLM, DeepSeek
  | <s>\s*\[INST\]                                           # Llama 2, Mistral
  | <\|START_OF_TURN_TOKEN\|>(?:<\|[A-Z]{1,12}_TOKEN\|>)?    # Cohere
  | \]~!?b[\[\]]\s*\w{0,12}                                  # MiniMax
)"""
_ENDS = r"""(?:
    (?: <[|｜][\w▁:]{1,30}[|｜]> | </s> | </?(?:(?i:(?:start|end)_of_)|END-OF-)\w{1,12}> | <(?:\w{1,9}:)?eos> | <turn\|>
      | <endoftext\| | \[e~\[ | (?<=[^\s`])<\|\w{0,30}\Z )\s*
)+"""
_RESPONSE = re.compile(
    rf"""{CODE.pattern}
  | <think(?:ing)?\s?/>
  | \A\s*<(?:think|thought)(?=[^\W\x00-\x7f])
  | \A\s*(?: (?: {_HEADER} | <s>(?![^\n]{{0,300}}</s>\s*\S) | \[/INST\] | assistant\n\n
               | (?:<(?:[be]os|sop|BOS_TOKEN|\|begin_of_text\|)>|\[gMASK\])(?!\x20[a-zа-я—]) )\s* )+
  | [<\[](?:unused|ctrl|SPECIAL_)\d{{1,5}}[>\]]
  | <\|(?:open|close)\|>(?:response|message)<\|sep\|>       # Kimi K3
  | \]<\]\w{{1,20}}\[>\[ | </tool_calls?>\s*\Z              # MiniMax M3
  | \[\|endofturn\|\] | \[END\ FINAL\ RESPONSE\]           # EXAONE, Apriel
  | (?P<ends>{_ENDS})(?:{_HEADER}.*)?\Z                     # with further messages, if a server let its model run on
  | (?!<[^<\n]{{0,20}}[Aa]ssistant){_HEADER}.*\Z                # behind one of the same role, a call may stand
  | (?P<inner>{_ENDS})""",
    re.DOTALL | re.VERBOSE,
)
_TEMPLATE = re.compile(
    rf"""{CODE.pattern}
  | (?P<struck><s>(?:(?!<s>).){{1,300}}?</s>(?=\s*\S))      # HTML, no token of Llama
  | (?: ^ | (?<=[>\].!?]) | (?<=[.!?]\x20) ) (?:<\|?|\[(?=(?-i:TOOL)))    # a result that a model made up
    (?P<result>(?-i: (?:[a-z]{{1,8}}_)?(?:tool|function)_(?:call_)?(?:result|response|output)s?
      | TOOL_(?:RESULT|OUTPUT)S? | (?<=\|)observation    # Mistral, GLM, and ReAct if no other element is next to it
      | (?<!><)(?<!>\n<)observation(?=>[^<]*(?:\Z|</observation>\s*+(?:[^<]|\Z))) ))
    (?:\s[^<>\[\]\n]{{0,80}})? (?<!/)\|?[>\]]
    (?: .*?[<\[][|/]{{1,2}}(?P=result)[^<>\[\]\n]{{0,3}}[>\]]\s* | .*\Z )
  | (?P<token> <\|from\|>\s*\w{{1,20}} | <(?:[|｜][\w▁:./-]{{3,40}}[|｜]?|\w{{3,30}}[|｜]|/s|unk|pad|eos|bos)> )
  | <co>(?=[^<]{{0,300}}</co:) | </?co:[^<>\n]{{0,60}}>     # citations of Cohere,
  | \x20?(?: \[cite(?:_start|:[\s\d,.]{{1,40}})\]           # Gemini,
           | 【\d{{1,3}}(?::\d{{1,3}})?†[^】\n]{{0,80}}】 )     # and OpenAI""",
    re.IGNORECASE | re.DOTALL | re.MULTILINE | re.VERBOSE,
)
# Contexts in which a token, written as a null character, is talked about.
_EXPLAINED = re.compile(
    r"""\s*(?:(?:[-*+•|]|\d{1,3}[.)])\s{1,3})?\0(?:[:=]|\x20[—–=-]|\x20(?![A-Z])[^\W\d])    # it is defined
  | .*(?:\}\}\0|\0\{\{)                            # it stands in a Jinja template""",
    re.VERBOSE,
)
_TALK_OF_TOKENS = re.compile(r"token|токен|<\S", re.IGNORECASE)
_ELEMENT = r"(?:answer|response|reply|output|solution|result|final\w{0,20})>"
_WRAPPED = re.compile(
    rf"\A\s* (?: <{_ELEMENT} | (?!.*<{_ELEMENT}) ) (?P<answer>.*?) (?:</{_ELEMENT}\s*)?\Z",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)


def remove_marks_of_answer(text: str) -> str:
    """Remove the tokens in front of an answer and behind it, and further messages that the model made up."""
    return _RESPONSE.sub(_remove_mark_unless_mentioned, text)


def _remove_mark_unless_mentioned(mark: "re.Match[str]") -> str:
    end = mark.start() + len((mark["ends"] or mark[0]).rstrip())
    may_be_word = not mark["ends"] or _TALK_OF_TOKENS.search(mark.string, 0, mark.start())
    is_kept = mark["code"] or (may_be_word and is_tag_mentioned_as_word(mark.string, mark.start(), end))
    return mark[0] if is_kept else mark["inner"] or ""


def unwrap_element(text: str) -> str:
    """Return the text within an element such as <answer>, which often follows thoughts in an element."""
    return _WRAPPED.sub(r"\g<answer>", text)


def remove_template_tokens(text: str, prompt: str) -> str:
    """Remove citation marks, made-up results, and control tokens unless the text or the `prompt` is about them."""
    is_about = any(mark["token"] and _is_mentioned(mark, prompt) for mark in _TEMPLATE.finditer(text))
    return _TEMPLATE.sub(
        lambda mark: mark[0] if (is_about and mark["token"]) or _is_mentioned(mark, prompt) else "", text
    )


def _is_mentioned(mark: "re.Match[str]", prompt: str) -> bool:
    opening = mark[0][: mark[0].find(">") + 1] or mark[0].rstrip()
    text, start, end = mark.string, mark.start(), mark.start() + len(opening)
    line = text[max(0, start - 40) : start].rpartition("\n")[2]
    is_word = mark["code"] or mark["struck"] or (mark["token"] and is_tag_mentioned_as_word(text, start, end))
    return bool(is_word or opening.strip().lower() in prompt or _EXPLAINED.match(f"{line}\0{text[end : end + 2]}"))
