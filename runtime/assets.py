"""A page's files as they go over the wire: packed once, under an address that changes with them, so that browsers
keep them. Does not know what is in them.
"""

import asyncio
import gzip
import hashlib
import mimetypes
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

MIN_PACKED = 1_000  # bytes from which an answer is packed
LEVEL = 5  # of gzip: beyond it the time grows faster than the size shrinks
FOR_A_YEAR = "public, max-age=31536000, immutable"


@dataclass(frozen=True, kw_only=True, slots=True)
class Asset:
    """One file. `compress_response`: as gzip has it."""

    media_type: str
    body: bytes
    packed: bytes


@cache
def read_assets(folder: Path) -> tuple[str, dict[str, Asset]]:
    """Return the version of a folder, and its files by their paths in it; index.html leads to this version of them."""
    files = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    bodies = {name: path.read_bytes() for name, path in files.items()}
    version = hashlib.sha256(b"".join(bodies.values())).hexdigest()[:12]
    bodies["index.html"] = bodies["index.html"].replace(b"./static/", f"./static/{version}/".encode())
    return version, {
        name: Asset(
            media_type=mimetypes.guess_type(name)[0] or "application/octet-stream",
            body=body,
            packed=gzip.compress(body, 9, mtime=0),
        )
        for name, body in bodies.items()
    }


def make_asset_response(folder: Path, request: Request, path: str) -> Response:
    """Return a file by "VERSION/path", which is kept, or by its path alone, which is asked for again."""
    version, assets = read_assets(folder)
    name = path.removeprefix(f"{version}/")
    asset = assets.get(name)
    if asset is None:
        return PlainTextResponse("There is no such file.", 404)
    headers = {"Vary": "Accept-Encoding", **({"Cache-Control": FOR_A_YEAR} if name != path else {})}
    if not _is_gzip_accepted(request):
        return Response(asset.body, media_type=asset.media_type, headers=headers)
    return Response(asset.packed, media_type=asset.media_type, headers={**headers, "Content-Encoding": "gzip"})


async def compress_response(request: Request, response: Response) -> Response:
    """Return an answer as the browser takes it; a stream stays as it is."""
    body = getattr(response, "body", b"")
    if len(body) < MIN_PACKED or not _is_gzip_accepted(request):
        return response
    response.body = await asyncio.to_thread(gzip.compress, bytes(body), LEVEL)
    response.headers["Content-Encoding"] = "gzip"
    response.headers["Content-Length"] = str(len(response.body))
    response.headers["Vary"] = "Accept-Encoding"
    return response


def _is_gzip_accepted(request: Request) -> bool:
    return "gzip" in request.headers.get("accept-encoding", "")
