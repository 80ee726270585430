"""Two worlds that differ only in what others did, and one annotator's whole day in each of them.

Every draw and every clock is fixed: what then differs between the answers comes from the others.
"""

import json
import os
import random
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, Final

import pytest
from django.db import transaction
from django.http import HttpResponseBase, StreamingHttpResponse
from django.test import Client
from django.utils import timezone

from annotator.access import matrix
from annotator.accounts.sessions import create_token
from annotator.models import Assignment, AssignmentStatus, Campaign, Comparison, Rating, User
from patclaimeval.rubric import ALL_CRITERIA, CRITERIA
from tests.guards.blindness.addresses import addresses, ids
from tests.guards.blindness.clocks import clock_query
from tests.guards.blindness.snapshots import DRAWN_ANEW
from tests.guards.blindness.states import Scenario

# All that may differ, each with its reason. Which candidate `next` gives is not among them: here
# all are given by name; on demand it follows the places that others left, which is what an overlap
# is. Nor is a lock: worlds are held together whose item is locked, by whatever locked it.
# At these addresses: when something was done, which the database writes by its own clock.
ALLOWED_AT: Final = ("/audit/own/", "/audit/", "/account/")
ALLOWED: Final = re.compile(rb'(?<=">)\d\d? \w{3} \d{4}, \d\d:\d\d(:\d\d)? UTC(?=</td>)')
NEAR: Final = dict.fromkeys(CRITERIA, 5)
OTHERS: Final = "others"

Act = Callable[[Scenario], object]
Answers = dict[str, tuple[int, tuple[tuple[str, str], ...], bytes]]


@dataclass(slots=True)
class Fixed:
    """What every clock and every draw of this process gives."""

    chance: random.Random = field(default_factory=random.Random)
    # Of the test, not of the process: the database judges by its own clock whether sessions go on.
    morning: datetime = field(default_factory=lambda: datetime.now(UTC).replace(microsecond=0))
    now: datetime = field(init=False)

    def begin(self, who: str, step: int) -> None:
        """Begin an act: its draws and its time follow from who does it, and when in their day."""
        self.chance.seed(f"{who} {step}")
        self.now = self.morning + timedelta(minutes=step, seconds=30 if who == OTHERS else 0)

    def __getitem__(self, vendor: str) -> str:
        """Answer what asks a database for its time."""
        return clock_query(self.now, vendor)


@pytest.fixture
def fixed(monkeypatch: pytest.MonkeyPatch) -> Fixed:
    """Fix the clocks and the draws; ids, tokens and orders are drawn by these."""
    fixed = Fixed()
    fixed.begin("nobody", 0)
    monkeypatch.setattr(os, "urandom", lambda size: fixed.chance.randbytes(size))
    monkeypatch.setattr(random, "_urandom", lambda size: fixed.chance.randbytes(size))
    monkeypatch.setattr("core.clock._NOW", fixed)
    monkeypatch.setattr(timezone, "now", lambda: fixed.now)
    # What is written into headers and cookies.
    clock = SimpleNamespace(time=lambda: fixed.now.timestamp())
    for module in ("http.response", "utils.cache", "core.signing"):
        monkeypatch.setattr(f"django.{module}.time", clock)
    return fixed


class Day:
    """One annotator's day: every page and call they may use, with what others did in between."""

    def __init__(self, scenario: Scenario, fixed: Fixed) -> None:
        self.scenario = scenario
        self.roles = frozenset(scenario.people["one"].memberships.values_list("role", flat=True))
        self.fixed = fixed
        self.user: User = scenario.people["one"]
        self.page = Client()
        self.page.force_login(self.user)
        token = create_token(user=self.user, scope="write").token
        self.api = Client(headers={"Authorization": f"Token {token}"})
        self.step = 0
        self.answers: Answers = {}
        # What others make is not there in every world; `test_foreign_ids.py` asks for it.
        self._known = ids(scenario) | {"rating": [], "conflict": [], "adjudication": []}

    def lived(self, others: Mapping[int, Act]) -> Answers:
        """Return every answer of the day; before the step of that number, others do theirs."""
        steps = (self._submit, self._call, self._look, self._work_on, self._revise, self._look)
        for number, own in enumerate(steps):
            if act := others.get(number):
                self.fixed.begin(OTHERS, self.step)
                act(self.scenario)
            own()
        return self.answers

    def _send(self, method: str, path: str, data: Any = None, **headers: str) -> HttpResponseBase:
        self.step += 1
        self.fixed.begin("one", self.step)
        is_call = path.startswith("/api/")
        more: dict[str, Any] = {"headers": headers}
        if is_call and data is not None:
            data, more["content_type"] = json.dumps(data), "application/json"
        client = self.api if is_call else self.page
        answer = getattr(client, method.lower())(path, data, **more)
        if isinstance(answer, StreamingHttpResponse):
            body = b"".join(answer.streaming_content)  # type: ignore[arg-type]
        else:
            body = answer.content
        cookies = [("Set-Cookie", one.OutputString()) for one in answer.cookies.values()]
        if path.endswith(ALLOWED_AT):
            body = ALLOWED.sub(b"", body)
        answered = (answer.status_code, (*answer.items(), *cookies), body)
        self.answers[f"{self.step} {method} {path}"] = answered
        return answer

    def _look(self) -> None:
        """Read every page, and ask every call, that the matrix opens to their roles."""
        ratings = Rating.objects.filter(annotator=self.user).order_by("pk")
        self._known["rating"] = list(ratings.values_list("pk", flat=True))
        for address in addresses(self.scenario, self._known):
            rule = matrix.matrix()[address.route]
            is_open = rule.is_public or rule.principals & self.roles
            if is_open and "GET" in rule.methods and address.route not in DRAWN_ANEW:
                self._send("GET", address.path)

    def _open(self) -> Assignment:
        rows = Assignment.objects.filter(annotator=self.user, status=AssignmentStatus.OPEN)
        return rows.exclude(candidate=self.scenario.item).order_by("position")[0]

    def _submit(self) -> None:
        item = self.scenario.assignment("one")
        values = {name: str(score) for name, score in NEAR.items()}
        self._send("POST", f"/rate/{item.pk}/", {})
        self._send("POST", f"/rate/{item.pk}/", values | {"comment": "a comment", "note": "a note"})
        pair = Comparison.objects.filter(annotator=self.user).order_by("position")[0]
        self._send("POST", f"/compare/{pair.pk}/", dict.fromkeys(ALL_CRITERIA, "-1"))

    def _call(self) -> None:
        given = self._send(
            "POST", f"/api/v1/campaigns/{self.scenario.campaign.slug}/assignments/next/"
        )
        body = {"assignment": given.json()["id"], "scores": NEAR}  # type: ignore[attr-defined]
        for _ in range(2):
            self._send("POST", "/api/v1/ratings/", body, **{"Idempotency-Key": "one key"})
        self._send("POST", "/api/v1/ratings/", body, **{"Idempotency-Key": "another key"})

    def _work_on(self) -> None:
        row = self._open()
        values = {name: str(score) for name, score in NEAR.items()} | {"draft_version": "0"}
        self._send("POST", f"/rate/{row.pk}/draft/", values, **{"HX-Request": "true"})
        self._send("POST", f"/rate/{row.pk}/overall/", values)
        self._send("POST", f"/rate/{row.pk}/ping/")
        self._send("POST", f"/rate/{row.pk}/tags/", {"tag": "add vagueness"})
        self._send("POST", f"/rate/{row.pk}/flag/", {"flag_code": "wrong-text"})
        self._send("POST", f"/rate/{row.pk}/skip/", {"leave_code": "not-now", "confirmed": "1"})
        self._send("POST", f"/rate/{row.pk}/take-back/")
        self._send("POST", f"/campaigns/{self.scenario.campaign.slug}/next/")

    def _revise(self) -> None:
        item = self.scenario.assignment("one")
        rating = Rating.objects.get(assignment=item)
        path, version = f"/api/v1/ratings/{rating.pk}/", {"If-Match": '"1"'}
        self._send("PATCH", path, {"comment": "another comment"}, **version)
        self._send("PATCH", path, {"comment": "too late"}, **version)
        self._send("POST", f"/rate/{item.pk}/", {"version": "2"} | dict.fromkeys(CRITERIA, "6"))


@contextmanager
def undone() -> Iterator[None]:
    """Leave the world as it was."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def lived(scenario: Scenario, fixed: Fixed, others: Mapping[int, Act]) -> Answers:
    """Return the answers of a day, which leaves no trace."""
    with undone():
        fixed.begin("nobody", 0)
        return Day(scenario, fixed).lived(others)


def differences(one: Answers, other: Answers) -> list[str]:
    """Return what was answered in two ways, with the first place where it differs."""
    found = []
    for name in one.keys() | other.keys():
        mine, theirs = one.get(name), other.get(name)
        if mine != theirs:
            found.append(f"{name}: {_first(mine, theirs)}")
    return sorted(found)


def _first(mine: Any, theirs: Any) -> str:
    if mine is None or theirs is None:
        return f"{mine and mine[0]} / {theirs and theirs[0]}"
    (status, headers, body), (other_status, other_headers, other) = mine, theirs
    if status != other_status or body == other:
        return f"{status} / {other_status} {sorted(set(headers) ^ set(other_headers))}"
    pairs = zip(body, other, strict=False)
    place = next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(body), len(other)))
    start = max(0, place - 60)
    return f"{body[start : place + 40]!r} / {other[start : place + 40]!r}"


def with_window(hours: int) -> Act:
    """Return the act of an admin who sets the window of revisions."""
    return lambda scenario: Campaign.objects.filter(pk=scenario.campaign.pk).update(
        revision_hours=hours
    )
