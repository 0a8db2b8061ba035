"""The files of deploy/ match the program and each other, and pass the validators of their tools.

No container engine is used: the contents of the image are derived from the lines of the Dockerfile.
"""

import asyncio
import configparser
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import generate_latest

from dashboard.transfers import MAX_FILE_BYTES
from runtime import VERSION
from runtime.health import Readiness, serve_health
from runtime.metrics import REGISTRY
from settings import Settings
from telegram_ui.updates.webhook import MAX_UPDATE_BYTES
from tests.house.reference import list_variable_fields
from tests.paths import ROOT
from tests.support.proxies import find_program, nginx_configuration

DEPLOY = ROOT / "deploy"
NAMES = {variable.name.upper() for variable in list_variable_fields()}
OTHERS = {"PATH", "PYTHONDONTWRITEBYTECODE", "SQLITE_TMPDIR", "FORWARDED_ALLOW_IPS"}
"""Environment variables for Python, SQLite and uvicorn, which are no settings of the program."""
STOPS_WITHIN = 10
"""Maximum seconds that the program needs to stop."""
BOTS = ("bot-1", "bot-2", "bot-3")

Json = dict[str, Any]


def read_deploy_file(name: str) -> str:
    return (DEPLOY / name).read_text(encoding="utf-8")


# the image -----------------------------------------------------------------------------------------------------------


def instructions() -> list[tuple[str, str]]:
    """Return the name and the arguments of each instruction in the Dockerfile."""
    joined = re.sub(r"\\\n\s*", "", re.sub(r"(?m)^#.*\n", "", read_deploy_file("Dockerfile")))
    found = [line.partition(" ") for line in joined.splitlines() if line.strip()]
    return [(word, rest) for word, _, rest in found]


def list_arguments(word: str) -> list[str]:
    return [rest for name, rest in instructions() if name == word]


def read_image_environ() -> dict[str, str]:
    return dict(assignment.split("=", 1) for rest in list_arguments("ENV") for assignment in shlex.split(rest))


def list_copied_sources() -> list[str]:
    """Return the paths that the Dockerfile copies from the repository."""
    return [source for rest in list_arguments("COPY") if not rest.startswith("--from") for source in rest.split()[:-1]]


def rooms_of(path: Path) -> set[str]:
    """Return the top-level names that the modules of a package import, inside functions too."""
    files = [path] if path.is_file() else sorted(path.rglob("*.py"))
    found = (re.findall(r"(?m)^\s*(?:from|import) (\w+)", file.read_text(encoding="utf-8")) for file in files)
    return {name for names in found for name in names}


def test_image_contains_exactly_imported_packages() -> None:
    rooms = {path.name.removesuffix(".py"): path for path in ROOT.iterdir() if path.suffix == ".py" or path.is_dir()}
    held = {path.name.removesuffix(".py") for source in list_copied_sources() for path in ROOT.glob(source)}
    needed, left = {"bot"}, ["bot"]
    while left:
        more = (rooms_of(rooms[left.pop()]) & rooms.keys()) - needed
        needed |= more
        left += more
    assert needed == held - {"requirements.lock", "requirements-otel.lock", "LICENSE"}
    [command] = list_arguments("ENTRYPOINT")
    assert Path(yaml.safe_load(command)[1]) == Path(list_arguments("WORKDIR")[0], "bot.py")
    assert list_arguments("COPY")[-1].split()[1:] == list_arguments("WORKDIR")[:1] * 2


def test_image_excludes_data_secrets_and_tests() -> None:
    patterns = [
        line for line in read_deploy_file("Dockerfile.dockerignore").splitlines() if line and not line.startswith("#")
    ]
    assert patterns[0] == "**", "nothing is sent but what is named"
    assert {pattern[1:] for pattern in patterns if pattern.startswith("!")} == set(list_copied_sources())
    for hidden in (".env", "data", ".git", "tests"):
        assert not any(fnmatch(hidden, pattern) for pattern in list_copied_sources())


def test_image_runs_as_non_root_and_writes_to_volume() -> None:
    assert list_arguments("USER") == ["10001:10001"]
    assert [line.split(":")[1].split(" ")[0] for line in list_arguments("FROM")] == ["3.11-slim-bookworm"] * 2
    settings = read_image_environ()
    assert settings.keys() <= NAMES | OTHERS
    assert list_arguments("VOLUME") == [settings["DATA_DIR"]] == [settings["SQLITE_TMPDIR"]]
    assert not Settings.from_env(settings).webhook_url
    assert not any("COPY" in name and "--chown" in rest for name, rest in instructions()), "the code is not its own"


async def test_image_health_check_detects_running_program(tmp_path: Path) -> None:
    [check] = list_arguments("HEALTHCHECK")
    command: Sequence[str] = yaml.safe_load(check.partition("CMD ")[2])
    async with serve_health(Readiness(lambda: False), ("127.0.0.1", 0)) as port:
        environ = {"HEALTH_LISTEN": f"0.0.0.0:{port}", "http_proxy": "http://127.0.0.1:9", "PATH": os.environ["PATH"]}
        assert await run_health_check(command, environ) == 0
    assert await run_health_check(command, environ) != 0


async def run_health_check(command: Sequence[str], environ: Mapping[str, str]) -> int:
    process = await asyncio.create_subprocess_exec(
        sys.executable, *command[1:], env=dict(environ), stderr=asyncio.subprocess.DEVNULL
    )
    return await process.wait()


# Compose and Caddy ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def compose() -> Json:
    given = {"DOMAIN": "bot.example.org", "POSTGRES_PASSWORD": "s3cret"}
    filled = re.sub(r"\$\{(\w+):\?[^}]*\}", lambda found: given[found[1]], read_deploy_file("compose.yaml"))
    assert "${" not in filled
    return dict(yaml.safe_load(filled))


def seconds(duration: str) -> int:
    return int(duration[:-1]) * {"s": 1, "m": 60}[duration[-1]]


def test_compose_runs_three_bots_with_valid_settings(compose: Json) -> None:
    assert [name for name in compose["services"] if name.startswith("bot-")] == list(BOTS)
    for name in BOTS:
        service = compose["services"][name]
        assert service["environment"].keys() <= NAMES | OTHERS
        settings = Settings.from_env({**read_image_environ(), **service["environment"]})
        assert settings.database_url.value == "postgresql://keepsake:s3cret@postgres:5432/keepsake"
        assert settings.webhook_url == "https://bot.example.org/telegram"
        assert str(settings.data_dir) == read_image_environ()["DATA_DIR"]
        assert service["volumes"] == [f"{name}:{settings.data_dir}"], "each has a folder of its own"
        assert seconds(service["stop_grace_period"]) > STOPS_WITHIN
        assert (service["read_only"], service["tmpfs"], service["cap_drop"]) == (True, ["/tmp"], ["ALL"])  # noqa: S108
        build = service["build"]
        assert (DEPLOY / build["context"]).resolve() == ROOT
        assert (ROOT / build["dockerfile"]).exists()


def test_compose_database_is_reachable_only_by_bots(compose: Json) -> None:
    server = compose["services"]["postgres"]
    assert server["environment"] == {
        "POSTGRES_USER": "keepsake",
        "POSTGRES_PASSWORD": "s3cret",
        "POSTGRES_DB": "keepsake",
    }
    assert server["networks"] == ["database"]
    assert compose["networks"]["database"]["internal"] is True
    assert "ports" not in server
    reached = {name for name, entry in compose["services"].items() if "database" in entry["networks"]}
    assert reached == {"postgres", *BOTS}
    named = {volume.partition(":")[0] for entry in compose["services"].values() for volume in entry["volumes"]}
    assert {name for name in named if not name.startswith(".")} == compose["volumes"].keys()


def test_caddy_proxies_webhook_and_dashboard_to_ready_bots(compose: Json) -> None:
    settings = Settings.from_env(compose["services"]["bot-1"]["environment"])
    assert settings.health_listen
    config = read_deploy_file("Caddyfile")
    proxied = re.findall(r"reverse_proxy (.+) \{\n\s+import ready\n", config)
    ports = (settings.webhook_listen[1], settings.dashboard_listen[1])
    assert [line.split() for line in proxied] == [[f"{name}:{port}" for name in BOTS] for port in ports]
    assert {address[0] for address in (settings.webhook_listen, settings.dashboard_listen)} == {"0.0.0.0"}  # noqa: S104
    assert f"health_port {settings.health_listen[1]}\n" in config
    assert "health_uri /readyz\n" in config
    path = re.findall(r"path (\S+)", config)
    assert [settings.dashboard_url + suffix for suffix in path] == [settings.webhook_url]
    assert [compose["services"][name].get("ports") for name in ("caddy", *BOTS)] == [["80:80", "443:443"]] + [None] * 3


@pytest.mark.parametrize(
    ("name", "limit", "unit"),
    [
        ("Caddyfile", r"max_size (\d+)MB", 1_000_000),
        ("nginx.conf", r"client_max_body_size (\d+)m;", 2**20),
        ("kubernetes.yaml", r"proxy-body-size: (\d+)m", 2**20),
    ],
)
def test_proxy_body_limits_allow_largest_uploads(name: str, limit: str, unit: int) -> None:
    limits = [int(number) * unit for number in re.findall(limit, read_deploy_file(name))]
    needed = [MAX_UPDATE_BYTES, MAX_FILE_BYTES] if len(limits) > 1 else [MAX_FILE_BYTES]
    assert all(given >= most for given, most in zip(limits, needed, strict=True)), limits


@pytest.mark.parametrize(("schema", "name"), [("compose-spec", "compose.yaml"), ("github-workflows", "release.yaml")])
def test_deploy_file_matches_its_schema(schema: str, name: str) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", str(DEPLOY / name)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


# Kubernetes ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def objects() -> dict[str, Json]:
    return {document["kind"]: document for document in yaml.safe_load_all(read_deploy_file("kubernetes.yaml"))}


def test_kubernetes_pods_match_program_settings(objects: Mapping[str, Json]) -> None:
    given: dict[str, str] = objects["ConfigMap"]["data"]
    assert given.keys() <= NAMES | OTHERS
    secrets = re.findall(r"--from-literal=(\w+)=", read_deploy_file("kubernetes.yaml"))
    assert {*secrets} <= NAMES
    assert not {*secrets} & given.keys()
    settings = Settings.from_env({**read_image_environ(), **given})
    pod = objects["StatefulSet"]["spec"]["template"]["spec"]
    [bot] = pod["containers"]
    assert settings.health_listen
    ports = {port["name"]: port["containerPort"] for port in bot["ports"]}
    assert ports == {
        "webhook": settings.webhook_listen[1],
        "page": settings.dashboard_listen[1],
        "health": settings.health_listen[1],
    }
    assert {mount["mountPath"] for mount in bot["volumeMounts"]} == {str(settings.data_dir), "/tmp"}  # noqa: S108
    assert (pod["securityContext"]["runAsUser"], bot["securityContext"]["readOnlyRootFilesystem"]) == (10001, True)
    probes = {name: probe["httpGet"] for name, probe in bot.items() if name.endswith("Probe")}
    assert {probe["port"] for probe in probes.values()} == {"health"}
    assert {name: check["path"] for name, check in probes.items()} == {
        "startupProbe": "/healthz",
        "livenessProbe": "/healthz",
        "readinessProbe": "/readyz",
    }
    annotations = objects["StatefulSet"]["spec"]["template"]["metadata"]["annotations"]
    assert annotations["prometheus.io/port"] == str(ports["health"])


def test_pod_grace_period_covers_shutdown(objects: Mapping[str, Json]) -> None:
    pod = objects["StatefulSet"]["spec"]["template"]["spec"]
    [_, pause] = pod["containers"][0]["lifecycle"]["preStop"]["exec"]["command"]
    assert pod["terminationGracePeriodSeconds"] > int(pause) + STOPS_WITHIN


def test_kubernetes_objects_reference_each_other(objects: Mapping[str, Json]) -> None:
    labels = objects["StatefulSet"]["spec"]["template"]["metadata"]["labels"]
    assert objects["StatefulSet"]["spec"]["selector"]["matchLabels"] == labels
    assert objects["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"] == labels
    assert objects["Service"]["spec"]["selector"] == labels
    assert objects["StatefulSet"]["spec"]["serviceName"] == objects["Service"]["metadata"]["name"]
    [rule] = objects["Ingress"]["spec"]["rules"]
    given = objects["ConfigMap"]["data"]
    urls = {path["backend"]["service"]["port"]["name"]: path["path"].rstrip("/") for path in rule["http"]["paths"]}
    assert {name: f"https://{rule['host']}{path}" for name, path in urls.items()} == {
        "webhook": given["WEBHOOK_URL"],
        "page": given["DASHBOARD_URL"],
    }
    served = {port["name"] for port in objects["Service"]["spec"]["ports"]}
    assert served == urls.keys()
    assert {path["backend"]["service"]["name"] for path in rule["http"]["paths"]} == {
        objects["Service"]["metadata"]["name"]
    }
    assert [rule["host"]] == objects["Ingress"]["spec"]["tls"][0]["hosts"]


# systemd -------------------------------------------------------------------------------------------------------------


def unit() -> configparser.RawConfigParser:
    class Repeated(dict[str, Any]):
        """A dictionary that joins the values of a repeated name, as systemd does."""

        def __setitem__(self, key: str, value: Any) -> None:
            both = self[key] + value if key in self and isinstance(value, list) and value not in ([], [""]) else value
            super().__setitem__(key, both)

    parser = configparser.RawConfigParser(dict_type=Repeated, strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string(read_deploy_file("keepsake.service"))
    return parser


def test_systemd_service_is_unprivileged_and_has_time_to_stop() -> None:
    service = unit()["Service"]
    environ = dict(assignment.split("=", 1) for assignment in service["Environment"].split())
    assert environ.keys() <= NAMES | OTHERS
    interpreter, script = service["ExecStart"].split()
    home = Path(service["WorkingDirectory"])
    # The clone's .env is read, and its memories are where `make run` left them.
    assert "DATA_DIR" not in environ
    assert "EnvironmentFile" not in service
    assert environ["SQLITE_TMPDIR"] == service["ReadWritePaths"] == str(home / Settings.from_env({}).data_dir)
    assert Path(interpreter) == home / ".venv" / "bin" / "python"
    assert (ROOT / Path(script).relative_to(home)).exists()
    assert service["User"] == "keepsake"
    assert (service["Type"], "AF_UNIX" in service["RestrictAddressFamilies"]) == ("notify", True)
    assert int(service["WatchdogSec"]) >= STOPS_WITHIN
    assert service["RestartPreventExitStatus"] == "2"
    assert int(service["TimeoutStopSec"]) > STOPS_WITHIN


# releases ------------------------------------------------------------------------------------------------------------


def release_steps() -> dict[str, str]:
    """Return the commands of the release workflow by the names of their steps."""
    [job] = yaml.safe_load(read_deploy_file("release.yaml"))["jobs"].values()
    return {step["name"]: step["run"] for step in job["steps"] if "run" in step}


def test_release_rejects_tag_that_differs_from_version() -> None:
    command = ["bash", "-ec", release_steps()["The tag names the version of the program"]]
    for tag, status in ((f"v{VERSION}", 0), ("v0.0.1", 1)):
        assert subprocess.run(command, cwd=ROOT, env={**os.environ, "TAG": tag}, check=False).returncode == status


def test_release_steps_are_valid_shell_and_name_no_registry() -> None:
    for lines in release_steps().values():
        subprocess.run(["bash", "-n"], input=lines, text=True, check=True)
    assert "REGISTRY: ${{ vars.REGISTRY }}" in read_deploy_file("release.yaml")
    assert not re.search(r"\b(ghcr|docker|quay)\.io\b", read_deploy_file("release.yaml"))


# their own tools -----------------------------------------------------------------------------------------------------


def systemd_unit(folder: Path) -> Path:
    """Write the systemd unit with an existing interpreter, and return its path."""
    path = folder / "keepsake.service"
    path.write_text(
        read_deploy_file("keepsake.service").replace("/srv/keepsake/.venv/bin/python", sys.executable), encoding="utf-8"
    )
    return path


def certified(folder: Path) -> Path:
    """Create a certificate and its key in a folder under certbot's file names, and return the folder."""
    command = [find_program("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=bot.example.org"]
    subprocess.run(
        [*command, "-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem"], check=True, capture_output=True
    )
    return folder


def nginx_test(servers: str, folder: Path) -> list[str]:
    """Return arguments that let nginx check these servers, with a test certificate and on local ports."""
    servers = servers.replace("/etc/letsencrypt/live/bot.example.org", str(certified(folder)))
    servers = re.sub(r"listen (\d+)", r"listen 127.0.0.1:1\1", servers)
    return ["-t", "-c", str(nginx_configuration(servers, folder)), "-p", str(folder), "-e", "stderr"]


def write_file(content: str, path: Path) -> str:
    path.write_text(content, encoding="utf-8")
    return str(path)


CADDY = ("validate", "--adapter", "caddyfile", "--config")
TOOLS: Mapping[str, Callable[[Path], Sequence[str]]] = {
    "systemd-analyze verify": lambda folder: ["verify", str(systemd_unit(folder))],
    "systemd-analyze security": lambda folder: [
        "security",
        "--offline=yes",
        "--threshold=20",
        str(systemd_unit(folder)),
    ],
    "hadolint": lambda _folder: [str(DEPLOY / "Dockerfile")],
    "caddy": lambda _folder: [*CADDY, str(DEPLOY / "Caddyfile")],
    "nginx": lambda folder: nginx_test(read_deploy_file("nginx.conf"), folder),
    "zizmor": lambda _folder: ["--offline", "--no-progress", str(DEPLOY / "release.yaml")],
    "kubernetes-validate": lambda _folder: ["--strict", "-k", "1.32", str(DEPLOY / "kubernetes.yaml")],
}
"""Command-line arguments by tool, with the subcommand in the name if a tool is used twice."""


def run_tool(name: str, arguments: Sequence[str], folder: Path) -> None:
    environ = {"PATH": os.environ["PATH"], "DOMAIN": "bot.example.org", "HOME": str(folder)}
    command = [find_program(name), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environ, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("tool", TOOLS)
def test_deploy_file_passes_its_validator(tmp_path: Path, tool: str) -> None:
    run_tool(tool.partition(" ")[0], TOOLS[tool](tmp_path), tmp_path)


PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
"""Language and lines of each code block of the page."""
READERS: Mapping[str, Callable[[str, Path], tuple[str, Sequence[str]]]] = {
    "sh": lambda lines, folder: ("bash", ["-n", write_file(lines, folder / "lines.sh")]),
    "caddyfile": lambda lines, folder: ("caddy", [*CADDY, write_file(lines, folder / "Caddyfile")]),
    "prometheus": lambda lines, folder: (
        "promtool",
        ["check", "config", "--syntax-only", write_file(lines, folder / "prometheus.yaml")],
    ),
}
"""The program that checks code blocks of a language, and its arguments. Other tests run the SQL."""


def test_every_code_block_of_operations_has_tested_language() -> None:
    assert {language for language, _ in BLOCKS} <= {*READERS, "sql", "postgresql"}


@pytest.mark.parametrize("number", [number for number, block in enumerate(BLOCKS) if block[0] in READERS])
def test_code_block_of_operations_is_accepted_by_its_program(tmp_path: Path, number: int) -> None:
    language, lines = BLOCKS[number]
    run_tool(*READERS[language](lines, tmp_path), tmp_path)


def test_alert_rules_pass_their_tests(tmp_path: Path) -> None:
    run_tool("promtool", ["check", "rules", str(DEPLOY / "keepsake.rules.yaml")], tmp_path)
    run_tool("promtool", ["test", "rules", str(ROOT / "tests" / "house" / "alerts.test.yaml")], tmp_path)


def test_dashboard_and_alert_queries_use_existing_metrics(tmp_path: Path) -> None:
    import bot  # noqa: F401 - every metric is declared once the program is loaded

    panels: list[Json] = json.loads(read_deploy_file("grafana.json"))["panels"]
    queries = [target["expr"] for panel in panels for target in panel["targets"]]
    page = generate_latest(REGISTRY).decode()
    scraped = {line.split()[2]: line.split()[3] for line in page.splitlines() if line.startswith("# TYPE")}
    ends = {"histogram": ("_bucket", "_count", "_sum")}
    known = {f"{name}{end}" for name, kind in scraped.items() for end in ends.get(kind, ("",))}
    asked = re.findall(r"\b(?:keepsake|process)_\w+", "\n".join([*queries, read_deploy_file("keepsake.rules.yaml")]))
    assert {*asked} <= known
    shown = {re.sub("_(bucket|count|sum)$", "", name) for name in asked}
    assert {name for name in scraped if name.startswith("keepsake_")} == {
        name for name in shown if name.startswith("k")
    }
    rules = [{"record": "is:parsed", "expr": query.replace("$__rate_interval", "5m")} for query in queries]
    groups = [{"name": str(number), "rules": [rule]} for number, rule in enumerate(rules)]
    run_tool(
        "promtool",
        ["check", "rules", "--lint=none", write_file(yaml.dump({"groups": groups}), tmp_path / "queries")],
        tmp_path,
    )
