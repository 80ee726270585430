from datetime import timedelta

import pytest
from django.utils import timezone

from annotator.adjudication.rounds import (
    LONGEST_QUESTION,
    TURN_LENGTH,
    call_back,
    give_back,
    send_back,
    take_turn,
)
from annotator.assignments.services import spread_places, take_next
from annotator.conflicts.queries import is_locked
from annotator.models import (
    Assignment,
    AuditEvent,
    Candidate,
    Conflict,
    Rating,
    Round,
    SecondLook,
    Turn,
    User,
)
from annotator.rating.services import recuse
from core.errors import Forbidden, OutOfDate, Refused
from tests.annotator.adjudication.discrepant import (
    HIGH,
    LOW,
    disagree,
    leave_campaign,
    member,
    of,
    rate_all,
    revise,
    share,
    statuses,
)
from tests.annotator.adjudication.rulings import decide
from tests.conftest import grant

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture
def candidate(cast, carol: User) -> Candidate:
    return disagree(cast)


def ask(candidate: Candidate, by: User, kind: str = "again", question: str = "Claim 2?") -> None:
    send_back(conflict_id=of(candidate).pk, adjudicator=by, kind=kind, question=question)


def pass_window() -> None:
    Rating.objects.update(revised_at=timezone.now() - timedelta(days=9))


def test_a_second_look_unlocks_the_ratings_and_has_the_conflict_wait(cast, candidate) -> None:
    pass_window()
    take_turn(conflict_id=of(candidate).pk, adjudicator=cast.carol)
    assert is_locked(share(cast.alice, candidate))
    ask(candidate, cast.carol)
    assert not is_locked(share(cast.alice, candidate))
    assert statuses(candidate) == {"waiting"} and not Turn.objects.exists()
    row = Round.objects.get()
    assert (row.number, row.kind, row.question) == (2, "again", "Claim 2?")
    assert row.asked_by == cast.carol
    assert {look.assignment for look in SecondLook.objects.all()} == {
        share(cast.alice, candidate),
        share(cast.bob, candidate),
    }
    assert AuditEvent.objects.filter(action="conflict.sent_back").count() == 1


def test_the_round_ends_with_the_last_who_looked_again_and_the_ratings_lock(cast, candidate):
    ask(candidate, cast.carol)
    same = revise(cast.alice, candidate)
    assert statuses(candidate) == {"waiting"} and not Round.objects.get().finished_at
    assert (same.version, same.round) == (2, 2)
    assert list(same.revisions.values_list("round", flat=True)) == [1, 2]
    # Who looks twice answers once.
    revise(cast.alice, candidate)
    assert SecondLook.objects.filter(answered_at=None).count() == 1
    assert statuses(candidate) == {"waiting"}
    revise(cast.bob, candidate, (8, 9, 9, 9))
    assert statuses(candidate) == {"open"} and Round.objects.get().finished_at
    assert Conflict.objects.get(criterion="feature_completeness").gap == 7
    pass_window()
    assert is_locked(share(cast.alice, candidate))


def test_a_second_look_that_agrees_ends_the_conflict_and_the_other_is_still_asked(cast, candidate):
    ask(candidate, cast.carol)
    revise(cast.alice, candidate, HIGH)
    assert statuses(candidate) == {"lapsed"}
    revise(cast.bob, candidate, LOW)
    assert statuses(candidate) == {"open"}


def test_another_annotator_gets_the_candidate_by_name_where_work_is_given_by_name(cast, candidate):
    erin = member(cast, "erin")
    ask(candidate, cast.carol, "another", "")
    row = share(erin, candidate)
    assert (row.status, row.lease_expires_at) == ("open", None)
    rating = cast.submit(row, HIGH)
    assert rating.round == 2 and Round.objects.get().finished_at
    assert statuses(candidate) == {"open"}


def test_another_annotator_takes_the_candidate_where_work_is_taken(cast, candidate) -> None:
    Assignment.objects.update(lease_expires_at=timezone.now())
    erin = member(cast, "erin")
    ask(candidate, cast.carol, "another", "")
    assert not erin.assignments.exists()
    # Rules that spread the places anew leave that of another annotator.
    spread_places(cast.campaign)
    candidate.refresh_from_db()
    assert (candidate.places, candidate.has_room) == (cast.campaign.overlap + 1, True)
    assert cast.take(erin).candidate == candidate
    assert take_next(slug="cups", annotator=member(cast, "frank")) is None


def test_who_sees_what_others_gave_is_no_further_annotator(cast, candidate) -> None:
    grant(cast.carol, cast.campaign, "annotator")
    member(cast, "admin-too", "annotator", "admin")
    with pytest.raises(Refused) as refused:
        ask(candidate, cast.carol, "another", "")
    assert "No other annotator" in refused.value.fields["kind"][0]
    assert not Round.objects.exists()


def test_those_who_left_the_campaign_are_not_asked_again(cast, candidate) -> None:
    leave_campaign(cast.bob, cast)
    ask(candidate, cast.carol)
    revise(cast.alice, candidate)
    assert statuses(candidate) == {"open"}
    leave_campaign(cast.alice, cast)
    with pytest.raises(Refused) as refused:
        ask(candidate, cast.carol)
    assert list(refused.value.fields) == ["kind"]


@pytest.mark.parametrize(
    ("kind", "question", "field"),
    [
        ("again", "", "question"),
        ("again", " \n", "question"),
        ("again", "\u200b", "question"),
        ("again", "x" * (LONGEST_QUESTION + 1), "question"),
        ("another", "nul\x00", "question"),
        ("ladder", "why", "kind"),
        ("", "why", "kind"),
    ],
    ids=["none", "blank", "zero-width", "long", "nul", "ladder", "no-kind"],
)
def test_bad_words_are_refused_by_field(cast, candidate, kind, question, field) -> None:
    with pytest.raises(Refused) as refused:
        ask(candidate, cast.carol, kind, question)
    assert list(refused.value.fields) == [field]
    assert not Round.objects.exists() and statuses(candidate) == {"open"}


def test_what_is_asked_already_closed_taken_or_ruled_is_not_sent_back(cast, candidate, dora):
    take_turn(conflict_id=of(candidate).pk, adjudicator=cast.carol)
    with pytest.raises(OutOfDate):
        ask(candidate, dora)
    ask(candidate, cast.carol)
    with pytest.raises(OutOfDate):
        ask(candidate, dora)
    call_back(conflict_id=of(candidate).pk, adjudicator=dora)
    cast.campaign.status = "closed"
    cast.campaign.save()
    with pytest.raises(OutOfDate):
        ask(candidate, dora)
    decide(of(candidate), dora)
    with pytest.raises(OutOfDate):
        ask(candidate, dora)


def test_who_sent_it_back_rules_only_where_nobody_else_may(cast, candidate, dora) -> None:
    ask(candidate, cast.carol)
    call_back(conflict_id=of(candidate).pk, adjudicator=cast.carol)
    with pytest.raises(Forbidden) as refused:
        decide(of(candidate), cast.carol)
    assert "another adjudicator" in refused.value.sentence
    with pytest.raises(Forbidden):
        take_turn(conflict_id=of(candidate).pk, adjudicator=cast.carol)
    User.objects.filter(pk=dora.pk).update(is_active=False)
    take_turn(conflict_id=of(candidate).pk, adjudicator=cast.carol)
    User.objects.filter(pk=dora.pk).update(is_active=True)
    Turn.objects.all().delete()
    decide(of(candidate), dora)


def test_where_every_adjudicator_has_sent_it_back_each_may_rule(cast, candidate, dora) -> None:
    for person in (cast.carol, dora):
        ask(candidate, person)
        call_back(conflict_id=of(candidate).pk, adjudicator=person)
    decide(of(candidate), cast.carol)


def test_another_adjudicator_who_has_to_do_with_the_ratings_hinders_nobody(cast, candidate) -> None:
    grant(cast.alice, cast.campaign, "adjudicator")
    erin = member(cast, "erin", "adjudicator", "annotator")
    other = cast.reference("r2", 1).candidates.get()
    Candidate.objects.filter(pk=other.pk).update(reference=candidate.reference, candidate_id="c9")
    recuse(assignment=cast.assign(erin, candidate.reference)[0])
    ask(candidate, cast.carol)
    call_back(conflict_id=of(candidate).pk, adjudicator=cast.carol)
    take_turn(conflict_id=of(candidate).pk, adjudicator=cast.carol)


def test_called_back_it_is_open_and_nobody_is_asked_any_more(cast, candidate) -> None:
    erin = member(cast, "erin")
    Assignment.objects.update(lease_expires_at=timezone.now())
    ask(candidate, cast.carol, "another", "")
    call_back(conflict_id=of(candidate).pk, adjudicator=cast.carol)
    assert statuses(candidate) == {"open"}
    candidate.refresh_from_db()
    assert (candidate.places, candidate.held, candidate.has_room) == (2, 2, False)
    assert take_next(slug="cups", annotator=erin) is None
    with pytest.raises(OutOfDate):
        call_back(conflict_id=of(candidate).pk, adjudicator=cast.carol)
    assert AuditEvent.objects.filter(action="conflict.called_back").count() == 1


def test_who_was_given_it_by_name_may_still_rate_what_was_called_back(cast, candidate) -> None:
    erin = member(cast, "erin")
    ask(candidate, cast.carol, "another", "")
    call_back(conflict_id=of(candidate).pk, adjudicator=cast.carol)
    assert cast.submit(share(erin, candidate), HIGH).round == 1
    candidate.refresh_from_db()
    assert (candidate.places, candidate.held, candidate.has_room) == (2, 3, False)


def test_only_an_adjudicator_of_the_campaign_sends_or_calls_back(cast, candidate) -> None:
    grant(cast.mallory, cast.elsewhere, "adjudicator")
    grant(cast.alice, cast.campaign, "adjudicator")
    for person in (cast.mallory, cast.ada, cast.bob):
        with pytest.raises(Conflict.DoesNotExist):
            ask(candidate, person)
    with pytest.raises(Forbidden):
        ask(candidate, cast.alice)
    ask(candidate, cast.carol)
    for person in (cast.mallory, cast.ada, cast.alice):
        with pytest.raises(Conflict.DoesNotExist):
            call_back(conflict_id=of(candidate).pk, adjudicator=person)


def test_an_order_flip_asks_about_both_candidates_but_not_about_a_ruled_one(cast) -> None:
    reference = cast.reference("r1", 2)
    rate_all(cast, cast.alice, reference, [(5, 5, 5, 5), (6, 6, 6, 6)])
    rate_all(cast, cast.bob, reference, [(6, 6, 6, 6), (5, 5, 5, 5)])
    flip = Conflict.objects.get()
    rows = send_back(
        conflict_id=flip.pk, adjudicator=cast.carol, kind="again", question="Which keeps the lid?"
    )
    assert {row.candidate_id for row in rows} == {flip.candidate_id, flip.other_candidate_id}
    assert SecondLook.objects.count() == 4
    first, second = reference.candidates.order_by("candidate_id")
    for person in (cast.alice, cast.bob):
        revise(person, first)
    flip.refresh_from_db()
    assert flip.status == "waiting"
    for person in (cast.alice, cast.bob):
        revise(person, second)
    flip.refresh_from_db()
    assert flip.status == "open"


@pytest.fixture
def conflict(cast) -> Conflict:
    reference = cast.reference("r1", 2)
    for person, scores in ((cast.alice, LOW), (cast.bob, HIGH)):
        rate_all(cast, person, reference, [scores, scores])
    return of(reference.candidates.earliest("candidate_id"))


def test_a_turn_locks_the_ratings_of_its_candidate_and_no_others_until_given_back(conflict, cast):
    revise(cast.alice, conflict.candidate)
    take_turn(conflict_id=conflict.pk, adjudicator=cast.carol)
    with pytest.raises(OutOfDate):
        revise(cast.alice, conflict.candidate)
    (other,) = conflict.candidate.reference.candidates.exclude(pk=conflict.candidate_id)
    assert not is_locked(share(cast.alice, other))
    revise(cast.alice, other)
    give_back(conflict_id=conflict.pk, adjudicator=cast.carol)
    assert revise(cast.alice, conflict.candidate).version == 3
    # What is locked anyway stays so.
    Rating.objects.update(revised_at=timezone.now() - timedelta(hours=25))
    take_turn(conflict_id=conflict.pk, adjudicator=cast.carol)
    give_back(conflict_id=conflict.pk, adjudicator=cast.carol)
    assert is_locked(share(cast.alice, conflict.candidate))


def test_another_adjudicator_waits_until_it_is_given_back(conflict, cast, dora):
    take_turn(conflict_id=conflict.pk, adjudicator=cast.carol)
    siblings = Conflict.objects.filter(candidate=conflict.candidate, kind="criterion_gap")
    for each in (conflict, siblings.earliest("pk")):
        with pytest.raises(OutOfDate):
            take_turn(conflict_id=each.pk, adjudicator=dora)
    give_back(conflict_id=conflict.pk, adjudicator=dora)
    assert Turn.objects.get().adjudicator == cast.carol
    give_back(conflict_id=conflict.pk, adjudicator=cast.carol)
    take_turn(conflict_id=conflict.pk, adjudicator=dora)


def test_taking_it_again_gives_the_whole_time_and_an_old_turn_locks_nothing(conflict, cast, dora):
    take_turn(conflict_id=conflict.pk, adjudicator=cast.carol)
    Turn.objects.update(expires_at=timezone.now() + timedelta(minutes=1))
    until = take_turn(conflict_id=conflict.pk, adjudicator=cast.carol)
    assert until - timezone.now() > TURN_LENGTH - timedelta(minutes=1)
    assert AuditEvent.objects.filter(action="turn.taken").count() == 1
    Turn.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    revise(cast.alice, conflict.candidate)
    take_turn(conflict_id=conflict.pk, adjudicator=dora)
    assert Turn.objects.get().adjudicator == dora


def test_what_lapsed_or_is_not_in_reach_is_not_taken(conflict, cast) -> None:
    grant(cast.mallory, cast.elsewhere, "adjudicator")
    with pytest.raises(Conflict.DoesNotExist):
        take_turn(conflict_id=conflict.pk, adjudicator=cast.mallory)
    Conflict.objects.update(status="lapsed")
    with pytest.raises(OutOfDate):
        take_turn(conflict_id=conflict.pk, adjudicator=cast.carol)
