"""The accounts of a site: deactivating asks first; the list folds on a telephone."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotator.models import Assignment, User
from tests.browser.axe import faults
from tests.browser.conftest import Seat
from tests.browser.scene import frame_overflow, go_to, press

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def users(seat: Seat, work: list[Assignment], transactional_db: None) -> Page:
    """A site admin at the list of accounts, on a telephone, while alice has three candidates."""
    boss = User.objects.create(username="boss", is_superuser=True)
    return seat(boss, "/users/", viewport={"width": 390, "height": 844})


def test_an_account_is_deactivated_by_keyboard_only_once_confirmed_and_comes_back(
    users: Page, alice: User
) -> None:
    go_to(users, users.get_by_role("button", name="Deactivate alice"))
    press(users, "Enter")
    expect(users.get_by_text("3 open candidates go back")).to_be_visible()
    expect(users.get_by_role("link", name="Leave the account active")).to_be_focused()
    assert faults(users) == []
    press(users, "Enter")
    expect(users.get_by_role("heading", name="Users")).to_be_visible()
    alice.refresh_from_db()
    assert alice.is_active
    go_to(users, users.get_by_role("button", name="Deactivate alice"))
    press(users, "Enter")
    expect(users.get_by_role("link", name="Leave the account active")).to_be_focused()
    press(users, "Tab", "Enter")
    expect(users.get_by_text("Candidates that went back: 3.")).to_be_visible()
    assert faults(users) == []
    go_to(users, users.get_by_role("button", name="Reactivate alice"))
    press(users, "Enter")
    expect(users.get_by_text("alice may sign in again with 3 candidates.")).to_be_visible()
    assert set(Assignment.objects.values_list("status", flat=True)) == {"open"}


def test_a_row_of_the_list_is_a_paragraph_on_a_telephone(users: Page) -> None:
    row: Any = users.get_by_role("row", name="alice")
    button = row.get_by_role("button", name="Deactivate alice").bounding_box()
    assert button is not None and button["x"] + button["width"] <= 390
    label = "getComputedStyle(document.querySelector('td.number'), '::before').content"
    assert "Sessions" in users.evaluate(label)
    assert frame_overflow(users)[0] == 0
    users.set_viewport_size({"width": 1280, "height": 800})
    assert users.evaluate(label) == "none"
