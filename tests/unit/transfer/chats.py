"""Sample exports of chat apps (WhatsApp, Discord, Telegram) that all contain the same conversation."""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.unit.transfer.talk import (
    ME,
    OTHER,
    TALK,
    TOM,
    ExpectedMessage,
    SampleFile,
    as_json,
    page_text,
    register_variety,
    zip_files,
)

# WhatsApp ----------------------------------------------------------------------------------------------------------


def _make_whatsapp_file(
    head: Callable[[ExpectedMessage], str], *, noise: Callable[[ExpectedMessage], str] = lambda _: "", end: str = "\n"
) -> SampleFile:
    lines = []
    for line in TALK:
        lines += [noise(line)] if noise(line) else []
        lines.append(f"{head(line)}{line.text}")
    return SampleFile(data=end.join("\n".join(lines).split("\n")).encode(), answers={"speaker0": (0,)})


@register_variety("whatsapp")
def whatsapp_android() -> SampleFile:
    def head(one: ExpectedMessage) -> str:
        return f"{one.local:%d/%m/%Y, %H:%M} - {one.name}: "

    def noise(one: ExpectedMessage) -> str:
        at = f"{one.local:%d/%m/%Y, %H:%M} - "
        return f"{at}Messages are end-to-end encrypted.\n{at}{one.name}: <Media omitted>"

    return _make_whatsapp_file(head, noise=noise)


@register_variety("whatsapp")
def whatsapp_american() -> SampleFile:
    def head(one: ExpectedMessage) -> str:
        at = one.local
        return f"{at.month}/{at.day}/{at:%y}, {at.hour % 12 or 12}:{at:%M\u202f%p} - {one.name}: "

    return _make_whatsapp_file(head, end="\r\n")


@register_variety("whatsapp")
def whatsapp_german() -> SampleFile:
    def noise(one: ExpectedMessage) -> str:
        return f"{one.local:%d.%m.%y, %H:%M} - {one.name}: <Medien ausgeschlossen>"

    return _make_whatsapp_file(lambda line: f"{line.local:%d.%m.%y, %H:%M} - {line.name}: ", noise=noise)


@register_variety("whatsapp")
def whatsapp_ios() -> SampleFile:
    def noise(one: ExpectedMessage) -> str:
        return f"\u200e[{one.local:%d.%m.%y, %H:%M:%S}] {one.name}: \u200e<attached: 00000{one.number}-PHOTO.jpg>"

    made = _make_whatsapp_file(lambda line: f"[{line.local:%d.%m.%y, %H:%M:%S}] {line.name}: ", noise=noise)
    return SampleFile(data=zip_files({"_chat.txt": b"\xef\xbb\xbf" + made.data, "1.jpg": b"JPG"}), answers=made.answers)


@register_variety("whatsapp")
def whatsapp_arabic() -> SampleFile:
    """Return an Arabic WhatsApp chat, with Arabic digits, direction marks, and letters for AM and PM."""
    digits = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")

    def head(one: ExpectedMessage) -> str:
        at = one.local
        day = f"\u200f{at.day}\u200f/{at.month}\u200f/{at.year}، {at.hour % 12 or 12}:{at:%M}".translate(digits)
        return f"{day}\u00a0{'ص' if at.hour < 12 else 'م'} - {one.name}: "

    return _make_whatsapp_file(head)


@register_variety("whatsapp")
def whatsapp_year_first() -> SampleFile:
    return _make_whatsapp_file(lambda line: f"{line.local:%Y/%m/%d, %H:%M} - {line.name}: ")


# Discord -----------------------------------------------------------------------------------------------------------


def _list_discord_sources(talk: Sequence[ExpectedMessage] = TALK) -> list[str]:
    return [f"import:discord:{2**60 + line.number}" for line in talk]


def _make_discord_file(kinds: Sequence[str]) -> SampleFile:
    def one_message(one: ExpectedMessage, kind: object) -> dict[str, Any]:
        author = {"id": one.name, "name": one.name.lower(), "nickname": one.name, "isBot": False}
        made = {"id": str(2**60 + one.number), "type": kind, "timestamp": one.local.isoformat(), "content": one.text}
        return made | {"author": author, "attachments": [], "embeds": [], "reactions": []}

    messages: list[Any] = [one_message(line, kinds[line.number % len(kinds)]) for line in TALK]
    joined = one_message(TALK[0], "GuildMemberJoin") | {"id": "1", "content": "Joined the server."}
    picture = one_message(TALK[0], "Default") | {"id": "2", "content": "", "attachments": [{"fileName": "x.png"}]}
    whole = {"guild": {"id": "1"}, "channel": {"id": "2"}, "dateRange": {}, "messages": [joined, *messages, picture]}
    return SampleFile(
        data=as_json(whole | {"messageCount": 10}), sources=_list_discord_sources(), answers={"speaker0": (0,)}
    )


@register_variety("discord")
def discord_exporter() -> SampleFile:
    return _make_discord_file(["Default"])


@register_variety("discord")
def discord_exporter_with_replies() -> SampleFile:
    return _make_discord_file(["Default", "Reply"])


MINE = tuple(line for line in TALK if line.is_mine)


def _own_row(one: ExpectedMessage) -> dict[str, Any]:
    at = f"{one.at:%Y-%m-%d %H:%M:%S+00:00}"
    return {"ID": 2**60 + one.number, "Timestamp": at, "Contents": one.text, "Attachments": ""}


@register_variety("discord")
def discord_package() -> SampleFile:
    """Return a Discord data package with more than 200 channels, most of them empty."""
    empty = {f"Messages/c{number}/messages.json": "[]" for number in range(300)}
    talk = {f"Messages/c{9000 + line.number}/messages.json": as_json([_own_row(line)]) for line in MINE}
    more = {"Messages/index.json": "{}", "Account/user.json": "{}", "Activity/a.json": "{}"}
    return SampleFile(
        data=zip_files({**empty, **talk, **more}), sources=_list_discord_sources(MINE), expected_messages=MINE
    )


@register_variety("discord")
def discord_older_package() -> SampleFile:
    text = io.StringIO()
    rows = csv.DictWriter(text, ["ID", "Timestamp", "Contents", "Attachments"])
    rows.writeheader()
    rows.writerows(_own_row(line) for line in reversed(MINE))
    files = {"messages/c123/messages.csv": text.getvalue(), "messages/c123/channel.json": '{"id": "123"}'}
    return SampleFile(data=zip_files(files), sources=_list_discord_sources(MINE), expected_messages=MINE)


# Telegram ----------------------------------------------------------------------------------------------------------


def _make_telegram_message(one: ExpectedMessage, **more: Any) -> dict[str, Any]:
    made = {"id": one.number, "type": "message", "date": f"{one.local:%Y-%m-%dT%H:%M:%S}", "from": one.name}
    return made | {"from_id": f"user{ME if one.is_mine else OTHER}", "text": one.text, "text_entities": []} | more


def _make_telegram_chat(messages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {"name": TOM, "type": "personal_chat", "id": OTHER, "messages": list(messages)}


def _list_telegram_sources() -> list[str]:
    return [f"import:telegram:{OTHER}:{line.number}" for line in TALK]


@register_variety("telegram")
def telegram_chat() -> SampleFile:
    call = {"id": 900, "type": "service", "date": "2024-05-10T00:00:00", "action": "phone_call", "text": ""}
    picture = _make_telegram_message(TALK[0], id=901, text="", photo="(File not included.)")
    said = [_make_telegram_message(line, date_unixtime=str(int(line.at.timestamp()))) for line in TALK]
    return SampleFile(
        data=json.dumps(_make_telegram_chat([call, *said, picture]), indent=1).encode(),
        sources=_list_telegram_sources(),
    )


@register_variety("telegram")
def telegram_of_2020() -> SampleFile:
    """Return a Telegram export of 2020, with numeric sender ids, local dates, and edit dates in 1970."""
    said = [
        _make_telegram_message(line, from_id=2**32 + (ME if line.is_mine else OTHER), edited="1970-01-01T01:00:00")
        for line in TALK
    ]
    return SampleFile(data=as_json(_make_telegram_chat(said)), sources=_list_telegram_sources())


@register_variety("telegram")
def telegram_in_pieces() -> SampleFile:
    """Return a Telegram export with texts in pieces, and with Telegram's invalid JSON escape of a control character."""

    def pieces(one: ExpectedMessage) -> list[Any]:
        middle = len(one.text) // 2
        return [one.text[:middle], {"type": "bold", "text": one.text[middle:]}]

    said = [_make_telegram_message(line, text=pieces(line), via_bot="\x0b") for line in TALK]
    return SampleFile(
        data=as_json(_make_telegram_chat(said)).replace(b"\\u000b", b"\\x0b"), sources=_list_telegram_sources()
    )


@register_variety("telegram")
def telegram_account() -> SampleFile:
    channel = {"name": "News", "type": "public_channel", "id": 5, "messages": [_make_telegram_message(TALK[0])]}
    chats = {"about": "x", "list": [channel, _make_telegram_chat([_make_telegram_message(line) for line in TALK])]}
    contacts = {"about": "x", "list": [{"first_name": TOM}]}
    left = {"about": "x", "list": [channel | {"id": 6, "name": "Left", "type": "private_group"}]}
    whole = {"about": "x", "personal_information": {}, "contacts": contacts, "chats": chats, "left_chats": left}
    return SampleFile(data=as_json(whole), sources=_list_telegram_sources(), answers={"chats0": (0,)})


# Telegram in HTML --------------------------------------------------------------------------------------------------


def _make_telegram_page(talk: Sequence[ExpectedMessage], zone: str, *, joined: bool = False) -> str:
    blocks = ['<div class="message service" id="message-1"><div class="body details">10 May 2024</div></div>']
    for line in talk:
        name = f'<div class="from_name">{line.name} </div>'
        at = f"{line.local:%d.%m.%Y %H:%M:%S}{zone}"
        words = f'<div class="text">{page_text(line.text)}</div>'
        body = f'<div class="pull_right date details" title="{at}">x</div>{name}{words}'
        media = f'<div class="pull_right date details" title="{at}">x</div><div class="media_wrap clearfix"></div>'
        head = "message default clearfix"
        blocks.append(f'<div class="{head}" id="message{line.number}"><div class="body">{body}</div></div>')
        if joined:  # a picture of the same person
            blocks.append(
                f'<div class="{head} joined" id="message9{line.number}"><div class="body">{media}</div></div>'
            )
    return f'<html><body><div class="page_wrap"><div class="history">{"".join(blocks)}</div></div></body></html>'


@register_variety("telegram-html")
def telegram_page() -> SampleFile:
    return SampleFile(data=_make_telegram_page(TALK, " UTC+02:00").encode(), answers={"speaker0": (0,)})


@register_variety("telegram-html")
def telegram_page_of_older_versions() -> SampleFile:
    return SampleFile(data=_make_telegram_page(TALK, "").encode(), answers={"speaker0": (0,)})


@register_variety("telegram-html")
def telegram_page_with_joined_ones() -> SampleFile:
    files = {
        "ChatExport/messages.html": _make_telegram_page(TALK, " UTC+02:00", joined=True),
        "ChatExport/css/style.css": "",
    }
    return SampleFile(data=zip_files(files), answers={"speaker0": (0,)})


@register_variety("telegram-html")
def telegram_pages() -> SampleFile:
    """Return eleven pages of a Telegram export, whose alphabetical order differs from that of their numbers."""
    first = {"ChatExport/messages.html": _make_telegram_page(TALK[:1], "")}
    later = {f"ChatExport/messages{n}.html": _make_telegram_page(TALK[n - 1 : n], "") for n in range(2, 12)}
    return SampleFile(data=zip_files(first | later), answers={"speaker0": (0,)})
