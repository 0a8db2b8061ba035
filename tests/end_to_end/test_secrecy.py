"""Token, keys and message text at LOG_LEVEL=DEBUG, with endpoints and a Telegram that quote them in their errors."""

import json

import pytest

from playground.faults import Fault
from tests.end_to_end.harness import ANSWERS, KEY, SUMMARIES, TOKEN, Json, LocalServers, Member, Process
from tests.peers.openai_server import Behaviour

pytestmark = pytest.mark.asyncio(loop_scope="module")

HOOK = "hook-secret-5f1c"
WORDS = "xylophone"
SAID = f"My {WORDS} is out of tune"
ECHO = f"Incorrect API key provided: {KEY}. Request was: {SAID}; bot{TOKEN}"
SECRETS = (TOKEN, TOKEN.partition(":")[2], KEY, HOOK)

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


def demand_discretion(house: LocalServers, *outputs: str, told: list[str]) -> None:
    for output in outputs:
        for secret in (*SECRETS, WORDS):
            assert secret not in output
    for secret in SECRETS:
        assert not any(secret in text for text in told)
        assert house.memory.files_with(secret) == []


def is_summary_outcome(message: Json) -> bool:
    return any(words in message.get("text", "") for words in ("Nothing was lost", "ummar"))


async def trouble(house: LocalServers, ann: Member, process: Process) -> None:
    """A turn for each fault of the model's, then folds that fail, then a Telegram that quotes the message."""
    for fault in FAULTS:
        house.model.script(ANSWERS, fault)
        await ann.asks(SAID)
    for fault in FAULTS[:5]:
        house.model.script(SUMMARIES, fault)
        since = ann.now
        ann.says("/summary_now")
        await ann.hears(is_summary_outcome, since=since)  # an answer of the turns before may still be edited
    for kind, method in (("error", "sendMessage"), ("drop_before", "sendMessage"), ("retry_after", "sendMessage")):
        house.faults.add(Fault(kind=kind, method=method, description=f"Bad Request: {ECHO}"))
    house.faults.add(Fault(kind="error", method="getUpdates", error_code=500, description=ECHO))
    since = process.log.last
    ann.says(SAID)
    await process.logged("Telegram refuses its answer", since=since)
    await ann.asks(SAID)
    await ann.asks("/summary_status")


@pytest.mark.parametrize("storage", ["SQLite", "JSON"])
async def test_nothing_secret_is_told_logged_or_stored(house: LocalServers, storage: str) -> None:
    ann = house.person(f"Ann {WORDS}")
    async with house.bot(LOG_LEVEL="DEBUG", SUMMARY_FALLBACK="none") as process:
        await ann.sets_up(storage, 500)
        await trouble(house, ann, process)
        house.model.unscript(SUMMARIES)  # how often a refused fold is asked for again is not what this is about
        press = house.world.press_button(ann.id, ann.chat_id, ann.heard()[-1]["message_id"], f"on:{ann.id}:{WORDS}")
        await ann.toast(press)
        out = "\n".join(entry["line"] for entry in process.out)
        demand_discretion(house, process.text(), out, told=[str(message.get("text")) for message in ann.heard()])


async def test_commands_and_refused_starts_are_as_discreet(house: LocalServers) -> None:
    environ = house.environ(LOG_LEVEL="DEBUG")
    house.model.script(ANSWERS, FAULTS[0])
    for arguments, wrong in (
        (("--check",), {}),
        ((), {"MAX_CONTEXT_TOKENS": KEY}),
        ((), {"WEBHOOK_LISTEN": HOOK, "WEBHOOK_URL": "http://127.0.0.1:1"}),
        ((), {"WEBHOOK_SECRET": f"{HOOK} with spaces"}),
        ((), {"TELEGRAM_BOT_TOKEN": f"{TOKEN} with spaces"}),
        ((), {"TELEGRAM_BOT_TOKEN": f"{TOKEN}-revoked"}),
        ((), {"DATABASE_URL": f"postgresql://me:{KEY}@host/db"}),
        ((), {"OPENAI_BASE_URL": f"ftp://me:{KEY}@host"}),
    ):
        run = await house.run(*arguments, environ={**environ, **wrong})
        assert run.status == 2, run
        # --check shows an endpoint's own words, since it sends nothing but its own trial text.
        demand_discretion(house, run.out.replace(WORDS, ""), run.err, told=[])


async def test_orders_of_people_in_groups(house: LocalServers) -> None:
    """Only admins configure, and a button works for its own person alone."""
    ann, bob = house.person(), house.person("Bob")
    group = house.group(ann, bob, admins=[ann])
    ann_there, bob_there = ann.within(group), bob.within(group)
    async with house.bot(DATA_DIR="groups"):
        for command in ("/summary", "/summary_on", "/summary_off", "/summary_now"):
            assert "admins" in await bob_there.asks(command)
        asked = await ann_there.tells("/summary", "1 of 2")
        assert "somebody else" in await bob_there.toast(bob_there.press(asked, "SQLite"))
        assert "Memory: disabled" in await ann_there.asks("/summary_status")
        [button] = [
            button for row in asked["reply_markup"]["inline_keyboard"] for button in row if "JSON" in button["text"]
        ]
        forged = button["callback_data"].replace(f":{ann.id}:", f":{bob.id}:")
        press = house.world.press_button(bob.id, group, asked["message_id"], forged)
        assert await bob_there.toast(press)
        assert "Memory: disabled" in await ann_there.asks("/summary_status")


async def test_a_welcome_button_is_its_persons(house: LocalServers) -> None:
    ann, bob = house.person(), house.person("Bob")
    async with house.bot(DATA_DIR="welcome"):
        welcome = await ann.tells("/start", "Hello")
        [[button], _] = welcome["reply_markup"]["inline_keyboard"]
        bobs = await bob.tells("/start", "Hello")
        for data in (button["callback_data"], button["callback_data"].replace(f":{ann.id}:", f":{bob.id}:")):
            press = house.world.press_button(bob.id, bob.chat_id, bobs["message_id"], data)
            assert "button" in await bob.toast(press)
        assert "Memory: disabled" in await bob.asks("/summary_status")
