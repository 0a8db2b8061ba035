"""Tests of the page's JavaScript modules, run by Node without a browser."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from runtime.assets import COMMENT_LINES, bundle_modules, read_assets
from tests.paths import ROOT
from tests.support.missing import skip_or_fail

STATIC = ROOT / "dashboard" / "static"


def evaluate_js(module: str, expression: str) -> Any:
    """Evaluate a JavaScript expression, in which `m` is the imported module, and return its value."""
    node = shutil.which("node")
    if node is None:
        skip_or_fail("Node runs the modules of the page.")
    source = f"import * as m from {json.dumps((STATIC / module).as_uri())};console.log(JSON.stringify({expression}))"
    command = [node, "--experimental-default-type=module", "--input-type=module", "-e", source]
    made = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert made.returncode == 0, made.stderr
    return json.loads(made.stdout)


def test_page_address_round_trips() -> None:
    address = evaluate_js("address.js", 'm.formatAddress("timeline", 12, { found: "a&b ü?", all: true, speaker: "" })')
    assert address == "#timeline/12?found=a%26b+%C3%BC%3F&all=1"
    parts = "(({ page, detail, query }) => [page, detail, query.get('found')])"
    assert evaluate_js("address.js", f"{parts}(m.parseAddress({json.dumps(address)}))") == ["timeline", "12", "a&b ü?"]
    assert evaluate_js("address.js", f'{parts}(m.parseAddress(""))') == ["", "", None]


def test_axis_merges_narrow_neighbours_until_zoomed_in() -> None:
    def summary(id_: int, first: str, last: str, sources: str = "[]") -> str:
        level = 2 if sources != "[]" else 1
        return (
            f'{{ id: {id_}, level: {level}, first_at: "{first}T00:00:00Z", last_at: "{last}T00:00:00Z", '
            f"source_ids: {sources} }}"
        )

    days = [("2024-01-01", "2024-01-02"), ("2024-01-02", "2024-01-03"), ("2025-12-30", "2025-12-31")]
    told = [summary(number, *day) for number, day in enumerate(days, 1)]
    every = f"[{', '.join(told)}, {summary(4, '2024-01-01', '2024-01-03', '[1, 2]')}]"
    ids = ".map(({ level, pieces }) => [level, pieces.map((piece) => piece.all.map((one) => one.id))])"
    assert evaluate_js("axis.js", f"m.groupByLevel({every}, m.findDomain({every}), 0.05){ids}") == [
        [2, [[4]]],
        [1, [[1, 2], [3]]],
    ]
    near = 'm.clampSpan([Date.parse("2024-01-01"), Date.parse("2024-01-03")], m.findDomain(all))'
    assert evaluate_js("axis.js", f"((all) => m.groupByLevel(all, {near}, 0.05){ids})({every})")[1] == [1, [[1], [2]]]
    assert sorted(evaluate_js("axis.js", f"[...m.findRelatives({every}, 1)]")) == [4]
    assert sorted(evaluate_js("axis.js", f"[...m.findRelatives({every}, 4)]")) == [1, 2]


def test_month_is_split_into_whole_weeks() -> None:
    weeks = evaluate_js("months.js", 'm.splitIntoWeeks("2024-02")')
    assert [len(week) for week in weeks] == [7] * 5
    assert (weeks[0][2:4], weeks[-1][3:5]) == ([None, "2024-02-01"], ["2024-02-29", None])
    assert evaluate_js("months.js", '[m.addMonths("2024-12", 1), m.addMonths("2024-01", -1)]') == ["2025-01", "2023-12"]


def test_main_bundle_has_no_static_imports(tmp_path: Path) -> None:
    """Every static import outside the bundle would cost a slow phone another round trip."""
    node = shutil.which("node")
    assets = read_assets(STATIC)
    modules = {name: text for name, text in assets.texts.items() if name.endswith(".js")}
    assert {"facts.js", "main.js", "past.js"} <= set(modules)
    for name, source in modules.items():
        imported = set(re.findall(r'^(?:import|export)[^"]*from "\./([\w.]+)"', source, re.MULTILINE))
        assert imported <= (set() if name == "main.js" else set(modules)), name
        assert not re.search(r"^\s*//", source, re.MULTILINE), name
        if node is not None:
            (tmp_path / f"{name}.mjs").write_text(source, encoding="utf-8")
            subprocess.run([node, "--check", tmp_path / f"{name}.mjs"], timeout=60, check=True)
    assert not any("<script src" in line for line in assets.texts["index.html"].splitlines())


def test_bundled_module_runs_once_when_imported_repeatedly(tmp_path: Path) -> None:
    sources = {
        "count": "/** @type {number} */ (globalThis).runs = 1 + (globalThis.runs ?? 0);\n// why\n"
        "export const at = () => `//${globalThis.runs}`;\nexport async function wait() { return 2; }\n/* end */\n",
        "base": 'import { at as first } from "./count.js";\nexport const { one, two } = { one: first(), two: 2 };\n',
        "lazy": 'import * as base from "./base.js";\nimport { at } from "./count.js";\n'
        'import { own } from "./own.js";\n'
        "console.log(JSON.stringify([base.one, base.two, at(), own]));\n",
        "own": 'export const own = "own";\n',
        "main": 'import { one } from "./base.js";\nimport { wait } from "./count.js";\n'
        "await wait();\nexport const at = one;\n",
    }
    node = shutil.which("node")
    if node is None:
        skip_or_fail("Node runs the modules of the page.")
    bundled = bundle_modules({name: COMMENT_LINES.sub("", source) for name, source in sources.items()}, "main")
    assert sorted(bundled) == ["lazy", "main", "own"]
    for name, source in bundled.items():
        (tmp_path / f"{name}.js").write_text(source, encoding="utf-8")
    (tmp_path / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    made = subprocess.run([node, tmp_path / "lazy.js"], capture_output=True, text=True, timeout=60, check=False)
    assert made.stdout == '["//1",2,"//1","own"]\n', made.stderr
