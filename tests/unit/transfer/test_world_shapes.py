# ruff: noqa: E501
"""Tests of reading file formats from all over the world: API responses, exporters and archives."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from records.errors import ImportRefused
from tests.unit.transfer.talk import zip_files
from tests.unit.transfer.test_more_shapes import ANSWERED, ASKED, AT, SECONDS, to_json_lines
from tests.unit.transfer.test_real_shapes import WALNUTS, list_texts, read_history

QUESTION, ANSWER = WALNUTS
MILLIS = SECONDS * 1000
FIRST, SECOND = "2024-05-01T10:00:00Z", "2024-05-01T10:00:05Z"


def make_node(number: int, **message: Any) -> dict[str, Any]:
    return {"id": str(number), "parent": str(number - 1) if number > 1 else "root", "message": message}


def make_tree(*messages: dict[str, Any]) -> list[dict[str, Any]]:
    nodes = {str(number): make_node(number, **message) for number, message in enumerate(messages, start=1)}
    return [{"id": "c", "title": "W", "inserted_at": FIRST,
             "mapping": {"root": {"id": "root", "parent": None, "message": None}, **nodes}}]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("DeepSeek's interface, with an answer made again and ids in digits", {"code": 0, "data": {"biz_data": {
            "chat_session": {"id": "e", "title": "W", "inserted_at": SECONDS},
            "chat_messages": [
                {"message_id": 1, "parent_id": None, "role": "USER", "inserted_at": SECONDS,
                 "fragments": [{"id": 1, "type": "REQUEST", "content": QUESTION}]},
                {"message_id": 2, "parent_id": 1, "role": "ASSISTANT", "inserted_at": SECONDS + 3,
                 "fragments": [{"id": 1, "type": "RESPONSE", "content": "Old"}]},
                {"message_id": 3, "parent_id": 1, "role": "ASSISTANT", "inserted_at": SECONDS + 5,
                 "fragments": [{"id": 1, "type": "THINK", "content": "hm"}, {"type": "RESPONSE", "content": ANSWER}]},
            ]}}}),
        ("DeepSeek without roles", make_tree(
            {"files": [], "model": "deepseek-chat", "reasoning_content": None, "content": QUESTION, "inserted_at": FIRST},
            {"files": [], "model": "deepseek-chat", "reasoning_content": "hm", "content": ANSWER, "inserted_at": SECOND},
        )),
        ("DeepSeek with a search", make_tree(
            {"inserted_at": FIRST, "fragments": [{"type": "REQUEST", "content": QUESTION}]},
            {"inserted_at": SECOND, "fragments": [
                {"type": "SEARCH", "results": [{"url": "u", "title": "t"}]}, {"type": "READ_LINK", "url": "x"},
                {"type": "THINK", "content": "hm"}, {"type": "RESPONSE", "content": ANSWER},
            ]},
        )),
        ("Kimi", {"messages": [
            {"id": "1", "role": "user", "createTime": FIRST, "blocks": [{"id": "b", "text": {"content": QUESTION}}]},
            {"id": "2", "parentId": "1", "role": "assistant", "createTime": SECOND,
             "blocks": [{"id": "t", "think": {"content": "hm"}}, {"id": "b", "text": {"content": ANSWER}}]},
        ]}),
        ("Tongyi, newest first", {"success": True, "data": [
            {"msgId": "2", "senderType": "BOT", "createTime": MILLIS + 5000,
             "contents": [{"contentType": "text", "content": ANSWER}]},
            {"msgId": "1", "senderType": "USER", "createTime": MILLIS,
             "contents": [{"contentType": "text", "content": QUESTION}]},
        ]}),
        ("Yuanbao", {"title": "W", "convs": [
            {"index": 2, "speaker": "ai", "createTime": SECONDS + 5,
             "speechesV2": [{"content": [{"type": "think", "content": "hm"}, {"type": "text", "msg": ANSWER}]}]},
            {"index": 1, "speaker": "human", "createTime": SECONDS,
             "speechesV2": [{"content": [{"type": "text", "msg": QUESTION}]}]},
        ]}),
        ("a prompt and its result", {"data": {"title": "W", "messages": [
            {"prompt": QUESTION, "result": ANSWER, "create_time": SECONDS}]}}),
        ("Pi", {"user_data": {"details": {"created_at": "2023-01-01"}, "messages": [
            {"text": QUESTION, "sender": "HUMAN", "channel": "WEB", "sent_at": FIRST},
            {"text": ANSWER, "sender": "AI", "channel": "WEB", "sent_at": SECOND},
        ]}}),
        ("Gemini's early Takeout", [{"header": "Gemini", "title": "Used Gemini Apps", "time": FIRST, "details": [
            {"name": "Request", "value": QUESTION}, {"name": "Response", "value": ANSWER}]}]),
        ("Copilot's chat activity", ("CreatedAt,MessageContent,Author,ChatName\n"
                                     f"5/13/2024 10:00:05 +00:00,{ANSWER},Copilot,W\n"
                                     f"5/13/2024 10:00:00 +00:00,{QUESTION},user,W\n")),
        ("Character.AI's turns, of which one answer was shown", {"chats": [{"chat": {"chat_id": "x"}, "turns": [
            {"create_time": FIRST, "author": {"author_id": "7", "is_human": True, "name": "Anna"},
             "candidates": [{"candidate_id": "c", "raw_content": QUESTION}], "primary_candidate_id": "c"},
            {"create_time": SECOND, "author": {"author_id": "8", "name": "Sage"}, "primary_candidate_id": "b",
             "candidates": [{"candidate_id": "a", "raw_content": "Other"}, {"candidate_id": "b", "raw_content": ANSWER}]},
        ]}]}),
        ("CAI Tools", {"histories": {"histories": [{"msgs": [
            {"src": {"is_human": True, "name": "Anna"}, "text": QUESTION, "created": FIRST},
            {"src": {"is_human": False, "name": "Sage"}, "text": ANSWER, "created": SECOND}]}]}}),
        ("a coding agent, whose thoughts are marked by a flag", [
            {"role": "user", "parts": [{"text": QUESTION}]},
            {"role": "model", "parts": [{"text": "hm", "thought": True}, {"text": ANSWER}]},
        ]),
        ("OpenCode", {"info": {"id": "s", "title": "W", "time": {"created": MILLIS}}, "messages": [
            {"info": {"id": "1", "role": "user", "time": {"created": MILLIS}}, "parts": [{"type": "text", "text": QUESTION}]},
            {"info": {"id": "2", "role": "assistant", "time": {"created": MILLIS + 5000}},
             "parts": [{"type": "reasoning", "text": "hm"}, {"type": "text", "text": ANSWER}]},
        ]}),
        ("Zed", {"messages": [
            {"role": "user", "segments": [{"type": "text", "text": QUESTION}]},
            {"role": "assistant", "segments": [{"type": "thinking", "text": "hm"}, {"type": "text", "text": ANSWER}]},
        ]}),
        ("Zep, with names beside the roles", {"messages": [
            {"created_at": FIRST, "role": "Anna", "role_type": "user", "content": QUESTION},
            {"created_at": SECOND, "role": "Sage", "role_type": "assistant", "content": ANSWER}]}),
        ("LangChain", [{"type": "human", "data": {"content": QUESTION}}, {"type": "ai", "data": {"content": ANSWER}}]),
        ("Flowise, whose roles are longer words", [
            {"role": "userMessage", "content": QUESTION, "createdDate": FIRST},
            {"role": "apiMessage", "content": ANSWER, "createdDate": SECOND}]),
        ("a user and a bot", {"history": [{"user": QUESTION, "bot": ANSWER}]}),
        ("SpecStory", f"<!-- SpecStory -->\n\n# W\n\n_**User**_\n\n{QUESTION}\n\n---\n\n_**Assistant**_\n\n{ANSWER}\n"),
        ("Chinese headings below a title", f"# 对话记录\n\n## 用户提问\n{QUESTION}\n\n## AI回复\n{ANSWER}\n\n---\n"),
        ("Kimi in Markdown", (f"# W\n\n## 👤 用户 - 2024-05-01 10:00:00\n\n{QUESTION}\n\n---\n\n"
                              f"## 🤖 Kimi - 2024-05-01 10:00:05\n\n{ANSWER}\n")),
        ("a coding agent's session", to_json_lines(
            {"type": "summary", "summary": "x"},
            {"parentUuid": None, "type": "user", "message": {"role": "user", "content": QUESTION}, "uuid": "a",
             "timestamp": FIRST},
            {"parentUuid": "a", "type": "assistant", "uuid": "b", "timestamp": SECOND, "message": {
                "role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": ANSWER}]}},
            {"parentUuid": "b", "type": "user", "uuid": "c", "timestamp": SECOND, "message": {
                "role": "user", "content": [{"type": "tool_result", "content": "files"}]}},
        )),
        ("threads of an interface, newest first", {"object": "list", "data": [
            {"id": "m2", "created_at": SECONDS + 5, "role": "assistant",
             "content": [{"type": "text", "text": {"value": ANSWER, "annotations": []}}]},
            {"id": "m1", "created_at": SECONDS, "role": "user",
             "content": [{"type": "text", "text": {"value": QUESTION, "annotations": []}}]},
        ]}),
        ("Obsidian Copilot", (f"---\nepoch: {MILLIS}\n---\n\n**user**: {QUESTION}\n[Timestamp: 2024/05/01 10:00:00]\n\n"
                              f"**ai**: {ANSWER}\n[Timestamp: 2024/05/01 10:00:05]\n")),
        ("ChatGPT MD", (f'<hr class="__chatgpt_plugin">\n\n### role::user\n\n{QUESTION}\n\n<hr class="__chatgpt_plugin">\n\n'
                        f"### role::assistant\n\n{ANSWER}\n")),
        ("callouts whose kind names the speaker", f"> [!user]\n> {QUESTION}\n\n> [!assistant]\n> {ANSWER}\n"),
        ("Nomi, which says when it was sent", {"messages": [
            {"sender": "user", "text": QUESTION, "sent": FIRST}, {"sender": "nomi", "text": ANSWER, "sent": SECOND}]}),
        ("Raycast", {"ai_chats": [{"title": "W", "messages": [
            {"author": "user", "content": {"text": QUESTION}, "createdAt": FIRST},
            {"author": "assistant", "content": {"text": ANSWER}, "createdAt": SECOND}]}]}),
        ("AI Chat Exporter", (f'---\ntitle: "W"\nauthor: claude\n---\n\n# W\n\n## Table of Contents\n\n- [1: x](#chat-1)\n\n'
                              f"## chat-1\n\n> {QUESTION}\n\n{ANSWER}\n\n___\n###### [top](#table-of-contents)\n")),
        ("AI Chat Exporter in 2025", (f"# W\n\n### chat-1\n\n> {QUESTION}\n\n###### ChatGPT said:\n\n{ANSWER}\n\n---\n\n"
                                      "###### [top](#table-of-contents)\n")),
        ("turns that can be folded", (f"<details open>\n<summary><b>User</b></summary>\n\n{QUESTION}\n</details>\n\n"
                                      f"<details>\n<summary>Assistant</summary>\n\n{ANSWER}\n</details>\n")),
        ("quoted names", f"> **User**\n\n{QUESTION}\n\n> **Assistant**\n\n{ANSWER}\n"),
        ("a quoted question below its name", f"> **User**\n> {QUESTION}\n\n**Assistant**\n\n{ANSWER}\n"),
        ("names in brackets", f"[User]: {QUESTION}\n\n[Assistant]: {ANSWER}\n"),
        ("Chinese colons", f"**用户：**{QUESTION}\n\n**豆包：**{ANSWER}\n"),
        ("Polish headings", f"## Użytkownik\n\n{QUESTION}\n\n## Asystent\n\n{ANSWER}\n"),
        ("ChatGPT Exporter's text", (f"User: Anna\nCreated: 5/13/2024 10:00\nLink: https://chatgpt.com/c/x\n\n"
                                     f"## Prompt:\n{QUESTION}\n\n## Response:\n{ANSWER}\n")),
        ("Dify", {"data": [{"id": "1", "inputs": {}, "query": QUESTION, "answer": ANSWER, "created_at": SECONDS}]}),
    ],
)  # fmt: skip
def test_reads_assistant_conversation(name: str, data: object) -> None:
    history = read_history(data)
    assert list_texts(history) == WALNUTS
    assert [message.role for message in history.messages] == ["user", "assistant"]
    assert read_history(data).messages == history.messages


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("WhatsApp Chat Exporter", {"49@s.whatsapp.net": {"name": "Tom", "messages": {
            "1": {"from_me": True, "timestamp": SECONDS, "time": "10:00", "data": "hello", "sender": None},
            "2": {"from_me": False, "timestamp": SECONDS, "time": "10:00", "data": "good", "sender": None}}}}),
        ("Rocket.Chat", {"messages": [
            {"_id": "1", "msg": "hello", "ts": "2024-05-01T10:00:00.000Z", "u": {"_id": "a", "username": "x", "name": "Me"}},
            {"_id": "2", "msg": "good", "ts": {"$date": "2024-05-01T10:00:00.000Z"}, "u": {"name": "Tom"}}]}),
        ("WeFlow", {"messages": [
            {"createTime": SECONDS, "content": "hello", "isSend": 1, "senderUsername": "w", "senderDisplayName": "Me"},
            {"createTime": SECONDS, "content": "good", "isSend": 0, "senderUsername": "w", "senderDisplayName": "Tom"}]}),
        ("Threema", "[01.05.2024, 10:00] Me: hello\n[01.05.2024, 10:00] Tom: good\n"),
        ("Discrub, newest first", [
            {"id": "2", "type": 0, "content": "good", "author": {"username": "Tom"}, "timestamp": "2024-05-01T10:00:00.000"},
            {"id": "1", "type": 0, "content": "hello", "author": {"username": "Me"}, "timestamp": "2024-05-01T09:59:59.999"},
        ]),
        ("PhoneView", ('"direction","timestamp","name","number","content","type"\n'
                       'Sent,"2024-05-01T10:00:00Z",Tom,+491,hello,SMS\nReceived,"2024-05-01T10:00:00Z",Tom,+491,good,SMS\n')),
        ("Slack in a table",
         "MsgID,Time,UserName,Text\n1,2024-05-01 10:00:00,Me,hello\n2,2024-05-01 10:00:00,Tom,good\n"),
    ],
)  # fmt: skip
def test_reads_chat_between_people(name: str, data: object) -> None:
    history = read_history(data)
    assert [(message.speaker, message.content) for message in history.messages] == [("Me", "hello"), ("Tom", "good")]
    assert history.messages[1].created_at == AT
    assert read_history(data).messages == history.messages


@pytest.mark.parametrize(
    ("data", "day"),
    [
        ("09:41:22 From Ann to Everyone: hello\n09:41:30 From Tom to Ann(Direct Message): good\nfriend\n", None),
        ("09:41:22\t From  Ann : hello\n09:41:30\t From  Tom  to  Everyone : good\nfriend\n", None),
        ("2024-05-01 09:41:22 From Ann to Everyone:\n\thello\n2024-05-01 09:41:30 From Tom to Everyone:\n\tgood\nfriend\n",
         "2024-05-01"),
        ("00:58:04\tAnn:\thello\n00:58:20\tTom:\tgood\nfriend\n", None),
    ],
)  # fmt: skip
def test_reads_saved_zoom_chat(data: str, day: str | None) -> None:
    """Most saved Zoom chats name only the time of day, so their messages have no known date."""
    history = read_history(data, "meeting_saved_chat.txt")
    assert [(message.speaker, message.content) for message in history.messages] == [
        ("Ann", "hello"),
        ("Tom", "good\nfriend"),
    ]
    assert all(message.is_undated == (day is None) for message in history.messages)
    assert day is None or history.messages[0].created_at.date().isoformat() == day
    assert [message.source for message in read_history(data).messages] == [
        message.source for message in history.messages
    ]


def test_reads_windows_prompts_as_user_messages() -> None:
    history = read_history(f"Timestamp,ClientApp,Prompt\n2024-05-01T10:00:00,Notepad,{QUESTION}\n", "prompts.csv")
    assert [(message.role, message.content) for message in history.messages] == [("user", QUESTION)]
    assert (history.format, history.messages[0].created_at) == ("copilot", AT)


def test_separates_conversations_by_conversation_id_of_messages() -> None:
    rows = [message | {"conversation_id": name} for name in "ab" for message in (ASKED, ANSWERED)]
    assert list_texts(read_history(rows)) == WALNUTS * 2
    assert len({message.source for message in read_history(rows).messages}) == 4


def test_string_in_arbitrary_list_is_not_a_memory() -> None:
    for data in ({"memory": "", "actions": [ANSWER]}, {"code": 0, "chat_messages": [{"message_id": 1}]}):
        with pytest.raises(ImportRefused) as refused:
            read_history(json.dumps(data), "save.json")
        assert "I can read" in refused.value.sentence or "is missing" in refused.value.sentence


def make_gemini_page(*records: tuple[str, str]) -> str:
    cells = (f'<div class="content-cell">Prompted\u00a0{text}<br>{date}<br><p>yes</p></div>' for text, date in records)
    return "".join(
        f'<div class="outer-cell"><div class="header-cell"><p>Gemini Apps</p></div>{cell}</div>' for cell in cells
    )


@pytest.mark.parametrize(
    ("dates", "day", "is_asked"),
    [
        (("3/4/2025, 10:00:00 UTC", "13/4/2025, 10:00:00 UTC"), (3, 4), False),
        (("4/3/2025, 10:00:00 AM UTC", "4/13/2025, 10:00:00 AM UTC"), (3, 4), False),
        (("3/4/2025, 10:00:00 UTC", "3/4/2025, 10:00:05 UTC"), (3, 4), True),
    ],
)
def test_gemini_page_date_order_is_inferred_or_asked(
    dates: tuple[str, str], day: tuple[int, int], is_asked: bool
) -> None:
    history = read_history(make_gemini_page(*zip(("one", "two"), dates, strict=True)))
    at = history.messages[0].created_at
    assert ((at.day, at.month), [question.name for question in history.questions]) == (day, ["order"] * is_asked)
    if is_asked:
        other = read_history(make_gemini_page(*zip(("one", "two"), dates, strict=True)), order0=(1,)).messages[0]
        assert other.created_at == datetime(2025, 3, 4, 10, tzinfo=UTC)


def test_reads_grok_archive_ignoring_other_files() -> None:
    said = [{"response": {"_id": str(number), "sender": sender, "message": text, "parent_response_id": parent,
                          "create_time": {"$date": {"$numberLong": str(MILLIS + number)}}}}
            for number, sender, text, parent in ((1, "human", QUESTION, None), (2, "ASSISTANT", ANSWER, "1"))]  # fmt: skip
    talk = {"conversation": {"id": "c", "title": "W", "create_time": FIRST}, "responses": said}
    files = {
        "ttl/30d/export_data/u/prod-grok-backend.json": json.dumps({"conversations": [talk], "projects": []}),
        "ttl/30d/export_data/u/prod-mc-auth-mgmt-api.json": json.dumps({"user": {"name": "x"}, "sessions": []}),
        "ttl/30d/export_data/u/prod-mc-billing.json": json.dumps({"balance": 1}),
    }
    history = read_history(zip_files(files))
    assert (list_texts(history), history.messages[0].title) == (WALNUTS, "W")


@pytest.mark.parametrize(
    "lines",
    [
        "[2024-05-01 10:00:00] INFO started\n[2024-05-01 10:00:05] WARN no <value> given\n",
        "myserver nginx process 2024-05-01 10:00:00 - upstream: timed out\n" * 2,
        "Call with Tom and Eva on 5/6/2024 10:00 - Agenda: budget\nCall with Ann Lee on 5/13/2024 11:00 - Agenda: hiring\n",
    ],
    ids=["levels", "process", "appointments"],
)
def test_rejects_log_resembling_whatsapp(lines: str) -> None:
    with pytest.raises(ImportRefused, match="I can read"):
        read_history(lines, "server.log")


def test_parses_urdu_am_pm_markers() -> None:
    lines_of_chat = "13/05/24, 10:00 {} - Anna: hello\n13/05/24, 10:01 {} - Tom: good\n"
    for half, hour in (("قبل دوپہر", 10), ("بعد دوپہر", 22)):
        assert read_history(lines_of_chat.format(half, half), "chat.txt").messages[0].created_at.hour == hour


def test_timestamp_line_below_text_sets_message_time() -> None:
    text = f"**user**: {QUESTION}\n[Timestamp: 2024/05/01 10:00:00]\n\n**ai**: {ANSWER}\n[Timestamp: 2024/05/01 10:00:05]\n"
    assert [message.created_at.second for message in read_history(text, "x.md").messages] == [0, 5]


def test_offers_mcp_memory_server_observations() -> None:
    entity = {"type": "entity", "name": "Anna", "entityType": "person", "observations": ["Likes tea", "Lives in Bern"]}
    relation = {"type": "relation", "from": "Anna", "to": "Bern", "relationType": "lives_in"}
    for data in (to_json_lines(entity, relation), {"entities": [entity], "relations": [relation]}):
        assert [question.options for question in read_history(data).questions] == [
            ("Anna: Likes tea", "Anna: Lives in Bern")
        ]


def test_telegram_html_reads_checklists_and_drops_mention_urls() -> None:
    text = 'Ask <a href="https://t.me/tom">@tom</a> or <a href="mailto:a@b.c">a@b.c</a>, see <a href="https://b.c/">here</a>'
    poll = ('<div class="media_wrap clearfix"><div class="media_poll"><div class="question bold">Shop</div>'
            '<div class="details">To-do List</div><div class="answer">- soap</div></div></div>')  # fmt: skip
    messages = "".join(
        f'<div class="message default clearfix" id="message{number}"><div class="body">'
        f'<div class="pull_right date details" title="01.05.2024 10:00:00 UTC+02:00"></div>'
        f'<div class="from_name">Anna</div>{inner}</div></div>'
        for number, inner in enumerate((f'<div class="text">{text}</div>', poll), start=1)
    )
    history = read_history(f'<html><body><div class="page_wrap">{messages}</div></body></html>', "messages.html")
    assert list_texts(history) == ["Ask @tom or a@b.c, see here (https://b.c/)", "Shop\n- soap"]


def test_time_zone_after_date_is_not_a_speaker() -> None:
    """TikTok writes a time zone where QQ writes the speaker's name."""
    with pytest.raises(ImportRefused, match="I can read"):
        read_history(
            "Chat History With tom:\n2024-05-13 10:00:00 UTC\nanna: hello\n2024-05-13 10:01:00 UTC\ntom: good\n",
            "x.txt",
        )


def test_rejects_ini_file_with_role_like_sections() -> None:
    with pytest.raises(ImportRefused, match="I can read"):
        read_history("[user]\nname = Anna\n\n[model]\nname = small\n", "config.ini")


def test_rejects_log_with_direction_column() -> None:
    with pytest.raises(ImportRefused, match="I can read"):
        read_history(
            "timestamp,direction,message\n2024-05-01T10:00:00Z,in,GET /\n2024-05-01T10:00:01Z,out,200\n", "log.csv"
        )


def test_phoneview_csv_has_one_chat_per_contact() -> None:
    rows = (("Sent", "Tom", "hello"), ("Received", "Eva", "hi"), ("Received", "Tom", "good"))
    told = "".join(f'{way},"Jul 23, 2011 6:12:54 AM",{name},+491,{text},SMS\n' for way, name, text in rows)
    history = read_history(f'"direction","timestamp","name","number","content","type"\n{told}', "sms.csv")
    assert [(message.title, message.speaker, message.content) for message in history.messages] == [
        ("Tom", "Me", "hello"),
        ("", "Tom", "good"),
        ("Eva", "Eva", "hi"),
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("trades.csv", "date,direction,name,text\n2024-05-01,buy,ACME,first order\n2024-05-02,sell,ACME,second\n"),
        ("log.csv", "timestamp,direction,name,message\n2024-05-01T10:00:00Z,in,eth0,GET /\n2024-05-01T10:00:01Z,out,eth0,200\n"),
        ("bank.json", json.dumps({"paid": [{"date": "2024-05-01", "direction": "in", "text": "salary", "name": "ACME"}]})),
        ("guía.md", "# Guía\n\n## Usuarios\n\nCuentas.\n\n## Asistencia\n\nPor teléfono.\n"),
    ],
)  # fmt: skip
def test_rejects_tables_and_documents_resembling_chats(name: str, text: str) -> None:
    with pytest.raises(ImportRefused, match="I can read"):
        read_history(text, name)


def test_direction_column_is_ignored_beside_sender() -> None:
    text = "timestamp,direction,sender,name,message\n2024-05-01 10:00:00,sent,Anna,Tom,hello\n2024-05-01 10:01:00,received,Eva,Eva,hi\n"
    assert [(message.title, message.speaker) for message in read_history(text, "x.csv").messages] == [
        ("", "Anna"),
        ("", "Eva"),
    ]


def test_own_message_of_csv_chat_has_no_name_of_other_person() -> None:
    text = "timestamp,fromMe,chatname,text\n2024-05-01 10:00:00,TRUE,Tom,hello\n2024-05-01 10:01:00,FALSE,Tom,good\n"
    first, second = read_history(text, "x.csv").messages
    assert (first.speaker, second.speaker) == ("Me", "Tom")


def test_reads_collapsible_turns_with_code_and_crlf() -> None:
    code = "```html\n<summary>Model</summary>\n</details>\n> **User**\n[User]: x\n```\n\n> said\n> **loudly**"
    text = f"<details>\n<summary>🧑 User</summary>\n\n{code}\n</details>\n\n<details>\n<summary>Assistant:</summary>\n\nok\n</details>\n"
    for file in (text, text.replace("\n", "\r\n")):
        assert list_texts(read_history(file, "x.md")) == [code, "ok"]


def test_question_and_answer_labels_inside_turn_stay_text() -> None:
    text = "# Sums\n\n## You\n\nSolve:\nQuestion: 2+2\nAnswer: ?\n\n## GPT-4o\n\n4\n"
    assert list_texts(read_history(text, "x.md")) == ["Solve:\nQuestion: 2+2\nAnswer: ?", "4"]
