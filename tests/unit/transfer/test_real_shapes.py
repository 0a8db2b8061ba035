# ruff: noqa: E501
"""Tests of reading real file formats of programs and phones."""

import io
import json
import tarfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from records.errors import ImportRefused
from tests.unit.transfer.talk import zip_files
from transfer.formats.chat_texts import parse_message_head
from transfer.formats.detection import parse_file
from transfer.formats.history import ImportedHistory, ReadContext

SHAPES = Path(__file__).parent / "files" / "shapes"
NOW = datetime(2026, 11, 28, tzinfo=UTC)
WALNUTS = ["Where do walnuts grow?", "In deep soil."]


def read_history(data: bytes | str | object, name: str = "sent", **answers: tuple[int, ...]) -> ImportedHistory:
    if not isinstance(data, bytes | str):
        data = json.dumps(data)
    data = data.encode() if isinstance(data, str) else data
    return parse_file(
        data, ReadContext(person=7, zone=UTC, name=name, now=NOW, answers={"speaker0": (0,), "order0": (0,), **answers})
    )


def list_texts(history: ImportedHistory) -> list[str]:
    return [message.content for message in history.messages]


@pytest.mark.parametrize(
    ("name", "format_name", "words"),
    [
        ("01-chatgpt-answer-stamped-before-question.json", "chatgpt", [*WALNUTS, "And olives?", "On dry slopes."]),
        ("08-grok.json", "generic", [WALNUTS[0], "In deep soil, away from frost."]),
        ("09-deepseek.json", "generic", WALNUTS),
        ("11-chatgpt-exporter-extension.json", "generic", WALNUTS),
        ("12-messenger-message_1.json", "messenger", ["The key is under the pot", "Café at nine?"]),
        ("13-perplexity.json", "generic", WALNUTS),
        ("15-librechat-parts.json", "generic", ["where do walnuts grow", "In deep soil.\nAnd sun.", "thanks"]),
        ("16-librechat-branches-flat.json", "generic", ["tell a very long tale", "Third version"]),
        ("17-le-chat.zip", "generic", [*WALNUTS, "Only in chunks.", "Second chat"]),
        ("18-telegram-checklist.json", "telegram", ["Shopping\n- walnuts\n- soap", "ok"]),
        ("20-markdown-headings.md", "generic", [*WALNUTS, "Thanks"]),
        ("20b-markdown-prompt-response.md", "generic", WALNUTS),
        ("21-sillytavern-old.jsonl", "generic", ["Welcome.", *WALNUTS]),
        ("23-line.txt", "chat-texts", ["The key is under the pot", "Good"]),
        ("24-takeout.tgz", "gemini", ["where is the boat", "In the harbour."]),
        ("04-whatsapp-ios-arabic-system-marked-rlm.txt", "whatsapp", ["hello"]),
        ("03-whatsapp-ios-arabic-mark-inside-bracket.txt", "whatsapp", ["hello", "good"]),
        ("06-whatsapp-ios-without-brackets.txt", "whatsapp", ["the key is under the pot", "good"]),
    ],
)
def test_reads_sample_file_in_time_order(name: str, format_name: str, words: Sequence[str]) -> None:
    history = read_history((SHAPES / name).read_bytes(), name)
    assert history.format == format_name
    assert list_texts(history) == list(words)
    times = [message.created_at for message in history.messages]
    assert times == sorted(times), "an answer never stands before its question"


def test_reverses_newest_first_copilot_csv() -> None:
    history = read_history((SHAPES / "14-copilot-activity-history.csv").read_bytes())
    assert [(message.role, message.created_at.day) for message in history.messages] == [
        ("user", 20), ("assistant", 20), ("user", 26), ("assistant", 26),
    ]  # fmt: skip
    assert list_texts(history)[3] == "**Deep soil**, and sun.\nNot too wet."


def test_reads_grok_and_perplexity_titles() -> None:
    for name, title in (("08-grok.json", "Walnut trees"), ("13-perplexity.json", "Walnuts")):
        assert read_history((SHAPES / name).read_bytes()).messages[0].title == title


def test_reads_dates_of_markdown_transcript() -> None:
    history = read_history((SHAPES / "20b-markdown-prompt-response.md").read_bytes(), "x.md")
    assert [message.created_at for message in history.messages] == [
        datetime(2025, 8, 24, 1, 46, 41, tzinfo=UTC), datetime(2025, 8, 24, 1, 46, 45, tzinfo=UTC),
    ]  # fmt: skip
    dated = "## You (2025-11-21T18:09:01+00:00)\n\nHi\n\n## Cursor (2025-11-21T18:09:05+00:00)\n\nHello\n"
    assert [message.created_at.second for message in read_history(dated, "x.md").messages] == [1, 5]


def test_heading_inside_answer_does_not_start_turn() -> None:
    text = "## User\n\nHow?\n\n## Claude\n\nSo:\n\n## Summary\n\nDone.\n\n```\n## User\n```\n"
    assert list_texts(read_history(text, "x.md")) == ["How?", "So:\n\n## Summary\n\nDone.\n\n```\n## User\n```"]


def test_reads_gemini_page_with_long_style_block() -> None:
    """The style block of a real Takeout page has 137,000 characters."""
    record = (
        '<div class="outer-cell mdl-cell"><div class="header-cell"><p>Gemini Apps</p></div><div class="content-cell">'
        "Prompted where do walnuts grow<br>Aug 8, 2026, 6:39:27 PM UTC<br><p>In deep soil.</p></div></div>"
    )
    page = f"<html><head><style>{'.a{color:red} ' * 20_000}</style></head><body>{record}</body></html>"
    for data in (page.encode(), zip_files({"Takeout/My Activity/Gemini Apps/MyActivity.html": page})):
        assert list_texts(read_history(data)) == ["where do walnuts grow", "In deep soil."]


@pytest.mark.parametrize("name", sorted(path.name for path in (SHAPES / "heads").iterdir()))
def test_reads_whatsapp_message_headers_of_many_locales(name: str) -> None:
    history = read_history((SHAPES / "heads" / name).read_bytes(), name)
    assert list_texts(history) == ["the key is under the pot", "good", "see you"]
    moments = {message.created_at.replace(second=0) for message in history.messages}
    year = 2022 if "R" in name else 2026 if "no-year" in name else 2018
    assert moments == {datetime(year, 6, 13, 21, 25, tzinfo=UTC)}


@pytest.mark.parametrize(
    ("head", "clock"),
    [
        ("18/3/22, 3:05 μ.μ. - ", (15, 5)),  # Greek
        ("18/3/22, 3:05 ip. - ", (15, 5)),  # Finnish, where CLDR says "ip."
        ("2022. 3. 18. 오후 3:05 - ", (15, 5)),
        ("2022/3/18 下午3:05 - ", (15, 5)),
        ("18.3.2022, 15.05 - ", (15, 5)),
        ("18-03-22 15:05 - ", (15, 5)),
        ("[18.03.22, 15:05:09] ", (15, 5)),
        ("[3/18/22, 3:05:09\u202fPM] ", (15, 5)),
        ("18 de mar. de 2022, 3:05 p. m. - ", (15, 5)),
        ("18 мар. 2022 г., 15:05 - ", (15, 5)),
        ("18/3/22, 3:05 a.m. - ", (3, 5)),
    ],
)
def test_parses_clock_time_of_message_head_in_any_language(head: str, clock: tuple[int, int]) -> None:
    found = parse_message_head(f"{head}Anna: hello")
    assert found is not None
    assert (found.clock.hour, found.clock.minute) == clock
    assert found.rest == "Anna: hello"


def test_converts_thai_and_persian_years_and_rejects_far_future() -> None:
    thai = read_history("18/3/2565 14:56 - Anna: hello\n19/3/2565 14:57 - Tom: good\n", "a.txt")
    persian = read_history("1402/1/27 14:56 - Anna: hello\n1402/1/28 14:57 - Tom: good\n", "a.txt")
    assert [history.messages[0].created_at.date().isoformat() for history in (thai, persian)] == [
        "2022-03-18", "2023-04-16",
    ]  # fmt: skip
    with pytest.raises(ImportRefused, match="2199"):
        read_history("18/3/2199 14:56 - Anna: hello\n19/3/2199 14:57 - Tom: good\n", "a.txt")


def test_asks_for_year_when_chat_dates_have_none() -> None:
    lines = "Dec 30, 9:25 PM - Anna: before\nJan 2, 9:25 PM - Tom: after\n"
    chosen = read_history(lines, "a.txt", year0=(26 - 15,))
    assert [message.created_at.year for message in chosen.messages] == [2014, 2015]
    assert "2015" in next(question for question in chosen.questions if question.name == "year").options


def test_whatsapp_ios_drops_system_lines_and_keeps_polls_and_places() -> None:
    history = read_history((SHAPES / "22-whatsapp-ios-poll-place-caption.txt").read_bytes())
    assert list_texts(history) == [
        "hello",
        "POLL:\nWhich day?\nOPTION: Monday (2 votes)\nOPTION: Tuesday (0 votes)",
        "Location: https://maps.google.com/?q=51.5,-0.12",
        "caption here",
    ]


def test_telegram_html_includes_reactions_forwards_polls_and_places() -> None:
    history = read_history((SHAPES / "19-telegram-html.html").read_bytes())
    assert [(message.speaker, message.content) for message in history.messages][2:] == [
        ("Tom", "answer\n[Reactions: 👍]"),
        ("Cleo Park", "[Forwarded from News Channel]\nThe bridge is closed"),
        ("Cleo Park", "[Poll] Which day?\n- Monday\n- Tuesday"),
        ("Tom", "[Place] 51.5, -0.12"),
        ("Tom", "[Contact] Lena Vogt +1 555 0100"),
    ]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("letta", {"agents": [{"messages": [
            {"role": "system", "content": [{"type": "text", "text": "You are"}]},
            {"role": "user", "content": [{"type": "text", "text": WALNUTS[0]}], "created_at": "2025-05-01T10:00:00Z"},
            {"role": "assistant", "content": [{"type": "text", "text": WALNUTS[1]}]},
        ]}]}),
        ("typingmind", {"data": {"chats": [{"chatTitle": "Walnuts", "messages": [
            {"role": "user", "content": WALNUTS[0], "createdAt": "2025-05-01T10:00:00Z"},
            {"role": "assistant", "content": [{"type": "text", "text": WALNUTS[1]}]},
        ]}]}}),
        ("lobechat", {"exportType": "all", "state": {"sessions": [{"id": "s"}], "messages": [
            {"id": "1", "role": "user", "content": WALNUTS[0], "createdAt": 1746093600000, "sessionId": "s"},
            {"id": "2", "role": "assistant", "content": WALNUTS[1], "createdAt": 1746093601000, "sessionId": "s"},
        ]}}),
        ("mapping", [{"title": "W", "mapping": {
            "a": {"id": "a", "parent": None, "message": None},
            "b": {"id": "b", "parent": "a", "message": {"role": "human", "text": WALNUTS[0]}},
            "c": {"id": "c", "parent": "b", "message": {"role": "bot", "text": WALNUTS[1]}},
        }}]),
        ("perplexity entries", {"entries": [
            {"query_str": WALNUTS[0], "blocks": [{"markdown_block": {"answer": WALNUTS[1]}}],
             "updated_datetime": "2026-01-01T10:00:00Z"},
        ]}),
    ],
)  # fmt: skip
def test_finds_conversation_wherever_program_nests_it(name: str, data: object) -> None:
    assert list_texts(read_history(data, f"{name}.json")) == WALNUTS


def test_drops_thinking_and_tool_calls_from_answer() -> None:
    parts = [{"type": "thinking", "text": "hm"}, {"type": "tool_call", "text": "x"}, {"type": "text", "text": "Soil."}]
    data = {"messages": [{"role": "user", "content": "Where?"}, {"role": "assistant", "content": parts}]}
    assert list_texts(read_history(data)) == ["Where?", "Soil."]


def test_claude_artifact_becomes_text() -> None:
    artifact = {
        "type": "tool_use",
        "name": "artifacts",
        "input": {"title": "Plan", "type": "text/markdown", "command": "create", "content": "Plant walnuts."},
    }
    message = {"uuid": "m", "sender": "assistant", "content": [{"type": "text", "text": "Here."}, artifact],
               "created_at": "2025-05-01T10:00:00Z"}  # fmt: skip
    assert list_texts(read_history([{"uuid": "c", "chat_messages": [message]}])) == [
        "Here.\n\n# Plan\n\nPlant walnuts."
    ]


def test_reads_slack_export_with_user_names() -> None:
    day = [
        {"type": "message", "user": "U1", "text": "The key is under the pot", "ts": "1714557600.000100"},
        {"type": "message", "subtype": "channel_join", "user": "U2", "text": "joined", "ts": "1714557601.000100"},
        {"type": "message", "user": "U2", "text": "Good", "ts": "1714557602.000100"},
    ]
    users = [{"id": "U1", "team_id": "T", "real_name": "Anna", "profile": {}}, {"id": "U2", "name": "tom"}]
    history = read_history(zip_files({"users.json": json.dumps(users), "home/2024-05-01.json": json.dumps(day)}))
    assert [(message.speaker, message.content) for message in history.messages] == [
        ("Anna", "The key is under the pot"), ("tom", "Good"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "Tom 님과 카카오톡 대화\n저장한 날짜 : 2025년 8월 24일 오전 9:00\n\n2025년 8월 23일 오후 9:25, 나 : hello\n",
        "KakaoTalk Chats with Tom\n--------------- Saturday, August 23, 2025 ---------------\n[Tom] [9:25 PM] hello\n",
        "----------\n2025년 8월 23일 토요일\n----------\n오후 9:25, 홍길동 : hello\n----------\n2025년 8월 24일 일요일\n----------\n",
        "--------------- 2025년 8월 23일 토요일 ---------------\n[Tom] [오후 9:25] hello\n[Tom] [오후 9:26] 이모티콘\nTom님이 나갔습니다.\n",
        "[LINE] Chat history with Tom\nSaved on: 2025/08/24 10:00\n\n2025/08/23(Sat)\n21:25\tTom\thello\n",
        "[LINE] Tomとのトーク履歴\n保存日時：2025/08/24 10:00\n\n2025/08/23(土)\n午後9:25\tTom\thello\n",
    ],
)
def test_reads_line_and_kakaotalk_chats(text: str) -> None:
    history = read_history(text, "chat.txt")
    assert [(message.content, message.created_at) for message in history.messages] == [
        ("hello", datetime(2025, 8, 23, 21, 25, tzinfo=UTC))
    ]


def test_reads_hour_24_as_midnight() -> None:
    """Some phones count hours from 1 to 24. Such messages must not be joined to the previous one."""
    history = read_history(
        "[LINE] Chat history with Tom\n\n2025/08/23(Sat)\n24:05\tTom\thello\n1:10\tAnna\tgood\n", "chat.txt"
    )
    assert [(message.content, message.created_at.hour) for message in history.messages] == [("hello", 0), ("good", 1)]


def test_rejects_unsupported_json_and_lists_supported_formats() -> None:
    teams = {"userId": "8:a", "conversations": [{"id": "1", "MessageList": [{"content": "hi", "from": "8:b"}]}]}
    for data, told in ((teams, "Teams"), ({"conversations": [{"x": 1}]}, "data in JSON")):
        with pytest.raises(ImportRefused, match=told) as refused:
            read_history(data)
        assert "ChatGPT" in str(refused.value)
    assert read_history("[]", "conversations.json").messages == []


@pytest.mark.parametrize("magic", [b"Rar!\x1a\x07", b"7z\xbc\xaf\x27\x1c", b"\xfd7zXZ\x00"])
def test_rejects_other_archive_types_and_suggests_zip(magic: bytes) -> None:
    with pytest.raises(ImportRefused, match=r"as \.zip"):
        read_history(magic + bytes(200))


def test_rejects_tar_archive_above_size_limit() -> None:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w:gz") as archive:
        large = tarfile.TarInfo("conversations.json")
        large.size = 40_000_000
        archive.addfile(large, io.BytesIO(b" " * large.size))
    with pytest.raises(ImportRefused, match="MB"):
        read_history(held.getvalue())


def test_notes_number_of_temporary_chats() -> None:
    history = read_history((SHAPES / "26-chatgpt-do-not-remember.json").read_bytes())
    assert any("temporary chats: 1" in note for note in history.notes)


def test_leaves_out_temporary_chats_of_grok_and_counts_them() -> None:
    def make_chat(words: str, **about: object) -> dict[str, object]:
        answer = {
            "response": {
                "_id": f"{words}-2",
                "message": "Hello",
                "sender": "assistant",
                "create_time": "2025-05-02T09:00:05Z",
            }
        }
        question = {
            "response": {"_id": words, "message": words, "sender": "human", "create_time": "2025-05-02T09:00:00Z"}
        }
        return {"conversation": {"id": words, "title": words, **about}, "responses": [question, answer]}

    history = read_history({"conversations": [make_chat("Hush", temporary=True), make_chat("Hi", temporary=False)]})
    assert list_texts(history) == ["Hi", "Hello"]
    assert any("temporary chats: 1" in note for note in history.notes)


def test_reads_messages_of_letta_interface_and_offers_none_as_memory() -> None:
    listed = [
        {
            "id": "message-1",
            "date": "2025-07-01T08:01:00+00:00",
            "message_type": "user_message",
            "content": "I moved to Bern",
        },
        {
            "id": "message-2",
            "date": "2025-07-01T08:01:02+00:00",
            "message_type": "reasoning_message",
            "reasoning": "New?",
        },
        {
            "id": "message-3",
            "date": "2025-07-01T08:01:04+00:00",
            "message_type": "assistant_message",
            "content": "How is it?",
        },
    ]
    history = read_history(listed)
    assert [(message.role, message.content) for message in history.messages] == [
        ("user", "I moved to Bern"), ("assistant", "How is it?"),
    ]  # fmt: skip
    assert not history.questions


def test_reads_date_in_field_of_obsidian_heading() -> None:
    text = "# Chats from 2025-06-08 [created:: 2025-06-08T12:37:50+00:00]\n\n## Human [created:: 2025-06-08T12:37:50+00:00]\n\nIs it there?\n\n## Gemini [created:: 2025-06-08T12:38:50+00:00]\n\nNo.\n"
    history = read_history(text, "2025-06-08.md")
    assert list_texts(history) == ["Is it there?", "No."]
    assert [message.created_at.minute for message in history.messages] == [37, 38]
