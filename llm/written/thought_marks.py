"""Finds the marks around thoughts: a name such as "think" in any brackets, or the tokens of some models.

Also tells marks that an answer uses from marks that it talks about, and holds back one that still arrives.
"""

import re
from dataclasses import dataclass

CODE = re.compile(
    r"""(?P<code>
        ```.*?(?:```|\Z)                     # in backticks, perhaps unclosed
      | (?<![^\n])~~~\w*\n.*?(?:\n~~~|\Z)    # in a fence of tildes
      | `[^`\n]+`
    )""",
    re.DOTALL | re.VERBOSE,
)
THINKS = "think|thought|reason|working_out|思考|思维|推理"
_COMMON_NAME = re.compile("reason(?!ing)", re.IGNORECASE)  # other elements have it, too
_OPENING_BRACKETS = "[({$◁◀◂⟨⟪⟦❨❪❬❮❰❲❴⸨⌊≪≺【《〈〔〖「『＜﹤«‹"
_CLOSING_BRACKETS = ")}$▷▶▸⟩⟫⟧❩❫❭❯❱❳❵⸩⌋≫≻】》〉〕〗」』＞﹥»›"
_BRACKET = rf"[\{_OPENING_BRACKETS}]{{1,3}}%?"
_NAMED_MARK = rf"""
    (?P<opening> (?P<element> <{{1,3}} (?P<sign>!--\s*|[%?\#*~](?!\s))?) | {_BRACKET} | &lt;)
    (?P<name>
        [|\s]{{0,3}} [/\\／]? (?(element)/?) \|?\s*
        (?:(?:begin|start|end)(?:\ of)?\ )?
        (?:[\w:.-] | (?(element)\|)){{0,30}} (?:{THINKS}) [\w:.-]{{0,30}}
    )
    (?P<attributes> (?(element) \s[^<>\n]{{0,200}} | \s+\w+=[^<>\[\]\n]{{0,200}}))?
    \s*
    (?: (?(sign)(?P=sign)|\|?)>{{1,3}} | --+> | %?[{_CLOSING_BRACKETS}]{{1,3}} | \]{{1,3}}(?!\() | &gt;)
"""
_MARK = re.compile(
    rf"""{CODE.pattern}
  | (?P<placeholder> (?:(?<=[\w'"(])|(?<=[\w:,]\ )) <[\w:]{{1,30}}>[^\w\s<>]{{1,9}}</[\w:]{{1,30}}> )    # in a sentence
  | {_NAMED_MARK}
  | (?P<header>    # of a message of gpt-oss
      (?:<\|end\|>\s*)? (?: <\|start\|>\s*assistant | <\|channel\|> | \A\s*(?=(?:analysis|commentary|final)\b|to=) )
      [^<]{{0,100}} (?:<\|(?:channel|constrain)\|>[^<]{{0,100}}){{0,2}} <\|message\|>
    )
  | (?P<end_of_message> <\|end\|> )
  | (?P<other_opening>
        <\|channel>\s*\w+                              # Gemma 4
      | <\|open\|>think\w*<\|sep\|>                    # Kimi K3
      | <\|inner_prefix\|>                             # Apertus
    )
  | (?P<other_closing>
        <channel\|> | <\|close\|>think\w*<\|sep\|> | <\|inner_suffix\|>
      | <\|content\|>                                  # Solar
      | \[BEGIN\ FINAL\ RESPONSE\]                     # Apriel
    )
  | (?P<call> <\|recipient\|>\s*(?!all\b)[\w.]{{1,64}}\s*<\|content\|>)    # Functionary
    """,
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
# The names of closing marks, such as "/think", "END_THINKING", "|endthink" and "thought_end".
_CLOSING_NAME = re.compile(r"[|\s]*[/\\／]|.*(?<![a-z])end(?![a-su-z]|tr)", re.IGNORECASE | re.DOTALL)
# In the header of a message of gpt-oss. Only the final channel is for the reader.
_TO_READER = re.compile(r"\bfinal\b|to=user|\A(?!.*(?:analysis|commentary|channel|to=))", re.DOTALL | re.IGNORECASE)
_TO_TOOL = re.compile(
    r"to=(?!assistant|user|self)|<\|channel\|>\s*+(?!analysis|commentary|final)[^<]*<\|channel", re.IGNORECASE
)
_BEGINNING_NAME = re.compile(r"\s*(?:start|begin)", re.IGNORECASE)
_BLANK = re.compile(r"\s*")
_UNFINISHED_MARK = re.compile(
    rf"""(?: <{{1,2}}(?:\||!-{{0,2}}\s?)?/{{0,2}} | (?!\(){_BRACKET}/? | &lt; ) [\w:.|\ /†-]{{0,60}} (?:&gt?)?\Z
  | &(?:lt?)?\Z
  | [<\[]{{1,2}}[\w:|]{{1,60}}\s+\w+=[^<>\[\]\n]{{0,200}}\Z | \[cite:[\d\s,.]{{0,40}}\Z
  | <\|channel>\s*\w*\Z | (?:<\|(?!message)\w{{1,12}}\|>[^<]{{0,60}}){{1,43}}(?:<\|?\w{{0,20}}\|?)?\Z
  | \A\s*<details[^<>]{{0,40}}>\s*(?:<summary>(?:<b>)?[^<]{{0,60}}(?:</?\w*)?)?\Z
  | ^(?:```|~~~)[ \t]*\w{{0,30}}\Z | \A\s*to=\w{{0,20}}(?:<\|?\w{{0,20}}\|?)?\Z
  | \A\s*(?:assistant)?a(?:n(?:a(?:l(?:y(?:s(?:is?)?)?)?)?)?)?\Z
  | (?:\A\]~?!?b?|\[e~)\[?\Z | \]<(?:\][\w\[</>]{{0,40}})?\Z""",
    re.MULTILINE | re.VERBOSE,
)
MAX_MARK_CHARS = 300  # at the end of a text that still arrives
_TAGS_AT_END = re.compile(r"(?<=\ )(?:<[\w:]{1,30}>,?\ )+\Z")  # a list of tags
_BULLET = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])")
_PLAIN = str.maketrans("｜▁", "|_")  # DeepSeek's templates write their marks with these, as long as the plain ones


def is_tag_mentioned_as_word(text: str, start: int, end: int) -> bool:
    """Return True if the tag at `text[start:end]` is used as a word in a sentence."""
    line = text[max(0, start - 200) : start].rpartition("\n")[2]
    before, after = _TAGS_AT_END.sub("", line).rstrip(" "), text[end : end + 1]
    if not before or before[-1] in ".!?…。！？>":
        return False
    if _BULLET.fullmatch(before) and (not after or after == "\n"):
        return True
    stands_alone = before != line or before[-1] in "\"'“‘«(,/*_`"
    return stands_alone and (not after or after in " \"'”’»),.;:?!/*_`")


def find_thought_marks(text: str, *, is_whole: bool = False) -> "list[re.Match[str]]":
    """Return the marks around thoughts, but none in code or in a sentence. Code within thoughts may be unclosed."""
    text = text.translate(_PLAIN)
    return _MarkFinder(text=text, without_code=text.replace("`", " "), is_whole=is_whole).find_marks()


def hold_back_unfinished_mark(text: str) -> str:
    mark = _UNFINISHED_MARK.search(text.translate(_PLAIN), max(0, len(text) - MAX_MARK_CHARS))
    return text[: mark.start()] if mark else text


def is_closing_mark(mark: "re.Match[str]") -> bool:
    if header := mark["header"]:
        return _TO_READER.search(header) is not None or is_call(mark)
    return bool(mark["other_closing"] or mark["end_of_message"]) or _CLOSING_NAME.match(mark["name"] or "") is not None


def is_call(mark: "re.Match[str]") -> bool:
    """Return True for the header of a call, which ends the thoughts before it and stays."""
    return _TO_TOOL.search(mark["header"] or "") is not None


@dataclass(kw_only=True)
class _MarkFinder:
    """Walks through a text from mark to mark. `opened` is the mark of the thoughts that are not closed yet."""

    text: str
    without_code: str  # since code in thoughts may be unclosed
    is_whole: bool
    opened: "re.Match[str] | None" = None
    is_first: bool = True  # nothing but marks and thoughts stands in front of the current mark

    def find_marks(self) -> "list[re.Match[str]]":
        found, place, first_place = [], 0, self._skip_blanks(0)
        while mark := _MARK.search(self.text, place):  # ends: each mark is behind the one before
            place = mark.start() + 1 if mark["code"] and self.opened else mark.end()
            self.is_first = mark.start() == first_place
            may_be_thought = self.is_first or self.opened or not _COMMON_NAME.search(mark["name"] or "")
            if may_be_thought and not _is_other_markup(mark) and self._is_used(mark):
                found.append(mark)
                self.opened = None if is_closing_mark(mark) else mark
                first_place = self._skip_blanks(place)
        return found

    def _skip_blanks(self, place: int) -> int:
        return _BLANK.match(self.text, place).end()  # type: ignore[union-attr] # it matches any text

    def _is_used(self, mark: "re.Match[str]") -> bool:
        """Return True unless the mark is a word, such as the name of a type, a placeholder or a tag in a sentence."""
        is_closing = is_closing_mark(mark)
        if mark["header"] or mark["end_of_message"]:
            return mark["header"] is not None or self.opened is not None
        if not (is_closing or self._needs_no_closing_mark(mark) or self._is_followed_by_closing_mark(mark)):
            return False
        ends_thoughts = is_closing and self.opened and (self.is_whole or self.text[mark.start() - 1] != "`")
        is_settled = self.is_whole or is_closing or mark.end() < len(self.text)  # by the character that follows
        return bool(ends_thoughts) or not (is_settled and is_tag_mentioned_as_word(self.text, mark.start(), mark.end()))

    def _needs_no_closing_mark(self, mark: "re.Match[str]") -> bool:
        """Return True if the mark begins thoughts that nothing needs to close, as Kimi (◁) and Mistral ([THINK]) do."""
        name, touches_word = mark["name"], self.text[max(0, mark.start() - 1) : mark.start()].isalnum()
        if not name or (mark["element"] and not self.is_whole):
            return True
        if mark["element"]:  # no type, such as List<Thought>, and no comment
            return not mark["sign"] and (name == "think" or not touches_word)
        if not self.is_whole:
            return self.is_first or (name.lower() == "think" and not touches_word)
        is_typical = mark["attributes"] or name.isupper() or _BEGINNING_NAME.match(name) or mark["opening"] == "◁"
        return self.is_first and bool(is_typical)

    def _is_followed_by_closing_mark(self, mark: "re.Match[str]") -> bool:
        following = _MARK.search(self.without_code, mark.end())
        return following is not None and is_closing_mark(following)


def _is_other_markup(mark: "re.Match[str]") -> bool:
    """Return True for code, a placeholder, a call, an empty element, or a comment in other words."""
    is_comment = mark[0].startswith("<!") and bool((mark["attributes"] or "").strip())
    return bool(mark["code"] or mark["placeholder"] or mark["call"]) or mark[0].endswith("/>") or is_comment
