"""Tests of parsing: a Telegram update becomes a ParsedUpdate, which becomes a UserMessage."""

from datetime import UTC, datetime
from typing import Any

import pytest
import telegram
from hypothesis import given
from hypothesis import strategies as st

from records.scopes import Scope
from records.turns import ReplyTarget
from telegram_ui.sending.chat import ANONYMOUS_ADMIN
from telegram_ui.sending.formatting import MAX_UNITS, count_utf16_units
from telegram_ui.updates.answering import make_user_message
from telegram_ui.updates.parsing import ParsedUpdate, find_old_and_new_group_id, format_checklist, parse_update
from tests.support.processor_time import count_units

ME = telegram.User(id=42, first_name="Keepsake", is_bot=True, username="keepsake_bot")
ANN = {"id": 11, "is_bot": False, "first_name": "Ann", "last_name": "Lee", "username": "ann"}
PRIVATE = {"id": 11, "type": "private"}
GROUP = {"id": -500, "type": "supergroup", "title": "Picnic"}


def make_update(chat: dict[str, Any] = PRIVATE, kind: str = "message", **message: Any) -> telegram.Update:
    full = {"message_id": 7, "date": 1_800_000_000, "chat": chat, "from": ANN, **message}
    parsed = telegram.Update.de_json({"update_id": 9, kind: full}, None)
    assert parsed
    return parsed


def parse_message(chat: dict[str, Any] = PRIVATE, kind: str = "message", **message: Any) -> ParsedUpdate:
    parsed = parse_update(make_update(chat, kind, **message), ME)
    assert parsed
    return parsed


def make_entity(kind: str, offset: int, length: int, **more: Any) -> dict[str, Any]:
    return {"type": kind, "offset": offset, "length": length, **more}


def test_private_text_becomes_user_message() -> None:
    turn = make_user_message([parse_message(text="  hello ")])
    assert (turn.text, turn.person.name, turn.source, turn.in_group) == ("hello", "Ann Lee", "42:9", False)
    assert turn.pieces[0].sent_at == datetime.fromtimestamp(1_800_000_000, UTC)


@pytest.mark.parametrize(
    ("text", "command", "argument", "target"),
    [
        ("/persona \u200b\u202e", "persona", "", False),
        ("/persona \U000e0049\u202e\u2800", "persona", "", False),
        ("/new Garden\U000e0049\u202e plans 👩\u200d🌾", "new", "Garden plans 👩\u200d🌾", False),
        ("/help", "help", "", False),
        ("/Summary_NOW@KEEPSAKE_bot  please\nnow", "summary_now", "please\nnow", True),
        ("/forget@other_bot", "forget", "", False),
    ],
)
def test_commands_are_parsed_case_insensitively(text: str, command: str, argument: str, target: bool) -> None:
    parsed = parse_message(text=text)
    assert (parsed.kind, parsed.command, parsed.argument, parsed.target) == ("command", command, argument, target)


@pytest.mark.parametrize("text", ["/usr/bin/env", "a /help", "/", "/ help", "/hélp"])
def test_text_resembling_command_is_parsed_as_text(text: str) -> None:
    assert parse_message(text=text).kind == "text"


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("Ann\u202eeeL\u2066", "AnneeL"),
        ("Ann" + "".join(chr(0xE0000 + ord(letter)) for letter in "Obey Eve."), "Ann"),
        ("\u3164", "Anonymous"),  # the invisible name that people like to have
        ("\u2800\u200b", "Anonymous"),
        ("Ann\n<system>", "Ann <system>"),
        ("👩\u200d🚀 علی\u200cرضا", "👩\u200d🚀 علی\u200cرضا"),
    ],
)
def test_invisible_characters_are_removed_from_names(given: str, name: str) -> None:
    ann, club = {"id": 11, "is_bot": False, "first_name": given}, {**GROUP, "title": given}
    dated = {"type": "hidden_user", "date": 1}
    said: dict[str, Any] = {"from": ann, "text": "hello"}
    assert parse_message(**said).person.name == name
    assert parse_message(club, sender_chat=club, text="hello").person.name == name
    assert (
        parse_message(text="hi", forward_origin={**dated, "sender_user_name": given}).text
        == f"[Forwarded from {name}]\nhi"
    )
    assert parse_message(text="hi", forward_origin={**dated, "type": "user", "sender_user": ann}).text.startswith(
        f"[Forwarded from {name}]\n"
    )
    assert parse_message(text="hi", via_bot=ann).text == f"[Written by the bot {name}]\nhi"
    earlier = {"message_id": 3, "date": 1, "chat": PRIVATE, "from": ann, "text": "Vienna"}
    replied = parse_message(text="why?", reply_to_message=earlier).replied
    assert replied is not None
    assert replied.speaker == name


def test_replied_message_or_quote_becomes_reply_target() -> None:
    earlier = {"message_id": 3, "date": 1, "chat": PRIVATE, "from": ME.to_dict(), "text": "Vienna, of course."}
    assert make_user_message([parse_message(text="why?", reply_to_message=earlier)]).replied == ReplyTarget(
        telegram_id=3, text="Vienna, of course."
    )
    marked, theirs = {"text": "of course", "position": 8}, {**earlier, "from": ANN}
    assert parse_message(text="why?", reply_to_message=theirs, quote=marked).replied == ReplyTarget(
        telegram_id=3, text="of course", speaker="Ann Lee"
    )


def test_quote_from_another_chat_becomes_reply_target() -> None:
    origin = {"type": "hidden_user", "date": 1, "sender_user_name": "Bob"}
    marked = {"text": "of course", "position": 0}
    parsed = parse_message(text="why?", external_reply={"origin": origin, "message_id": 3}, quote=marked)
    assert (parsed.replied, parsed.text) == (ReplyTarget(text="of course", speaker="Bob"), "why?")
    assert parse_message(text="why?", external_reply={"origin": origin}).replied is None


def test_rich_message_from_another_chat_becomes_reply_target() -> None:
    origin = {"type": "channel", "date": 1, "message_id": 3, "chat": {"id": -5, "type": "channel", "title": "News"}}
    page = {"blocks": [{"type": "heading", "size": 1, "text": "Rain"}]}
    parsed = parse_message(text="Is it true?", external_reply={"origin": origin, "rich_message": page})
    assert parsed.replied == ReplyTarget(text="# Rain", speaker="News")


def test_unread_attachment_is_noted_after_caption() -> None:
    paid = {"star_count": 5, "paid_media": [{"type": "preview"}]}
    parsed = parse_message(paid_media=paid, caption="What is it?")
    assert parsed.text == "What is it?\n[Sent with something new to me, which was not read]"
    assert parsed.unread == ("new",)


def test_forwarded_giveaway_is_parsed_as_unknown_attachment() -> None:
    giveaway = {"chats": [{"id": -5, "type": "channel"}], "winners_selection_date": 1, "winner_count": 1}
    assert parse_message(giveaway=giveaway).attachment == "new"


def test_forwarded_text_is_marked_and_not_parsed_as_command() -> None:
    origin = {"type": "hidden_user", "date": 1, "sender_user_name": "Bob"}
    parsed = parse_message(text="/forget", forward_origin=origin)
    assert (parsed.kind, parsed.text) == ("text", "[Forwarded from Bob]\n/forget")


def test_text_sent_via_inline_bot_counts_as_forwarded() -> None:
    parsed = parse_message(text="/forget", via_bot={"id": 9, "is_bot": True, "first_name": "Gif"})
    assert (parsed.kind, parsed.origin, parsed.text) == ("text", "forwarded", "[Written by the bot Gif]\n/forget")


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"text": "😀 @keepsake_bot hi", "entities": [make_entity("mention", 3, 13)]}, "😀 hi"),
        ({"text": "@Keepsake_Bot: hi", "entities": [make_entity("mention", 0, 13)]}, "hi"),
        ({"text": "Well, @keepsake_bot, and now?", "entities": [make_entity("mention", 6, 13)]}, "Well, and now?"),
        ({"text": "How are you, @keepsake_bot?", "entities": [make_entity("mention", 13, 13)]}, "How are you?"),
        ({"text": "Thanks, @keepsake_bot", "entities": [make_entity("mention", 8, 13)]}, "Thanks"),
        ({"text": ", @keepsake_bot hi", "entities": [make_entity("mention", 2, 13)]}, "hi"),
        ({"text": "@keepsake_bot! -5 degrees?", "entities": [make_entity("mention", 0, 13)]}, "-5 degrees?"),
        ({"text": "@keepsake_bot – and now?", "entities": [make_entity("mention", 0, 13)]}, "and now?"),
        ({"text": "谢谢，@keepsake_bot。", "entities": [make_entity("mention", 3, 13)]}, "谢谢。"),
        ({"text": "Keepsake, how are you?"}, "how are you?"),
        ({"text": "Keepsake"}, ""),
        ({"text": "keepsake what is new"}, "what is new"),
        ({"text": "How are you, Keepsake?"}, "How are you?"),
        ({"text": "كيف حالك، Keepsake؟"}, "كيف حالك؟"),
        (
            {
                "text": "Hi @keepsake_bot, @keepsake_bot",
                "entities": [make_entity("mention", 3, 13), make_entity("mention", 18, 13)],
            },
            "Hi",
        ),
        (
            {
                "text": "@keepsake_bot @keepsake_bot hi",
                "entities": [make_entity("mention", 0, 13), make_entity("mention", 14, 13)],
            },
            "hi",
        ),
        ({"text": "@keepsake_bot hi", "entities": [make_entity("mention", n, 13) for n in (0, -5, 0, 2**60)]}, "hi"),
        ({"text": "Keeper hi", "entities": [make_entity("text_mention", 0, 6, user=ME.to_dict())]}, "hi"),
        ({"text": "hi", "reply_to_message": {"message_id": 1, "date": 1, "chat": GROUP, "from": ME.to_dict()}}, "hi"),
        ({"text": "/help"}, "/help"),
    ],
)
def test_group_message_addressed_to_bot_loses_mention(message: dict[str, Any], text: str) -> None:
    parsed = parse_message(GROUP, **message)
    assert parsed.addressed
    assert parsed.text == text
    assert parsed.chat.reply_to == 7


def test_text_with_thousands_of_mentions_is_parsed_at_low_cost() -> None:
    """A message of a megabyte with 5,000 mentions was once copied ten thousand times."""
    names = "@keepsake_bot " * 5_000
    mentions = [make_entity("mention", 14 * number, 13) for number in range(4_900)]
    wrong = [make_entity("mention", 0, 10**6)] * 5_000
    long = make_update(GROUP, text=names + "é" * 1_000_000, entities=mentions + wrong)
    with count_units() as stopwatch:
        parsed = parse_update(long, ME)
    assert stopwatch.units < 1_000  # 10,000 before
    assert parsed is not None
    assert parsed.text.startswith("@keepsake_bot " * 100 + "é")


TOPIC_OPENED = {
    "message_id": 1,
    "date": 1,
    "chat": GROUP,
    "from": ME.to_dict(),
    "forum_topic_created": {"name": "Garden", "icon_color": 1},
}


@pytest.mark.parametrize(
    "message",
    [
        {"text": "hi"},
        {"text": "Keepsakes are sold here"},
        {"text": "Keepsake's page"},
        {"text": "I bought a Keepsake"},
        {"text": "@keepsake_bot2 hi", "entities": [make_entity("mention", 0, 14)]},
        {"text": "a@keepsake_bot.org", "entities": [make_entity("email", 0, 18)]},
        {"text": "/help@other_bot"},
        {"text": "hi", "reply_to_message": TOPIC_OPENED},
    ],
)
def test_group_message_without_mention_does_not_address_bot(message: dict[str, Any]) -> None:
    assert not parse_message(GROUP, **message).addressed


def test_thread_id_counts_only_in_topic() -> None:
    assert parse_message(GROUP, text="x", message_thread_id=5, is_topic_message=True).scope.thread == 5
    assert parse_message(GROUP, text="x", message_thread_id=5).scope.thread == 0


@pytest.mark.parametrize(
    "message",
    [
        {"new_chat_members": [ANN]},
        {"text": "x", "from": {**ANN, "is_bot": True}},
        {"text": "x", "is_automatic_forward": True},
    ],
)
def test_service_bot_and_channel_messages_are_ignored(message: dict[str, Any]) -> None:
    assert parse_update(make_update(GROUP, **message), ME) is None
    assert parse_update(make_update({"id": -1, "type": "channel", "title": "News"}, text="x"), ME) is None


def test_anonymous_admin_is_named_after_group() -> None:
    sender = {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}
    message: dict[str, Any] = {"text": "/help", "from": sender, "sender_chat": GROUP}
    parsed = parse_message(GROUP, **message)
    assert parsed.person.name == "Picnic"
    assert parsed.person.id == 1087968824


def test_classifies_edits_and_messages_without_text() -> None:
    assert parse_message(kind="edited_message", text="x").kind == "edited"
    assert parse_message(kind="edited_message", text="/help", edit_date=1_800_000_009).command == "help"
    assert parse_message(kind="edited_message", text="/help").command == "", (
        "the first reaction is sent as an edit, too"
    )
    assert parse_message(location={"latitude": 1, "longitude": 2}).attachment == "location"
    assert parse_message(rich_message={"blocks": []}).kind == "wordless"


@pytest.mark.parametrize(
    ("text", "blocks", "marked"),
    [
        ("Why?\ncity = 'Braga'", [("pre", "city = 'Braga'")], "Why?\n```\ncity = 'Braga'\n```"),
        ("😀 Tom wrote:\nI live in Rome\nHi\n\nAnd I?", [("blockquote", "I live in Rome\nHi")],
         "😀 Tom wrote:\n> I live in Rome\n> Hi\n\nAnd I?"),
        ("Я живу в Туле\nпочему\nx = 1", [("expandable_blockquote", "Я живу в Туле"), ("pre", "x = 1")],
         "> Я живу в Туле\n\nпочему\n```\nx = 1\n```"),
        ("Tom:\nI live in Rome\nx = 1\nI am 5\nAnd I?",
         [("blockquote", "I live in Rome\nx = 1\nI am 5"), ("pre", "x = 1")],
         "Tom:\n> I live in Rome\n> ```\n> x = 1\n> ```\n> I am 5\n\nAnd I?"),
        ("Tom: try x = 1 here\nI?", [("blockquote", "try x = 1 here"), ("pre", "x = 1")],
         "Tom: \n> try \n> ```\n> x = 1\n> ```\n>  here\n\nI?"),
        ("Docs:\nRun ```ls``` now\n\n\nls", [("pre", "Run ```ls``` now\n"), ("pre", "\n\nls")],
         "Docs:\n````\nRun ```ls``` now\n````\n\n\n```\nls\n```"),
        ("/etc/hosts has\n::1 ip6", [("pre", "::1 ip6")], "/etc/hosts has\n```\n::1 ip6\n```"),
        ("I use vim daily", [("code", "vim")], "I use vim daily"),
        ("/memory add I sail", [("pre", "I sail")], "/memory add I sail"),
    ],
)  # fmt: skip
def test_code_blocks_and_quotations_are_marked_in_text(text: str, blocks: list[tuple[str, str]], marked: str) -> None:
    """Telegram's apps take the marks that people type out of the text, and send them as entities."""
    entities = [make_entity(kind, count_utf16_units(text.partition(part)[0]), len(part)) for kind, part in blocks]
    assert parse_message(text=text, entities=entities).text == marked
    assert parse_message(caption=text, caption_entities=entities, photo=[]).text == marked


def test_code_that_a_client_split_is_closed_in_a_line_of_its_own() -> None:
    lines = ["x = 1\n" * 682 + "y = ", "2"]
    pieces = [parse_message(text=code, entities=[make_entity("pre", 0, len(code))]) for code in lines]
    assert pieces[0].units == MAX_UNITS
    assert make_user_message(pieces).text.endswith("y = \n```\n```\n2\n```")


def test_code_keeps_its_language() -> None:
    entity = {**make_entity("pre", 5, 8), "language": "python"}
    assert parse_message(text="Why? print(1)", entities=[entity]).text == "Why? \n```python\nprint(1)\n```"


def test_answers_to_questions_and_commands_have_no_marks() -> None:
    """People paste instructions, facts and exports as code. They are stored as they were sent."""
    parsed = parse_message(text="Be brief", entities=[make_entity("pre", 0, 8)])
    assert (parsed.text, parsed.argument) == ("```\nBe brief\n```", "Be brief")
    entities = [make_entity("mention", 0, 13), make_entity("pre", 26, 6)]
    assert parse_message(GROUP, text="@keepsake_bot /memory add I sail", entities=entities).argument == "add I sail"


def test_bot_name_in_code_is_no_mention() -> None:
    parsed = parse_message(GROUP, text="The log:\n@keepsake_bot failed", entities=[make_entity("pre", 9, 20)])
    assert (parsed.addressed, parsed.text) == (False, "The log:\n```\n@keepsake_bot failed\n```")


def test_mention_beside_quotation_is_removed() -> None:
    entities = [make_entity("mention", 0, 13), make_entity("blockquote", 19, 10)]
    parsed = parse_message(GROUP, text="@keepsake_bot why?\nOslo is it", entities=entities)
    assert (parsed.addressed, parsed.text) == (True, "why?\n> Oslo is it")
    entities = [make_entity("blockquote", 0, 13), make_entity("mention", 20, 13)]
    parsed = parse_message(GROUP, text="😀 Oslo\nis it\nWhy,  @keepsake_bot?", entities=entities)
    assert (parsed.addressed, parsed.text) == (True, "> 😀 Oslo\n> is it\n\nWhy?")


@given(
    st.text(min_size=1, max_size=50),
    st.lists(st.tuples(st.sampled_from(["mention", "pre", "blockquote"]), st.integers(-9, 60), st.integers(-9, 60))),
)
def test_parsing_never_fails_for_arbitrary_text_and_entities(text: str, spans: list[tuple[str, int, int]]) -> None:
    parse_update(make_update(GROUP, text=text, entities=[make_entity(*span) for span in spans]), ME)


@pytest.mark.parametrize(
    ("chat", "fields", "ids"),
    [
        ({"id": -500, "type": "group"}, {"migrate_to_chat_id": -1_000_500}, (-500, -1_000_500)),
        ({"id": -1_000_500, "type": "supergroup"}, {"migrate_from_chat_id": -500}, (-500, -1_000_500)),
        ({"id": -500, "type": "group"}, {"text": "hello"}, None),
        ({"id": -500, "type": "group"}, {"migrate_to_chat_id": "-1000500"}, None),
        ({"id": -500, "type": "group"}, {"migrate_to_chat_id": -(2**70)}, None),
        ({"id": 11, "type": "private"}, {"migrate_to_chat_id": -1_000_500}, None),
    ],
)
def test_finds_old_and_new_group_id_of_migration(
    chat: dict[str, Any], fields: dict[str, Any], ids: tuple[int, int] | None
) -> None:
    assert find_old_and_new_group_id(make_update(chat, **fields)) == ids


@pytest.mark.parametrize("huge", [10**30, -(10**30), 2**52])
def test_ignores_update_with_id_out_of_range(huge: int) -> None:
    group = {"id": -100, "type": "supergroup", "title": "Club", "is_forum": True}
    assert parse_update(make_update({**group, "id": huge}, text="hi"), ME) is None
    assert parse_update(make_update(group, text="hi", message_thread_id=huge, is_topic_message=True), ME) is None
    assert parse_update(make_update(group, text="hi", message_id=huge), ME) is None
    somebody: dict[str, Any] = {"from": {"id": huge, "is_bot": False, "first_name": "A"}}
    assert parse_update(make_update(PRIVATE, text="hi", **somebody), ME) is None


def test_each_channel_direct_chat_has_separate_scope() -> None:
    chat: dict[str, Any] = {"id": -1_001_000_000_900, "type": "supergroup", "title": "News", "is_direct_messages": True}
    topic = {"topic_id": 8_000_000_011, "user": ANN}
    parsed = parse_message(chat, text="hi", direct_messages_topic=topic)
    other = parse_message(chat, text="hi", direct_messages_topic={**topic, "topic_id": 12})
    assert parsed.scope == Scope(owner=chat["id"], thread=-8_000_000_011)
    assert other.scope != parsed.scope
    assert parsed.scope.is_channel_direct_chat
    assert (parsed.chat.topic_id, parsed.chat.direct_messages_topic_id) == (None, 8_000_000_011)
    in_topic = parse_message({**GROUP, "is_forum": True}, text="hi", message_thread_id=8, is_topic_message=True)
    assert (in_topic.chat.topic_id, in_topic.chat.direct_messages_topic_id) == (8, None)
    assert not in_topic.scope.is_channel_direct_chat


def test_checklist_is_formatted_with_checkboxes() -> None:
    bob = {"id": 5, "is_bot": False, "first_name": "Bob"}
    tasks = [{"id": 1, "text": "milk"}, {"id": 2, "text": "eggs", "completed_by_user": bob, "completion_date": 99}]
    checklist = telegram.Checklist.de_json({"title": "Shopping", "tasks": tasks}, None)
    assert format_checklist(checklist) == "Shopping\n- [ ] milk\n- [x] eggs"


def parse_reaction(**who: Any) -> ParsedUpdate | None:
    thumb = [{"type": "emoji", "emoji": "👎"}]
    reaction = {"chat": GROUP, "message_id": 3, "date": 1, "old_reaction": [], "new_reaction": thumb, **who}
    update = telegram.Update.de_json({"update_id": 9, "message_reaction": reaction}, None)
    assert update is not None
    return parse_update(update, ME)


def test_anonymous_admin_reacts_as_group_and_channel_reaction_is_ignored() -> None:
    by_ann, by_admin = parse_reaction(user=ANN), parse_reaction(actor_chat=GROUP)
    assert by_ann is not None
    assert (by_ann.kind, by_ann.person.id) == ("dislike", 11)
    assert by_admin is not None
    assert (by_admin.kind, by_admin.person.id, by_admin.person.name) == ("dislike", ANONYMOUS_ADMIN, "Picnic")
    assert parse_reaction(actor_chat={"id": -7, "type": "channel", "title": "News"}) is None
