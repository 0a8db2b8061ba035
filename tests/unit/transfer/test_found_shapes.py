"""Tests of reading file formats that public projects encountered."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from records.errors import ImportRefused
from tests.unit.transfer.talk import zip_files
from tests.unit.transfer.test_real_shapes import WALNUTS, list_texts, read_history

ASKED, ANSWERED = WALNUTS
MILLISECONDS = 1714557600000  # 1 May 2024, 10:00
NODES = {
    name: {
        "id": name, "parent": parent, "message": {
            "id": name, "author": {"role": role}, "create_time": MILLISECONDS / 1000, "recipient": "all",
            "content": {"content_type": "text", "parts": [text]},
        },
    }
    for name, parent, role, text in (("a", None, "user", ASKED), ("b", "a", "assistant", ANSWERED))
}  # fmt: skip
CHATGPT = {"title": "Walnuts", "mapping": NODES, "current_node": "b", "conversation_id": "c"}
CLAUDE = {
    "uuid": "c",
    "name": "Walnuts",
    "chat_messages": [
        {
            "uuid": role,
            "sender": role,
            "content": [{"type": "text", "text": text}],
            "created_at": "2024-05-01T10:00:00Z",
        }
        for role, text in zip(("human", "assistant"), WALNUTS, strict=True)
    ],
}


@pytest.mark.parametrize("conversation", [CHATGPT, CLAUDE])
def test_wrapped_conversation_yields_same_messages(conversation: dict[str, Any]) -> None:
    """Tools wrap the files of ChatGPT and Claude. Importing both forms must not duplicate messages."""
    plain = read_history([conversation]).messages
    assert list_texts(read_history([conversation])) == WALNUTS
    for wrapper in (
        {"exported_at": "2025-01-01", "user": {"id": "u"}, "conversations": [conversation]},
        {"data": [conversation]},
        {"c": conversation},
        [[conversation]],
    ):
        assert read_history(json.dumps(wrapper, indent=1)).messages == plain


def pair_of_roles(user: str, assistant: str, role: str = "role", text: str = "content") -> list[dict[str, Any]]:
    return [{role: user, text: ASKED}, {role: assistant, text: ANSWERED}]


STEPS = [
    {"step_type": "INITIAL_QUERY", "content": {"query": ASKED}},
    {"step_type": "FINAL", "content": {"answer": json.dumps({"answer": ANSWERED, "web_results": []})}},
]


@pytest.mark.parametrize(
    ("name", "data", "title", "year"),
    [
        ("HuggingChat, whose children are ids", {"conversations": [{"title": "Walnuts", "messages": [
            {"id": "1", "from": "user", "content": ASKED, "children": ["2"], "createdAt": "2024-05-01T10:00:00Z"},
            {"id": "2", "from": "assistant", "content": ANSWERED, "children": [], "createdAt": "2024-05-01T10:00:01Z"},
        ]}]}, "Walnuts", 2024),
        ("Copilot in an editor", {"requesterUsername": "anna", "requests": [{
            "message": {"text": ASKED, "parts": [{"text": ASKED, "kind": "text"}]}, "timestamp": MILLISECONDS,
            "response": [{"kind": "thinking", "value": "hm"}, {"value": "In deep "}, {"value": "soil."}],
        }]}, "", 2024),
        ("Codex", "\n".join(json.dumps({"timestamp": "2024-05-01T10:00:00Z", "type": "response_item", "payload": {
            "type": "message", "role": role, "content": [{"type": f"{kind}_text", "text": text}],
        }}) for role, kind, text in (("user", "input", ASKED), ("assistant", "output", ANSWERED))), "", 2024),
        ("Perplexity's steps", {"entries": [{"query_str": ASKED, "thread_title": "Walnuts", "text": json.dumps(STEPS),
                                            "updated_datetime": "2024-05-01T10:00:00.123"}]}, "Walnuts", 2024),
        ("an exporter with its dates apart", {
            "metadata": {"title": "Walnuts", "dates": {"created": "5/13/2024 10:00:00", "exported": "6/13/2024 9:00"}},
            "messages": pair_of_roles("Prompt", "Response", text="say"),
        }, "Walnuts", 2024),
        ("NextChat", f"# Walnuts\n\n## From You:\n{ASKED}\n\n## From ChatGPT:\n{ANSWERED}\n", "Walnuts", 2026),
        ("a date behind a bold name",
         f"**Human** (2024-05-01 10:00:00)\n\n{ASKED}\n\n**Claude** (2024-05-01 10:00:05)\n\n{ANSWERED}\n", "", 2024),
        ("rules of stars",
         f"# Walnuts\n\n**You:**\n\n{ASKED}\n\n* * *\n\n**ChatGPT:**\n\n{ANSWERED}\n\n* * *\n", "Walnuts", 2026),
        ("callouts of Obsidian", f""">[!nexus_user] **User** - 2024/05/01 at 10:00:00
> {ASKED}

<!-- UID: a -->
>[!nexus_agent] **Assistant** - 2024/05/01 at 10:00:05
> {ANSWERED}

<!-- UID: b -->
""", "", 2024),
        ("a head before the talk", f"""---
title: Walnuts
created: 2024-05-01T10:00:00Z
---

## User

{ASKED}

## Assistant (gpt-4o)

{ANSWERED}
""", "Walnuts", 2024),
        ("Japanese headings", f"## ユーザー\n\n{ASKED}\n\n## アシスタント\n\n{ANSWERED}\n", "", 2026),
    ],
)  # fmt: skip
def test_reads_assistant_conversation_with_title_and_date(name: str, data: object, title: str, year: int) -> None:
    history = read_history(data, "sent.md" if isinstance(data, str) else "sent.json")
    assert list_texts(history) == WALNUTS
    assert [message.role for message in history.messages] == ["user", "assistant"]
    assert (history.messages[0].title, history.messages[0].created_at.year) == (title, year)


def test_reads_every_chat_of_file_with_one_list_per_person() -> None:
    """Snapchat and TikTok write one list per person. Once only the first list was read."""

    def say(name: str, text: str) -> dict[str, str]:
        return {"From": name, "Media Type": "TEXT", "Created": "2024-05-01 10:00:00 UTC", "Content": text}

    history = read_history({"tom": [say("tom", "good")], "cleo": [say("cleo", "yes"), say("anna", "there?")]})
    assert [(message.title, message.content) for message in history.messages] == [
        ("tom", "good"), ("cleo", "yes"), ("", "there?"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "data",
    [
        """localId,Type,IsSender,StrContent,StrTime,NickName,Sender
1,1,1,hello,2024-05-01 10:00:00,Anna,wxid_1
2,1,0,good,2024-05-01 10:00:00,Tom,wxid_2
""",
        "2024-05-01 10:00:00 Anna\nhello\n\n2024-05-01 10:00:00 Tom\ngood\n",
        {"chatlab": {"version": "1"}, "messages": [
            {"sender": "1", "accountName": "Anna", "timestamp": MILLISECONDS // 1000, "type": 0, "content": "hello"},
            {"sender": "2", "accountName": "Tom", "timestamp": MILLISECONDS // 1000, "type": 0, "content": "good"},
        ]},
        """Tom 님과 카카오톡 대화

2024. 5. 1. 오전 10:00, Anna : hello
2024. 5. 1. 오전 10:00, Tom : good
2024. 5. 1. 오전 10:02: Tom님이 나갔습니다.
2024. 5. 1. 오전 10:03, Tom : 사진
""",
        """[LINE] 與Tom的聊天記錄

2024/05/01（週三）
上午10:00\tAnna\thello
上午10:00\tTom\tgood
上午10:02\tTom已收回訊息
""",
        """Guild: Home

[2024-05-01 10:00] Anna (pinned)
hello

{Reactions}
👍

[2024-05-01 10:00] Tom
good

{Attachments}
https://cdn.example/x.png
""",
        "May 01, 2024 10:00:00 AM\nAnna\nhello\nTapbacks:\nLoved by Tom\n\nMay 01, 2024 10:00:00 AM\nTom\ngood\n",
    ],
)  # fmt: skip
def test_drops_lines_added_by_chat_app(data: object) -> None:
    history = read_history(data, "chat.txt")
    assert [(message.speaker, message.content, message.created_at) for message in history.messages] == [
        ("Anna", "hello", datetime(2024, 5, 1, 10, tzinfo=UTC)), ("Tom", "good", datetime(2024, 5, 1, 10, tzinfo=UTC)),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("deleted", "edited"),
    [
        ("تم حذف هذه الرسالة", "تم تعديل هذه الرسالة"),
        ("הודעה זו נמחקה", "ההודעה נערכה"),
        ("Usunięto tę wiadomość", "Edytowano tę wiadomość"),
        ("This message was deleted", "Any words of any language"),
    ],
)
def test_detects_whatsapp_markers_by_repetition(deleted: str, edited: str) -> None:
    lines = (
        f"Anna: hello <{edited}>", f"Tom: {deleted}", f"Tom: good <{edited}>", "Tom: <left out>", "Anna: <left out>",
        "Anna: <left out>\nits caption", "Tom: I <3 you <Name>",
    )  # fmt: skip
    history = read_history("".join(f"13/5/2024, 10:0{number} - {line}\n" for number, line in enumerate(lines)))
    assert list_texts(history) == ["hello", "good", "its caption", "I <3 you <Name>"]


@pytest.mark.parametrize("head", ["[19.09.23, 21:03:05] ", "[2023-09-19, 21:03:05] ", "[19.9.2023, 21:03:05] "])
def test_bracketed_date_is_not_parsed_as_json(head: str) -> None:
    assert list_texts(read_history(f"{head}Anna: hello\n{head}Tom: good\n")) == ["hello", "good"]


def test_csv_conversation_takes_title_from_its_column() -> None:
    table = (
        "CONVERSATION ID,CONVERSATION TITLE,FROM,TO,DATE,CONTENT\n2-x,Boats,Tom,Anna,2024-05-01 10:01:00 UTC,good\n"
        "2-x,Boats,Anna,Tom,2024-05-01 10:00:00 UTC,hello\n2-y,,Cleo,Anna,2024-04-01 10:00:00 UTC,other\n"
    )
    history = read_history(table, "messages.csv")
    assert [message.content for message in history.messages] == ["other", "hello", "good"]
    assert history.messages[1].title == "Boats"


def test_discord_server_index_does_not_replace_channel_names() -> None:
    rows = [{"ID": 1, "Timestamp": "2024-05-01 10:00:00", "Contents": "hello"}]
    names = {"messages/index.json": json.dumps({"11": "with Tom"}), "servers/index.json": json.dumps({"7": "Home"})}
    assert (
        read_history(zip_files({**names, "messages/c11/messages.json": json.dumps(rows)})).messages[0].title
        == "with Tom"
    )


def ask_about_dates(rows: Sequence[str], **answers: tuple[int, ...]) -> tuple[list[str], list[str]]:
    lines = "".join(f"{row},Anna,hello\n" for row in rows)
    history = read_history(f"Date,Sender,Message\n{lines}", "x.csv", **answers)
    days = [f"{message.created_at:%Y-%m-%d}" for message in history.messages]
    return [question.name for question in history.questions], days


def test_csv_date_order_is_inferred_from_all_rows_or_asked() -> None:
    assert ask_about_dates(["03/04/2025 10:00", "13/04/2025 10:00"]) == (["speaker"], ["2025-04-03", "2025-04-13"])
    assert ask_about_dates(["03/04/2025 10:00", "03/14/2025 10:00"]) == (["speaker"], ["2025-03-04", "2025-03-14"])
    rising = ["03/04/2025 10:00", "04/04/2025 10:00", "01/05/2025 10:00"]
    assert ask_about_dates(rising) == (["speaker"], ["2025-04-03", "2025-04-04", "2025-05-01"])
    assert ask_about_dates(["05/05/2025 10:00"]) == (["speaker"], ["2025-05-05"])
    assert ask_about_dates(["03/04/2025 10:00"], order0=(0,)) == (["order", "speaker"], ["2025-04-03"])
    assert ask_about_dates(["03/04/2025 10:00"], order0=(1,)) == (["order", "speaker"], ["2025-03-04"])


def test_asks_day_month_order_of_ambiguous_json_dates() -> None:
    data = {"messages": [{**message, "date": "3/4/2025 10:00:00"} for message in pair_of_roles("user", "assistant")]}
    for answer, day in ((0, (4, 3)), (1, (3, 4))):
        history = read_history(data, order0=(answer,))
        assert [question.name for question in history.questions] == ["order"]
        assert (history.messages[0].created_at.month, history.messages[0].created_at.day) == day


@pytest.mark.parametrize(
    ("dates", "first", "is_asked"),
    [
        (("3/4/2025, 10:00:00 AM", "13/4/2025, 10:00:00 AM"), (3, 4), False),
        (("3/14/2025, 10:00:00 AM", "4/3/2025, 10:00:00 AM"), (14, 3), False),
        (("3/4/25, 10:00:00 AM", "3/4/25, 10:00:05 AM"), (3, 4), True),
    ],
)
def test_twelve_hour_clock_does_not_imply_month_first(
    dates: tuple[str, str], first: tuple[int, int], is_asked: bool
) -> None:
    """India and Australia write the day first and use AM/PM. If no date is conclusive, the importer is asked."""
    roles = pair_of_roles("user", "assistant")
    history = read_history({"messages": [message | {"date": date} for message, date in zip(roles, dates, strict=True)]})
    at = history.messages[0].created_at
    assert ((at.day, at.month), bool(history.questions)) == (first, is_asked)


def test_arbitrary_list_is_not_read_as_memories() -> None:
    posts = {"entries": [{"text": "Look at this", "created": "2024-05-01"}]}
    with pytest.raises(ImportRefused, match="data in JSON"):
        read_history(posts)
    assert [question.name for question in read_history({"memories": posts["entries"]}).questions] == ["facts"]


def make_activity(title: str, answer: str = "", day: int = 1) -> dict[str, Any]:
    html = {"safeHtmlItem": [{"html": answer}]} if answer else {}
    return {"header": "Εφαρμογές Gemini", "title": title, "time": f"2025-05-{day:02}T10:00:00Z", **html}


def test_strips_gemini_prompt_verb_without_separator() -> None:
    prompts = [
        make_activity(f"Υποβλήθηκε το ερώτημα {word}", "ναι", day) for day, word in enumerate(("α", "β", "γ"), 2)
    ]
    history = read_history([*prompts, make_activity("Χρησιμοποιήθηκε μια λειτουργία")])
    assert list_texts(history)[::2] == ["α", "β", "γ"]


def test_gemini_page_drops_attachment_list_and_reads_localized_dates() -> None:
    def record(words: str, date: str) -> str:
        cell = f'<div class="content-cell">{words}<br>{date}<br><p>yes</p></div>'
        return f'<div class="outer-cell"><div class="header-cell"><p>Gemini Apps</p></div>{cell}</div>'

    files = '1 Datei angehängt.<br>-\u00a0 <a href="boat-1.png">boat.png</a>'
    history = read_history(record(f"Prompted\u00a0what is this<br>{files}", "Jul 3, 2026, 9:15:00 AM PDT"))
    assert list_texts(history) == ["what is this", "yes"]
    greek = read_history(record("Prompted\u00a0hi", "13 Μαΐ 2025, 9:03:05 μ.μ. EEST"))
    assert greek.messages[0].created_at.hour == 21
    thai = read_history(record("Prompted\u00a0hi", "13 พฤษภาคม 2568 21:03:05 GMT+7"))
    assert thai.messages[0].created_at == datetime(2025, 5, 13, 14, 3, 5, tzinfo=UTC)


def test_whatsapp_line_without_speaker_does_not_change_detected_format() -> None:
    history = read_history("2024-05-13 10:00:00 - Anna joined\n2024-05-13 10:00:01 - Anna: hello\n")
    assert (history.format, list_texts(history)) == ("whatsapp", ["hello"])


@pytest.mark.parametrize(
    ("person", "assistant"),
    [
        ("Message From You", "Message From ChatGPT"),
        ("来自你的消息", "来自 ChatGPT 的消息"),
        ("來自您的訊息", "來自 ChatGPT 的訊息"),
        ("Deine Nachricht", "Nachricht von ChatGPT"),
        ("Messaggio da te", "Messaggio da ChatGPT"),
        ("Tin nhắn của bạn", "Tin nhắn từ ChatGPT"),
        ("Mensahe Mula sa Iyo", "Mensahe Mula sa ChatGPT"),
        ("आपका संदेश", "ChatGPT से संदेश"),
        ("رسالة منك", "رسالة من ChatGPT"),
    ],
)
def test_reads_nextchat_headings_in_any_language(person: str, assistant: str) -> None:
    """Only one heading names the assistant, so the other heading is the user."""
    turns = ((person, ASKED), (assistant, f"{ANSWERED}\n\n### Why\n\nRoots."), (person, "thanks"), (assistant, "ok"))
    history = read_history(
        "# Walnuts\n\n" + "\n\n".join(f"## {heading}:\n{words}" for heading, words in turns), "chat.md"
    )
    assert [(said.role, said.content) for said in history.messages] == [
        ("user", ASKED), ("assistant", f"{ANSWERED}\n\n### Why\n\nRoots."), ("user", "thanks"), ("assistant", "ok"),
    ]  # fmt: skip


def test_rejects_notes_with_sections_about_assistants() -> None:
    for chapters in (
        "## Tools\n\nmany\n\n## ChatGPT\n\none",
        "## Tools\n\na\n\n## ChatGPT\n\nb\n\n## Claude\n\nc",
        "### Added\n\na\n\n### AI\n\nb\n\n### Added\n\nc\n\n### AI\n\nd",
        "Name: one\nModel: X1\nName: two\nModel: X2",
    ):
        with pytest.raises(ImportRefused):
            read_history(f"# Notes\n\n{chapters}\n", "notes.md")


@pytest.mark.parametrize(
    "listed",
    [
        "Provider: A\nModel: x\nProvider: B\nModel: y\nProvider: C\nModel: z",
        "### Setup\n\na\n\n### Model\n\nb\n\n### Setup\n\nc\n\n### Model\n\nd\n\n### Setup\n\ne\n\n### Model\n\nf",
        "## Setup:\n\na\n\n## AI Model:\n\nb\n\n## Setup:\n\nc\n\n## AI Model:\n\nd\n\n## Setup:\n\ne",
        "It is in Claude Code v2.0:\n\n> plan mode\n\n● and more",
        " ▐▛███▜▌   Claude Code v2.0.14\n\n> fix the bug\n\n● Done",
    ],
)
def test_list_inside_answer_is_not_split_into_messages(listed: str) -> None:
    history = read_history(f"**User:** Compare.\n\n**Assistant:** See:\n{listed}\n\n**User:** thanks\n", "x.md")
    assert list_texts(history) == ["Compare.", f"See:\n{listed}", "thanks"]


@pytest.mark.parametrize(("asks", "answers"), [(">", "⏺"), ("❯", "●")])
def test_reads_claude_code_terminal_export(asks: str, answers: str) -> None:
    screen = (
        f" ▐▛███▜▌   Claude Code v2.0.14\n▝▜█████▛▘  Opus 4.5 · Claude Max\n\n"
        f"{asks} Where is the key defined?\n  In src?\n\n"
        f'{answers} I\'ll look for it.\n\n{answers} Search(pattern: "KEY")\n  ⎿  Found 3 files (ctrl+o to expand)\n\n'
        f"{answers} In config.py:\n  - line 3\n\n✻ Worked for 34s\n\n{asks} /clear\n  ⎿  (no content)\n\n"
        f"! python3 -m venv x\n  ⎿  done\n\n{asks} thanks\n"
    )
    history = read_history(screen, "2025-10-11-session.txt")
    assert [(said.role, said.content) for said in history.messages] == [
        ("user", "Where is the key defined?\nIn src?"), ("assistant", "I'll look for it."),
        ("assistant", "In config.py:\n- line 3"), ("user", "thanks"),
    ]  # fmt: skip


def test_translation_file_is_not_read_as_conversation() -> None:
    texts = {"common": {"user": "User", "assistant": "Assistant"}, "chat": {"prompt": "Ask me", "response": "Answer"}}
    with pytest.raises(ImportRefused):
        read_history(texts, "en.json")
    talk = {"1": {"user": ASKED, "assistant": ANSWERED}, "2": {"user": "thanks", "assistant": "ok"}}
    assert list_texts(read_history({"turns": talk})) == [ASKED, ANSWERED, "thanks", "ok"]
