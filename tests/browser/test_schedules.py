"""A schedule switched on by keyboard, whose chain is followed on its page and stopped there."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from scoring.models import Chain, Schedule
from tests.browser.axe import faults
from tests.browser.conftest import Enter
from tests.browser.test_datasets import go
from tests.scoring.schedules.conftest import Loop, carry_out_jobs, make_loop, sweep_at_once

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def loop(transactional_db: None, settings: Any, tmp_path: Any) -> Loop:
    settings.DATA_DIR = tmp_path
    return make_loop()


def test_a_schedule_is_switched_on_and_its_chain_comes_by_itself_until_it_is_stopped(
    loop: Loop, enter: Enter, site: str, page: Page, complaints: list[str]
) -> None:
    enter(page.context, loop.rita)
    page.goto(f"{site}/schedules/")
    go(page, "trial", "link")
    number = page.get_by_role("spinbutton", name="Newly settled candidates")
    number.fill("0")
    go(page, "Switch on")
    expect(page.get_by_text("Ensure this value is greater than or equal to 1.")).to_be_visible()
    expect(number).to_be_focused()
    # The browser says that the form came back with 422.
    complaints.clear()
    page.keyboard.press("Control+A")
    page.keyboard.type("3")
    go(page, "Switch on")
    expect(page.get_by_text("Waiting for newly settled candidates: 0 of 3.")).to_be_visible()
    assert faults(page) == []
    assert Schedule.objects.get().after_settled == 3

    loop.rated.rate_all(range(12, 20))
    sweep_at_once()
    page.reload()
    expect(page.get_by_text("Freezing.")).to_be_visible()
    carry_out_jobs()
    sweep_at_once()
    expect(page.get_by_role("cell", name="training, 0 %: run")).to_be_visible()
    assert faults(page) == []
    go(page, "Stop the chain …")
    expect(page.get_by_role("heading", name="Stop this chain?")).to_be_visible()
    assert faults(page) == []
    go(page, "Stop the chain")
    expect(page.get_by_text("Stopped by hand.")).to_be_visible()
    assert Chain.objects.get().status == "stopped"
