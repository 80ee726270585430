"""The rulings of a campaign: read and voided by its admins, and by nobody else."""

from typing import Any

import pytest
from django.test import Client

from annotator.adjudication.rulings.services import rule
from annotator.models import Adjudication, Conflict, Membership
from annotator.rubric import CRITERIA

PASSWORD = "a long enough phrase"
LIST = "/campaigns/cups/rulings/"

pytestmark = pytest.mark.django_db


@pytest.fixture
def row(cast, client: Client, quick_passwords: None) -> Adjudication:
    reference = cast.reference("r1", 1)
    for person, value in ((cast.alice, 1), (cast.bob, 9)):
        (assignment,) = cast.assign(person, reference)
        cast.submit(assignment, [value] * 4)
    cast.carol.set_password(PASSWORD)
    client.force_login(cast.ada)
    return rule(
        conflict_id=Conflict.objects.get(kind="overall_gap").pk,
        adjudicator=cast.carol,
        decision="scores",
        scores=dict.fromkeys(CRITERIA, 3),
        reason_code="slip",
        reason="<b>A wrong key.</b>",
        has_guideline_gap=True,
        password=PASSWORD,
    )


def void(client: Client, row: Adjudication, reason: str, slug: str = "cups") -> Any:
    return client.post(f"/campaigns/{slug}/rulings/{row.pk}/void/", {"reason": reason})


def test_the_list_says_who_signed_what_and_that_it_holds(client, row) -> None:
    text = client.get(LIST).content.decode()
    assert "carol" in text and "unchanged" in text and "guideline gap" in text
    assert "&lt;b&gt;A wrong key." in text and "<b>A wrong" not in text
    assert row.record_sha256[:12] in text


def test_a_record_that_was_changed_is_called_so(client, row) -> None:
    Adjudication.objects.update(reason="Something else.")
    assert b"not what was signed" in client.get(LIST).content


def test_voiding_needs_a_reason_and_opens_the_conflict_again(client, row) -> None:
    answer = void(client, row, " ")
    assert answer.status_code == 422 and b"Say in a few words why." in answer.content
    assert Conflict.objects.filter(status="ruled").exists()
    assert void(client, row, "Wrong candidate.").status_code == 303
    assert set(Conflict.objects.values_list("status", flat=True)) == {"open"}
    text = client.get(LIST).content.decode()
    assert "Void</strong> since" in text and "Wrong candidate." in text and "by ada" in text
    assert void(client, row, "Once more.").status_code == 409


def test_another_campaigns_admin_neither_reads_nor_voids(client, cast, row) -> None:
    Membership.objects.create(user=cast.mallory, campaign=cast.elsewhere, role="admin")
    client.force_login(cast.mallory)
    assert client.get(LIST).status_code == 404
    assert void(client, row, "No.").status_code == 404
    assert void(client, row, "No.", "elsewhere").status_code == 404
    assert Adjudication.objects.get().is_valid


def test_a_campaign_without_rulings_says_so(client, cast) -> None:
    client.force_login(cast.ada)
    assert b"No conflict of this campaign" in client.get(LIST).content
