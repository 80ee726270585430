"""Programs of the last release and of this one work on one database while a site is upgraded."""

import http.cookiejar
import json
import re
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode

import pytest
from django.db import connection

from annotator.accounts.sessions import create_token
from annotator.models import Adjudication, Assignment, Conflict, Rating, Reference, User
from annotator.rubric import CRITERIA
from scoring.models import ModelVersion
from tests.annotator.adjudication.rulings import PASSWORD, RULING
from tests.flows.conftest import environment
from tests.promises.harness import Caller, rating_body
from tests.served.last_release import carry_out, scores_of, unpack_last_release
from tests.served.server import ROOT, Server

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
RECORD = {
    "reference_id": "EP9",
    "reference_claims": "1. A cup comprising a body and a handle.",
    "candidates": [{"candidate_id": "c", "system": "s", "claims": "1. A mug comprising a handle."}],
}


@pytest.fixture(scope="module")
def old_code(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpack_last_release(tmp_path_factory.mktemp("code"))


@pytest.fixture
def both(old_code: Path, cast: Any) -> Iterator[tuple[Server, Server]]:
    """Give a server of the last release and one of this, over the tables of this."""
    with serving(old_code) as old, serving() as new:
        yield old, new


@contextmanager
def serving(*code: Path) -> Iterator[Server]:
    server = Server(1, 2, *code)
    server.start()
    try:
        yield server
    finally:
        server.kill()


class Browser:
    """Somebody who signs in by the form, and whose requests may reach either server."""

    def __init__(self, user: User, server: Server) -> None:
        user.set_password(PASSWORD)
        user.save()
        self._cookies = http.cookiejar.CookieJar()
        handler = urllib.request.HTTPCookieProcessor(self._cookies)
        self._opener = urllib.request.build_opener(handler)
        self.get(server, "/login/")
        status, _ = self.post(server, "/login/", username=user.username, password=PASSWORD)
        assert status == 200 and any(one.name == "sessionid" for one in self._cookies)

    def get(self, server: Server, path: str) -> tuple[int, str]:
        return self._answer(server.url + path)

    def post(self, server: Server, path: str, **fields: str) -> tuple[int, str]:
        secret = next(one.value for one in self._cookies if one.name == "csrftoken")
        sent = urlencode(fields | {"csrfmiddlewaretoken": str(secret)}).encode()
        return self._answer(server.url + path, sent)

    def _answer(self, address: str, sent: bytes | None = None) -> tuple[int, str]:
        try:
            with self._opener.open(address, sent, timeout=60) as answer:
                return int(answer.status), answer.read().decode()
        except HTTPError as refusal:
            return refusal.code, refusal.read().decode()


def rate_over_rest(caller: Caller, cast: Any, first: Server, then: Server) -> list[int]:
    """Take a candidate at one server, submit it there and revise it at the other."""
    caller.port = first.port
    given = caller.take_next(cast.campaign)
    rated = caller.submit(rating_body(given.body["id"], [2, 2, 2, 2]), f"key-{given.body['id']}")
    caller.port = then.port
    revision = {"scores": dict.fromkeys(CRITERIA, 1)}
    path = f"/api/v1/ratings/{rated.body['id']}/"
    tag = {"If-Match": f'"{rated.body["version"]}"'}
    revised = caller.call("PATCH", path, revision, tag)
    return [given.status, rated.status, revised.status]


def rate_on_pages(browser: Browser, row: Assignment, first: Server, then: Server) -> list[int]:
    """Store a draft at one server that the other showed, and see and submit it there."""
    page, _ = browser.get(first, f"/rate/{row.pk}/")
    typed = dict.fromkeys(CRITERIA, "9") | {"comment": "The handle is there.", "version": "0"}
    drafted, _ = browser.post(then, f"/rate/{row.pk}/draft/", **typed, draft_version="0")
    shown, text = browser.get(first, f"/rate/{row.pk}/")
    assert "The handle is there." in text
    version = re.search(r'name="draft_version" value="(\d+)"', text)
    assert version
    sent = typed | {"draft_version": version[1]}
    submitted, _ = browser.post(first, f"/rate/{row.pk}/", **sent)
    return [page, drafted, shown, submitted]


def rule_on_pages(browser: Browser, conflict: Conflict, first: Server, then: Server) -> list[int]:
    """Take a turn at one server, and sign the ruling at the other."""
    listed, _ = browser.get(first, "/adjudication/")
    taken, _ = browser.post(first, f"/adjudication/{conflict.pk}/take/")
    ruling = RULING | {"decision": "mean"}
    ruled, _ = browser.post(then, f"/adjudication/{conflict.pk}/", **ruling)
    return [listed, taken, ruled]


def test_people_rate_and_rule_at_both_releases_in_turn(both, cast) -> None:
    old, new = both
    cast.campaign.revision_hours = 24
    cast.campaign.save()
    references = [cast.reference(f"r{number}", 1) for number in (1, 2)]
    alice = Caller(cast.alice, create_token(user=cast.alice).token, old.port)
    bob, carol = Browser(cast.bob, old), Browser(cast.carol, new)
    for reference, (first, then) in zip(references, ((old, new), (new, old)), strict=True):
        assert rate_over_rest(alice, cast, first, then) == [200, 201, 200]
        (row,) = cast.assign(cast.bob, reference)
        assert rate_on_pages(bob, row, first, then) == [200, 200, 200, 200]
        conflict = Conflict.objects.get(candidate__reference=reference, kind="overall_gap")
        assert rule_on_pages(carol, conflict, first, then) == [200, 200, 200]
    scores = Rating.objects.values_list("annotator__username", "logical_linkage", "version")
    assert sorted(scores) == [("alice", 1, 2)] * 2 + [("bob", 9, 1)] * 2
    assert Adjudication.objects.count() == 2
    assert "whole" in carry_out(ROOT, environment(), ["verify_audit"])


def test_the_last_release_imports_trains_and_scores_on_the_tables_of_this_one(
    old_code, version, cast, tmp_path
) -> None:
    claims = tmp_path / "claims.jsonl"
    claims.write_text(json.dumps(RECORD))
    carry_out(
        old_code,
        environment(),
        ["import_claims", "--campaign", "cups", str(claims)],
        ["sweep"],
        ["train_patclaimeval", "tiny", "--criterion", CRITERIA[0], "--device", "cpu"],
    )
    assert not Reference.objects.get(reference_id="EP9").has_context
    model = ModelVersion.objects.get()
    assert (model.run.note, model.run.tags) == ("", "")
    old, new = (
        scores_of(code, environment(), str(model.pk), tmp_path) for code in (old_code, ROOT)
    )
    assert new == old


@pytest.mark.parametrize(
    ("plant", "undo"),
    [
        (
            "ALTER TABLE annotator_rating ADD COLUMN planted integer NOT NULL",
            "ALTER TABLE annotator_rating DROP COLUMN planted",
        ),
        (
            "ALTER TABLE annotator_reference RENAME COLUMN title TO heading",
            "ALTER TABLE annotator_reference RENAME COLUMN heading TO title",
        ),
    ],
    ids=["no default", "renamed"],
)
def test_a_table_that_stops_the_last_release_is_found_out(both, cast, plant, undo) -> None:
    cast.reference("r1", 1)
    old, new = both
    alice = Caller(cast.alice, create_token(user=cast.alice).token, old.port)
    with connection.cursor() as cursor:
        cursor.execute(plant)
    try:
        with pytest.raises((AssertionError, KeyError, TypeError)):
            assert rate_over_rest(alice, cast, old, new) == [200, 201, 200]
    finally:
        with connection.cursor() as cursor:
            cursor.execute(undo)
    assert not alice.statuses[201]
