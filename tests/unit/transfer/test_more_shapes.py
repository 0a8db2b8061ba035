"""Tests of reading more file formats with the generic parser."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from records.errors import ImportRefused
from tests.unit.transfer.talk import zip_files
from tests.unit.transfer.test_real_shapes import WALNUTS, list_texts, read_history

AT = datetime(2024, 5, 1, 10, 0, tzinfo=UTC)
SECONDS = int(AT.timestamp())
ASKED, ANSWERED = ({"role": role, "content": text} for role, text in zip(("user", "assistant"), WALNUTS, strict=True))


def to_json_lines(*rows: dict[str, Any]) -> str:
    return "\n".join(map(json.dumps, rows))


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("Messenger with encryption", {"participants": ["Anna", "Tom"], "threadName": "Tom_1", "messages": [
            {"senderName": "Anna", "text": "hello", "timestamp": SECONDS * 1000, "type": "text", "isUnsent": False},
            {"senderName": "Tom", "text": "good", "timestamp": SECONDS * 1000 + 1, "type": "text", "isUnsent": False},
        ]}),
        ("Signal", to_json_lines(
            {"date": "2024-05-01 10:00:00", "sender": "Anna", "body": "hello", "reactions": []},
            {"date": "2024-05-01 10:00:00", "sender": "Tom", "body": "good", "reactions": []},
        )),
        ("Snapchat", {"tom": [
            {"From": "Tom", "Media Type": "TEXT", "Created": "2024-05-01 10:00:00 UTC", "Content": "good"},
            {"From": "Anna", "Media Type": "TEXT", "Created": "2024-05-01 09:59:59 UTC", "Content": "hello"},
        ]}),
        ("Google Chat", {"messages": [
            {"creator": {"name": "Anna"}, "created_date": "Wednesday, May 1, 2024 at 10:00:00 AM UTC", "text": "hello"},
            {"creator": {"name": "Tom"}, "created_date": "Wednesday, May 1, 2024 at 10:00:00 AM UTC", "text": "good"},
        ]}),
        ("Teams", {"conversations": [{"displayName": "Tom", "MessageList": [
            {"from": "Tom", "originalarrivaltime": "2024-05-01T10:00:00Z", "messagetype": "RichText/Html",
             "content": "<p>good</p>"},
            {"from": "Anna", "originalarrivaltime": "2024-05-01T09:59:59Z", "messagetype": "Text", "content": "hello"},
            {"from": "x", "originalarrivaltime": "2024-05-01T09:00:00Z", "messagetype": "ThreadActivity/AddMember",
             "content": "<addmember/>"},
        ]}]}),
        ("KakaoTalk on a Mac", "\ufeffDate,User,Message\n2024-05-01 10:00:00,Anna,hello\n2024-05-01 10:00:01,Tom,good"),
        ("Discord's table",
         "AuthorID,Author,Date,Content\n1,Anna,01-May-24 10:00 AM,hello\n2,Tom,2024-05-01T10:00:00.000000+00:00,good"),
        ("Discord's text", "Guild: Home\n\n[01-May-24 10:00 AM] Anna\nhello\n\n[01-May-24 10:00 AM] Tom\ngood\n"),
        ("copied from Telegram", "Anna, [01.05.2024 10:00]\nhello\n\nTom, [01.05.2024 10:00]\ngood\n"),
        ("iMessage", "May 01, 2024 10:00:00 AM\nAnna\nhello\n\nMay 01, 2024 10:00:00 AM (Read by you)\nTom\ngood\n"),
        ("LINE on a computer", "2024.05.01 Wednesday\n10:00 Anna hello\n10:00 Tom good\n"),
        ("LINE with a line of its own",
         "[LINE] x\n\n2024/05/01(Wed)\n10:00\tAnna\thello\n10:00\tTom\tgood\n10:01\t\tTom unsent a message.\n"),
        ("WhatsApp in Hindi", "1/5/24, 10:00 पूर्वाह्न - Anna: hello\n1/5/24, 10:00 पूर्वाह्न - Tom: good\n"),
        ("WhatsApp in Tamil", "1/5/24, முற்பகல் 10:00 - Anna: hello\n1/5/24, முற்பகல் 10:00 - Tom: good\n"),
        ("signal-cli", to_json_lines(
            {"envelope": {"source": "+1857", "sourceName": "Anna", "timestamp": SECONDS * 1000,
                          "dataMessage": {"timestamp": SECONDS * 1000, "message": "hello", "viewOnce": False}}},
            {"envelope": {"source": "+1857", "sourceName": "Anna", "timestamp": SECONDS * 1000,
                          "typingMessage": {"action": "STARTED", "timestamp": SECONDS * 1000}}},
            {"envelope": {"source": "+1999", "sourceName": "Tom", "timestamp": SECONDS * 1000 + 1,
                          "syncMessage": {"sentMessage": {"destination": "+1857", "message": "good"}}}},
        )),
        ("edited on iOS", "[1/5/24, 10:00:00] Anna: hello\u200e <Modifié>\n[1/5/24, 10:00:00] Tom: good\n"),
    ],
)  # fmt: skip
def test_reads_chat_between_people_and_asks_for_speaker(name: str, data: object) -> None:
    history = read_history(data)
    assert [(message.speaker, message.content) for message in history.messages] == [("Anna", "hello"), ("Tom", "good")]
    assert abs(history.messages[1].created_at - AT).total_seconds() < 2
    assert [question.name for question in history.questions if question.name == "speaker"]
    assert read_history(data).messages == history.messages, "a second import has the same sources"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("LM Studio", {"name": "W", "messages": [
            {"versions": [{"role": "user", "content": WALNUTS[0]}], "currentlySelected": 0},
            {"versions": [{"role": "assistant", "steps": [
                {"type": "contentBlock", "content": [{"type": "text", "text": f"<think>hm</think>{WALNUTS[1]}"}]},
            ]}], "currentlySelected": 0},
        ]}),
        ("Chatbox", {"chat-sessions": [{"name": "W", "messages": [
            {"role": "user", "contentParts": [{"type": "text", "text": WALNUTS[0]}]},
            {"role": "assistant", "contentParts": [{"type": "reasoning", "text": "hm"},
                                                   {"type": "text", "text": WALNUTS[1]}]},
        ]}]}),
        ("Big-AGI", {"conversations": [{"messages": [
            {"role": "user", "fragments": [{"ft": "content", "part": {"pt": "text", "text": WALNUTS[0]}}]},
            {"role": "assistant", "fragments": [{"ft": "content", "part": {"pt": "text", "text": WALNUTS[1]}}]},
        ]}]}),
        ("Qwen", {"data": [{"title": "W", "chat": {"history": {"currentId": "2", "messages": {
            "1": {"id": "1", "parentId": None, **ASKED},
            "2": {"id": "2", "parentId": "1", "role": "assistant", "content": "", "content_list": [
                {"content": "hm", "phase": "think"}, {"content": WALNUTS[1], "phase": "answer"},
            ]},
        }}}}]}),
        ("an exporter for Claude", {"meta": {"title": "W"}, "chats": [
            {"type": "prompt", "message": [{"type": "p", "data": WALNUTS[0]}]},
            {"type": "response", "message": [{"type": "p", "data": WALNUTS[1]}]},
        ]}),
        ("Letta, where an agent speaks by a tool", {"agents": [{"messages": [
            {"role": "user", "content": [{"type": "text", "text": '{"type": "heartbeat", "reason": "x"}'}]},
            {"role": "user", "content": json.dumps({"type": "user_message", "message": WALNUTS[0]})},
            {"role": "assistant", "content": "I shall answer.", "tool_calls": [
                {"function": {"name": "send_message", "arguments": json.dumps({"message": WALNUTS[1]})}},
            ]},
        ]}]}),
        ("LibreChat's table", """sender,text,createdAt
User,Where do walnuts grow?,2024-05-01T10:00:00Z
GPT-4,In deep soil.,2024-05-01T10:00:01Z
"""),
        ("an assistant with a name of its own", {"messages": [
            {"author": "human", "text": WALNUTS[0], "creationTime": SECONDS * 1_000_000},
            {"author": "Claude-3", "text": WALNUTS[1], "creationTime": SECONDS * 1_000_000},
        ]}),
        ("numbered headings", """### Message 1 - 👤 **User**
*2024-05-01T10:00:00*

Where do walnuts grow?

### Message 2 - **Think**

hm

### Message 3 - 🤖 **Agent**

In deep soil.
"""),
        ("dates behind a dash", """<!-- node: a -->
## user — 2024-05-01T10:00:00+00:00

Where do walnuts grow?

## assistant — 2024-05-01T10:00:01+00:00

<!-- node: b -->
In deep soil.
"""),
    ],
)  # fmt: skip
def test_reads_assistant_conversation_in_many_schemas(name: str, data: object) -> None:
    assert list_texts(read_history(data)) == WALNUTS


def test_splits_messages_by_topic_with_titles() -> None:
    data = {"data": {
        "topics": [{"id": "t1", "title": "Walnuts"}, {"id": "t2", "title": "Soap"}],
        "messages": [
            {"id": "m1", "topicId": "t1", "parentId": None, **ASKED},
            {"id": "m2", "topicId": "t1", "parentId": "m1", **ANSWERED},
            {"id": "m3", "topicId": "t2", "role": "user", "content": "Who has soap?"},
        ],
    }}  # fmt: skip
    assert [(message.title, message.content) for message in read_history(data).messages] == [
        ("Walnuts", WALNUTS[0]), ("", WALNUTS[1]), ("Soap", "Who has soap?"),
    ]  # fmt: skip


def test_parses_browser_locale_dates() -> None:
    for date in ("8/24/2025, 10:00:00 AM", "24.8.2025, 10:00:00", "2025/8/24 10:00:00"):
        history = read_history({"sessions": [{"topic": "W", "messages": [{**ASKED, "date": date}]}]})
        assert history.messages[0].created_at == datetime(2025, 8, 24, 10, tzinfo=UTC)


def test_slack_links_and_mentions_become_text() -> None:
    users = json.dumps([{"id": "U1", "team_id": "T", "real_name": "Anna", "profile": {}}])
    day = json.dumps([{"type": "message", "user": "U1", "ts": "1714557600.000100",
                       "text": "see <https://x.org|the docs> &amp; <@U1>"}])  # fmt: skip
    assert list_texts(read_history(zip_files({"users.json": users, "home/2024-05-01.json": day}))) == [
        "see the docs & @Anna"
    ]


def test_rejects_messenger_page_and_suggests_json() -> None:
    page = '<html><body><div class="pam _a6-g"><h2>Tom</h2><div>hello</div></div></body></html>'
    for data in (page.encode(), zip_files({"inbox/tom_1/message_1.html": page})):
        with pytest.raises(ImportRefused, match=r"page of Messenger.*choose JSON"):
            read_history(data)


def test_date_in_first_line_of_message_is_not_its_timestamp() -> None:
    text = "## User\n\nMeet on 3.4.2025 at 10:00\n\nplease\n\n## Claude\n\nYes\n"
    assert list_texts(read_history(text, "x.md")) == ["Meet on 3.4.2025 at 10:00\n\nplease", "Yes"]


def gemini_page(*records: tuple[str, str]) -> str:
    cells = (
        f'<div class="content-cell">Prompted\u00a0{prompt}<br>{date}<br><p>yes</p></div>' for prompt, date in records
    )
    return "".join(
        f'<div class="outer-cell"><div class="header-cell"><p>Gemini Apps</p></div>{cell}</div>' for cell in cells
    )


def test_gemini_page_months_are_parsed_in_one_language() -> None:
    for dates in (
        ("12 lip 2025, 10:00:00 UTC", "13 sie 2025, 10:00:00 UTC"),
        ("12 de juliol de 2025, 10:00:00 UTC", "13 d’ag. de 2025, 10:00:00 UTC"),
    ):
        history = read_history(gemini_page(*zip(WALNUTS, dates, strict=True)))
        said = [message.created_at for message in history.messages]
        assert said[::2] == [datetime(2025, 7, 12, 10, tzinfo=UTC), datetime(2025, 8, 13, 10, tzinfo=UTC)]


def test_date_in_gemini_prompt_is_not_record_date() -> None:
    history = read_history(gemini_page(("Meet on 3.4.2025 at 10:00", "Jul 12, 2025, 10:00:00 AM UTC")))
    assert list_texts(history) == ["Meet on 3.4.2025 at 10:00", "yes"]
    assert history.messages[0].created_at == datetime(2025, 7, 12, 10, tzinfo=UTC)


def test_preposition_in_date_is_not_parsed_as_month() -> None:
    for date in ("13 de junio de 2018", "le 13 juin 2018", "di. 13 jun. 2018"):
        history = read_history(f"{date}, 10:30 - Anna: hello\n{date}, 10:31 - Tom: good\n", "chat.txt")
        assert history.messages[0].created_at == datetime(2018, 6, 13, 10, 30, tzinfo=UTC)


def test_drops_message_whose_date_has_no_year() -> None:
    history = read_history([{**ASKED, "created_at": "13 June 10:30"}, ANSWERED])
    assert list_texts(history) == WALNUTS[1:]


def test_ignores_unnamed_columns_and_keys() -> None:
    table = ",sender,text,time\n1,Anna,hello,2024-05-01 10:00\n2,Tom,good,2024-05-01 10:01,x\n"
    assert list_texts(read_history(table, "x.csv")) == ["hello", "good"]
    assert list_texts(read_history([{"": "1", **ASKED}, {"": "2", **ANSWERED}])) == WALNUTS
    package = "ID,Timestamp,Contents\n1,2024-05-01 10:00:00,hello,more\n"
    assert list_texts(read_history(zip_files({"messages/c1/messages.csv": package}))) == ["hello"]


def test_reverses_newest_first_csv_starting_with_unanswered_question() -> None:
    table = (
        "Conversation,Time,Author,Message\n"
        "A,2024-05-01T10:02:00,Human,thanks\nA,2024-05-01T10:01:00,AI,good\nA,2024-05-01T10:00:00,Human,hello\n"
    )
    history = read_history(table, "copilot.csv")
    assert [(message.title, message.content) for message in history.messages] == [
        ("A", "hello"), ("", "good"), ("", "thanks"),
    ]  # fmt: skip


def test_detects_telegram_account_before_reaching_chats() -> None:
    said = {"id": 1, "type": "message", "date": "2024-05-01T10:00:00", "from": "Anna", "from_id": "user7", "text": "hi"}
    photos = [{"date": "2020-01-01T00:00:00", "photo": f"profile_pictures/{number}.jpg"} for number in range(500)]
    chats = {"list": [{"name": "Tom", "type": "personal_chat", "id": 8, "messages": [said]}]}
    assert read_history({"about": "", "profile_pictures": photos, "chats": chats}).format == "telegram"


def test_reads_archive_mixing_markdown_and_json_conversations() -> None:
    files = {
        "chats/a.md": f"## User\n\n{WALNUTS[0]}\n\n## Assistant\n\n{WALNUTS[1]}\n",
        "chats/b.json": json.dumps({"title": "O", "messages": [
            {"role": "user", "content": "And olives?"}, {"role": "assistant", "content": "On dry slopes."},
        ]}),
        "README.md": "# Export\n\nMade by a program.\n",
        "settings.json": '{"theme": "dark"}',
        "index.html": "<p>User: hello</p>",
    }  # fmt: skip
    assert sorted(list_texts(read_history(zip_files(files)))) == sorted([*WALNUTS, "And olives?", "On dry slopes."])


def test_speakers_without_name_are_called_by_id() -> None:
    said = [
        {"_": "Message", "id": 1, "date": "2024-05-01T10:00:00+00:00", "message": "hello", "out": False,
         "from_id": {"_": "PeerUser", "user_id": 42}, "peer_id": {"_": "PeerUser", "user_id": 42}},
        {"_": "Message", "id": 2, "date": "2024-05-01T10:00:01+00:00", "message": "good", "from_id": 7},
        {"_": "MessageService", "id": 3, "date": "2024-05-01T10:00:02+00:00", "action": {}},
    ]  # fmt: skip
    history = read_history(said)
    assert [(message.speaker, message.content) for message in history.messages] == [("42", "hello"), ("7", "good")]


def test_reads_text_generation_webui_pairs() -> None:
    history = read_history({
        "internal": [["<|BEGIN-VISIBLE-CHAT|>", "Welcome."], WALNUTS],
        "visible": [["", "Welcome."], WALNUTS],
        "metadata": {"user_1": {"timestamp": "May 01, 2024 10:00"}, "assistant_1": {"timestamp": "May 01, 2024 10:00"}},
    })  # fmt: skip
    said = [(message.role, message.content, message.created_at) for message in history.messages]
    assert said[1:] == [("user", WALNUTS[0], AT), ("assistant", WALNUTS[1], AT)]
    assert said[0][:2] == ("assistant", "Welcome.")


@pytest.mark.parametrize("numbers", [(1, 2), (0, 1)])
def test_numeric_roles_map_first_speaker_to_user(numbers: tuple[int, int]) -> None:
    blocks = [json.dumps([{"content": {"text_block": {"text": text}}}]) for text in WALNUTS]
    said = [
        {"user_type": number, "sender_id": f"{number}7", "content": block, "create_time": str(SECONDS)}
        for number, block in zip(numbers, blocks, strict=True)
    ]
    history = read_history({"conversation_id": "3841", "messages": said})
    assert [message.role for message in history.messages] == ["user", "assistant"]
    assert list_texts(history) == WALNUTS


@pytest.mark.parametrize(
    "text",
    [
        f"Du hast gesagt:\n{WALNUTS[0]}\nChatGPT hat gesagt:\n{WALNUTS[1]}\n",
        f"Vous avez dit :\n{WALNUTS[0]}\nChatGPT a dit :\n{WALNUTS[1]}\n",
        f"### **You** *(2024-05-01 10:00)*\n\n{WALNUTS[0]}\n\n### **Gemini** *(2024-05-01 10:01)*\n\n{WALNUTS[1]}\n",
        f"role\tcontent\nuser\t{WALNUTS[0]}\nassistant\t{WALNUTS[1]}\n",
        f"Rolle;role;content\n1;user;{WALNUTS[0]}\n2;assistant;{WALNUTS[1]}\n",
        json.dumps({"history": [WALNUTS]}),
    ],
)
def test_reads_conversation_copied_as_text_or_table(text: str) -> None:
    history = read_history(text)
    assert [message.role for message in history.messages] == ["user", "assistant"]
    assert list_texts(history) == WALNUTS


def test_reads_aider_history_without_tool_output() -> None:
    answer = "In deep soil.\n\n```md\n#### not a question\n```"
    history = read_history(
        "\n# aider chat started at 2024-05-01 10:00:00\n\n> Aider v0.50.1  \n> Git repo: .git with 116 files  \n\n"
        "#### /add walnuts.md\n\n> Added walnuts.md to the chat\n\n"
        f"#### Where do\n\n#### walnuts grow?\n\n{answer}\n\n> Tokens: 10,332 sent, 439 received.\n\n"
        "# aider chat started at 2024-05-02 10:00:00\n\n#### Thanks\n\nYou are welcome.\n",
        ".aider.chat.history.md",
    )
    assert list_texts(history) == ["Where do\n\nwalnuts grow?", answer, "Thanks", "You are welcome."]
    assert [message.created_at.day for message in history.messages] == [1, 1, 2, 2]


def _chat_of(names: list[str], **numbers: list[int]) -> list[dict[str, Any]]:
    """Return one message from each of these people, with the next value of each list in `numbers` as a field."""
    own = [dict(zip(numbers, values, strict=True)) for values in zip(*numbers.values(), strict=True)]
    said = [{"from": name, "text": "hello", "timestamp": SECONDS + at} for at, name in enumerate(names)]
    return [{**message, **held} for message, held in zip(said, own or [{}] * len(said), strict=True)]


@pytest.mark.parametrize(
    "messages",
    [
        _chat_of(["Anna", "Bob", "Cy"], role=[0, 1, 0]),
        _chat_of(["Anna", "Bob", "Cy"], role=[0, 1, 2]),
        _chat_of(["Anna", "Bob"], senderType=[1, 1]),
        _chat_of(["#anna", "#bob"]),
    ],
)
def test_chat_without_two_numbered_sides_keeps_its_speakers(messages: list[dict[str, Any]]) -> None:
    history = read_history({"messages": messages})
    assert [message.speaker for message in history.messages] == [message["from"] for message in messages]
    assert [question.name for question in history.questions] == ["speaker"]


def test_reports_json_line_with_two_values_as_damaged() -> None:
    history = read_history(f"{json.dumps(ASKED)}{json.dumps(ANSWERED)}\n{to_json_lines(ASKED, ANSWERED)}\n")
    assert list_texts(history) == WALNUTS
    assert any("damaged: 1" in note for note in history.notes)


def test_time_of_day_alone_is_not_a_date() -> None:
    table = read_history("Date,Timestamp,Sender,Message\n2024-05-01,10:30,Anna,hello\n2024-05-01,10:31,Tom,good\n")
    assert [message.created_at.date() for message in table.messages] == [AT.date()] * 2
    talk = read_history([{"timestamp": "10:30", **ASKED}, {"timestamp": "10:31", **ANSWERED}])
    assert list_texts(talk) == WALNUTS
    assert all(message.is_undated for message in talk.messages)
