"""axe-core in a page of ours: what it finds, in light and in dark."""

from functools import cache
from importlib.resources import files
from typing import Final

from playwright.sync_api import Page

RULES: Final = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
# In the dark only colours differ.
DARK_RULES: Final = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
FIND = """async (options) => (await axe.run(document, options)).violations.flatMap(
  (rule) => rule.nodes.map((node) => `${rule.id} at ${node.target}: ${node.failureSummary}`))"""


@cache
def _source() -> str:
    return files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")


def faults(page: Page) -> list[str]:
    """Return what axe-core finds on the page as it stands.

    Given to the page through the debugger, so that the page's own policy stays as it is.
    """
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    if not page.evaluate("'axe' in window"):
        page.evaluate(_source())
    found = page.evaluate(FIND, {"runOnly": list(RULES), "resultTypes": ["violations"]})
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    found += [f"dark: {fault}" for fault in page.evaluate(FIND, {"runOnly": DARK_RULES})]
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    return [f"{page.url} {fault}" for fault in found]
