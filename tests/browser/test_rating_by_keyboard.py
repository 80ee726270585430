"""The rating page by keyboard alone."""

import time

import pytest
from playwright.sync_api import Page, Route, expect

from annotator.models import Assignment, AssignmentStatus, Flag, Rating, ReadingPreference, User
from patclaimeval.rubric import CRITERIA
from tests.browser.scene import CANDIDATE, press, select, sign_in, wait_for_another

pytestmark = [pytest.mark.browser, pytest.mark.slow]
# Four scores, ten among them, and the submit button that then has the focus.
ONE_RATING = ("7", "5", "9", "t", "Enter")
MOST_KEYS = 6
LONGEST_WAIT = 30


def chosen(page: Page) -> list[str]:
    groups = page.locator("fieldset.scale").all()
    marked = [group.locator("input:checked") for group in groups]
    return [str(radio.input_value()) if radio.count() else "" for radio in marked]


def wait_for_routes(page: Page, held: list[Route], count: int) -> None:
    """Wait until so many requests are held, without touching the page."""
    deadline = time.monotonic() + LONGEST_WAIT
    while len(held) < count:
        assert time.monotonic() < deadline, f"{len(held)} of {count} requests were sent"
        page.wait_for_timeout(20)


def test_a_queue_is_rated_by_keyboard_alone_from_sign_in_to_the_last_submit(
    work: list[Assignment], site: str, page: Page, complaints: list[str]
) -> None:
    page.goto(f"{site}/")
    sign_in(page, "alice")
    expect(page.locator("[data-start]")).to_be_focused()
    press(page, "Enter")
    wait_for_another(page, "")
    assert len(ONE_RATING) <= MOST_KEYS
    press(page, "7", "5", "9", "t")
    expect(page.locator("#overall-quality")).to_have_text("7.82")
    expect(page.locator("#overall-band")).to_have_text("High.")
    press(page, "c")
    page.keyboard.type("0 and t are words here")
    here = page.url
    press(page, "Control+Enter")
    wait_for_another(page, here)
    for _ in work[2:]:
        here = page.url
        press(page, *ONE_RATING)
        wait_for_another(page, here)
    press(page, *ONE_RATING)
    expect(page.get_by_role("heading", level=1)).to_have_text("Queue")
    expect(page.get_by_text("No open candidate is assigned to you here.")).to_be_visible()
    ratings = Rating.objects.order_by("assignment__position")
    assert [list(rating.scores.values()) for rating in ratings] == [[7, 5, 9, 10]] * 3
    assert [rating.comment for rating in ratings] == ["0 and t are words here", "", ""]


def test_keys_move_between_criteria_and_correct_a_score(scene: Page) -> None:
    def focused() -> str:
        return str(scene.evaluate("document.activeElement.name"))

    assert focused() == CRITERIA[0]
    press(scene, "j")
    assert focused() == CRITERIA[1]
    press(scene, "ArrowDown")
    assert focused() == CRITERIA[2]
    press(scene, "k", "ArrowUp")
    assert focused() == CRITERIA[0]
    press(scene, "4", "k", "6")
    assert chosen(scene) == ["6", "", "", ""]
    sentence = "The majority is covered; minor features are left out."
    expect(scene.locator(".sentence:visible")).to_have_text([sentence])


def test_the_list_of_keys_opens_and_closes_and_takes_no_scores(scene: Page) -> None:
    press(scene, "?")
    expect(scene.get_by_role("dialog", name="Keys")).to_be_visible()
    press(scene, "7", "Escape")
    expect(scene.locator("#keys")).to_be_hidden()
    assert chosen(scene) == [""] * 4


def test_the_keys_of_a_person_take_the_place_of_the_defaults(scene: Page) -> None:
    address = scene.url
    press(scene, "?", "Tab", "Tab", "Enter")
    scene.wait_for_url("**/keys/**")
    scene.get_by_label("Give the score ten").fill("x")
    press(scene, "Enter")
    scene.wait_for_url(address)
    scene.wait_for_selector(".fold")
    press(scene, "t", "-")
    assert chosen(scene) == ["", "", "", ""]
    press(scene, "x")
    assert chosen(scene) == ["10", "", "", ""]
    expect(scene.locator("#keys dt", has_text="x")).to_have_count(1)


def test_with_single_keys_off_digits_still_give_scores(scene: Page, alice: User) -> None:
    ReadingPreference.objects.create(user=alice, single_keys=False)
    scene.reload()
    scene.wait_for_selector(".fold")
    press(scene, "t", "a", "?", "n", "8", "Control+Enter")
    expect(scene.locator(".scale.field-wrong")).to_have_count(3)
    assert chosen(scene) == ["8", "", "", ""]
    assert scene.locator("#keys[open]").count() == 0


def test_undo_takes_back_scores_tags_and_text_in_their_order(scene: Page) -> None:
    press(scene, "3", "4", "e", "v", "Enter")
    expect(scene.locator("#tags .chip")).to_have_count(1)
    press(scene, "Escape", "c", "x", "y", "Escape", "u")
    expect(scene.get_by_label("Comment")).to_have_value("")
    press(scene, "u")
    expect(scene.locator("#tags .chip")).to_have_count(0)
    assert chosen(scene) == ["3", "4", "", ""]
    press(scene, "u", "u")
    assert chosen(scene) == ["", "", "", ""]
    expect(scene.locator("[data-action=undo]")).to_be_disabled()


def test_after_an_undo_the_focus_is_on_what_was_undone(scene: Page) -> None:
    focused = "document.activeElement.name"
    press(scene, "3", "4", "u")
    assert scene.evaluate(focused) == CRITERIA[1]
    press(scene, "5", "6")
    assert chosen(scene) == ["3", "5", "6", ""]
    press(scene, "k", "k", "8", "u")
    assert scene.evaluate(focused) == CRITERIA[1]
    assert chosen(scene) == ["3", "5", "6", ""]


def test_after_an_undo_of_a_text_its_field_is_shown_and_keys_still_work(scene: Page) -> None:
    press(scene, "3", "c", "x", "Escape", "o", "y", "Escape", "u")
    assert scene.evaluate("document.activeElement.contains(document.querySelector('#id_note'))")
    press(scene, "u")
    assert scene.evaluate("document.activeElement.contains(document.querySelector('#id_comment'))")
    expect(scene.get_by_label("Comment")).to_have_value("")
    press(scene, "u", "7")
    assert chosen(scene) == ["7", "", "", ""]


def test_an_undo_while_the_server_answers_is_not_undone_by_the_answer(scene: Page) -> None:
    held: list[Route] = []
    is_held = False

    def hold(route: Route) -> None:
        if is_held:
            held.append(route)
        else:
            route.continue_()

    # Before the tag, whose own request shows that the browser has begun to ask us: the key that
    # follows at once on the order to ask can be quicker than the order.
    scene.route("**/tags/", hold)
    press(scene, "e", "v", "Enter")
    expect(scene.locator("#tags .chip")).to_have_count(1)
    press(scene, "Escape", "c", "x", "Escape")
    comment = scene.get_by_label("Comment")
    expect(comment).to_have_value("x")
    is_held = True
    press(scene, "u")
    wait_for_routes(scene, held, 1)
    expect(comment).to_have_value("")
    press(scene, "u")
    wait_for_routes(scene, held, 2)
    expect(scene.locator("[data-action=undo]")).to_be_disabled()
    is_held = False
    # The older question is answered last.
    for route in reversed(held):
        with scene.expect_response("**/tags/"):
            route.continue_()
    expect(scene.locator("#tags .chip")).to_have_count(0)
    press(scene, "5")
    expect(scene.locator("#tags .chip")).to_have_count(0)


def test_an_undo_while_the_body_of_an_answer_comes_in_is_not_undone_by_it(scene: Page) -> None:
    press(scene, "e", "v", "Enter")
    expect(scene.locator("#tags .chip")).to_have_count(1)
    press(scene, "Escape", "c", "x", "Escape")
    # Bodies are handed out when the test asks for them: the first one after the second undo.
    scene.evaluate(
        """() => {
          const text = Response.prototype.text;
          const held = [];
          const count = () => { document.body.dataset.held = held.length; };
          Response.prototype.text = function () {
            if (!this.url.endsWith("/tags/")) { return text.call(this); }
            return new Promise((give) => { held.push(() => give(text.call(this))); count(); });
          };
          window.handOut = () => { held.splice(0).forEach((give) => give()); count(); };
        }"""
    )
    body = scene.locator("body")
    press(scene, "u")
    expect(body).to_have_attribute("data-held", "1")
    press(scene, "u")
    expect(body).to_have_attribute("data-held", "2")
    scene.evaluate("() => window.handOut()")
    # The first answer is of before the second undo, so the server is asked again.
    expect(body).to_have_attribute("data-held", "1")
    scene.evaluate("() => window.handOut()")
    expect(scene.locator("#tags .chip")).to_have_count(0)


def test_a_tag_points_at_the_selected_text(scene: Page, work: list[Assignment]) -> None:
    # Before them: carriage returns, which a browser drops when it reads them raw, and a letter
    # that a script counts as two.
    for passage, letter in (("with a seal", "v"), ("wooden grip", "t")):
        press(scene, "d")
        scene.wait_for_selector(f"#panes{'.shows-diff' if letter == 't' else ':not(.shows-diff)'}")
        select(scene, "candidate", passage)
        press(scene, "e")
        expect(scene.locator("#tag-place")).to_contain_text(passage)
        press(scene, letter, "Enter")
        expect(scene.locator("#tags .chip q", has_text=passage)).to_be_visible()
        press(scene, "Escape")
    press(scene, "1", "2", "3", "4")
    here = scene.url
    press(scene, "Control+Enter")
    wait_for_another(scene, here)
    tags = Rating.objects.get().error_tags
    assert [CANDIDATE[tag["start"] : tag["end"]] for tag in tags] == ["with a seal", "wooden grip"]
    assert {tag["side"] for tag in tags} == {"candidate"}


def test_the_text_of_a_tag_is_shown_where_it_stands(scene: Page) -> None:
    select(scene, "candidate", "with a seal")
    press(scene, "e", "v", "Enter")
    expect(scene.locator("#tags .chip")).to_be_visible()
    shown = "[...CSS.highlights.get('tagged')].map(range => range.toString())"
    assert scene.evaluate(shown) == ["with a seal"]
    press(scene, "Escape", "a")
    scene.wait_for_selector(".columns")
    assert scene.evaluate(shown) == ["with a seal"]


def test_dependents_fold_and_differences_are_walked_through(scene: Page) -> None:
    press(scene, "f")
    expect(scene.locator(".is-folded")).to_have_count(5)
    assert scene.locator(".claim:not([data-dependent]).is-folded").count() == 0
    press(scene, "d")
    scene.wait_for_selector("#panes:not(.shows-diff)")
    expect(scene.locator(".is-folded")).to_have_count(5)
    press(scene, "f")
    expect(scene.locator(".is-folded")).to_have_count(0)

    def current() -> str:
        return scene.locator(".limitation.is-current").inner_text()

    press(scene, ".")
    first = current()
    press(scene, ".")
    assert current() != first
    press(scene, ",")
    assert current() == first


def test_reading_aids_are_remembered_and_recorded_on_the_rating(scene: Page, alice: User) -> None:
    # Faster than the server answers: none may be lost.
    press(scene, "d", "m", "a")
    scene.wait_for_selector("#panes:not(.is-aligned, .shows-diff, .shows-marks)")
    scene.reload()
    scene.wait_for_selector("#panes:not(.is-aligned, .shows-diff, .shows-marks) .fold")
    press(scene, "m")
    scene.wait_for_selector("#panes.shows-marks")
    here = scene.url
    press(scene, *ONE_RATING)
    wait_for_another(scene, here)
    assert Rating.objects.get().shown == {"aligned": False, "diff": False, "marks": True}
    row = ReadingPreference.objects.get(user=alice)
    assert (row.shows_aligned, row.shows_diff, row.shows_marks) == (False, False, True)


def test_a_candidate_is_skipped_by_keys_with_a_reason(scene: Page, work: list[Assignment]) -> None:
    here = scene.url
    press(scene, "s")
    expect(scene.get_by_role("button", name="Skip the candidate …")).to_be_focused()
    press(scene, "Escape")
    expect(scene.locator("#leave[open]")).to_have_count(0)
    press(scene, "1", "2", "3", "4", "s", "Enter")
    expect(scene.get_by_role("heading", name="Skip Candidate 1?")).to_be_visible()
    expect(scene.get_by_role("link", name="Keep it")).to_be_focused()
    scene.get_by_label("Reason").select_option("outside-field")
    scene.get_by_label("In your words").fill("no such field")
    # Enter in a field does nothing: a key alone gives nothing away.
    press(scene, "Enter")
    expect(scene.get_by_role("heading", name="Skip Candidate 1?")).to_be_visible()
    assert not work[0].departures.exists()
    press(scene, "Tab", "Tab", "Enter")
    wait_for_another(scene, here)
    departure = work[0].departures.get()
    assert (departure.kind, departure.reason_code) == ("skip", "outside-field")
    assert departure.reason == "no such field"
    assert not Rating.objects.exists()
    press(scene, "p")
    wait_for_another(scene, scene.url)
    assert chosen(scene) == ["1", "2", "3", "4"]


def test_a_skip_without_a_reason_changes_nothing(
    scene: Page, work: list[Assignment], complaints: list[str]
) -> None:
    here = scene.url
    press(scene, "1", "2", "3", "4", "s", "Enter")
    expect(scene.get_by_role("link", name="Keep it")).to_be_focused()
    scene.get_by_role("button", name="Skip the candidate").press("Enter")
    expect(scene.get_by_text("Choose a reason.")).to_be_visible()
    expect(scene.get_by_label("Reason")).to_be_focused()
    assert all("422" in line for line in complaints)
    complaints.clear()
    scene.get_by_role("link", name="Keep it").press("Enter")
    scene.wait_for_url(here)
    scene.wait_for_selector(".fold")
    assert chosen(scene) == ["1", "2", "3", "4"]
    press(scene, "Control+Enter")
    wait_for_another(scene, here)
    assert Rating.objects.get().assignment == work[0]


def test_a_recusal_by_keys_takes_the_whole_reference(scene: Page, work: list[Assignment]) -> None:
    rows = Assignment.objects.filter(pk__in=[row.pk for row in work])
    press(scene, "8", "7", "6", "r", "Enter")
    expect(scene.get_by_role("heading", name="Recuse yourself from")).to_be_visible()
    expect(scene.get_by_role("link", name="Keep them")).to_be_focused()
    press(scene, "Enter")
    expect(scene.locator("#rating-form")).to_be_visible()
    assert chosen(scene)[:3] == ["8", "7", "6"]
    assert set(rows.values_list("status")) == {(AssignmentStatus.OPEN,)}
    press(scene, "r", "Enter")
    scene.get_by_label("Reason").fill("my client")
    press(scene, "Enter")
    assert set(rows.values_list("status")) == {(AssignmentStatus.OPEN,)}
    press(scene, "Tab", "Tab", "Enter")
    expect(scene.get_by_text("You are recused from this reference")).to_be_visible()
    assert set(rows.values_list("status")) == {(AssignmentStatus.RECUSED,)}
    scene.get_by_role("link", name="Take it back").click()
    scene.get_by_role("button", name="Take it back").click()
    expect(scene.get_by_text("The recusal is undone")).to_be_visible()
    assert set(rows.values_list("status")) == {(AssignmentStatus.OPEN,)}


def test_a_candidate_is_left_for_later_by_keys_and_stays(
    scene: Page, work: list[Assignment]
) -> None:
    here = scene.url
    press(scene, "1", "2", "s", "Shift+Tab")
    expect(scene.get_by_role("button", name="Come back to it later")).to_be_focused()
    press(scene, "Enter")
    wait_for_another(scene, here)
    expect(scene.get_by_text("Candidate 1 stays yours, with what you typed.")).to_be_visible()
    work[0].refresh_from_db()
    assert work[0].status == AssignmentStatus.OPEN
    scene.goto(here)
    assert chosen(scene)[:2] == ["1", "2"]


def test_a_flag_by_keys_stays_on_the_page_with_what_is_typed(scene: Page) -> None:
    press(scene, "6", "!", "T", "Tab")
    scene.keyboard.type("cut off")
    press(scene, "Enter")
    expect(scene.get_by_text("flagged for the campaign's admin")).to_be_visible()
    assert chosen(scene) == ["6", "", "", ""]
    assert Flag.objects.get().reason == "cut off"


def test_examples_open_by_a_key_and_give_the_focus_back(scene: Page) -> None:
    press(scene, "j", "j", "b")
    expect(scene.locator("#exemplars .lesson h2")).to_contain_text("Terminology consistency")
    press(scene, "5")
    press(scene, "Escape")
    expect(scene.locator("#exemplars")).to_be_hidden()
    press(scene, "5")
    assert chosen(scene) == ["", "", "5", ""]


def test_next_and_previous_show_others(scene: Page, work: list[Assignment], site: str) -> None:
    addresses = [f"{site}/rate/{row.pk}/" for row in work]
    press(scene, "n")
    scene.wait_for_url(addresses[1])
    scene.wait_for_selector(".fold")
    press(scene, "p")
    scene.wait_for_url(addresses[0])
    scene.wait_for_selector(".fold")
    press(scene, "q")
    scene.wait_for_url(f"{site}/")
