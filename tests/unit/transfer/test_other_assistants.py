# ruff: noqa: E501
"""Tests of reading histories of other programs: roles, speakers, texts, times, order, and damaged parts."""

import io
import json
import zipfile
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest

from records.errors import ImportRefused
from tests.support.processor_time import count_units
from transfer.formats.detection import parse_file
from transfer.formats.history import ImportedHistory, ReadContext

ME = 1001
ANDROID = """\
31/12/2023, 9:52 PM - Messages and calls are end-to-end encrypted.
31/12/2023, 9:52 PM - Anna: Bring walnuts
and two lemons
31/12/2023, 9:53 PM - Tom Bär: <Media omitted>
01/01/2024, 12:05 AM - Tom Bär: Happy new year: 2024! <This message was edited>
01/01/2024, 12:05 AM - Tom Bär: IMG-1.jpg (file attached)
The cake
01/01/2024, 12:06 AM - Anna: This message was deleted
"""
IOS = (
    "\ufeff[9/19/26, 09:52:01] Family: \u200eMessages are encrypted.\n"
    "[9/19/26, 09:52:03] ~\u202fAnna: Hello\n"
    "\u200e[9/19/26, 09:53:00] Tom: \u200e<attached: 1.jpg>\n"
    "[9/20/26, 21:00:00] Tom: Good night\n"
)


def zip_files(**files: str | bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/").replace("_DOT_", "."), content)
    return made.getvalue()


def zip_files_by_name(files: dict[str, bytes]) -> bytes:
    return zip_files(**{name.replace(".", "_DOT_"): content for name, content in files.items()})


def read_history(value: Any, **given: Any) -> ImportedHistory:
    data = value if isinstance(value, bytes) else (value if isinstance(value, str) else json.dumps(value)).encode()
    return parse_file(data, ReadContext(person=ME, **given))


def list_roles_speakers_and_texts(history: ImportedHistory) -> list[tuple[str, str, str]]:
    return [(message.role, message.speaker, message.content) for message in history.messages]


def times(history: ImportedHistory) -> list[str]:
    return [f"{message.created_at:%Y-%m-%d %H:%M}" for message in history.messages]


def make_claude_message(number: int, sender: str, text: str, **more: Any) -> dict[str, Any]:
    block = {"type": "text", "text": text}
    at = f"2025-03-0{number}T10:00:00.123456Z"
    return {
        "uuid": f"m{number}",
        "sender": sender,
        "text": f"thinking {text}",
        "content": [block],
        "created_at": at,
    } | more


def test_reads_claude_export_and_offers_memories_as_facts() -> None:
    """Only text blocks, attachments and the newest of two answers are read. Memories are offered as facts."""
    thinking = {"type": "thinking", "thinking": "hm"}
    attached = {"file_name": "list.txt", "extracted_content": "two lemons"}
    root = "00000000-0000-4000-8000-000000000000"
    tree = [
        make_claude_message(1, "human", "Hi", parent_message_uuid=root),
        make_claude_message(2, "assistant", "Old answer", parent_message_uuid="m1"),
        make_claude_message(3, "assistant", "New answer", parent_message_uuid="m1"),
    ]
    flat = [
        make_claude_message(4, "human", "", content=[], attachments=[attached]) | {"text": ""},
        None,
        make_claude_message(5, "assistant", "I see", content=[thinking, {"type": "text", "text": "I see"}]),
    ]
    talks = [
        {"uuid": "c2", "name": "", "created_at": "2025-03-04T10:00:00+00:00", "chat_messages": flat},
        {"uuid": "c1", "name": "x", "created_at": "2025-03-01T10:00:00Z", "chat_messages": tree},
        {"uuid": "c3", "name": "empty", "chat_messages": []},
        {"uuid": "c4", "chat_messages": [7]},
    ]
    memories = [{"conversations_memory": "# Work\n- Anna grows walnuts\n- She lives in Bern", "project_memories": {}}]
    files = {"data__conversations_DOT_json": json.dumps(talks), "data__memories_DOT_json": json.dumps(memories)}
    found = read_history(zip_files(**files, data__users_DOT_json="[]"))
    assert found.format == "claude"
    assert list_roles_speakers_and_texts(found) == [
        ("user", "", "Hi"),
        ("assistant", "Claude", "New answer"),
        ("user", "", "[list.txt]\ntwo lemons"),
        ("assistant", "Claude", "I see"),
    ]
    assert times(found) == ["2025-03-01 10:00", "2025-03-03 10:00", "2025-03-04 10:00", "2025-03-05 10:00"]
    assert "conversations.json" not in str(found.notes)
    assert "[3].chat_messages[0]" in found.notes[-1]
    assert found.facts == (), "nothing is kept before it was shown"
    assert found.questions[0].options == ("Anna grows walnuts", "She lives in Bern")
    kept = read_history(zip_files(**files), answers={"facts0": (1,)}).facts
    assert [turn.text for turn in kept] == ["She lives in Bern"]


def test_reads_claude_project_documents_and_offers_facts() -> None:
    """Documents become messages. Project settings are offered as facts, never as instructions."""
    project = {
        "uuid": "p", "name": "Bakery", "description": "A new shop", "prompt_template": "Be brief", "created_at": "2025-01-02T00:00:00Z",
        "docs": [{"uuid": "d", "filename": "plan.txt", "content": "Two ovens", "created_at": "2025-01-03T00:00:00Z"}, {"content": ""}],
    }  # fmt: skip
    starter = {"name": "How to use Claude", "is_starter_project": True, "docs": [{"uuid": "x", "content": "Ask"}]}
    for file in ([project, starter], zip_files(**{"projects-000__projects__p_DOT_json": json.dumps(project)})):
        found = read_history(file)
        assert (found.format, list_roles_speakers_and_texts(found)) == (
            "claude",
            [("user", "", "[plan.txt]\nTwo ovens")],
        )
        assert times(found) == ["2025-01-03 00:00"]
        assert found.questions[0].options == ("Bakery: A new shop", "Bakery: Be brief")
        assert [fact.kind for fact in read_history(file, answers={"facts0": (1,)}).facts] == ["personal"]


def test_size_limit_covers_all_nested_archives_together() -> None:
    inner = zip_files(conversations_DOT_json="[" + " " * 300_000 + "]")
    with pytest.raises(ImportRefused, match="holds more than"):
        parse_file(
            zip_files_by_name({f"conversations-{number}.zip": inner for number in range(4)}),
            ReadContext(person=ME),
            max_unpacked_bytes=1_000_000,
        )


def test_reads_gemini_activity_html_page_and_ai_studio_prompt() -> None:
    """Records of other products and records without a prompt are skipped."""
    records = [
        {"header": "Gemini Apps", "title": "Prompted How long do walnuts keep?", "time": "2025-01-02T03:04:05.678Z",
         "products": ["Gemini Apps"], "safeHtmlItem": [{"html": "<p>A <b>year</b> &amp; more</p><ul><li>cool</li></ul>"}]},
        {"header": "Gemini Apps", "title": "Used an Assistant feature", "time": "2025-01-01T03:04:05Z"},
        {"header": "Search", "title": "Searched for lemons", "time": "2025-01-01T03:04:05Z"},
        {"header": "Gemini-Apps", "title": "Frage: Zitronen?", "time": "2024-01-01T03:04:05Z",
         "safeHtmlItem": [{"html": "Ja"}]},
    ]  # fmt: skip
    found = read_history(records)
    assert (found.format, times(found)[0]) == ("gemini", "2024-01-01 03:04")
    assert [(role, text.replace("\n\n", "\n").strip()) for role, _, text in list_roles_speakers_and_texts(found)] == [
        ("user", "Frage: Zitronen?"),
        ("assistant", "Ja"),
        ("user", "How long do walnuts keep?"),
        ("assistant", "A year & more\ncool"),
    ]
    page = (
        '<html><body><div class="outer-cell mdl"><div class="mdl-grid"><div class="header-cell"><p>Gemini Apps</p></div>'
        '<div class="content-cell">Prompted\u00a0How old is Bern?<br>Jul 3, 2026, 9:15:00\u202fAM CEST<br><p>From 1191.</p>'
        "</div></div></div></body></html>"
    )
    assert list_roles_speakers_and_texts(read_history(page)) == [
        ("user", "", "How old is Bern?"),
        ("assistant", "Gemini", "From 1191."),
    ]
    assert times(read_history(page))[0] == "2026-07-03 09:15"
    assert times(read_history(page.replace("Jul 3", "Sept 3")))[0] == "2026-09-03 09:15"
    studio = {"chunkedPrompt": {"chunks": [
        {"role": "user", "text": "Hello"}, {"role": "model", "text": "Hm", "isThought": True}, {"role": "model", "text": "Hi"},
    ]}}  # fmt: skip
    assert list_roles_speakers_and_texts(read_history(studio, name="Talk")) == [
        ("user", "", "Hello"),
        ("assistant", "Gemini", "Hi"),
    ]


def test_ai_studio_prompt_keeps_message_ids_and_drops_thoughts() -> None:
    chunks: list[Any] = [
        {"role": "user", "text": "Where do walnuts grow?\n", "weight": 0},
        {"role": "model", "parts": [{"text": "Secret", "thought": True}]},
        17,
        {"role": "model", "text": 'In <details type="x">deep</details> soil.\n\n'},
    ]
    found = read_history({"chunkedPrompt": {"chunks": chunks}}, name="Walnuts")
    assert [(message.content, message.source) for message in found.messages] == [
        ("Where do walnuts grow?", "import:gemini:a7f918246b41a4e8d7a1d35b8d94a00f"),
        ('In <details type="x">deep</details> soil.', "import:gemini:d92b4d200b093689347b3165454020bf"),
    ]
    assert "Left out, damaged: 1. The first one: .chunkedPrompt.chunks[2] (line 1)." in found.notes


def test_reads_workspace_conversation_with_creation_time() -> None:
    turns = [{"user_turn": {"prompt": "Hello "}}, {"system_turn": {"text": [{"type": "search", "data": "Hi"}]}}]
    found = read_history({"title": "Talk", "creation_time": "2024-05-10T10:00:00Z", "conversation_turns": turns})
    assert list_roles_speakers_and_texts(found) == [("user", "", "Hello"), ("assistant", "Gemini", "Hi")]
    assert times(found) == ["2024-05-10 10:00"] * 2


def test_reads_whatsapp_android_chat() -> None:
    found = read_history(ANDROID)
    assert found.format == "whatsapp"
    assert list_roles_speakers_and_texts(found) == [
        ("user", "Anna", "Bring walnuts\nand two lemons"),
        ("user", "Tom Bär", "Happy new year: 2024!"),
        ("user", "Tom Bär", "The cake"),
    ]
    assert times(found) == ["2023-12-31 21:52", "2024-01-01 00:05", "2024-01-01 00:05"]
    [who] = found.questions
    assert (who.name, who.chosen) == ("speaker", None), "the order of day and month is plain, the speaker is not"
    assert [message.is_own for message in read_history(ANDROID, answers={"speaker0": (1,)}).messages] == [
        True,
        False,
        False,
    ]
    assert len({message.source for message in found.messages}) == 3


def test_reads_whatsapp_ios_chat() -> None:
    found = read_history(zip_files(_chat_DOT_txt=IOS))
    assert list_roles_speakers_and_texts(found) == [("user", "Anna", "Hello"), ("user", "Tom", "Good night")]
    assert times(found) == ["2026-09-19 09:52", "2026-09-20 21:00"]


def test_asks_day_month_order_only_when_whatsapp_dates_are_ambiguous() -> None:
    chat = "1/2/2024, 10:00 - Anna: Hi\n"
    assert [question.name for question in read_history(chat).questions] == ["order", "speaker"]
    for answer, date in ((0, "2024-02-01 10:00"), (1, "2024-01-02 10:00")):
        assert times(read_history(chat, answers={"order0": (answer,)})) == [date]
    rising = "1/2/2024, 10:00 - Anna: Hi\n2/2/2024, 10:00 - Anna: Hi\n1/3/2024, 10:00 - Anna: Hi\n"
    assert times(read_history(rising))[-1] == "2024-03-01 10:00", "the other order would go back in time"


def test_reads_discord_exporter_file_and_data_package() -> None:
    def one(number: int, name: str, content: str, kind: Any = "Default") -> dict[str, Any]:
        author = {"id": name, "name": name.lower(), "nickname": name, "isBot": False}
        at = f"2024-05-0{number}T10:00:00.5+02:00"
        return {"id": str(number), "type": kind, "timestamp": at, "content": content, "author": author}

    messages = [one(1, "Anna", "Hi"), one(2, "Tom", "joined", 7), one(3, "Tom", "Hello", "Reply"), one(4, "Tom", "")]
    found = read_history({"guild": {}, "channel": {"id": "1"}, "messages": messages, "messageCount": 4})
    assert (list_roles_speakers_and_texts(found), times(found)[0]) == (
        [("user", "Anna", "Hi"), ("user", "Tom", "Hello")],
        "2024-05-01 08:00",
    )
    assert found.questions[0].options[0].startswith("Anna (1)")
    own = [{"ID": 2**60, "Timestamp": "2024-05-01 10:00:00", "Contents": "Mine", "Attachments": ""}]
    csv = 'ID,Timestamp,Contents,Attachments\n77,2024-05-02 10:00:00+00:00,"two\nlines",\n'
    found = read_history(
        zip_files(Nachrichten__c1234567__messages_DOT_json=json.dumps(own), messages__c7654321__messages_DOT_csv=csv)
    )
    assert [text for _, _, text in list_roles_speakers_and_texts(found)] == ["Mine", "two\nlines"]


@pytest.mark.parametrize(
    "file",
    [
        [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": [{"type": "text", "text": "Hello"}]}],
        {"messages": [{"role": "system", "content": "x"}, {"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]},
        '{"messages": [{"role": "user", "content": "Hi"}]}\n{"messages": [{"role": "assistant", "content": "Hello"}]}\n',
        [{"conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}]}],
        [{"title": "x", "chat": {"history": {"currentId": "b", "messages": {
            "a": {"parentId": None, "role": "user", "content": "Hi", "timestamp": 1700000000},
            "b": {"parentId": "a", "role": "assistant", "content": '<details type="reasoning">no</details>Hello'},
            "c": {"parentId": "a", "role": "assistant", "content": "Old"}}}}}],
        {"conversationId": "x", "messages": [
            {"messageId": "1", "isCreatedByUser": True, "sender": "User", "text": "Hi"},
            {"messageId": "2", "isCreatedByUser": False, "sender": "GPT", "text": "Hello"}]},
        "# A talk\n\n## User\n\nHi\n\n**Assistant:** Hello\n",
    ],
)  # fmt: skip
def test_reads_generic_conversation_with_stable_sources(file: Any) -> None:
    found = read_history(file)
    assert found.format == "generic"
    assert [(role, text) for role, _, text in list_roles_speakers_and_texts(found)] == [
        ("user", "Hi"),
        ("assistant", "Hello"),
    ]
    assert [message.source for message in read_history(file).messages] == [message.source for message in found.messages]


@pytest.mark.parametrize(
    "text",
    [
        "Here is all I know:\n```\n[2025-03-02] - Anna lives in Bern.\n[unknown] - She grows walnuts.\n```\nThat is all.",
        "- Anna lives in Bern.\n* She grows\n  walnuts.\n",
        "1. Anna lives in Bern.\n2. She grows walnuts.",
        '["Anna lives in Bern.", {"memory": "She grows walnuts.", "date": "2025-03-02"}]',
    ],
)
def test_offers_pasted_memories_and_keeps_only_chosen(text: str) -> None:
    """All memories are offered, and only the chosen ones are kept."""
    found = read_history(text)
    assert (found.format, found.facts) == ("memories", ())
    assert found.questions[0].options == ("Anna lives in Bern.", "She grows walnuts.")
    kept = read_history(text, answers={"facts0": (0, 1)}).facts
    if "03-02] " in text:
        assert kept[0].observed_at == datetime(2025, 3, 2, tzinfo=UTC)


def test_chatgpt_strips_marks_reads_documents_and_offers_memories() -> None:
    def node(number: int, role: str, text: str, **more: Any) -> dict[str, Any]:
        content = {"content_type": "text", "parts": [text]}
        message = {"id": f"m{number}", "author": {"role": role}, "content": content, "create_time": 1.7e9 + number}
        return {"id": str(number), "parent": str(number - 1) if number else None, "message": message | more}

    about = {"user_context_message_data": {"about_user_message": "I am a baker", "about_model_message": "Be brief"}}
    mapping = {
        "0": node(0, "user", "", metadata={"is_visually_hidden_from_conversation": True} | about),
        "1": node(1, "user", 'Where is \ue200entity\ue202["city","Bern"]\ue201?'),
        "2": node(2, "assistant", "User likes walnuts", recipient="bio"),
        "3": node(
            3, "assistant", json.dumps({"name": "Plan", "content": "Step 1"}), recipient="canmore.create_textdoc"
        ),
        "4": node(4, "assistant", "In Switzerland \ue200cite\ue202turn0search1\ue201\u30104\u2020source\u3011."),
    }
    found = read_history({"title": "x", "mapping": mapping, "current_node": "4"})
    assert [text for _, _, text in list_roles_speakers_and_texts(found)][1:] == ["# Plan\n\nStep 1", "In Switzerland ."]
    assert "\ue200" not in str(list_roles_speakers_and_texts(found))
    assert set(found.questions[0].options) == {"I am a baker", "Be brief", "User likes walnuts"}


def test_reads_telegram_html_page() -> None:
    page = """<html><body><div class="page_wrap"><div class="history">
     <div class="message service" id="message-1"><div class="body details">1 May 2024</div></div>
     <div class="message default clearfix" id="message5"><div class="body">
      <div class="pull_right date details" title="01.05.2024 10:00:00 UTC+02:00">10:00</div>
      <div class="from_name">Anna</div><div class="text">Hi<br>see <a href="https://example.org">this</a></div></div></div>
     <div class="message default clearfix joined" id="message6"><div class="body">
      <div class="pull_right date details" title="01.05.2024 10:01:00">10:01</div>
      <div class="text">again</div></div></div>
     </div></div></body></html>"""
    found = read_history(zip_files(ChatExport__messages_DOT_html=page))
    assert list_roles_speakers_and_texts(found) == [
        ("user", "Anna", "Hi\nsee this (https://example.org)"),
        ("user", "Anna", "again"),
    ]
    assert times(found) == ["2024-05-01 08:00", "2024-05-01 10:01"]


def test_reads_2020_telegram_export_with_polls_and_reactions() -> None:
    def one(number: int, sender: Any, **more: Any) -> dict[str, Any]:
        return {"id": number, "type": "message", "date": "2020-05-01T10:00:00", "from": "A", "from_id": sender} | more

    poll = {"question": "Cake?", "answers": [{"text": "Yes", "chosen": True}, {"text": "No"}]}
    chats = [
        {"id": 5, "type": "personal_chat", "name": "Tom", "messages": [
            one(1, 2**32 + ME, text="Old number", reactions=[{"emoji": "👍", "count": 1}]), one(2, "user5", text="", poll=poll)]},
        {"id": 77, "type": "bot_chat", "name": "Me", "messages": [one(1, f"user{ME}", text="/start")]},
        {"id": 9, "type": "public_channel", "name": "News", "messages": [one(1, "channel9", text="News")]},
    ]  # fmt: skip
    left = [{"id": 6, "type": "private_group", "name": "Left", "messages": [one(1, "user5", text="Bye")]}]
    found = read_history({"chats": {"list": chats}, "left_chats": {"list": left}}, bot=77)
    assert [(message.content, message.is_own) for message in found.messages] == [
        ("Old number\n[Reactions: 👍]", True),
        ("[Poll] Cake?\n- Yes (chosen)\n- No", False),
    ]
    [question] = found.questions
    assert (question.options, question.chosen) == (("Tom (2)", "News (1)", "Left (1)"), (0,))
    chosen = read_history({"chats": {"list": chats}, "left_chats": {"list": left}}, bot=77, answers={"chats0": (2,)})
    assert [message.content for message in chosen.messages] == ["Bye"]


@pytest.mark.parametrize(
    ("data", "seems"),
    [
        ('{"a": 1}', "data in JSON"),
        ("<p>Hi</p>", "a web page"),
        ("a,b,c\n1,2,3\n", "a table"),
        ("Hi there", "plain text"),
    ],
)
def test_rejects_unknown_file_with_apparent_kind(data: str, seems: str) -> None:
    with pytest.raises(ImportRefused, match=f"seems to be {seems}"):
        read_history(data, name="x")


@pytest.mark.parametrize(
    "text",
    [
        "Likes tea\nSails",
        "Here is all of it:\n```\n[2025-03-02] - Likes tea\n[unknown] - Sails\n```\nThat is the complete set.",
        '```json\n["Likes tea", "Sails"]\n```',
        "## Food\n\n- Likes tea\n\n**Sport:**\n\n- Sails",
        "1. [2025-05-02]. Likes tea\n2. [2025-05-03]. Sails",
        '[{"date": "2025-03-02", "content": "Likes tea"}, {"memory": "Sails"}]',
    ],
)
def test_reads_pasted_memories_in_any_shape(text: str) -> None:
    """Each fact is offered. Headings and introductory sentences are skipped."""
    assert [question.options for question in read_history(text).questions] == [("Likes tea", "Sails")]


def test_claude_memory_paragraphs_and_bullets_become_facts() -> None:
    memory = "**Work**\n\nAnna is a cook. She sails.\n\n**Home**\n- Two cats"
    found = read_history([{"conversations_memory": memory}])
    assert [question.options for question in found.questions] == [("Anna is a cook. She sails.", "Two cats")]


def test_offers_chatgpt_custom_instructions_once() -> None:
    """Every conversation repeats the instructions, in a special message or in the metadata of a message."""
    held = {"content_type": "user_editable_context", "user_profile": "I sail.", "user_instructions": "Be brief."}
    given = {"user_context_message_data": {"about_user_message": "I sail.", "about_model_message": "Be brief."}}
    messages = [
        {"id": "a", "author": {"role": "user"}, "content": held},
        {"id": "b", "author": {"role": "user"}, "content": {"content_type": "text", "parts": [""]}, "metadata": given},
    ]
    talks = [{"mapping": {"n": {"id": "n", "parent": None, "message": message}}} for message in messages]
    [question] = read_history(talks).questions
    assert question.options == ("I sail.", "Be brief.")


def test_quoted_and_system_lines_are_not_whatsapp_message_headers() -> None:
    """A line copied from WhatsApp on a computer has another shape. A system line contains a colon in the new group subject."""
    text = (
        "13/2/2024, 10:00 - Tom changed the subject to “Trip: Bern”\n"
        "13/2/2024, 10:01 - Tom: Look:\n[10:00, 13/2/2024] Ann: quoted\n13/2/2024, 10:02 - Ann: Yes\n"
    )
    found = read_history(text, answers={"speaker0": (0,)})
    assert [(message.speaker, message.content) for message in found.messages] == [
        ("Tom", "Look:\n[10:00, 13/2/2024] Ann: quoted"),
        ("Ann", "Yes"),
    ]


@pytest.mark.parametrize(
    "data",
    [
        "[" * 5000 + "]" * 5000,
        '[{"chat_messages": 3}]',
        '[{"chat_messages": [{"sender": [], "created_at": []}]}]',
        '{"chunkedPrompt": []}',
        '{"guild": 1, "channel": 2, "messages": [[]]}',
        "99/99/9999, 99:99 - A: b",
        '<div class="page_wrap"><div class="message"><div class="body"><div class="text">x',
        '[{"role": "user", "content": {"x": 1}}]',
        "- " * 50_000,
        "```" * 10_000,
    ],
)
def test_hostile_files_are_refused_or_empty(data: str) -> None:
    with suppress(ImportRefused):
        assert not read_history(data).messages


@pytest.mark.parametrize("row", ["1,2024-05-11 10:00:00," + "x" * 200_000, "1,yesterday,Hi", "1,99999-01-01,Hi"])
def test_skips_and_reports_damaged_discord_channel(row: str) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("messages/c1/messages.csv", f"ID,Timestamp,Contents\n{row}\n")
        archive.writestr("messages/c2/messages.csv", "ID,Timestamp,Contents\n2,2024-05-11 10:00:00,Hello\n")
    history = parse_file(packed.getvalue(), ReadContext(person=1))
    assert [message.content for message in history.messages] == ["Hello"]
    assert "c1" in " ".join(history.notes)


def test_skips_and_reports_damaged_telegram_html_or_whatsapp_message() -> None:
    """The speaker of the next message is still known."""
    block = (
        '<div class="message default"><div class="body"><div class="date" title="{}"></div>{}'
        '<div class="text">{}</div></div></div>'
    )
    blocks = [
        ("11.05.2024 10:00:00", '<div class="from_name">Ann</div>', "One"),
        ("yesterday", '<div class="from_name">Tom</div>', "Lost"),
        ("11.05.2024 10:00:02", "", "Two"),
    ]
    page = f'<div class="page_wrap">{"".join(block.format(*values) for values in blocks)}</div>'
    lines = "11/05/2024, 10:00 - Ann: One\n31/02/2024, 10:01 - Tom: Lost\n11/05/2024, 10:02 - Tom: Two\n"
    for file, place in ((page, "[1].date"), (lines, "[1] 31/02/2024, 10:01")):
        found = read_history(file, answers={"speaker0": (0,)})
        assert list_roles_speakers_and_texts(found) == [("user", "Ann", "One"), ("user", "Tom", "Two")]
        assert f"damaged: 1. The first one: {place}" in found.notes[-1].replace("messages.html", "")


AT = "2024-05-11T10:00:00Z"


def make_claude_export(words: list[str]) -> Any:
    said: list[dict[str, Any]] = [{"uuid": word, "sender": "human", "text": word, "created_at": AT} for word in words]
    return [
        {
            "uuid": "c",
            "name": "A talk",
            "chat_messages": [message | damage(message["text"], "content", 7) for message in said],
        }
    ]


def make_gemini_export(words: list[str]) -> Any:
    said = [{"header": "Gemini Apps", "title": f"Prompted {word}", "time": AT} for word in words]
    return [conversation | damage(conversation["title"][9:], "time", "soon") for conversation in said]


def make_studio_export(words: list[str]) -> Any:
    said = [{"role": "user", "text": word} for word in words]
    return {"chunkedPrompt": {"chunks": [message | damage(message["text"], "createTime", "soon") for message in said]}}


def make_discord_export(words: list[str]) -> Any:
    said = [{"id": word, "timestamp": AT, "content": word, "author": {"name": "Ann"}} for word in words]
    messages = [conversation | damage(str(conversation["id"]), "author", None) for conversation in said]
    return {"guild": {}, "channel": {"name": "walnuts"}, "messages": messages}


def make_generic_export(words: list[str]) -> Any:
    said = [{"role": "user", "content": word} for word in words]
    return {"title": "x", "messages": [message | damage(str(message["content"]), "timestamp", [1]) for message in said]}


def damage(words: str, name: str, value: object) -> dict[str, object]:
    return {name: value} if words == "Lost" else {}


@pytest.mark.parametrize(
    ("write", "place"),
    [
        (make_claude_export, "[0] “A talk”.chat_messages[1].content (line 1)"),
        (make_gemini_export, "[1] “Prompted Lost”.time (line 1)"),
        (make_studio_export, ".chunkedPrompt.chunks[1].createTime (line 1)"),
        (make_discord_export, "messages[1].author (line 1)"),
        (make_generic_export, "“x”.messages[1].timestamp (line 1)"),
    ],
)
def test_skips_and_reports_damaged_message_in_json_formats(write: Any, place: str) -> None:
    """If the file contains no other message, it is refused with the location of the damage."""
    found = read_history(write(["One", "Lost", "Two"]), answers={"speaker0": (0,)})
    assert sorted(text for _, _, text in list_roles_speakers_and_texts(found)) == ["One", "Two"]
    assert f"Left out, damaged: 1. The first one: {place}." in found.notes
    with pytest.raises(ImportRefused) as refused:
        read_history(write(["Lost"]))
    assert place.replace("[1]", "[0]") in refused.value.sentence


@pytest.mark.parametrize("ending", ["json", "csv"])
def test_skips_and_reports_damaged_row_of_discord_channel(ending: str) -> None:
    rows = [("1", "2024-05-11 10:00:00", "One"), ("2", "yesterday", "Lost"), ("3", "2024-05-11 10:00:02", "Two")]
    names = ("ID", "Timestamp", "Contents")
    lines = [names, *rows, ("4", "2024-05-11 10:00:03", "x" * 200_000), ("5", "2024-05-11 10:00:04", "Three")]
    text = "\n".join(map(",".join, lines)) if ending == "csv" else ""
    text = text or json.dumps([*(dict(zip(names, row, strict=True)) for row in rows), 7])
    found = read_history(zip_files(**{f"messages__c11__messages_DOT_{ending}": text}))
    assert [words for _, _, words in list_roles_speakers_and_texts(found)] == ["One", "Two", "Three"][
        : 3 if ending == "csv" else 2
    ]
    assert "damaged: 2. The first one: messages/c11/messages" in found.notes[-1]
    assert f"{ending}[1].Timestamp (line 1)" in found.notes[-1]


@pytest.mark.parametrize("broken", [0, 1, 2])
def test_skips_and_reports_damaged_json_line(broken: int) -> None:
    """Reading a damaged JSON Lines file takes linear time."""
    lines = [json.dumps({"messages": [{"role": "user", "content": text}]}) for text in ("One", "Two", "Three")]
    lines[broken] = lines[broken][:-9]
    found = read_history("\n".join(lines))
    assert [words for _, _, words in list_roles_speakers_and_texts(found)] == [
        words for number, words in enumerate(("One", "Two", "Three")) if number != broken
    ]
    assert f"damaged: 1. The first one: [{broken}] (line {broken + 1})" in found.notes[-1]
    with count_units() as stopwatch:
        read_history("\n".join([lines[1 if broken != 1 else 0], *['{"messages": [{"role": "user"'] * 20_000]))
    assert stopwatch.units < 5_000


@pytest.mark.parametrize(("begins", "place"), [(11, "(line 1)"), (40, "(line 1)")])
def test_skips_and_reports_damaged_archive_member(begins: int, place: str) -> None:
    """Messages before the damage are imported. If the damage is early, the format is known by the file name."""
    whole = json.dumps(make_claude_export(["One"]))
    for parts, said_in in (({"000": whole, "001": whole[:begins]}, ["One"]), ({"000": whole[:-1]}, ["One"])):
        found = read_history(zip_files(**{f"conversations-{name}_DOT_json": text for name, text in parts.items()}))
        assert [words for _, _, words in list_roles_speakers_and_texts(found)] == said_in
        assert f"damaged: 1. The first one: conversations-00{len(parts) - 1}.json {place}" in found.notes[-1]
    with pytest.raises(ImportRefused, match="not valid JSON: line 1"):
        read_history(whole[:60])


def test_same_id_with_different_text_stays_separate_messages() -> None:
    """An edited file may repeat an id. Messages with equal id and text are one message."""
    message = {"id": 1, "date": "2024-05-11T10:00:00", "from": "Ann", "from_id": "user1"}
    chat = {"type": "personal_chat", "id": 2, "messages": [message | {"text": text} for text in ("One", "Two", "One")]}
    assert [text for _, _, text in list_roles_speakers_and_texts(read_history(chat))] == ["One", "Two"]
    assert len({message.source for message in read_history(chat).messages}) == 2


def test_reads_utf_16_and_rejects_non_text_files() -> None:
    lines = "11/05/2024, 10:00 - Ann: Grüße\n"
    for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"):
        assert list_roles_speakers_and_texts(
            parse_file(lines.encode(encoding), ReadContext(person=1, name="a.txt"))
        ) == [("user", "Ann", "Grüße")]
    for data, told in ((b"Rar!\x1a\x07\x00" + bytes(90), "send it as .zip"), (lines.encode("latin-1"), "not text")):
        with pytest.raises(ImportRefused, match=told):
            parse_file(data, ReadContext(person=1, name="a.txt"))


def test_json_resembling_known_format_is_not_misdetected() -> None:
    with pytest.raises(ImportRefused, match="data in JSON"):
        read_history({"format": "something", "rows": []})
    assert not read_history({"about": "x", "chats": {"about": "x", "list": []}}).messages, "an account without chats"


@pytest.mark.parametrize(
    ("updates", "left"),
    [
        ([{"pattern": ".*", "multiple": True, "replacement": "Dear Tom."}], "# Letter\n\nDear Tom."),
        (
            [{"pattern": r"Ann\.", "replacement": "Tom."}, {"pattern": "Dear", "replacement": "Hi"}],
            "# Letter\n\nHi Tom.",
        ),
        ([{"pattern": "(a+)+$", "replacement": "P.S."}], "# Letter\n\nDear Ann.\n\nP.S."),
        ([{"pattern": "a", "replacement": "a" * 9_000, "multiple": True}] * 200, None),
        ("x", "# Letter\n\nDear Ann."),
    ],
)
def test_chatgpt_document_keeps_only_last_version(updates: Any, left: str | None) -> None:
    """The document appears where it was last updated. Unsafe patterns are not run; their text is appended."""
    said_to = [
        ("user", "all", "A letter, please."),
        ("assistant", "canmore.create_textdoc", json.dumps({"name": "Letter", "content": "Dear Ann."})),
        ("user", "all", "To Tom."),
        ("assistant", "canmore.update_textdoc", json.dumps({"updates": updates})),
    ]
    nodes = {
        f"n{number}": {
            "parent": f"n{number - 1}",
            "message": {
                "id": f"m{number}", "recipient": to, "author": {"role": role}, "create_time": number,
                "content": {"content_type": "text", "parts": [words]},
            },
        }
        for number, (role, to, words) in enumerate(said_to)
    }  # fmt: skip
    found = [
        text
        for _, _, text in list_roles_speakers_and_texts(
            read_history([{"title": "x", "mapping": nodes, "current_node": "n3"}])
        )
    ]
    assert found[:2] == ["A letter, please.", "To Tom."]
    assert sum(map(len, found)) < 3_000_000
    if left is not None:
        assert found[2:] == [left]


def test_reads_claude_design_chats_and_discord_channel_names() -> None:
    at = "2026-01-02T03:04:05.000000Z"
    inner: list[dict[str, Any]] = [
        {"role": "user", "content": "A poster."},
        {"role": "assistant", "content": [{"type": "text", "text": "Here."}]},
    ]
    messages = [
        {"uuid": f"m{message['role']}", "role": message["role"], "content": message, "created_at": at}
        for message in inner
    ]
    talk = {"uuid": "d", "title": "Poster", "project": {"uuid": "p"}, "created_at": at, "messages": messages}
    for file in (talk, zip_files(**{"design_chats-000_DOT_zip": zip_files(design_chats__d_DOT_json=json.dumps(talk))})):
        found = read_history(file)
        assert (found.format, found.messages[0].title) == ("claude", "Poster")
        assert list_roles_speakers_and_texts(found) == [("user", "", "A poster."), ("assistant", "Claude", "Here.")]
    channel = json.dumps([{"ID": 1, "Timestamp": "2024-05-10 10:00:00", "Contents": "Hello"}])
    names = json.dumps({"11": "general in G", "12": None})
    files = {"Messages__c11__messages_DOT_json": channel, "Messages__c12__messages_DOT_json": channel.replace("1", "2")}
    found = read_history(zip_files(**files, Messages__index_DOT_json=names))
    assert [message.title for message in found.messages] == ["general in G", ""]
    assert not found.notes[1:], "the list of names is no channel"


def test_strips_gemini_prompt_verb_before_no_break_space() -> None:
    """The German export separates the verb with a no-break space. Records without a prompt are only counted."""

    def record(title: str, answer: str = "", second: int = 0) -> dict[str, Any]:
        html = {"safeHtmlItem": [{"html": answer}]} if answer else {}
        return {"header": "Gemini-Apps", "title": title, "time": f"2025-01-01T03:04:{second:02}Z"} | html

    verb = "Eingegebener Prompt:\u00a0"
    records = [
        record(f"{verb}Wo ist der Schlüssel?", "Dort.", 1),
        record(f"{verb}Und der Mantel?", second=2),
        record("Gemini-Apps verwendet", second=3),
        record("Ganz\u00a0anders:", "So.", 4),
        record("", "Ein Bild.", 5),
    ]
    for data in (json.dumps(records), json.dumps(records, ensure_ascii=False)):
        found = read_history(data)
        assert [text for _, _, text in list_roles_speakers_and_texts(found)] == [
            "Wo ist der Schlüssel?", "Dort.", "Und der Mantel?", "Ganz anders:", "So.", "Ein Bild.",
        ]  # fmt: skip
        assert "of the app itself (calls, pins, joins): 1." in found.notes[-1]
