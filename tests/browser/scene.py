"""Claim sets for the rating page in the browser tests, and what its pages are asked again."""

from playwright.sync_api import Locator, Page, expect

from annotator.models import Reference

PASSWORD = "a long enough phrase"

# A reference in the wording of an office, claims that depend on each other.
CLAIMS = (
    "1. A kettle comprising:\na body;\na spout joined to the body; and\na lid hinged to the body.\n"
    "2. The kettle of claim 1, wherein the lid has a knob.\n"
    "3. The kettle of claim 2, wherein the knob is made of wood.\n"
    "4. A method of boiling water, comprising filling the kettle of claim 1."
)
# What a generator might write: a feature lost, one added, another name, an unknown claim; with
# Windows line ends and, before the text that tests select, a letter outside the first plane.
CANDIDATE = (
    "1. A kettle comprising:\r\na body;\r\na spout joined to the body; and\r\n"
    "a \U0001d6fc-shaped lid with a seal.\r\n"
    "2. The kettle of claim 1, wherein the cover has a wooden grip.\r\n"
    "3. The kettle of claim 9, wherein the grip is made of wood."
)


def furnish(reference: Reference) -> None:
    """Put claims worth reading in the place of the short ones of the cast."""
    Reference.objects.filter(pk=reference.pk).update(claims=CLAIMS, title="Kettle with a lid")
    reference.candidates.update(claims=CANDIDATE)


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def go_to(page: Page, target: Locator) -> None:
    """Press Tab until the element has the focus."""
    for _ in range(80):
        if target.evaluate("node => node === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError("the keyboard does not reach it")


def frame_overflow(page: Page) -> tuple[int, int]:
    """Return by how many pixels the page itself, not a pane in it, can be scrolled."""
    across, down = page.evaluate(
        "() => { const page = document.scrollingElement;"
        " return [page.scrollWidth - innerWidth, page.scrollHeight - innerHeight]; }"
    )
    return max(across, 0), max(down, 0)


def sign_in(page: Page, username: str, password: str = PASSWORD) -> None:
    """Sign in on the page that asks for it, by keyboard, once it listens."""
    expect(page.get_by_label("User name")).to_be_focused()
    page.keyboard.type(username)
    press(page, "Tab")
    page.keyboard.type(password)
    press(page, "Enter")


def wait_until_stored(page: Page) -> None:
    expect(page.locator("#draft-state")).to_contain_text("Draft saved")


def wait_for_another(page: Page, here: str) -> None:
    """Wait for the rate page of another candidate, its scripts at work."""
    page.wait_for_url(lambda url: "/rate/" in url and url != here)
    page.wait_for_selector(".fold")


SELECT = """([side, text]) => {
  const range = new Range();
  for (const body of document.querySelectorAll(`.claim[data-side=${side}] .claim-text`)) {
    const nodes = [];
    const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) { nodes.push([walker.currentNode, nodes.length ? nodes.at(-1)[2] : 0,
      (nodes.length ? nodes.at(-1)[2] : 0) + walker.currentNode.data.length]); }
    const at = nodes.map(([node]) => node.data).join("").indexOf(text);
    if (at < 0) { continue; }
    const [first, from] = nodes.find(([, , end]) => end > at);
    const [last, start] = nodes.find(([, , end]) => end >= at + text.length);
    range.setStart(first, at - from);
    range.setEnd(last, at + text.length - start);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    return getSelection().toString();
  }
}"""


def select(page: Page, side: str, text: str) -> None:
    assert page.evaluate(SELECT, [side, text]) == text
