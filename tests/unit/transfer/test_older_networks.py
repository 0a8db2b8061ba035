"""Tests of reading IRC logs, exports of social networks, and sessions of code editors."""

import json
from typing import Any

import pytest

from records.errors import ImportRefused
from tests.unit.transfer.talk import zip_files
from tests.unit.transfer.test_real_shapes import read_history

HELLO, GOOD = 1714557600, 1714557605  # 1 May 2024, 10:00:00 and 10:00:05


def list_lines(history: Any) -> list[tuple[str, str, str]]:
    return [(said.created_at.strftime("%y-%m-%d %H:%M:%S"), said.speaker, said.content) for said in history.messages]


@pytest.mark.parametrize(
    ("name", "log", "lines"),
    [
        ("irssi", """--- Log opened Wed Aug 11 13:37:42 2021
13:37 -!- sjm [sjm@host] has joined #bvs
13:37 <@sjm> 1337
13:38 < Bram> tjonge
\tjonge
13:40  * Bram doet iets
--- Day changed Fri Aug 13 2021
00:29 <+Willow> hoi
""", [("21-08-11 13:37:00", "sjm", "1337"), ("21-08-11 13:38:00", "Bram", "tjonge\n\tjonge"),
      ("21-08-13 00:29:00", "Willow", "hoi")]),
        ("weechat", """2020-01-01 01:05:24\tBenV\tNou, dan zal ik maar
2020-01-01 01:05:26\t@hoer\tKarma for whisky
2020-01-01 01:06:00\t-->\tBram (b@x) has joined #bvs
2020-01-01 01:06:12\t--\twillow1 is now known as Willow
""", [("20-01-01 01:05:24", "BenV", "Nou, dan zal ik maar"), ("20-01-01 01:05:26", "hoer", "Karma for whisky")]),
        ("HexChat", """**** BEGIN LOGGING AT Wed Dec 31 23:59:00 2025

Dec 31 23:59:01 <sofia>\thi
Dec 31 23:59:04 *\tMissD pets the cat
**** BEGIN LOGGING AT Thu Jan  1 00:00:00 2026

Jan 01 00:00:02 <MissD>\thello
""", [("25-12-31 23:59:01", "sofia", "hi"), ("26-01-01 00:00:02", "MissD", "hello")]),
        ("mIRC", """Session Start: Mon Jan 03 20:00:00 2005
Session Ident: #chan
[20:00] * Now talking in #chan
[20:01] <anna> hello: there
[20:02] <@tom> hi
Session Close: Mon Jan 03 21:00:00 2005
""", [("05-01-03 20:01:00", "anna", "hello: there"), ("05-01-03 20:02:00", "tom", "hi")]),
        ("2024-01-05", """[12:31:01] <anna> hello there
[12:32:00] *** Joins: zed (zed@host)
[12:32:05] <tom> hi: how are you?
""", [("24-01-05 12:31:01", "anna", "hello there"), ("24-01-05 12:32:05", "tom", "hi: how are you?")]),
        ("Konversation", """[Friday 01 January 2010] [12:00:00] <anna>\thello
[Friday 01 January 2010] [12:00:05] <tom>\thi
[Friday 01 January 2010] [12:00:08] Join\tzed has joined
""", [("10-01-01 12:00:00", "anna", "hello"), ("10-01-01 12:00:05", "tom", "hi")]),
        ("Pidgin", """Conversation with tom@example.org at Mon 03 Jan 2011 08:00:00 PM CET on anna@example.org/ (jabber)
(08:00:05 PM) anna: hello
(08:00:09 PM) tom: hi
""", [("11-01-03 20:00:05", "anna", "hello"), ("11-01-03 20:00:09", "tom", "hi")]),
    ],
)  # fmt: skip
def test_reads_irc_log_without_client_notices(name: str, log: str, lines: list[tuple[str, str, str]]) -> None:
    history = read_history(log, f"{name}.log")
    assert list_lines(history) == lines
    assert [question.name for question in history.questions] == ["speaker"]


def test_reads_archived_daily_logs_in_order() -> None:
    """ZNC has one folder per channel and one file per day. Only the file name contains the date."""
    days = {f"znc/#garden/2024-05-0{day}.log": f"[10:00:00] <anna> on {day}\n" for day in (2, 1)}
    assert list_lines(read_history(zip_files(days), "znc.zip")) == [
        ("24-05-01 10:00:00", "anna", "on 1"), ("24-05-02 10:00:00", "anna", "on 2"),
    ]  # fmt: skip


def test_reads_vk_page_oldest_message_first() -> None:
    """VK pages use windows-1251, list the newest message first, and put attachments inside the text."""

    def item(number: int, head: str, words: str) -> str:
        return f"""<div class="item"><div class="item__main"><div class="message" data-id="{number}">
<div class="message__header">{head}</div>
<div>{words}<div class="kludges"><div class="attachment__description">Фотография</div></div></div>
</div></div></div>"""

    link = '<a href="https://vk.com/id334240417">Илья Храмцов</a>'
    page = f"""<!DOCTYPE html><html><head><meta http-equiv="Content-Type" content="text/html; charset=windows-1251"/>
</head><body><a class="ui_crumb" href="../index-messages.html">Сообщения</a><div class="ui_crumb_sep"></div>
<div class="ui_crumb" >Илья Храмцов</div>
{item(103, f'{link}, 14 июл 2021 в 11:18:48 <span title="x"> (ред.)</span>', "до завтра<br>пока")}
{item(102, "Вы, 14 июл 2021 в 11:17:48", "привет, как ты?")}
{item(101, f"{link}, 1 мая 2021 в 1:07:48", "")}
</body></html>"""
    history = read_history(page.encode("cp1251"), "messages0.html")
    assert list_lines(history) == [
        ("21-07-14 11:17:48", "Вы", "привет, как ты?"), ("21-07-14 11:18:48", "Илья Храмцов", "до завтра\nпока"),
    ]  # fmt: skip
    assert (history.format, history.messages[0].title, len(history.notes)) == ("vk", "Илья Храмцов", 1)


@pytest.mark.parametrize("is_old", [False, True])
def test_hangouts_speakers_take_names_from_participants(is_old: bool) -> None:
    """Takeout renamed the lists of a conversation in 2018."""
    people = [{"id": {"gaia_id": number, "chat_id": number}, "fallback_name": name}
              for number, name in (("111", "Anna"), ("222", "Tom"))]  # fmt: skip

    def event(sender: str, seconds: int, *segments: dict[str, str]) -> dict[str, Any]:
        return {
            "conversation_id": {"id": "UgwA"}, "sender_id": {"gaia_id": sender, "chat_id": sender},
            "timestamp": f"{seconds}000000", "event_type": "REGULAR_CHAT_MESSAGE",
            "chat_message": {"message_content": {"segment": list(segments)}},
        }  # fmt: skip

    events = [
        event("111", HELLO, {"type": "TEXT", "text": "hello "}, {"type": "LINK", "text": "https://example.org"},
              {"type": "LINE_BREAK", "text": "\n"}, {"type": "TEXT", "text": "there"}),
        event("222", GOOD, {"type": "TEXT", "text": "good"}),
        {"sender_id": {"gaia_id": "222"}, "timestamp": f"{GOOD}000000", "event_type": "HANGOUT_EVENT"},
    ]  # fmt: skip
    about = {"id": {"id": "UgwA"}, "participant_data": people}
    new = {"conversations": [{"conversation": {"conversation": about}, "events": events}]}
    old = {"conversation_state": [{"conversation_state": {"conversation": about, "event": events}}]}
    assert list_lines(read_history(old if is_old else new, "Hangouts.json")) == [
        ("24-05-01 10:00:00", "Anna", "hello https://example.org\nthere"), ("24-05-01 10:00:05", "Tom", "good"),
    ]  # fmt: skip


def test_reads_sms_backup_with_contact_names() -> None:
    messages = "".join(
        f'<sms protocol="0" address="+1206" date="{seconds}000" type="{kind}" subject="null" body="{words}" '
        f'read="1" readable_date="May 1, 2024 10:00:00 AM" contact_name="{name}" />'
        for seconds, kind, words, name in (
            (HELLO, 2, "hello &amp; so&#10;on > it", "Tom"), (GOOD, 1, "good", "Tom"),
            (GOOD, 1, "Your code: 1", "(Unknown)"),
        )
    )  # fmt: skip
    history = read_history(f"<?xml version='1.0' encoding='UTF-8' ?><smses count=\"3\">{messages}</smses>", "sms.xml")
    assert list_lines(history) == [
        ("24-05-01 10:00:00", "Me", "hello & so\non > it"), ("24-05-01 10:00:05", "Tom", "good"),
        ("24-05-01 10:00:05", "+1206", "Your code: 1"),
    ]  # fmt: skip


def test_follows_parent_chain_of_claude_code_session() -> None:
    """The parent chain includes lines without text, restarts after a compaction, and has side chains of agents."""

    def line(number: str, parent: str | None, kind: str, content: Any = None, **more: Any) -> dict[str, Any]:
        said = {"message": {"role": kind, "content": content}} if content else {}
        return {"parentUuid": parent, "isSidechain": False, "userType": "external", "sessionId": "s", "type": kind,
                **said, "uuid": number, "timestamp": f"2025-06-05T19:38:{number}.000Z", **more}  # fmt: skip

    command = "<command-name>/clear</command-name>\n  <command-args></command-args>"
    session = [
        {"type": "summary", "summary": "Compile it", "leafUuid": "20"},
        line("10", None, "user", "make it compile"),
        line("11", "10", "attachment", attachment={"type": "file"}),
        line("12", "11", "assistant", [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "I look."}]),
        line("13", None, "system", logicalParentUuid="12", subtype="compact_boundary", content="compacted"),
        line("14", "13", "user", "This session is being continued from a previous one.", isCompactSummary=True),
        line("15", "14", "assistant", [{"type": "text", "text": "I go on."}]),
        line("16", "15", "assistant", [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]),
        line("17", "16", "user", [{"type": "tool_result", "tool_use_id": "t", "content": "Error"}]),
        line("18", "17", "user", "Caveat: local commands follow.", isMeta=True),
        line("19", "18", "user", command),
        line("20", "19", "user", "thanks"),
        line("30", None, "user", "Search the code.", isSidechain=True),
        line("31", "30", "assistant", [{"type": "text", "text": "Found."}], isSidechain=True),
    ]
    history = read_history("\n".join(map(json.dumps, session)), "session.jsonl")
    assert [(said.role, said.content) for said in history.messages] == [
        ("user", "make it compile"), ("assistant", "I look."), ("assistant", "I go on."), ("user", "thanks"),
    ]  # fmt: skip


def test_reads_copilot_cli_session() -> None:
    events = [("session.start", {"sessionId": "s"}), ("user.message", {"content": "Where?"}),
              ("assistant.message", {"messageId": "m", "content": "Here.", "toolRequests": []})]  # fmt: skip
    lines = [
        {"type": kind, "data": data, "id": f"e{number}", "timestamp": f"2026-01-01T10:00:0{number}Z",
         "parentId": f"e{number - 1}" if number else None}
        for number, (kind, data) in enumerate(events)
    ]  # fmt: skip
    history = read_history("\n".join(map(json.dumps, lines)), "events.jsonl")
    assert [(said.role, said.content) for said in history.messages] == [("user", "Where?"), ("assistant", "Here.")]


def test_two_word_headings_name_transcript_speakers() -> None:
    """Antigravity writes "User Input" and "Planner Response", and answers have headings, too."""
    talk = "### User Input\n\nWhere?\n\n### Planner Response\n\nHere:\n\n### **The path**\n\n/tmp\n\n"
    history = read_history(f"# Chat Conversation\n\n{talk}{talk}", "chat.md")
    assert [said.content for said in history.messages] == ["Where?", "Here:\n\n### **The path**\n\n/tmp"] * 2
    assert [said.role for said in history.messages] == ["user", "assistant"] * 2
    dated = read_history(
        "## 👤 User · 2025-10-15T04:37:46+00:00\n\nWhere?\n\n## 🤖 Assistant · 2025-10-15T04:38:12+00:00\n\nHere.",
        "x.md",
    )
    assert [said.created_at.second for said in dated.messages] == [46, 12]


def test_skips_matrix_image_message() -> None:
    events = [
        {"type": "m.room.message", "sender": "@anna:example.org", "origin_server_ts": HELLO * 1000, "event_id": kind,
         "content": {"msgtype": kind, "body": body}}
        for kind, body in (("m.text", "look"), ("m.image", "pic.jpg"))
    ]  # fmt: skip
    found = list_lines(read_history({"room_name": "Garden", "messages": events}))
    assert [content for _, _, content in found] == ["look"]


def test_claude_reads_branch_of_current_leaf() -> None:
    """Exports name the current leaf since 2025. It is not always the newest answer."""
    ids = {"a": "00000000-0000-4000-8000-000000000000", "b": "a", "c": "a"}
    messages = [
        {"uuid": name, "text": name, "sender": "human" if name == "a" else "assistant", "parent_message_uuid": parent,
         "created_at": f"2025-05-15T14:30:0{number}Z"}
        for number, (name, parent) in enumerate(ids.items())
    ]  # fmt: skip
    for leaf, words in (("b", ["a", "b"]), ("gone", ["a", "c"])):
        history = read_history(
            [{"uuid": "c", "name": "", "current_leaf_message_uuid": leaf, "chat_messages": messages}]
        )
        assert [said.content for said in history.messages] == words


def test_reads_month_first_date_after_speaker_name() -> None:
    history = read_history("**User** (May 1, 2024):\nWhere?\n\n**Claude** (May 2, 2024):\nHere.\n", "poe.md")
    assert [said.created_at.day for said in history.messages] == [1, 2]


SCHEDULE = "(18:30 Uhr) Treffpunkt: Bahnhof\n(19:00) Essen: Pizza"
QUOTED = "[10:30] <tom> hi there\n[10:31] <zed> hello"


@pytest.mark.parametrize("quoted", [SCHEDULE, QUOTED])
@pytest.mark.parametrize(
    ("kind", "text", "count"),
    [
        ("whatsapp", "12.05.24, 10:31 - Anna: Hier:\n{}\n12.05.24, 10:32 - Tom: ok\n13.05.24, 9:01 - Anna: gut\n", 3),
        ("whatsapp", "[25.12.19, 22:30:01] Anna: Hier:\n{}\n[25.12.19, 22:31:01] Tom: um 11:30 <t@x.de> da\n", 2),
        ("chat-texts", "Anna, [31.05.2024 10:00]\nHier:\n{}\n\nTom, [31.05.2024 10:05]\nok\n", 2),
        ("chat-texts", "2024-01-05 10:00:33 Anna(123)\nHier:\n{}\n2024-01-05 10:01:44 Tom(456)\nok\n", 2),
        ("generic", "**User:** Was ist das?\n{0}\n\n**ChatGPT:** Das:\n\n{0}\n", 2),
        ("memories", "- Lives in Berlin\n- Gets up at 06:30\n{}\n- Has a dog: Rex\n", 0),
    ],
)  # fmt: skip
def test_quoted_log_or_schedule_stays_inside_message(kind: str, text: str, count: int, quoted: str) -> None:
    history = read_history(text.format(quoted), "" if kind == "memories" else "chat.txt")
    assert (history.format, len(history.messages)) == (kind, count)
    assert not count or quoted in history.messages[0].content


def test_zoom_chat_message_ids_do_not_depend_on_file_name() -> None:
    """Ids contain the time of day without a date, because earlier versions ignored the file name."""
    chat = "10:00:05 From Anna Smith to Everyone: hello\n10:00:33 From Tom to Everyone: hi (10:30 Ort: x)\n"
    named, unnamed = (read_history(chat, name) for name in ("2024-05-01 meeting.txt", "meeting_saved_chat.txt"))
    assert [said.source for said in named.messages] == [said.source for said in unnamed.messages]
    assert all(said.is_undated for said in named.messages)


def test_ignores_log_beside_chat_in_archive() -> None:
    """An archive is read as logs only if it contains nothing else."""
    chat = json.dumps([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}])
    for beside in ("[10:00:00] <main> started\n", b"caf\xe9 \xff\n"):
        history = read_history(
            zip_files({"data/chat.json": chat, "data/run.log": beside, "data/x.xml": "<a/>"}), "x.zip"
        )
        assert [said.content for said in history.messages] == ["hi", "hello"]


def test_keeps_editor_wrapped_question_and_drops_injected_context() -> None:
    """Cursor wraps each question in tags. Codex wraps only the context that it adds."""
    asked = "<user_query>\nFix the bug\n</user_query>"
    added = "<environment_context>\n<cwd>/x</cwd>\n</environment_context>"
    button = "<my-button>Save</my-button>"
    talk = [*({"role": "user", "content": words} for words in (added, asked, button)),
            {"role": "assistant", "content": "Done."}]  # fmt: skip
    assert [said.content for said in read_history(talk).messages] == [asked, button, "Done."]


def test_reads_conversation_nested_in_folder() -> None:
    talk = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    folder = {"id": "1", "parentId": None, "name": "Work", "data": {"conversation": {"messages": talk}}}
    assert len(read_history(folder).messages) == len(read_history([folder]).messages) == 2


def test_reads_escaped_sms_emoji_and_chat_mentioning_sms_tag() -> None:
    """SMS Backup & Restore escapes the two UTF-16 surrogates of an emoji separately."""
    sms = f'<smses count="1"><sms address="+1" date="{HELLO}000" type="1" body="nice &#55357;&#56842;" /></smses>'
    assert list_lines(read_history(sms, "sms.xml"))[0][2] == "nice 😊"
    talk = read_history('**User:** What is <smses count="1">?\n\n**ChatGPT:** A backup.\n', "talk.md")
    assert [said.role for said in talk.messages] == ["user", "assistant"]


def test_rejects_non_utf8_page_with_unknown_charset() -> None:
    with pytest.raises(ImportRefused, match="UTF-8"):
        read_history(b'<html><head><meta charset="undefined"></head><body>\xe4</body></html>', "page.html")


def test_name_followed_by_non_date_is_not_a_speaker() -> None:
    listed = "These:\n**User** (required): the id\n**Assistant** (optional)"
    history = read_history(f"**User:** List them.\n\n**Assistant:** {listed}\n", "x.md")
    assert [said.content for said in history.messages] == ["List them.", listed]


def test_merges_sent_and_received_snapchat_messages() -> None:
    """Until 2023 Snapchat wrote two lists, with HTML entities in the text."""
    received = [{"From": "tom", "Media Type": "TEXT", "Created": "2022-07-22 19:28:21 UTC", "Text": "It&#39;s late"},
                {"From": "eva", "Media Type": "TEXT", "Created": "2022-07-22 19:40:00 UTC", "Text": "Hi"}]  # fmt: skip
    sent = [{"To": "tom", "Media Type": "TEXT", "Created": "2022-07-22 19:30:00 UTC", "Text": "I know"},
            {"To": "tom", "Media Type": "MEDIA", "Created": "2022-07-22 19:31:00 UTC", "Text": ""}]  # fmt: skip
    history = read_history({"Received Saved Chat History": received, "Sent Saved Chat History": sent})
    assert [(said.speaker, said.content) for said in history.messages] == [
        ("tom", "It's late"), ("Me", "I know"), ("eva", "Hi"),
    ]  # fmt: skip
    earlier = read_history({"Received Saved Chat History": received, "Sent Saved Chat History": []})
    assert {said.source for said in earlier.messages} < {said.source for said in history.messages}
    assert all(said.created_at.date().isoformat() == "2022-07-22" for said in history.messages)


def test_snapchat_sent_lists_do_not_change_ids_of_received_messages() -> None:
    """An earlier version read a file with four lists as two chats with their own titles."""
    kinds = (("Received Saved", "From", "tom"), ("Sent Saved", "To", "tom"), ("Received Unsaved", "From", "eva"))
    said = {"Created": "2022-07-22 19:28:21 UTC", "Media Type": "TEXT", "Text": "Hi"}
    lists = {f"{kind} Chat History": [{way: name, **said}] for kind, way, name in kinds}
    whole, received = (
        read_history(lists),
        read_history({name: chat for name, chat in lists.items() if "Sent" not in name}),
    )
    assert {said.source for said in received.messages} < {said.source for said in whole.messages}
    assert [(said.speaker, said.title) for said in whole.messages if said.speaker == "Me"]


def test_recipient_column_alone_does_not_identify_sender() -> None:
    """A row without a sender has an unknown speaker. A table with recipients only is not a chat."""
    history = read_history(
        "Date,From,To,Text\n2024-05-01 10:00:00,Tom,,hello\n2024-05-01 10:01:00,,Tom,hi back\n", "x.csv"
    )
    assert [(said.speaker, said.content) for said in history.messages] == [("Tom", "hello"), ("?", "hi back")]
    signed = [
        {"is_from_me": mine, "to": "+4915", "text": "hi", "date": "2024-05-01T10:00:00Z"} for mine in (False, True)
    ]
    assert [said.speaker for said in read_history(signed).messages] == ["?", "Me"]
    with pytest.raises(ImportRefused):
        read_history("Date,To,Content\n2024-05-01,ACME,Consulting\n2024-05-02,Beta,Design\n", "invoices.csv")


def test_outgoing_imazing_rows_belong_to_importer() -> None:
    """Outgoing rows of iMazing have no sender name. Notifications are skipped."""
    names = (
        "Chat Session,Message Date,Delivered Date,Read Date,Service,Type,Sender ID,Sender Name,Status,Text,Attachment"
    )
    rows = ("Bob,2020-01-01 12:00:00,,,SMS,Incoming,+15555550100,Bob,Read,Where is the key?,",
            "Bob,2020-01-01 12:01:00,2020-01-01 15:00:00,,SMS,Outgoing,,,Read,Under the pot,",
            "Bob,2020-01-01 12:02:00,,,SMS,Notification,,,,Bob left,")  # fmt: skip
    assert list_lines(read_history("\r\n".join((names, *rows)))) == [
        ("20-01-01 12:00:00", "Bob", "Where is the key?"), ("20-01-01 12:01:00", "Me", "Under the pot"),
    ]  # fmt: skip


def test_reads_viber_csv_without_header() -> None:
    rows = ('22/04/2015,10:37:23,Me,+4479,"Hello there"', '22/04/2015,10:38:23,Tom,+4478,"Hi, all fine?\nYes?"')
    history = read_history("\n".join(rows), "Chat with Tom.csv")
    assert [(said.speaker, said.content) for said in history.messages] == [
        ("Me", "Hello there"), ("Tom", "Hi, all fine?\nYes?"),
    ]  # fmt: skip
    assert [when for when, *_ in list_lines(history)] == ["15-04-22 10:37:23", "15-04-22 10:38:23"]


@pytest.mark.parametrize("row", ["Sensor A,23,45", "Coffee,,Starbucks", "Tom,+447911123456,120"])
def test_rejects_other_csv_without_header(row: str) -> None:
    with pytest.raises(ImportRefused):
        read_history(f"01/02/2024,10:00:00,{row}\n01/02/2024,10:01:00,{row}\n", "x.csv")


def test_refusal_names_discord_history_tracker() -> None:
    tracked = {"meta": {"users": {"1": {"name": "anna"}}, "userindex": ["1"], "servers": [], "channels": {}},
               "data": {"900": {"5001": {"u": 0, "t": 1714557600000, "m": "hello"}}}}  # fmt: skip
    with pytest.raises(ImportRefused, match="Discord History Tracker"):
        read_history(tracked)
