"""Join JavaScript modules into one script, so that a browser needs one request instead of twenty."""

import re
from collections.abc import Mapping
from graphlib import TopologicalSorter

# The forms that the page's modules use: one statement per line, at its beginning.
_IMPORT = re.compile(r'^import (\{[^}]*\}|\* as \w+) from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:function|class|const)) (\w+|\{[^}]*\})", re.MULTILINE)
_COMMENT_LINES = re.compile(r"^[ \t]*(?://[^\n]*|/\*(?:(?!\*/).)*\*/)[ \t]*\n", re.MULTILINE | re.DOTALL)


def strip_comments(source: str) -> str:
    """Remove the comments that have lines of their own from JavaScript or CSS."""
    return _COMMENT_LINES.sub("", source)


def bundle_modules(sources: Mapping[str, str], entry: str) -> dict[str, str]:
    """Return modules by name, with all that `entry` imports moved into `entry`.

    Each bundled module becomes a function, which keeps its names private, and an object of its exports. The other
    modules import these objects from `entry`, so that no module runs twice. `sources` has no suffixes in its names.
    """
    bundled = _list_modules(sources, entry)
    parts = [f"const ${name} = await (async () => {{\n{_make_body(sources[name])}}})();\n" for name in bundled]
    exports = ", ".join(f"${name}" for name in bundled)
    others = {name: _link_to_bundle(source, bundled, entry) for name, source in sources.items() if name not in bundled}
    return {**others, entry: f"{''.join(parts)}export {{ {exports} }};\n"}


def _list_modules(sources: Mapping[str, str], entry: str) -> list[str]:
    """Return a module and all that it imports, in the order in which they run."""
    imports: dict[str, list[str]] = {}
    missing = [entry]
    while missing:
        name = missing.pop()
        imports[name] = [imported for _, imported in _IMPORT.findall(sources[name])]
        missing += [imported for imported in imports[name] if imported not in imports]
    return list(TopologicalSorter(imports).static_order())


def _make_body(source: str) -> str:
    names = [name.strip("{} ") for _, name in _EXPORT.findall(source)]
    body = _EXPORT.sub(r"\1 \2", _IMPORT.sub(_make_assignment, source))
    return f"{body}return {{ {', '.join(names)} }};\n"


def _link_to_bundle(source: str, bundled: list[str], entry: str) -> str:
    used = sorted({name for _, name in _IMPORT.findall(source)} & set(bundled))
    linked = _IMPORT.sub(lambda found: _make_assignment(found) if found[2] in used else found[0], source)
    names = ", ".join(f"${name}" for name in used)
    return f'import {{ {names} }} from "./{entry}.js";\n{linked}' if used else linked


def _make_assignment(found: re.Match[str]) -> str:
    names = found[1].removeprefix("* as ").replace(" as ", ": ")
    return f"const {names} = ${found[2]};\n"
