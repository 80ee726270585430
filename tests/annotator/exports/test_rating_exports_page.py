import base64
import errno
import hashlib
import json
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from annotator.exports.queries import RatingExport
from annotator.models import AuditEvent, Campaign, Shown, Unblinding, User
from tests.annotator.rating_rows import prefer, rate
from tests.conftest import grant, make_user
from tests.faults import raising

pytestmark = pytest.mark.django_db
ADDRESS = "/campaigns/cups/ratings/export/"
NAMED = {"is_identified": "on", "reason": "to pay them"}


@pytest.fixture
def rated(cast) -> Any:
    first, second = cast.reference("r1", 2).candidates.order_by("candidate_id")
    rate(cast.alice, first, (9, 8, 7, 6), comment="=1+1 good")
    rate(cast.bob, first, (1, 2, 3, 4))
    prefer(cast.bob, first, second, overall_quality=-1)
    return cast


def close() -> None:
    Campaign.objects.filter(slug="cups").update(status="closed", closed_at=timezone.now())


def post(client: Client, user: User, name: str = "jsonl", **more: str) -> Any:
    client.force_login(user)
    return client.post(ADDRESS, {"format": name, **more})


def content(answer: Any) -> bytes:
    assert answer.status_code == 200
    return b"".join(answer.streaming_content)


def lines(answer: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in content(answer).splitlines()]


def test_an_admin_downloads_the_ratings_of_an_open_campaign(client, rated) -> None:
    answer = post(client, rated.ada)
    assert answer["Content-Disposition"] == 'attachment; filename="cups-ratings.jsonl"'
    body = content(answer)
    assert int(answer["Content-Length"]) == len(body)
    digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
    assert answer["Repr-Digest"] == f"sha-256=:{digest}:"
    found = [json.loads(line) for line in body.splitlines()]
    assert [line["kind"] for line in found] == ["rating", "rating", "preference"]
    assert b"alice" not in body and b"systemcanary" not in body
    (item,) = json.loads(content(post(client, rated.ada, "label-studio")))
    assert item["output1"] == "1. A mug 0 with a handle."
    assert item["comparison"] == [{"selected": "right"}]


def test_the_page_lists_what_was_exported_by_whom_and_why(client, rated) -> None:
    post(client, rated.ada)
    close()
    post(client, rated.ada, "csv", **NAMED)
    page = client.get(ADDRESS).content.decode()
    assert page.index("to pay them") < page.index("pseudonyms</td>")
    assert page.count('<th scope="row">ada</th>') == 2


def test_names_are_shown_once_closed_with_a_reason_and_on_both_lists(client, rated) -> None:
    open_yet = lines(post(client, rated.ada, **NAMED))
    assert not {line["annotator"] for line in open_yet} & {"alice", "bob"}
    assert not Unblinding.objects.exists()
    close()
    assert post(client, rated.ada, is_identified="on").status_code == 422
    found = lines(post(client, rated.ada, **NAMED))
    assert {line["annotator"] for line in found} == {"alice", "bob"}
    row = Unblinding.objects.get(shown=Shown.NAMES)
    assert (row.user, row.reason) == (rated.ada, "to pay them")
    events = AuditEvent.objects.filter(action="ratings.exported", actor=rated.ada)
    assert [event.details["is_identified"] for event in events] == [False, True]


def test_who_sees_systems_is_recorded_and_two_annotators_look_alike(client, rated):
    close()
    for _ in range(2):
        assert lines(post(client, rated.rita))[0]["system"] == "systemcanary-0"
    row = Unblinding.objects.get()
    assert (row.user, row.shown) == (rated.rita, Shown.SYSTEMS)
    found = lines(post(client, rated.rita))
    assert {(line["annotator"], line["by_admin"]) for line in found} == {(None, None)}
    dora = grant(make_user("dora"), rated.campaign, "annotator")
    rate(dora, rated.campaign.candidates.order_by("candidate_id")[1], (5, 5, 5, 5))
    assert len({line["annotator"] for line in lines(post(client, rated.rita))}) == 3


def test_a_researcher_waits_for_the_end_and_gets_no_texts_and_no_names(client, rated) -> None:
    client.force_login(rated.rita)
    assert client.get(ADDRESS).status_code == 200
    assert post(client, rated.rita).status_code == 409
    assert not AuditEvent.objects.filter(action="ratings.exported").exists()
    close()
    assert post(client, rated.rita, "label-studio").status_code == 422
    body = content(post(client, rated.rita, **NAMED))
    assert b"alice" not in body and b"A mug" not in body
    assert "Exports so far" not in client.get(ADDRESS).content.decode()


@pytest.mark.parametrize("role", ["annotator", "adjudicator"])
def test_an_admin_who_rates_or_rules_here_is_not_unblinded_by_it(client, rated, role: str) -> None:
    grant(rated.ada, rated.campaign, role)
    client.force_login(rated.ada)
    assert client.get(ADDRESS).status_code == 403
    assert post(client, rated.ada).status_code == 403
    assert not AuditEvent.objects.filter(action="ratings.exported").exists()
    close()
    assert len(lines(post(client, rated.ada))) == 3


def test_a_format_that_is_none_is_refused_in_the_form(client, rated) -> None:
    answer = post(client, rated.ada, "xml")
    assert answer.status_code == 422
    assert "autofocus" in answer.content.decode()


def test_a_full_disk_is_said_and_nothing_is_sent(client, rated, monkeypatch) -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(RatingExport, "pieces", lambda _: map(raising(full), "a"))
    answer = post(client, rated.ada)
    assert answer.status_code == 507
    assert "no room on the disk" in answer.content.decode()
