# ruff: noqa: E501
"""Tests of reading chats of many phones, languages and exporters, and of refusing texts that are not chats."""

import json
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from records.errors import ImportRefused
from tests.unit.transfer.talk import zip_files
from tests.unit.transfer.test_more_shapes import AT, SECONDS, to_json_lines
from tests.unit.transfer.test_real_shapes import WALNUTS, list_texts, read_history
from transfer.formats.detection import parse_file
from transfer.formats.history import ReadContext

QUESTION, ANSWER = WALNUTS
MILLIS = SECONDS * 1000
FIRST, SECOND = "2024-05-01T10:00:00Z", "2024-05-01T10:00:05Z"


def list_speakers_and_texts(data: object, name: str = "sent", **answers: tuple[int, ...]) -> list[tuple[str, str]]:
    return [(message.speaker, message.content) for message in read_history(data, name, **answers).messages]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("Grok, whose answers hold their sources, and which names the answer that was shown", {"conversations": [{
            "conversation": {"id": "c", "title": "W", "leaf_response_id": "2"}, "responses": [
                {"response": {"_id": "1", "message": QUESTION, "sender": "human", "create_time": FIRST}},
                {"response": {"_id": "2", "sender": "ASSISTANT", "create_time": SECOND, "parent_response_id": "1",
                              "message": f'{ANSWER}<grok:render card_id="59d878" card_type="citation_card" '
                                         'type="render_inline_citation">\n<argument name="citation_id">29</argument>'
                                         "\n</grok:render>"}},
                {"response": {"_id": "3", "message": "Other", "sender": "ASSISTANT", "parent_response_id": "1",
                              "create_time": "2024-05-01T10:00:09Z"}}]}]}),
        ("HuggingChat, whose messages name all that stand before them", [{"title": "W", "messages": [
            {"id": "s", "from": "system", "content": "", "ancestors": [], "children": ["1"]},
            {"id": "1", "from": "user", "content": QUESTION, "ancestors": ["s"], "children": ["2", "3"]},
            {"id": "2", "from": "assistant", "content": "Old", "ancestors": ["s", "1"], "createdAt": FIRST},
            {"id": "3", "from": "assistant", "content": ANSWER, "ancestors": ["s", "1"], "createdAt": SECOND}]}]),
        ("llama.cpp, whose conversation names the message shown last", {
            "conv": {"id": "c", "currNode": "2", "name": "W"}, "messages": [
                {"id": "1", "role": "user", "content": QUESTION, "parent": "r", "timestamp": MILLIS},
                {"id": "2", "role": "assistant", "content": ANSWER, "parent": "1", "timestamp": MILLIS + 1},
                {"id": "3", "role": "assistant", "content": "New", "parent": "1", "timestamp": MILLIS + 9}]}),
        ("LM Studio, which marks a thought by its style", {"name": "W", "messages": [
            {"versions": [{"role": "user", "content": [{"type": "text", "text": QUESTION}]}], "currentlySelected": 0},
            {"versions": [{"role": "assistant", "steps": [
                {"type": "contentBlock", "content": [{"type": "text", "text": "hm"}],
                 "style": {"type": "thinking", "ended": True}},
                {"type": "contentBlock", "content": [{"type": "text", "text": ANSWER}]}]}], "currentlySelected": 0}]}),
        ("Khoj", [{"title": "W", "conversation_log": {"chat": [
            {"by": "you", "message": QUESTION, "created": "2024-05-01 10:00:00", "intent": {"type": "remember"}},
            {"by": "khoj", "message": ANSWER, "created": "2024-05-01 10:00:05", "context": []}]}}]),
        ("Rasa, whose events name who spoke", {"sender_id": "default", "slots": {"city": None}, "events": [
            {"event": "action", "timestamp": SECONDS, "name": "action_session_start", "confidence": 1.0},
            {"event": "user", "timestamp": SECONDS, "text": QUESTION, "parse_data": {"text": QUESTION}},
            {"event": "slot", "timestamp": SECONDS, "name": "city", "value": "Bern"},
            {"event": "bot", "timestamp": SECONDS + 5, "text": ANSWER, "data": {"buttons": None}}]}),
        ("Watson Assistant, whose logs hold requests and responses", {"pagination": {}, "logs": [{
            "request": {"input": {"message_type": "text", "text": QUESTION}, "context": {"global": {}}},
            "response": {"context": {}, "output": {
                "intents": [{"intent": "keep", "confidence": 0.9}], "entities": [{"entity": "tree", "value": "walnut"}],
                "generic": [{"response_type": "text", "text": ANSWER}]}},
            "request_timestamp": FIRST, "response_timestamp": SECOND, "log_id": "1", "language": "en"}]}),
        ("Dialogflow CX", {"name": "projects/p/conversations/c", "languageCode": "en", "interactions": [{
            "request": {"session": "s", "queryInput": {"text": {"text": QUESTION}, "languageCode": "en"}},
            "response": {"responseId": "r", "queryResult": {
                "text": QUESTION, "responseMessages": [{"text": {"text": [ANSWER]}}]}}, "createTime": FIRST}]}),
        ("Pydantic AI, whose requests hold what the system says", [
            {"kind": "request", "parts": [{"content": "Be terse", "part_kind": "system-prompt"},
                                          {"content": QUESTION, "timestamp": FIRST, "part_kind": "user-prompt"}]},
            {"kind": "response", "timestamp": SECOND, "parts": [{"content": ANSWER, "part_kind": "text"}]}]),
        ("Claude in 2024, with its thoughts", [{"uuid": "c", "chat_messages": [
            {"uuid": "1", "sender": "human", "text": QUESTION, "created_at": FIRST},
            {"uuid": "2", "sender": "assistant", "text": f"<antThinking>hm</antThinking>\n\n{ANSWER}",
             "created_at": SECOND}]}]),
        ("a date behind a bold name", (f"# W\n\nUUID: b930\n\n---\n\n**Human** - 2024-05-01 10:00:00 UTC\n\n{QUESTION}\n\n"
                                       f"---\n\n**Assistant** - 2024-05-01 10:00:05 UTC\n\n{ANSWER}\n\n---\n")),
        ("NextChat", f"# W\n\n## Message From You:\n{QUESTION}\n\n## Message From ChatGPT:\n{ANSWER}\n"),
        ("times in brackets", (f"[2024-05-01 10:00:00] User: {QUESTION}\n\n[2024-05-01 10:00:05] Assistant: {ANSWER}\n")),
    ],
)  # fmt: skip
def test_reads_assistant_conversation(name: str, data: object) -> None:
    history = read_history(data)
    assert list_texts(history) == WALNUTS
    assert [message.role for message in history.messages] == ["user", "assistant"]
    assert not history.questions
    assert read_history(data).messages == history.messages


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("Slack, whose messages have blocks", zip_files({
            "users.json": json.dumps([{"id": "U1", "team_id": "T", "real_name": "Anna", "profile": {}},
                                      {"id": "U2", "team_id": "T", "name": "tom", "profile": {"real_name": "Tom"}}]),
            "canvases.json": "[]",
            "general/2024-05-01.json": json.dumps([
                {"user": user, "type": "message", "ts": f"{SECONDS}.000{number}", "text": text, "team": "T",
                 "blocks": [{"type": "rich_text", "elements": [{"type": "text", "text": text}]}]}
                for number, (user, text) in enumerate((("U1", "hello"), ("U2", "good")))] + [
                {"type": "message", "subtype": "huddle_thread", "user": "U1", "ts": f"{SECONDS}.1", "text": "A huddle started"},
                {"type": "message", "subtype": "tombstone", "user": "USLACKBOT", "ts": f"{SECONDS}.2", "hidden": True,
                 "text": "This message was deleted."}]),
        })),
        ("Messenger with a call", {"participants": [{"name": "Anna"}, {"name": "Tom"}], "messages": [
            {"sender_name": "Tom", "timestamp_ms": MILLIS + 2, "call_duration": 0, "content": "Tom missed your call."},
            {"sender_name": "Tom", "timestamp_ms": MILLIS + 1, "content": "good"},
            {"sender_name": "Anna", "timestamp_ms": MILLIS, "content": "hello"}]}),
        ("Skype with a picture, which names who wrote only sometimes", {"userId": "8:live:anna", "conversations": [
            {"id": "8:live:tom", "displayName": "Tom", "MessageList": [
                {"id": "3", "displayName": None, "originalarrivaltime": SECOND, "messagetype": "RichText/UriObject",
                 "content": '<URIObject uri="https://x">To view this shared photo, go to: https://x</URIObject>',
                 "from": "8:live:tom"},
                {"id": "2", "displayName": None, "originalarrivaltime": SECOND, "messagetype": "RichText",
                 "content": "good", "from": "8:live:tom"},
                {"id": "1", "displayName": "Anna", "originalarrivaltime": FIRST, "messagetype": "Text",
                 "content": "hello", "from": "8:live:anna"}]}]}),
        ("QQ, with a line of the app", {"chatInfo": {"name": "Tom", "type": "private"}, "messages": [
            {"messageId": "1", "timestamp": FIRST, "sender": {"uid": "u_1", "name": "Anna"}, "messageType": 2,
             "content": {"text": "hello"}},
            {"messageId": "2", "timestamp": FIRST, "sender": {"uid": "u_2", "name": "Tom"}, "messageType": 2,
             "content": {"text": "good"}},
            {"messageId": "3", "timestamp": FIRST, "sender": {"uid": "未知", "uin": "0", "name": "0"},
             "messageType": 5, "content": {"text": "对方撤回了一条消息"}, "system": True}]}),
        ("WeChat in a data base's words", [
            {"type_name": "文本", "is_sender": 1, "talker": "Anna", "msg": "hello", "CreateTime": "2024-05-01 10:00:00"},
            {"type_name": "文本", "is_sender": 0, "talker": "Tom", "msg": "good", "CreateTime": "2024-05-01 10:00:00"}]),
        ("KakaoTalk on a computer", ("저장한 날짜 : 2024-05-02 13:00:00\n\n--------------- 2024년 5월 1일 수요일 ---------------\n"
                                     "Tom님이 들어왔습니다.\n[Anna] [오전 10:00] hello\n[Tom] [오전 10:00] good\nTom님이 나갔습니다.\n")),
        ("Viber on a computer", "[ 1 May 2024 10:00 ] \u2068Anna\u2069: hello\n[ 1 May 2024 10:00 ] \u2068Tom\u2069: good\n"),
        ("WhatsApp without a space", ("[2024/5/1 10:00:00] Messages and calls are end-to-end encrypted.\n"
                                      "[2024/5/1 10:00:00] Anna: hello\n[2024/5/1 10:00:00] Tom:good\n")),
        ("the year of an era", "[令和6/5/1 10:00:00] Anna: hello\n[令和6/5/1 10:00:00] Tom: good\n"),
        ("a year of two digits that comes first", "24. 5. 1. AM 10:00 - Anna: hello\n24. 5. 1. AM 10:00 - Tom: good\n"),
    ],
)  # fmt: skip
def test_reads_chat_between_people(name: str, data: object) -> None:
    history = read_history(data, "sent", order0=(1,))
    assert [(message.speaker, message.content) for message in history.messages] == [("Anna", "hello"), ("Tom", "good")]
    assert abs(history.messages[0].created_at - AT).total_seconds() < 1
    assert read_history(data, "sent", order0=(1,)).messages == history.messages


def test_takes_least_varying_date_field_as_two_digit_year() -> None:
    for day, month in (("3", "7"), ("28", "7"), ("14", "8")):
        dates = [f"26. {month}. {day}.", "26. 9. 30."]
        history = read_history("".join(f"{date}, PM 12:00 - Anna: hello\n" for date in dates), "chat.txt")
        assert [message.created_at.date().isoformat() for message in history.messages] == [
            f"2026-0{month}-{int(day):02}", "2026-09-30",
        ]  # fmt: skip


@pytest.mark.parametrize(
    "date",
    [
        "3 thg 7, 2026, 09:15:07", "3 ก.ค. 2026 09:15:07", "3 ก.ค. 2569 09:15:07", "3 ביולי 2026, 9:15:07",
        "3. jul. 2026, 09.15.07", "3.7.2026 klo 9.15.07", "3 Jul 2026, 09.15.07", "3 juill. 2026, 09 h 15 min 07 s",
        "Ngày 3 tháng 7 năm 2026, 09:15:07", "3 korr 2026, 9:15:07\u202fp.d.",
    ],
)  # fmt: skip
def test_parses_gemini_dates_in_any_language(date: str) -> None:
    """The dates are in the formats of ICU for many languages.

    They include Vietnamese, Thai, Hebrew, Danish, Finnish, Indonesian and Canadian French.
    """
    page = "".join(
        '<div class="outer-cell"><div class="header-cell"><p>Gemini Apps</p></div>'
        f'<div class="content-cell">Prompted\u00a0{text}<br>{date} UTC<br><p>yes</p></div></div>'
        for text in ("one", "two")
    )
    history = read_history(page, "MyActivity.html")
    assert list_texts(history) == ["one", "yes", "two", "yes"]
    assert history.messages[0].created_at == datetime(2026, 7, 3, 9, 15, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    ("head", "time"),
    [
        ("2018/6/13, 晚上9:25", "21:25"), ("2018/6/13, 凌晨12:30", "00:30"), ("13/6/18, रात 9:25", "21:25"),
        ("13/6/18, đêm 12:30", "00:30"), ("13/6/18, gece 9:25", "21:25"), ("13/6/18, de la madrugada 3:30", "03:30"),
        ("民國107/6/13 21:25", "21:25"), ("13/6/18 12 h 00 min 05 s", "12:00"),
    ],
)  # fmt: skip
def test_parses_localized_day_periods(head: str, time: str) -> None:
    """Phones with a 12-hour clock write day periods, such as "at night", as CLDR defines them."""
    history = read_history(f"{head} - Anna: hello\n{head} - Tom: good\n", "chat.txt")
    assert {f"{message.created_at:%Y-%m-%d %H:%M}" for message in history.messages} == {f"2018-06-13 {time}"}


def test_drops_bare_attachment_name_and_keeps_slack_broadcast_reply() -> None:
    chat = (
        "[13/06/18, 21:25:16] Anna: Tom Bear.vcf \u200e<attached: 0002-Tom Bear.vcf>\n"
        "[13/06/18, 21:25:17] Anna: look \u200e<attached: 0003-PHOTO.jpg>\n[13/06/18, 21:25:18] Tom: good\n"
    )
    assert list_speakers_and_texts(chat, "_chat.txt") == [("Anna", "look"), ("Tom", "good")]
    said = [{"user": "U1", "type": "message", "subtype": "thread_broadcast", "ts": f"{SECONDS}.1", "text": "hello"}]
    assert list_texts(read_history(zip_files({"general/2024-05-01.json": json.dumps(said)}))) == ["hello"]


def test_gemini_answer_keeps_code_and_table_layout() -> None:
    html = "<p>So:</p><pre><code>def f():\n    return 1\n</code></pre><table><tr><td>a</td><td>b</td></tr></table>"
    record = {"header": "Gemini Apps", "title": "Prompted How?", "time": FIRST, "safeHtmlItem": [{"html": html}]}
    assert list_texts(read_history([record])) == ["How?", "So:\n\ndef f():\n    return 1\n\na\tb"]


def telegram_page(*bodies: str) -> str:
    messages = "".join(
        f'<div class="message default clearfix" id="message{number}"><div class="body"><div class="pull_right date '
        f'details" title="01.05.2024 10:00:0{number} UTC+00:00">10:00</div>{body}</div></div>'
        for number, body in enumerate(bodies)
    )
    return (
        f'<!DOCTYPE html><html><body><div class="page_wrap"><div class="history">{messages}</div></div></body></html>'
    )


def test_telegram_html_reads_forwards_and_chosen_poll_answers() -> None:
    """A second forward from the same source has no name of its own. A poll marks the chosen answer."""
    page = telegram_page(
        '<div class="from_name">Anna</div><div class="pull_left forwarded userpic_wrap"><div class="userpic"></div></div>'
        '<div class="forwarded body"><div class="from_name">News <span class="date details" title="x">30.04.2024</span>'
        '</div><div class="text">one</div></div>',
        '<div class="forwarded body"><div class="text">two</div></div>',
        '<div class="from_name">Anna</div><div class="media_wrap clearfix"><div class="media_poll">'
        '<div class="question bold">Which day?</div><div class="answer">- Monday <span class="details">1 vote, chosen vote'
        '</span></div><div class="answer">- Tuesday</div></div></div>',
    )
    said = [("Anna", "[Forwarded from News]\none"), ("Anna", "[Forwarded from News]\ntwo"),
            ("Anna", "[Poll] Which day?\n- Monday (chosen)\n- Tuesday")]  # fmt: skip
    assert list_speakers_and_texts(page) == said
    chat = {"name": "Anna", "type": "personal_chat", "id": 5, "messages": [
        {"id": 1, "type": "message", "date": "2024-05-01T10:00:00", "from": "Anna", "from_id": "user7", "text": "hello"}]}  # fmt: skip
    both = zip_files({"x/result.json": json.dumps(chat), "x/chats/chat_1/messages.html": page})
    assert (read_history(both).format, list_texts(read_history(both))) == ("telegram", ["hello"]), (
        "one chat in two forms is read once"
    )


def test_offers_openmemory_memories() -> None:
    memory = {"id": "1", "content": "Likes tea", "state": "active", "created_at": SECONDS, "metadata": {}}
    data: dict[str, Any] = {"user": {"id": "1"}, "categories": [], "memories": [memory], "status_history": []}
    assert read_history(zip_files({"memories.json": json.dumps(data)})).questions[0].options == ("Likes tea",)


@pytest.mark.parametrize(
    "text",
    [
        "2024-05-01 10:00:00,123 - root - INFO - started: ok\n2024-05-01 10:00:01,123 - root - ERROR - failed: x\n",
        "[2024-05-01 10:00:00] ERROR: disk full\n[2024-05-01 10:00:01] INFO: ok\n",
        "# Tool\n\n## Usage\n\nRun it.\n\n## Models\n\n- llama\n\n## User\n\nHe is x.\n\n## License\n\nMIT\n",
        to_json_lines(
            {"timestamp": FIRST, "level": "info", "message": "started"}, {"timestamp": SECOND, "message": "stopped"}
        ),
    ],
)
def test_rejects_logs_and_documentation(text: str) -> None:
    with pytest.raises(ImportRefused, match="I can read"):
        read_history(text, "file.txt")


def test_rejects_unsupported_signal_export_by_name() -> None:
    text = "Conversation: Tom\n\nFrom: Tom (+1)\nType: incoming\nSent: Wed, 01 May 2024 10:00:05 +0000\n\ngood\n"
    with pytest.raises(ImportRefused, match="export of Signal"):
        read_history(text, "Tom.txt")


@pytest.mark.parametrize("written", ["15/03/{}", "15/03/20{}", "15.03.{}"])
def test_same_day_in_several_years_is_parsed_day_first(written: str) -> None:
    lines = [f"{written.format(year)}, 12:00 - Anna: happy birthday\n" for year in (19, 20, 21)]
    days = [message.created_at.date().isoformat() for message in read_history("".join(lines), "chat.txt").messages]
    assert days == ["2019-03-15", "2020-03-15", "2021-03-15"]


def test_parses_day_first_date_in_pre_whatsapp_log() -> None:
    assert [message.created_at.year for message in read_history("[25.12.05 10:00] <anna> hi\n", "x.log").messages] == [
        2005
    ]


def test_turkish_am_pm_markers_are_not_night_periods() -> None:
    history = read_history("28.11.2024 7:05 ÖÖ - Anna: hello\n28.11.2024 7:05 ÖS - Anna: hello\n", "chat.txt")
    assert [message.created_at.hour for message in history.messages] == [7, 19]


@pytest.mark.parametrize(
    ("data", "source", "speaker", "content"),
    [
        ("[05/01/24, 10:00:01] \u2068Ann\u2069: hello\n", "whatsapp:ad4fe84d64d563b6e13b733c07946946", "Ann", "hello"),
        ("[Ann] [오전 9:01] hello\nBob님이 들어왔습니다.\n[Bob] [오전 9:02] hi\n",
         "chat-texts:af261fdcabf27014561eab6b5c5c6700", "Ann", "hello"),
        ([{"role": "user", "content": "q"},
          {"role": "assistant", "content": 'a <grok:render card_id="1"><argument>x</argument></grok:render> b'}],
         "generic:0bfc62e5c226263c55a40fa472eb51f3", "Assistant", "a  b"),
        ([{"title": "t", "messages": [
            {"id": "0", "from": "system", "content": "", "ancestors": [], "children": ["1"]},
            {"id": "1", "from": "user", "content": "q", "ancestors": ["0"], "createdAt": "2024-01-05T10:00:00Z"},
            {"id": "2", "from": "assistant", "content": "a", "ancestors": ["0", "1"], "createdAt": "2024-01-05T10:00:01Z"},
            {"id": "3", "from": "assistant", "content": "b", "ancestors": ["0", "1"], "createdAt": "2024-01-05T10:00:02Z"},
        ]}], "generic:ae662f40c7edbed6672b4593b3b253d9", "Assistant", "b"),
    ],
)  # fmt: skip
def test_message_sources_match_earlier_versions(data: object, source: str, speaker: str, content: str) -> None:
    found = {message.source: message for message in read_history(data, "sent").messages}
    message = found[f"import:{source}"]
    assert (message.speaker, message.content) == (speaker, content)


def test_keeps_tables_and_code_of_skype_messages() -> None:
    skype = {"conversations": [{"id": "8:live:ann", "displayName": "Ann", "MessageList": [
        {"id": "2", "originalarrivaltime": "2024-01-05T10:01:00.123Z", "messagetype": "RichText", "from": "8:live:ann",
         "content": "x<table><tr><td>a</td><td>b</td></tr></table><pre>  c</pre>"},
        {"id": "1", "originalarrivaltime": "2024-01-05T10:00:00.123Z", "messagetype": "Text", "from": "8:live:me",
         "content": "hi"}]}]}  # fmt: skip
    history = read_history(skype)
    assert [(said.speaker, said.content) for said in history.messages] == [
        ("8:live:me", "hi"),
        ("Ann", "x\n\na\tb\n\n  c"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "May 17, 2022  5:29:42 PM (Read by you after 1 hour, 49 seconds)\nTom\nhello\n\nMay 17, 2022  5:29:55 PM\nMe\nhi\n",
        "2022-05-17 17:29:42 Tom(123)\nhello\n\n2022-05-17 17:29:55 Anna(456)\nhi\n",
        "2022-05-17 17:29:42 From Tom to Everyone:\n\thello\n2022-05-17 17:29:55 From Anna to Everyone:\n\thi\n",
    ],
    ids=["imessage-exporter", "QQ", "Zoom"],
)
def test_text_chats_keep_seconds(text: str) -> None:
    said = read_history(text, "chat.txt").messages
    assert [f"{message.created_at:%T} {message.content}" for message in said] == ["17:29:42 hello", "17:29:55 hi"]


def test_chat_speaker_named_like_assistant_stays_user() -> None:
    chat = [
        {"sender": "王芳", "text": "Where is the key?", "timestamp": "2024-05-01T10:00:00Z"},
        {"sender": "助理", "text": "Under the pot", "timestamp": "2024-05-01T10:01:00Z"},
    ]
    assert {(message.speaker, message.role) for message in read_history(chat).messages} == {
        ("王芳", "user"),
        ("助理", "user"),
    }
    roles = [{"role": "使用者", "content": "Wo?"}, {"role": "助理", "content": "Hier."}]
    assert [message.role for message in read_history(roles).messages] == ["user", "assistant"]


@pytest.mark.parametrize(("user", "assistant"), [("用户", "豆包"), ("使用者", "助理"), ("kullanıcı", "asistan")])
@pytest.mark.parametrize("name", ["sender", "from", "author", "type"])
def test_detects_user_and_assistant_names_in_any_field(name: str, user: str, assistant: str) -> None:
    said = [{name: user, "content": "Wo?"}, {name: assistant, "content": "Hier."}]
    for given in (said, [one | {"timestamp": SECONDS + number} for number, one in enumerate(said)]):
        read = read_history(given)
        assert ([message.role for message in read.messages], read.questions) == (["user", "assistant"], ())
    text = f"[2024-05-01 10:00:00] {user}: Wo?\n[2024-05-01 10:01:00] {assistant}: Hier.\n"
    assert [message.role for message in read_history(text).messages] == ["user", "assistant"]


def test_longer_code_fence_encloses_shorter_fences() -> None:
    code = "````md\n```\n## Assistant\n```\n````"
    for user, assistant in (("## User\n\n", "## Assistant\n\n"), ("[User]: ", "[Assistant]: ")):
        text = f"{user}How is a transcript written?\n\n{assistant}So:\n\n{code}\n\n{user}Thanks\n\n{assistant}Welcome\n"
        said = ["How is a transcript written?", f"So:\n\n{code}", "Thanks", "Welcome"]
        assert list_texts(read_history(text, "x.md")) == said


def test_asks_whether_undated_faq_questions_are_own() -> None:
    """Lists of frequently asked questions look like undated question-answer pairs of AnythingLLM."""
    pairs = [{"question": "How do I pay?", "answer": "By card."}, {"question": "Who can join?", "answer": "All."}]
    history = read_history({"faqs": pairs})
    [question] = history.questions
    assert (question.name, question.options, question.chosen) == ("speaker", ("Who asks (2)", "None of them"), None)
    asked = read_history({"faqs": pairs}, speaker0=(0,))
    assert [message.is_own for message in asked.messages if message.role == "user"] == [True, True]
    dated = [pair | {"created_at": "2024-05-01T10:00:00Z"} for pair in pairs]
    assert not read_history(dated).questions


def test_unclosed_code_fence_does_not_hide_next_turn() -> None:
    text = "**用户**：\nHow?\n\n**豆包**：\n```py\nx = 1\n\n**用户**：\nThanks\n"
    assert list_texts(read_history(text, "x.md")) == ["How?", "```py\nx = 1", "Thanks"]


def test_names_in_truncated_code_are_not_speakers() -> None:
    user, assistant = (f"<details><summary>{name}</summary>\n\n" for name in ("User", "Assistant"))
    code = "```py\nUser: in code\nAssistant: too"
    text = f"{user}How?\n\n{assistant}So.\n\n{user}And then?\n\n{assistant}{code}"
    assert list_texts(read_history(text, "x.md")) == ["How?", "So.", "And then?", code]


def test_reads_file_truncated_inside_multibyte_character() -> None:
    text = "User: Where?\nAssistant: In Zürich-Ötlingen ü"
    for encoding in ("utf-8", "utf-16"):
        assert list_texts(read_history(text.encode(encoding)[:-1], "x.txt")) == ["Where?", "In Zürich-Ötlingen"]


def test_discord_data_package_times_are_utc() -> None:
    """The message's id also encodes its time, which is 13 May 2024, 10:00:00 UTC."""
    row = {"ID": 1239517495296000000, "Timestamp": "2024-05-13 10:00:00", "Contents": "Hello", "Attachments": ""}
    package = zip_files({"Messages/index.json": '{"1": "Tom"}', "Messages/c1/messages.json": json.dumps([row])})
    read = parse_file(
        package, ReadContext(person=7, zone=ZoneInfo("Europe/Berlin"), now=datetime(2026, 11, 28, tzinfo=UTC))
    )
    assert [message.created_at for message in read.messages] == [datetime(2024, 5, 13, 10, tzinfo=UTC)]


def test_telegram_polls_and_checklists_may_contain_rich_text() -> None:
    rich = ["Buy ", {"type": "bold", "text": "two"}]
    message = {"type": "message", "date_unixtime": str(SECONDS), "from": "Anna", "from_id": "user7", "text": ""}
    poll = {"question": rich, "answers": [{"text": rich, "chosen": True}]}
    todo = {"title": rich, "answers": [{"text": rich, "id": 1}]}
    said = [message | {"id": 1, "poll": poll}, message | {"id": 2, "todo_list": todo}]
    chat = {"name": "Tom", "type": "personal_chat", "id": 99, "messages": said}
    assert list_texts(read_history(chat)) == ["[Poll] Buy two\n- Buy two (chosen)", "Buy two\n- Buy two"]
    chat["messages"] = [message | {"id": 3, "text": "See", "poll": {"question": None, "answers": [{"text": "Yes"}]}}]
    assert list_texts(read_history(chat)) == ["See\n[Poll] \n- Yes"]


def test_telegram_html_ignores_custom_emoji_placeholder() -> None:
    """Telegram Desktop exports the same waving hand for every custom emoji."""
    emoji = ("❤", '<a href = "stickers/e.webp">👋</a>', '<a href="" onclick="return ShowNotLoadedEmoji();">👋</a>')
    reactions = "".join(f'<span class="reaction">\n<span class="emoji">\n{one}\n</span></span>' for one in emoji)
    page = (
        '<div class="page_wrap"><div class="message default" id="message1"><div class="body"><div class="date details" '
        'title="13.05.2024 10:00:00 UTC+00:00"></div><div class="from_name">Anna</div><div class="text">Hello</div>'
        f'<span class="reactions">{reactions}</span></div></div></div>'
    )
    assert list_texts(read_history(page)) == ["Hello\n[Reactions: ❤]"]


def test_skips_rocket_chat_join_message() -> None:
    row = {"rid": "r", "ts": {"$date": FIRST}, "u": {"_id": "a", "username": "anna", "name": "Anna"}}
    assert list_texts(read_history({"messages": [row | {"t": "uj", "msg": "anna"}, row | {"msg": "Hello"}]})) == [
        "Hello"
    ]
    other = {"rid": 1, "t": "10:00", "from": "Anna", "text": "Hello", "date": "2024-05-13T10:00:00Z"}
    assert list_texts(read_history({"messages": [other]})) == ["Hello"], "the member of another program"
