"""Real nginx and Caddy, with the files of deploy/ and without TLS, in front of servers on this machine."""

import asyncio
import os
import re
import shutil
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from tests.paths import ROOT
from tests.support.missing import skip_or_fail

DEPLOY = ROOT / "deploy"
PATIENCE = 60.0
NGINX = """
daemon off;
pid {folder}/nginx.pid;
error_log stderr;
{user}
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
{servers}
}}
"""


def find_program(name: str) -> str:
    """Return the path of a program, or end the test if there is none.

    Debian's program is preferred to one of a Python package.
    """
    path = os.pathsep.join(["/usr/sbin", "/usr/bin", os.environ["PATH"], str(Path(sys.executable).parent)])
    found = shutil.which(name, path=path)
    if found is None:
        skip_or_fail(f"There is no {name} here.")
    return found


def nginx_configuration(servers: str, folder: Path) -> Path:
    """Write a complete nginx configuration around these servers, and return its path.

    It is for a user who may write only in `folder`.
    """
    path = folder / "nginx.conf"
    user = "user root;" if os.getuid() == 0 else ""
    path.write_text(NGINX.format(folder=folder, servers=servers, user=user), encoding="utf-8")
    return path


def nginx_here(port: int, to: Mapping[int, int]) -> str:
    """Return deploy/nginx.conf for a port of this machine. `to` maps the bot's ports in that file to those here."""
    servers = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    servers = servers[servers.index("listen 443 ssl") :].replace("listen 443 ssl", f"listen 127.0.0.1:{port}")
    servers = re.sub(r"\n\tssl_.*|\n\tserver_name .*", "", servers)
    return "server {\n\t" + moved(servers, r"127\.0\.0\.1", to)


def caddy_here(port: int, to: Mapping[int, int]) -> str:
    """Return deploy/Caddyfile for a port of this machine, with one bot process instead of three."""
    config = re.sub(r"( bot-[23]:\d+)+", "", (DEPLOY / "Caddyfile").read_text(encoding="utf-8"))
    config = config.replace("health_port 8081", f"health_port {to[8081]}").replace(
        "{$DOMAIN}", f"http://127.0.0.1:{port}"
    )
    return "{\n\tadmin off\n}\n" + moved(config, "bot-1", to)


def moved(config: str, host: str, to: Mapping[int, int]) -> str:
    """Return the configuration with the bot's ports on this machine."""
    return re.sub(rf"{host}:({'|'.join(map(str, to))})", lambda found: f"127.0.0.1:{to[int(found[1])]}", config)


@asynccontextmanager
async def proxy(name: str, port: int, to: Mapping[int, int], folder: Path) -> AsyncIterator[None]:
    """Run a proxy, and enter the block once it listens."""
    if name == "nginx":
        path = nginx_configuration(nginx_here(port, to), folder)
        command = [find_program("nginx"), "-c", str(path), "-p", str(folder), "-e", "stderr"]
    else:
        path = folder / "Caddyfile"
        path.write_text(caddy_here(port, to), encoding="utf-8")
        command = [find_program("caddy"), "run", "--adapter", "caddyfile", "--config", str(path)]
    log = folder / "proxy.log"
    with log.open("wb") as stderr:
        process = await asyncio.create_subprocess_exec(
            *command, cwd=folder, stderr=stderr, env={"HOME": str(folder), "PATH": os.environ["PATH"]}
        )
    try:
        await _listens(port, process, log)
        yield
    finally:
        with suppress(ProcessLookupError):
            process.terminate()
        await process.wait()


async def _listens(port: int, process: asyncio.subprocess.Process, log: Path) -> None:
    async with asyncio.timeout(PATIENCE):
        while process.returncode is None:
            with suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.close()
                return
            await asyncio.sleep(0.02)  # another program's start tells nobody
    raise AssertionError(await asyncio.to_thread(log.read_text, "utf-8"))
