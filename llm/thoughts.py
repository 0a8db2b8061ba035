"""Removes a model's thoughts from its text, even while the text is arriving. Code and quoted tags are kept."""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from time import time

from llm.meant_json import decode_json_and_find_end, parse_json_leniently

_CODE = r"(?P<code>```.*?(?:```|\Z)|(?<![^\n])~~~\w*\n.*?(?:\n~~~|\Z)|`[^`\n]+`)"
CODE = re.compile(_CODE, re.DOTALL)
_THINKS = "think|thought|reason|working_out|思考|思维|推理"
_FOREIGN = "denken|gedanken|pensam|ra[sz]onam|racioc|ragionam|raisonn|pensée|réflexion|размышлени|мысли|düşün"
# Names of thoughts only in the first element, if an answer follows.
_NOTES = (
    rf"scratch|analysis|reflection|monologue|deliberat|ruminat|planning|\bcot\b|{_FOREIGN}|\b(?:생각|تفكير)\b(?!\s)"
)
_OWN = r"thinking|thoughts?|reasoning|\w{0,4}(?:思考|思维|推理)(?:过程|链)?"  # where other words are an answer's own
_NAME = rf"(?:(?:begin|start|end)(?: of)? )?(?:[\w:.-]|(?(element)\|)){{0,30}}(?:{_THINKS}|{_NOTES})[\w:.-]{{0,30}}"
_BRACKET = "[\\[({$◁◀◂⟨⟪⟦❨❪❬❮❰❲❴⸨⌊≪≺【《〈〔〖「『＜﹤«‹]{1,3}%?"
_MARK = re.compile(
    rf"{_CODE}|(?P<opening>(?P<element><{{1,3}}(?P<sign>!--\s*|[%?#*~](?!\s))?)|{_BRACKET}|&lt;)(?P<name>[|\s]{{0,3}}[/\\／]?(?(element)/?)\|?\s*{_NAME})"
    rf"(?P<attributes>(?(element)\s[^<>\n]{{0,200}}|\s+\w+=[^<>\[\]\n]{{0,200}}))?\s*(?:(?(sign)(?P=sign)|\|?)>{{1,3}}|--+>|%?[)}}$▷▶▸⟩⟫⟧❩❫❭❯❱❳❵⸩⌋≫≻】》〉〕〗」』＞﹥»›]{{1,3}}"
    r"|\]{1,3}(?!\()|&gt;)"
    r"|(?P<open><\|channel>\s*\w+|<\|open\|>think\w*<\|sep\|>|<unused94>|<\|inner_prefix\|>)"
    r"|(?P<close><channel\|>|<\|close\|>think\w*<\|sep\|>|<unused95>|<\|inner_suffix\|>"
    r"|<\|content\|>|\[BEGIN FINAL RESPONSE\])"
    r"|(?P<call><\|recipient\|>\s*(?!all\b)[\w.]{1,64}\s*<\|content\|>)",  # of Functionary
    re.IGNORECASE | re.DOTALL,
)
# The names of closing marks, such as "/think", "END_THINKING", "|endthink" and "thought_end".
_CLOSING_NAME = re.compile(r"[|\s]*[/\\／]|.*(?<![a-z])end(?![a-su-z]|tr)", re.IGNORECASE | re.DOTALL)
_BEGINNING_NAME = re.compile(r"\s*(?:start|begin)", re.IGNORECASE)
_NOTES_NAME = re.compile(_NOTES, re.IGNORECASE)
_WORD = re.compile(f"reason(?!ing)|{_NOTES}", re.IGNORECASE)  # other elements have such names, too
_ASIDE = re.compile(
    r"<details\s[^<>]{0,40}\breasoning\b[^<>]{0,80}>.*?(?:</details>\s*|\Z)"
    r"|\A\s*(?P<reserved>[<\[](?:unused|ctrl))\d{1,4}[>\]](?!\s*(?:call:|\[?\{)).*?(?:(?P=reserved)\d{1,4}[>\]]|\Z)"
    r"|\A\s*<\|im_start\|>(?:assistant/)?think\n.*?(?:<\|im_start\|>\w{1,12}\n|\Z)"
    rf"|\A\s*<details[^<>]{{0,40}}>\s*<summary>(?:<b>)?[^<]{{0,60}}(?:thought|thinking|reasoning)[^<]{{0,60}}(?:</b>)?</summary>.*?(?:</details>\s*|\Z)"
    r"|\A\s*(?:(?P<process>Here(?:'s| is) my thought process:|/think\n|<(?P<element>\w{1,20})\s[^<>]{0,80}\b"
    r"(?:type|class)=[\"'](?:thinking|thoughts?|reasoning)[\"'][^<>]{0,80}>)|Thinking\.\.\.\n).*?(?:(?P<response>Here"
    r"(?:'s| is) my response:\s*|\.\.\.done thinking\.\s*|<\|im_start\|>\w{1,12}\n|</(?P=element)>\s*(?=\S))|\Z)"
    r"|\A\s*\*?Thinking\.\.\.\*?\s*\n(?:\s*>[^\n]*(?:\n|\Z))+"
    rf"|\A\s*(?:[\[*](?:my |inner |internal )?(?:{_OWN}):[^\n]*[\]*]|"
    rf">[^\w\n]{{0,6}}(?:{_OWN})[^\w\n,.?!]{{0,4}}[:\]*\n](?:[^\n]*\n>)*[^\n]*)\s*\n\s*(?=[^\s>])"
    r"|(?-i:\A\s*analysis(?![ \t.,:;!?-]).*?assistant\s*(?:final|(?=(?:commentary\s*)?to=)))"
    r"|(?-i:\A\s*thought\n.*?(?=\bcall:[\w.:]{3,80}\{))"
    rf"|\A\s*(?P<fence>```|~~~|:::)[ \t]*(?!reason(?:ml)?\s)\w*(?:{_THINKS})\w*[ \t]*\n.*?(?:^(?P=fence)\s*|\Z)",
    re.DOTALL | re.IGNORECASE | re.MULTILINE,
)  # thoughts in an element, between reserved tokens (Pangu, Gemini), in a message of their own (HyperCLOVA), in words
# of Granite, Ollama or Poe, in channels without marks (gpt-oss, Gemma 4), or in a leading fence that is not ReasonML
_BEGINNING_OF_COLLAPSED = re.compile(r"\s*(?:a(?:n(?:a(?:l(?:y(?:si?)?)?)?)?)?\Z|analysis(?![ \t.,:;!?-])|thought\n)")
_BEGINNING = re.compile(
    rf"(?:<{{1,2}}(?:\||!-{{0,2}}\s?)?/{{0,2}}|(?!\(){_BRACKET}/?|&lt;)[\w:.| /†-]{{0,60}}(?:&gt?)?\Z|&(?:lt?)?\Z"
    r"|[<\[]{1,2}[\w:|]{1,60}\s+\w+=[^<>\[\]\n]{0,200}\Z|\[cite:[\d\s,.]{0,40}\Z"
    r"|<\|channel>\s*\w*\Z|(?:<\|\w{1,12}\|>[^<]{0,60}){1,43}(?:<\|?\w{0,20}\|?)?\Z"
    r"|^(?:```|~~~)[ \t]*\w{0,30}\Z|\A\s*to=\w{0,20}(?:<\|?\w{0,20}\|?)?\Z|\A\]~?!?b?\Z|\]<(?:\][\w\[</>]{0,40})?\Z",
    re.MULTILINE,
)  # an unfinished mark at the end of a text that still arrives, in its last 300 characters: at most 43 marks
_CHANNEL_BODY = re.compile(
    r"(?:(?P<to>(?:to=(?!assistant|user|self)|<\|channel\|>(?!analysis|commentary|final))[\w.:-]{1,64}\s*)?<\|channel\|>|\A(?=\s*(?:analysis|commentary|final)\b)"
    r"|(?:\A|<\|start\|>assistant)(?=\s*to=))"
    r"(?P<head>[^<]{0,100}(?:<\|constrain\|>[^<]{0,100})?)<\|message\|>"
    r"(?P<body>.*?)(?=<\|(?:end|start|channel|return|call|eo[mt]|eot_id)\|>|\Z)",
    re.DOTALL,
)
_TO_TOOL = re.compile(r"to=(?!assistant|user|self)")
_PLAIN = str.maketrans("｜▁", "|_")  # DeepSeek's templates write their marks with these, as long as the plain ones
_HEADER = (
    r"(?:(?:<\|?(?:im_start|start_header_id|start_of_turn)\|?>|<\|turn\|?>)\s*\w{0,12}(?:<\|(?:end_header_id|im_sep)\|>)?"
    r"|<[|｜](?:im_)?(?:[Aa]ssistant|[Uu]ser|system)(?:_start)?[|｜]>(?:\w{0,12}<\|im_middle\|>)?|<s>\s*\[INST\]"
    r"|<\|START_OF_TURN_TOKEN\|>(?:<\|[A-Z]{1,12}_TOKEN\|>)?|\]~!?b[\[\]]\s*\w{0,12}|<\|(?:begin|start)\|>assistant(?:<\|message\|>)?)"
)  # of a message in a chat template
_ENDS = r"(?:(?:<[|｜][\w▁:]{1,30}[|｜]>|</s>|</?(?:start|end)_of_\w{1,12}>|<eos>|<turn\|>|<endoftext\||\[e~\[)\s*)+"
_RESPONSE = re.compile(
    rf"{_CODE}|<!--\s{{0,9}}(?:-->\s*|(?i:{_OWN})\s{{0,9}}(?:-->\s*|[:：\n].*?(?:-->\s*|\Z)))|<think(?:ing)?\s?/>"
    rf"|\A\s*(?:(?:{_HEADER}|<s>(?![^\n]{{0,300}}</s>\s*\S)|(?:<(?:[be]os|sop|BOS_TOKEN|\|begin_of_text\|)>|\[gMASK\])(?!\x20[a-zа-я—])|\[/INST\]|assistant\n\n)\s*)+|<[|｜]begin[_▁]of[_▁]sentence[|｜]>|\A\s*<(?:think|thought)(?=[^\W\x00-\x7f])|[<\[](?:unused|ctrl|SPECIAL_)\d{{1,5}}[>\]]"
    r"|<\|?(?:START|END|begin_of|end_of)_(?:RESPONSE|TEXT|solution|answer|box)\|?>|\[END FINAL RESPONSE\]"
    r"|<\|(?:open|close)\|>(?:response|message)<\|sep\|>|\]<\]\w{1,20}\[>\[|</tool_calls?>\s*\Z|\[\|endofturn\|\]"
    rf"|(?P<ends>{_ENDS})(?:{_HEADER}.*)?\Z|(?P<inner>{_ENDS})|{_HEADER}.*\Z",
    re.DOTALL,
)  # marks of an answer, and the tokens that end one, with further messages if a server let its model run on
# Control tokens of chat templates, citations (Cohere, Gemini, OpenAI), and made-up results of tools. Not struck HTML.
_TEMPLATE = re.compile(
    rf"{_CODE}|(?P<struck><s>(?:(?!<s>).){{1,300}}?</s>(?=\s*\S))"
    r"|(?:^|(?<=[>\].!?])|(?<=[.!?]\x20))(?:<\|?|\[(?=(?-i:TOOL)))(?P<result>(?-i:(?:[a-z]{1,8}_)?(?:tool|function)_(?:call_)?(?:result|response|output)s?"
    r"|(?<!><)observation(?!\s)|TOOL_(?:RESULT|OUTPUT)S?))(?:\s[^<>\[\]\n]{0,80})?(?<!/)\|?[>\]](?:.*?[<\[][|/]{1,2}(?P=result)[^<>\[\]\n]{0,3}[>\]]\s*|.*\Z)"
    r"|(?P<token><\|from\|>\s*\w{1,20}|<(?:[|｜][\w▁:./-]{3,40}[|｜]?|\w{3,30}[|｜])>|</s>|<(?:unk|pad|eos|bos)>)"
    r"|<co>(?=[^<]{0,300}</co:)|</?co:[^<>\n]{0,60}>|\x20?(?:\[cite(?:_start|:[\s\d,.]{1,40})\]|【\d{1,3}(?::\d{1,3})?†[^】\n]{0,80}】)",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
_EXPLAINED = re.compile(
    r"\s*(?:(?:[-*+•|]|\d{1,3}[.)])\s{1,3})?\0(?:[:=]|\x20[—–=-]|\x20(?![A-Z])[^\W\d])"
    r"|\s*(?:[-*+•]|\d{1,3}[.)])\s{1,3}\0(?:\n|\Z)|.*[^\s.!?…。！？>]\x20\0\n|.*(?:\}\}\0|\0\{\{)"
)  # a token, as a null character, that begins an item or a definition, ends a line, or stands in Jinja
_WRAPPED = re.compile(
    r"\A\s*<(answer|response|reply|output|solution|result|final\w{0,20})>(?P<answer>.*?)(?:</\1>\s*\Z|\Z)",
    re.IGNORECASE | re.DOTALL,
)  # an answer in an element, which often follows thoughts in one
_HEADING = re.compile(
    r"\A\s*(?:(?P<lead>[#=:]{1,6}|\*{1,3}(?! )|_{1,2}|\[(?=[^\]\n]*:))[^\w\n`]{0,3}"
    rf"|(?=(?:{_OWN}|(?:{_FOREIGN})\w{{0,9}})(?: process)?[:：]))"
    rf"(?:(?:my|inner|internal|chain of) )?(?P<title>think|{_OWN}|(?:{_FOREIGN})\w{{0,9}})(?: process)?"
    r"\s?(?P<tail>(?:[^\w\s<`,.;!?\"']|_){1,6}|\n)(?P<thoughts>.*?(?:(?P=lead)\s?(?:/|end )(?P=title)\s?(?P=tail)"
    r"|^[ \t]*(?(lead)(?P=lead)[^\w\n`]{0,3}|[#\s]{0,4}(?P<bold>[*_]{1,3})?(?=[^\n:：]*final|最终|итогов))"
    r"(?P<answer>(?:the |my |final\w? |итоговый |最终)?(?:answer"
    r"|reply|response|antwort|respuesta|resposta|réponse|risposta|ответ|回答|答案|回复|답변)(?: final\w?)?"
    r"\s?(?P=tail)(?(bold)(?P=bold))))\s*)?",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)  # thoughts under a heading or behind a mark, which end with the same mark or at a like heading that says answer
_WORKED = re.compile("reason|ra[sz]on|racioc|ragion|raison|推理|размышл")  # headings of worked solutions
_EMPHASIZED = re.compile(
    rf"[*_`]{{1,5}}(?P<mark>[<\[◁][/|\w: ]{{0,20}}(?:{_THINKS})[\w: ]{{0,20}}\|?[>\]▷])[*_`]{{1,5}}"
    r"(?=[ \t]{0,9}(?:\n|\Z))",
    re.IGNORECASE,
)  # with nothing behind it: in a sentence or a list, it is talked about
_JSON_ANSWER = re.compile(
    r"\s*(?:```\w*\s*)?(?P<json>\{\s*(?:(?:\"[\w -]{0,40})?\Z"
    rf"|\"(?P<key>[\w -]{{0,30}}(?:{_THINKS}|{_NOTES})[\w -]{{0,30}})\".*))",
    re.DOTALL | re.IGNORECASE,
)  # an object that begins with a thought, or the first characters of one
_BLANK = re.compile(r"\s*")
_NO_VERBS = "alright|but|first|its?|just|lets?|might|most|must|next|not|that|this|users|what"
_TALKED_ABOUT = re.compile(
    r"\s*(?:<[\w:]{1,30}>|\[unused\d{1,4}\](?= ))(?: \w{1,5} </[\w:]{1,30}>)? ?"
    rf"(?:(?!(?:{_NO_VERBS})\b)(?:[^\W\dA-Z]\w{{0,20}}[stт]|are) |[—是])[^<\n]*[.!?…。]\s*\Z"
)  # sentences whose subject is a mark: a verb in the third person follows it. Unclosed thoughts begin in other ways.
MAX_FILES = 100  # as many models at endpoints are remembered
REMEMBERED_SECONDS = 30 * 86_400.0  # since the last such answer. Later, the server may have been updated.


def begins_with_thoughts(text: str) -> bool:
    """Return True if the first thought tag in the text is a closing tag, so that everything before it is a thought."""
    return any(map(_is_closing_thought_mark, _find_thought_marks(text)[:1]))


def remove_headed_thoughts(text: str, question: str, prompt: str, *, is_whole: bool) -> str:
    """Remove thoughts under a heading that nobody asked for, but no sections of an answer or steps of a calculation."""
    heading = _HEADING.match(text)
    if heading is None:
        return text
    title, lead, tail, start = heading["title"].lower(), heading["lead"], heading["tail"], heading.end("tail")
    is_sum = _WORKED.match(title) and any(map(str.isdigit, question.rpartition("\n\n")[2]))
    if is_sum or title in question or text[:start].strip().lower() in prompt:
        return text
    if heading["answer"] and (title == "think" or {*":：\n"}.isdisjoint(tail + text[start : start + 1])):
        return text
    thoughts, ending = heading["thoughts"], heading["answer"] or heading["thoughts"]
    lines = (thoughts or text[start:].rpartition("\n")[0]).split("\n")[1:]
    if lead:
        titles = [line for line in lines if line.startswith(lead) and tail.strip() in line[len(lead) :].lstrip(lead)]
    else:
        titles = [line for line in lines if line[:1].isupper() and tail in line[:16]]
    if len(titles) > bool(thoughts) or (ending and text.count(ending) > 1):
        return text
    return text[heading.end() :] if thoughts else text if is_whole else ""


def unwrap_answer(text: str, question: str, prompt: str, *, is_whole: bool) -> str:
    """Return the answer in a JSON object that begins with a thought, or "" while it arrives. Keep any other text."""
    found = _JSON_ANSWER.match(text)
    if found is None or "json" in prompt or (found["key"] and found["key"].lower() in question):
        return text
    leading, end = decode_json_and_find_end(found["json"], 0)  # Gemini 3.5 answers behind its plan
    rest = found["json"][end:].strip()
    is_plan = isinstance(leading, Mapping) and leading.keys() <= {found["key"], "call", "tool", "action"}
    if isinstance(leading, Mapping) and is_plan and isinstance(leading[found["key"]], str) and rest[:1].isalpha():
        return rest
    if not is_whole:
        return ""
    value = parse_json_leniently(found["json"].rstrip("` \n")) if text.rstrip("` \n").endswith("}") else None
    thought, *others = value.values() if value and isinstance(value, Mapping) else [0]
    answers = [each for each in others if isinstance(each, str)]
    answers = answers or [json.dumps(each, ensure_ascii=False) for each in others]
    return answers[0] if len(answers) == 1 and not isinstance(thought, int | float) else text


def remove_thoughts(text: str, *, is_whole: bool = True, prompt: str = "") -> str:
    """Remove thoughts from a text. Unless `is_whole`, also hold back an incomplete tag at its end."""
    if is_whole and _TALKED_ABOUT.match(text):
        return text
    bare = text.lstrip()
    first = _EMPHASIZED.match(bare)
    is_closed = first is not None and any("/" in mark for mark in _EMPHASIZED.findall(bare))
    if first is not None and first["mark"].lower() not in prompt and (is_closed or not is_whole):
        text = _EMPHASIZED.sub(r"\g<mark>", bare)
    aside = _ASIDE.match(text)
    if not (is_whole and aside and aside["process"] and not aside["response"]):  # an answer to "how did you get it?"
        text = _ASIDE.sub("", text)
    channel = _CHANNEL_BODY.search(text)
    if channel is not None and not text.count("`", 0, channel.start()) % 2:
        return _remove_unfinished_tag(_extract_final_channel(text, channel.start()), is_whole)
    if not is_whole and _BEGINNING_OF_COLLAPSED.match(text):
        return ""
    kept, place, depth = "", 0, 0
    for mark in _find_thought_marks(text, is_whole=is_whole):
        if _is_closing_thought_mark(mark):
            kept = kept if depth else ""
            # Only the end of the answer tells if further marks close what was opened within thoughts.
            depth, place = 0 if is_whole else max(0, depth - 1), mark.end()
        else:
            kept += "" if depth else text[place : mark.start()]
            depth += 1
    if depth:
        return kept
    said = _RESPONSE.sub(_remove_mark_unless_mentioned, kept + text[place:])
    said = _remove_unfinished_tag(said, is_whole)
    if not place or kept.strip():
        return said
    wrapped = _WRAPPED.match(said)
    return (wrapped["answer"] if wrapped else said).lstrip()


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


def _remove_mark_unless_mentioned(mark: "re.Match[str]") -> str:
    end = mark.start() + len((mark["ends"] or mark[0]).rstrip())
    is_kept = mark["code"] or is_tag_mentioned_as_word(mark.string, mark.start(), end)
    return mark[0] if is_kept else mark["inner"] or ""


def _remove_unfinished_tag(text: str, is_whole: bool) -> str:
    beginning = None if is_whole else _BEGINNING.search(text.translate(_PLAIN), max(0, len(text) - 300))
    return text[: beginning.start()] if beginning else text


def _find_thought_marks(text: str, *, is_whole: bool = False) -> "list[re.Match[str]]":
    """Return the tags that mark thoughts, but not those in code or in a sentence. Ignore code fences in thoughts."""
    text = text.translate(_PLAIN)
    found: list[re.Match[str]] = []
    place, is_open, notes, lead = 0, False, "", len(text) - len(text.lstrip())
    last, without_code = len(text.rstrip()) - 1, text.replace("`", " ")  # code in thoughts may be unclosed
    while mark := _MARK.search(text, place):  # ends: each mark is behind the one before
        place = mark.end()
        if mark["code"]:
            place = mark.start() + 1 if is_open else place
        if mark["code"] or mark["call"] or mark[0].endswith("/>"):  # an empty element
            continue
        if mark[0].startswith("<!") and (mark["attributes"] or "").strip():  # a comment in other words
            continue
        is_closing, is_first = _is_closing_thought_mark(mark), mark.start() == lead
        opening, name = mark["opening"] or "", mark["name"] or ""
        if notes and name.strip().lower() != f"/{notes}":
            continue
        if _WORD.search(name) and not is_open and not is_first:
            continue
        if _NOTES_NAME.search(name) and not notes:
            closing = text.find(">", text.find(f"</{name}", place) % len(text)) if is_whole else None
            if is_open or not opening.startswith("<") or closing in (-1, last):
                continue
        may_be_words = text[max(0, mark.start() - 1) : mark.start()].isalnum()  # List<Thought>
        if opening.startswith("<"):
            may_be_words = is_whole and ((may_be_words and name != "think") or bool(mark["sign"]))
        elif is_whole:
            # Placeholders and titles are written so. Unclosed thoughts are known from Kimi (◁) and Mistral ([THINK]).
            is_thought = mark["attributes"] or name.isupper() or _BEGINNING_NAME.match(name) or opening == "◁"
            may_be_words = bool(opening) and not (is_first and is_thought)
        else:
            may_be_words = bool(opening) and not is_first and (may_be_words or name.lower() != "think")
        if may_be_words and not is_closing and not _is_followed_by_closing_mark(without_code, mark):
            continue
        is_settled = is_whole or is_closing or mark.end() < len(text)  # by what follows the mark
        ends_thoughts = is_closing and is_open and (is_whole or text[mark.start() - 1] != "`")
        if is_settled and not ends_thoughts and is_tag_mentioned_as_word(text, mark.start(), mark.end()):
            continue
        notes = name.lower() if _NOTES_NAME.search(name) and not is_closing else ""
        found.append(mark)
        is_open = not is_closing
        lead = _BLANK.match(text, place).end()  # type: ignore[union-attr] # it matches any text
    return found


def _is_closing_thought_mark(mark: "re.Match[str]") -> bool:
    return mark["close"] is not None or _CLOSING_NAME.match(mark["name"] or "") is not None


def _is_followed_by_closing_mark(text: str, mark: "re.Match[str]") -> bool:
    marks = (found for found in _MARK.finditer(text, mark.end()) if not _NOTES_NAME.search(found["name"] or ""))
    following = next(marks, None)
    return following is not None and _is_closing_thought_mark(following)


def is_tag_mentioned_as_word(text: str, start: int, end: int) -> bool:
    """Return True if the tag at `text[start:end]` is used as a word in a sentence."""
    line = text[max(0, start - 200) : start].rpartition("\n")[2]
    before, after = line.rstrip(" "), text[end : end + 1]
    if not before or before[-1] in ".!?…。！？>":
        return False
    stands_alone = before != line or before[-1] in "\"'“‘«(,/*_`"
    return stands_alone and (not after or after in " \"'”’»),.;:?!/*_`")


def _extract_final_channel(text: str, start: int) -> str:
    """Return the final channel and the calls in other channels, or else the text after the last or before the first."""
    parts = []
    for channel in _CHANNEL_BODY.finditer(text):
        if channel["head"].partition("<|")[0].strip().lower() in ("final", "to=user"):
            parts.append(channel["body"])
        elif channel["to"] or _TO_TOOL.search(channel["head"]):
            header = f"{channel['head'].strip()} {channel['to'] or ''}".strip()
            parts.append(f"{header}<|message|>{channel['body']}")
    if parts:
        return "\n".join(parts)
    # Some models leave out the header of their final channel. One that still arrives is no text.
    marks = re.compile(r"<\|(?:end|start|return)\|>(?:assistant\b|a[sitan]{0,7}\Z)?(?:\s*t(?:o(?:=\S*)?)?\Z)?")
    return marks.sub("", text[channel.end() :]).strip() or marks.sub("", text[:start])


class ThinkingHabit:
    """Remembers, in a file, that a model ends its thoughts with a closing tag but does not begin them with a tag."""

    def __init__(self, folder: Path | None, endpoint: str, model: str) -> None:
        key = sha256(f"{endpoint} {model}".encode()).hexdigest()[:32]  # the address may contain a password
        self._file = folder / f".thinking-models-{key}" if folder is not None else None
        with suppress(OSError):
            dated = sorted((file.stat().st_mtime, file) for file in folder.glob(".thinking-models-*")) if folder else []
            for number, (changed, file) in enumerate(reversed(dated)):
                if number >= MAX_FILES or changed <= time() - REMEMBERED_SECONDS:
                    file.unlink()

    def remember_habit(self) -> None:
        with suppress(OSError):
            if self._file is not None:
                self._file.touch(0o600)

    def is_known(self) -> bool:
        with suppress(OSError):  # it may have been deleted
            return self._file is not None and self._file.stat().st_mtime > time() - REMEMBERED_SECONDS
        return False
