"""What the promises are tested with: clients that never give up, many at once, and a tally.

PROMISES_SCALE multiplies every count: 1 in `make test`, 20 for the counts of the full tier.
"""

import http.client
import json
import os
import time
import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.db import transaction
from django.test import Client
from django.utils.crypto import get_random_string

from annotator.accounts.sessions import create_token
from annotator.models import Assignment, AuditEvent, Campaign, Rating, RatingRevision, User
from patclaimeval.rubric import CRITERIA
from tests.conftest import grant, make_user
from tests.crowd import LONGEST_WAIT_SECONDS
from tests.served.dying import DIE_AT
from tests.served.server import HOST
from tests.soak.tally import Tally

SCALE: Final = int(os.environ.get("PROMISES_SCALE", "1"))

# Most promises: slow, of both pairs of services, with transactions that other processes see.
SERVED: Final = (pytest.mark.slow, pytest.mark.embedded, pytest.mark.django_db(transaction=True))

# No answer, and that the database does not answer.
ASK_AGAIN: Final = (0, 503)


@dataclass(frozen=True)
class Answer:
    """What a server answered: 0 and None where no answer came."""

    status: int
    body: Any = None
    # Where a page of a form leads.
    location: str = ""


@dataclass(eq=False)
class Caller:
    """A program that works over the REST API for one annotator."""

    user: User
    token: str
    port: int
    # Answers by status, those that never came as 0.
    statuses: Counter[int] = field(default_factory=Counter)
    # Seconds after which it takes it that no answer comes.
    patience: float = LONGEST_WAIT_SECONDS

    def call(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """Send one request over a connection of its own, so that any worker may take it."""
        sent = {"Authorization": f"Token {self.token}", "Content-Type": "application/json"}
        wire = http.client.HTTPConnection(HOST, self.port, timeout=self.patience)
        try:
            data = None if body is None else json.dumps(body)
            wire.request(method, path, data, sent | dict(headers or {}))
            response = wire.getresponse()
            content = response.read()
            answer = Answer(response.status, json.loads(content) if content else None)
        except (OSError, http.client.HTTPException):
            answer = Answer(0)
        except ValueError:
            answer = Answer(response.status, content)  # a page: a 500 outside the API
        finally:
            wire.close()
        self.statuses[answer.status] += 1
        return answer

    def take_next(self, campaign: Campaign) -> Answer:
        return self.call("POST", f"/api/v1/campaigns/{campaign.slug}/assignments/next/")

    def submit(self, rating: Mapping[str, Any], key: str, die_at: str = "") -> Answer:
        """Send a rating once; `die_at` has its server process die there."""
        headers = {"Idempotency-Key": key} | ({DIE_AT: die_at} if die_at else {})
        return self.call("POST", "/api/v1/ratings/", rating, headers)

    def submit_until_answered(
        self, rating: Mapping[str, Any], die_at: str = "", *, reuses_key: bool = True
    ) -> Answer:
        """Send a rating again and again until the server answers what came of it.

        With the same key each time, as the documentation of the API asks; `reuses_key` False is a
        client with a fault.
        """
        key = str(uuid.uuid4())
        answer = self.submit(rating, key, die_at)
        deadline = time.monotonic() + LONGEST_WAIT_SECONDS
        while answer.status in ASK_AGAIN and time.monotonic() < deadline:
            time.sleep(0.05)
            answer = self.submit(rating, key if reuses_key else str(uuid.uuid4()))
        return answer


class Tab:
    """A browser tab of somebody who is signed in, without scripts: it posts forms."""

    def __init__(self, user: User, port: int) -> None:
        client = Client()
        client.force_login(user)
        session = client.cookies[settings.SESSION_COOKIE_NAME].value
        self._port = port
        self._secret = get_random_string(32)
        cookies = {settings.SESSION_COOKIE_NAME: session, settings.CSRF_COOKIE_NAME: self._secret}
        self._cookies = "; ".join(f"{name}={value}" for name, value in cookies.items())

    def get(self, path: str) -> Answer:
        return self._send("GET", path)

    def post(self, path: str, fields: Mapping[str, str], **headers: str) -> Answer:
        """Send a form; return the page that comes, redirects not followed."""
        form = urlencode({**fields, "csrfmiddlewaretoken": self._secret})
        return self._send("POST", path, form, headers)

    def _send(
        self, method: str, path: str, form: str = "", headers: Mapping[str, str] | None = None
    ) -> Answer:
        sent = {"Cookie": self._cookies, "Content-Type": "application/x-www-form-urlencoded"}
        wire = http.client.HTTPConnection(HOST, self._port, timeout=LONGEST_WAIT_SECONDS)
        with closing(wire):
            wire.request(method, path, form or None, sent | dict(headers or {}))
            response = wire.getresponse()
            content = response.read().decode()
            return Answer(response.status, content, response.getheader("Location") or "")


def make_callers(campaign: Campaign, count: int, port: int) -> list[Caller]:
    """Return new annotators of the campaign, each with a token of their own."""
    with transaction.atomic():
        users = [grant(make_user(f"caller-{n}"), campaign, "annotator") for n in range(count)]
        return [Caller(user, create_token(user=user).token, port) for user in users]


def rating_body(assignment_id: object, scores: Sequence[int], comment: str = "") -> dict[str, Any]:
    """Return the body of a first rating."""
    by_criterion = dict(zip(CRITERIA, scores, strict=True))
    return {"assignment": str(assignment_id), "scores": by_criterion, "comment": comment}


def wait_until(fact: Callable[[], bool], awaited: str) -> None:
    deadline = time.monotonic() + LONGEST_WAIT_SECONDS
    while not fact():
        assert time.monotonic() < deadline, f"waited in vain: {awaited}"
        time.sleep(0.02)


def server_errors(callers: Sequence[Caller]) -> dict[int, int]:
    """Return how many answers mean that the server failed, by status."""
    statuses = sum((caller.statuses for caller in callers), Counter[int]())
    return {status: count for status, count in statuses.items() if status >= 500}


def on_progress(tally: Tally, callers: Sequence[Caller], wrong: Sequence[str] = ()) -> None:
    """Note what callers met, and where the database differs from what they know."""
    tally.found(
        errors=sum(server_errors(callers).values()),
        doubled=sum("stored" in line for line in wrong),
        lost=sum("stored" not in line for line in wrong),
    )


def differences(acknowledged: Mapping[str, Answer], sent: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return where the database differs from what clients were answered; [] when it is faithful.

    `acknowledged` holds the last answer for each assignment, `sent` every rating as it was sent.
    """
    found = [f"{pk}: answered {a.status}" for pk, a in acknowledged.items() if a.status != 201]
    stored: dict[str, list[Rating]] = {}
    for row in Rating.objects.all():
        stored.setdefault(str(row.assignment_id), []).append(row)
    for rating in sent:
        pk = rating["assignment"]
        rows = stored.pop(pk, [])
        body = acknowledged[pk].body if acknowledged[pk].status == 201 else None
        if len(rows) != 1:
            found.append(f"{pk}: stored {len(rows)} times")
        elif body and str(rows[0].pk) != body["id"]:
            found.append(f"{pk}: another rating was acknowledged")
        elif (rows[0].scores, rows[0].comment) != (rating["scores"], rating["comment"]):
            found.append(f"{pk}: altered")
    found += [f"{pk}: never sent" for pk in stored]
    counts = {
        "ratings": Rating.objects.count(),
        "revisions": RatingRevision.objects.count(),
        "audit rows": AuditEvent.objects.filter(action="rating.submitted").count(),
        "submitted assignments": Assignment.objects.filter(status="submitted").count(),
    }
    if set(counts.values()) != {len(sent)}:
        found.append(f"of {len(sent)} sent there are {counts}")
    return found
