"""Put Markdown around blocks of code and quotations. Telegram's apps remove the marks that people type around them."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, pairwise

import telegram

from text.characters import repair_surrogates
from text.rich_messages import make_fence

BLOCKS = ("pre", "blockquote", "expandable_blockquote")  # entities of what a person copied
MAX_BLOCKS = 100  # a message has at most as many entities (Bot API, MessageEntity)


def mark_code_and_quotations(
    text: str, entities: Sequence[telegram.MessageEntity]
) -> tuple[str, Sequence[telegram.MessageEntity]]:
    """Return a text with marks around its blocks, and its entities at their places in the marked text."""
    blocks = [entity for entity in entities if entity.type in BLOCKS and entity.offset >= 0][:MAX_BLOCKS]
    if not blocks:
        return text, entities
    units = "".join(map(chr, memoryview(text.encode("utf-16-le", "surrogatepass")).cast("H")))
    quotations, marks = list[range](), list[tuple[int, int, str]]()
    for order, block in enumerate(blocks, start=1):  # a quotation comes before the code in it
        content = units[block.offset : block.offset + block.length]
        begin = block.offset + len(content) - len(content.lstrip("\n"))
        end = begin + len(content.strip("\n"))
        is_quoted = any(begin in quotation for quotation in quotations)
        if begin == end or (is_quoted and block.type != "pre"):  # quotations are not nested (Bot API, MessageEntity)
            continue
        line_break = "\n> " if is_quoted else "\n"
        opening = "" if units[begin - 1 : begin] in ("", "\n") else line_break
        rest = units[end:].lstrip(" ")
        if block.type == "pre":
            fence = make_fence(content, 3)
            opening += f"{fence}{block.language or ''}{line_break}"
            closing = f"{line_break}{fence}" + ("" if rest[:1] in ("", "\n") else line_break)
        else:
            quotations.append(range(begin, end))
            marks += [(at + 1, order, "> ") for at in range(begin, end) if units[at] == "\n"]
            opening += "> "
            # Without an empty line, the next paragraph would belong to the quotation.
            closing = "\n" * (2 - len(rest) + len(rest.lstrip("\n"))) if rest.strip() else ""
        marks += [(begin, order, opening), (end, -order, closing)]
    marks.sort()
    places = [place for place, _, _ in marks]
    lengths = [0, *accumulate(len(mark) for _, _, mark in marks)]
    moved = [
        telegram.MessageEntity(
            entity.type, entity.offset + lengths[bisect_right(places, entity.offset)], entity.length, user=entity.user
        )
        for entity in entities
    ]
    parts = [units[begin:end] for begin, end in pairwise([0, *places, len(units)])]
    marked = "".join(part + mark for part, (_, _, mark) in zip(parts, [*marks, (0, 0, "")], strict=True))
    return repair_surrogates(marked), moved
