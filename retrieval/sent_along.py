"""What a prompt carries of the files that came with this turn's words. Pure. Does not know how they were read."""

from llm import prompts
from records.attachments import Picture
from records.turns import Incoming
from text.tokenizer import Tokenizer

SHARE = 2
"""Documents take at most one in 2 tokens of the ceiling, and so do pictures: words and memory keep a part."""


def documents(incoming: Incoming, tokenizer: Tokenizer, ceiling: int) -> tuple[str, bool]:
    """The text of the documents, quoted as data, and whether it had to be cut in its middle."""
    if not incoming.passages:
        return "", False
    whole, most = prompts.document_block(incoming.passages), ceiling // SHARE
    if tokenizer.count(whole) <= most:
        return whole, False
    text = "\n".join(incoming.passages)
    return _block(tokenizer.cut_written(text, most, _block, tokenizer.cut_middle)), True


def pictures(incoming: Incoming, ceiling: int) -> tuple[Picture, ...]:
    """The pictures, in order, while they fit."""
    left, taken = ceiling // SHARE, list[Picture]()
    for one in incoming.pictures:
        if one.tokens <= left:
            taken.append(one)
            left -= one.tokens
    return tuple(taken)


def _block(text: str) -> str:
    return prompts.document_block([text])
