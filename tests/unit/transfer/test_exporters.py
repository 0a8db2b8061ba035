"""Files as exporters, apps and phones of public repositories write them, and what each has to be read as."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from records.errors import ImportRefused
from tests.unit.transfer.talk import zipped
from tests.unit.transfer.test_more_shapes import ANSWERED, ASKED, AT, SECONDS, lines
from tests.unit.transfer.test_real_shapes import WALNUTS, past, words_of

QUESTION, ANSWER = WALNUTS
MILLIS = SECONDS * 1000
LATER = datetime(2024, 5, 1, 10, 0, 5, tzinfo=UTC)
TREE = {
    "a": {"id": "a", "message": {"author": {"role": "user"}, "create_time": SECONDS,
                                 "content": {"content_type": "text", "parts": [QUESTION]}}},
    "t": {"id": "t", "parent": "a", "message": {"author": {"role": "assistant"}, "create_time": SECONDS,
                                                "content": {"content_type": "thoughts", "parts": ["hm"]}}},
    "b": {"id": "b", "parent": "t", "message": {"author": {"role": "assistant"}, "create_time": SECONDS + 5,
                                                "content": {"content_type": "text", "parts": [ANSWER]}}},
}  # fmt: skip
CHERRY: dict[str, Any] = {"localStorage": {}, "indexedDB": {
    "topics": [{"id": "t", "messages": [
        {"id": "1", "role": "user", "createdAt": AT.isoformat(), "blocks": ["b1"]},
        {"id": "2", "role": "assistant", "createdAt": LATER.isoformat(), "blocks": ["b0", "b2", "lost"]},
    ]}],
    "message_blocks": [
        {"id": "b1", "type": "main_text", "content": QUESTION},
        {"id": "b0", "type": "thinking", "content": "hm"},
        {"id": "b2", "type": "main_text", "content": ANSWER},
    ],
}}  # fmt: skip
GROK_ON_X = "window.YTD.grok_chat_item.part0 = " + lines(
    [
        {"grokChatItem": {"chatId": "9", "createdAt": AT.isoformat(), "sender": "User", "message": QUESTION}},
        {"grokChatItem": {"chatId": "9", "createdAt": LATER.isoformat(), "sender": "Agent", "message": ANSWER}},
    ]  # type: ignore[arg-type]
)
CHATGPT = json.dumps([{"title": "W", "create_time": SECONDS, "current_node": "b", "mapping": TREE}])
CHATGPT_PAGE = f"""<html>
<head><title>ChatGPT Data Export</title><style>body {{ margin: 0; }}</style>
<script>
      // Global variables
      var jsonData = {CHATGPT};
      var assetsJson = {{}};
      function getConversationMessages(conversation) {{ return conversation.mapping; }}
</script></head><body onload="onLoad()"><div id="root"></div></body></html>"""
PERPLEXITY = f"""<img src="https://r2cdn.perplexity.ai/pplx-full-logo-primary-dark%402x.png" class="logo" width="120"/>

# {QUESTION}

{ANSWER}[^1_2]
<span style="display:none">[^1_3]</span>

<div align="center">⁂</div>

[^1_2]: https://example.org
"""


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a shared conversation of ChatGPT", {"serverResponse": {"data": {"mapping": TREE, "current_node": "b"}}}),
        ("Cherry Studio", zipped({"data.json": lines(CHERRY)})),
        ("Grok in an archive of X", GROK_ON_X),
        ("the same in its archive", zipped({"data/grok-chat-item.js": GROK_ON_X, "data/app.js": "alert(1)"})),
        ("ChatGPT's page", CHATGPT_PAGE),
        ("the same beside its data", zipped(
            {"conversations.json": CHATGPT, "chat.html": CHATGPT_PAGE, "user.json": '{"id": "u"}'}
        )),
        ("Gemini Voyager", {"format": "gemini-voyager.chat.v1", "items": [{"user": QUESTION, "assistant": ANSWER}]}),
        ("AnythingLLM's table", f"id,prompt,response,sent_at\n1,{QUESTION},{ANSWER},2024-05-01T10:00:00Z\n"),
        ("Character.AI", {"histories": [{"msgs": [
            {"text": QUESTION, "author": {"name": "Anna", "is_human": True}, "created": AT.isoformat()},
            {"candidates": [{"raw_content": ANSWER}], "author": {"name": "Sage"}, "create_time": LATER.isoformat()},
        ]}]}),
        ("OpenAssistant, with another name for the person", lines(
            {"text": QUESTION, "role": "prompter", "created_date": AT.isoformat()},
            {"text": ANSWER, "role": "assistant", "created_date": LATER.isoformat()},
        )),
        ("LibreChat's text", f"Options\nmodel: gpt-4\n\nHistory\n####\n>> User:\n{QUESTION}\n\n>> GPT-4:\n{ANSWER}\n"),
        ("Chatbox in Markdown", (f"# W\n\n**USER**: \n\n```\n{QUESTION}\n```\n\n"
                                f"**ASSISTANT**: \n\n```\n{ANSWER}\n```\n\n"
                                "--------------------\n\n<a href='https://chatboxai.app'>Chatbox AI</a>\n")),
        ("Perplexity's page", PERPLEXITY),
        ("thoughts in any marks", [ASKED, {**ANSWERED, "content": f"<thinking>hm</thinking>\n{ANSWER}"}]),
    ],
)  # fmt: skip
def test_an_exporters_file_is_the_same_talk(name: str, data: object) -> None:
    history = past(data)
    assert words_of(history) == WALNUTS
    assert [message.role for message in history.messages] == ["user", "assistant"]
    assert past(data).messages == history.messages


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("Matrix", {"messages": [
            {"type": "m.room.create", "sender": "@a:x", "content": {}, "origin_server_ts": MILLIS},
            {"type": "m.room.message", "sender": "Anna", "content": {"body": "hello"}, "origin_server_ts": MILLIS},
            {"type": "m.room.message", "sender": "Tom", "content": {"body": "good"}, "origin_server_ts": MILLIS},
        ]}),
        ("Teams by its interface", {"value": [
            {"messageType": "message", "createdDateTime": AT.isoformat(), "from": {"user": {"displayName": "Anna"}},
             "body": {"contentType": "html", "content": "<p>hello</p>"}},
            {"messageType": "message", "createdDateTime": AT.isoformat(), "from": {"user": {"displayName": "Tom"}},
             "body": {"contentType": "text", "content": "good"}},
        ]}),
        ("Zulip", {"messages": [
            {"sender_full_name": "Anna", "content": "<p>hello</p>", "timestamp": SECONDS, "type": "stream"},
            {"sender_full_name": "Tom", "content": "<p>good</p>", "timestamp": SECONDS, "type": "stream"},
        ]}),
        ("Mattermost", lines({"type": "post", "post": {
            "user": "Anna", "message": "hello", "create_at": SECONDS * 1000,
            "replies": [{"user": "Tom", "message": "good", "create_at": SECONDS * 1000}],
        }})),
        ("Viber, with the clock in a column of its own",
         "Message id,Date,Time,Sender,Text\n[1],2024-05-01,10:00:00,Anna,hello\n[2],2024-05-01,10:00:00,Tom,good\n"),
        ("iMazing", ("Chat Session,Message Date,Read Date,Sender Name,Text\n"
                    "Tom,2024-05-01 10:00:00,,Anna,hello\nTom,2024-05-01 10:00:00,,Tom,good\n")),
        ("Messenger by its interface", {"data": [
            {"from": {"name": "Anna", "id": "1"}, "message": "hello", "created_time": AT.isoformat()},
            {"from": {"name": "Tom", "id": "2"}, "message": "good", "created_time": AT.isoformat()},
        ]}),
        ("iMessage, which counts from 2001", [
            {"sender": "Anna", "text": "hello", "date": (SECONDS - 978_307_200) * 10**9},
            {"sender": "Tom", "text": "good", "date": (SECONDS - 978_307_200) * 10**9},
        ]),
        ("KakaoTalk in English",
         ("KakaoTalk Chats with Tom\nDate Saved : 2024-05-01 12:00:00\n\nMay 1, 2024 at 10:00, Anna : hello\n"
         "May 1, 2024 at 10:00, Tom : good\n")),
        ("a chat whose weekdays begin like months of other languages",
         ("KakaoTalk Chats with Tom\nDate Saved : Sat, May 4, 2024 12:00:00\n\nWed, May 1, 2024 10:00, Anna : hello\n"
         "Wed, May 1, 2024 10:00, Tom : good\n")),
        ("LINE with a Buddhist year", "[LINE] x\n\n01/05/2567\n10:00\tAnna\thello\n10:00\tTom\tgood\n"),
        ("LINE's stand-ins", ("[LINE] x\n\n2024/05/01(Wed)\n10:00\tAnna\thello\n10:00\tTom\t[Sticker]\n"
                             "10:00\tTom\tgood\n"
                             "10:01\tTom\t☎ Call time 0:10\n")),
        ("Discord's footer", (f"[01-May-24 10:00 AM] Anna\nhello\n\n[01-May-24 10:00 AM] Tom\ngood\n\n{'=' * 62}\n"
                             f"Exported 2 message(s)\n{'=' * 62}\n")),
        ("WhatsApp in Canada", "2024-05-01 10 h 00 - Anna: hello\n2024-05-01 10 h 00 - Tom: good\n"),
        ("WhatsApp in Italian", ("01/05/24, 10:00 - Anna: hello <Questo messaggio è stato modificato>\n"
                                "01/05/24, 10:00 - Tom: Questo messaggio è stato eliminato\n"
                                "01/05/24, 10:00 - Tom: good\n")),
    ],
)  # fmt: skip
def test_a_chat_of_an_app_is_read_with_its_times(name: str, data: object) -> None:
    history = past(data)
    assert [(message.speaker, message.content) for message in history.messages] == [("Anna", "hello"), ("Tom", "good")]
    assert {message.created_at for message in history.messages} == {AT}


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ('<html><body><a href="https://github.com/pionxzh/chatgpt-exporter">x</a></body></html>', "page of ChatGPT"),
        ('<html><body><div class="mx_MatrixChat"></div></body></html>', "page of Element"),
        ('<?xml version="1.0" ?>\n<html><div class="hChatLog hfeed"></div></html>', "export of Google Voice"),
        ('<?xml version="1.0"?>\n<chat xmlns="http://purl.org/net/ulf/ns/0.4-02"></chat>', "export of Adium"),
        ([{"header": "YouTube", "title": "Watched x", "time": "2024-05-01T10:00:00Z"}], "data in JSON"),
        ({"zerver_message": [{"sender": 5, "content": "hello", "date_sent": SECONDS}]}, "data in JSON"),
    ],
)
def test_what_cannot_be_read_is_refused_by_its_name(data: object, told: str) -> None:
    with pytest.raises(ImportRefused, match=told):
        past(data)


def test_earlier_threads_of_a_session_are_conversations_too() -> None:
    thread = {"name": "old", "messages": [{**ASKED, "content": "older"}, {**ANSWERED, "content": "yes"}]}
    history = past({"chat-sessions": [{"name": "new", "messages": [ASKED, ANSWERED], "threads": [thread]}]})
    assert sorted(words_of(history)) == sorted([*WALNUTS, "older", "yes"])
    assert {message.title for message in history.messages} == {"new", "old", ""}


def test_the_title_of_the_object_around_a_talk_is_its_title() -> None:
    data = {"chatOfCode": {"title": "Walnuts", "connection": {"edges": [{"node": ASKED}, {"node": ANSWERED}]}}}
    for held in (data, {"topics": [{"id": "t", "title": "Walnuts"}], "messages": [
        {**ASKED, "topicId": "t"}, {**ANSWERED, "topicId": "t"},
    ]}):  # fmt: skip
        assert past(held).messages[0].title in ("Walnuts", ""), held
    nested: dict[str, Any] = {"chatSessions": [{"title": "Walnuts", "splits": [{"messages": [ASKED, ANSWERED]}]}]}
    assert past(nested).messages[0].title == "Walnuts"


def test_a_time_tag_below_a_heading_is_the_time_of_the_message() -> None:
    text = (
        f'#### You:\n<time datetime="2024-05-01T10:00:00.000Z" title="x">10:00</time>\n\n{QUESTION}\n\n'
        f'#### ChatGPT:\n<time datetime="2024-05-01T10:00:05.000Z">10:00</time>\n\n{ANSWER}\n'
    )
    history = past(text, "x.md")
    assert (words_of(history), [message.created_at for message in history.messages]) == (WALNUTS, [AT, LATER])


def test_the_words_before_a_prompt_are_googles_only_if_most_records_have_them() -> None:
    def titles(*prompts: str) -> list[str]:
        records = [{"header": "Gemini", "title": prompt, "time": f"2024-05-01T10:00:0{number}Z",
                    "safeHtmlItem": [{"html": "yes"}]} for number, prompt in enumerate(prompts)]  # fmt: skip
        return [message.content for message in past(records).messages if message.role == "user"]

    assert titles("Petición enviada: nueces", "Petición enviada: barco: azul") == ["nueces", "barco: azul"]
    assert titles("Prompted Translate: a", "Prompted Translate: b", "Prompted c", "Prompted d") == [
        "Translate: a", "Translate: b", "c", "d",
    ]  # fmt: skip


def test_spaces_around_words_do_not_change_their_source() -> None:
    spaced = [{**ASKED, "content": f"\n{QUESTION} \n"}, {**ANSWERED, "content": f" {ANSWER}\n"}]
    assert past(spaced).messages == past([ASKED, ANSWERED]).messages


def test_a_column_without_a_name_does_not_divide_a_talk() -> None:
    table = f",author,message,time\n0,user,{QUESTION},{AT.isoformat()}\n1,ai,{ANSWER},{LATER.isoformat()}\n"
    history = past(table, "x.csv")
    assert (words_of(history), list(history.notes)) == (WALNUTS, [])


def test_messages_that_name_their_conversation_are_grouped_by_it() -> None:
    history = past([{**message, "conversation": name} for name in "AB" for message in (ASKED, ANSWERED)])
    assert words_of(history) == WALNUTS * 2
    assert [message.title for message in history.messages] == ["A", "", "B", ""]


def test_a_block_whose_id_is_no_text_is_left_out() -> None:
    [topic] = CHERRY["indexedDB"]["topics"]
    messages = [{**message, "blocks": [{}, ["b1"], *message["blocks"]]} for message in topic["messages"]]
    assert (
        words_of(past({"indexedDB": {**CHERRY["indexedDB"], "topics": [{**topic, "messages": messages}]}})) == WALNUTS
    )


def test_a_message_that_only_begins_like_the_app_is_kept() -> None:
    for words in ("Hai eliminato", "Esta mensagem", "Vous avez supprimé", "Данное сообщение"):
        assert words_of(past(f"01/05/24, 10:00 - Anna: {words}\n01/05/24, 10:00 - Tom: good\n", "chat.txt")) == [
            words, "good",
        ]  # fmt: skip


def test_the_order_of_day_and_month_is_asked_in_every_chat_as_text() -> None:
    text = "[5/1/2024 10:00 AM] Anna\nhello\n\n[5/1/2024 10:00 AM] Tom\ngood\n"
    asked = next(question for question in past(text).questions if question.name == "order")
    assert asked.chosen is None
    assert past(text, order0=(1,)).messages[0].created_at == AT
