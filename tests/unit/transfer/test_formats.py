"""Formats are detected by content, not by file name. Errors name the line or element."""

import gzip
import io
import json
import zipfile
from datetime import UTC, datetime
from typing import Any

import pytest

from records.errors import ImportRefused
from tests.paths import EXPORTS as FILES
from transfer.formats.detection import MAX_UNPACKED_BYTES, parse_file
from transfer.formats.history import ImportedHistory, ReadContext

ANNA = 1001


def load_sample(name: str) -> Any:
    return json.loads((FILES / name).read_text(encoding="utf-8"))


def parse_json(value: Any) -> ImportedHistory:
    return parse_file(json.dumps(value, indent=1).encode(), ReadContext(person=ANNA))


def get_refusal(data: bytes, *, most: int = MAX_UNPACKED_BYTES) -> str:
    with pytest.raises(ImportRefused) as error:
        parse_file(data, ReadContext(person=ANNA, name="x"), max_unpacked_bytes=most)
    return error.value.sentence


def zip_files(**files: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/").replace("_json", ".json"), content)
    return made.getvalue()


def test_reads_telegram_chat_without_service_messages_and_pictures() -> None:
    """Other speakers keep their names. Service messages and pictures are skipped and counted in the notes."""
    past = parse_file((FILES / "telegram_chat.json").read_bytes(), ReadContext(person=ANNA))
    assert past.format == "telegram"
    assert [(message.role, message.speaker, message.origin) for message in past.messages] == [
        ("user", "Anna Berg", "imported"),
        ("user", "Maria Lopez", "imported"),
        ("user", "Anna Berg", "forwarded"),
        ("user", "Deleted account", "imported"),
    ]
    first, second, forwarded, _ = past.messages
    assert first.source == "import:telegram:700200300:2102"
    assert first.created_at == datetime(2023, 4, 2, 10, 0, 5, tzinfo=UTC)
    assert second.content == "¡Genial! The key is with @jonas_keys, see the map (https://example.org/map)."
    assert forwarded.content.startswith("[Forwarded from Swiss Railways]\nTrack works")
    assert past.notes == (
        "Left out, without words (pictures, voice, files): 1.",
        "Left out, of the app itself (calls, pins, joins): 1.",
    )


def test_reads_every_chat_of_full_telegram_export() -> None:
    """A bot is the assistant of its chat. Dates of old exports have no time zone."""
    past = parse_file((FILES / "telegram_everything.json").read_bytes(), ReadContext(person=ANNA))
    assert [(message.role, message.content, message.answers) for message in past.messages] == [
        ("user", "/dish with walnuts", False),
        ("assistant", "Walnut pasta needs 80 g of walnuts.", True),
        ("user", "Bike lock code 4417", False),
    ]
    assert past.messages[0].created_at == datetime(2020, 5, 1, 10, tzinfo=UTC)
    assert past.notes[0] == "Chats: 2 (Recipes Bot (2), Saved Messages (1))."


def test_asks_for_speaker_when_importer_is_not_in_telegram_chat() -> None:
    past = parse_file((FILES / "telegram_chat.json").read_bytes(), ReadContext(person=5))
    assert past.notes[0] == "None of its messages is yours (your Telegram id is 5)."
    [who] = past.questions
    assert who.can_be_answered_later, "a chat of others may be meant"
    maria = next(number for number, option in enumerate(who.options) if "Maria" in option)
    theirs = parse_file(
        (FILES / "telegram_chat.json").read_bytes(), ReadContext(person=5, answers={"speaker0": (maria,)})
    )
    own = [message for message in theirs.messages if message.is_own and message.origin != "forwarded"]
    assert [message.speaker for message in own] == ["Maria Lopez"]


def test_chatgpt_reads_last_shown_branch_without_hidden_messages() -> None:
    """Hidden messages are skipped. A message without a time gets the time of the one before it."""
    past = parse_file((FILES / "chatgpt_conversations.json").read_bytes(), ReadContext(person=ANNA))
    assert past.format == "chatgpt"
    assert [(message.role, message.content) for message in past.messages] == [
        ("user", "我对花生过敏"),
        ("user", "We fly to Lisbon on 3 June 2024. What should we see?"),
        ("assistant", "See the Alfama quarter and ride tram 28."),
        ("user", "This is our hotel, near the river."),
    ]
    assert past.messages[1].source == "import:chatgpt:u-1"
    assert past.messages[3].created_at == past.messages[2].created_at
    assert past.messages[0].created_at == datetime.fromtimestamp(1700000010, UTC)


def test_reads_zip_gzip_and_json_with_byte_order_mark() -> None:
    """ChatGPT exports a zip archive. Newer archives split the conversations into several files."""
    whole = (FILES / "chatgpt_conversations.json").read_bytes()
    halves = [json.dumps([load]).encode() for load in json.loads(whole)]
    assert (
        len(
            parse_file(
                zip_files(export__conversations_json=whole, chat_html=b"<html>"), ReadContext(person=ANNA)
            ).messages
        )
        == 4
    )
    assert (
        len(
            parse_file(
                zip_files(**{"conversations-000_json": halves[0], "conversations-001_json": halves[1]}),
                ReadContext(person=ANNA),
            ).messages
        )
        == 4
    )
    assert len(parse_file(gzip.compress(whole), ReadContext(person=ANNA)).messages) == 4
    assert len(parse_file(b"\xef\xbb\xbf" + whole, ReadContext(person=ANNA)).messages) == 4


def test_rejects_file_above_unpacked_size_limit() -> None:
    """The size is measured while unpacking, because sizes in archive headers cannot be trusted."""
    blown = b"[" + b" " * 3_000_000 + b"]"
    for packed in (zip_files(conversations_json=blown), gzip.compress(blown), blown):
        assert get_refusal(packed, most=1_000_000).startswith("The file holds more than 1 MB")


def test_rejects_archive_with_too_many_files() -> None:
    """Reading 40,000 files once took half a minute, because the unpacked size was summed up again for each file."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for number in range(20_001):
            archive.writestr(f"conversations-{number}.json", b"[]")
    assert "more than 20,000 files" in get_refusal(made.getvalue())
    several = {f"conversations-{number}_json": b"[]" for number in range(5_001)}
    assert "more than 5,000 files" in get_refusal(zip_files(**several))
    pictures = {f"picture-{number}_png": b"" for number in range(5_000)}
    whole = (FILES / "chatgpt_conversations.json").read_bytes()
    assert len(parse_file(zip_files(conversations_json=whole, **pictures), ReadContext(person=ANNA)).messages) == 4


def test_replaces_lone_surrogates() -> None:
    """Programs that truncate text by UTF-16 units write such JSON. Lone surrogates cannot be stored or sent."""
    telegram, chatgpt = load_sample("telegram_chat.json"), load_sample("chatgpt_conversations.json")
    telegram["name"] = "Half \ud83d"
    for message in telegram["messages"]:
        if message.get("type") == "message":
            message["text"], message["from"] = "walnuts \ud83d", "Anna \ude00"
    for talk in chatgpt:
        for node in talk["mapping"].values():
            if node.get("message") and (parts := node["message"]["content"].get("parts")):
                node["message"]["content"]["parts"] = [
                    f"{part} \ud83d" if isinstance(part, str) else part for part in parts
                ]
                node["message"]["id"] = f"{node['message'].get('id')}\ud83d"
    for value in (telegram, chatgpt):
        past = parse_json(value)
        assert past.messages
        assert any("\ufffd" in message.content for message in past.messages)
        for stored in past.messages:
            f"{stored.content}{stored.speaker}{stored.source}{past.notes}".encode()


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "empty"),
        (b"Hello", "seems to be plain text"),
        (b'{"hello": 1}', "seems to be data in JSON"),
        (b"PK\x03\x04nonsense", "damaged or locked"),
        (b"\x1f\x8bnonsense", "damaged or locked"),
        (zip_files(photo_png=b"x"), "seems to be an archive"),
        (b'[{"mapping": {}},\n\n {"mapping" 3}]', "not valid JSON: line 3, column 13."),
        (b'[{"mapping": {}}', "line 1, column 17."),
        (b'[{"mapping": NaN}]', "line 1, column 2."),
        (b"[1" + b"0" * 5000 + b"]", "line 1, column 2."),
        (b"[" * 100_000, "line 1, column 2."),
        (b'{"type": "personal_chat", "id": 1, "messages": []} x', "line 1, column 52."),
        (b'{"type": "personal_chat",\n"messages": "\xff"}', "not text in UTF-8: line 2"),
    ],
)
def test_rejects_unreadable_file_with_reason(data: bytes, why: str) -> None:
    assert why in get_refusal(data)


def test_skips_and_reports_damaged_telegram_message() -> None:
    for change, why in [
        ({"id": "x"}, "messages[2].id (line 33)"),
        ({"date_unixtime": "soon"}, "messages[2].date (line 33)"),
        ({"text": [3]}, "messages[2].text (line 33)"),
        ({"text": 3}, "messages[2].text (line 33)"),
    ]:
        chat = load_sample("telegram_chat.json")
        whole = len(parse_json(chat).messages)
        chat["messages"][2].update(change)
        past = parse_json(chat)
        assert why in past.notes[-1], change
        assert len(past.messages) == whole - 1, "all others come in"
        alone = json.dumps(chat | {"messages": chat["messages"][2:3]}, indent=1).encode()
        assert (
            f"{why.replace('2', '0', 1).partition(' (')[0]} (line 6) is missing, or not what belongs there"
            in get_refusal(alone)
        )
    everything = load_sample("telegram_everything.json")
    everything["chats"]["list"][1]["messages"][0] = 7
    assert "chats.list[1].messages[0] (line " in parse_json(everything).notes[-1]
    everything = load_sample("telegram_everything.json")
    everything["chats"]["list"][0]["id"] = "x"
    assert "damaged: 1. The first one: chats.list[0].id" in parse_json(everything).notes[-1]
    assert parse_json(everything).messages, "a damaged chat costs no other one"


def with_damage(path: tuple[str, ...], value: object) -> Any:
    talks = place = load_sample("chatgpt_conversations.json")
    place = talks[0]
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return talks


def test_skips_and_reports_damaged_chatgpt_conversation() -> None:
    """Other conversations of the file are imported. A file with no other conversation is refused."""
    wrong: list[tuple[tuple[str, ...], object, str]] = [
        (("mapping",), [], "[0] “Trip to Lisbon”.mapping (line 2)"),
        (("mapping", "root-1", "parent"), "u-1", "[0] “Trip to Lisbon”['u-1'] (line 2)"),
    ]
    for path, value, why in wrong:
        talks = with_damage(path, value)
        past = parse_json(talks)
        assert why in past.notes[-1]
        assert len(past.messages) == 1
        assert why in get_refusal(json.dumps(talks[:1], indent=1).encode())


def test_skips_and_reports_damaged_chatgpt_message() -> None:
    whole = len(parse_json(load_sample("chatgpt_conversations.json")).messages)
    wrong: list[tuple[tuple[str, ...], object, str]] = [
        (("author",), None, "“Trip to Lisbon”.mapping[1].author (line 2)"),
        (("create_time",), "now", "[1].create_time (line 2)"),
        (("content", "parts"), "x", "[1].content.parts (line 2)"),
    ]
    for path, value, why in wrong:
        past = parse_json(with_damage(("mapping", "u-1", "message", *path), value))
        assert why in past.notes[-1]
        assert len(past.messages) == whole - 1, "all others come in"
    nameless = parse_json(with_damage(("create_time",), "now"))
    assert len(nameless.messages) == whole, "messages say themselves when they were said"
    assert "“Trip to Lisbon”.create_time (line 2)" in nameless.notes[-1]


def test_chatgpt_without_current_node_reads_newest_branch() -> None:
    talks = load_sample("chatgpt_conversations.json")
    for lost in (None, "nowhere"):
        talks[0]["current_node"] = lost
        assert len(parse_json(talks).messages) == 4
    assert len(parse_json(talks[0]).messages) == 3, "one conversation alone"


@pytest.mark.parametrize("name", ["id", "thread_id"])
@pytest.mark.parametrize("huge", [10**30, -(10**30)])
def test_rejects_export_with_id_out_of_range(name: str, huge: int) -> None:
    row = {"id": 1, "role": "user", "content": "hi", "created_at": "2024-01-01", "thread_id": 0, name: huge}
    file = {"format": "keepsake-export", "version": 1, "owner": 5, "part": 2, "messages": [row]}
    assert f"messages[0].{name} (line 1)" in get_refusal(json.dumps(file).encode())


@pytest.mark.parametrize("number", ["1e400", "1" * 5000, "-1e400"])
def test_rejects_file_with_number_out_of_range(number: str) -> None:
    telegram = '{"type": "personal_chat", "id": 1, "messages": [{"id": 1, "type": "message", "date_unixtime": %s}]}'
    gpt = '[{"title": "x", "create_time": %s, "mapping": {}}]'
    ours = '{"format": "keepsake-export", "version": %s, "owner": 5}'
    for file in (telegram, gpt, ours):
        assert get_refusal((file % number).encode())
