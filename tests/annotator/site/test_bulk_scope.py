"""AU04: one reference or person of another campaign among ninety-nine of one's own refuses all."""

from typing import Any

import pytest

from annotator.models import Assignment, Candidate, Membership, Reference

OWN = 99
FORMS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("by-name", {"annotator": "alice"}),
    ("withdraw", {"annotator": "alice", "reason": "ill"}),
    ("qualification", {"step": "mark"}),
    ("qualification", {"step": "unmark"}),
)


@pytest.fixture
def admin(client, cast):
    """Give ada's browser; both campaigns have references."""
    for campaign, count in ((cast.campaign, OWN), (cast.elsewhere, 1)):
        Reference.objects.bulk_create(
            Reference(
                campaign=campaign,
                reference_id=f"{campaign.slug}-{number}",
                claims="1. A cup.",
                claims_sha256=f"{campaign.slug}-{number}",
                position=number,
            )
            for number in range(count)
        )
        Candidate.objects.bulk_create(
            Candidate(
                reference=reference,
                campaign=campaign,
                queue_position=reference.position,
                candidate_id="c",
                claims="1. A mug.",
                claims_sha256=reference.reference_id,
            )
            for reference in campaign.references.all()
        )
    client.force_login(cast.ada)
    return client


def stored() -> list[Any]:
    tables = (Assignment.objects.order_by("pk"), Candidate.objects.order_by("pk"))
    return [list(rows.values()) for rows in tables]


@pytest.mark.parametrize(("where", "sent"), FORMS)
def test_a_list_with_one_foreign_reference_is_refused_as_a_whole(cast, admin, where, sent) -> None:
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


def test_the_same_list_without_it_is_carried_out(cast, admin) -> None:
    ids = "\n".join(cast.campaign.references.values_list("reference_id", flat=True))
    sent = {"annotator": "alice", "references": ids}
    assert admin.post("/campaigns/cups/plan/by-name/", sent).status_code == 303
    assert Assignment.objects.filter(annotator=cast.alice).count() == OWN


@pytest.mark.parametrize("where", ["", "carry-out/"])
def test_a_plan_with_one_foreign_annotator_is_refused_as_a_whole(cast, admin, where) -> None:
    assert Membership.objects.filter(user=cast.mallory, campaign=cast.campaign).count() == 0
    sent = {"annotators": ["alice", "bob", "mallory"], "seed": "1"}
    send = admin.post if where else admin.get
    assert send(f"/campaigns/cups/plan/{where}", sent).status_code == 422
    assert not Assignment.objects.exists()
