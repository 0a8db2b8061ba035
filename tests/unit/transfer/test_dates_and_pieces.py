# ruff: noqa: E501
"""Tests of dates that are impossible, missing or decided by their weekday, of pieces of answers, and of hidden files."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from records.errors import ImportRefused
from records.scopes import Scope
from tests.support.talk import ANNA, open_chat_harness
from tests.unit.transfer.conftest import ignore_progress
from tests.unit.transfer.test_more_shapes import AT, SECONDS, to_json_lines
from tests.unit.transfer.test_real_shapes import WALNUTS, list_texts, read_history
from text.written_dates import POSSIBLE_YEARS, find_date_order_unless_ambiguous
from transfer.formats.history import ImportedHistory, ReadContext
from transfer.plans import format_plan

QUESTION, ANSWER = WALNUTS
FIRST, SECOND = "2024-05-01T10:00:00Z", "2024-05-01T10:00:05Z"
CHAT_PAGE = (
    '<div class="page_wrap"><div class="message default" id="message1"><div class="body">'
    '<div class="pull_right date details" title="01.05.2024 10:00:00 UTC+00:00">10:00</div>'
    '<div class="from_name">Ann</div><div class="text">{}</div></div></div></div>'
)


def list_speakers_and_texts(history: ImportedHistory) -> list[tuple[str, str]]:
    return [(message.speaker, message.content) for message in history.messages]


@pytest.mark.parametrize(
    ("days", "found"),
    [
        (["Mon, 11/03/2025"], ["2025-11-03"]),
        (["Mon, 03/11/2025"], ["2025-11-03"]),
        (["Thu, 8/7/2014"], ["2014-08-07"]),
        (["Thu, 02/04/2026", "Sun, 05/04/2026"], ["2026-04-02", "2026-04-05"]),
        (["ศ. 07/08/2563"], ["2020-08-07"]),
        (["Wed, 03/04/2024", "03/05/2024"], ["2024-04-03", "2024-05-03"]),
    ],
)
def test_weekday_decides_the_order_of_day_and_month(days: list[str], found: list[str]) -> None:
    lines = "\n\n".join(f"{day}\n08:15\tAnn\thello" for day in days)
    history = read_history(f"[LINE] Chat history with Ann\nSaved on: 26/04/2026, 08:00\n\n{lines}\n", "line.txt")
    assert [message.created_at.date().isoformat() for message in history.messages] == found
    assert [question.name for question in history.questions] == ["speaker"]


def test_numbers_that_only_a_day_can_have_decide_before_a_weekday() -> None:
    """4 March 2024 was a Monday, so one line of this chat names a wrong weekday."""
    assert find_date_order_unless_ambiguous([((12, 25, 2024), ""), ((3, 4, 2024), "dmy")], POSSIBLE_YEARS) == "mdy"


def test_asks_for_the_order_if_the_weekday_fits_both() -> None:
    """3 December 2023 and 12 March 2023 were Sundays."""
    history = read_history("[LINE] Chat history with Ann\n\nSun, 03/12/2023\n08:15\tAnn\thello\n", "line.txt")
    assert [question.name for question in history.questions] == ["order", "speaker"]


@pytest.mark.parametrize(
    ("text", "stamp"),
    [
        ("12/05/2024, 10:00 - Ann: hello\n{}, 10:01 - Tom: odd\nmore\n13/05/2024, 10:02 - Tom: good\n", "45/67/2024"),
        ("[12.05.24, 10:00:00] Ann: hello\n[{}] Tom: odd\n[13.05.24, 10:02:00] Tom: good\n", "00.00.24, 10:01:00"),
        ("[12.05.24, 10:00:00] Ann: hello\n[{}] Tom: odd\n[13.05.24, 10:02:00] Tom: good\n", "12.05.24, 25:61:00"),
    ],
)
def test_message_with_an_impossible_date_is_left_out_and_counted(text: str, stamp: str) -> None:
    history = read_history(text.format(stamp), "WhatsApp Chat with Tom.txt")
    assert list_speakers_and_texts(history) == [("Ann", "hello"), ("Tom", "good")]
    assert any("damaged: 1" in note and stamp in note for note in history.notes)


def test_line_of_a_message_that_looks_like_an_impossible_date_is_kept() -> None:
    """A list of numbers names no speaker, and what the app says itself would be left out without a word."""
    text = "[12.05.24, 10:00:00] Ann: The codes:\n[33.33.33, 44:44:44] first\n[13.05.24, 10:02:00] Tom: good\n"
    history = read_history(text, "WhatsApp Chat with Tom.txt")
    assert list_speakers_and_texts(history) == [("Ann", "The codes:\n[33.33.33, 44:44:44] first"), ("Tom", "good")]


@pytest.mark.parametrize("name", ["date", "startedAt", "start_time"])
def test_messages_without_times_take_the_time_at_which_their_conversation_began(name: str) -> None:
    said = [{"role": "user", "content": QUESTION}, {"role": "assistant", "content": ANSWER}]
    history = read_history([{"title": "W", name: "2024-05-01", "messages": said}])
    assert [(message.created_at, message.is_undated) for message in history.messages] == [
        (datetime(2024, 5, 1, tzinfo=UTC), False)
    ] * 2


@pytest.mark.parametrize(("about", "day"), [({"date": "2024-05-01"}, datetime(2024, 5, 1, tzinfo=UTC)), ({}, None)])
def test_chat_among_people_may_lack_times(about: dict[str, str], day: datetime | None) -> None:
    said = [{"sender": "Ann", "text": "Hello"}, {"sender": "Tom", "text": "Hi"}, {"sender": "Ann", "text": "Hi"}]
    history = read_history({**about, "messages": said})
    assert list_speakers_and_texts(history) == [("Ann", "Hello"), ("Tom", "Hi"), ("Ann", "Hi")]
    assert [message.is_undated for message in history.messages] == [day is None] * 3
    assert day is None or {message.created_at for message in history.messages} == {day}


def test_message_without_a_time_before_dated_ones_keeps_its_place() -> None:
    said = [{"sender": "Ann", "text": "Hello"}, {"sender": "Tom", "text": "Hi", "timestamp": FIRST}]
    history = read_history({"messages": said})
    assert list_speakers_and_texts(history) == [("Ann", "Hello"), ("Tom", "Hi")]


def test_date_of_the_export_is_not_that_of_a_chat_among_people() -> None:
    said = [{"sender": "Ann", "text": "Hello"}, {"sender": "Tom", "text": "Hi"}]
    history = read_history({"exportDate": "2024-05-01", "messages": said})
    assert [message.is_undated for message in history.messages] == [True, True]


@pytest.mark.parametrize(
    "said",
    [
        [{"from": "Ann", "value": "hello"}, {"from": "Tom", "value": "hi"}],
        [{"speaker": "A", "text": "hello"}, {"speaker": "B", "text": "hi"}],
    ],
)
def test_refuses_a_chat_without_times_whose_words_or_speakers_are_unknown(said: list[dict[str, str]]) -> None:
    with pytest.raises(ImportRefused):
        read_history({"title": "W", "messages": said})


def test_kind_of_a_person_does_not_hide_the_name() -> None:
    """As in Intercom, where a customer is a "user" and a colleague an "admin"."""
    people = [{"type": "user", "id": "1", "name": "Ann"}, {"type": "admin", "id": "2", "name": "Tom"}]
    said = [{"author": author, "body": "hello", "created_at": SECONDS} for author in people]
    assert list_speakers_and_texts(read_history({"messages": said})) == [("Ann", "hello"), ("Tom", "hello")]


async def test_plan_tells_of_messages_without_dates_and_a_second_import_adds_none(tmp_path: Path) -> None:
    data = b'{"messages": [{"sender": "Ann", "text": "Hello"}, {"sender": "Tom", "text": "Hi"}]}'
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory()
        here, importer = Scope(owner=ANNA.id), talk.services.importer
        context = ReadContext(person=ANNA.id, answers={"speaker0": (0,)})
        assert "Without a date in the file: 2." in format_plan(await importer.plan(here, ANNA.id, data, context))
        for count in (2, 0):
            made = await importer.import_file(here, ANNA.id, data, context, progress=ignore_progress)
            assert made.messages == count
            talk.moment[0] += timedelta(days=1)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("Poe", {"data": {"chat": {"title": "W", "messagesConnection": {"edges": [
            {"node": {"messageId": 1, "authorNickname": "human", "text": QUESTION, "creationTime": SECONDS * 10**6}},
            {"node": {"messageId": 2, "authorNickname": "capybara", "text": ANSWER, "creationTime": (SECONDS + 5) * 10**6}},
        ]}}}}),
        ("Replika", [
            {"id": "1", "effective_timestamp": FIRST, "meta": {"nature": "Customer", "timestamp": FIRST},
             "content": {"type": "text", "text": QUESTION}},
            {"id": "2", "effective_timestamp": SECOND, "meta": {"nature": "Robot", "timestamp": SECOND},
             "content": {"type": "text", "text": ANSWER}},
        ]),
        ("Copilot by its interface", {"results": [
            {"id": "1", "author": {"type": "human"}, "content": [{"type": "text", "text": QUESTION}], "createdAt": FIRST},
            {"id": "2", "author": {"type": "ai"}, "content": [{"type": "text", "text": ANSWER}], "createdAt": SECOND},
        ]}),
        ("times as a Java program writes them", {"data": {"messages": [
            {"id": "1", "sender": "user", "content": QUESTION, "createdAt": [2024, 5, 1, 10, 0]},
            {"id": "2", "sender": "ai", "content": ANSWER, "createdAt": [2024, 5, 1, 10, 0, 5, 120_000_000]},
        ]}}),
        ("Le Chat, which cuts an answer at its sources", [
            {"id": "m1", "chatId": "c", "content": QUESTION, "contentChunks": None, "role": "user", "createdAt": FIRST},
            {"id": "m2", "chatId": "c", "content": "", "role": "assistant", "createdAt": SECOND, "contentChunks": [
                {"type": "tool_call", "name": "web"}, {"type": "text", "text": "In de"}, {"type": "text", "text": "ep"},
                {"type": "reference", "referenceIds": [1]}, {"type": "text", "text": " soil."},
            ]},
        ]),
    ],
)  # fmt: skip
def test_reads_assistants_exactly(name: str, data: Any) -> None:
    history = read_history(data)
    assert [(message.role, message.content) for message in history.messages] == [
        ("user", QUESTION),
        ("assistant", ANSWER),
    ]
    assert [message.created_at for message in history.messages] == [AT, AT + timedelta(seconds=5)], name


def test_answer_in_pieces_keeps_the_id_that_earlier_versions_gave() -> None:
    pieces = [{"type": "text", "text": "In deep"}, {"type": "text", "text": " soil."}]
    said = {"id": "m2", "chatId": "c", "content": "", "role": "assistant", "createdAt": SECOND, "contentChunks": pieces}
    earlier = {**said, "contentChunks": None, "content": "In deep\n soil."}
    sources = [[message.source for message in read_history([made]).messages] for made in (said, earlier)]
    assert sources[0] == sources[1]


def test_pieces_count_only_in_an_answer_that_has_no_other_words() -> None:
    pieces = [{"type": "text", "text": "one"}, {"type": "image_url", "imageUrl": "x"}, {"type": "text", "text": "two"}]
    question = {"id": "m1", "content": "", "contentChunks": pieces, "role": "user", "createdAt": FIRST}
    answer = {**question, "id": "m2", "content": ANSWER, "role": "assistant", "createdAt": SECOND}
    assert list_texts(read_history([question, answer])) == ["one\ntwo", ANSWER]


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("multimedia.xml", (
            "<?xml version='1.0' encoding='UTF-8'?>\n<smses count=\"2\">\n"
            f'<sms address="+1" date="{SECONDS}000" type="2" body="hello" contact_name="Tom" />\n'
            f'<mms date="{SECONDS + 5}000" msg_box="1" address="+1" contact_name="Tom"><parts>'
            '<part seq="-1" ct="application/smil" text="&lt;smil/&gt;" /><part seq="0" ct="text/plain" text="good &#55357;&#56832;" />'
            '<part seq="1" ct="text/plain" text="night" /></parts></mms>\n'
            f'<mms date="{SECONDS - 5}000" msg_box="2" address="+1" contact_name="Tom"><parts>'
            '<part ct="text/plain" text="before" /></parts></mms>\n'
            f'<mms date="{SECONDS}000" msg_box="2" address="+1" contact_name="Tom"><parts>'
            '<part ct="image/jpeg" text="null" data="AAAA" /></parts></mms>\n'
            f'<mms date="{SECONDS}000" msg_box="2" address="+1" contact_name="Tom"><parts>'
            '<part ct="text/plain" text="null" /></parts></mms>\n</smses>'
        ), [("Me", "before"), ("Me", "hello"), ("Tom", "good 😀\nnight")]),
        ("viber.csv", (
            "Date,Time,Sender name,Phone number,Message text\n"
            "01/05/2024,10:00:00,Ann,+1,hello\n13/05/2024,10:00:05,Tom,+2,good\n"
        ), [("Ann", "hello"), ("Tom", "good")]),
        ("message.json", to_json_lines(
            {"id": "2", "created_at": SECONDS + 5, "name": "Tom", "sender_id": "2", "sender_type": "user", "text": "good"},
            {"id": "1", "created_at": SECONDS, "name": "Ann", "sender_id": "1", "sender_type": "user", "text": "hello"},
        ), [("Ann", "hello"), ("Tom", "good")]),
    ],
)  # fmt: skip
def test_reads_chats_among_people_exactly(name: str, data: str, said: list[tuple[str, str]]) -> None:
    assert list_speakers_and_texts(read_history(data, name)) == said


@pytest.mark.parametrize(
    "text",
    [
        f"- **User**: {QUESTION}\n- **Assistant**: {ANSWER}\n",
        f"**Usted dijo:**\n{QUESTION}\n\n**Copilot dijo:**\n{ANSWER}\n",
    ],
)
def test_reads_transcripts_in_lists_and_polite_forms(text: str) -> None:
    assert list_texts(read_history(text, "chat.md")) == WALNUTS


def test_list_in_an_answer_that_names_both_sides_stays_in_it() -> None:
    roles = "They are:\n\n- **User:** logs in\n- **Assistant:** helps"
    text = f"**User:** Describe the roles\n\n**Assistant:** {roles}\n\n**User:** Thanks\n\n**Assistant:** Fine\n"
    assert [message.content for message in read_history(text, "chat.md").messages] == [
        *("Describe the roles", roles, "Thanks", "Fine")
    ]


def test_place_of_damage_in_a_channel_is_apart_from_its_file() -> None:
    said = {"id": "1", "type": "Default", "timestamp": FIRST, "content": "hello", "author": {"id": "1", "name": "Ann"}}
    channel = {
        "guild": {"id": "1"},
        "channel": {"name": "general"},
        "messages": [said, {**said, "id": "2", "author": 3}],
    }
    notes = read_history(channel, "general.json").notes
    assert any("general.json messages[1].author" in note for note in notes)


def test_code_in_a_page_keeps_its_blank_lines_and_tabs() -> None:
    page = CHAT_PAGE.format("see:<pre>def run():<br>\treturn 1<br><br><br>\n  end</pre>")
    assert list_texts(read_history(page, "messages.html")) == ["see:\ndef run():\n\treturn 1\n\n\n\n  end"]
