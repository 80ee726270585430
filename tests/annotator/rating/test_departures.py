"""Skip, recuse, come back, flag."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotator.assignments.services import assign_candidates, lapse_leases, take_next
from annotator.models import (
    Assignment,
    AuditEvent,
    Candidate,
    Departure,
    Draft,
    Flag,
    Membership,
    Rating,
    User,
)
from annotator.rating.services import (
    flag_candidate,
    recuse,
    return_to,
    skip_assignment,
)
from core.errors import OutOfDate, Refused
from core.text_io.shapes import LONGEST_REASON
from tests.conftest import spread

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def annotator(cast, name: str, **more: object) -> User:
    user = User.objects.create(username=name, **more)
    Membership.objects.create(campaign=cast.campaign, user=user, role="annotator")
    return user


def take(cast, user: User) -> Assignment:
    taken = take_next(slug=cast.campaign.slug, annotator=user)
    assert taken is not None
    return taken


def rerouted(departure: Departure) -> Assignment:
    assert departure.rerouted_to is not None
    return departure.rerouted_to


def places() -> list[tuple[int, bool]]:
    rows = Candidate.objects.order_by("queue_position")
    return list(rows.values_list("held", "has_room"))


def test_a_skip_frees_the_place_keeps_the_draft_and_says_why(cast) -> None:
    (row,) = cast.assign(cast.alice, cast.reference("r1", 1))
    Draft.objects.create(assignment=row, typed={"comment": "half"}, saved_at=timezone.now())
    departure = skip_assignment(assignment=row, reason_code="other", reason="too long for today")
    row.refresh_from_db()
    assert (row.status, row.draft.typed) == ("skipped", {"comment": "half"})
    assert (departure.kind, departure.reason) == ("skip", "too long for today")
    assert places() == [(0, True)]
    event = AuditEvent.objects.get(action="assignment.skip")
    assert (event.actor, event.object_id) == (cast.alice, str(row.pk))
    assert event.details == {"reason": "other"}


def test_what_is_rated_or_left_already_is_not_skipped(cast) -> None:
    rated, left, recused = cast.assign(cast.alice, cast.reference("r1", 3))
    cast.submit(rated)
    skip_assignment(assignment=left, reason_code="not-now")
    Assignment.objects.filter(pk=recused.pk).update(status="recused")
    before = places()
    for row in (rated, left, recused):
        with pytest.raises(OutOfDate, match="rated or left already"):
            skip_assignment(assignment=row, reason_code="not-now")
    assert places() == before
    assert Departure.objects.count() == 1 and Rating.objects.count() == 1


def test_a_lapsed_one_is_skipped_without_freeing_a_place_twice(cast) -> None:
    cast.reference("r1", 1)
    row = take(cast, cast.alice)
    past = timezone.now() - timedelta(minutes=1)
    Assignment.objects.filter(pk=row.pk).update(lease_expires_at=past)
    lapse_leases(cast.campaign)
    take(cast, cast.bob)
    skip_assignment(assignment=row, reason_code="not-now")
    assert places() == [(1, True)]
    assert take_next(slug=cast.campaign.slug, annotator=cast.alice) is None


LONG = "x" * (LONGEST_REASON + 1)


@pytest.mark.parametrize(
    ("code", "reason", "field"),
    [
        ("", "", "reason_code"),
        ("no-such", "", "reason_code"),
        ("conflict-of-interest", "", "reason_code"),
        ("other", " \t\n", "reason"),
        ("not-now", LONG, "reason"),
        ("not-now", "a\x00b", "reason"),
    ],
)
def test_a_skip_without_a_good_reason_is_refused_and_changes_nothing(
    cast, code: str, reason: str, field: str
) -> None:
    (row,) = cast.assign(cast.alice, cast.reference("r1", 1))
    with pytest.raises(Refused) as refused:
        skip_assignment(assignment=row, reason_code=code, reason=reason)
    assert refused.value.status == 422 and set(refused.value.fields) == {field}
    row.refresh_from_db()
    assert row.status == "open" and places() == [(1, True)]
    assert not Departure.objects.exists()


def test_a_recusal_takes_the_whole_reference_and_leaves_other_references(cast) -> None:
    rows = cast.assign(cast.alice, cast.reference("r1", 3))
    (other,) = cast.assign(cast.alice, cast.reference("r2", 1))
    cast.submit(rows[0])
    skip_assignment(assignment=rows[1], reason_code="not-now")
    departures = recuse(assignment=rows[2], reason="I drafted it")
    assert {d.assignment_id for d in departures} == {rows[1].pk, rows[2].pk}
    assert {(d.kind, d.reason_code, d.reason) for d in departures} == {
        ("recusal", "conflict-of-interest", "I drafted it")
    }
    statuses = dict(Assignment.objects.filter(annotator=cast.alice).values_list("pk", "status"))
    assert [statuses[row.pk] for row in (*rows, other)] == [
        *("submitted", "recused", "recused"),
        "open",
    ]
    actions = AuditEvent.objects.values_list("action", flat=True)
    assert list(actions).count("assignment.recusal") == 2
    with pytest.raises(OutOfDate, match="Nothing of this reference"):
        recuse(assignment=rows[2])


def test_what_was_assigned_by_name_goes_to_the_least_busy_who_may_rate_it(cast) -> None:
    busy, idle = annotator(cast, "busy"), annotator(cast, "idle")
    recused_too, away = annotator(cast, "aa-recused"), annotator(cast, "ab-away", is_active=False)
    keyless = annotator(cast, "ac-keyless", password="!x")
    reference = cast.reference("r1", 1)
    cast.assign(cast.bob, reference)
    cast.assign(busy, cast.reference("r2", 2))
    cast.assign(idle, cast.reference("r3", 1))
    (theirs,) = cast.assign(recused_too, reference)
    assert rerouted(recuse(assignment=theirs)[0]).annotator == cast.alice
    Assignment.objects.filter(annotator=cast.alice).update(annotator=away)
    (row,) = cast.assign(cast.alice, reference)
    (departure,) = recuse(assignment=row)
    got = rerouted(departure)
    # Bob has it already, alice and one more are recused, two can not work: idle has less than busy.
    assert got.annotator == idle and got.candidate == row.candidate
    assert (got.status, got.lease_expires_at) == ("open", None)
    assert (got.position, got.label) == (2, "Candidate 2")
    assert Departure.objects.get(pk=departure.pk).rerouted_to == got
    event = AuditEvent.objects.get(action="assignment.rerouted", object_id=str(got.pk))
    assert (event.actor, event.details) == (cast.alice, {"from": str(row.pk)})
    assert not keyless.assignments.exists()


def test_who_is_recused_from_one_candidate_of_a_reference_is_given_no_other_of_it(cast) -> None:
    cast.reference("r1", 2)
    theirs = take(cast, cast.bob)
    recuse(assignment=theirs)
    other = Candidate.objects.exclude(pk=theirs.candidate_id).get()
    (row,) = assign_candidates(campaign=cast.campaign, annotator=cast.alice, candidates=[other])
    assert recuse(assignment=row)[0].rerouted_to is None


def test_each_of_several_goes_its_own_way_and_the_places_stay_held(cast) -> None:
    carl, dora = annotator(cast, "carl"), annotator(cast, "dora")
    rows = cast.assign(cast.alice, cast.reference("r1", 4))
    cast.assign(cast.bob, cast.reference("r2", 5))
    got = [rerouted(departure).annotator for departure in recuse(assignment=rows[0])]
    assert (got.count(carl), got.count(dora)) == (2, 2)
    assert set(places()[:4]) == {(1, True)}


def test_where_nobody_can_take_it_the_place_is_free(cast) -> None:
    reference = cast.reference("r1", 1)
    (row,) = cast.assign(cast.alice, reference)
    cast.assign(cast.bob, reference)
    (departure,) = recuse(assignment=row)
    assert departure.rerouted_to is None
    assert places() == [(1, True)]


def test_what_was_taken_on_demand_is_free_for_all_but_never_theirs_again(cast) -> None:
    cast.reference("r1", 2)
    row = take(cast, cast.alice)
    (departure,) = recuse(assignment=row)
    assert departure.rerouted_to is None and places() == [(0, True)] * 2
    assert take_next(slug=cast.campaign.slug, annotator=cast.alice) is None
    assert take(cast, cast.bob).status == "open"


def test_a_skipped_one_whose_place_is_taken_is_not_rerouted_beyond_the_overlap(cast) -> None:
    spread(cast.campaign, 1)
    annotator(cast, "carl")
    (row,) = cast.assign(cast.alice, cast.reference("r1", 1))
    skip_assignment(assignment=row, reason_code="not-now")
    take(cast, cast.bob)
    (departure,) = recuse(assignment=row)
    assert departure.rerouted_to is None
    assert places() == [(1, False)]


@pytest.mark.parametrize("is_named", [True, False])
def test_a_skipped_one_is_taken_back_with_its_place(cast, is_named: bool) -> None:
    reference = cast.reference("r1", 1)
    row = cast.assign(cast.alice, reference)[0] if is_named else take(cast, cast.alice)
    skip_assignment(assignment=row, reason_code="not-now")
    return_to(assignment=row)
    row.refresh_from_db()
    assert row.status == "open" and places() == [(1, True)]
    assert (row.lease_expires_at is None) == is_named
    assert AuditEvent.objects.filter(action="assignment.returned").count() == 1
    with pytest.raises(OutOfDate, match="yours again already"):
        return_to(assignment=row)
    assert places() == [(1, True)]


def test_a_lease_that_is_taken_back_runs_its_whole_time_again(cast) -> None:
    cast.reference("r1", 1)
    row = take(cast, cast.alice)
    row.lease_expires_at = timezone.now() - timedelta(hours=1)
    row.save()
    skip_assignment(assignment=row, reason_code="not-now")
    return_to(assignment=row)
    row.refresh_from_db()
    left = row.lease_expires_at - timezone.now()
    assert left > timedelta(minutes=cast.campaign.lease_minutes - 1)


def test_a_place_that_others_took_is_not_taken_back(cast) -> None:
    spread(cast.campaign, 1)
    cast.reference("r1", 1)
    row = take(cast, cast.alice)
    skip_assignment(assignment=row, reason_code="not-now")
    take(cast, cast.bob)
    with pytest.raises(OutOfDate, match="Somebody else"):
        return_to(assignment=row)
    row.refresh_from_db()
    assert row.status == "skipped" and places() == [(1, False)]


def test_a_recused_one_is_never_taken_back(cast) -> None:
    (row,) = cast.assign(cast.alice, cast.reference("r1", 1))
    recuse(assignment=row)
    with pytest.raises(OutOfDate):
        return_to(assignment=row)


def test_a_flag_reaches_the_admin_and_leaves_the_assignment_open(cast) -> None:
    (row,) = cast.assign(cast.alice, cast.reference("r1", 1))
    flag_candidate(assignment=row, reason_code="wrong-text", reason="cut off after claim 3")
    assert Flag.objects.get().reason == "cut off after claim 3"
    row.refresh_from_db()
    assert row.status == "open"
    assert AuditEvent.objects.get(action="candidate.flagged").details == {"reason": "wrong-text"}


@pytest.mark.parametrize(
    ("code", "reason"),
    [("", ""), ("not-now", ""), ("other", " "), ("wrong-text", LONG), ("wrong-text", "\x00")],
)
def test_a_flag_without_a_good_reason_is_refused(cast, code: str, reason: str) -> None:
    (row,) = cast.assign(cast.alice, cast.reference("r1", 1))
    with pytest.raises(Refused):
        flag_candidate(assignment=row, reason_code=code, reason=reason)
    assert not Flag.objects.exists()


def test_no_reason_and_no_text_enters_the_trail(cast) -> None:
    (row,) = cast.assign(cast.alice, cast.reference("r1", 1))
    flag_candidate(assignment=row, reason_code="other", reason="reasoncanary")
    skip_assignment(assignment=row, reason_code="other", reason="reasoncanary")
    recuse(assignment=row, reason="reasoncanary")
    assert "reasoncanary" not in str(list(AuditEvent.objects.values()))
