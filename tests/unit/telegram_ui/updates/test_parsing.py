"""Update → ParsedUpdate → UserMessage."""

from datetime import UTC, datetime
from typing import Any

import pytest
import telegram
from hypothesis import given
from hypothesis import strategies as st

from records.scopes import Scope
from records.turns import ReplyTarget
from telegram_ui.sending.chat import ANONYMOUS_ADMIN
from telegram_ui.updates.answering import make_user_message
from telegram_ui.updates.parsing import ParsedUpdate, find_old_and_new_group_id, format_checklist, parse_update
from tests.support.processor_time import count_units

ME = telegram.User(id=42, first_name="Keepsake", is_bot=True, username="keepsake_bot")
ANN = {"id": 11, "is_bot": False, "first_name": "Ann", "last_name": "Lee", "username": "ann"}
PRIVATE = {"id": 11, "type": "private"}
GROUP = {"id": -500, "type": "supergroup", "title": "Picnic"}


def update(chat: dict[str, Any] = PRIVATE, kind: str = "message", **message: Any) -> telegram.Update:
    full = {"message_id": 7, "date": 1_800_000_000, "chat": chat, "from": ANN, **message}
    parsed = telegram.Update.de_json({"update_id": 9, kind: full}, None)
    assert parsed
    return parsed


def heard(chat: dict[str, Any] = PRIVATE, kind: str = "message", **message: Any) -> ParsedUpdate:
    parsed = parse_update(update(chat, kind, **message), ME)
    assert parsed
    return parsed


def entity(kind: str, offset: int, length: int, **more: Any) -> dict[str, Any]:
    return {"type": kind, "offset": offset, "length": length, **more}


def test_a_private_text_becomes_a_turn() -> None:
    turn = make_user_message([heard(text="  hello ")])
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
def test_commands_are_read_without_regard_to_case(text: str, command: str, argument: str, target: bool) -> None:
    parsed = heard(text=text)
    assert (parsed.kind, parsed.command, parsed.argument, parsed.target) == ("command", command, argument, target)


@pytest.mark.parametrize("text", ["/usr/bin/env", "a /help", "/", "/ help", "/hélp"])
def test_what_only_looks_like_a_command_is_text(text: str) -> None:
    assert heard(text=text).kind == "text"


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
def test_a_name_is_what_clients_draw_of_it(given: str, name: str) -> None:
    ann, club = {"id": 11, "is_bot": False, "first_name": given}, {**GROUP, "title": given}
    dated = {"type": "hidden_user", "date": 1}
    said: dict[str, Any] = {"from": ann, "text": "hello"}
    assert heard(**said).person.name == name
    assert heard(club, sender_chat=club, text="hello").person.name == name
    assert heard(text="hi", forward_origin={**dated, "sender_user_name": given}).text == f"[Forwarded from {name}]\nhi"
    assert heard(text="hi", forward_origin={**dated, "type": "user", "sender_user": ann}).text.startswith(
        f"[Forwarded from {name}]\n"
    )
    assert heard(text="hi", via_bot=ann).text == f"[Written by the bot {name}]\nhi"
    earlier = {"message_id": 3, "date": 1, "chat": PRIVATE, "from": ann, "text": "Vienna"}
    replied = heard(text="why?", reply_to_message=earlier).replied
    assert replied is not None
    assert replied.speaker == name


def test_what_is_replied_to_comes_along() -> None:
    earlier = {"message_id": 3, "date": 1, "chat": PRIVATE, "from": ME.to_dict(), "text": "Vienna, of course."}
    assert make_user_message([heard(text="why?", reply_to_message=earlier)]).replied == ReplyTarget(
        telegram_id=3, text="Vienna, of course."
    )
    marked, theirs = {"text": "of course", "position": 8}, {**earlier, "from": ANN}
    assert heard(text="why?", reply_to_message=theirs, quote=marked).replied == ReplyTarget(
        telegram_id=3, text="of course", speaker="Ann Lee"
    )


def test_a_quote_from_another_chat_comes_along() -> None:
    origin = {"type": "hidden_user", "date": 1, "sender_user_name": "Bob"}
    marked = {"text": "of course", "position": 0}
    parsed = heard(text="why?", external_reply={"origin": origin, "message_id": 3}, quote=marked)
    assert (parsed.replied, parsed.text) == (ReplyTarget(text="of course", speaker="Bob"), "why?")
    assert heard(text="why?", external_reply={"origin": origin}).replied is None


def test_a_formatted_message_of_another_chat_comes_along() -> None:
    origin = {"type": "channel", "date": 1, "message_id": 3, "chat": {"id": -5, "type": "channel", "title": "News"}}
    page = {"blocks": [{"type": "heading", "size": 1, "text": "Rain"}]}
    parsed = heard(text="Is it true?", external_reply={"origin": origin, "rich_message": page})
    assert parsed.replied == ReplyTarget(text="# Rain", speaker="News")


def test_what_cannot_be_read_beside_a_caption_is_named() -> None:
    paid = {"star_count": 5, "paid_media": [{"type": "preview"}]}
    parsed = heard(paid_media=paid, caption="What is it?")
    assert parsed.text == "What is it?\n[Sent with something new to me, which was not read]"
    assert parsed.unread == ("new",)


def test_a_forwarded_giveaway_is_not_met_with_silence() -> None:
    giveaway = {"chats": [{"id": -5, "type": "channel"}], "winners_selection_date": 1, "winner_count": 1}
    assert heard(giveaway=giveaway).attachment == "new"


def test_a_forwarded_text_is_marked_and_commands_nothing() -> None:
    origin = {"type": "hidden_user", "date": 1, "sender_user_name": "Bob"}
    parsed = heard(text="/forget", forward_origin=origin)
    assert (parsed.kind, parsed.text) == ("text", "[Forwarded from Bob]\n/forget")


def test_what_another_bot_wrote_for_a_person_counts_as_forwarded() -> None:
    parsed = heard(text="/forget", via_bot={"id": 9, "is_bot": True, "first_name": "Gif"})
    assert (parsed.kind, parsed.origin, parsed.text) == ("text", "forwarded", "[Written by the bot Gif]\n/forget")


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"text": "😀 @keepsake_bot hi", "entities": [entity("mention", 3, 13)]}, "😀 hi"),
        ({"text": "@Keepsake_Bot: hi", "entities": [entity("mention", 0, 13)]}, "hi"),
        ({"text": "Well, @keepsake_bot, and now?", "entities": [entity("mention", 6, 13)]}, "Well, and now?"),
        ({"text": "How are you, @keepsake_bot?", "entities": [entity("mention", 13, 13)]}, "How are you?"),
        ({"text": "Thanks, @keepsake_bot", "entities": [entity("mention", 8, 13)]}, "Thanks"),
        ({"text": ", @keepsake_bot hi", "entities": [entity("mention", 2, 13)]}, "hi"),
        ({"text": "@keepsake_bot! -5 degrees?", "entities": [entity("mention", 0, 13)]}, "-5 degrees?"),
        ({"text": "@keepsake_bot – and now?", "entities": [entity("mention", 0, 13)]}, "and now?"),
        ({"text": "谢谢，@keepsake_bot。", "entities": [entity("mention", 3, 13)]}, "谢谢。"),
        ({"text": "Keepsake, how are you?"}, "how are you?"),
        ({"text": "Keepsake"}, ""),
        ({"text": "keepsake what is new"}, "what is new"),
        ({"text": "How are you, Keepsake?"}, "How are you?"),
        ({"text": "كيف حالك، Keepsake؟"}, "كيف حالك؟"),
        (
            {
                "text": "Hi @keepsake_bot, @keepsake_bot",
                "entities": [entity("mention", 3, 13), entity("mention", 18, 13)],
            },
            "Hi",
        ),
        (
            {
                "text": "@keepsake_bot @keepsake_bot hi",
                "entities": [entity("mention", 0, 13), entity("mention", 14, 13)],
            },
            "hi",
        ),
        ({"text": "@keepsake_bot hi", "entities": [entity("mention", n, 13) for n in (0, -5, 0, 2**60)]}, "hi"),
        ({"text": "Keeper hi", "entities": [entity("text_mention", 0, 6, user=ME.to_dict())]}, "hi"),
        ({"text": "hi", "reply_to_message": {"message_id": 1, "date": 1, "chat": GROUP, "from": ME.to_dict()}}, "hi"),
        ({"text": "/help"}, "/help"),
    ],
)
def test_what_addresses_the_bot_in_a_group(message: dict[str, Any], text: str) -> None:
    parsed = heard(GROUP, **message)
    assert parsed.addressed
    assert parsed.text == text
    assert parsed.chat.reply_to == 7


def test_a_text_of_mentions_alone_costs_no_more_than_its_length() -> None:
    """A message of a megabyte with 5,000 mentions was copied ten thousand times."""
    names = "@keepsake_bot " * 5_000
    mentions = [entity("mention", 14 * number, 13) for number in range(4_900)]
    wrong = [entity("mention", 0, 10**6)] * 5_000
    long = update(GROUP, text=names + "é" * 1_000_000, entities=mentions + wrong)
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
        {"text": "@keepsake_bot2 hi", "entities": [entity("mention", 0, 14)]},
        {"text": "a@keepsake_bot.org", "entities": [entity("email", 0, 18)]},
        {"text": "/help@other_bot"},
        {"text": "hi", "reply_to_message": TOPIC_OPENED},
    ],
)
def test_what_does_not_address_the_bot_in_a_group(message: dict[str, Any]) -> None:
    assert not heard(GROUP, **message).addressed


def test_a_thread_counts_only_in_a_topic() -> None:
    assert heard(GROUP, text="x", message_thread_id=5, is_topic_message=True).scope.thread == 5
    assert heard(GROUP, text="x", message_thread_id=5).scope.thread == 0


@pytest.mark.parametrize(
    "message",
    [
        {"new_chat_members": [ANN]},
        {"text": "x", "from": {**ANN, "is_bot": True}},
        {"text": "x", "is_automatic_forward": True},
    ],
)
def test_what_is_nobodys_words_to_the_bot(message: dict[str, Any]) -> None:
    assert parse_update(update(GROUP, **message), ME) is None
    assert parse_update(update({"id": -1, "type": "channel", "title": "News"}, text="x"), ME) is None


def test_anonymous_admins_speak_as_the_group() -> None:
    sender = {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}
    message: dict[str, Any] = {"text": "/help", "from": sender, "sender_chat": GROUP}
    parsed = heard(GROUP, **message)
    assert parsed.person.name == "Picnic"
    assert parsed.person.id == 1087968824


def test_edits_are_known_as_such_and_messages_without_text_as_wordless() -> None:
    assert heard(kind="edited_message", text="x").kind == "edited"
    assert heard(kind="edited_message", text="/help", edit_date=1_800_000_009).command == "help"
    assert heard(kind="edited_message", text="/help").command == "", "the first reaction is sent as an edit, too"
    assert heard(location={"latitude": 1, "longitude": 2}).attachment == "location"
    assert heard(rich_message={"blocks": []}).kind == "wordless"


@given(st.text(min_size=1, max_size=50), st.integers(0, 60), st.integers(0, 60))
def test_no_text_and_no_entity_breaks_the_reading(text: str, offset: int, length: int) -> None:
    parse_update(update(GROUP, text=text, entities=[entity("mention", offset, length)]), ME)


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
def test_a_groups_two_ids_are_read_from_either_chat(
    chat: dict[str, Any], fields: dict[str, Any], ids: tuple[int, int] | None
) -> None:
    assert find_old_and_new_group_id(update(chat, **fields)) == ids


@pytest.mark.parametrize("huge", [10**30, -(10**30), 2**52])
def test_an_update_with_an_id_that_no_store_could_hold_is_nobodys(huge: int) -> None:
    group = {"id": -100, "type": "supergroup", "title": "Club", "is_forum": True}
    assert parse_update(update({**group, "id": huge}, text="hi"), ME) is None
    assert parse_update(update(group, text="hi", message_thread_id=huge, is_topic_message=True), ME) is None
    assert parse_update(update(group, text="hi", message_id=huge), ME) is None
    somebody: dict[str, Any] = {"from": {"id": huge, "is_bot": False, "first_name": "A"}}
    assert parse_update(update(PRIVATE, text="hi", **somebody), ME) is None


def test_each_person_who_writes_to_a_channel_has_a_scope_of_their_own() -> None:
    chat: dict[str, Any] = {"id": -1_001_000_000_900, "type": "supergroup", "title": "News", "is_direct_messages": True}
    topic = {"topic_id": 8_000_000_011, "user": ANN}
    parsed = heard(chat, text="hi", direct_messages_topic=topic)
    other = heard(chat, text="hi", direct_messages_topic={**topic, "topic_id": 12})
    assert parsed.scope == Scope(owner=chat["id"], thread=-8_000_000_011)
    assert other.scope != parsed.scope
    assert parsed.scope.is_channel_direct_chat
    assert (parsed.chat.topic_id, parsed.chat.direct_messages_topic_id) == (None, 8_000_000_011)
    in_topic = heard({**GROUP, "is_forum": True}, text="hi", message_thread_id=8, is_topic_message=True)
    assert (in_topic.chat.topic_id, in_topic.chat.direct_messages_topic_id) == (8, None)
    assert not in_topic.scope.is_channel_direct_chat


def test_checklists_are_lists_with_boxes() -> None:
    bob = {"id": 5, "is_bot": False, "first_name": "Bob"}
    tasks = [{"id": 1, "text": "milk"}, {"id": 2, "text": "eggs", "completed_by_user": bob, "completion_date": 99}]
    checklist = telegram.Checklist.de_json({"title": "Shopping", "tasks": tasks}, None)
    assert format_checklist(checklist) == "Shopping\n- [ ] milk\n- [x] eggs"


def reacted(**who: Any) -> ParsedUpdate | None:
    thumb = [{"type": "emoji", "emoji": "👎"}]
    reaction = {"chat": GROUP, "message_id": 3, "date": 1, "old_reaction": [], "new_reaction": thumb, **who}
    update = telegram.Update.de_json({"update_id": 9, "message_reaction": reaction}, None)
    assert update is not None
    return parse_update(update, ME)


def test_an_anonymous_admin_reacts_as_the_group_and_a_channel_not_at_all() -> None:
    by_ann, by_admin = reacted(user=ANN), reacted(actor_chat=GROUP)
    assert by_ann is not None
    assert (by_ann.kind, by_ann.person.id) == ("dislike", 11)
    assert by_admin is not None
    assert (by_admin.kind, by_admin.person.id, by_admin.person.name) == ("dislike", ANONYMOUS_ADMIN, "Picnic")
    assert reacted(actor_chat={"id": -7, "type": "channel", "title": "News"}) is None
