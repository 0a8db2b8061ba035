"""The files of deploy/ agree with the program and with each other; and the tools of what they are for take them.

There is no container engine here: what the image holds is laid out by the Dockerfile's own lines.
"""

import asyncio
import configparser
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
import yaml

from runtime.health import Readiness, health_served
from settings import Settings
from tests.house.reference import variables
from tests.paths import ROOT
from tests.support.missing import lacks

DEPLOY = ROOT / "deploy"
NAMES = {one.name.upper() for one in variables()}
OTHERS = {"PATH", "PYTHONDONTWRITEBYTECODE", "SQLITE_TMPDIR"}
"""What is set for Python and SQLite."""
STOPS_WITHIN = 10
"""Seconds, by the contract."""
BOTS = ("bot-1", "bot-2", "bot-3")

Json = dict[str, Any]


def text(name: str) -> str:
    return (DEPLOY / name).read_text(encoding="utf-8")


# the image -----------------------------------------------------------------------------------------------------------


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile, without comments, each on one line."""
    joined = re.sub(r"\\\n\s*", "", re.sub(r"(?m)^#.*\n", "", text("Dockerfile")))
    found = [line.partition(" ") for line in joined.splitlines() if line.strip()]
    return [(word, rest) for word, _, rest in found]


def of(word: str) -> list[str]:
    return [rest for name, rest in instructions() if name == word]


def image_environ() -> dict[str, str]:
    return dict(one.split("=", 1) for rest in of("ENV") for one in shlex.split(rest))


def copied() -> list[str]:
    """What is copied from the repository."""
    return [source for rest in of("COPY") if not rest.startswith("--from") for source in rest.split()[:-1]]


def rooms_of(path: Path) -> set[str]:
    """The first names of what the modules of a room import, wherever in them."""
    files = [path] if path.is_file() else sorted(path.rglob("*.py"))
    found = (re.findall(r"(?m)^\s*(?:from|import) (\w+)", one.read_text(encoding="utf-8")) for one in files)
    return {name for names in found for name in names}


def test_the_image_holds_all_that_the_program_imports_and_no_more() -> None:
    rooms = {path.name.removesuffix(".py"): path for path in ROOT.iterdir() if path.suffix == ".py" or path.is_dir()}
    held = {path.name.removesuffix(".py") for source in copied() for path in ROOT.glob(source)}
    needed, left = {"bot"}, ["bot"]
    while left:
        more = (rooms_of(rooms[left.pop()]) & rooms.keys()) - needed
        needed |= more
        left += more
    assert needed == held - {"requirements.lock", "requirements-otel.lock", "LICENSE"}
    [command] = of("ENTRYPOINT")
    assert Path(yaml.safe_load(command)[1]) == Path(of("WORKDIR")[0], "bot.py")
    assert of("COPY")[-1].split()[1:] == of("WORKDIR")[:1] * 2


def test_neither_memories_nor_secrets_nor_tests_get_into_the_image() -> None:
    patterns = [line for line in text("Dockerfile.dockerignore").splitlines() if line and not line.startswith("#")]
    assert patterns[0] == "**", "nothing is sent but what is named"
    assert {one[1:] for one in patterns if one.startswith("!")} == set(copied())
    for hidden in (".env", "data", ".git", "tests"):
        assert not any(fnmatch(hidden, one) for one in copied())


def test_the_image_is_no_roots_and_keeps_what_it_writes_on_a_volume() -> None:
    assert of("USER") == ["10001:10001"]
    assert [one.split(":")[1].split(" ")[0] for one in of("FROM")] == ["3.11-slim-bookworm"] * 2
    settings = image_environ()
    assert settings.keys() <= NAMES | OTHERS
    assert of("VOLUME") == [settings["DATA_DIR"]] == [settings["SQLITE_TMPDIR"]]
    assert not Settings.from_env(settings).webhook_url
    assert not any("COPY" in name and "--chown" in rest for name, rest in instructions()), "the code is not its own"


async def test_the_health_check_of_the_image_asks_the_program(tmp_path: Path) -> None:
    [check] = of("HEALTHCHECK")
    command: Sequence[str] = yaml.safe_load(check.partition("CMD ")[2])
    async with health_served(Readiness(lambda: False), ("127.0.0.1", 0)) as port:
        environ = {"HEALTH_LISTEN": f"0.0.0.0:{port}", "http_proxy": "http://127.0.0.1:9", "PATH": os.environ["PATH"]}
        assert await status(command, environ) == 0
    assert await status(command, environ) != 0


async def status(command: Sequence[str], environ: Mapping[str, str]) -> int:
    process = await asyncio.create_subprocess_exec(
        sys.executable, *command[1:], env=dict(environ), stderr=asyncio.subprocess.DEVNULL
    )
    return await process.wait()


# Compose and Caddy ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def compose() -> Json:
    given = {"DOMAIN": "bot.example.org", "POSTGRES_PASSWORD": "s3cret"}
    filled = re.sub(r"\$\{(\w+):\?[^}]*\}", lambda found: given[found[1]], text("compose.yaml"))
    assert "${" not in filled
    return dict(yaml.safe_load(filled))


def seconds(duration: str) -> int:
    return int(duration[:-1]) * {"s": 1, "m": 60}[duration[-1]]


def test_compose_runs_three_processes_that_the_program_would_start(compose: Json) -> None:
    assert [name for name in compose["services"] if name.startswith("bot-")] == list(BOTS)
    for name in BOTS:
        service = compose["services"][name]
        assert service["environment"].keys() <= NAMES
        settings = Settings.from_env({**image_environ(), **service["environment"]})
        assert settings.database_url.value == "postgresql://keepsake:s3cret@postgres:5432/keepsake"
        assert settings.webhook_url == "https://bot.example.org/telegram"
        assert str(settings.data_dir) == image_environ()["DATA_DIR"]
        assert service["volumes"] == [f"{name}:{settings.data_dir}"], "each has a folder of its own"
        assert seconds(service["stop_grace_period"]) > STOPS_WITHIN
        assert (service["read_only"], service["tmpfs"], service["cap_drop"]) == (True, ["/tmp"], ["ALL"])  # noqa: S108
        build = service["build"]
        assert (DEPLOY / build["context"]).resolve() == ROOT
        assert (ROOT / build["dockerfile"]).exists()


def test_the_database_is_the_one_that_the_processes_ask_and_nobody_else_reaches_it(compose: Json) -> None:
    server = compose["services"]["postgres"]
    assert server["environment"] == {
        "POSTGRES_USER": "keepsake",
        "POSTGRES_PASSWORD": "s3cret",
        "POSTGRES_DB": "keepsake",
    }
    assert server["networks"] == ["database"]
    assert compose["networks"]["database"]["internal"] is True
    assert "ports" not in server
    reached = {name for name, one in compose["services"].items() if "database" in one["networks"]}
    assert reached == {"postgres", *BOTS}
    named = {volume.partition(":")[0] for one in compose["services"].values() for volume in one["volumes"]}
    assert {name for name in named if not name.startswith(".")} == compose["volumes"].keys()


def test_caddy_passes_the_webhook_alone_to_every_process_that_is_ready(compose: Json) -> None:
    settings = Settings.from_env(compose["services"]["bot-1"]["environment"])
    assert settings.health_listen
    config = text("Caddyfile")
    proxied = re.findall(r"reverse_proxy (.+) \{", config)
    assert [one.split() for one in proxied] == [[f"{name}:{settings.webhook_listen[1]}" for name in BOTS]]
    assert f"health_port {settings.health_listen[1]}\n" in config
    assert "health_uri /readyz\n" in config
    path = re.findall(r"path (\S+)", config)
    assert path == ["/" + settings.webhook_url.rpartition("/")[2]]
    assert [compose["services"][name].get("ports") for name in ("caddy", *BOTS)] == [["80:80", "443:443"]] + [None] * 3


def test_compose_is_what_composes_schema_asks_for() -> None:
    command = [
        sys.executable,
        "-m",
        "check_jsonschema",
        "--builtin-schema",
        "vendor.compose-spec",
        str(DEPLOY / "compose.yaml"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


# Kubernetes ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def objects() -> dict[str, Json]:
    return {one["kind"]: one for one in yaml.safe_load_all(text("kubernetes.yaml"))}


def test_the_pods_are_set_up_as_the_program_reads_it(objects: Mapping[str, Json]) -> None:
    given: dict[str, str] = objects["ConfigMap"]["data"]
    assert given.keys() <= NAMES
    secrets = re.findall(r"--from-literal=(\w+)=", text("kubernetes.yaml"))
    assert {*secrets} <= NAMES
    assert not {*secrets} & given.keys()
    settings = Settings.from_env({**image_environ(), **given})
    pod = objects["StatefulSet"]["spec"]["template"]["spec"]
    [bot] = pod["containers"]
    assert settings.health_listen
    ports = {one["name"]: one["containerPort"] for one in bot["ports"]}
    assert ports == {"webhook": settings.webhook_listen[1], "health": settings.health_listen[1]}
    assert {one["mountPath"] for one in bot["volumeMounts"]} == {str(settings.data_dir), "/tmp"}  # noqa: S108
    assert (pod["securityContext"]["runAsUser"], bot["securityContext"]["readOnlyRootFilesystem"]) == (10001, True)
    probes = {name: probe["httpGet"] for name, probe in bot.items() if name.endswith("Probe")}
    assert {one["port"] for one in probes.values()} == {"health"}
    assert {name: one["path"] for name, one in probes.items()} == {
        "startupProbe": "/healthz",
        "livenessProbe": "/healthz",
        "readinessProbe": "/readyz",
    }
    annotations = objects["StatefulSet"]["spec"]["template"]["metadata"]["annotations"]
    assert annotations["prometheus.io/port"] == str(ports["health"])


def test_a_pod_has_the_time_that_it_takes_to_stop(objects: Mapping[str, Json]) -> None:
    pod = objects["StatefulSet"]["spec"]["template"]["spec"]
    [_, pause] = pod["containers"][0]["lifecycle"]["preStop"]["exec"]["command"]
    assert pod["terminationGracePeriodSeconds"] > int(pause) + STOPS_WITHIN


def test_the_objects_name_each_other(objects: Mapping[str, Json]) -> None:
    labels = objects["StatefulSet"]["spec"]["template"]["metadata"]["labels"]
    assert objects["StatefulSet"]["spec"]["selector"]["matchLabels"] == labels
    assert objects["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"] == labels
    assert objects["Service"]["spec"]["selector"] == labels
    assert objects["StatefulSet"]["spec"]["serviceName"] == objects["Service"]["metadata"]["name"]
    [rule] = objects["Ingress"]["spec"]["rules"]
    [path] = rule["http"]["paths"]
    assert f"https://{rule['host']}{path['path']}" == objects["ConfigMap"]["data"]["WEBHOOK_URL"]
    assert path["backend"]["service"]["name"] == objects["Service"]["metadata"]["name"]
    assert [rule["host"]] == objects["Ingress"]["spec"]["tls"][0]["hosts"]


# systemd -------------------------------------------------------------------------------------------------------------


def unit() -> configparser.RawConfigParser:
    class Repeated(dict[str, Any]):
        """A name that stands twice has both values, as for systemd."""

        def __setitem__(self, key: str, value: Any) -> None:
            both = self[key] + value if key in self and isinstance(value, list) and value not in ([], [""]) else value
            super().__setitem__(key, both)

    parser = configparser.RawConfigParser(dict_type=Repeated, strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string(text("keepsake.service"))
    return parser


def test_the_service_starts_the_program_as_nobody_and_lets_it_stop() -> None:
    service = unit()["Service"]
    environ = dict(one.split("=", 1) for one in service["Environment"].split())
    assert environ.keys() <= NAMES | OTHERS
    assert environ["DATA_DIR"] == environ["SQLITE_TMPDIR"] == f"/var/lib/{service['StateDirectory']}"
    interpreter, script = service["ExecStart"].split()
    home = Path(service["WorkingDirectory"])
    assert Path(interpreter) == home / ".venv" / "bin" / "python"
    assert (ROOT / Path(script).relative_to(home)).exists()
    assert service["User"] == "keepsake"
    assert service["RestartPreventExitStatus"] == "2"
    assert int(service["TimeoutStopSec"]) > STOPS_WITHIN


# their own tools -----------------------------------------------------------------------------------------------------


def systemd_unit(folder: Path) -> Path:
    """The unit, with an interpreter that exists."""
    path = folder / "keepsake.service"
    path.write_text(
        text("keepsake.service").replace("/srv/keepsake/.venv/bin/python", sys.executable), encoding="utf-8"
    )
    return path


def tools(folder: Path) -> Iterator[tuple[str, list[str]]]:
    yield "systemd-analyze", ["verify", str(systemd_unit(folder))]
    yield "systemd-analyze", ["security", "--offline=yes", "--threshold=20", str(systemd_unit(folder))]
    yield "hadolint", [str(DEPLOY / "Dockerfile")]
    yield "caddy", ["validate", "--adapter", "caddyfile", "--config", str(DEPLOY / "Caddyfile")]
    yield "kubernetes-validate", ["--strict", "-k", "1.32", str(DEPLOY / "kubernetes.yaml")]


@pytest.mark.parametrize("number", range(5), ids=["unit", "hardening", "Dockerfile", "Caddyfile", "Kubernetes"])
def test_the_tool_of_each_file_takes_it(tmp_path: Path, number: int) -> None:
    name, arguments = list(tools(tmp_path))[number]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    tool = shutil.which(name, path=path)
    if tool is None:
        lacks(f"There is no {name} here; `make check-deploy` installs what comes as a package.")
    environ = {"PATH": path, "DOMAIN": "bot.example.org", "HOME": str(tmp_path)}
    done = subprocess.run([tool, *arguments], capture_output=True, text=True, check=False, env=environ, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
