"""Tells marks that an answer uses from marks that it talks about."""

import re

CODE = re.compile(
    r"""(?P<code>
        ```.*?(?:```|\Z)                     # in backticks, perhaps unclosed
      | (?<![^\n])~~~\w*\n.*?(?:\n~~~|\Z)    # in a fence of tildes
      | `[^`\n]+`
    )""",
    re.DOTALL | re.VERBOSE,
)


def is_tag_mentioned_as_word(text: str, start: int, end: int) -> bool:
    """Return True if the tag at `text[start:end]` is used as a word in a sentence."""
    line = text[max(0, start - 200) : start].rpartition("\n")[2]
    before, after = line.rstrip(" "), text[end : end + 1]
    if not before or before[-1] in ".!?…。！？>":
        return False
    stands_alone = before != line or before[-1] in "\"'“‘«(,/*_`"
    return stands_alone and (not after or after in " \"'”’»),.;:?!/*_`")
