"""Starting and refusing to start: the command line, wrong settings, DATA_DIR, `.env`."""

import asyncio
import json
import socket
import stat
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from tests.end_to_end.harness import ANSWERS, KEY, SUMMARIES, TOKEN, LocalServers, Run
from tests.peers.openai_server import Behaviour

pytestmark = pytest.mark.asyncio(loop_scope="module")

WRONG = {
    "TELEGRAM_API_URL": "ftp://telegram",
    "OPENAI_BASE_URL": "localhost:11434",
    "EMBEDDING_BASE_URL": "nowhere",
    "ALLOWED_USER_IDS": "ann, bob",
    "ADMIN_USER_IDS": "*",
    "MAX_CONTEXT_TOKENS": "many",
    "SUMMARY_BUDGET": "-1",
    "RECENT_BUDGET": "1.5",
    "SNIPPET_BUDGET": "x",
    "SYSTEM_BUDGET": "x",
    "MODEL_TIMEOUT": "soon",
    "WEBHOOK_URL": "http://bot.example.org/hook",
    "WEBHOOK_LISTEN": "8443",
    "WEBHOOK_SECRET": "no spaces, please",
    "LOG_LEVEL": "LOUD",
    "REPLY_STREAMING": "sometimes",
    "SUMMARY_FALLBACK": "perhaps",
    "DATABASE_URL": "mysql://x",
    "HEALTH_LISTEN": "8081",
}


def refused(run: Run, variable: str) -> str:
    """The one line of a refused start."""
    assert run.status == 2, run
    assert run.out == ""
    lines = run.err.splitlines()
    assert len(lines) == 1, run.err
    assert variable in lines[0]
    return lines[0]


async def test_help_and_version_need_no_settings(house: LocalServers) -> None:
    shown = await replace(house, is_forked=False).run("--help", environ={})
    assert shown.status == 0
    assert "--playground" in shown.out
    assert "--check" in shown.out
    version = await house.run("--version", environ={})
    assert version.status == 0
    assert version.out


async def test_without_a_token_one_line_says_what_to_do(house: LocalServers) -> None:
    line = refused(await replace(house, is_forked=False).run(environ={}), "TELEGRAM_BOT_TOKEN")
    assert "--playground" in line


@pytest.mark.parametrize(("variable", "value"), WRONG.items(), ids=WRONG)
async def test_a_wrong_setting_is_one_line_that_names_it(
    house: LocalServers, capsys: pytest.CaptureFixture[str], run_here: Callable[..., int], variable: str, value: str
) -> None:
    """By the entry's own main(), since each process costs a second; the next test starts some for real."""
    status = run_here([], house.environ(**{variable: value}))
    shown = capsys.readouterr()
    refused(Run(status=status, out=shown.out, err=shown.err), variable)


async def test_wrong_settings_end_the_process(house: LocalServers) -> None:
    chosen = ["MAX_CONTEXT_TOKENS", "DATABASE_URL", "LOG_LEVEL"]
    runs = await asyncio.gather(*(house.run(environ=house.environ(**{name: WRONG[name]})) for name in chosen))
    for name, run in zip(chosen, runs, strict=True):
        refused(run, name)


async def test_a_token_that_telegram_refuses_is_one_line(house: LocalServers) -> None:
    run = await house.run(environ=house.environ(TELEGRAM_BOT_TOKEN="1:wrong", LOG_LEVEL="ERROR"))
    assert "1:wrong" not in refused(run, "TELEGRAM_BOT_TOKEN")


async def test_without_a_key_or_an_endpoint_one_line_names_the_key(house: LocalServers) -> None:
    refused(await house.run(environ=house.environ(OPENAI_API_KEY="", OPENAI_BASE_URL="")), "OPENAI_API_KEY")


async def test_a_file_in_the_place_of_data_dir_is_one_line(house: LocalServers) -> None:
    (house.folder / "taken").write_text("a file")
    refused(await house.run(environ=house.environ(DATA_DIR="taken", LOG_LEVEL="ERROR")), "DATA_DIR")
    refused(await house.run(environ=house.environ(DATA_DIR="taken/in", LOG_LEVEL="ERROR")), "DATA_DIR")


async def test_a_data_dir_in_use_is_one_line_and_files_are_private(house: LocalServers) -> None:
    async with house.bot(DATA_DIR="shared"):
        refused(await house.run(environ=house.environ(DATA_DIR="shared", LOG_LEVEL="ERROR")), "DATA_DIR")
        folder = house.folder / "shared"
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


def parts_of(run: Run) -> dict[str, str]:
    """What --check says of each part (of the models the last)."""
    return dict(line.split(": ", 1) for line in run.out.splitlines())


async def test_check_says_one_line_for_each_part(own_house: LocalServers) -> None:
    own_house.model.script(ANSWERS, "ok", Behaviour(calls=({"name": "note", "arguments": '{"word": "ok"}'},)))
    own_house.model.default_schema("trial", '{"word": "ok"}')
    run = await own_house.run("--check", environ=own_house.environ(LOG_LEVEL="ERROR"))
    assert (run.status, run.err) == (0, "")
    parts = [line.partition(":")[0] for line in run.out.splitlines()]
    assert parts == ["settings", "telegram", "storage", "model", "model", "embeddings"]
    assert f"@{own_house.world.bot['username']}" in parts_of(run)["telegram"]
    assert "model answering-model answers, calls tools\n" in run.out
    assert "model summarising-model answers, keeps to a JSON schema\n" in run.out


async def test_a_model_that_ends_soon_is_named_by_check_and_in_the_log(own_house: LocalServers) -> None:
    """By the fields of the lists of OpenAI, OpenRouter and Mistral."""
    soon, late = (str(datetime.now(tz=UTC).date() + timedelta(days=days)) for days in (40, 90))
    own_house.model.default(ANSWERS, "Noted.")
    own_house.model.listed = {ANSWERS: {"shutdown_date": soon}, SUMMARIES: {"shutdown_date": late, "deprecation": None}}
    run = await own_house.run("--check", environ=own_house.environ(LOG_LEVEL="ERROR"))
    assert run.out.count("warning: ") == 1
    assert f"warning: answering-model ends on {soon}, says its endpoint: name another in OPENAI_MODEL.\n" in run.out
    assert run.status == 0
    own_house.model.listed = {SUMMARIES: {"deprecation": f"{soon}T12:00:00Z"}, ANSWERS: {"expiration_date": "none"}}
    async with own_house.bot() as process:
        line = await process.logged("ends on")
        assert f"summarising-model ends on {soon}" in line
        assert process.text().count("ends on") == 1


async def test_check_shows_the_endpoint_s_own_words_without_the_key(own_house: LocalServers) -> None:
    own_house.model.default(ANSWERS, Behaviour(status=400, message=f"No connected db. Your key is {KEY}, my friend."))
    run = await own_house.run("--check", environ=own_house.environ(LOG_LEVEL="ERROR", SUMMARY_MODEL=ANSWERS))
    assert "The endpoint says: No connected db. Your key is" in parts_of(run)["model"]
    assert KEY not in run.out


async def test_check_runs_next_to_the_bot(house: LocalServers) -> None:
    async with house.bot(DATA_DIR="checked"):
        run = await house.run("--check", environ=house.environ(DATA_DIR="checked", LOG_LEVEL="ERROR"))
        assert (run.status, run.err) == (0, "")
        assert "a running bot has it" in parts_of(run)["storage"]
        assert "Noted." in await house.person().asks("Good morning")


async def test_check_says_what_a_model_cannot_do(own_house: LocalServers) -> None:
    own_house.model.script(ANSWERS, "ok", Behaviour(refuses=("tools",)))
    own_house.model.default_schema("trial", "no JSON")
    run = await own_house.run("--check", environ=own_house.environ(LOG_LEVEL="ERROR", SUMMARY_MODEL=ANSWERS))
    assert run.status == 0
    assert "takes no tools, does not keep to a JSON schema" in parts_of(run)["model"]


async def test_check_tells_what_cannot_be_reached(house: LocalServers) -> None:
    environ = house.environ(OPENAI_BASE_URL="http://127.0.0.1:9/v1", LOG_LEVEL="ERROR")
    run = await house.run("--check", environ=environ)
    assert run.status == 1
    assert "Traceback" not in run.err
    assert (await house.run("--check", environ=house.environ(LOG_LEVEL="LOUD"))).status == 2


async def test_check_tells_what_is_wrong_with_telegram(house: LocalServers) -> None:
    revoked, nowhere = await asyncio.gather(
        house.run("--check", environ=house.environ(TELEGRAM_BOT_TOKEN="1:wrong", LOG_LEVEL="ERROR", DATA_DIR="one")),
        house.run("--check", environ=house.environ(TELEGRAM_API_URL="http://127.0.0.1:9", LOG_LEVEL="ERROR")),
    )
    assert revoked.status == 2
    assert "TELEGRAM_BOT_TOKEN: Telegram refuses this token" in parts_of(revoked)["telegram"]
    assert nowhere.status == 1
    assert "TELEGRAM_API_URL" in parts_of(nowhere)["telegram"]
    assert (revoked.err, nowhere.err) == ("", "")
    assert "1:wrong" not in revoked.out


async def test_check_tells_what_is_missing(house: LocalServers) -> None:
    environ = house.environ(TELEGRAM_BOT_TOKEN="", OPENAI_API_KEY="", OPENAI_BASE_URL="", LOG_LEVEL="ERROR")
    run = await house.run("--check", environ=environ)
    assert (run.status, run.err) == (2, "")
    assert "all values can be used" not in run.out
    assert "TELEGRAM_BOT_TOKEN: is not set" in parts_of(run)["settings"]
    assert "OPENAI_API_KEY: is not set" in parts_of(run)["settings"]
    assert "no token" in parts_of(run)["telegram"]
    assert "not asked" in parts_of(run)["model"]
    assert "can be read and written" in parts_of(run)["storage"]


async def test_a_misspelt_name_is_named_with_the_nearest(house: LocalServers) -> None:
    environ = house.environ(LOG_LEVEL="WARNING", OPENAI_MODLE="x", TELEGRAM_TOKEN="y")
    run = await house.run("--check", environ=environ)
    assert "OPENAI_MODLE is no setting of this program; did you mean OPENAI_MODEL?" in parts_of(run)["settings"]
    assert "did you mean TELEGRAM_BOT_TOKEN?" in parts_of(run)["settings"]
    async with house.bot(LOG_LEVEL="WARNING", OPENAI_MODLE="x", DATA_DIR="misspelt") as process:
        assert "did you mean OPENAI_MODEL?" in process.text()


@pytest.mark.parametrize(
    ("variable", "value"),
    {
        "OPENAI_API_KEY": "ключ",
        "OPENAI_BASE_URL": "http://exa..mple/v1",
        "TELEGRAM_API_URL": f"http://{'a' * 64}.org",
    }.items(),
)
async def test_what_no_request_could_carry_is_one_line(
    house: LocalServers, capsys: pytest.CaptureFixture[str], run_here: Callable[..., int], variable: str, value: str
) -> None:
    for arguments in ([], ["--check"]):
        status = run_here(arguments, house.environ(**{variable: value}))
        shown = capsys.readouterr()
        refused(Run(status=status, out=shown.out, err=shown.err), variable)


async def test_the_env_file_is_read_and_the_environment_wins(house: LocalServers) -> None:
    dotenv = house.folder / ".env"
    dotenv.write_text(f"TELEGRAM_BOT_TOKEN={TOKEN}\nDATA_DIR=from-file\nLOG_LEVEL=LOUD\n")
    environ = house.environ()
    without = {name: value for name, value in environ.items() if name not in ("TELEGRAM_BOT_TOKEN", "LOG_LEVEL")}
    try:
        refused(await house.run(environ=without), "LOG_LEVEL")
        run = await house.run("--check", environ={**without, "LOG_LEVEL": "ERROR"})
        assert (run.status, run.err) == (0, "")
        assert (house.folder / "from-file" / "memory.db").exists()
        assert (await house.run("--check", environ={**environ, "DATA_DIR": "from-environment"})).status == 0
        assert (house.folder / "from-environment" / "memory.db").exists()
    finally:
        dotenv.unlink()


async def test_a_webhook_address_that_is_taken_is_one_line(house: LocalServers) -> None:
    port = house.telegram_url.rpartition(":")[2]
    environ = house.environ(
        WEBHOOK_URL="https://bot.example.org/hook", WEBHOOK_LISTEN=f"127.0.0.1:{port}", LOG_LEVEL="CRITICAL"
    )
    refused(await house.run(environ=environ), "WEBHOOK_LISTEN")


async def test_the_log_knows_neither_token_nor_key(house: LocalServers) -> None:
    async with house.bot() as process:
        await house.person().asks("Good morning")
    assert "ready" in process.text()
    assert TOKEN not in process.text()
    assert KEY not in process.text()
    assert TOKEN.partition(":")[2] not in process.text()
    assert all(KEY.encode() not in path.read_bytes() for path in files(house.data))
    assert all(TOKEN.encode() not in path.read_bytes() for path in files(house.data))


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


async def test_a_log_in_json_has_one_object_on_each_line_from_start_to_stop(own_house: LocalServers) -> None:
    async with own_house.bot(LOG_FORMAT="json") as bot:
        await own_house.person("Ann").asks("My secret word is quinquereme.")
    lines = [json.loads(entry["line"]) for entry in bot.log if entry["line"]]
    assert all({"time", "level", "logger", "message"} <= line.keys() for line in lines)
    [call] = [line for line in lines if line.get("model") == ANSWERS and "completion" in line]
    assert (call["logger"].split(".")[0], call["prompt"] > 0) == ("llm", True)
    assert "quinquereme" not in bot.text()
    assert KEY not in bot.text()
    failed = await own_house.run(environ={**own_house.environ(LOG_FORMAT="json"), "TELEGRAM_BOT_TOKEN": ""})
    assert failed.status == 2
    assert "TELEGRAM_BOT_TOKEN" in json.loads(failed.err)["message"]


async def test_systemd_hears_that_the_bot_is_ready_lives_and_stops(own_house: LocalServers) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(own_house.folder / "notify"))
        listener.setblocking(False)
        told = partial(asyncio.get_running_loop().sock_recv, listener, 100)
        async with own_house.bot(NOTIFY_SOCKET=str(own_house.folder / "notify"), WATCHDOG_USEC="1000000"):
            heard = [await told(), await told()]
            while b"READY=1" not in heard:  # ends: the bot says it once it is ready
                heard.append(await told())
        while b"STOPPING=1" not in heard:  # ends: it has said so by now
            heard.append(await told())
    assert set(heard) == {b"WATCHDOG=1", b"READY=1", b"STOPPING=1"}
