"""Chromium, and a page that fails the test when the policy or a script complains."""

import os
import time
from collections.abc import Callable, Iterator
from threading import Lock
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.signals import request_finished, request_started
from django.test import Client
from playwright.sync_api import BrowserContext, Page, expect

from annotator.models import Assignment, User
from tests.browser.room import PASSWORD, furnish

ARGUMENTS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
)

# Playwright's loop runs in the thread of the test, where Django then refuses the database.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
# Long enough for a machine that does other work beside; what is there at once is not waited for.
expect.set_options(timeout=20_000)
QUIET_SECONDS = 0.15
LONGEST_DRAIN_SECONDS = 30


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    return browser_type_launch_args | {
        "executable_path": os.environ.get("CHROMIUM_PATH", "/usr/bin/chromium"),
        "args": ARGUMENTS.split(),
    }


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return browser_context_args | {"viewport": {"width": 1280, "height": 800}}


class Traffic:
    """How many requests the test server is busy with, and when the last one came or went."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._open = 0
        self._moved_at = time.monotonic()

    def begin(self, **_: Any) -> None:
        with self._lock:
            self._open += 1
            self._moved_at = time.monotonic()

    def end(self, **_: Any) -> None:
        with self._lock:
            self._open -= 1
            self._moved_at = time.monotonic()

    def is_quiet(self) -> bool:
        with self._lock:
            return self._open <= 0 and time.monotonic() - self._moved_at > QUIET_SECONDS


@pytest.fixture(autouse=True)
def drained(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let the server finish what the closed page still sent, before its tables are emptied.

    A page keeps its draft when it is left; such a request would meet the flush of the database.
    """
    if "live_server" not in request.fixturenames:
        yield
        return
    request.getfixturevalue("transactional_db")
    traffic = Traffic()
    request_started.connect(traffic.begin)
    request_finished.connect(traffic.end)
    yield
    # The page was made after this, so it is closed by now.
    deadline = time.monotonic() + LONGEST_DRAIN_SECONDS
    while not traffic.is_quiet():
        assert time.monotonic() < deadline, "the test server is still busy"
        time.sleep(0.02)
    request_started.disconnect(traffic.begin)
    request_finished.disconnect(traffic.end)


@pytest.fixture
def site(settings: Any, live_server: Any) -> str:
    """Serve static files by their plain names: the test server does not know hashed ones."""
    plain = "django.contrib.staticfiles.storage.StaticFilesStorage"
    settings.STORAGES = django_settings.STORAGES | {"staticfiles": {"BACKEND": plain}}
    return str(live_server.url)


@pytest.fixture
def complaints(page: Page) -> Iterator[list[str]]:
    """Gather what the browser complains of; the test ends red when anything was."""
    said: list[str] = []
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("console", lambda line: said.append(line.text) if line.type == "error" else None)
    yield said
    assert said == []


@pytest.fixture
def alice(cast: Any, transactional_db: None) -> User:
    user: User = cast.alice
    user.set_password(PASSWORD)
    user.save()
    return user


@pytest.fixture(autouse=True)
def quick_passwords(quick_passwords: None) -> None:
    """Here for every test."""


Enter = Callable[..., None]


@pytest.fixture
def enter(site: str) -> Enter:
    """Give a function that signs a browser in without its sign-in page."""

    def sign_in(context: BrowserContext, user: User, url: str = site) -> None:
        client = Client()
        client.force_login(user)
        name = django_settings.SESSION_COOKIE_NAME
        context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": url}])

    return sign_in


@pytest.fixture
def work(cast: Any, alice: User) -> list[Assignment]:
    """Three candidates with claims worth reading, assigned to alice in this order."""
    reference = cast.reference()
    furnish(reference)
    return list(cast.assign(alice, reference))


@pytest.fixture
def room(work: list[Assignment], alice: User, enter: Enter, site: str, page: Page) -> Page:
    """The rate page of alice's first candidate, with its scripts at work."""
    enter(page.context, alice)
    page.goto(f"{site}/rate/{work[0].pk}/")
    page.wait_for_selector(".fold")
    return page
