"""More files in the shapes that programs write, of products that share one reader."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from records.errors import ImportRefused
from tests.unit.transfer.talk import zipped
from tests.unit.transfer.test_real_shapes import WALNUTS, past, words_of

AT = datetime(2024, 5, 1, 10, 0, tzinfo=UTC)
SECONDS = int(AT.timestamp())
ASKED, ANSWERED = ({"role": role, "content": text} for role, text in zip(("user", "assistant"), WALNUTS, strict=True))


def lines(*rows: dict[str, Any]) -> str:
    return "\n".join(map(json.dumps, rows))


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("Messenger with encryption", {"participants": ["Anna", "Tom"], "threadName": "Tom_1", "messages": [
            {"senderName": "Anna", "text": "hello", "timestamp": SECONDS * 1000, "type": "text", "isUnsent": False},
            {"senderName": "Tom", "text": "good", "timestamp": SECONDS * 1000 + 1, "type": "text", "isUnsent": False},
        ]}),
        ("Signal", lines(
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
        ("signal-cli", lines(
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
def test_a_chat_among_people_is_read_whatever_its_parts_are_called(name: str, data: object) -> None:
    history = past(data)
    assert [(message.speaker, message.content) for message in history.messages] == [("Anna", "hello"), ("Tom", "good")]
    assert abs(history.messages[1].created_at - AT).total_seconds() < 2
    assert [question.name for question in history.questions if question.name == "speaker"]
    assert past(data).messages == history.messages, "a second import has the same sources"


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
def test_a_talk_with_an_assistant_is_read_whatever_its_parts_are_called(name: str, data: object) -> None:
    assert words_of(past(data)) == WALNUTS


def test_messages_of_several_topics_are_several_conversations_with_their_titles() -> None:
    data = {"data": {
        "topics": [{"id": "t1", "title": "Walnuts"}, {"id": "t2", "title": "Soap"}],
        "messages": [
            {"id": "m1", "topicId": "t1", "parentId": None, **ASKED},
            {"id": "m2", "topicId": "t1", "parentId": "m1", **ANSWERED},
            {"id": "m3", "topicId": "t2", "role": "user", "content": "Who has soap?"},
        ],
    }}  # fmt: skip
    assert [(message.title, message.content) for message in past(data).messages] == [
        ("Walnuts", WALNUTS[0]), ("", WALNUTS[1]), ("Soap", "Who has soap?"),
    ]  # fmt: skip


def test_a_date_of_a_browser_is_understood() -> None:
    for date in ("8/24/2025, 10:00:00 AM", "24.8.2025, 10:00:00", "2025/8/24 10:00:00"):
        history = past({"sessions": [{"topic": "W", "messages": [{**ASKED, "date": date}]}]})
        assert history.messages[0].created_at == datetime(2025, 8, 24, 10, tzinfo=UTC)


def test_links_and_names_in_slack_are_words() -> None:
    users = json.dumps([{"id": "U1", "team_id": "T", "real_name": "Anna", "profile": {}}])
    day = json.dumps([{"type": "message", "user": "U1", "ts": "1714557600.000100",
                       "text": "see <https://x.org|the docs> &amp; <@U1>"}])  # fmt: skip
    assert words_of(past(zipped({"users.json": users, "home/2024-05-01.json": day}))) == ["see the docs & @Anna"]


def test_a_page_is_refused_with_what_to_send_instead() -> None:
    page = '<html><body><div class="pam _a6-g"><h2>Tom</h2><div>hello</div></div></body></html>'
    for data in (page.encode(), zipped({"inbox/tom_1/message_1.html": page})):
        with pytest.raises(ImportRefused, match=r"page of Messenger.*choose JSON"):
            past(data)


def test_a_meeting_on_the_first_line_of_a_message_is_not_its_date() -> None:
    text = "## User\n\nMeet on 3.4.2025 at 10:00\n\nplease\n\n## Claude\n\nYes\n"
    assert words_of(past(text, "x.md")) == ["Meet on 3.4.2025 at 10:00\n\nplease", "Yes"]


def gemini_page(*records: tuple[str, str]) -> str:
    cells = (
        f'<div class="content-cell">Prompted\u00a0{prompt}<br>{date}<br><p>yes</p></div>' for prompt, date in records
    )
    return "".join(
        f'<div class="outer-cell"><div class="header-cell"><p>Gemini Apps</p></div>{cell}</div>' for cell in cells
    )


def test_the_months_of_a_page_of_gemini_are_of_one_language() -> None:
    for dates in (
        ("12 lip 2025, 10:00:00 UTC", "13 sie 2025, 10:00:00 UTC"),
        ("12 de juliol de 2025, 10:00:00 UTC", "13 d’ag. de 2025, 10:00:00 UTC"),
    ):
        history = past(gemini_page(*zip(WALNUTS, dates, strict=True)))
        said = [message.created_at for message in history.messages]
        assert said[::2] == [datetime(2025, 7, 12, 10, tzinfo=UTC), datetime(2025, 8, 13, 10, tzinfo=UTC)]


def test_a_date_in_a_prompt_is_not_the_date_of_its_record() -> None:
    history = past(gemini_page(("Meet on 3.4.2025 at 10:00", "Jul 12, 2025, 10:00:00 AM UTC")))
    assert words_of(history) == ["Meet on 3.4.2025 at 10:00", "yes"]
    assert history.messages[0].created_at == datetime(2025, 7, 12, 10, tzinfo=UTC)


def test_a_preposition_is_not_the_name_of_a_month() -> None:
    for date in ("13 de junio de 2018", "le 13 juin 2018", "di. 13 jun. 2018"):
        history = past(f"{date}, 10:30 - Anna: hello\n{date}, 10:31 - Tom: good\n", "chat.txt")
        assert history.messages[0].created_at == datetime(2018, 6, 13, 10, 30, tzinfo=UTC)


def test_a_date_without_a_year_is_no_date() -> None:
    history = past([{**ASKED, "created_at": "13 June 10:30"}, ANSWERED])
    assert words_of(history) == WALNUTS[1:]


def test_a_member_without_a_name_is_left_alone() -> None:
    table = ",sender,text,time\n1,Anna,hello,2024-05-01 10:00\n2,Tom,good,2024-05-01 10:01,x\n"
    assert words_of(past(table, "x.csv")) == ["hello", "good"]
    assert words_of(past([{"": "1", **ASKED}, {"": "2", **ANSWERED}])) == WALNUTS
    package = "ID,Timestamp,Contents\n1,2024-05-01 10:00:00,hello,more\n"
    assert words_of(past(zipped({"messages/c1/messages.csv": package}))) == ["hello"]


def test_a_table_that_begins_with_a_question_nobody_answered_is_read_from_its_end() -> None:
    table = (
        "Conversation,Time,Author,Message\n"
        "A,2024-05-01T10:02:00,Human,thanks\nA,2024-05-01T10:01:00,AI,good\nA,2024-05-01T10:00:00,Human,hello\n"
    )
    history = past(table, "copilot.csv")
    assert [(message.title, message.content) for message in history.messages] == [
        ("A", "hello"), ("", "good"), ("", "thanks"),
    ]  # fmt: skip


def test_an_account_of_telegram_is_known_before_its_chats_are_read() -> None:
    said = {"id": 1, "type": "message", "date": "2024-05-01T10:00:00", "from": "Anna", "from_id": "user7", "text": "hi"}
    photos = [{"date": "2020-01-01T00:00:00", "photo": f"profile_pictures/{number}.jpg"} for number in range(500)]
    chats = {"list": [{"name": "Tom", "type": "personal_chat", "id": 8, "messages": [said]}]}
    assert past({"about": "", "profile_pictures": photos, "chats": chats}).format == "telegram"


def test_an_archive_of_conversations_in_several_forms_is_read_whole() -> None:
    files = {
        "chats/a.md": f"## User\n\n{WALNUTS[0]}\n\n## Assistant\n\n{WALNUTS[1]}\n",
        "chats/b.json": json.dumps({"title": "O", "messages": [
            {"role": "user", "content": "And olives?"}, {"role": "assistant", "content": "On dry slopes."},
        ]}),
        "README.md": "# Export\n\nMade by a program.\n",
        "settings.json": '{"theme": "dark"}',
        "index.html": "<p>User: hello</p>",
    }  # fmt: skip
    assert sorted(words_of(past(zipped(files)))) == sorted([*WALNUTS, "And olives?", "On dry slopes."])


def test_people_without_names_are_called_by_their_ids() -> None:
    said = [
        {"_": "Message", "id": 1, "date": "2024-05-01T10:00:00+00:00", "message": "hello", "out": False,
         "from_id": {"_": "PeerUser", "user_id": 42}, "peer_id": {"_": "PeerUser", "user_id": 42}},
        {"_": "Message", "id": 2, "date": "2024-05-01T10:00:01+00:00", "message": "good", "from_id": 7},
        {"_": "MessageService", "id": 3, "date": "2024-05-01T10:00:02+00:00", "action": {}},
    ]  # fmt: skip
    history = past(said)
    assert [(message.speaker, message.content) for message in history.messages] == [("42", "hello"), ("7", "good")]


def test_pairs_of_text_generation_webui_are_turns() -> None:
    history = past({
        "internal": [["<|BEGIN-VISIBLE-CHAT|>", "Welcome."], WALNUTS],
        "visible": [["", "Welcome."], WALNUTS],
        "metadata": {"user_1": {"timestamp": "May 01, 2024 10:00"}, "assistant_1": {"timestamp": "May 01, 2024 10:00"}},
    })  # fmt: skip
    said = [(message.role, message.content, message.created_at) for message in history.messages]
    assert said[1:] == [("user", WALNUTS[0], AT), ("assistant", WALNUTS[1], AT)]
    assert said[0][:2] == ("assistant", "Welcome.")


@pytest.mark.parametrize("numbers", [(1, 2), (0, 1)])
def test_numbers_name_two_sides_of_which_the_person_begins(numbers: tuple[int, int]) -> None:
    blocks = [json.dumps([{"content": {"text_block": {"text": text}}}]) for text in WALNUTS]
    said = [
        {"user_type": number, "sender_id": f"{number}7", "content": block, "create_time": str(SECONDS)}
        for number, block in zip(numbers, blocks, strict=True)
    ]
    history = past({"conversation_id": "3841", "messages": said})
    assert [message.role for message in history.messages] == ["user", "assistant"]
    assert words_of(history) == WALNUTS


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
def test_what_is_copied_from_a_page_or_saved_as_a_table_is_read(text: str) -> None:
    history = past(text)
    assert [message.role for message in history.messages] == ["user", "assistant"]
    assert words_of(history) == WALNUTS


def test_the_history_of_aider_is_what_the_person_and_the_model_said() -> None:
    answer = "In deep soil.\n\n```md\n#### not a question\n```"
    history = past(
        "\n# aider chat started at 2024-05-01 10:00:00\n\n> Aider v0.50.1  \n> Git repo: .git with 116 files  \n\n"
        "#### /add walnuts.md\n\n> Added walnuts.md to the chat\n\n"
        f"#### Where do\n\n#### walnuts grow?\n\n{answer}\n\n> Tokens: 10,332 sent, 439 received.\n\n"
        "# aider chat started at 2024-05-02 10:00:00\n\n#### Thanks\n\nYou are welcome.\n",
        ".aider.chat.history.md",
    )
    assert words_of(history) == ["Where do\n\nwalnuts grow?", answer, "Thanks", "You are welcome."]
    assert [message.created_at.day for message in history.messages] == [1, 1, 2, 2]


def _chat_of(names: list[str], **numbers: list[int]) -> list[dict[str, Any]]:
    """Messages of these people, with members that hold numbers."""
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
def test_numbers_that_name_no_two_sides_leave_a_chat_among_people(messages: list[dict[str, Any]]) -> None:
    history = past({"messages": messages})
    assert [message.speaker for message in history.messages] == [message["from"] for message in messages]
    assert [question.name for question in history.questions] == ["speaker"]


def test_a_line_of_two_values_is_reported_as_damaged() -> None:
    history = past(f"{json.dumps(ASKED)}{json.dumps(ANSWERED)}\n{lines(ASKED, ANSWERED)}\n")
    assert words_of(history) == WALNUTS
    assert any("damaged: 1" in note for note in history.notes)


def test_a_time_of_day_alone_is_no_date() -> None:
    table = past("Date,Timestamp,Sender,Message\n2024-05-01,10:30,Anna,hello\n2024-05-01,10:31,Tom,good\n")
    assert [message.created_at.date() for message in table.messages] == [AT.date()] * 2
    talk = past([{"timestamp": "10:30", **ASKED}, {"timestamp": "10:31", **ANSWERED}])
    assert words_of(talk) == WALNUTS
    assert all(message.is_undated for message in talk.messages)
