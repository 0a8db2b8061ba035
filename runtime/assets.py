"""Serve a page's static files, compressed once, at URLs that change with their content so that browsers cache them."""

import asyncio
import gzip
import hashlib
import mimetypes
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

MIN_COMPRESSED_BYTES = 1_000  # smaller responses are sent as they are


@dataclass(frozen=True, kw_only=True, slots=True)
class Asset:
    """A static file, plain and compressed with gzip."""

    media_type: str
    body: bytes
    compressed: bytes


@cache
def read_assets(folder: Path) -> tuple[str, dict[str, Asset]]:
    """Return a hash of a folder's content, and its files by path. index.html links to URLs with that hash."""
    files = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    bodies = {name: path.read_bytes() for name, path in files.items()}
    version = hashlib.sha256(b"".join(bodies.values())).hexdigest()[:12]
    bodies["index.html"] = bodies["index.html"].replace(b"./static/", f"./static/{version}/".encode())
    return version, {
        name: Asset(
            media_type=mimetypes.guess_type(name)[0] or "application/octet-stream",
            body=body,
            compressed=gzip.compress(body, 9, mtime=0),
        )
        for name, body in bodies.items()
    }


def make_asset_response(folder: Path, request: Request, path: str) -> Response:
    """Return a file by "VERSION/path", which browsers cache for a year, or by its path alone."""
    version, assets = read_assets(folder)
    name = path.removeprefix(f"{version}/")
    asset = assets.get(name)
    if asset is None:
        return PlainTextResponse("There is no such file.", 404)
    headers = {"Vary": "Accept-Encoding"}
    if name != path:
        headers["Cache-Control"] = "public, max-age=31536000, immutable"
    if not _is_gzip_accepted(request):
        return Response(asset.body, media_type=asset.media_type, headers=headers)
    return Response(asset.compressed, media_type=asset.media_type, headers={**headers, "Content-Encoding": "gzip"})


async def compress_response(request: Request, response: Response) -> Response:
    """Compress a response if the browser accepts gzip. Leave streams and small responses alone."""
    body = getattr(response, "body", b"")
    if len(body) < MIN_COMPRESSED_BYTES or not _is_gzip_accepted(request):
        return response
    # Beyond level 5, the time grows faster than the size shrinks.
    response.body = await asyncio.to_thread(gzip.compress, bytes(body), 5)
    response.headers["Content-Encoding"] = "gzip"
    response.headers["Content-Length"] = str(len(response.body))
    response.headers["Vary"] = "Accept-Encoding"
    return response


def _is_gzip_accepted(request: Request) -> bool:
    return "gzip" in request.headers.get("accept-encoding", "")
