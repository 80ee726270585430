"""No line of any logger, in either format, holds what somebody typed, sent or was sent.

Every route with something in its address is called with a canary there and everywhere else that a
client fills: address, query, headers, form, body, name of a file.
"""

import io
import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from logging.config import dictConfig
from typing import Any, Final

import pytest
from django.conf import settings as django_settings
from django.contrib.auth import SESSION_KEY
from django.core.exceptions import SuspiciousOperation
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.urls.converters import IntConverter, UUIDConverter

from annotator.access import matrix
from annotator.models import Campaign, Role, User
from core import logs
from tests.conftest import grant
from tests.guards.blindness.addresses import routes
from tests.served.server import ROOT

CANARY: Final = "zqsecretzq"
NIL: Final = "00000000-0000-0000-0000-000000000000"
Logged = Callable[[], str]
HEADERS: Final = {
    "Referer": f"http://testserver/invitation/{CANARY}/",
    "User-Agent": CANARY,
    "X-Request-ID": f"{CANARY}!",
    "Authorization": f"Token {CANARY}",
    "Cookie": f"sessionid={CANARY}",
    "Idempotency-Key": CANARY,
    "If-Match": CANARY,
    "X-Forwarded-For": CANARY,
}
FORM: Final = dict.fromkeys(
    ("username", "password", "comment", "reason", "code", "next", "slug", "name", CANARY), CANARY
)


@contextmanager
def written_to_text(
    log_format: str, *, logs_requests: bool
) -> Iterator[tuple[logging.Handler, io.StringIO]]:
    dictConfig(logs.configuration(log_format, logs_requests=logs_requests))
    (handler,) = [one for one in logging.root.handlers if type(one) is logging.StreamHandler]
    stream = io.StringIO()
    handler.setStream(stream)
    yield handler, stream
    dictConfig(django_settings.LOGGING)


@pytest.fixture(params=[("line", False), ("line", True), ("json", False), ("json", True)])
def logged(request: pytest.FixtureRequest) -> Iterator[Logged]:
    """Log as in local mode or in production, in one format; give what was printed since."""
    log_format, logs_requests = request.param
    with written_to_text(log_format, logs_requests=logs_requests) as (_, stream):
        yield stream.getvalue


def filled(route: Any) -> str:
    """Return the address of a route with the canary wherever it takes text."""
    values: dict[str, Any] = {}
    for name, (converter, _) in route.arguments.items():
        is_number = isinstance(converter, IntConverter)
        is_id = isinstance(converter, UUIDConverter)
        values[name] = 7 if is_number else NIL if is_id else CANARY
    return reverse(route.name, kwargs=values)


class InBothFormats(logging.Formatter):
    """A record as a line and as JSON: each format of what production logs, local mode's in it."""

    def format(self, record: logging.LogRecord) -> str:
        return f"{logs.LineFormatter().format(record)}\n{logs.JsonFormatter().format(record)}"


@pytest.fixture
def logged_twice() -> Iterator[Logged]:
    with written_to_text("line", logs_requests=True) as (handler, stream):
        handler.setFormatter(InBothFormats())
        yield stream.getvalue


@pytest.mark.slow
@pytest.mark.django_db
def test_no_route_logs_what_it_was_called_with(logged_twice, quick_passwords) -> None:
    person = User.objects.create(username=CANARY, is_superuser=True)
    grant(person, Campaign.objects.create(slug="cups", name="Cups"), *Role.values)
    signed_in = Client(raise_request_exception=False)
    count, typed = 0, 0
    for route in routes():
        if SESSION_KEY not in signed_in.session:  # one of the routes signs out
            signed_in.force_login(person)
        path = filled(route)
        typed += CANARY in path
        rule = matrix.matrix()[route.name]
        is_read = "GET" in rule.methods
        for client in (signed_in, Client(raise_request_exception=False, headers=HEADERS)):
            asked = f"{path}?q={CANARY}&page={CANARY}&next=/{CANARY}&until={CANARY}"
            answer = client.get(asked) if is_read else client.post(asked, FORM)
            count += answer.status_code >= 400
            if is_read and "POST" in rule.methods:
                count += client.post(path, FORM).status_code >= 400
    assert typed > 10 and count > 100
    printed = logged_twice()
    assert CANARY not in printed, next(x for x in printed.splitlines() if CANARY in x)
    # They were logged, by route and code.
    assert len(printed.splitlines()) > 2 * count and "annotator:invitation 404" in printed


@pytest.mark.django_db
def test_no_refusal_before_a_view_logs_what_it_refuses(logged) -> None:
    client = Client(raise_request_exception=False, headers=HEADERS, enforce_csrf_checks=True)
    file = SimpleUploadedFile(f"{CANARY}.jsonl", CANARY.encode())
    answers = [
        client.get(f"/{CANARY}/{CANARY}"),
        client.get("/", headers={"Host": f"{CANARY}.example"}),
        client.get("/login/?next=%ED%A0%80" + CANARY),
        client.get("/login/?" + "&".join(f"{CANARY}{n}=1" for n in range(2000))),
        client.post("/login/", FORM),
        client.post("/login/", f"username={CANARY}%FF", content_type="text/plain"),
        client.post("/login/", b"--x\r\n" + CANARY.encode(), content_type="multipart/form-data"),
        client.post("/campaigns/cups/import/", {"file": file}),
        client.generic(CANARY.upper(), "/login/"),
        client.post("/api/v1/ratings/", f'{{"{CANARY}": "{CANARY}"', content_type=CANARY),
        client.get("/api/v1/campaigns/", headers={"Accept": f"text/{CANARY}"}),
    ]
    assert all(answer.status_code >= 400 for answer in answers)
    assert logged() and CANARY.lower() not in logged().lower()


def _quote_a_row() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT '{CANARY}' FROM no_such_table_{CANARY}")


def _refuse() -> None:
    raise SuspiciousOperation(f"of {CANARY}")


def _fail() -> None:
    try:
        raise KeyError(CANARY)
    except KeyError as error:
        raise ValueError(f"no {CANARY}") from error


@pytest.mark.django_db
@pytest.mark.parametrize("fault", [_quote_a_row, _refuse, _fail])
def test_no_fault_of_a_view_logs_its_message(logged, monkeypatch, fault) -> None:
    client = Client(raise_request_exception=False)
    monkeypatch.setattr("annotator.campaigns.members.views.open_invitations", lambda *_: fault())
    assert client.get(f"/invitation/{CANARY}/").status_code >= 400
    assert "annotator:invitation" in logged() and CANARY not in logged()


# As other libraries log: with arguments, put together, with facts beside; a logger each.
LINES: Final[tuple[tuple[str, str, tuple[Any, ...], dict[str, Any]], ...]] = (
    ("django.request", "%s: %s", ("Not Found", f"/{CANARY}"), {"status_code": 404}),
    ("django.security.DisallowedHost", f"Invalid {CANARY}", (), {"status_code": 400}),
    ("django.security.csrf", "Forbidden (%s): %s", (CANARY, CANARY), {"status_code": 403}),
    ("django.server", '"%s" %s %s', (f"GET /{CANARY}", "404", "12"), {"status_code": 404}),
    ("django.db.backends", "(%.3f) %s; args=%s", (0.1, CANARY, (CANARY,)), {}),
    ("granian.access", "[%(time)s] %(path)s %(status)d", ({"path": CANARY, "status": 200},), {}),
    ("_granian.callbacks", f"Application callable raised\nValueError: {CANARY}", (), {}),
    ("celery.worker.consumer.consumer", "Received %r", ({"body": CANARY},), {}),
    ("celery.redirected", CANARY, (), {}),
    ("kombu.connection", "Cannot connect to %s: %s", (f"redis://:{CANARY}@h", CANARY), {}),
    ("urllib3.connectionpool", "%s %s", (CANARY, CANARY), {}),
    ("py.warnings", CANARY, (), {}),
    ("transformers.tokenization", f"Token indices of {CANARY}", (), {}),
)


@pytest.mark.parametrize(("name", "text", "args", "facts"), LINES)
def test_no_line_of_another_library_logs_what_it_quotes(logged, name, text, args, facts) -> None:
    logger = logging.getLogger(name)
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        if args and isinstance(args[0], dict) and "%(" in text:
            args = ({"time": "now"} | args[0],)
        logger.error(text, *args, extra=facts)
        try:
            raise ValueError(CANARY)
        except ValueError:
            logger.exception(text, *args, extra=facts)
    finally:
        logger.setLevel(level)
    assert name in logged() and CANARY not in logged()
    if logged().startswith("{"):
        assert all(json.loads(line)["message"] for line in logged().splitlines())


def test_messages_of_this_project_stay(logged) -> None:
    logging.getLogger("annotator.workers").warning("cannot enqueue %s", "ClaimImport")
    assert "cannot enqueue ClaimImport" in logged()


EVERY_LOGGER: Final = """
import logging

import django

django.setup()
import torch, transformers  # noqa
import scoring.tasks, patclaimeval.models.encoder, patclaimeval.metrics.neural  # noqa

names = sorted(n for n, one in logging.Logger.manager.loggerDict.items() if hasattr(one, "level"))
for name in names:
    if name.split(".")[0] not in ("annotator", "patclaimeval", "scoring"):
        logger = logging.getLogger(name)
        logger.disabled = False
        logger.setLevel(logging.WARNING)
        logger.error("of %s", CANARY)
print(len(names), {"torch", "transformers", "huggingface_hub"} <= set(names))
"""


def test_no_library_prints_by_itself_what_it_logs() -> None:
    """torch and transformers bring handlers of their own, which know nothing of our filter."""
    program = f"CANARY = {CANARY!r}\n{EVERY_LOGGER}"
    env = os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings"}
    env.pop("CI", None)  # with it transformers hands its lines on
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    count, has_all = done.stdout.split()
    assert int(count) > 100 and has_all == "True"
    assert "of …" in done.stderr and CANARY not in done.stderr
