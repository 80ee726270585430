"""The plan page in a real Chromium, by keyboard alone, with and without JavaScript."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotator.models import Assignment, Membership, User
from tests.browser.conftest import Seat
from tests.browser.scene import go_to

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def ada(cast: Any, transactional_db: None) -> User:
    for number in range(3):
        cast.reference(f"r{number}", 2)
    return cast.ada


@pytest.fixture(
    params=[
        pytest.param(True, marks=pytest.mark.exhaustive, id="scripts"),
        pytest.param(False, id="no scripts"),
    ]
)
def desk(request: Any, seat: Seat, ada: User) -> Page:
    """Ada at the plan page."""
    return seat(ada, "/campaigns/cups/plan/", java_script_enabled=request.param)


def test_a_plan_is_looked_at_and_given_out_by_keyboard(desk: Page) -> None:
    go_to(desk, desk.get_by_role("checkbox", name="bob"))
    desk.keyboard.press("Space")
    go_to(desk, desk.get_by_label("Seed:").first)
    desk.keyboard.press("ControlOrMeta+a")
    desk.keyboard.type("7")
    desk.keyboard.press("Enter")
    table = desk.get_by_role("table", name="What each annotator would be given")
    expect(table.get_by_role("row")).to_have_count(2)
    expect(table.get_by_role("rowheader")).to_have_text("alice")
    assert not Assignment.objects.exists()
    go_to(desk, desk.get_by_role("button", name="Make 6 assignments"))
    desk.keyboard.press("Enter")
    expect(desk.get_by_text("6 candidates are assigned by name.")).to_be_visible()
    assert set(Assignment.objects.values_list("annotator__username", flat=True)) == {"alice"}


def test_work_is_given_and_taken_back_by_keyboard(desk: Page) -> None:
    named = desk.get_by_role("region", name="Assign by name")
    go_to(desk, named.get_by_label("Annotator:"))
    desk.keyboard.type("bob")
    go_to(desk, named.get_by_label("Or by their ids"))
    desk.keyboard.type("r9")
    go_to(desk, named.get_by_role("button", name="Assign"))
    desk.keyboard.press("Enter")
    # The wrong field has the focus, what was typed stands in it.
    expect(named.get_by_text("has no reference of these ids: r9")).to_be_visible()
    expect(named.get_by_label("Or by their ids")).to_be_focused()
    desk.keyboard.press("ControlOrMeta+a")
    desk.keyboard.type("r1")
    go_to(desk, named.get_by_role("button", name="Assign"))
    desk.keyboard.press("Enter")
    expect(desk.get_by_text("bob is given 2 candidates.")).to_be_visible()
    withdraw = desk.get_by_role("region", name="Withdraw")
    go_to(desk, withdraw.get_by_label("Annotator:"))
    desk.keyboard.type("bob")
    go_to(desk, withdraw.get_by_label("Reason:"))
    desk.keyboard.type("on leave")
    desk.keyboard.press("Enter")
    expect(desk.get_by_role("link", name="Keep them there")).to_be_focused()
    desk.keyboard.press("Tab")
    desk.keyboard.press("Enter")
    expect(desk.get_by_text("2 candidates taken back from bob")).to_be_visible()
    assert set(Assignment.objects.values_list("status", flat=True)) == {"withdrawn"}


def test_a_quota_is_typed_in_its_row(desk: Page) -> None:
    go_to(desk, desk.get_by_label("Quota of alice", exact=True))
    desk.keyboard.type("40")
    desk.keyboard.press("Enter")
    expect(desk.get_by_text("alice has a quota of 40.")).to_be_visible()
    assert Membership.objects.get(user__username="alice").quota == 40
