"""Tests of the Bot API through python-telegram-bot: messages, edits, buttons, files, commands, chats."""

import io

import httpx
import pytest
from telegram import (
    BotCommand,
    BotCommandScopeAllGroupChats,
    BotCommandScopeAllPrivateChats,
    InlineKeyboardMarkup,
    MessageEntity,
)
from telegram import InlineKeyboardButton as Button
from telegram.constants import ChatAction, ParseMode
from telegram.error import BadRequest, ChatMigrated, Forbidden, InvalidToken
from telegram.ext import ExtBot

from playground.people import Impossible
from tests.support.http import NO_CERTIFICATES

from .conftest import ANN, BOB, EVE, FORUM, GROUP, TOPIC, Telegram, make_client

Bot = ExtBot[None]


async def test_bot_is_identified_by_token_and_wrong_token_is_rejected(telegram: Telegram, bot: Bot) -> None:
    assert bot.id == 4242
    assert bot.username == "keepsake_bot"
    with pytest.raises(InvalidToken):
        async with make_client(telegram.url, "4242:wrong"):
            pass


async def test_unknown_method_returns_404(telegram: Telegram) -> None:
    assert await telegram.call("sendNothing") == {
        "ok": False,
        "error_code": 404,
        "description": "Not Found: method not found",
    }


async def test_bot_receives_message_and_reply_appears_in_chat(telegram: Telegram, bot: Bot) -> None:
    telegram.world.say(ANN, ANN, "/start 😀")
    [update] = await bot.get_updates(timeout=5)
    assert update.message is not None
    assert update.message.text == "/start 😀"
    assert update.message.entities[0].type == MessageEntity.BOT_COMMAND
    assert update.effective_user is not None
    assert update.effective_user.first_name == "Ann"
    bold = MessageEntity(MessageEntity.BOLD, 3, 5)
    sent = await bot.send_message(ANN, "😀 hello", entities=[bold], reply_to_message_id=update.message.message_id)
    assert sent.entities == (bold,)
    assert sent.reply_to_message == update.message
    assert [m["text"] for m in telegram.world.make_snapshot()["messages"][str(ANN)]] == ["/start 😀", "😀 hello"]


async def test_oversized_request_is_refused(telegram: Telegram, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playground.parameters.BODY_LIMIT", 10_000)
    telegram.world.say(ANN, ANN, "hi")
    assert (await telegram.call("sendMessage", chat_id=ANN, text="x" * 4_000))["ok"]
    assert (await telegram.call("sendMessage", chat_id=ANN, text="x" * 10_000)) == {
        "ok": False,
        "error_code": 413,
        "description": "Request Entity Too Large",
    }


async def test_text_of_4096_brackets_is_sent_unchanged(telegram: Telegram, bot: Bot) -> None:
    """The call journal reads parameters as JSON, and these brackets are nested more deeply than JSON may be."""
    telegram.world.say(ANN, ANN, "hi")
    assert (await bot.send_message(ANN, "[" * 4096)).text == "[" * 4096


async def test_html_is_parsed_and_other_parse_modes_are_refused(telegram: Telegram, bot: Bot) -> None:
    telegram.world.say(ANN, ANN, "hi")
    sent = await bot.send_message(ANN, "<b>bold</b>", parse_mode=ParseMode.HTML)
    assert sent.text == "bold"
    assert sent.entities[0].type == MessageEntity.BOLD
    with pytest.raises(BadRequest, match="parse_mode"):
        await bot.send_message(ANN, "*bold*", parse_mode=ParseMode.MARKDOWN_V2)


async def test_message_length_limit_is_4096_utf16_units(telegram: Telegram, bot: Bot) -> None:
    telegram.world.say(ANN, ANN, "hi")
    sent = await bot.send_message(ANN, "😀" * 2048 + "   ")
    assert sent.text == "😀" * 2048
    with pytest.raises(BadRequest, match=r"^Message is too long$"):
        await bot.send_message(ANN, "😀" * 2048 + "a")


async def test_paste_of_30000_characters_arrives_in_pieces(telegram: Telegram, bot: Bot) -> None:
    words = " ".join(f"word{number}" for number in range(4000))[:30_000].strip()
    last = telegram.world.say(ANN, ANN, words)
    updates = await bot.get_updates(timeout=5)
    texts = [update.message.text or "" for update in updates if update.message]
    assert len(texts) == 8
    assert all(len(text) <= 4096 for text in texts)
    assert " ".join(texts) == words
    assert texts[-1] == last["text"]


async def test_send_errors_use_telegram_wording(telegram: Telegram) -> None:
    telegram.world.say(ANN, ANN, "hi")
    bad = "Bad Request: "
    send = "sendMessage"
    button = {"inline_keyboard": [[{"text": "x", "callback_data": "é" * 33}]]}
    assert await telegram.call_and_get_error(send, chat_id=ANN, text="") == bad + "message text is empty"
    assert await telegram.call_and_get_error(send, chat_id=ANN, text=" \n") == bad + "text must be non-empty"
    assert await telegram.call_and_get_error(send, chat_id=99, text="x") == bad + "chat not found"
    assert await telegram.call_and_get_error(send, chat_id=EVE, text="x") == bad + "chat not found"
    assert await telegram.call_and_get_error(send, text="x") == bad + "chat_id is empty"
    assert (
        await telegram.call_and_get_error(send, chat_id=ANN, text="x", reply_markup=button)
        == bad + "BUTTON_DATA_INVALID"
    )
    assert (
        await telegram.call_and_get_error(send, chat_id=ANN, text="x", message_thread_id=3)
        == bad + "message thread not found"
    )
    assert (
        await telegram.call_and_get_error(
            send, chat_id=ANN, text="x", entities=[{"type": "bold", "offset": 0, "length": 2}]
        )
        == bad + "entity beginning at UTF-16 offset 0 ends after the end of the text at UTF-16 offset 2"
    )
    assert (
        await telegram.call_and_get_error(send, chat_id=ANN, text="x", reply_parameters={"message_id": 77})
        == bad + "message to be replied not found"
    )
    assert (
        await telegram.call_and_get_error(send, chat_id=BOB, text="x")
        == "Forbidden: bot can't initiate conversation with a user"
    )


async def test_message_is_edited_in_place_and_invalid_edits_are_refused(telegram: Telegram, bot: Bot) -> None:
    asked = telegram.world.say(ANN, ANN, "hi")
    keyboard = InlineKeyboardMarkup([[Button("Stop", callback_data="stop")]])
    sent = await bot.send_message(ANN, "one", reply_markup=keyboard)
    since = telegram.world.make_snapshot()["version"]
    edited = await bot.edit_message_text("one", ANN, sent.message_id)
    assert edited.reply_markup is None  # type: ignore[union-attr]
    [event] = await telegram.world.wait_for_events(since)
    assert (event["kind"], event["chat_id"], event["message"]["text"]) == ("edit", ANN, "one")
    with pytest.raises(BadRequest, match="Message is not modified: specified new message content and reply markup"):
        await bot.edit_message_text("one", ANN, sent.message_id)
    with pytest.raises(BadRequest, match="Message to edit not found"):
        await bot.edit_message_text("two", ANN, 999)
    with pytest.raises(BadRequest, match="Message can't be edited"):
        await bot.edit_message_text("two", ANN, asked["message_id"])
    await bot.edit_message_reply_markup(ANN, sent.message_id, reply_markup=keyboard)
    with pytest.raises(BadRequest, match="not modified"):
        await bot.edit_message_reply_markup(ANN, sent.message_id, reply_markup=keyboard)


async def test_bot_deletes_user_messages_only_in_private_chats(telegram: Telegram, bot: Bot) -> None:
    theirs = telegram.world.say(ANN, ANN, "hi")
    assert await bot.delete_message(ANN, theirs["message_id"])
    with pytest.raises(BadRequest, match="Message to delete not found"):
        await bot.delete_message(ANN, theirs["message_id"])
    in_group = telegram.world.say(ANN, GROUP, "hi")
    with pytest.raises(BadRequest, match="Message can't be deleted"):
        await bot.delete_message(GROUP, in_group["message_id"])


async def test_callback_query_is_answered_until_query_expires(telegram: Telegram, bot: Bot) -> None:
    telegram.world.say(ANN, ANN, "hi")
    sent = await bot.send_message(
        ANN, "Which?", reply_markup=InlineKeyboardMarkup([[Button("SQLite", callback_data="s")]])
    )
    telegram.world.press_button(ANN, ANN, sent.message_id, "s")
    query = (await bot.get_updates(timeout=5))[-1].callback_query
    assert query is not None
    assert (query.data, query.from_user.id) == ("s", ANN)
    assert query.message is not None
    assert query.message.message_id == sent.message_id
    since = telegram.world.feed.last
    assert await query.answer("Done", show_alert=True)
    [event] = await telegram.world.wait_for_events(since)
    assert (event["kind"], event["text"], event["show_alert"]) == ("callback_answer", "Done", True)
    telegram.clock.now += 3600
    with pytest.raises(BadRequest, match="Query is too old and response timeout expired or query id is invalid"):
        await query.answer()


async def test_document_download_and_upload_keep_content_unchanged(telegram: Telegram, bot: Bot) -> None:
    data = bytes(range(256)) * 40 + b"\r\n--not a boundary\r\n"
    telegram.world.send_file(ANN, ANN, kind="document", name="дневник.json", data=data, caption="/import")
    [update] = await bot.get_updates(timeout=5)
    assert update.message is not None
    document = update.message.document
    assert document is not None
    assert document.file_name == "дневник.json"
    assert update.message.caption_entities[0].type == MessageEntity.BOT_COMMAND
    file = await document.get_file()
    assert bytes(await file.download_as_bytearray()) == data
    async with httpx.AsyncClient(trust_env=False, verify=NO_CERTIFICATES, timeout=60) as browser:
        answer = await browser.get(str(file.file_path))
        assert answer.headers["Content-Security-Policy"] == "sandbox"
        assert answer.headers["Content-Disposition"] == "attachment"
    sent = await bot.send_document(ANN, io.BytesIO(data), filename="экспорт.json", caption="yours")
    assert sent.document is not None
    assert (sent.document.file_name, sent.document.file_size) == ("экспорт.json", len(data))
    stored = telegram.world.files.find_by_id(sent.document.file_id)
    assert stored is not None
    assert stored.data == data
    again = await bot.send_document(ANN, sent.document.file_id)
    assert again.document == sent.document
    with pytest.raises(BadRequest, match="Wrong file_id"):
        await bot.get_file("none")


@pytest.mark.parametrize("kind", ["photo", "voice", "sticker", "audio", "video", "animation", "video_note"])
async def test_attachment_of_every_kind_is_parsed_by_client(telegram: Telegram, bot: Bot, kind: str) -> None:
    telegram.world.send_file(ANN, ANN, kind=kind, name="x.bin", data=b"x")
    [update] = await bot.get_updates(timeout=5)
    assert update.message is not None
    assert update.message.effective_attachment


async def test_commands_are_stored_by_scope_and_language(telegram: Telegram, bot: Bot) -> None:
    await bot.set_my_commands([BotCommand("start", "Begin")], scope=BotCommandScopeAllPrivateChats())
    await bot.set_my_commands(
        [BotCommand("start", "Начать")], scope=BotCommandScopeAllPrivateChats(), language_code="ru"
    )
    await bot.set_my_commands([BotCommand("help", "Help")], scope=BotCommandScopeAllGroupChats())
    assert await bot.get_my_commands() == ()
    [command] = await bot.get_my_commands(scope=BotCommandScopeAllPrivateChats(), language_code="ru")
    assert command.description == "Начать"
    assert telegram.world.list_menu_commands(ANN, ANN) == [{"command": "start", "description": "Begin"}]
    assert telegram.world.list_menu_commands(BOB, BOB) == [{"command": "start", "description": "Начать"}]
    assert telegram.world.list_menu_commands(ANN, GROUP) == [{"command": "help", "description": "Help"}]
    await bot.delete_my_commands(scope=BotCommandScopeAllGroupChats())
    assert telegram.world.list_menu_commands(ANN, GROUP) == []
    with pytest.raises(BadRequest, match="command_invalid"):
        await bot.set_my_commands([BotCommand("no-dash", "x")])


async def test_drafts_expire_end_with_message_and_are_refused_in_groups(telegram: Telegram, bot: Bot) -> None:
    telegram.world.say(ANN, ANN, "hi")
    assert await bot.send_message_draft(ANN, 5, "thinking of")
    assert telegram.world.make_snapshot()["drafts"][str(ANN)]["text"] == "thinking of"
    telegram.clock.now += 31
    assert telegram.world.make_snapshot()["drafts"] == {}
    await bot.send_message_draft(ANN, 5, "thinking of you")
    await bot.send_message(ANN, "thinking of you")
    assert telegram.world.make_snapshot()["drafts"] == {}
    with pytest.raises(BadRequest, match="peer_invalid"):
        await bot.send_message_draft(GROUP, 5, "x")


async def test_chat_action_is_published_as_event(telegram: Telegram, bot: Bot) -> None:
    telegram.world.say(ANN, ANN, "hi")
    since = telegram.world.feed.last
    await bot.send_chat_action(ANN, ChatAction.TYPING)
    [event] = await telegram.world.wait_for_events(since)
    assert (event["kind"], event["action"]) == ("action", "typing")


async def test_group_members_are_listed_and_bot_cannot_post_after_leaving(telegram: Telegram, bot: Bot) -> None:
    statuses = [(await bot.get_chat_member(FORUM, person)).status for person in (ANN, BOB, EVE, bot.id)]
    assert statuses == ["creator", "administrator", "left", "member"]
    assert [member.user.id for member in await bot.get_chat_administrators(FORUM)] == [ANN, BOB]
    assert (await bot.get_chat(FORUM)).is_forum
    assert (await bot.get_chat(ANN)).first_name == "Ann"
    assert await bot.leave_chat(GROUP)
    with pytest.raises(Forbidden, match="bot is not a member of the group chat"):
        await bot.send_message(GROUP, "x")


async def test_topic_messages_carry_thread_id_until_topic_is_deleted(telegram: Telegram, bot: Bot) -> None:
    telegram.world.say(ANN, FORUM, "hi", thread_id=TOPIC)
    [update] = await bot.get_updates(timeout=5)
    assert update.message is not None
    assert update.message.message_thread_id == TOPIC
    assert update.message.is_topic_message
    assert update.message.reply_to_message is not None
    assert update.message.reply_to_message.forum_topic_created is not None
    sent = await bot.send_message(FORUM, "hello", message_thread_id=TOPIC)
    assert sent.message_thread_id == TOPIC
    telegram.world.delete_topic(FORUM, TOPIC)
    with pytest.raises(BadRequest, match="Message thread not found"):
        await bot.send_message(FORUM, "hello?", message_thread_id=TOPIC)


async def test_sending_to_user_who_blocked_bot_is_forbidden(telegram: Telegram, bot: Bot) -> None:
    telegram.world.say(ANN, ANN, "hi")
    telegram.world.block_bot(ANN)
    with pytest.raises(Forbidden, match="bot was blocked by the user"):
        await bot.send_message(ANN, "are you there?")
    change = (await bot.get_updates(timeout=5))[-1].my_chat_member
    assert change is not None
    assert change.new_chat_member.status == "kicked"
    telegram.world.unblock_bot(ANN)
    assert await bot.send_message(ANN, "welcome back")


async def test_edited_message_is_delivered_as_update(telegram: Telegram, bot: Bot) -> None:
    said = telegram.world.say(ANN, ANN, "I live in Rome")
    telegram.world.edit_message(ANN, ANN, said["message_id"], "I live in Milan")
    update = (await bot.get_updates(timeout=5))[-1]
    assert update.edited_message is not None
    assert update.edited_message.text == "I live in Milan"
    assert update.edited_message.edit_date is not None


async def test_privacy_mode_delivers_only_messages_addressed_to_bot(telegram: Telegram, bot: Bot) -> None:
    own = await bot.send_message(GROUP, "hello all")
    telegram.world.privacy_mode = True
    telegram.world.say(ANN, GROUP, "just us")
    telegram.world.say(ANN, GROUP, "/start@other_bot")
    meant = ["/start", "/start@keepsake_bot", "hey @Keepsake_Bot"]
    for text in meant:
        telegram.world.say(ANN, GROUP, text)
    telegram.world.say(ANN, GROUP, "thanks", reply_to=own.message_id)
    texts = [update.message.text for update in await bot.get_updates(timeout=5) if update.message]
    assert texts == [*meant, "thanks"]
    assert (await bot.get_me()).can_read_all_group_messages is False


async def test_forwarded_message_has_forward_origin(telegram: Telegram, bot: Bot) -> None:
    telegram.world.say(ANN, ANN, "from Bob", forward_from=BOB)
    telegram.world.say(ANN, ANN, "from nobody", forward_from="Somebody")
    origins = [update.message.forward_origin for update in await bot.get_updates(timeout=5) if update.message]
    assert [origin.type for origin in origins if origin] == ["user", "hidden_user"]


@pytest.mark.parametrize(
    ("method", "given"),
    [
        ("getUpdates", {"allowed_updates": 5}),
        ("sendMessage", {"entities": [1]}),
        ("sendMessage", {"entities": [{"type": [], "offset": 0, "length": 1}]}),
        ("sendMessage", {"reply_markup": {"inline_keyboard": [["x"]]}}),
        ("sendMessage", {"reply_parameters": {"message_id": []}}),
        ("getMyCommands", {"scope": {"type": []}}),
        ("setMyCommands", {"commands": "["}),
        ("editMessageText", {"message_id": "x"}),
    ],
)
async def test_malformed_parameters_return_bad_request(
    telegram: Telegram, method: str, given: dict[str, object]
) -> None:
    telegram.world.say(ANN, ANN, "hi")
    refusal = await telegram.call_and_get_error(method, **({"chat_id": ANN, "text": "x"} | given))
    assert refusal.startswith("Bad Request: ")


async def test_upgrade_to_supergroup_changes_chat_id(telegram: Telegram, bot: Bot) -> None:
    telegram.world.say(ANN, GROUP, "before")
    new = telegram.world.upgrade_group(GROUP)
    telegram.world.say(ANN, new, "after")
    messages = [update.message for update in await bot.get_updates(timeout=5) if update.message]
    assert [(message.chat.id, message.chat.type) for message in messages[:2]] == [(GROUP, "group")] * 2
    assert messages[1].migrate_to_chat_id == new
    assert messages[2].migrate_from_chat_id == GROUP
    assert [(message.chat.id, message.chat.type, message.message_id) for message in messages[2:]] == [
        (new, "supergroup", 1),
        (new, "supergroup", 2),
    ]
    with pytest.raises(ChatMigrated) as refused:
        await bot.send_message(GROUP, "hello")
    assert refused.value.new_chat_id == new
    assert (await bot.send_message(new, "hello")).chat.id == new
    with pytest.raises(Impossible):
        telegram.world.say(ANN, GROUP, "too late")
    with pytest.raises(Impossible):
        telegram.world.upgrade_group(GROUP)
