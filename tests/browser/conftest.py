"""Chromium, and a page that fails the test when the policy or a script complains."""

import os
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.db import connections
from django.test.testcases import LiveServerThread
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect

from annotator.models import Assignment, User
from tests.browser.scene import PASSWORD, furnish
from tests.conftest import signed_in

ARGUMENTS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
)

# Playwright's loop runs in the thread of the test, where Django then refuses the database.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
# Long enough for a machine that does other work beside; what is there at once is not waited for.
expect.set_options(timeout=20_000)
LONGEST_DRAIN_SECONDS = 30
# What Python calls a thread of the test server, after the function that it runs.
SERVES = "(process_request_thread)"


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    return browser_type_launch_args | {
        "executable_path": os.environ.get("CHROMIUM_PATH", "/usr/bin/chromium"),
        "args": ARGUMENTS.split(),
    }


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return browser_context_args | {"viewport": {"width": 1280, "height": 800}}


@pytest.fixture(scope="session")
def playwright(playwright: Playwright) -> Iterator[Playwright]:
    """Close the connection to the database that tests had beside Playwright's loop, before it ends.

    Django has another one for where no loop runs, and would close only that.
    """
    yield playwright
    connections.close_all()


@pytest.fixture(autouse=True)
def drained(request: pytest.FixtureRequest) -> Iterator[None]:
    """Close what pages are left and let the server end, before its tables are emptied.

    A page stores its draft when it is left; such a request would meet the flush of the database.
    """
    if "live_server" not in request.fixturenames:
        yield
        return
    request.getfixturevalue("transactional_db")
    browser = request.getfixturevalue("browser")
    server = request.getfixturevalue("live_server").thread
    yield
    for context in browser.contexts:
        context.close()
    wait_until_nobody_is_served(server)


def wait_until_nobody_is_served(
    server: LiveServerThread, seconds: float = LONGEST_DRAIN_SECONDS
) -> None:
    """Wait for the end of every connection: each has a thread, and that one to the database."""
    deadline = time.monotonic() + seconds
    # Connections are taken in turn: once this one has ended, all that came before have a thread.
    with socket.create_connection((server.host, server.port), seconds) as last:
        last.shutdown(socket.SHUT_WR)
        assert last.recv(1) == b""
    while threads := [one for one in threading.enumerate() if SERVES in one.name]:
        threads[0].join(max(0, deadline - time.monotonic()))
        assert time.monotonic() < deadline, f"still served:\n{''.join(map(stack_of, threads))}"


def stack_of(thread: threading.Thread) -> str:
    frame = sys._current_frames().get(thread.ident or 0)
    return "".join([f"{thread.name}\n", *traceback.format_stack(frame)])


@pytest.fixture
def site(settings: Any, live_server: Any) -> str:
    """Serve static files by their plain names: the test server does not know hashed ones."""
    plain = "django.contrib.staticfiles.storage.StaticFilesStorage"
    settings.STORAGES = django_settings.STORAGES | {"staticfiles": {"BACKEND": plain}}
    return str(live_server.url)


@pytest.fixture
def complaints(page: Page) -> Iterator[list[str]]:
    """Gather what the browser complains of; the test ends red when anything was."""
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
    yield errors
    assert errors == []


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
        client = signed_in(user)
        name = django_settings.SESSION_COOKIE_NAME
        context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": url}])

    return sign_in


Seat = Callable[..., Page]


@pytest.fixture
def seat(browser: Browser, enter: Enter, site: str) -> Iterator[Seat]:
    """Give a function that seats a person at a browser of their own, at an address of the site."""
    contexts = []

    def sit(user: User, path: str = "", **options: Any) -> Page:
        context = browser.new_context(**options)
        contexts.append(context)
        enter(context, user)
        page = context.new_page()
        if path:
            page.goto(f"{site}{path}")
        return page

    yield sit
    for context in contexts:
        context.close()


# With scripts, and, where everything is tried, without.
EITHER_WAY = (
    pytest.param(True, id="scripts"),
    pytest.param(False, marks=pytest.mark.exhaustive, id="no scripts"),
)


@pytest.fixture
def ada(cast: Any, transactional_db: None, settings: Any, tmp_path: Path) -> User:
    """An admin whose files are stored in a place of the test's own."""
    settings.DATA_DIR = tmp_path
    user: User = cast.ada
    return user


@pytest.fixture
def work(cast: Any, alice: User) -> list[Assignment]:
    """Three candidates with claims worth reading, assigned to alice in this order."""
    reference = cast.reference()
    furnish(reference)
    return list(cast.assign(alice, reference))


@pytest.fixture
def scene(work: list[Assignment], alice: User, enter: Enter, site: str, page: Page) -> Page:
    """The rate page of alice's first candidate, with its scripts at work."""
    enter(page.context, alice)
    page.goto(f"{site}/rate/{work[0].pk}/")
    page.wait_for_selector(".fold")
    return page
