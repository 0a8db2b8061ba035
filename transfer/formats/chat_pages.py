"""Read the HTML exports of Telegram Desktop and VK. The import asks which speaker is the user."""

import re
from collections.abc import Callable, Sequence
from functools import partial

from text.web_pages import Block, iterate_blocks
from transfer.formats.conversations import HistoryBuilder, ImportFormat, format_forwarded_text, format_poll, hash_parts
from transfer.formats.history import SAMPLED, ImportedMessage, SkipElement, SourceFile
from transfer.formats.values import InvalidElement, require_moment

_VK_HEAD = re.compile(r"(?P<name>.{1,100}?)(?: \(https?://[^()\s]*\))? ?, (?P<date>\d[^,(]{8,40})")
_VIA = re.compile(r" via @\w+$")
_OWN_LINK = re.compile(r"(@(\w{1,64})) \(https://t\.me/\2\)|([^\s()@]{1,64}@[^\s()@]{1,99}) \(mailto:\3\)")
"""The address behind a mention or an address, which Telegram's JSON does not tell."""
_NUMBER = re.compile(r"(?<!\d)(\d{1,9})\.html$")


def _read_chat_pages(
    head: str,
    read_message: Callable[[HistoryBuilder, list[str], Block], ImportedMessage],
    files: Sequence[SourceFile],
    builder: HistoryBuilder,
) -> None:
    """Read the pages of each chat. The chat's title is in an element with the class `head`."""
    for folder in dict.fromkeys(file.folder for file in files):
        pages = [file for file in files if file.folder == folder]
        pages.sort(key=lambda file: int(found[1]) if (found := _NUMBER.search(file.path)) else 1)
        heads = (block for file in pages for block in iterate_blocks(file.text[:SAMPLED], head) if block.tag == "div")
        blocks = (block for file in pages for block in iterate_blocks(file.text, "message"))
        said = builder.read_messages(blocks, partial(read_message, builder, ["", ""]), folder)
        title = next(filter(None, (block.find_text("text") or block.get_text() for block in heads)), "")
        is_newest_first = bool(said) and said[0].created_at > said[-1].created_at  # as in VK
        builder.append_chat(said[::-1] if is_newest_first else said, title)
    builder.ask_which_speaker_is_user()


def _read_telegram_message(builder: HistoryBuilder, names: list[str], block: Block) -> ImportedMessage:
    """Read a message. `names` keeps the last sender and forwarded author, since a page does not repeat their names."""
    if "service" in block.classes:
        raise SkipElement("service")
    body = block.find("body") or block
    # A picture of who wrote it may stand before a forwarded text.
    original = next((part for part in body.find_all("forwarded") if "body" in part.classes), None)
    own = [part for part in body.parts if isinstance(part, Block) and part is not original]
    names[0] = next((name for part in own if "from_name" in part.classes and (name := _read_sender(part))), names[0])
    stamp = next((part.attributes.get("title", "") for part in own if "date" in part.classes), "")
    said_at = require_moment(stamp.strip(), ".date", builder.reading.zone)
    words = "\n".join(text for part in own if (text := _format_part(part)))
    if original:
        names[1] = _read_sender(named) if (named := original.find("from_name")) else names[1]
        inner = "\n".join(text for part in original.parts if isinstance(part, Block) and (text := _format_part(part)))
        words = format_forwarded_text(names[1], inner) if inner else ""
    if not words.strip():
        raise SkipElement("wordless")
    shown = [one.find("emoji") for part in own for one in part.find_all("reaction") if "paid" not in one.classes]
    # The text of a custom emoji, in a link, is a waving hand, whatever it shows.
    emoji = [{"emoji": "".join(text for text in one.parts if isinstance(text, str)).strip()} for one in shown if one]
    name = block.attributes.get("id", "").removeprefix("message")
    name, origin = hash_parts(name, stamp, names[0]), "forwarded" if original else "imported"
    return builder.make_message(name, "user", words.strip(), said_at, emoji, speaker=names[0], origin=origin)


def _format_part(part: Block) -> str:
    if "text" in part.classes:
        return _OWN_LINK.sub(r"\1\3", part.get_text())
    if "media_wrap" not in part.classes:
        return ""
    if found := part.find("media_poll"):
        answers = [(_read_line(answer), "chosen" in answer.find_text("details")) for answer in found.find_all("answer")]
        poll = format_poll(found.find_text("question"), [(text.removeprefix("- "), own) for text, own in answers])
        return poll.removeprefix("[Poll] ") if found.find_text("details").casefold() == "to-do list" else poll
    for kind, label in (("media_location", "Place"), ("media_venue", "Place"), ("media_contact", "Contact")):
        if found := part.find(kind):
            shown = [found.find_text(name) for name in ("title", "status")][kind == "media_location" :]
            return f"[{label}] {' '.join(shown).strip()}"
    return ""


def _read_line(block: Block) -> str:
    return " ".join(block.get_text(skip_class="details").split())


def _read_sender(block: Block) -> str:
    return _VIA.sub("", _read_line(block)).strip()


def _read_vk_message(builder: HistoryBuilder, _: list[str], block: Block) -> ImportedMessage:
    head = " ".join(block.find_text("message__header").split())
    if (found := _VK_HEAD.match(head)) is None:
        raise InvalidElement(".message__header")
    body = (part for part in block.parts if isinstance(part, Block) and "message__header" not in part.classes)
    words = "\n".join(part.get_text(skip_class="kludges") for part in body).strip()  # without what is attached
    if not words:
        raise SkipElement("wordless")
    said_at = require_moment(found["date"], ".date", builder.reading.zone)
    name = f"{block.attributes.get('data-id', '')}:{hash_parts(head)}"
    return builder.make_message(name, "user", words, said_at, speaker=found["name"])


_TELEGRAM = re.compile("page_wrap|from_name")
_PAGES = re.compile(r"\A[^/]*/messages[^/]*\.html")
FORMATS = (
    ImportFormat(
        name="telegram-html",
        product="Telegram",
        fits=lambda file: file.first_char == "<" and "message" in file.sample and bool(_TELEGRAM.search(file.sample)),
        read=partial(_read_chat_pages, "page_header", _read_telegram_message),
        members=_PAGES,
    ),
    ImportFormat(
        name="vk",
        product="VK",
        fits=lambda file: not file.is_json and "message__header" in file.sample and "vk.com" in file.sample,
        read=partial(_read_chat_pages, "ui_crumb", _read_vk_message),
        members=_PAGES,
    ),
)
