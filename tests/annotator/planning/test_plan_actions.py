"""The small forms of the plan page: done, refused in place, never a server error."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotator.models import Assignment, Campaign, Candidate, Membership, Reference

pytestmark = pytest.mark.django_db

PAGE = "/campaigns/cups/plan/"
DAMAGEABLE = (
    "1. A pump comprising a housing, a piston in the housing, a valve and a spring, wherein the "
    "housing is closed.\n2. The pump of claim 1, wherein the valve is round."
)


@pytest.fixture
def admin(client, cast):
    client.force_login(cast.ada)
    cast.reference("r1", 2)
    cast.reference("r2", 2)
    return client


def post(admin, where: str, **sent: object):
    return admin.post(f"{PAGE}{where}/", sent)


def said(admin) -> str:
    return admin.get(PAGE).content.decode()


def test_references_are_given_by_name(admin, cast) -> None:
    day = (timezone.now() + timedelta(days=2)).date()
    answer = post(admin, "by-name", annotator="alice", references=" r1 \r\n\r\nr2", due_on=day)
    assert (answer.status_code, answer["Location"]) == (303, PAGE)
    assert cast.alice.assignments.count() == 4
    due = cast.alice.assignments.first().due_at
    assert (due.date(), due.hour) == (day, 23)
    assert "alice is given 4 candidates." in said(admin)


def test_what_is_full_or_all_theirs_is_reported(admin, cast) -> None:
    Candidate.objects.update(places=1, held=1, has_room=False)
    post(admin, "by-name", annotator="alice", references="r1")
    assert "2 of them beyond their places" in said(admin)
    answer = post(admin, "by-name", annotator="alice", references="r1")
    assert answer.status_code == 422
    assert "has all of this already" in answer.content.decode()


def test_open_work_is_withdrawn_with_a_reason(admin, cast) -> None:
    cast.assign(cast.alice, cast.campaign.references.get(reference_id="r1"))
    answer = post(admin, "withdraw", annotator="alice", references="r2", reason="ill")
    assert answer.status_code == 409
    assert "nothing open" in answer.content.decode()
    answer = post(admin, "withdraw", annotator="alice", references="", reason="ill")
    assert answer.status_code == 303
    assert set(Assignment.objects.values_list("status", flat=True)) == {"withdrawn"}


def test_a_quota_is_set_and_lifted(admin, cast) -> None:
    for sent, stored in (("12", 12), ("", None)):
        assert post(admin, "quota", annotator="alice", quota=sent).status_code == 303
        assert Membership.objects.get(user=cast.alice).quota == stored


def test_references_are_marked_for_qualification_and_unmarked(admin, cast) -> None:
    assert post(admin, "qualification", references="r1", step="mark").status_code == 303
    assert cast.bob.assignments.count() == 2
    assert "1 reference: r1" in said(admin)
    assert post(admin, "qualification", references="r1", step="mark").status_code == 409
    assert post(admin, "qualification", references="r1", step="unmark").status_code == 303
    assert set(Candidate.objects.values_list("purpose", flat=True)) == {"rated"}


def test_sentinels_are_made_or_refused_with_the_reason(admin, cast) -> None:
    Reference.objects.filter(reference_id="r1").update(claims=DAMAGEABLE)
    Reference.objects.filter(reference_id="r2").update(claims="A cup")
    answer = post(admin, "sentinels", count="2", seed="1")
    assert answer.status_code == 422
    assert "Only 1 of 2 sentinels" in answer.content.decode()
    assert post(admin, "sentinels", count="1", seed="1").status_code == 303
    assert "1 made, 0 ratings of them" in said(admin)


def test_repeats_are_set_and_shown(admin, cast) -> None:
    assert post(admin, "repeats", percent="8", lag="12").status_code == 303
    row = Campaign.objects.get(slug="cups")
    assert (row.repeat_percent, row.repeat_lag) == (8, 12)
    html = said(admin)
    assert 'value="8"' in html and 'value="12"' in html


LONG = "r\n" * 100_000
WRONG = [
    ("by-name", {}),
    ("by-name", {"annotator": "nobody", "references": "r1"}),
    ("by-name", {"annotator": "mallory", "references": "r1"}),
    ("by-name", {"annotator": "al\x00ice", "references": "r1"}),
    ("by-name", {"annotator": ["alice", "bob", "x"], "references": "r1"}),
    ("by-name", {"annotator": "alice", "references": "r9"}),
    ("by-name", {"annotator": "alice", "references": "r\x001"}),
    ("by-name", {"annotator": "alice", "references": " \n "}),
    ("by-name", {"annotator": "alice", "references": LONG}),
    ("by-name", {"annotator": "alice", "references": "r1", "due_on": "2001-01-01"}),
    ("by-name", {"annotator": "alice", "references": "r1", "due_on": "31.12.2030"}),
    ("withdraw", {"annotator": "alice", "reason": ""}),
    ("withdraw", {"annotator": "alice", "reason": "x" * 200_000}),
    ("withdraw", {"annotator": "alice", "reason": "a\x00b"}),
    ("withdraw", {"annotator": "carol", "reason": "why"}),
    ("quota", {"annotator": "alice", "quota": "-1"}),
    ("quota", {"annotator": "alice", "quota": "1" * 30}),
    ("quota", {"annotator": "alice", "quota": "many"}),
    ("quota", {"annotator": "", "quota": "3"}),
    ("quota", {"annotator": "ada", "quota": "3"}),
    ("qualification", {"references": ""}),
    ("qualification", {"references": "r1\nr9"}),
    ("sentinels", {"count": "0", "seed": "1"}),
    ("sentinels", {"count": "1", "seed": "x"}),
    ("sentinels", {"count": "9" * 5000, "seed": "1"}),
    ("repeats", {"percent": "51", "lag": "5"}),
    ("repeats", {"percent": "5", "lag": "0"}),
    ("repeats", {"percent": "\u0665", "lag": "nought"}),
    ("repeats", {}),
]


def test_what_cannot_be_done_is_refused_and_changes_nothing(admin, cast) -> None:
    for where, sent in WRONG:
        answer = admin.post(f"{PAGE}{where}/", sent)
        said = f"{where}: {sent!s:.99}"
        assert answer.status_code == 422, said
        assert 'class="error"' in answer.content.decode(), said
        assert not Assignment.objects.exists(), said
        assert set(Candidate.objects.values_list("purpose", flat=True)) == {"rated"}, said
        assert set(Membership.objects.values_list("quota", flat=True)) == {None}, said
        assert Campaign.objects.get(slug="cups").repeat_percent == 0, said


PLACES = ("by-name", "withdraw", "quota", "qualification", "sentinels", "repeats", "carry-out")


def test_every_form_is_for_the_admin_of_the_campaign_and_by_post_only(admin, cast) -> None:
    rita = Client()
    rita.force_login(cast.rita)
    for where in PLACES:
        assert admin.get(f"{PAGE}{where}/").status_code == 405, where
        assert admin.post(f"/campaigns/elsewhere/plan/{where}/").status_code == 404, where
        assert rita.post(f"{PAGE}{where}/").status_code == 403, where


def test_an_id_is_on_the_page_once_and_each_field_has_its_label(admin) -> None:
    html = said(admin)
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    for wanted in re.findall(r'\bfor="([^"]+)"', html):
        assert wanted in ids
