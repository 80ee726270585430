from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotator.accounts.sessions import create_token
from annotator.assignments.services import assign_candidates
from annotator.campaigns.queries import campaign_notices, campaign_progress
from annotator.campaigns.services import close_campaign
from annotator.models import (
    Assignment,
    AssignmentStatus,
    Candidate,
    ConflictStatus,
    Membership,
    Purpose,
    Round,
    Turn,
)
from annotator.planning.queries import AnnotatorProgress, annotator_progress
from annotator.rating.services import flag_candidate, recuse, skip_assignment
from tests.annotator.adjudication.discrepant import open_conflict
from tests.conftest import grant, signed_in

pytestmark = pytest.mark.postgres


def test_progress_counts_ratings_candidates_and_conflicts(cast) -> None:
    reference = cast.reference("r1", 3)
    hers = cast.assign(cast.alice, reference)
    his = cast.assign(cast.bob, reference)
    twin = next(row for row in his if row.candidate_id == hers[0].candidate_id)
    cast.submit(hers[0], (9, 5, 5, 5))
    cast.submit(hers[1])
    cast.submit(twin, (2, 5, 5, 5))
    progress = campaign_progress(cast.campaign)
    assert (progress.references, progress.candidates, progress.ratings) == (1, 3, 3)
    assert (progress.begun, progress.complete, progress.locked) == (2, 1, 0)
    assert progress.open_conflicts == 2  # the criterion gap of 7, and 28/11 overall
    assert (progress.open_cases, progress.unsettled) == (1, 1)
    assert [person.username for person in progress.annotators] == ["alice", "bob"]


def test_a_candidate_is_complete_with_as_many_ratings_as_it_has_places(cast) -> None:
    reference = cast.reference("r1", 3)
    for row in cast.assign(cast.alice, reference):
        cast.submit(row)
    assert campaign_progress(cast.campaign).complete == 0
    Candidate.objects.filter(pk=reference.candidates.first().pk).update(places=1)
    assert campaign_progress(cast.campaign).complete == 1


def test_conflicts_are_counted_by_status_and_a_flip_unsettles_both_its_candidates(cast) -> None:
    one, two, three = cast.reference("r1", 3).candidates.all()
    statuses = (*ConflictStatus.values, ConflictStatus.OPEN)
    for number, status in enumerate(statuses):
        candidate = one if status in {"open", "waiting"} else three
        kind, other = ("criterion_gap", None) if number else ("order_flip", two)
        more = {"criterion": str(number), "other_candidate": other, "status": status}
        open_conflict(candidate, kind, **more)
    progress = campaign_progress(cast.campaign)
    counts = (
        *(progress.open_conflicts, progress.waiting_conflicts),
        *(progress.ruled_conflicts, progress.lapsed_conflicts),
    )
    assert counts == (2, 1, 1, 1)
    assert (progress.open_cases, progress.unsettled) == (2, 2)


def test_repeats_and_sentinels_are_counted_apart(cast) -> None:
    reference = cast.reference("r1", 4)
    rows = cast.assign(cast.alice, reference)
    for row in rows[:3]:
        cast.submit(row)
    kinds = (Purpose.REPEAT, Purpose.SENTINEL, Purpose.QUALIFICATION)
    for row, purpose in zip(rows, kinds, strict=False):
        Candidate.objects.filter(pk=row.candidate_id).update(purpose=purpose)
    progress = campaign_progress(cast.campaign)
    assert (progress.candidates, progress.begun, progress.ratings) == (2, 1, 1)
    assert (progress.repeats, progress.repeat_ratings) == (1, 1)
    assert (progress.sentinels, progress.sentinel_ratings) == (1, 1)


def test_another_campaign_and_a_purpose_without_candidates_count_for_nothing(cast) -> None:
    reference = cast.reference(campaign=cast.elsewhere)
    Membership.objects.create(user=cast.alice, campaign=cast.elsewhere, role="annotator")
    for user in (cast.alice, cast.mallory):
        cast.submit(cast.assign(user, reference)[0])
    progress = campaign_progress(cast.campaign)
    assert (progress.references, progress.candidates, progress.ratings) == (0, 0, 0)
    alone = (AnnotatorProgress("alice", 0, 0), AnnotatorProgress("bob", 0, 0))
    assert annotator_progress(cast.campaign, timezone.now()) == progress.annotators == alone


def test_shares_days_and_quotas_are_shown_by_name(cast) -> None:
    reference = cast.reference("r1", 3)
    day = datetime(2026, 3, 4, 23, 59, tzinfo=UTC)
    cast.submit(cast.assign(cast.alice, reference)[0], submitted_at=day)
    Membership.objects.filter(user=cast.bob).update(quota=40)
    assert annotator_progress(cast.campaign, timezone.now()) == (
        AnnotatorProgress("alice", 3, 1, last_rated_on=day.date()),
        AnnotatorProgress("bob", 0, 0, quota=40),
    )


def test_only_what_is_open_past_its_date_is_overdue(cast) -> None:
    now = timezone.now()
    rows = cast.assign(cast.alice, cast.reference("r1", 4))
    cast.submit(rows[0])
    for row, hours in zip(rows, (-1, -1, 1), strict=False):
        Assignment.objects.filter(pk=row.pk).update(due_at=now + timedelta(hours=hours))
    (alice, _) = annotator_progress(cast.campaign, now)
    assert (alice.assigned, alice.rated, alice.left, alice.overdue) == (4, 1, 3, 1)


def test_what_was_given_back_is_not_assigned(cast) -> None:
    rows = cast.assign(cast.alice, cast.reference("r1", 3))
    Assignment.objects.filter(pk=rows[0].pk).update(status=AssignmentStatus.RECUSED)
    Assignment.objects.filter(pk=rows[1].pk).update(status=AssignmentStatus.WITHDRAWN)
    (alice, _) = annotator_progress(cast.campaign, timezone.now())
    assert (alice.assigned, alice.left) == (1, 1)


def test_who_also_is_admin_is_marked_and_who_only_was_annotator_stays_listed(cast) -> None:
    cast.submit(cast.assign(cast.bob, cast.reference())[0])
    Membership.objects.create(user=cast.alice, campaign=cast.campaign, role="admin")
    Membership.objects.filter(user=cast.bob).delete()
    alice, bob = annotator_progress(cast.campaign, timezone.now())
    assert (alice.is_admin, alice.is_annotator) == (True, True)
    assert (bob.is_admin, bob.is_annotator, bob.rated) == (False, False, 1)


@pytest.fixture
def states(cast) -> list[Candidate]:
    now = timezone.now()
    old, fresh = now - timedelta(days=3), now - timedelta(hours=1)
    candidates = list(cast.reference("r1", 8).candidates.order_by("candidate_id"))
    times = (None, (old,), (old, old), (old, fresh), (old, fresh), (old, old), (fresh,), (old, old))
    for user, place in ((cast.alice, 0), (cast.bob, 1)):
        rows = {row.candidate_id: row for row in cast.assign(user, candidates[0].reference)}
        for candidate, at in zip(candidates, times, strict=True):
            if at and len(at) > place:
                cast.submit(rows[candidate.pk], submitted_at=at[place])
    length = timedelta(hours=1)
    for candidate, ends in ((candidates[4], now + length), (candidates[6], now - length)):
        Turn.objects.create(
            candidate=candidate, adjudicator=cast.carol, taken_at=fresh, expires_at=ends
        )
    for candidate, ended in ((candidates[5], None), (candidates[7], now)):
        Round.objects.create(
            candidate=candidate, number=2, kind="again", made_at=fresh, finished_at=ended
        )
    return candidates


def test_each_state_is_counted_once(cast, states: list[Candidate]) -> None:
    # Locked are the old pair, the one with a running turn, and the one whose round is over.
    found = campaign_progress(cast.campaign)
    assert (found.candidates, found.begun, found.complete) == (8, 7, 5)
    assert (found.locked, found.ratings) == (3, 12)
    cast.campaign.status = "closed"
    assert campaign_progress(cast.campaign).locked == 7


def test_flags_skips_and_recusals_are_shown_with_reason_and_outcome(cast) -> None:
    first = cast.assign(cast.alice, cast.reference("r1", 2))
    second = cast.assign(cast.alice, cast.reference("r2", 1))
    flag_candidate(assignment=first[0], reason_code="wrong-text", reason="ends in mid-word")
    skip_assignment(assignment=first[1], reason_code="outside-field")
    cast.bob.set_password("a password of his own")
    cast.bob.save()
    recuse(assignment=second[0])
    found = campaign_notices(cast.campaign)
    of = [(n.row.assignment.candidate.reference, n.row.assignment.annotator) for n in found]
    assert [(one.reference_id, who.username) for one, who in of] == [
        *(("r2", "alice"), ("r1", "alice"), ("r1", "alice"))
    ]
    assert [(n.kind, n.row.reason, n.outcome) for n in found] == [
        ("recusal", "", "now with bob"),
        ("skip", "", "nobody has it now"),
        ("flag", "ends in mid-word", "not answered yet"),
    ]
    assert found[1].row.get_reason_code_display() == "outside my technical field"
    assert campaign_notices(cast.elsewhere) == ()


def test_a_recusal_from_a_reference_is_one_row_whatever_became_of_each_candidate(cast) -> None:
    reference = cast.reference("r1", 3)
    rows = cast.assign(cast.alice, reference)
    cast.bob.set_password("a password of his own")
    cast.bob.save()
    # Bob has one of them already: it goes to nobody.
    assign_candidates(campaign=cast.campaign, annotator=cast.bob, candidates=[rows[0].candidate])
    recuse(assignment=rows[0])
    (notice,) = campaign_notices(cast.campaign)
    assert (notice.kind, notice.candidates) == ("recusal", 3)
    assert sorted(notice.outcome.split(", ")) == ["1 nobody has it now", "2 now with bob"]
    other = cast.assign(cast.alice, cast.reference("r2", 1))
    recuse(assignment=other[0])
    assert [one.candidates for one in campaign_notices(cast.campaign)] == [1, 3]


COUNTED = ("counts/", "what-if/", "plan/", "rulings/")


def statuses(client: Client) -> set[int]:
    return {client.get(f"/campaigns/cups/{page}").status_code for page in COUNTED}


@pytest.mark.django_db
def test_an_admin_who_rates_plans_before_the_first_rating_and_counts_after_closing(cast) -> None:
    grant(cast.ada, cast.campaign, "annotator")
    rows = cast.assign(cast.alice, cast.reference())
    ada = signed_in(cast.ada)
    assert statuses(ada) == {200}
    cast.submit(rows[0])
    assert statuses(ada) == {403}
    assert (
        "another admin of the campaign has them"
        in ada.get("/campaigns/cups/what-if/").content.decode()
    )
    page = ada.get("/campaigns/cups/")
    assert page.status_code == 200 and "another admin" in page.content.decode()
    assert "data-live" not in page.content.decode() and "alice" not in page.content.decode()
    assert ada.post("/campaigns/cups/plan/by-name/", {"annotator": "alice"}).status_code == 403
    token = create_token(user=cast.ada).token
    api = Client(headers={"Authorization": f"Token {token}"})
    answer = api.get("/api/v1/campaigns/cups/progress/")
    assert answer.status_code == 403 and "another admin" in answer.json()["detail"]
    grant(cast.rita, cast.campaign, "admin")
    assert statuses(signed_in(cast.rita)) == {200}
    close_campaign(campaign=cast.campaign, reason="done", closed_by=cast.ada)
    assert statuses(ada) == {200}
    assert api.get("/api/v1/campaigns/cups/progress/").status_code == 200


def test_only_own_campaigns_are_listed_with_own_roles(cast, call) -> None:
    (row,) = call(cast.ada, "get", "campaigns/").json()
    assert (row["slug"], row["roles"], row["overlap"]) == ("cups", ["admin"], 2)
    assert call(cast.ada, "get", "campaigns/cups/").json() == row


def test_progress_is_for_admins(cast, call) -> None:
    cast.submit(cast.assign(cast.alice, cast.reference())[0])
    body = call(cast.ada, "get", "campaigns/cups/progress/").json()
    assert (body["ratings"], body["candidates"], body["open_conflicts"]) == (1, 3, 0)
    alice, bob = body["annotators"]
    assert (alice["username"], alice["assigned"], alice["rated"]) == ("alice", 3, 1)
    assert (bob["quota"], bob["overdue"], bob["last_rated_on"]) == (None, 0, None)
    grant(cast.alice, cast.elsewhere, "admin")
    assert call(cast.alice, "get", "campaigns/cups/progress/").status_code == 403
