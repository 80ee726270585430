"""What has been done about one candidate."""

import pytest
from django.utils import timezone

from annotator import audit_log
from annotator.adjudication.rulings.queries import record_sha256
from annotator.adjudication.settled.queries import (
    conflicts_on,
    given_ratings,
    rounds_on,
    rulings_on,
)
from annotator.models import Adjudication, Conflict, Rating, Round, Ruling, SecondLook
from annotator.rating.services import revise_rating
from annotator.rubric import ALL_CRITERIA, CRITERIA

pytestmark = pytest.mark.postgres


@pytest.fixture
def rating(cast) -> Rating:
    """Give alice's rating of one of two candidates, revised once."""
    reference = cast.reference("r1", 2)
    rating = cast.submit(cast.assign(cast.alice, reference)[0], (7, 5, 5, 5), comment="secret")
    scores = dict(zip(CRITERIA, (6, 5, 5, 5), strict=True))
    return revise_rating(rating_id=rating.pk, annotator=cast.alice, scores=scores, version=1)


def test_a_rating_stands_with_every_version_of_it(cast, rating: Rating) -> None:
    (found,) = given_ratings(rating.candidate_id, {str(cast.alice.pk): "Annotator 4"})
    assert (found.annotator, found.number, found.round) == ("Annotator 4", 2, 1)
    assert found.points == ("6", "5", "5", "5", "5.36")
    assert [(one.number, one.points[0]) for one in found.revisions] == [(1, "7"), (2, "6")]
    assert "secret" not in repr(found) and "alice" not in repr(found)


def test_annotator_ten_stands_after_annotator_nine(cast, rating: Rating) -> None:
    his = next(
        row
        for row in cast.assign(cast.bob, rating.candidate.reference)
        if row.candidate_id == rating.candidate_id
    )
    cast.submit(his)
    names = {str(cast.alice.pk): "Annotator 10", str(cast.bob.pk): "Annotator 9"}
    found = given_ratings(rating.candidate_id, names)
    assert [one.annotator for one in found] == ["Annotator 9", "Annotator 10"]


def test_a_round_says_how_many_have_answered(cast, rating: Rating) -> None:
    now = timezone.now()
    row = Round.objects.create(
        candidate=rating.candidate, number=2, kind="again", question="Claim 3?", made_at=now
    )
    SecondLook.objects.create(round=row, assignment=rating.assignment, answered_at=now)
    (found,) = rounds_on(rating.candidate_id)
    assert (found.number, found.asked, found.answered) == (2, 1, 1)
    assert (found.kind, found.question) == ("the same annotators look again", "Claim 3?")
    assert found.finished_at is None


def test_a_flip_is_shown_on_both_candidates_each_against_the_other(cast, rating: Rating) -> None:
    one, two = rating.candidate.reference.candidates.all()
    Conflict.objects.create(
        campaign=cast.campaign,
        candidate=one,
        other_candidate=two,
        kind="order_flip",
        gap=22,
        rules_version=3,
        status="lapsed",
        opened_at=timezone.now(),
    )
    names = {one.pk: "one", two.pk: "two"}
    for pk, other in ((one.pk, "two"), (two.pk, "one")):
        (found,) = conflicts_on(pk, names)
        assert (found.other, found.rules_version, found.status) == (other, 3, "lapsed")
        assert "2.00" in found.words


def test_a_ruling_says_whether_its_record_is_what_was_signed(cast, rating: Rating) -> None:
    conflict = Conflict.objects.create(
        campaign=cast.campaign,
        candidate=rating.candidate,
        kind="overall_gap",
        gap=22,
        opened_at=timezone.now(),
    )
    signed = Adjudication.objects.create(
        conflict=conflict,
        adjudicator=cast.carol,
        decision="take",
        ratings_seen=[],
        made_at=timezone.now(),
    )
    scores = dict.fromkeys(ALL_CRITERIA, "41/5")
    ruling = Ruling.objects.create(
        adjudication=signed, candidate=rating.candidate, rating=rating, scores=scores
    )
    signed.record_sha256 = record_sha256(signed, [ruling])
    signed.save()
    audit_log.record(
        action="conflict.ruled",
        object_type="adjudication",
        object_id=signed.pk,
        details={"record_sha256": signed.record_sha256},
    )
    names = {str(cast.alice.pk): "Annotator 1"}
    (found,) = rulings_on(rating.candidate_id, names)
    assert (found.is_valid, found.holds, found.taken_from) == (True, True, "Annotator 1")
    assert found.points == ("8.20",) * 5
    Ruling.objects.update(scores=dict.fromkeys(ALL_CRITERIA, "8"))
    (found,) = rulings_on(rating.candidate_id, {})
    assert (found.holds, found.taken_from) == (False, "one annotator")
