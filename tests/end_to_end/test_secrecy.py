"""Secrets and message text stay out of the log at LOG_LEVEL=DEBUG.

The model's endpoint and Telegram quote them in their errors.
"""

import json

import pytest

from playground.faults import Fault
from tests.end_to_end.harness import ANSWERS, KEY, SUMMARIES, TOKEN, Json, LocalServers, Member, Process
from tests.peers.openai_server import Behaviour

pytestmark = pytest.mark.asyncio(loop_scope="module")

HOOK = "hook-secret-5f1c"
LOGIN = "login-secret-77c2"
WORDS = "xylophone"
SAID = f"My {WORDS} is out of tune"
ECHO = f"Incorrect API key provided: {KEY}. Request was: {SAID}; bot{TOKEN}"
SECRETS = (TOKEN, TOKEN.partition(":")[2], KEY, HOOK, LOGIN)

FAULTS = [
    *(Behaviour(status=status, message=ECHO, code=code) for status, code in ((401, "invalid_api_key"), (403, None))),
    *(Behaviour(status=status, message=ECHO) for status in (400, 404, 422)),
    Behaviour(status=429, message=ECHO, retry_after="9999"),
    Behaviour(raw=ECHO),
    Behaviour(raw=json.dumps({"error": {"message": ECHO, "code": 400}})),
    Behaviour(plain=True, raw=f"<html>{ECHO}</html>"),
    Behaviour(text="", finish="content_filter"),
    Behaviour(text=SAID, drop="middle"),
    Behaviour(text=SAID, refusal=ECHO),
    Behaviour(empty_choices=True),
]


def demand_discretion(servers: LocalServers, *outputs: str, told: list[str]) -> None:
    for output in outputs:
        for secret in (*SECRETS, WORDS):
            assert secret not in output
    for secret in SECRETS:
        assert not any(secret in text for text in told)
        assert servers.memory.find_files_containing(secret) == []


def is_summary_outcome(message: Json) -> bool:
    return any(words in message.get("text", "") for words in ("Nothing was lost", "ummar"))


async def trouble(servers: LocalServers, ann: Member, process: Process) -> None:
    """Run a turn for each model fault, some folds that fail, and a turn whose Telegram errors quote the message."""
    for fault in FAULTS:
        servers.model.script(ANSWERS, fault)
        await ann.ask(SAID)
    for fault in FAULTS[:5]:
        servers.model.script(SUMMARIES, fault)
        since = ann.last_event
        ann.say("/summary_now")
        await ann.wait_for_message(is_summary_outcome, since=since)  # an answer of the turns before may still be edited
    for kind, method in (("error", "sendMessage"), ("drop_before", "sendMessage"), ("retry_after", "sendMessage")):
        servers.faults.add(Fault(kind=kind, method=method, description=f"Bad Request: {ECHO}"))
    servers.faults.add(Fault(kind="error", method="getUpdates", error_code=500, description=ECHO))
    since = process.log.last
    ann.say(SAID)
    await process.wait_for_log_line("Telegram refuses its answer", since=since)
    await ann.ask(SAID)
    await ann.ask("/summary_status")


@pytest.mark.parametrize("storage", ["SQLite", "JSON"])
async def test_secrets_are_never_sent_logged_or_stored(servers: LocalServers, storage: str) -> None:
    ann = servers.add_person(f"Ann {WORDS}")
    async with servers.run_bot(LOG_LEVEL="DEBUG", SUMMARY_FALLBACK="none") as process:
        await ann.set_up_memory(storage, 500)
        await trouble(servers, ann, process)
        servers.model.unscript(SUMMARIES)  # how often a refused fold is asked for again is not what this is about
        press = servers.world.press_button(
            ann.id, ann.chat_id, ann.list_bot_messages()[-1]["message_id"], f"on:{ann.id}:{WORDS}"
        )
        await ann.wait_for_toast(press)
        out = "\n".join(entry["line"] for entry in process.out)
        demand_discretion(
            servers, process.get_log_text(), out, told=[str(message.get("text")) for message in ann.list_bot_messages()]
        )


async def test_failed_check_and_failed_starts_reveal_no_secrets(servers: LocalServers) -> None:
    environ = servers.make_environ(LOG_LEVEL="DEBUG")
    for arguments, wrong in (
        (("--check",), {}),
        (("--check",), {"TELEGRAM_API_URL": servers.telegram_url.replace("://", f"://me:{LOGIN}@")}),
        (("--check",), {"OPENAI_BASE_URL": servers.model_url.replace("://", f"://me:{LOGIN}@")}),
        ((), {"MAX_CONTEXT_TOKENS": KEY}),
        ((), {"WEBHOOK_LISTEN": HOOK, "WEBHOOK_URL": "http://127.0.0.1:1"}),
        ((), {"WEBHOOK_SECRET": f"{HOOK} with spaces"}),
        ((), {"TELEGRAM_BOT_TOKEN": f"{TOKEN} with spaces"}),
        ((), {"TELEGRAM_BOT_TOKEN": f"{TOKEN}-revoked"}),
        ((), {"DATABASE_URL": f"postgresql://me:{KEY}@host/db"}),
        ((), {"OPENAI_BASE_URL": f"ftp://me:{KEY}@host"}),
    ):
        if arguments:
            servers.model.script(ANSWERS, FAULTS[0])
        run = await servers.run(*arguments, environ={**environ, **wrong})
        assert run.status == 2, run
        # --check shows an endpoint's own words, since it sends nothing but its own trial text.
        demand_discretion(servers, run.out.replace(WORDS, ""), run.err, told=[])


async def test_group_members_cannot_configure_memory_or_forge_buttons(servers: LocalServers) -> None:
    """Only admins may configure. A button works only for its own person, even if its data is forged."""
    ann, bob = servers.add_person(), servers.add_person("Bob")
    group = servers.add_group(ann, bob, admins=[ann])
    ann_there, bob_there = ann.with_chat(group), bob.with_chat(group)
    async with servers.run_bot(DATA_DIR="groups"):
        for command in ("/summary", "/summary_on", "/summary_off", "/summary_now"):
            assert "admins" in await bob_there.ask(command)
        asked = await ann_there.ask_for_message("/summary", "1 of 2")
        assert "somebody else" in await bob_there.wait_for_toast(bob_there.press_button(asked, "SQLite"))
        assert "Memory: disabled" in await ann_there.ask("/summary_status")
        [button] = [
            button for row in asked["reply_markup"]["inline_keyboard"] for button in row if "JSON" in button["text"]
        ]
        forged = button["callback_data"].replace(f":{ann.id}:", f":{bob.id}:")
        press = servers.world.press_button(bob.id, group, asked["message_id"], forged)
        assert await bob_there.wait_for_toast(press)
        assert "Memory: disabled" in await ann_there.ask("/summary_status")


async def test_welcome_button_works_only_for_own_person(servers: LocalServers) -> None:
    ann, bob = servers.add_person(), servers.add_person("Bob")
    async with servers.run_bot(DATA_DIR="welcome"):
        welcome = await ann.ask_for_message("/start", "Hello")
        [[button], _] = welcome["reply_markup"]["inline_keyboard"]
        bobs = await bob.ask_for_message("/start", "Hello")
        for data in (button["callback_data"], button["callback_data"].replace(f":{ann.id}:", f":{bob.id}:")):
            press = servers.world.press_button(bob.id, bob.chat_id, bobs["message_id"], data)
            assert "button" in await bob.wait_for_toast(press)
        assert "Memory: disabled" in await bob.ask("/summary_status")
