"""Telegram Desktop's export in HTML: messages.html, messages2.html, … → messages.

The pages name speakers, but no ids of theirs: who the person is has to be asked.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import tzinfo

from transfer.formats.conversations import Conversations, forwarded, moment_in, poll
from transfer.formats.history import (
    SAMPLED,
    ImportedHistory,
    ImportedMessage,
    ImportFormat,
    Reading,
    Sample,
    SourceFile,
    WrongElement,
    fingerprint,
    own_speaker,
    titled,
)
from transfer.formats.html_blocks import Block, blocks

_WRITTEN = ("%d.%m.%Y %H:%M:%S UTC%z", "%d.%m.%Y %H:%M:%S")
_NUMBER = re.compile(r"(?<!\d)(\d{1,9})\.html$")


def read(files: Sequence[SourceFile], reading: Reading) -> ImportedHistory:
    talks = Conversations("telegram-html")
    said: list[ImportedMessage] = []
    for folder in dict.fromkeys(_folder(file.path) for file in files):
        title, speaker = "", ""
        chat: list[ImportedMessage] = []
        for file in sorted((one for one in files if _folder(one.path) == folder), key=_page):
            title = title or next((one.text_of("text") for one in blocks(file.text[:SAMPLED], "page_header")), "")
            for number, block in enumerate(blocks(file.text, "message")):
                if "service" in block.classes:
                    talks.skipped["service"] += 1
                    continue
                with talks.each(f"{file.path}[{number}]"):
                    body = block.find("body") or block
                    original = body.find("forwarded")
                    own = [part for part in body.parts if isinstance(part, Block) and part is not original]
                    # A joined message has the speaker of the one before it.
                    speaker = next((part.text() for part in own if "from_name" in part.classes), "") or speaker
                    if made := _message(block.attributes.get("id", ""), own, original, speaker, reading.zone):
                        chat.append(made)
                    else:
                        talks.skipped["wordless"] += 1
        said += titled(chat, title)
    question, me = own_speaker(Counter(one.speaker for one in said if one.origin != "forwarded"), reading)
    talks.add([replace(one, is_own=one.origin == "forwarded" or one.speaker == me) for one in said])
    return talks.history(reading, questions=[question] if said else ())


def _folder(path: str) -> str:
    return path.rpartition("/")[0].rpartition("/")[2]


def _page(file: SourceFile) -> int:
    found = _NUMBER.search(file.path)
    return int(found[1]) if found else 1


def _message(
    name: str, own: Sequence[Block], original: Block | None, speaker: str, zone: tzinfo
) -> ImportedMessage | None:
    """`own`: its parts, but for the one that was forwarded, `original`."""
    stamp = next((part.attributes.get("title", "") for part in own if "date" in part.classes), "")
    words = "\n".join(text for part in own if (text := _words(part)))
    if original:
        title = original.text_of("from_name").splitlines()[:1]
        words = forwarded("".join(title).strip(), original.text_of("text")) if original.find("text") else ""
    if (said_at := moment_in(stamp.strip(), _WRITTEN, zone)) is None:
        raise WrongElement(".date")
    if not words.strip():
        return None
    return ImportedMessage(
        source=f"import:telegram-html:{fingerprint(name.removeprefix('message'), stamp, speaker)}",
        role="user",
        content=words.strip(),
        created_at=said_at,
        speaker=speaker,
        origin="forwarded" if original else "imported",
    )


def _words(part: Block) -> str:
    if "text" in part.classes:
        return part.text()
    if "media_wrap" in part.classes and (found := part.find("media_poll")):
        answers = [(one.text().removeprefix("- "), False) for one in found.each("answer")]
        return poll(found.text_of("question"), answers)
    return ""


def _fits(sample: Sample) -> bool:
    text = sample.text
    return text.lstrip()[:1] == "<" and "message" in text and ("page_wrap" in text or "from_name" in text)


FORMAT = ImportFormat(
    name="telegram-html",
    product="Telegram",
    fits=_fits,
    read=read,
    members=lambda _, name: name.startswith("messages") and name.endswith(".html"),
)
