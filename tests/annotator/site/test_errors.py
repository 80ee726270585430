from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client, RequestFactory

from annotator.models import Assignment, Candidate
from annotator.site.errors import server_error
from tests.faults import raising


@pytest.mark.django_db
def test_a_wrong_address_is_404_with_a_way_home(client: Client) -> None:
    answer = client.get("/no/such/")
    assert answer.status_code == 404
    assert b'href="/"' in answer.content


def test_a_refusal_names_the_account_and_lets_it_sign_out(client: Client, cast) -> None:
    client.force_login(cast.rita)
    answer = client.get("/rated/")
    assert answer.status_code == 403
    assert b"<strong>rita</strong>" in answer.content and b"/logout/" in answer.content


def test_the_page_of_a_fault_needs_no_database() -> None:
    # Without the database fixture a query would raise, as it would with the server gone.
    answer = server_error(RequestFactory().get("/"))
    assert answer.status_code == 500
    assert b"Something went wrong" in answer.content


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/", "/api/v1/campaigns/"])
def test_a_database_that_does_not_answer_is_503_and_says_what_to_do(client, path) -> None:
    client.raise_request_exception = False

    gone = raising(OperationalError("server closed the connection at secret-host"))
    with connection.execute_wrapper(gone):
        client.cookies["sessionid"] = "a" * 32
        answer = client.get(path)
    assert answer.status_code == 503
    assert answer["Retry-After"] == "5"
    assert b"send it again" in answer.content and b"secret-host" not in answer.content
    assert ("json" in answer["Content-Type"]) == path.startswith("/api/")


@pytest.mark.django_db
def test_too_many_fields_are_400(client: Client, cast) -> None:
    row = cast.assign(cast.alice, cast.reference())[0]
    client.force_login(cast.alice)
    answer = client.post(f"/rate/{row.pk}/", {f"f{n}": "1" for n in range(2000)})
    assert answer.status_code == 400
    assert b"could not be read" in answer.content


OWN = 30
FORMS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("by-name", {"annotator": "alice"}),
    ("withdraw", {"annotator": "alice", "reason": "ill"}),
    ("qualification", {"step": "mark"}),
    ("qualification", {"step": "unmark"}),
)


@pytest.fixture
def full(cast) -> None:
    for campaign, count in ((cast.campaign, OWN), (cast.elsewhere, 1)):
        for number in range(count):
            cast.reference(f"{campaign.slug}-{number}", 1, campaign)


def stored() -> list[Any]:
    tables = (Assignment.objects.order_by("pk"), Candidate.objects.order_by("pk"))
    return [list(rows.values()) for rows in tables]


@pytest.mark.parametrize(("where", "sent"), FORMS)
def test_a_list_with_a_foreign_reference_is_refused(cast, admin, full, where, sent):
    ids = [*cast.campaign.references.values_list("reference_id", flat=True), "elsewhere-0"]
    assert len(ids) == OWN + 1
    before = stored()
    foreign = admin.post(f"/campaigns/cups/plan/{where}/", {**sent, "references": "\n".join(ids)})
    assert foreign.status_code == 422 and stored() == before
    # One that is nowhere is answered in the same words.
    ids[-1] = "nowhere-000"
    nowhere = admin.post(f"/campaigns/cups/plan/{where}/", {**sent, "references": "\n".join(ids)})
    assert nowhere.status_code == 422
    page = "This campaign has no reference of these ids: {}."
    assert page.format("elsewhere-0") in foreign.content.decode()
    assert page.format("nowhere-000") in nowhere.content.decode()
    if where == "by-name":
        good = admin.post(
            f"/campaigns/cups/plan/{where}/", sent | {"references": "\n".join(ids[:-1])}
        )
        assert good.status_code == 303
        assert Assignment.objects.filter(annotator=cast.alice).count() == OWN
