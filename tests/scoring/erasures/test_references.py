"""The list of a campaign's references, and an erasure that is requested from it or over REST."""

import io
from typing import Any

import pytest
from django.core.paginator import Paginator
from django.test import Client

from annotator.imports.services import carry_out_import, request_import
from annotator.models import AuditEvent, Candidate, Reference, User
from scoring.erasures import views
from scoring.erasures.services import answer_erasure, carry_out_erasures
from scoring.models import Erasure
from tests.conftest import grant, make_user, signed_in

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

FILE = (
    b"reference_id,reference_claims,candidate_id,claims\n"
    b'far-away,"1. A lantern comprising a wick.",c1,"1. A lamp."\n'
    b'far-away,"1. A lantern comprising a wick.",c2,"1. A light."\n'
)
LIST = "/campaigns/cups/references/"
CALL = "campaigns/cups/references/"


def call(user: User, method: str, path: str, body: object = None) -> Any:
    more = {} if body is None else {"data": body, "content_type": "application/json"}
    return getattr(signed_in(user), method)(f"/api/v1/{path}", **more)


@pytest.fixture
def lantern(cast) -> Reference:
    """Return a reference that came by CSV and is in no dataset."""
    row = request_import(
        campaign=cast.campaign,
        file=io.BytesIO(FILE),
        file_name="a.csv",
        format="csv",
        is_confirmed=True,
    )
    carry_out_import(row.pk)
    return Reference.objects.get(reference_id="far-away")


@pytest.fixture
def ada(cast) -> Client:
    return signed_in(cast.ada)


def test_a_reference_that_came_by_csv_leads_to_its_erasure(cast, ada, lantern) -> None:
    campaign = ada.get("/campaigns/cups/").content.decode()
    assert f'<a href="{LIST}"' in campaign
    page = ada.get(LIST).content.decode()
    assert "A lantern comprising a wick." in page
    assert f'href="/datasets/references/{lantern.pk}/#erasure"' in page
    assert b'id="erasure"' in ada.get(f"/datasets/references/{lantern.pk}/").content
    ada.post(f"/datasets/references/{lantern.pk}/erase/", {"reason": "asked by its owner"})
    assert ">requested<" in ada.get(LIST).content.decode()
    row = Erasure.objects.get()
    answer_erasure(erasure=row, answered_by=make_user("root", is_superuser=True), agrees=True)
    assert ">being erased<" in ada.get(LIST).content.decode()


@pytest.mark.django_db(transaction=True)
def test_an_erasure_is_requested_over_rest_and_carried_out(cast, lantern) -> None:
    (found,) = call(cast.ada, "get", CALL).json()
    assert found == {
        "id": str(lantern.pk),
        "reference_id": "far-away",
        "title": "",
        "opening": "A lantern comprising a wick.",
        "language": lantern.language,
        "candidates": 2,
        "ratings": 0,
        "erased_at": None,
        "erasure": None,
    }
    path = f"references/{lantern.pk}/erasures/"
    assert call(cast.ada, "post", path, {"reason": " "}).status_code == 400
    asked = call(cast.ada, "post", path, {"reason": "asked by its owner"})
    row = Erasure.objects.get()
    assert asked.status_code == 201 and asked.json()["id"] == str(row.pk)
    assert (asked.json()["reference"], asked.json()["status"]) == (str(lantern.pk), "asked")
    event = AuditEvent.objects.get(action="erasure.asked")
    assert (event.actor, event.object_id) == (cast.ada, str(lantern.pk))
    assert call(cast.ada, "post", path, {"reason": "again"}).status_code == 409
    answer_erasure(erasure=row, answered_by=make_user("root", is_superuser=True), agrees=True)
    assert carry_out_erasures() == 1
    (gone,) = call(cast.ada, "get", CALL).json()
    assert (gone["opening"], gone["erasure"]) == ("", "done") and gone["erased_at"]
    assert not Candidate.objects.filter(claims__contains="lamp").exists()


def test_references_are_found_by_a_part_of_id_or_title(cast, ada, lantern) -> None:
    cast.reference("near")
    for sought, expected in (("AWAY", {"far-away"}), ("title of", {"near"}), ("%", set())):
        rows = call(cast.ada, "get", f"{CALL}?q={sought.replace('%', '%25')}").json()
        assert {row["reference_id"] for row in rows} == expected
        page = ada.get(LIST, {"q": sought}).content.decode()
        assert {name for name in ("far-away", "near") if f">{name}<" in page} == expected
    assert b"No reference has this" in ada.get(LIST, {"q": "%"}).content
    for sent in ("x" * 201, "a\x00b"):
        assert ada.get(LIST, {"q": sent}).status_code == 422


def test_the_list_has_pages(cast, ada, monkeypatch) -> None:
    monkeypatch.setattr(views, "REFERENCES_A_PAGE", 2)
    for number in range(3):
        cast.reference(f"r{number}", 1)
    assert isinstance(ada.get(LIST).context["page"].paginator, Paginator)
    shown = [
        [row.reference_id for row in ada.get(LIST, {"page": n}).context["page"]] for n in (1, 2)
    ]
    assert shown == [["r0", "r1"], ["r2"]]
    paged = call(cast.ada, "get", f"{CALL}?page=2&page_size=2")
    assert [row["reference_id"] for row in paged.json()] == ["r2"] and "Link" in paged.headers


def test_an_admin_who_rates_meanwhile_sees_no_counts_of_ratings(cast, ada) -> None:
    reference = cast.reference("r1", 1)
    cast.submit(cast.assign(cast.alice, reference)[0])
    assert b"Ratings</th>" in ada.get(LIST).content
    assert [row["ratings"] for row in call(cast.ada, "get", CALL).json()] == [1]
    grant(cast.ada, cast.campaign, "annotator")
    assert b"Ratings</th>" not in ada.get(LIST).content
    assert [row["ratings"] for row in call(cast.ada, "get", CALL).json()] == [None]


def test_only_admins_of_the_campaign_see_the_list_and_ask(cast, lantern) -> None:
    other = grant(make_user("other"), cast.elsewhere, "admin")
    for user, status in ((cast.rita, 403), (cast.alice, 403), (other, 404)):
        assert signed_in(user).get(LIST).status_code == status
        assert call(user, "get", CALL).status_code == status
        sent = call(user, "post", f"references/{lantern.pk}/erasures/", {"reason": "x"})
        assert sent.status_code == status
    assert not Erasure.objects.exists()
