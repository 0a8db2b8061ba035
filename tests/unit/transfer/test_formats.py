"""Files from elsewhere are read whatever they are called; what is wrong with one is said with its line or element."""

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


def sample(name: str) -> Any:
    return json.loads((FILES / name).read_text(encoding="utf-8"))


def of(value: Any) -> ImportedHistory:
    return parse_file(json.dumps(value, indent=1).encode(), ReadContext(person=ANNA))


def refused(data: bytes, *, most: int = MAX_UNPACKED_BYTES) -> str:
    with pytest.raises(ImportRefused) as error:
        parse_file(data, ReadContext(person=ANNA, name="x"), max_unpacked_bytes=most)
    return error.value.sentence


def zipped(**files: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/").replace("_json", ".json"), content)
    return made.getvalue()


def test_a_chat_of_telegram() -> None:
    """The importer is the user, others speak under their names; service messages and pictures are left out."""
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


def test_everything_of_telegram() -> None:
    """Every chat of a full export is read; a bot is the assistant of its chat; old dates have no zone."""
    past = parse_file((FILES / "telegram_everything.json").read_bytes(), ReadContext(person=ANNA))
    assert [(message.role, message.content, message.answers) for message in past.messages] == [
        ("user", "/dish with walnuts", False),
        ("assistant", "Walnut pasta needs 80 g of walnuts.", True),
        ("user", "Bike lock code 4417", False),
    ]
    assert past.messages[0].created_at == datetime(2020, 5, 1, 10, tzinfo=UTC)
    assert past.notes[0] == "Chats: 2 (Recipes Bot (2), Saved Messages (1))."


def test_who_is_not_in_a_chat_is_told() -> None:
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


def test_conversations_of_chatgpt() -> None:
    """The branch that was shown last, from the root on; what people never saw is left out; no time is the last one."""
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


def test_archives_are_unpacked() -> None:
    """ChatGPT's export is a zip, newer ones with the conversations in several files."""
    whole = (FILES / "chatgpt_conversations.json").read_bytes()
    halves = [json.dumps([load]).encode() for load in json.loads(whole)]
    assert (
        len(
            parse_file(zipped(export__conversations_json=whole, chat_html=b"<html>"), ReadContext(person=ANNA)).messages
        )
        == 4
    )
    assert (
        len(
            parse_file(
                zipped(**{"conversations-000_json": halves[0], "conversations-001_json": halves[1]}),
                ReadContext(person=ANNA),
            ).messages
        )
        == 4
    )
    assert len(parse_file(gzip.compress(whole), ReadContext(person=ANNA)).messages) == 4
    assert len(parse_file(b"\xef\xbb\xbf" + whole, ReadContext(person=ANNA)).messages) == 4


def test_an_archive_that_blows_up_is_refused() -> None:
    """It is measured while it is unpacked, whatever it says of itself."""
    blown = b"[" + b" " * 3_000_000 + b"]"
    for packed in (zipped(conversations_json=blown), gzip.compress(blown), blown):
        assert refused(packed, most=1_000_000).startswith("The file holds more than 1 MB")


def test_an_archive_of_very_many_files_is_refused_at_once() -> None:
    """Reading 40,000 took half a minute: what was unpacked so far was added up again for each."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for number in range(20_001):
            archive.writestr(f"conversations-{number}.json", b"[]")
    assert "more than 20,000 files" in refused(made.getvalue())
    several = {f"conversations-{number}_json": b"[]" for number in range(5_001)}
    assert "more than 5,000 files" in refused(zipped(**several))
    pictures = {f"picture-{number}_png": b"" for number in range(5_000)}
    whole = (FILES / "chatgpt_conversations.json").read_bytes()
    assert len(parse_file(zipped(conversations_json=whole, **pictures), ReadContext(person=ANNA)).messages) == 4


def test_half_a_surrogate_pair_is_no_reason_to_refuse_a_file() -> None:
    """Programs that cut text after so many UTF-16 units write such JSON; nothing of ours could store or send it."""
    telegram, chatgpt = sample("telegram_chat.json"), sample("chatgpt_conversations.json")
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
        past = of(value)
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
        (zipped(photo_png=b"x"), "seems to be an archive"),
        (b'[{"mapping": {}},\n\n {"mapping" 3}]', "not valid JSON: line 3, column 13."),
        (b'[{"mapping": {}}', "line 1, column 17."),
        (b'[{"mapping": NaN}]', "line 1, column 2."),
        (b"[1" + b"0" * 5000 + b"]", "line 1, column 2."),
        (b"[" * 100_000, "line 1, column 2."),
        (b'{"type": "personal_chat", "id": 1, "messages": []} x', "line 1, column 52."),
        (b'{"type": "personal_chat",\n"messages": "\xff"}', "not text in UTF-8: line 2"),
    ],
)
def test_what_is_no_json_is_refused_with_its_line(data: bytes, why: str) -> None:
    assert why in refused(data)


def test_a_wrong_message_of_telegram_is_named() -> None:
    for change, why in [
        ({"id": "x"}, "messages[2].id (line 33)"),
        ({"date_unixtime": "soon"}, "messages[2].date (line 33)"),
        ({"text": [3]}, "messages[2].text (line 33)"),
        ({"text": 3}, "messages[2].text (line 33)"),
    ]:
        chat = sample("telegram_chat.json")
        whole = len(of(chat).messages)
        chat["messages"][2].update(change)
        past = of(chat)
        assert why in past.notes[-1], change
        assert len(past.messages) == whole - 1, "all others come in"
        alone = json.dumps(chat | {"messages": chat["messages"][2:3]}, indent=1).encode()
        assert (
            f"{why.replace('2', '0', 1).partition(' (')[0]} (line 6) is missing, or not what belongs there"
            in refused(alone)
        )
    everything = sample("telegram_everything.json")
    everything["chats"]["list"][1]["messages"][0] = 7
    assert "chats.list[1].messages[0] (line " in of(everything).notes[-1]
    everything = sample("telegram_everything.json")
    everything["chats"]["list"][0]["id"] = "x"
    assert "damaged: 1. The first one: chats.list[0].id" in of(everything).notes[-1]
    assert of(everything).messages, "a damaged chat costs no other one"


def with_damage(path: tuple[str, ...], value: object) -> Any:
    talks = place = sample("chatgpt_conversations.json")
    place = talks[0]
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return talks


def test_a_damaged_conversation_of_chatgpt_is_left_out_and_named() -> None:
    """The others of its file come in; where it is the only one, the file is refused."""
    wrong: list[tuple[tuple[str, ...], object, str]] = [
        (("mapping",), [], "[0] “Trip to Lisbon”.mapping (line 2)"),
        (("mapping", "root-1", "parent"), "u-1", "[0] “Trip to Lisbon”['u-1'] (line 2)"),
    ]
    for path, value, why in wrong:
        talks = with_damage(path, value)
        past = of(talks)
        assert why in past.notes[-1]
        assert len(past.messages) == 1
        assert why in refused(json.dumps(talks[:1], indent=1).encode())


def test_a_damaged_message_of_chatgpt_is_left_out_and_named() -> None:
    whole = len(of(sample("chatgpt_conversations.json")).messages)
    wrong: list[tuple[tuple[str, ...], object, str]] = [
        (("author",), None, "“Trip to Lisbon”.mapping[1].author (line 2)"),
        (("create_time",), "now", "[1].create_time (line 2)"),
        (("content", "parts"), "x", "[1].content.parts (line 2)"),
    ]
    for path, value, why in wrong:
        past = of(with_damage(("mapping", "u-1", "message", *path), value))
        assert why in past.notes[-1]
        assert len(past.messages) == whole - 1, "all others come in"
    nameless = of(with_damage(("create_time",), "now"))
    assert len(nameless.messages) == whole, "messages say themselves when they were said"
    assert "“Trip to Lisbon”.create_time (line 2)" in nameless.notes[-1]


def test_a_conversation_without_a_current_node_is_read_by_its_newest_branch() -> None:
    talks = sample("chatgpt_conversations.json")
    for lost in (None, "nowhere"):
        talks[0]["current_node"] = lost
        assert len(of(talks).messages) == 4
    assert len(of(talks[0]).messages) == 3, "one conversation alone"


@pytest.mark.parametrize("name", ["id", "thread_id"])
@pytest.mark.parametrize("huge", [10**30, -(10**30)])
def test_an_id_that_no_store_could_hold_is_said(name: str, huge: int) -> None:
    row = {"id": 1, "role": "user", "content": "hi", "created_at": "2024-01-01", "thread_id": 0, name: huge}
    file = {"format": "keepsake-export", "version": 1, "owner": 5, "part": 2, "messages": [row]}
    assert f"messages[0].{name} (line 1)" in refused(json.dumps(file).encode())


@pytest.mark.parametrize("number", ["1e400", "1" * 5000, "-1e400"])
def test_numbers_out_of_all_bounds_are_said(number: str) -> None:
    telegram = '{"type": "personal_chat", "id": 1, "messages": [{"id": 1, "type": "message", "date_unixtime": %s}]}'
    gpt = '[{"title": "x", "create_time": %s, "mapping": {}}]'
    ours = '{"format": "keepsake-export", "version": %s, "owner": 5}'
    for file in (telegram, gpt, ours):
        assert refused((file % number).encode())
