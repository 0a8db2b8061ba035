"""Serve a page's static files at URLs that change with their content, so that browsers may cache them."""

import asyncio
import gzip
import hashlib
import mimetypes
import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

MIN_COMPRESSED_BYTES = 1_000  # smaller responses are sent as they are
# The forms that the page's modules use: one statement per line, at its beginning.
_IMPORT = re.compile(r'^import (\{[^}]*\}|\* as \w+) from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:function|class|const)) (\w+|\{[^}]*\})", re.MULTILINE)
COMMENT_LINES = re.compile(r"^[ \t]*(?://[^\n]*|/\*(?:(?!\*/).)*\*/)[ \t]*\n", re.MULTILINE | re.DOTALL)
_CLASSIC_SCRIPT = re.compile(r'<script src="\./static/([\w.]+)"></script>')


@dataclass(frozen=True, kw_only=True, slots=True)
class Assets:
    """The static files of a page, and the version in their URLs."""

    texts: dict[str, str]  # by file name
    version: str  # a hash of all files
    script_sources: str  # the page's inline scripts, for its content security policy


@cache
def read_assets(folder: Path) -> Assets:
    """Return the files of a folder, ready to serve.

    To save requests, main.js is bundled with its imports, and scripts that are not modules are inlined in index.html.
    Links in index.html contain a version, which is a hash of all files.
    """
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.iterdir())}
    version = hashlib.sha256("".join(texts.values()).encode()).hexdigest()[:12]
    page = texts.pop("index.html")
    texts |= {name: COMMENT_LINES.sub("", text) for name, text in texts.items() if name.endswith((".js", ".css"))}
    scripts = {name: texts.pop(name) for name in _CLASSIC_SCRIPT.findall(page)}
    page = _CLASSIC_SCRIPT.sub(lambda found: f"<script>{scripts[found[1]]}</script>", page)
    modules = {name.removesuffix(".js"): texts.pop(name) for name in [*texts] if name.endswith(".js")}
    bundled = {f"{name}.js": source for name, source in bundle_modules(modules, "main").items()}
    texts |= {"index.html": page.replace("./static/", f"./static/{version}/"), **bundled}
    digests = [b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts.values()]
    return Assets(texts=texts, version=version, script_sources=" ".join(f"'sha256-{digest}'" for digest in digests))


async def make_asset_response(folder: Path, request: Request, path: str) -> Response:
    """Return the file at `path`, or a 404 response. Paths that begin with the version are cached for a year."""
    assets = read_assets(folder)
    name = path.removeprefix(f"{assets.version}/")
    if name not in assets.texts:
        return PlainTextResponse("There is no such file.", 404)
    headers = {"Vary": "Accept-Encoding"}
    if name != path:
        headers["Cache-Control"] = "public, max-age=31536000, immutable"
    response = Response(assets.texts[name], media_type=mimetypes.guess_type(name)[0], headers=headers)
    return await compress_response_if_accepted(request, response, level=9)


async def compress_response_if_accepted(request: Request, response: Response, *, level: int = 5) -> Response:
    """Return the response, gzipped if it is large and the browser accepts that. Leave streams unchanged.

    Beyond level 5, the time grows faster than the size shrinks.
    """
    body = getattr(response, "body", b"")
    if len(body) < MIN_COMPRESSED_BYTES or "gzip" not in request.headers.get("accept-encoding", ""):
        return response
    compressed = await asyncio.to_thread(gzip.compress, bytes(body), level)
    headers = {**response.headers, "content-encoding": "gzip", "vary": "Accept-Encoding"}
    del headers["content-length"]
    return Response(compressed, response.status_code, headers)


def bundle_modules(sources: Mapping[str, str], entry_module: str) -> dict[str, str]:
    """Return all module sources by name, with `entry_module` bundled together with the modules that it imports.

    Each bundled module becomes a function that keeps its names private and returns an object of its exports. The other
    modules import these objects from `entry_module`, so that no module runs twice.
    """
    bundle = _list_dependencies_in_order(sources, entry_module)
    parts = [
        f"const ${name} = await (async () => {{\n{_convert_module_to_function_body(sources[name])}}})();\n"
        for name in bundle
    ]
    exports = ", ".join(f"${name}" for name in bundle)
    others = {
        name: _rewrite_imports(source, bundle, entry_module) for name, source in sources.items() if name not in bundle
    }
    return {**others, entry_module: f"{''.join(parts)}export {{ {exports} }};\n"}


def _list_dependencies_in_order(sources: Mapping[str, str], entry_module: str) -> list[str]:
    imports: dict[str, list[str]] = {}
    missing = [entry_module]
    while missing:
        name = missing.pop()
        imports[name] = [imported for _, imported in _IMPORT.findall(sources[name])]
        missing += [imported for imported in imports[name] if imported not in imports]
    return list(TopologicalSorter(imports).static_order())


def _convert_module_to_function_body(module_source: str) -> str:
    names = [name.strip("{} ") for _, name in _EXPORT.findall(module_source)]
    body = _EXPORT.sub(r"\1 \2", _IMPORT.sub(_convert_import_to_assignment, module_source))
    return f"{body}return {{ {', '.join(names)} }};\n"


def _rewrite_imports(source: str, bundled_names: list[str], entry_module: str) -> str:
    used = sorted({name for _, name in _IMPORT.findall(source)} & set(bundled_names))
    linked = _IMPORT.sub(lambda found: _convert_import_to_assignment(found) if found[2] in used else found[0], source)
    names = ", ".join(f"${name}" for name in used)
    return f'import {{ {names} }} from "./{entry_module}.js";\n{linked}' if used else linked


def _convert_import_to_assignment(import_match: re.Match[str]) -> str:
    names = import_match[1].removeprefix("* as ").replace(" as ", ": ")
    return f"const {names} = ${import_match[2]};\n"
