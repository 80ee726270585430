"""Nothing leaves our own server, and no page breaks its content security policy."""

from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from annotator.models import Assignment
from tests.browser.scene import press, select, sign_in, wait_for_another, wait_until_stored

pytestmark = [pytest.mark.browser, pytest.mark.slow]
LISTEN = """document.addEventListener("securitypolicyviolation", (event) => {
  console.error(`policy: ${event.effectiveDirective} ${event.blockedURI}`);
});"""


@pytest.fixture
def violations(page: Page) -> list[str]:
    found: list[str] = []
    page.add_init_script(LISTEN)
    page.on("console", lambda line: found.append(line.text) if line.type == "error" else None)
    page.on("pageerror", lambda error: found.append(str(error)))
    return found


@pytest.fixture
def asked(page: Page) -> list[str]:
    """Every address that the browser asks for."""
    addresses: list[str] = []
    page.on("request", lambda request: addresses.append(request.url))
    return addresses


def rate_with_everything(page: Page) -> None:
    """Rate a candidate, using whatever sends or loads something."""
    here = page.url
    press(page, "?", "Escape", "b")
    expect(page.locator("#exemplars .lesson")).to_be_visible()
    press(page, "Escape", "d", "a", "m")
    page.wait_for_selector("#panes:not(.is-aligned, .shows-diff, .shows-marks)")
    select(page, "candidate", "with a seal")
    press(page, "e", "v", "Enter")
    expect(page.locator("#tags .chip")).to_be_visible()
    press(page, "Escape", "6", "5", "u", "7", "8", "9", "c", "x", "Escape")
    wait_until_stored(page)
    press(page, "Control+Enter")
    wait_for_another(page, here)


def test_a_whole_journey_stays_on_its_origin_and_within_its_policy(
    cast: Any,
    work: list[Assignment],
    site: str,
    page: Page,
    violations: list[str],
    asked: list[str],
) -> None:
    page.goto(f"{site}/")
    sign_in(page, "alice")
    page.wait_for_url(f"{site}/")
    press(page, "n")
    wait_for_another(page, "")
    rate_with_everything(page)
    press(page, "s", "Enter")
    page.get_by_label("Reason").select_option("not-now")
    page.get_by_role("button", name="Skip the candidate").click()
    expect(page.get_by_text("is skipped.")).to_be_visible()
    for address in ("/", "/rated/", "/rubric/", "/keys/"):
        page.goto(site + address)
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/login/**")
    assert violations == []
    assert {urlsplit(address)[:2] for address in asked} == {urlsplit(site)[:2]}


def test_the_policy_refuses_what_a_claim_text_might_smuggle_in(
    scene: Page, violations: list[str], asked: list[str]
) -> None:
    scene.reload()
    scene.evaluate(
        "() => { document.body.insertAdjacentHTML('beforeend',"
        ' \'<p style="color: red">x</p><img src="https://elsewhere.invalid/x.png">\'); }'
    )
    scene.wait_for_function("document.images[0]?.complete")
    assert [line for line in violations if "style-src" in line]
    assert [line for line in violations if "img-src" in line and "elsewhere.invalid" in line]


def test_a_planted_hx_on_is_refused_and_reported(scene: Page, violations: list[str]) -> None:
    scene.reload()
    # Later, as what a debugger runs itself may evaluate strings under any policy.
    scene.evaluate(
        """() => setTimeout(() => {
          document.body.insertAdjacentHTML("beforeend",
            '<button id="planted" hx-on:click="document.title = 1">x</button>');
          htmx.process(document.getElementById("planted"));
          document.getElementById("planted").click();
          document.body.dataset.clicked = "yes";
        }, 0)"""
    )
    scene.wait_for_selector("body[data-clicked]")
    scene.wait_for_timeout(200)
    assert scene.title() != "1"
    assert [line for line in violations if "script-src" in line or "unsafe-eval" in line], (
        violations
    )
