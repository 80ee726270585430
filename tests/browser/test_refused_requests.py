"""A request of a page's script that fails is shown, and nothing that was typed is lost (HX04)."""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from annotator.comparisons.services import assign_comparisons
from annotator.models import Preference, Rating
from patclaimeval.rubric import ALL_CRITERIA
from tests.browser.axe import faults
from tests.browser.scene import press, wait_for_another
from tests.guards.blindness.states import furnish

pytestmark = [pytest.mark.browser, pytest.mark.slow]

OFFLINE = 0
CODES = (400, 403, 404, 413, 429, 500, 503, 507, OFFLINE)
TYPED = "what I typed"
TAG = "add vagueness"


def failing(code: int, method: str = "POST") -> Callable[[Route], None]:
    """Return a server that refuses, with a page that is none of ours, or does not answer.

    The page asks itself for a new token after a 403; that request is not what fails.
    """

    def answer(route: Route) -> None:
        if route.request.method != method:
            route.continue_()
        elif code == OFFLINE:
            route.abort()
        else:
            route.fulfill(status=code, body="<main>no</main>")

    return answer


def set_score(page: Page, number: int) -> None:
    page.locator("fieldset.scale").first.locator(f"input[value='{number % 10}']").check()


# What is done, which request that makes, and where the page shows that it failed.
ACTS: dict[str, tuple[Callable[[Page, int], Any], str, str]] = {
    "a score": (set_score, "**/overall/", "#problem"),
    "a draft": (
        lambda page, number: page.get_by_label("Note").fill(f"note {number}"),
        "**/draft/",
        "#draft-state",
    ),
    "a tag": (
        lambda page, number: page.get_by_role("button", name="Add", exact=True).click(),
        "**/tags/",
        "#problem",
    ),
    "an aid": (lambda page, number: page.keyboard.press("d"), "**/reading/", "#problem"),
    "examples": (lambda page, number: page.keyboard.press("b"), "**/rubric/*/", "#problem"),
    "a submit": (
        lambda page, number: page.keyboard.press("Control+Enter"),
        "**/rate/*/",
        "#problem",
    ),
}


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(act, marks=() if act in {"a draft", "a submit"} else pytest.mark.exhaustive)
        for act in ACTS
    ],
)
def test_a_failed_request_is_shown_and_all_that_was_typed_stays(scene: Page, act: str) -> None:
    do, address, place = ACTS[act]
    here = scene.url
    press(scene, "1", "2", "3", "4")
    scene.get_by_label("Comment").fill(TYPED)
    scene.get_by_label("Error tag").select_option(TAG)
    expect(scene.locator("#draft-state")).to_contain_text("Draft saved")
    for number, code in enumerate(CODES):
        scene.evaluate("id => { document.querySelector(id).textContent = ''; }", place)
        scene.route(address, failing(code, "GET" if act == "examples" else "POST"))
        scene.evaluate("document.querySelector('fieldset.scale input:checked').focus()")
        do(scene, number)
        message = scene.locator(place)
        expect(message).to_contain_text("ot saved" if act == "a draft" else "gain")
        expect(message).to_be_visible()
        scene.unroute(address)
        assert scene.url == here
        expect(scene.get_by_label("Comment")).to_have_value(TYPED)
        expect(scene.get_by_label("Error tag")).to_have_value(TAG)
        assert scene.locator("fieldset.scale input:checked").count() == 4
        assert not Rating.objects.exists()
    # The same once more, with a server that answers.
    press(scene, "Escape")
    scene.evaluate("document.querySelector('fieldset.scale input:checked').focus()")
    press(scene, "Control+Enter")
    wait_for_another(scene, here)
    assert Rating.objects.get().comment == TYPED


def test_a_failed_request_says_whether_the_server_was_reached(scene: Page) -> None:
    scene.get_by_label("Comment").fill(TYPED)
    messages = {500: "answered 500", 403: "did not accept", OFFLINE: "cannot be reached"}
    for number, (code, message) in enumerate(messages.items()):
        scene.route("**/overall/", failing(code))
        set_score(scene, number)
        expect(scene.locator("#problem")).to_contain_text(message)
        scene.unroute("**/overall/")
    expect(scene.get_by_label("Comment")).to_have_value(TYPED)
    expect(scene.locator("#overall-quality")).to_be_visible()


@pytest.mark.parametrize(
    "code", [500, *(pytest.param(code, marks=pytest.mark.exhaustive) for code in (403, OFFLINE))]
)
def test_the_message_about_a_submit_outlasts_an_older_failure(scene: Page, code: int) -> None:
    held: list[Route] = []
    scene.route("**/overall/", lambda route: held.append(route))
    press(scene, "1", "2", "3", "4")
    scene.route(scene.url, failing(OFFLINE))
    press(scene, "Control+Enter")
    message = scene.locator("#problem")
    expect(message).to_contain_text("nothing is lost")
    with scene.expect_event(
        "requestfailed" if code == OFFLINE else "requestfinished",
        lambda request: "/overall/" in request.url,
    ):
        failing(code)(held[-1])
    # The page has noticed it once what it does next has been done.
    scene.evaluate("new Promise(done => setTimeout(done, 100))")
    expect(message).to_contain_text("nothing is lost")
    # A request that sets out now, and fails, is news.
    scene.unroute("**/overall/")
    scene.route("**/overall/", failing(500))
    set_score(scene, 9)
    expect(message).to_contain_text("answered 500")


def test_a_comparison_that_fails_stays_on_the_page(
    cast, alice, enter, site: str, page: Page
) -> None:
    pairs = list(combinations(cast.reference().candidates.all(), 2))
    row = assign_comparisons(campaign=cast.campaign, annotator=alice, pairs=pairs[:1])[0]
    enter(page.context, alice)
    page.goto(f"{site}/compare/{row.pk}/")
    expect(page.get_by_role("button", name="Keys")).to_be_visible()
    press(page, *(["1"] * len(ALL_CRITERIA)))
    page.get_by_label("Comment").fill(TYPED)
    here = page.url
    for code in CODES:
        page.route(here, failing(code))
        page.evaluate("document.getElementById('problem').textContent = ''")
        press(page, "Control+Enter")
        expect(page.locator("#problem")).to_contain_text("gain in a")
        page.unroute(here)
        assert page.url == here
        expect(page.get_by_label("Comment")).to_have_value(TYPED)
        assert page.locator("input[type=radio]:checked").count() == len(ALL_CRITERIA)
    press(page, "Control+Enter")
    page.wait_for_url(f"{site}/")
    assert Preference.objects.get().comment == TYPED


SPOIL = (
    "() => document.querySelectorAll('[name=csrfmiddlewaretoken]').forEach(one => one.value = 'x')"
)


def test_a_ruling_of_an_old_page_is_sent_again(
    transactional_db, settings, tmp_path, enter, site: str, page: Page
) -> None:
    settings.DATA_DIR = tmp_path
    scenario = furnish("zqhere", "taken")
    enter(page.context, scenario.people["adjudicator"])
    page.goto(f"{site}/adjudication/{scenario.conflict.pk}/")
    page.get_by_label("Mean").check()
    page.locator("#id_reason").fill(TYPED)
    page.locator("#id_password").fill("a secret of mine")
    page.evaluate(SPOIL)
    page.get_by_role("button", name="Sign the ruling").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("The form was not accepted")
    assert "a secret of mine" not in page.content()
    assert faults(page) == []
    page.get_by_role("button", name="Send it again").click()
    expect(page.locator("#id_reason")).to_have_value(TYPED)
    expect(page.get_by_label("Mean")).to_be_checked()
    expect(page.get_by_text("is your signature")).to_be_visible()
