"""Sample files of exporters, apps and phones from public repositories, and the expected messages."""

import gzip
import io
import json
import tarfile
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from records.errors import ImportRefused
from tests.unit.transfer.talk import zip_files
from tests.unit.transfer.test_more_shapes import ANSWERED, ASKED, AT, SECONDS, to_json_lines
from tests.unit.transfer.test_real_shapes import WALNUTS, list_texts, read_history
from transfer.formats.detection import parse_file
from transfer.formats.history import ReadContext

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
GROK_ON_X = "window.YTD.grok_chat_item.part0 = " + to_json_lines(
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
        ("Cherry Studio", zip_files({"data.json": to_json_lines(CHERRY)})),
        ("Grok in an archive of X", GROK_ON_X),
        ("the same in its archive", zip_files({"data/grok-chat-item.js": GROK_ON_X, "data/app.js": "alert(1)"})),
        ("ChatGPT's page", CHATGPT_PAGE),
        ("the same beside its data", zip_files(
            {"conversations.json": CHATGPT, "chat.html": CHATGPT_PAGE, "user.json": '{"id": "u"}'}
        )),
        ("Gemini Voyager", {"format": "gemini-voyager.chat.v1", "items": [{"user": QUESTION, "assistant": ANSWER}]}),
        ("AnythingLLM's table", f"id,prompt,response,sent_at\n1,{QUESTION},{ANSWER},2024-05-01T10:00:00Z\n"),
        ("Character.AI", {"histories": [{"msgs": [
            {"text": QUESTION, "author": {"name": "Anna", "is_human": True}, "created": AT.isoformat()},
            {"candidates": [{"raw_content": ANSWER}], "author": {"name": "Sage"}, "create_time": LATER.isoformat()},
        ]}]}),
        ("OpenAssistant, with another name for the person", to_json_lines(
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
def test_reads_same_conversation_from_every_exporter(name: str, data: object) -> None:
    history = read_history(data)
    assert list_texts(history) == WALNUTS
    assert [message.role for message in history.messages] == ["user", "assistant"]
    assert read_history(data).messages == history.messages


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
        ("Mattermost", to_json_lines({"type": "post", "post": {
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
def test_reads_app_chat_with_timestamps(name: str, data: object) -> None:
    history = read_history(data)
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
def test_rejects_unsupported_file_naming_its_kind(data: object, told: str) -> None:
    with pytest.raises(ImportRefused, match=told):
        read_history(data)


def test_reads_earlier_threads_of_session_as_conversations() -> None:
    thread = {"name": "old", "messages": [{**ASKED, "content": "older"}, {**ANSWERED, "content": "yes"}]}
    history = read_history({"chat-sessions": [{"name": "new", "messages": [ASKED, ANSWERED], "threads": [thread]}]})
    assert sorted(list_texts(history)) == sorted([*WALNUTS, "older", "yes"])
    assert {message.title for message in history.messages} == {"new", "old", ""}


def test_takes_conversation_title_from_enclosing_object() -> None:
    edges = [{"node": ASKED}, {"node": ANSWERED}]  # of Poe, whose conversations are known by their messages alone
    assert len(read_history({"chatOfCode": {"title": "Walnuts", "connection": {"edges": edges}}}).messages) == 2
    topics = [{"id": "t", "title": "Walnuts"}]
    in_topics = {"topics": topics, "messages": [{**ASKED, "topicId": "t"}, {**ANSWERED, "topicId": "t"}]}
    assert read_history(in_topics).messages[0].title == "Walnuts"
    nested: dict[str, Any] = {"chatSessions": [{"title": "Walnuts", "splits": [{"messages": [ASKED, ANSWERED]}]}]}
    assert read_history(nested).messages[0].title == "Walnuts"


def test_time_tag_below_heading_sets_message_time() -> None:
    text = (
        f'#### You:\n<time datetime="2024-05-01T10:00:00.000Z" title="x">10:00</time>\n\n{QUESTION}\n\n'
        f'#### ChatGPT:\n<time datetime="2024-05-01T10:00:05.000Z">10:00</time>\n\n{ANSWER}\n'
    )
    history = read_history(text, "x.md")
    assert (list_texts(history), [message.created_at for message in history.messages]) == (WALNUTS, [AT, LATER])


def test_strips_gemini_prompt_prefix_only_when_most_records_share_it() -> None:
    def titles(*prompts: str) -> list[str]:
        records = [{"header": "Gemini", "title": prompt, "time": f"2024-05-01T10:00:0{number}Z",
                    "safeHtmlItem": [{"html": "yes"}]} for number, prompt in enumerate(prompts)]  # fmt: skip
        return [message.content for message in read_history(records).messages if message.role == "user"]

    assert titles("Petición enviada: nueces", "Petición enviada: barco: azul") == ["nueces", "barco: azul"]
    assert titles("Prompted Translate: a", "Prompted Translate: b", "Prompted c", "Prompted d") == [
        "Translate: a", "Translate: b", "c", "d",
    ]  # fmt: skip


def test_surrounding_whitespace_does_not_change_message_source() -> None:
    spaced = [{**ASKED, "content": f"\n{QUESTION} \n"}, {**ANSWERED, "content": f" {ANSWER}\n"}]
    assert read_history(spaced).messages == read_history([ASKED, ANSWERED]).messages


def test_unnamed_csv_column_does_not_split_conversation() -> None:
    table = f",author,message,time\n0,user,{QUESTION},{AT.isoformat()}\n1,ai,{ANSWER},{LATER.isoformat()}\n"
    history = read_history(table, "x.csv")
    assert (list_texts(history), list(history.notes)) == (WALNUTS, [])


def test_groups_messages_by_conversation_field() -> None:
    history = read_history([{**message, "conversation": name} for name in "AB" for message in (ASKED, ANSWERED)])
    assert list_texts(history) == WALNUTS * 2
    assert [message.title for message in history.messages] == ["A", "", "B", ""]


def test_skips_block_reference_that_is_not_a_string() -> None:
    [topic] = CHERRY["indexedDB"]["topics"]
    messages = [{**message, "blocks": [{}, ["b1"], *message["blocks"]]} for message in topic["messages"]]
    assert (
        list_texts(read_history({"indexedDB": {**CHERRY["indexedDB"], "topics": [{**topic, "messages": messages}]}}))
        == WALNUTS
    )


def test_keeps_whatsapp_message_that_only_starts_like_system_text() -> None:
    for words in ("Hai eliminato", "Esta mensagem", "Vous avez supprimé", "Данное сообщение"):
        export = f"01/05/24, 10:00 - Anna: {words}\n01/05/24, 10:00 - Tom: good\n"
        assert list_texts(read_history(export, "chat.txt")) == [words, "good"]


def test_asks_day_month_order_of_ambiguous_dates_in_text_chat() -> None:
    text = "[5/1/2024 10:00 AM] Anna\nhello\n\n[5/1/2024 10:00 AM] Tom\ngood\n"
    asked = next(question for question in read_history(text).questions if question.name == "order")
    assert asked.chosen is None
    assert read_history(text, order0=(1,)).messages[0].created_at == AT


TURNS = (QUESTION, ANSWER, "And pecans?", "In **Texas**.\n\n- Georgia\n- New Mexico")


@pytest.mark.parametrize(
    "sides",
    [
        ("## PROMPT {0}", "## RESPONSE {0}"),
        ("### Prompt #{0}", "### Response #{0}"),
        ("## Message {1}: User", "## Message {1}: Assistant"),
        ("### Message {1} (User)", "### Message {1} (Assistant)"),
        ("## Turn {0}\n\n### User", "### Assistant"),
    ],
)
def test_numbered_headings_name_the_sides(sides: tuple[str, str]) -> None:
    marked = (f"{sides[n % 2].format(n // 2 + 1, n + 1)}\n\n{words}" for n, words in enumerate(TURNS))
    history = read_history(
        "# Walnuts\n\n" + "\n\n".join(marked) + "\n\n*Exported on 2024-05-01 with an exporter*\n", "chat.md"
    )
    assert [(said.role, said.content) for said in history.messages] == [
        ("user" if n % 2 == 0 else "assistant", words) for n, words in enumerate(TURNS)
    ]


@pytest.mark.parametrize(
    "chapters",
    [
        "### Added\n\na\n\n### Fixed\n\nb\n\n### Added\n\nc\n\n### Fixed\n\nd",
        "## Why?\n\na?\n\n## Pros\n\nb\n\n## Cons\n\nc\n\n## Pros\n\nd\n\n## Cons\n\ne",
        "**Name:** Anna\n**Phone:** 1\n**Name:** Tom\n**Phone:** 2",
    ],
)
def test_rejects_document_with_two_alternating_chapter_headings(chapters: str) -> None:
    with pytest.raises(ImportRefused):
        read_history(f"# Notes\n\n{chapters}\n", "notes.md")


def make_post(name: str, user: str, words: str, seconds: int, **more: Any) -> dict[str, Any]:
    return {name: {"id": name, "create_at": MILLIS + seconds * 1000, "delete_at": 0, "user_id": user,
                   "root_id": "", "message": words, "type": "", "props": {}, **more}}  # fmt: skip


POSTS = {
    **make_post("p1", "anna", QUESTION, 0),
    **make_post("p3", "anna", "Thanks", 9),
    **make_post("p2", "tom", ANSWER, 5),
    **make_post("p0", "tom", "tom joined.", 0, type="system_join_channel"),
}
SIGNAL = [
    {"timestamp": MILLIS, "id": "a", "conversationId": "c", "received_at": 1, "sent_at": MILLIS,
     "sourceUuid": "tom", "type": "incoming", "body": QUESTION, "hasAttachments": 0},
    {"timestamp": MILLIS + 5000, "id": "b", "conversationId": "c", "received_at": 2, "sent_at": MILLIS + 5000,
     "type": "outgoing", "body": ANSWER, "hasAttachments": 0},
]  # fmt: skip


@pytest.mark.parametrize(
    ("data", "name", "said"),
    [
        ({"order": ["p3", "p2", "p1"], "posts": POSTS, "next_post_id": ""}, "posts.json",
         [("anna", QUESTION), ("tom", ANSWER), ("anna", "Thanks")]),
        (("Post Creation Time,User Id,User Type,User Name,Post Id,Post Message,Post Type\n"
         f"2024-05-01 10:00:00 +0000 UTC,u1,user,anna,p1,{QUESTION},message\n"
         f"2024-05-01 10:00:05 +0000 UTC,u2,user,tom,p2,{ANSWER},message\n"), "town.csv",
         [("anna", QUESTION), ("tom", ANSWER)]),
        ({"groups_name_id": [{"W": "c"}], "messsages": SIGNAL}, "json_data.json", [("tom", QUESTION), ("Me", ANSWER)]),
        (("Conversation,Date,Name,Phone,Sent/Received,Message,Attachments\n"
         f"Tom,2024-05-01 10:00:00,Me,,Sent,{QUESTION},\nTom,2024-05-01 10:00:05,Tom,+4917,Received,{ANSWER},\n"),
         "messages.csv", [("Me", QUESTION), ("Tom", ANSWER)]),
    ],
    ids=["Mattermost's API", "Mattermost's channel export", "Signal Desktop's table", "Decipher TextMessage"],
)  # fmt: skip
def test_reads_speakers_of_mattermost_posts_and_signal_rows(data: Any, name: str, said: list[tuple[str, str]]) -> None:
    history = read_history(data, name)
    assert [(message.speaker, message.content) for message in history.messages] == said
    assert [message.created_at for message in history.messages[:2]] == [AT, LATER]


def test_roles_of_cursor_bubbles_follow_their_type() -> None:
    history = read_history({"composerId": "c", "name": "W", "createdAt": MILLIS, "conversation": [
        {"type": 1, "bubbleId": "1", "text": QUESTION}, {"type": 2, "bubbleId": "2", "text": ANSWER}]})  # fmt: skip
    assert [(said.role, said.content) for said in history.messages] == [("user", QUESTION), ("assistant", ANSWER)]


def test_asks_who_wrote_training_data_before_import() -> None:
    history = read_history(
        to_json_lines({"prompt": QUESTION, "completion": ANSWER}, {"prompt": "Sum", "completion": "3"}), "d.jsonl"
    )
    assert [question.options for question in history.questions] == [("Who asks (2)", "None of them")]


QUESTIONS = [QUESTION, ANSWER, "And pecans?", "In Texas.\n\n## Soil\n\nQuite dry."]


@pytest.mark.parametrize(
    "text",
    [
        "\n# Q:\n{}\n# A:\n{}\n# Q:\n{}\n# A:\n\n{}",
        "# Walnuts\n\n> Export time: 2025-09-01\n\n# Q: {}\n\n# A: \n\n{}\n\n---\n\n# Q: {}\n\n# A: \n\n{}\n\n---\n",
        "### Q1\n\n{}\n\n### A1\n\n{}\n\n### Q2\n\n{}\n\n### A2\n\n{}",
        "问：{}\n答：{}\n\n问：{}\n答：{}",
        "👤 **You**: {}\n\n---\n\n🤖 **Assistant**: {}\n\n---\n\n👤 **You**: {}\n\n---\n\n🤖 **Assistant**: {}\n\n",
        "Walnuts\n\n你:\n{}\n\nGemini:\n{}\n\n{rule}\n\n你:\n{}\n\nGemini:\n{}\n\n{rule}\n",
        "**You** · _{at}_\n\n{}\n\n**CoreVAI** · _{at}_\n\n{}\n\n**You** · _{at}_\n\n{}\n\n**CoreVAI** · _{at}_\n\n{}",
    ],
    ids=["Save As .MD", "AI Chat Markdown Export", "numbers", "Chinese", "pictures", "rules", "dates in italics"],
)
def test_reads_turns_named_by_letters_pictures_or_dates(text: str) -> None:
    history = read_history(text.format(*QUESTIONS, rule="-" * 20, at="5/13/2024, 12:00:00 PM"), "chat_export.md")
    assert list_texts(history) == QUESTIONS
    assert [message.role for message in history.messages] == ["user", "assistant"] * 2


@pytest.mark.parametrize(
    "text",
    [
        "# Opening hours\n\nQ: {}\nA: {}\n\nQ: {}\nA: {}",
        "# FAQ\n\n### Q: {}\n\nA: {}\n\n### Q: {}\n\nA: {}".replace("A:", "### A:"),
        "Nuts\n\n**Q1:** {}\n\n**A1:** {}\nC: is no side\n\n**Q2:** {}\n\n**A2:** {}",
    ],
    ids=["lines", "headings", "bold"],
)
def test_asks_who_wrote_questions_and_answers_without_time(text: str) -> None:
    """Frequent questions, flashcards and interviews are written like that, too."""
    history = read_history(text.format(*QUESTIONS), "faq.md")
    assert [question.options for question in history.questions] == [("Who asks (2)", "None of them")]
    assert [message.role for message in history.messages] == ["user", "assistant"] * 2


def test_keeps_last_line_of_dashes_below_text() -> None:
    """Below a blank line, it stands between the turns of a transcript."""
    said = [{"role": "user", "content": "Log:\n-----------"}, {"role": "assistant", "content": "Empty.\n\n-----------"}]
    assert list_texts(read_history({"messages": said})) == ["Log:\n-----------", "Empty."]


def test_keeps_greeting_before_first_question() -> None:
    """A character speaks first. Where no time falls, the order of the file is that of the talk."""
    greeting = {"name": "Sage", "is_user": False, "mes": "Hello there", "send_date": "May 1, 2024 12:00pm"}
    question = {"name": "Anna", "is_user": True, "mes": QUESTION, "send_date": "May 1, 2024 12:00pm"}
    head = {"user_name": "Anna", "character_name": "Sage"}
    assert list_texts(read_history(to_json_lines(head, greeting, question), "s.jsonl")) == ["Hello there", QUESTION]
    undated = {"messages": [{"role": "assistant", "content": "Hello"}, {"role": "user", "content": QUESTION}]}
    assert list_texts(read_history(undated)) == ["Hello", QUESTION]
    undated["messages"][1]["createdAt"] = "2024-05-01T10:00:00Z"  # before the greeting would be now
    dated = read_history(undated).messages
    assert [(said.content, said.created_at) for said in dated] == [("Hello", AT), (QUESTION, AT)]


@pytest.mark.parametrize("authors", [("AI", "Human"), ("Human", "AI")])
def test_copilot_answers_follow_their_questions_of_same_time(authors: tuple[str, str]) -> None:
    said = {"Human": [QUESTION, "And pecans?"], "AI": [ANSWER, "In Texas."]}
    rows = [f"W,2024-05-01T10:0{turn}:00,{author},{said[author][turn]}" for turn in (1, 0) for author in authors]
    history = read_history("\n".join(["Conversation,Time,Author,Message", *rows]), "copilot-activity-history.csv")
    assert list_texts(history) == [QUESTION, ANSWER, "And pecans?", "In Texas."]


def test_rows_without_time_stay_in_place() -> None:
    rows = f"2024-05-01 10:00:00,user,{QUESTION}\n2024-05-01 10:00:05,assistant,{ANSWER}\n2024-05-01 11:00:00,user,Why?"
    history = read_history(f"date,role,content\n{rows}\n,assistant,Rain.\n", "chat.csv")
    assert list_texts(history) == [QUESTION, ANSWER, "Why?", "Rain."]


def test_openai_lists_begin_with_newest_message() -> None:
    """GET /v1/conversations/{id}/items gives no times, and the newest item first."""
    items = [
        {"type": "message", "id": "msg_2", "role": "assistant", "content": [{"type": "output_text", "text": ANSWER}]},
        {"type": "message", "id": "msg_1", "role": "user", "content": [{"type": "input_text", "text": QUESTION}]},
    ]
    page = {"object": "list", "data": items, "first_id": "msg_2", "last_id": "msg_1", "has_more": False}
    assert list_texts(read_history(page)) == [QUESTION, ANSWER]


def test_slack_names_people_without_team() -> None:
    users = [{"id": "U1", "name": "anna", "profile": {"real_name": "Anna Berg"}}]
    said = [{"type": "message", "user": "U1", "text": "Hello", "ts": f"{SECONDS}.000100"}]
    package = zip_files({"users.json": json.dumps(users), "general/2024-05-01.json": json.dumps(said)})
    assert [message.speaker for message in read_history(package, "Club Slack export.zip").messages] == ["Anna Berg"]


def test_characters_beside_chats_are_not_taken_for_slack() -> None:
    characters = [{"id": "x", "name": "Sage", "profile": "Knows herbs."}]
    said = [{"role": "user", "content": QUESTION}, {"role": "assistant", "content": ANSWER}]
    files = {"characters.json": json.dumps(characters), "chats.json": json.dumps([{"title": "W", "messages": said}])}
    history = read_history(zip_files(files), "backup.zip")
    assert (history.format, list_texts(history)) == ("generic", [QUESTION, ANSWER])


def test_deepseek_question_without_answer_is_kept() -> None:
    said = {"inserted_at": "2024-05-01T18:00:00.000000+08:00"}
    mapping = {
        "root": {"id": "root", "parent": None, "children": ["1"], "message": None},
        "1": {"id": "1", "parent": "root", "children": ["2"],
              "message": said | {"fragments": [{"type": "REQUEST", "content": QUESTION}]}},
        "2": {"id": "2", "parent": "1", "children": [], "message": said | {"fragments": []}},
    }  # fmt: skip
    assert list_texts(read_history([{"id": "c", "title": "W", "mapping": mapping}], "conversations.json")) == [QUESTION]


def test_time_whose_name_ends_with_utc_is_utc() -> None:
    """The logs of llm, Simon Willison's command line."""
    row = {"id": "x", "prompt": QUESTION, "response": ANSWER, "datetime_utc": "2024-05-01T10:00:00"}
    context = ReadContext(person=7, zone=ZoneInfo("Asia/Tokyo"), now=datetime(2026, 11, 28, tzinfo=UTC))
    assert [message.created_at for message in parse_file(json.dumps([row]).encode(), context).messages] == [AT, AT]


def test_discord_message_without_time_is_damaged() -> None:
    said = {"id": "1", "type": "Default", "content": "Hello", "author": {"id": "1", "name": "Anna"}}
    channel = {"guild": {"id": "1"}, "channel": {"name": "general"}, "messages": [said]}
    with pytest.raises(ImportRefused, match=r"messages\[0\]\.timestamp"):
        read_history(channel, "general.json")
    channel["messages"] = [{**said, "id": None, "timestamp": "2024-05-01T10:00:00+00:00"}]
    with pytest.raises(ImportRefused, match=r"messages\[0\]\.id"):
        read_history(channel, "general.json")


@pytest.mark.parametrize(
    "deleted", ["ข้อความนี้ถูกลบแล้ว", "此訊息已刪除。", "Tin nhắn này đã bị xóa", "삭제한 메시지입니다"]
)
def test_whatsapp_deleted_messages_are_left_out(deleted: str) -> None:
    chat = f"31/8/24, 21:25 - Anna: Hello\n31/8/24, 21:26 - Tom: {deleted}\n31/8/24, 21:27 - Tom: Good\n"
    assert list_texts(read_history(chat, "WhatsApp Chat with Tom.txt")) == ["Hello", "Good"]


@pytest.mark.parametrize("inner", ["takeout.tgz", "takeout.tar.gz", "chat.json.gz", "takeout.zip"])
@pytest.mark.parametrize("outer", ["x.zip", "x.tgz"])
def test_reads_archive_inside_archive(inner: str, outer: str) -> None:
    talk = json.dumps([{"role": "user", "content": QUESTION}, {"role": "assistant", "content": ANSWER}])
    held = gzip.compress(talk.encode()) if inner == "chat.json.gz" else pack(inner, {"a/chat.json": talk.encode()})
    assert list_texts(read_history(pack(outer, {inner: held, "picture.png": b"x"}), outer)) == WALNUTS


def pack(name: str, files: dict[str, bytes]) -> bytes:
    if name.endswith(".zip"):
        return zip_files(files)
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for path, data in files.items():
            entry = tarfile.TarInfo(path)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return made.getvalue()
