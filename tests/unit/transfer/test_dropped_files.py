"""Files as people drop them in: packed with other things, of one temporary chat, with headings in any language."""

import json
import struct
from datetime import UTC, datetime
from typing import Any

import pytest

from records.errors import ImportRefused
from tests.unit.transfer.talk import zip_files
from tests.unit.transfer.test_exporters import TURNS, pack
from tests.unit.transfer.test_real_shapes import WALNUTS, list_texts, read_history

QUESTION, ANSWER = WALNUTS
TALK = json.dumps([{"role": "user", "content": QUESTION}, {"role": "assistant", "content": ANSWER}]).encode()
APPLE_DOUBLE = struct.pack(">II16sH", 0x00051607, 0x00020000, b"Mac OS X        ", 2) + bytes(80)
LOCKED = b"PK\x03\x04" + bytes(60)


@pytest.mark.parametrize("outer", ["x.zip", "x.tgz"])
@pytest.mark.parametrize("beside", ["._chat.json", "a/._chat.json", "__MACOSX/._chat.json", ".DS_Store"])
def test_ignores_what_macos_adds_to_archives(outer: str, beside: str) -> None:
    assert list_texts(read_history(pack(outer, {beside: APPLE_DOUBLE, "chat.json": TALK}), outer)) == WALNUTS


@pytest.mark.parametrize("inner", ["chats.tgz", "chats.zip", "chats.tar.gz"])
@pytest.mark.parametrize("beside", ["README.txt", "index.html", "list.csv"])
def test_unpacks_archive_beside_files_that_hold_no_talk(inner: str, beside: str) -> None:
    about = {"README.txt": b"My chats of May", "index.html": b"<html>See the files", "list.csv": b"name,size\na,1\n"}
    files = {beside: about[beside], inner: pack(inner, {"chat.json": TALK})}
    assert list_texts(read_history(pack("x.tgz", files), "x.tgz")) == WALNUTS


def test_reads_talk_beside_a_locked_archive() -> None:
    assert list_texts(read_history(zip_files({"talk.json": TALK, "files/secret.zip": LOCKED}), "x.zip")) == WALNUTS


def test_refuses_locked_archive_alone() -> None:
    with pytest.raises(ImportRefused, match="damaged or locked"):
        read_history(zip_files({"secret.zip": LOCKED}), "x.zip")


def make_chatgpt_conversation(**more: Any) -> dict[str, Any]:
    def make_node(role: str, words: str, parent: str | None) -> dict[str, Any]:
        content = {"content_type": "text", "parts": [words]}
        return {"parent": parent, "message": {"id": role, "author": {"role": role}, "content": content}}

    nodes = {"user": make_node("user", QUESTION, None), "assistant": make_node("assistant", ANSWER, "user")}
    return {"title": "W", "create_time": 1714557600, "mapping": nodes, "current_node": "assistant", **more}


@pytest.mark.parametrize("wrapper", ["", "data"])
def test_leaves_out_and_counts_a_temporary_chat_that_is_alone(wrapper: str) -> None:
    conversations = [make_chatgpt_conversation(is_do_not_remember=True)]
    history = read_history({"note": "x" * 30_000, wrapper: conversations} if wrapper else conversations)
    assert not history.messages
    assert any("temporary" in note for note in history.notes)


@pytest.mark.parametrize(
    "data",
    [
        {"data": {"results": [{"memory": "Likes walnuts"}, {"memory": "Has a boat"}]}},
        {"anna": [{"memory": "Likes walnuts"}], "tom": [{"memory": "Has a boat"}]},
        '{"id": "1", "memory": "Likes walnuts", "hash": "h"}\n{"id": "2", "memory": "Has a boat", "hash": "i"}\n',
        '{"memory": "Likes walnuts"}\n{"memory": "Has a boat"}\n{"memory": "cut',
    ],
    ids=["wrapped twice", "by person", "JSON lines", "a damaged line"],
)
def test_offers_memories_of_mem0_wherever_they_are_listed(data: object) -> None:
    [question] = read_history(data).questions
    assert question.options == ("Likes walnuts", "Has a boat")


def test_values_called_memory_are_no_memories_outside_lists() -> None:
    with pytest.raises(ImportRefused):
        read_history({"spec": {"containers": [{"name": "a", "resources": {"limits": {"memory": "512Mi"}}}]}})


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("Dijiste:", "ChatGPT dijo:"),
        ("**Hai detto:**", "**ChatGPT ha detto:**"),
        ("##### Powiedziałeś(-aś):", "##### ChatGPT powiedział:"),
        ("**Jij:**", "**Claude:**"),
        ("#### Tú dijiste:", "#### ChatGPT dijo:"),
        ("## Turn {0}: User", "## Turn {0}: Assistant"),
        ("## #{0} User", "## #{0} Assistant"),
    ],
)
def test_an_assistants_name_tells_who_asks_in_any_language(asked: str, answered: str) -> None:
    """As the page of ChatGPT names the two sides, and as exporters do."""
    marked = (f"{(asked, answered)[n % 2].format(n // 2 + 1)}\n\n{words}" for n, words in enumerate(TURNS))
    history = read_history("\n\n".join(marked) + "\n", "chat.md")
    assert [(said.role, said.content) for said in history.messages] == [
        ("user" if n % 2 == 0 else "assistant", words) for n, words in enumerate(TURNS)
    ]


@pytest.mark.parametrize(
    "document",
    [
        "## 1.1\n\n### Core\n\n- a\n\n### Claude\n\n- b\n\n## 1.0\n\n### Core\n\n- c\n\n### Claude\n\n- d",
        "Pricing: see\nChatGPT: 20\nPricing: see\nChatGPT: 25",
        "**Price:**\n20\n**ChatGPT:**\ngood\n**Price:**\n21\n**Gemini:**\ngood",
        "[user]\nname = Anna\n\n[model]\nname = small",
    ],
    ids=["changelog", "table", "comparison", "settings"],
)
def test_rejects_document_that_only_names_assistants(document: str) -> None:
    with pytest.raises(ImportRefused):
        read_history(f"# Notes\n\n{document}\n", "notes.md")


@pytest.mark.parametrize(
    "heading",
    [
        "## {0} | {1}",
        "**{0}** at {1}",
        "## {0}, {1}",
        "## {0} on {2}",
        "### {0} - {2}",
        "**{0}** — {1}",
        "## [{1}] {0}",
    ],
)
def test_reads_date_behind_a_heading_in_the_ways_of_exporters(heading: str) -> None:
    sides = (("User", "2025-11-21 18:09:01", "Nov 21, 2025, 6:09:01 PM", QUESTION),
             ("Assistant", "2025-11-21 18:09:05", "Nov 21, 2025, 6:09:05 PM", ANSWER))  # fmt: skip
    said = read_history("\n\n".join(f"{heading.format(*side)}\n\n{side[3]}" for side in sides), "chat.md").messages
    assert [message.content for message in said] == WALNUTS
    assert [message.created_at.replace(tzinfo=None) for message in said] == [
        datetime.fromisoformat(side[1]) for side in sides
    ]


def test_reads_copied_page_whose_first_question_has_no_heading() -> None:
    copied = f"CORS error\nen xampp\nChatGPT dijo:\n{ANSWER}\nDijiste:\nsi agregalo\n\n\nChatGPT dijo:\nListo\n"
    history = read_history(copied, "chat.txt")
    assert [(said.role, said.content) for said in history.messages] == [
        ("assistant", ANSWER), ("user", "si agregalo"), ("assistant", "Listo")]  # fmt: skip


def make_grok_response(number: int, sender: str, words: str) -> dict[str, Any]:
    at = {"$date": {"$numberLong": str(1714557600000 + number * 1000)}}
    return {"response": {"_id": str(number), "message": words, "sender": sender, "create_time": at,
                         "parent_response_id": str(number - 1)}, "share_link": None}  # fmt: skip


SENDERS = ("human", "grok-3", "human", "ASSISTANT")
GROK = {"conversations": [{
    "conversation": {"id": "c", "title": "W", "create_time": "2024-05-01T10:00:00Z"},
    "responses": [make_grok_response(n, who, words) for n, (who, words) in enumerate(zip(SENDERS, TURNS, strict=True))],
}]}  # fmt: skip


def test_assistant_may_be_named_by_its_model_in_some_messages() -> None:
    history = read_history(GROK)
    assert [(said.role, said.content) for said in history.messages] == [
        ("user" if n % 2 == 0 else "assistant", words) for n, words in enumerate(TURNS)
    ]
    assert [said.speaker for said in history.messages if said.role == "assistant"] == ["grok-3", "Assistant"]


@pytest.mark.parametrize("asset", [b"\x89PNG\r\n\x1a\n\x00\xff", b"## User\n\nold\n\n## Assistant\n\nnew\n"])
def test_reads_groks_archive_without_the_files_sent_to_it(asset: bytes) -> None:
    folder = "ttl/30d/export_data/4f1b"
    files = {
        f"{folder}/prod-grok-backend.json": json.dumps(GROK).encode(),
        f"{folder}/prod-mc-asset-server/9c/content": asset,
    }
    assert tuple(list_texts(read_history(zip_files(files), "grok.zip"))) == TURNS


def test_ignores_nameless_binary_file_in_archive() -> None:
    files = {"chat.json": TALK, "thumbnails/1": b"\xff\xd8\xff\x00"}
    assert list_texts(read_history(zip_files(files), "x.zip")) == WALNUTS


@pytest.mark.parametrize(
    ("time", "hour"),
    [("2/17/2026 14:36:11 +01:00", 13), ("2/17/2026 2:36:11 PM -0500", 19), ("2/17/2026 14:36:11", 14)],
)
def test_reads_offset_behind_a_written_time_of_copilot(time: str, hour: int) -> None:
    history = read_history(f"CreatedAt,MessageContent,Author,ChatName\n{time},{QUESTION},user,R\n", "copilot.csv")
    [said] = history.messages
    assert (said.created_at.day, said.created_at.hour) == (17, hour)


@pytest.mark.parametrize("is_json", [False, True])
def test_reads_interactions_in_a_takeout_of_gemini(is_json: bool) -> None:
    said = {name: json.dumps([{"text": words}]) if is_json else words
            for name, words in (("request", QUESTION), ("response", ANSWER))}  # fmt: skip
    record = {"header": "Gemini", "title": "Used Gemini Apps", "time": "2024-01-26T12:45:12.686Z",
              "products": ["Gemini Apps"],
              "userInteractions": [{"userInteraction": {"endpoint": 2, "shown": False, **said}}]}  # fmt: skip
    history = read_history([record], "MyActivity.json")
    assert (history.format, list_texts(history)) == ("gemini", WALNUTS)


@pytest.mark.parametrize("prefix", ["", "_"])
def test_reads_times_of_firestore(prefix: str) -> None:
    time = {f"{prefix}seconds": 1714557600, f"{prefix}nanoseconds": 500_000_000}
    [said] = read_history([{"role": "user", "content": QUESTION, "timestamp": time}]).messages
    assert (said.created_at, said.is_undated) == (datetime(2024, 5, 1, 10, tzinfo=UTC), False)


TELEGRAM: dict[str, Any] = {"name": "Tom", "type": "personal_chat", "id": 5, "messages": [
    {"id": 1, "type": "message", "date": "2024-05-01T10:00:00", "from": "Tom", "from_id": "user5", "text": "the key"},
    {"id": 2, "type": "message", "date": "2024-05-01T10:00:09", "from": "Tom", "from_id": "user5", "text": "",
     "todo_list": {"title": "Shopping", "answers": [{"id": 1, "text": "walnuts"}]}}]}  # fmt: skip


@pytest.mark.parametrize(
    "data",
    [
        [TELEGRAM, {**TELEGRAM, "id": 6, "messages": []}],
        dict(sorted(TELEGRAM.items())),
        dict(reversed(TELEGRAM.items())),
    ],
    ids=["several chats in a list", "sorted members", "reversed members"],
)
def test_reads_telegrams_chat_as_other_programs_rewrite_it(data: object) -> None:
    usual, history = read_history(TELEGRAM, "result.json"), read_history(data, "result.json")
    assert history.messages == usual.messages
    assert [said.content for said in history.messages] == ["the key", "Shopping\n- walnuts"]
    assert history.messages[0].title == "Tom"


@pytest.mark.parametrize(
    "names", [("userQuery", "modelResponse"), ("human", "ai"), ("user_message", "assistant_message")]
)
def test_reads_pairs_under_the_names_of_exporters(names: tuple[str, str]) -> None:
    pairs = [dict(zip(names, TURNS[first : first + 2], strict=True)) for first in (0, 2)]
    assert tuple(list_texts(read_history({"title": "W", "turns": pairs}))) == TURNS


def test_flag_may_tell_what_comes_from_the_user() -> None:
    said = read_history([{"fromUser": True, "text": QUESTION}, {"fromUser": False, "text": ANSWER}]).messages
    assert [(message.role, message.content) for message in said] == [("user", QUESTION), ("assistant", ANSWER)]


def test_reads_replies_in_threads_that_slackdump_keeps_inside_messages() -> None:
    def make_message(user: str, ts: str, text: str, **more: Any) -> dict[str, Any]:
        return {"type": "message", "user": user, "ts": ts, "text": text, **more}

    reply = make_message("tom", "1714557700.000200", "Under the pot", thread_ts="1714557600.000100")
    root = make_message("anna", "1714557600.000100", "The key?", slackdump_thread_replies=[reply])
    history = read_history(
        {"channel_id": "C1", "name": "general", "messages": [root, make_message("anna", "1714557650.000300", "Well?")]}
    )
    assert [(said.speaker, said.content, said.created_at.second) for said in history.messages] == [
        ("anna", "The key?", 0), ("anna", "Well?", 50), ("tom", "Under the pot", 40)]  # fmt: skip


@pytest.mark.parametrize(
    "placeholder",
    ["Este mensaje fue eliminado", "Essa mensagem foi apagada", "Anda menghapus pesan ini", "Poistit tämän viestin.",
     "यह मैसेज डिलीट कर दिया गया है.", "این پیام حذف شد", "یہ پیغام حذف کیا گیا", "这条消息已被删除。"],
)  # fmt: skip
def test_leaves_out_what_whatsapp_writes_in_place_of_a_deleted_message(placeholder: str) -> None:
    chat = f"13/06/24, 21:20 - Anna: {placeholder}\n13/06/24, 21:21 - Tom: {placeholder} Why?\n"
    assert list_texts(read_history(chat, "chat.txt")) == [f"{placeholder} Why?"]


@pytest.mark.parametrize("data", [{"chats": {"list": [TELEGRAM]}}, TELEGRAM["messages"], {"data": TELEGRAM}])
def test_reads_checklists_of_telegram_outside_its_own_export(data: object) -> None:
    assert list_texts(read_history(data, "result.json")) == ["the key", "Shopping\n- walnuts"]


@pytest.mark.parametrize("date", ["15.10.24", "15.10.2024", "15/10/24", "Tue, 15 Oct 2024"])
def test_reads_date_without_time_also_if_it_looks_like_a_clock(date: str) -> None:
    said = read_history([{"sender": "Anna", "text": words, "date": date} for words in WALNUTS]).messages
    assert [message.created_at for message in said] == [datetime(2024, 10, 15, tzinfo=UTC)] * 2


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("**User** at 2024-05-01 10:00: {}", "**Assistant** at 2024-05-01 10:01: {}"),
        ("**User - 2024-05-01 10:00:**\n\n{}", "**Assistant - 2024-05-01 10:01:**\n\n{}"),
        ("## User, 2024-05-01 10:00:\n\n{}", "## Assistant, 2024-05-01 10:01:\n\n{}"),
        ("User, 2024-05-01 at 10:00: {}", "Assistant, 2024-05-01 at 10:01: {}"),
    ],
)
def test_colon_after_a_dated_heading_ends_the_date(asked: str, answered: str) -> None:
    history = read_history(f"{asked.format('At 12:30: where?')}\n\n{answered.format(ANSWER)}\n", "chat.md")
    assert list_texts(history) == ["At 12:30: where?", ANSWER]
    assert [said.created_at.minute for said in history.messages] == [0, 1]
    assert {said.created_at.hour for said in history.messages} == {10}


@pytest.mark.parametrize(
    "data",
    [zip_files({}), zip_files({"__MACOSX/._a.json": APPLE_DOUBLE}), pack("x.tgz", {})],
    ids=["empty zip", "resource forks", "empty tgz"],  # the bytes of a tgz have the time in them
)
def test_calls_archive_without_files_empty(data: bytes) -> None:
    with pytest.raises(ImportRefused, match="The file is empty"):
        read_history(data, "x.zip")


def test_names_product_whose_messages_it_does_not_understand() -> None:
    people = {"participants": [{"name": "Anna"}, {"name": "Tom"}], "title": "Anna"}
    with pytest.raises(ImportRefused, match="seems to be Messenger"):
        read_history({**people, "messages": [{"sender_name": "Anna", "content": "the key"}]})
    assert not read_history({**people, "messages": []}).messages


AIDER = f"\n# aider chat started at 2024-05-01 12:00:00\n\n> Aider v0.50  \n\n#### {QUESTION}  \n\n{ANSWER}\n"
DISCORD = (
    f"{'=' * 62}\nGuild: Club\nChannel: Text / general\n{'=' * 62}\n\n[5/1/2024 12:00 PM] Anna\n{QUESTION}\n\n"
    f"[5/1/2024 12:01 PM] Tom\n{ANSWER}\n\n\n{'=' * 62}\nExported 2 message(s)\n{'=' * 62}\n"
)
COPILOT = (
    f'Conversation,Time,Author,Message\nW,2024-05-01T10:00:00,AI,"{ANSWER}\nAnd sun."\nW,2024-05-01T10:00:00,Human,Q'
)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (".aider.chat.history.md", AIDER, WALNUTS),
        ("general.txt", DISCORD, WALNUTS),
        ("copilot-activity-history.csv", COPILOT, ["Q", f"{ANSWER}\nAnd sun."]),
    ],
)
def test_reads_files_of_windows_and_hidden_files(name: str, text: str, said: list[str]) -> None:
    data = text.replace("\n", "\r\n").encode()
    assert list_texts(read_history(data, name)) == said
    assert list_texts(read_history(zip_files({f"export/{name}": data}), "x.zip")) == said


def test_hidden_files_of_phones_and_programs_do_not_count() -> None:
    """Android puts an empty .nomedia into a folder of pictures."""
    with pytest.raises(ImportRefused, match="seems to be an archive"):
        read_history(zip_files({"Media/IMG-1.jpg": b"\xff\xd8", "Media/.nomedia": b""}), "Media.zip")


@pytest.mark.parametrize(
    "head",
    [
        "31\u200f/8\u200f/2024،\u200f 9:25 م \u200f-\u200f ",
        "\u2068[31.08.24, 21:25:15\u2069]\u2069 ",
        "\u202a31/08/24 \u202c21:25:15\u202c:\u200e ",
        "[Wednesday, 31 August 2024 at 21:25:15] ",
        "[令和6年8月31日 21:25:15] ",
    ],
)
def test_whatsapp_head_may_have_marks_anywhere_a_long_weekday_or_an_era(head: str) -> None:
    history = read_history(f"{head}Anna: Hello\n{head}Tom: Good\n", "WhatsApp Chat with Tom.txt")
    assert [(message.speaker, message.content) for message in history.messages] == [("Anna", "Hello"), ("Tom", "Good")]
    assert [f"{message.created_at:%F %H}" for message in history.messages] == ["2024-08-31 21"] * 2


def test_reads_messages_of_bot_api() -> None:
    """As a bot logs them: people have a first name, and may have no other."""
    rows = [
        {"message_id": n, "from": {"id": n, "is_bot": False, "first_name": name}, "chat": {"id": 1}, "date": 1714557600,
         "text": words} for n, (name, words) in enumerate((("Anna", "Hello"), ("Tom", "Good")), start=1)
    ]  # fmt: skip
    said = read_history(rows, "messages.json").messages
    assert [(message.speaker, message.content) for message in said] == [("Anna", "Hello"), ("Tom", "Good")]


def test_whatsapp_chat_exporter_marks_what_the_app_says() -> None:
    head = {"timestamp": 1714557600, "time": "12:00", "media": False, "key_id": "x"}
    messages = {
        "1": {**head, "from_me": True, "meta": False, "data": "Hello", "sender": None},
        "2": {**head, "from_me": False, "meta": True, "data": "Tom changed the group name", "sender": "Tom"},
        "3": {**head, "from_me": False, "meta": False, "data": "Good", "sender": "Tom"},
    }
    said = read_history({"1@g.us": {"name": "Club", "type": "android", "messages": messages}}, "result.json").messages
    assert [(message.speaker, message.content) for message in said] == [("Me", "Hello"), ("Tom", "Good")]


def test_names_other_chats_of_archive_that_were_not_read_and_no_side_files() -> None:
    node = {"id": "a", "parent": None, "message": {"id": "a", "author": {"role": "user"}, "create_time": 1e9,
            "content": {"content_type": "text", "parts": ["Which boat?"]}}}  # fmt: skip
    chats = json.dumps([{"title": "Boats", "mapping": {"a": node}, "current_node": "a"}])
    feedback = {"id": "f", "conversation_id": "a", "user_id": "user-1", "rating": "thumbs_down", "content": "{}"}
    own = {
        "conversations.json": chats,
        "chat.html": f"<html><script>var jsonData = {chats};</script></html>",
        "message_feedback.json": json.dumps([feedback]),
        "shared_conversations.json": json.dumps([{"id": "s", "conversation_id": "a", "title": "Boats"}]),
        "user.json": json.dumps({"id": "user-1", "email": "anna@example.org", "chatgpt_plus_user": False}),
        "file-1.txt": "Boats: a list\nof what to take",
    }
    others = {
        "Claude, on tents.md": "**You:**\n\nWhich tent?\n\n**Claude:**\n\nThe green one.\n",
        "Tom.txt": "[01/05/2025, 10:00:00] Tom: Hello\n[01/05/2025, 10:01:00] Anna: Hi\n",
    }
    for name in ("export.zip", "export.tgz"):
        history = read_history(pack(name, {path: text.encode() for path, text in own.items()}), name)
        assert (list_texts(history), history.notes) == (["Which boat?"], ())
        history = read_history(pack(name, {path: text.encode() for path, text in (own | others).items()}), name)
        assert list_texts(history) == ["Which boat?"]
        assert history.notes == ("Other chats of the archive, not read: 2. The first one: Claude, on tents.md.",)
