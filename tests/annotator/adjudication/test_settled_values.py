from collections.abc import Sequence
from fractions import Fraction

import pytest
from django.utils import timezone

from annotator import audit_log
from annotator.adjudication.rulings.queries import record_sha256
from annotator.adjudication.settled.queries import (
    CandidateTrace,
    SettledCandidate,
    candidate_trace,
    conflicts_on,
    given_ratings,
    raters_of,
    references_with_candidates,
    rounds_on,
    rulings_on,
    settled_references,
)
from annotator.models import Candidate, Conflict, Purpose, Rating, Round, Ruling, SecondLook
from annotator.rating.services import revise_rating
from patclaimeval.rubric import ALL_CRITERIA, CRITERIA
from tests.annotator.adjudication.discrepant import open_conflict, rate_all, share
from tests.annotator.adjudication.rulings import store_ruling

pytestmark = pytest.mark.postgres


def settled(cast) -> list[SettledCandidate]:
    """Return every settled candidate of cups, in the order of their names."""
    rows = list(references_with_candidates(cast.campaign))
    found = settled_references(cast.campaign, rows)
    return [one for reference in found for one in reference.candidates]


def ruled(cast, candidate: Candidate, value: str, *, is_valid: bool = True) -> None:
    conflict = Conflict.objects.filter(candidate=candidate)[0]
    store_ruling(conflict, cast.carol, value, is_valid=is_valid)


@pytest.fixture
def rated(cast) -> list[Candidate]:
    """Give three candidates: both rate the first alike, differ on the second; none the third."""
    reference = cast.reference("r1", 3)
    *both, third = reference.candidates.order_by("candidate_id")
    scores = {"alice": ((7, 7, 7, 7), (7, 7, 7, 7)), "bob": ((7, 6, 7, 8), (1, 1, 1, 1))}
    for user in (cast.alice, cast.bob):
        cast.assign(user, reference)
        for candidate, values in zip(both, scores[user.username], strict=True):
            cast.submit(share(user, candidate), values)
    return [*both, third]


def test_means_are_exact_and_of_this_campaign_and_an_open_conflict_is_named(cast, rated) -> None:
    alike, differ, nobody = settled(cast)
    assert [value.settled for value in alike.values] == [
        *(7, Fraction(13, 2), 7, Fraction(15, 2), Fraction(77 + 78, 22))
    ]
    assert (alike.state, alike.is_settled, alike.ratings) == ("no conflict", True, 2)
    assert (differ.state, differ.is_settled) == ("open conflict", False)
    assert [value.settled for value in differ.values] == [4] * 5
    assert (nobody.state, nobody.is_settled, nobody.ratings) == ("not rated", False, 0)
    cast.reference("x", campaign=cast.elsewhere)
    assert [row.reference_id for row in references_with_candidates(cast.campaign)] == ["r1"]


def test_a_valid_ruling_counts_and_a_void_one_does_not(cast, rated) -> None:
    ruled(cast, rated[1], "3", is_valid=False)
    assert settled(cast)[1].values[0].settled == 4
    ruled(cast, rated[1], "41/5")
    Conflict.objects.update(status="ruled")
    found = settled(cast)[1]
    assert (found.state, found.is_settled, found.is_locked) == ("ruled", True, True)
    assert found.values[0].settled == Fraction(41, 5)


def test_a_waiting_flip_unsettles_both_its_candidates(cast, rated) -> None:
    Conflict.objects.all().delete()
    open_conflict(rated[0], "order_flip", other_candidate=rated[1], status="waiting")
    states = [(one.state, one.is_settled) for one in settled(cast)]
    assert states[:2] == [("waiting for annotators", False)] * 2


def test_systems_are_shown_once_closed_and_repeats_and_sentinels_are_not_listed(
    cast, rated
) -> None:
    assert {one.system for one in settled(cast)} == {""}
    cast.campaign.status = "closed"
    assert [one.system for one in settled(cast)] == [f"{cast.system_canary}-{n}" for n in range(3)]
    assert [one.is_locked for one in settled(cast)] == [True, True, False]
    Candidate.objects.filter(pk=rated[0].pk).update(purpose=Purpose.SENTINEL)
    Candidate.objects.filter(pk=rated[2].pk).update(purpose=Purpose.QUALIFICATION)
    assert [one.pk for one in settled(cast)] == [rated[1].pk, rated[2].pk]


def rate(cast, *values: Sequence[int]) -> Candidate:
    reference = cast.reference("r1", 1)
    for user, scores in zip((cast.alice, cast.bob), values, strict=False):
        rate_all(cast, user, reference, [scores])
    return reference.candidates.get()


def trace(cast, candidate: Candidate, *, tells: bool = True) -> CandidateTrace:
    names = {str(cast.alice.pk): "Annotator 1", str(cast.bob.pk): "Annotator 2"}
    return candidate_trace(cast.campaign, candidate.pk, names if tells else {})


def take_or_decide(cast, candidate: Candidate, decision: str) -> None:
    taken = candidate.ratings.get(annotator=cast.bob) if decision == "take" else None
    conflict = Conflict.objects.filter(candidate=candidate)[0]
    store_ruling(conflict, cast.carol, "3", decision, rating=taken)


def test_a_mean_is_derived_term_by_term(cast) -> None:
    found = trace(cast, rate(cast, (6, 5, 5, 5), (6, 5, 5, 6)))
    assert found.derivations[0].settled == "the mean: (6 + 6) / 2 = 6"
    assert found.derivations[0].majority == "6, given by 2 of 2"
    overall = found.derivations[4]
    # 4*6 + 2*5 + 2*5 + 3*5 and 3*6, over 11.
    assert overall.settled.endswith("/ 2 = 11/2, shown as 5.50")
    assert {"59/11", "62/11"} <= set(overall.settled.replace("(", " ").replace(")", " ").split())
    assert overall.majority == "no majority"


def test_a_ruling_names_what_was_taken_or_decided_and_without_names_no_rating_is_shown(cast):
    candidate = rate(cast, (9, 9, 9, 9), (1, 1, 1, 1))
    found = trace(cast, candidate, tells=False)
    assert found.ratings == ()
    assert found.derivations[0].settled == "the mean: (what was given) / 2 = 5"
    take_or_decide(cast, candidate, "take")
    assert {row.settled for row in trace(cast, candidate).derivations} == {
        "ruled, taken from Annotator 2: 3"
    }
    Ruling.objects.all().delete()
    take_or_decide(cast, candidate, "scores")
    assert trace(cast, candidate).derivations[0].settled == "ruled, new scores: 3"
    assert len(trace(cast, candidate).rulings) == 1


def test_what_nobody_rated_has_no_value(cast) -> None:
    found = trace(cast, rate(cast))
    assert {(row.settled, row.majority) for row in found.derivations} == {
        ("nobody has rated it", "no majority")
    }


def test_only_genuine_candidates_of_the_campaign_have_a_page(cast) -> None:
    candidate = rate(cast, (5, 5, 5, 5))
    Candidate.objects.filter(pk=candidate.pk).update(purpose=Purpose.REPEAT)
    other = cast.reference("x", 1, campaign=cast.elsewhere).candidates.get()
    for one in (candidate, other):
        with pytest.raises(Candidate.DoesNotExist):
            trace(cast, one)


def test_who_has_rated_is_who_submitted_in_this_campaign(cast) -> None:
    rate(cast, (5, 5, 5, 5))
    cast.assign(cast.bob, cast.reference("r2", 1))
    cast.submit(cast.assign(cast.mallory, cast.reference("x", 1, campaign=cast.elsewhere))[0])
    assert raters_of(cast.campaign) == [str(cast.alice.pk)]


@pytest.fixture
def rating(cast) -> Rating:
    """Give alice's rating of one of two candidates, revised once."""
    reference = cast.reference("r1", 2)
    rating = cast.submit(cast.assign(cast.alice, reference)[0], (7, 5, 5, 5), comment="secret")
    scores = dict(zip(CRITERIA, (6, 5, 5, 5), strict=True))
    return revise_rating(rating_id=rating.pk, annotator=cast.alice, scores=scores, version=1)


def test_a_rating_is_shown_with_its_versions_and_annotator_ten_after_nine(
    cast, rating: Rating
) -> None:
    (found,) = given_ratings(rating.candidate_id, {str(cast.alice.pk): "Annotator 4"})
    assert (found.annotator, found.number, found.round) == ("Annotator 4", 2, 1)
    assert found.points == ("6", "5", "5", "5", "5.36")
    assert [(one.number, one.points[0]) for one in found.revisions] == [(1, "7"), (2, "6")]
    assert "secret" not in repr(found) and "alice" not in repr(found)
    cast.assign(cast.bob, rating.candidate.reference)
    cast.submit(share(cast.bob, rating.candidate))
    names = {str(cast.alice.pk): "Annotator 10", str(cast.bob.pk): "Annotator 9"}
    both = given_ratings(rating.candidate_id, names)
    assert [one.annotator for one in both] == ["Annotator 9", "Annotator 10"]


def test_a_round_says_how_many_have_answered(cast, rating: Rating) -> None:
    now = timezone.now()
    row = Round.objects.create(
        candidate=rating.candidate, number=2, kind="again", question="Claim 3?", made_at=now
    )
    SecondLook.objects.create(round=row, assignment=rating.assignment, answered_at=now)
    (found,) = rounds_on(rating.candidate_id)
    assert (found.number, found.asked, found.answered) == (2, 1, 1)
    assert (found.get_kind_display(), found.question) == (
        "the same annotators look again",
        "Claim 3?",
    )
    assert found.finished_at is None


def test_a_flip_is_shown_on_both_candidates_each_against_the_other(rating: Rating) -> None:
    one, two = rating.candidate.reference.candidates.all()
    open_conflict(one, "order_flip", other_candidate=two, rules_version=3, status="lapsed")
    names = {one.pk: "one", two.pk: "two"}
    for pk, other in ((one.pk, "two"), (two.pk, "one")):
        (found,) = conflicts_on(pk, names)
        assert (found.other, found.row.rules_version, found.row.status) == (other, 3, "lapsed")
        assert "2.00" in found.words


def test_a_ruling_says_whether_its_record_is_what_was_signed(cast, rating: Rating) -> None:
    conflict = open_conflict(rating.candidate)
    signed = store_ruling(conflict, cast.carol, "41/5", "take", rating=rating)
    signed.record_sha256 = record_sha256(signed, list(signed.rulings.all()))
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
