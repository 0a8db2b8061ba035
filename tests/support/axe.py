"""Accessibility checks with axe-core in the tests' browser."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from playwright.async_api import Page

from tests.support.missing import skip_or_fail

GRAVE = ("serious", "critical")


@cache
def _script() -> str:
    try:
        return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
    except (ModuleNotFoundError, FileNotFoundError):
        skip_or_fail("Pages are looked at by axe-core, which axe-playwright-python brings along.")


async def find_serious_violations(page: Page, rules: Sequence[str] = ()) -> list[str]:
    """Return the serious violations that axe-core finds in the page, without its frames. `rules`: check only these."""
    script = _script()
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(script)
    # Colours that are fading in are not those that people read.
    await page.evaluate("Promise.all(document.getAnimations().map(one => one.finished.catch(() => null)))")
    only = {"runOnly": list(rules)} if rules else {}
    options = {"resultTypes": ["violations"], "iframes": False, **only}
    result: dict[str, Any] = await page.evaluate("options => axe.run(document, options)", options)
    return [
        f"{page.url}: {violation['id']} ({violation['impact']}): {node['html'][:200]}: {node['failureSummary']}"
        for violation in result["violations"]
        if violation["impact"] in GRAVE
        for node in violation["nodes"]
    ]
