"""What is typed outlives reloads, crashes, other tabs, a dead server and an ended session."""

import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserType, Error, Page, Route, expect

from annotator.models import Assignment, BrowserSession, Draft, Rating, User
from tests.browser.conftest import Enter
from tests.browser.scene import PASSWORD, press, wait_for_another, wait_until_stored
from tests.served.dying import DIE_AT, UNANSWERED
from tests.served.server import Server

pytestmark = [pytest.mark.browser, pytest.mark.slow]
SCORES = ("7", "5", "9", "t")


def type_comment(page: Page, text: str) -> None:
    press(page, "c")
    page.keyboard.type(text)
    press(page, "Escape")


def comment(page: Page) -> str:
    return str(page.get_by_label("Comment").input_value())


def stored_comment() -> str:
    return str(Draft.objects.get().typed["comment"])


def test_a_draft_is_acknowledged_and_there_after_a_reload(scene: Page) -> None:
    press(scene, "7", "5")
    type_comment(scene, "half a thought")
    wait_until_stored(scene)
    scene.reload()
    expect(scene.locator(".draft-note")).to_contain_text("not submitted yet")
    assert comment(scene) == "half a thought"
    assert scene.locator("input:checked").count() == 2
    scene.get_by_role("button", name="Discard the draft").click()
    expect(scene.get_by_text("2 scores, your comment")).to_be_visible()
    scene.get_by_role("button", name="Discard the draft").click()
    expect(scene.get_by_text("Draft discarded.")).to_be_visible()
    assert comment(scene) == ""
    assert not Draft.objects.exists()


def test_what_a_refused_page_shows_is_stored_as_a_draft(scene: Page) -> None:
    type_comment(scene, "three scores are missing")
    press(scene, "8", "Control+Enter")
    expect(scene.locator(".scale.field-wrong")).to_have_count(3)
    wait_until_stored(scene)
    scene.goto(scene.url)
    expect(scene.locator(".draft-note")).to_be_visible()
    assert comment(scene) == "three scores are missing"


@pytest.fixture
def doomed(
    browser_type: BrowserType, browser_type_launch_args: dict[str, Any]
) -> Iterator[Browser]:
    """A browser of its own: kill -9 takes all its pages along."""
    browser = browser_type.launch(**browser_type_launch_args)
    yield browser
    browser.close()


def kill(browser: Browser) -> None:
    answer = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")
    main = next(row["id"] for row in answer["processInfo"] if row["type"] == "browser")
    os.kill(main, signal.SIGKILL)
    with pytest.raises(Error):
        browser.contexts[0].pages[0].wait_for_selector("#never")
    assert not browser.is_connected()


def test_a_draft_outlives_a_killed_browser(
    alice: User, work: list[Assignment], enter: Enter, site: str, doomed: Browser, page: Page
) -> None:
    address = f"{site}/rate/{work[0].pk}/"
    context = doomed.new_context()
    enter(context, alice)
    before = context.new_page()
    before.goto(address)
    type_comment(before, "typed before the crash")
    wait_until_stored(before)
    kill(doomed)
    enter(page.context, alice)
    page.goto(address)
    assert comment(page) == "typed before the crash"


@pytest.fixture
def server(transactional_db: None) -> Iterator[Server]:
    """A server that can be killed. At the end it is: else its work would meet emptied tables."""
    made = Server()
    made.start()
    yield made
    made.kill()


@pytest.fixture
def served(server: Server, alice: User, work: list[Assignment], enter: Enter, page: Page) -> Page:
    enter(page.context, alice, server.url)
    page.goto(f"{server.url}/rate/{work[0].pk}/")
    page.wait_for_selector(".fold")
    return page


def test_typing_survives_a_dead_server_and_is_stored_later(server: Server, served: Page) -> None:
    type_comment(served, "before, ")
    wait_until_stored(served)
    server.kill()
    press(served, *SCORES)
    press(served, "c", "End")
    served.keyboard.type("meanwhile")
    expect(served.locator("#draft-state")).to_contain_text("Draft not saved")
    assert stored_comment() == "before, "
    server.start()
    wait_until_stored(served)
    assert stored_comment() == "before, meanwhile"
    here = served.url
    press(served, "Control+Enter")
    wait_for_another(served, here)
    rating = Rating.objects.get()
    assert (rating.comment, list(rating.scores.values())) == ("before, meanwhile", [7, 5, 9, 10])
    assert not Draft.objects.exists()


def test_a_submit_to_a_dead_server_works_once_it_is_back(server: Server, served: Page) -> None:
    press(served, *SCORES)
    type_comment(served, "all of it")
    server.kill()
    press(served, "Control+Enter")
    expect(served.get_by_role("alert").filter(visible=True)).to_contain_text("nothing is lost")
    assert comment(served) == "all of it"
    here = served.url
    server.start()
    press(served, "Control+Enter")
    wait_for_another(served, here)
    assert Rating.objects.get().comment == "all of it"


def test_an_answer_lost_on_the_way_leaves_one_rating(server: Server, served: Page) -> None:
    def lose_the_answer(route: Route) -> None:
        dies = {DIE_AT: UNANSWERED} if route.request.method == "POST" else {}
        route.continue_(headers=route.request.headers | dies)

    here = served.url
    press(served, *SCORES)
    wait_until_stored(served)
    served.route(here, lose_the_answer)
    press(served, "Control+Enter")
    expect(served.get_by_role("alert").filter(visible=True)).to_contain_text("nothing is lost")
    assert Rating.objects.count() == 1
    served.unroute(here)
    server.wait_until_it_answers()
    press(served, "Control+Enter")
    wait_for_another(served, here)
    assert Rating.objects.get().version == 1


@pytest.fixture
def other_tab(scene: Page) -> Page:
    """The same candidate in a second tab, opened before anything was typed in the first."""
    page = scene.context.new_page()
    page.goto(scene.url)
    page.wait_for_selector(".fold")
    return page


def clash(page: Page) -> Any:
    return page.locator("#draft-clash")


def make_a_clash(scene: Page, other_tab: Page) -> None:
    type_comment(scene, "from the first tab")
    wait_until_stored(scene)
    press(other_tab, "6")
    type_comment(other_tab, "from the second tab")
    expect(clash(other_tab)).to_contain_text("from the first tab")
    assert comment(other_tab) == "from the second tab"
    assert stored_comment() == "from the first tab"


def test_a_second_tab_shows_both_texts_and_may_keep_its_own(scene: Page, other_tab: Page) -> None:
    make_a_clash(scene, other_tab)
    clash(other_tab).get_by_role("button", name="Keep what is here").click()
    expect(clash(other_tab)).to_be_hidden()
    wait_until_stored(other_tab)
    assert stored_comment() == "from the second tab"
    # The first tab is the late one now.
    type_comment(scene, "!")
    expect(clash(scene)).to_contain_text("from the second tab")


def test_a_second_tab_may_take_what_is_there(scene: Page, other_tab: Page) -> None:
    make_a_clash(scene, other_tab)
    clash(other_tab).get_by_role("button", name="Take what is there").click()
    expect(clash(other_tab)).to_be_hidden()
    assert comment(other_tab) == "from the first tab"
    assert other_tab.locator("input:checked").count() == 0
    press(other_tab, "3")
    wait_until_stored(other_tab)
    stored = Draft.objects.get().typed
    assert (stored["comment"], stored["feature_completeness"]) == ("from the first tab", "3")


def test_scores_of_the_other_tab_are_taken_one_by_one(scene: Page, other_tab: Page) -> None:
    press(scene, "4", "t", "8")
    make_a_clash(scene, other_tab)
    clash(other_tab).get_by_role("button", name="Take what is there").click()
    expect(clash(other_tab)).to_be_hidden()
    chosen = "all => all.map(radio => [radio.name, radio.value])"
    taken = dict(other_tab.locator("input:checked").evaluate_all(chosen))
    assert taken == {name: Draft.objects.get().typed[name] for name in taken}
    assert list(taken.values()) == ["4", "10", "8"]


def test_a_second_tabs_submit_gets_everything_back(scene: Page, other_tab: Page) -> None:
    here = scene.url
    press(scene, *SCORES)
    type_comment(scene, "first")
    press(scene, "Control+Enter")
    wait_for_another(scene, here)
    press(other_tab, "1", "2", "3", "4")
    type_comment(other_tab, "second")
    press(other_tab, "Control+Enter")
    alert = other_tab.locator("form .message-error[role=alert]").filter(visible=True)
    expect(alert).to_contain_text("Everything you typed is still here.")
    expect(alert).to_contain_text("first")
    assert comment(other_tab) == "second"
    assert Rating.objects.get().comment == "first"
    other_tab.wait_for_selector(".fold")
    press(other_tab, "Control+Enter")
    wait_for_another(other_tab, here)
    rating = Rating.objects.get()
    assert (rating.comment, rating.version, list(rating.scores.values())) == (
        "second",
        2,
        [1, 2, 3, 4],
    )


def test_a_session_that_ends_while_typing_costs_nothing(scene: Page) -> None:
    here = scene.url
    type_comment(scene, "typed before, ")
    wait_until_stored(scene)
    BrowserSession.objects.all().delete()
    dialog = scene.get_by_role("dialog", name="Sign in again")
    with scene.expect_response(lambda answer: answer.status == 401):
        press(scene, "7", "c", "End")
        scene.keyboard.type("and ")
    # Refused, but in the middle of a sentence: the dialog waits for its end.
    scene.keyboard.type("after")
    expect(dialog).to_be_visible()
    # The dialog is all that is shown: nothing about another tab.
    expect(scene.locator("#problem")).to_be_hidden()
    scene.keyboard.type("wrong")
    press(scene, "Enter")
    expect(dialog.get_by_role("alert")).to_contain_text("not right")
    press(scene, "Escape")
    expect(dialog).to_be_visible()
    dialog.get_by_label("Password").fill(PASSWORD)
    press(scene, "Enter")
    expect(dialog).to_be_hidden()
    expect(scene.locator("[name=draft_version]")).to_have_value("2")
    assert stored_comment() == "typed before, and after"
    # What else was refused meanwhile is made up for, and no longer complained of.
    expect(scene.locator("#problem")).to_be_hidden()
    expect(scene.locator("#overall-band")).to_contain_text("3 of 4")
    press(scene, "Escape", "5", "9", "t", "Control+Enter")
    wait_for_another(scene, here)
    rating = Rating.objects.get()
    assert rating.comment == "typed before, and after"
    assert list(rating.scores.values()) == [7, 5, 9, 10]


def test_a_sign_in_in_another_tab_is_followed_quietly(scene: Page, other_tab: Page) -> None:
    other_tab.get_by_role("button", name="Sign out").click()
    other_tab.get_by_label("User name").fill("alice")
    other_tab.get_by_label("Password").fill(PASSWORD)
    press(other_tab, "Enter")
    other_tab.wait_for_selector("[data-start]")
    press(scene, "7")
    type_comment(scene, "from before the sign-in")
    wait_until_stored(scene)
    assert stored_comment() == "from before the sign-in"
    assert scene.locator("dialog[open]").count() == 0
    expect(scene.locator("#problem")).to_be_hidden()
    expect(scene.locator("#overall-band")).to_contain_text("3 of 4")
