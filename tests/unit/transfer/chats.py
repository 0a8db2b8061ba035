"""The talk as chats among people have it: WhatsApp, Discord, Telegram, with the noise of their kind."""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.unit.transfer.talk import ME, OTHER, TALK, TOM, Said, Written, as_json, page_text, variety, zipped

# WhatsApp ----------------------------------------------------------------------------------------------------------


def _whatsapp(head: Callable[[Said], str], *, noise: Callable[[Said], str] = lambda _: "", end: str = "\n") -> Written:
    lines = []
    for line in TALK:
        lines += [noise(line)] if noise(line) else []
        lines.append(f"{head(line)}{line.text}")
    return Written(data=end.join("\n".join(lines).split("\n")).encode(), answers={"speaker0": (0,)})


@variety("whatsapp")
def whatsapp_android() -> Written:
    def head(one: Said) -> str:
        return f"{one.local:%d/%m/%Y, %H:%M} - {one.name}: "

    def noise(one: Said) -> str:
        at = f"{one.local:%d/%m/%Y, %H:%M} - "
        return f"{at}Messages are end-to-end encrypted.\n{at}{one.name}: <Media omitted>"

    return _whatsapp(head, noise=noise)


@variety("whatsapp")
def whatsapp_american() -> Written:
    def head(one: Said) -> str:
        at = one.local
        return f"{at.month}/{at.day}/{at:%y}, {at.hour % 12 or 12}:{at:%M\u202f%p} - {one.name}: "

    return _whatsapp(head, end="\r\n")


@variety("whatsapp")
def whatsapp_german() -> Written:
    def noise(one: Said) -> str:
        return f"{one.local:%d.%m.%y, %H:%M} - {one.name}: <Medien ausgeschlossen>"

    return _whatsapp(lambda line: f"{line.local:%d.%m.%y, %H:%M} - {line.name}: ", noise=noise)


@variety("whatsapp")
def whatsapp_ios() -> Written:
    def noise(one: Said) -> str:
        return f"\u200e[{one.local:%d.%m.%y, %H:%M:%S}] {one.name}: \u200e<attached: 00000{one.number}-PHOTO.jpg>"

    made = _whatsapp(lambda line: f"[{line.local:%d.%m.%y, %H:%M:%S}] {line.name}: ", noise=noise)
    return Written(data=zipped({"_chat.txt": b"\xef\xbb\xbf" + made.data, "1.jpg": b"JPG"}), answers=made.answers)


@variety("whatsapp")
def whatsapp_arabic() -> Written:
    """Digits of its own, marks of direction around them, and letters for before and after noon."""
    digits = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")

    def head(one: Said) -> str:
        at = one.local
        day = f"\u200f{at.day}\u200f/{at.month}\u200f/{at.year}، {at.hour % 12 or 12}:{at:%M}".translate(digits)
        return f"{day}\u00a0{'ص' if at.hour < 12 else 'م'} - {one.name}: "

    return _whatsapp(head)


@variety("whatsapp")
def whatsapp_year_first() -> Written:
    return _whatsapp(lambda line: f"{line.local:%Y/%m/%d, %H:%M} - {line.name}: ")


# Discord -----------------------------------------------------------------------------------------------------------


def _discord_sources(talk: Sequence[Said] = TALK) -> list[str]:
    return [f"import:discord:{2**60 + line.number}" for line in talk]


def _discord(kinds: Sequence[str]) -> Written:
    def one_message(one: Said, kind: object) -> dict[str, Any]:
        author = {"id": one.name, "name": one.name.lower(), "nickname": one.name, "isBot": False}
        made = {"id": str(2**60 + one.number), "type": kind, "timestamp": one.local.isoformat(), "content": one.text}
        return made | {"author": author, "attachments": [], "embeds": [], "reactions": []}

    messages: list[Any] = [one_message(line, kinds[line.number % len(kinds)]) for line in TALK]
    joined = one_message(TALK[0], "GuildMemberJoin") | {"id": "1", "content": "Joined the server."}
    picture = one_message(TALK[0], "Default") | {"id": "2", "content": "", "attachments": [{"fileName": "x.png"}]}
    whole = {"guild": {"id": "1"}, "channel": {"id": "2"}, "dateRange": {}, "messages": [joined, *messages, picture]}
    return Written(data=as_json(whole | {"messageCount": 10}), sources=_discord_sources(), answers={"speaker0": (0,)})


@variety("discord")
def discord_exporter() -> Written:
    return _discord(["Default"])


@variety("discord")
def discord_exporter_with_replies() -> Written:
    return _discord(["Default", "Reply"])


MINE = tuple(line for line in TALK if line.is_mine)


def _own_row(one: Said) -> dict[str, Any]:
    at = f"{one.at:%Y-%m-%d %H:%M:%S+00:00}"
    return {"ID": 2**60 + one.number, "Timestamp": at, "Contents": one.text, "Attachments": ""}


@variety("discord")
def discord_package() -> Written:
    """Of more than 200 channels."""
    empty = {f"Messages/c{number}/messages.json": "[]" for number in range(300)}
    talk = {f"Messages/c{9000 + line.number}/messages.json": as_json([_own_row(line)]) for line in MINE}
    more = {"Messages/index.json": "{}", "Account/user.json": "{}", "Activity/a.json": "{}"}
    return Written(data=zipped({**empty, **talk, **more}), sources=_discord_sources(MINE), taken=MINE)


@variety("discord")
def discord_older_package() -> Written:
    text = io.StringIO()
    rows = csv.DictWriter(text, ["ID", "Timestamp", "Contents", "Attachments"])
    rows.writeheader()
    rows.writerows(_own_row(line) for line in reversed(MINE))
    files = {"messages/c123/messages.csv": text.getvalue(), "messages/c123/channel.json": '{"id": "123"}'}
    return Written(data=zipped(files), sources=_discord_sources(MINE), taken=MINE)


# Telegram ----------------------------------------------------------------------------------------------------------


def _telegram_message(one: Said, **more: Any) -> dict[str, Any]:
    made = {"id": one.number, "type": "message", "date": f"{one.local:%Y-%m-%dT%H:%M:%S}", "from": one.name}
    return made | {"from_id": f"user{ME if one.is_mine else OTHER}", "text": one.text, "text_entities": []} | more


def _telegram(messages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {"name": TOM, "type": "personal_chat", "id": OTHER, "messages": list(messages)}


def _telegram_sources() -> list[str]:
    return [f"import:telegram:{OTHER}:{line.number}" for line in TALK]


@variety("telegram")
def telegram_chat() -> Written:
    call = {"id": 900, "type": "service", "date": "2024-05-10T00:00:00", "action": "phone_call", "text": ""}
    picture = _telegram_message(TALK[0], id=901, text="", photo="(File not included.)")
    said = [_telegram_message(line, date_unixtime=str(int(line.at.timestamp()))) for line in TALK]
    return Written(data=json.dumps(_telegram([call, *said, picture]), indent=1).encode(), sources=_telegram_sources())


@variety("telegram")
def telegram_of_2020() -> Written:
    """Senders as bare numbers, dates of the person's zone, and each edited in 1970."""
    said = [
        _telegram_message(line, from_id=2**32 + (ME if line.is_mine else OTHER), edited="1970-01-01T01:00:00")
        for line in TALK
    ]
    return Written(data=as_json(_telegram(said)), sources=_telegram_sources())


@variety("telegram")
def telegram_in_pieces() -> Written:
    """Texts in pieces, and a control character as Telegram writes it, which is no JSON."""

    def pieces(one: Said) -> list[Any]:
        middle = len(one.text) // 2
        return [one.text[:middle], {"type": "bold", "text": one.text[middle:]}]

    said = [_telegram_message(line, text=pieces(line), via_bot="\x0b") for line in TALK]
    return Written(data=as_json(_telegram(said)).replace(b"\\u000b", b"\\x0b"), sources=_telegram_sources())


@variety("telegram")
def telegram_account() -> Written:
    channel = {"name": "News", "type": "public_channel", "id": 5, "messages": [_telegram_message(TALK[0])]}
    chats = {"about": "x", "list": [channel, _telegram([_telegram_message(line) for line in TALK])]}
    contacts = {"about": "x", "list": [{"first_name": TOM}]}
    left = {"about": "x", "list": [channel | {"id": 6, "name": "Left", "type": "private_group"}]}
    whole = {"about": "x", "personal_information": {}, "contacts": contacts, "chats": chats, "left_chats": left}
    return Written(data=as_json(whole), sources=_telegram_sources(), answers={"chats0": (0,)})


# Telegram in HTML --------------------------------------------------------------------------------------------------


def _telegram_page(talk: Sequence[Said], zone: str, *, joined: bool = False) -> str:
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


@variety("telegram-html")
def telegram_page() -> Written:
    return Written(data=_telegram_page(TALK, " UTC+02:00").encode(), answers={"speaker0": (0,)})


@variety("telegram-html")
def telegram_page_of_older_versions() -> Written:
    return Written(data=_telegram_page(TALK, "").encode(), answers={"speaker0": (0,)})


@variety("telegram-html")
def telegram_page_with_joined_ones() -> Written:
    files = {
        "ChatExport/messages.html": _telegram_page(TALK, " UTC+02:00", joined=True),
        "ChatExport/css/style.css": "",
    }
    return Written(data=zipped(files), answers={"speaker0": (0,)})


@variety("telegram-html")
def telegram_pages() -> Written:
    """Eleven, in the order of their numbers, not of the alphabet."""
    first = {"ChatExport/messages.html": _telegram_page(TALK[:1], "")}
    later = {f"ChatExport/messages{n}.html": _telegram_page(TALK[n - 1 : n], "") for n in range(2, 12)}
    return Written(data=zipped(first | later), answers={"speaker0": (0,)})
