import io
import json
import logging
from collections.abc import Callable, Iterator
from logging.config import dictConfig
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from annotator.models import ReliabilityReport
from core import logs
from core.jobs.leases import claim

CANARY = "canaryclaimcanary"
Printed = Callable[[], str]


@pytest.fixture(params=["line", "json"])
def printed(request: pytest.FixtureRequest) -> Iterator[Printed]:
    """Configure the project's logging in one format; give what it has printed since."""
    dictConfig(logs.configuration(request.param, logs_requests=True))
    (handler,) = [h for h in logging.root.handlers if type(h) is logging.StreamHandler]
    stream = io.StringIO()
    handler.setStream(stream)
    yield stream.getvalue
    dictConfig(settings.LOGGING)


def is_json(text: str) -> bool:
    return text.startswith("{")


def test_causes_are_logged_by_kind_too(printed: Printed) -> None:
    try:
        try:
            raise KeyError(CANARY)
        except KeyError as error:
            raise ValueError(CANARY) from error
    except ValueError:
        logging.getLogger("annotator.anything").exception("no")
    assert "ValueError" in printed()
    assert "KeyError" in printed()
    assert CANARY not in printed()


def test_a_failed_task_is_logged_by_its_name_and_kind(printed: Printed) -> None:
    # As celery/app/trace.py words it.
    words = "Task %(name)s[%(id)s] %(description)s: %(exc)s"
    context = {
        "name": "annotator.tasks.import_claims",
        "id": "77",
        "description": "raised unexpected",
        "exc": f"ValueError('{CANARY}')",
        "traceback": f"... {CANARY}",
        "args": [CANARY],
        "kwargs": {"x": CANARY},
    }
    try:
        raise ValueError(CANARY)
    except ValueError:
        logging.getLogger("celery.app.trace").exception(words, context)
    assert "Task annotator.tasks.import_claims[77] raised unexpected: ValueError" in printed()
    assert CANARY not in printed()


def test_a_name_with_line_ends_forges_no_second_line(printed: Printed) -> None:
    name = "mallory\n2026-01-01 INFO annotator ada signed in\r\x1b[2J\u2028x"
    logging.getLogger("annotator.anything").warning("unknown user %s", name)
    assert len(printed().splitlines()) == 1
    assert "\x1b" not in printed()


@pytest.mark.django_db
def test_a_request_is_logged_by_its_route_not_address(printed: Printed, client: Client) -> None:
    answer = client.get(f"/login/?next=/{CANARY}", headers={"X-Request-ID": "0123456789abcdef"})
    assert answer.headers["X-Request-ID"] == "0123456789abcdef"
    assert "annotator:login" in printed()
    assert "200" in printed()
    assert CANARY not in printed()
    if is_json(printed()):
        line: dict[str, Any] = json.loads(printed().splitlines()[-1])
        assert (line["method"], line["route"], line["status"]) == ("GET", "annotator:login", 200)
        assert isinstance(line["milliseconds"], int)


@pytest.mark.django_db
def test_a_signed_in_request_names_the_account_by_its_key(
    cast, printed: Printed, client: Client
) -> None:
    client.force_login(cast.alice)
    client.get("/")
    if is_json(printed()):
        assert json.loads(printed().splitlines()[-1])["user"] == cast.alice.pk
    assert "alice" not in printed()


@pytest.mark.django_db
@pytest.mark.parametrize("forged", ["", "short", "x" * 65, "1234 5678", "<b>12345678"])
def test_an_id_that_is_not_well_formed_is_replaced(client: Client, forged: str) -> None:
    answer = client.get("/healthz", headers={"X-Request-ID": forged})
    assert answer.headers["X-Request-ID"] != forged
    assert len(answer.headers["X-Request-ID"]) == 32


@pytest.mark.django_db
def test_a_job_is_logged_in_workers_by_its_facts(cast, printed: Printed) -> None:
    rows = [
        ReliabilityReport.objects.create(campaign=cast.campaign, input_sha256=digest)
        for digest in "ab"
    ]
    claim(ReliabilityReport, rows[0].pk)
    assert printed() == ""
    logging.getLogger(logs.JOBS).setLevel(logging.INFO)
    claim(ReliabilityReport, rows[1].pk)
    assert f"job started kind=reliabilityreport key={rows[1].pk} attempt=1" in printed()
    if is_json(printed()):
        facts = {"kind": "reliabilityreport", "key": str(rows[1].pk), "attempt": 1}
        assert json.loads(printed())["job"] == {"status": "started"} | facts
