"""When a test ends, nobody is served any more."""

import time
from threading import Event
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import wait_until_nobody_is_served

pytestmark = [pytest.mark.browser, pytest.mark.slow]
PATIENCE = 20


@pytest.fixture
def delay(live_server: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Have the test server sleep over what it is asked; show when that has begun and ended."""
    server = live_server.thread.httpd
    answer = server.get_app()

    def delay(seconds: float) -> tuple[Event, Event]:
        begun, ended = Event(), Event()

        def late(*asked: Any) -> Any:
            begun.set()
            time.sleep(seconds)
            try:
                return answer(*asked)
            finally:
                ended.set()

        monkeypatch.setattr(server, "application", late)
        return begun, ended

    return delay


def ask(page: Page) -> None:
    page.evaluate("() => void fetch(location.href, { keepalive: true })")


def test_what_a_closed_page_asked_is_answered(scene: Page, live_server: Any, delay: Any) -> None:
    begun, ended = delay(1)
    ask(scene)
    assert begun.wait(PATIENCE)
    scene.context.close()
    assert not ended.is_set()
    wait_until_nobody_is_served(live_server.thread)
    assert ended.is_set()


def test_who_is_served_too_long_is_named(scene: Page, live_server: Any, delay: Any) -> None:
    begun, _ = delay(2)
    ask(scene)
    assert begun.wait(PATIENCE)
    with pytest.raises(AssertionError, match="in late"):
        wait_until_nobody_is_served(live_server.thread, 0.2)
