"""Tests of starts and refused starts: the command line, invalid settings, DATA_DIR and `.env`."""

import asyncio
import json
import socket
import stat
import tarfile
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from tests.end_to_end.harness import ANSWERS, KEY, SUMMARIES, TOKEN, LocalServers, Run
from tests.peers.openai_server import Behaviour
from tests.support.released import FOLDER, RELEASED

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


def check_refused_start(run: Run, variable: str) -> str:
    """Check that a start was refused in one line that names the variable, and return the line."""
    assert run.status == 2, run
    assert run.out == ""
    lines = run.err.splitlines()
    assert len(lines) == 1, run.err
    assert variable in lines[0]
    return lines[0]


async def test_help_and_version_need_no_settings(servers: LocalServers) -> None:
    shown = await replace(servers, is_forked=False).run("--help", environ={})
    assert shown.status == 0
    assert "--playground" in shown.out
    assert "--check" in shown.out
    version = await servers.run("--version", environ={})
    assert version.status == 0
    assert version.out


async def test_missing_token_is_explained_in_one_line(servers: LocalServers) -> None:
    line = check_refused_start(await replace(servers, is_forked=False).run(environ={}), "TELEGRAM_BOT_TOKEN")
    assert "--playground" in line


@pytest.mark.parametrize(("variable", "value"), WRONG.items(), ids=WRONG)
async def test_invalid_setting_is_named_in_one_line(
    servers: LocalServers, capsys: pytest.CaptureFixture[str], run_here: Callable[..., int], variable: str, value: str
) -> None:
    """This calls bot.main(), because each process costs a second. The next test starts real processes."""
    status = run_here([], servers.make_environ(**{variable: value}))
    shown = capsys.readouterr()
    check_refused_start(Run(status=status, out=shown.out, err=shown.err), variable)


async def test_invalid_setting_ends_process(servers: LocalServers) -> None:
    chosen = ["MAX_CONTEXT_TOKENS", "DATABASE_URL", "LOG_LEVEL"]
    runs = await asyncio.gather(*(servers.run(environ=servers.make_environ(**{name: WRONG[name]})) for name in chosen))
    for name, run in zip(chosen, runs, strict=True):
        check_refused_start(run, name)


async def test_token_refused_by_telegram_is_reported_in_one_line(servers: LocalServers) -> None:
    run = await servers.run(environ=servers.make_environ(TELEGRAM_BOT_TOKEN="1:wrong", LOG_LEVEL="ERROR"))
    assert "1:wrong" not in check_refused_start(run, "TELEGRAM_BOT_TOKEN")


async def test_missing_key_and_endpoint_are_reported_in_one_line(servers: LocalServers) -> None:
    check_refused_start(
        await servers.run(environ=servers.make_environ(OPENAI_API_KEY="", OPENAI_BASE_URL="")), "OPENAI_API_KEY"
    )


async def test_file_in_place_of_data_dir_is_reported_in_one_line(servers: LocalServers) -> None:
    (servers.folder / "taken").write_text("a file")
    check_refused_start(
        await servers.run(environ=servers.make_environ(DATA_DIR="taken", LOG_LEVEL="ERROR")), "DATA_DIR"
    )
    check_refused_start(
        await servers.run(environ=servers.make_environ(DATA_DIR="taken/in", LOG_LEVEL="ERROR")), "DATA_DIR"
    )


async def test_data_dir_in_use_is_refused_and_files_are_private(servers: LocalServers) -> None:
    async with servers.run_bot(DATA_DIR="shared"):
        check_refused_start(
            await servers.run(environ=servers.make_environ(DATA_DIR="shared", LOG_LEVEL="ERROR")), "DATA_DIR"
        )
        folder = servers.folder / "shared"
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


def parse_check_output(run: Run) -> dict[str, str]:
    """Return what --check says of each part. Of several models, the last one counts."""
    return dict(line.split(": ", 1) for line in run.out.splitlines())


async def test_check_reports_each_part_on_own_line(own_servers: LocalServers) -> None:
    own_servers.model.script(ANSWERS, "ok", Behaviour(calls=({"name": "note", "arguments": '{"word": "ok"}'},)))
    own_servers.model.set_default_schema_answer("trial", '{"word": "ok"}')
    run = await own_servers.run("--check", environ=own_servers.make_environ(LOG_LEVEL="ERROR"))
    assert (run.status, run.err) == (0, "")
    parts = [line.partition(":")[0] for line in run.out.splitlines()]
    assert parts == ["settings", "telegram", "storage", "model", "model", "embeddings"]
    assert f"@{own_servers.world.bot['username']}" in parse_check_output(run)["telegram"]
    assert "model answering-model answers, calls tools\n" in run.out
    assert "model summarising-model answers, keeps to a JSON schema\n" in run.out


async def test_model_near_shutdown_date_is_reported_by_check_and_in_log(own_servers: LocalServers) -> None:
    """The dates come from fields in the model lists of OpenAI, OpenRouter and Mistral."""
    soon, late = (str(datetime.now(tz=UTC).date() + timedelta(days=days)) for days in (40, 90))
    own_servers.model.set_default_answer(ANSWERS, "Noted.")
    own_servers.model.listed = {
        ANSWERS: {"shutdown_date": soon},
        SUMMARIES: {"shutdown_date": late, "deprecation": None},
    }
    run = await own_servers.run("--check", environ=own_servers.make_environ(LOG_LEVEL="ERROR"))
    assert run.out.count("warning: ") == 1
    assert f"warning: answering-model ends on {soon}, says its endpoint: name another in OPENAI_MODEL.\n" in run.out
    assert run.status == 0
    own_servers.model.listed = {SUMMARIES: {"deprecation": f"{soon}T12:00:00Z"}, ANSWERS: {"expiration_date": "none"}}
    async with own_servers.run_bot() as process:
        line = await process.wait_for_log_line("ends on")
        assert f"summarising-model ends on {soon}" in line
        assert process.get_log_text().count("ends on") == 1


async def test_check_shows_endpoint_error_without_api_key(own_servers: LocalServers) -> None:
    own_servers.model.set_default_answer(
        ANSWERS, Behaviour(status=400, message=f"No connected db. Your key is {KEY}, my friend.")
    )
    run = await own_servers.run("--check", environ=own_servers.make_environ(LOG_LEVEL="ERROR", SUMMARY_MODEL=ANSWERS))
    assert "The endpoint says: No connected db. Your key is" in parse_check_output(run)["model"]
    assert KEY not in run.out


async def test_check_works_while_bot_is_running(servers: LocalServers) -> None:
    async with servers.run_bot(DATA_DIR="checked"):
        run = await servers.run("--check", environ=servers.make_environ(DATA_DIR="checked", LOG_LEVEL="ERROR"))
        assert (run.status, run.err) == (0, "")
        assert "a running bot has it" in parse_check_output(run)["storage"]
        assert "Noted." in await servers.add_person().ask("Good morning")


async def test_check_leaves_migration_of_earlier_version_to_next_start(servers: LocalServers) -> None:
    data = servers.folder / "earlier"
    with tarfile.open(RELEASED / "9" / FOLDER) as packed:
        packed.extractall(data, filter="data")
    before = (data / "memory.db").read_bytes()
    run = await servers.run("--check", environ=servers.make_environ(DATA_DIR="earlier", LOG_LEVEL="ERROR"))
    assert run.status == 0, run
    assert "the next start brings memory.db to the format of this version" in parse_check_output(run)["storage"]
    assert (data / "memory.db").read_bytes() == before
    assert not list(data.glob("*.before-format-*"))


async def test_check_reports_missing_model_features(own_servers: LocalServers) -> None:
    own_servers.model.script(ANSWERS, "ok", Behaviour(refuses=("tools",)))
    own_servers.model.set_default_schema_answer("trial", "no JSON")
    run = await own_servers.run("--check", environ=own_servers.make_environ(LOG_LEVEL="ERROR", SUMMARY_MODEL=ANSWERS))
    assert run.status == 0
    assert "takes no tools, does not keep to a JSON schema" in parse_check_output(run)["model"]


async def test_check_fails_for_unreachable_endpoint_and_invalid_setting(servers: LocalServers) -> None:
    environ = servers.make_environ(OPENAI_BASE_URL="http://127.0.0.1:9/v1", LOG_LEVEL="ERROR")
    run = await servers.run("--check", environ=environ)
    assert run.status == 1
    assert "Traceback" not in run.err
    assert (await servers.run("--check", environ=servers.make_environ(LOG_LEVEL="LOUD"))).status == 2


async def test_check_reports_refused_token_and_unreachable_telegram(servers: LocalServers) -> None:
    revoked, nowhere = await asyncio.gather(
        servers.run(
            "--check", environ=servers.make_environ(TELEGRAM_BOT_TOKEN="1:wrong", LOG_LEVEL="ERROR", DATA_DIR="one")
        ),
        servers.run("--check", environ=servers.make_environ(TELEGRAM_API_URL="http://127.0.0.1:9", LOG_LEVEL="ERROR")),
    )
    assert revoked.status == 2
    assert "TELEGRAM_BOT_TOKEN: Telegram refuses this token" in parse_check_output(revoked)["telegram"]
    assert nowhere.status == 1
    assert "TELEGRAM_API_URL" in parse_check_output(nowhere)["telegram"]
    assert (revoked.err, nowhere.err) == ("", "")
    assert "1:wrong" not in revoked.out


async def test_check_reports_missing_settings(servers: LocalServers) -> None:
    environ = servers.make_environ(TELEGRAM_BOT_TOKEN="", OPENAI_API_KEY="", OPENAI_BASE_URL="", LOG_LEVEL="ERROR")
    run = await servers.run("--check", environ=environ)
    assert (run.status, run.err) == (2, "")
    assert "all values can be used" not in run.out
    assert "TELEGRAM_BOT_TOKEN: is not set" in parse_check_output(run)["settings"]
    assert "OPENAI_API_KEY: is not set" in parse_check_output(run)["settings"]
    assert "no token" in parse_check_output(run)["telegram"]
    assert "not asked" in parse_check_output(run)["model"]
    assert "can be read and written" in parse_check_output(run)["storage"]


async def test_misspelt_setting_is_reported_with_nearest_name(servers: LocalServers) -> None:
    environ = servers.make_environ(LOG_LEVEL="WARNING", OPENAI_MODLE="x", TELEGRAM_TOKEN="y")
    run = await servers.run("--check", environ=environ)
    assert (
        "OPENAI_MODLE is no setting of this program; did you mean OPENAI_MODEL?" in parse_check_output(run)["settings"]
    )
    assert "did you mean TELEGRAM_BOT_TOKEN?" in parse_check_output(run)["settings"]
    async with servers.run_bot(LOG_LEVEL="WARNING", OPENAI_MODLE="x", DATA_DIR="misspelt") as process:
        assert "did you mean OPENAI_MODEL?" in process.get_log_text()


@pytest.mark.parametrize(
    ("variable", "value"),
    {
        "OPENAI_API_KEY": "ключ",
        "OPENAI_BASE_URL": "http://exa..mple/v1",
        "TELEGRAM_API_URL": f"http://{'a' * 64}.org",
    }.items(),
)
async def test_setting_that_no_request_can_carry_is_reported_in_one_line(
    servers: LocalServers, capsys: pytest.CaptureFixture[str], run_here: Callable[..., int], variable: str, value: str
) -> None:
    for arguments in ([], ["--check"]):
        status = run_here(arguments, servers.make_environ(**{variable: value}))
        shown = capsys.readouterr()
        check_refused_start(Run(status=status, out=shown.out, err=shown.err), variable)


async def test_env_file_is_read_and_environment_takes_precedence(servers: LocalServers) -> None:
    dotenv = servers.folder / ".env"
    dotenv.write_text(f"TELEGRAM_BOT_TOKEN={TOKEN}\nDATA_DIR=from-file\nLOG_LEVEL=LOUD\n")
    environ = servers.make_environ()
    without = {name: value for name, value in environ.items() if name not in ("TELEGRAM_BOT_TOKEN", "LOG_LEVEL")}
    try:
        check_refused_start(await servers.run(environ=without), "LOG_LEVEL")
        run = await servers.run("--check", environ={**without, "LOG_LEVEL": "ERROR"})
        assert (run.status, run.err) == (0, "")
        assert (servers.folder / "from-file" / "memory.db").exists()
        assert (await servers.run("--check", environ={**environ, "DATA_DIR": "from-environment"})).status == 0
        assert (servers.folder / "from-environment" / "memory.db").exists()
    finally:
        dotenv.unlink()


async def test_webhook_address_in_use_is_reported_in_one_line(servers: LocalServers) -> None:
    port = servers.telegram_url.rpartition(":")[2]
    environ = servers.make_environ(
        WEBHOOK_URL="https://bot.example.org/hook", WEBHOOK_LISTEN=f"127.0.0.1:{port}", LOG_LEVEL="CRITICAL"
    )
    check_refused_start(await servers.run(environ=environ), "WEBHOOK_LISTEN")


async def test_log_and_files_contain_neither_token_nor_key(servers: LocalServers) -> None:
    async with servers.run_bot() as process:
        await servers.add_person().ask("Good morning")
    assert "ready" in process.get_log_text()
    assert TOKEN not in process.get_log_text()
    assert KEY not in process.get_log_text()
    assert TOKEN.partition(":")[2] not in process.get_log_text()
    assert all(KEY.encode() not in path.read_bytes() for path in files(servers.data_dir))
    assert all(TOKEN.encode() not in path.read_bytes() for path in files(servers.data_dir))


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


async def test_json_log_has_one_object_per_line(own_servers: LocalServers) -> None:
    async with own_servers.run_bot(LOG_FORMAT="json") as bot:
        await own_servers.add_person("Ann").ask("My secret word is quinquereme.")
    lines = [json.loads(entry["line"]) for entry in bot.log if entry["line"]]
    assert all({"time", "level", "logger", "message"} <= line.keys() for line in lines)
    [call] = [line for line in lines if line.get("model") == ANSWERS and "completion" in line]
    assert (call["logger"].split(".")[0], call["prompt"] > 0) == ("llm", True)
    assert "quinquereme" not in bot.get_log_text()
    assert KEY not in bot.get_log_text()
    failed = await own_servers.run(environ={**own_servers.make_environ(LOG_FORMAT="json"), "TELEGRAM_BOT_TOKEN": ""})
    assert failed.status == 2
    assert "TELEGRAM_BOT_TOKEN" in json.loads(failed.err)["message"]


async def test_notifies_systemd_when_ready_alive_and_stopping(own_servers: LocalServers) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(own_servers.folder / "notify"))
        listener.setblocking(False)
        told = partial(asyncio.get_running_loop().sock_recv, listener, 100)
        async with own_servers.run_bot(NOTIFY_SOCKET=str(own_servers.folder / "notify"), WATCHDOG_USEC="1000000"):
            heard = [await told(), await told()]
            while b"READY=1" not in heard:  # ends: the bot says it once it is ready
                heard.append(await told())
        while b"STOPPING=1" not in heard:  # ends: it has said so by now
            heard.append(await told())
    assert set(heard) == {b"WATCHDOG=1", b"READY=1", b"STOPPING=1"}
