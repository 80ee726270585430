import uuid
from collections import Counter
from fractions import Fraction

import pytest
from django.db import IntegrityError, transaction

from annotator.accounts.services import OF_SIGNATURES
from annotator.adjudication.rounds import take_turn
from annotator.adjudication.rulings.queries import (
    case_count,
    free_cases,
    ratings_seen,
    record_sha256,
    references_to_rule,
    seen_sha256,
    signature_holds,
)
from annotator.adjudication.rulings.services import exact_mean, void_adjudication
from annotator.conflicts.queries import LOCKED_SENTENCE
from annotator.models import (
    Adjudication,
    AuditEvent,
    Conflict,
    Membership,
    Rating,
    Ruling,
    Turn,
    User,
)
from core.errors import Forbidden, OutOfDate, Refused, TooOften
from patclaimeval.rubric import CRITERIA
from tests.annotator.adjudication.discrepant import member, rate_all, revise
from tests.annotator.adjudication.rulings import PASSWORD, decide
from tests.conftest import grant, spread

LOW, HIGH = (1, 1, 1, 1), (9, 9, 8, 9)

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture
def rows(cast, carol) -> dict[str, list[Rating]]:
    """Ratings of two candidates by alice and bob who put them in opposite order."""
    reference = cast.reference("r1", 2)
    return {
        person.username: rate_all(cast, person, reference, values)
        for person, values in ((cast.alice, (LOW, HIGH)), (cast.bob, (HIGH, LOW)))
    }


def gap(rows, place: int = 0) -> Conflict:
    candidate = rows["alice"][place].candidate_id
    return Conflict.objects.get(candidate=candidate, kind="overall_gap")


def flip() -> Conflict:
    return Conflict.objects.get(kind="order_flip")


def statuses() -> Counter[str]:
    return Counter(Conflict.objects.values_list("status", flat=True))


def test_a_mean_is_exact_and_the_ratings_stay_as_they_were(rows, carol) -> None:
    before = list(Rating.objects.order_by("pk").values())
    row = decide(gap(rows), carol)
    ruling = row.rulings.get()
    assert ruling.scores["feature_completeness"] == "5"
    assert ruling.scores["terminology_consistency"] == "9/2"
    # (11 + 97) / 2 over 11
    assert Fraction(ruling.scores["overall_quality"]) == Fraction(54, 11)
    assert list(Rating.objects.order_by("pk").values()) == before
    ratings = [*rows["alice"], rows["bob"][0]]
    assert exact_mean(ratings)["feature_completeness"] == str(Fraction(19, 3))


def test_a_taken_rating_gives_its_scores_and_is_named(rows, carol) -> None:
    taken = rows["bob"][0]
    ruling = decide(gap(rows), carol, "take", rating_id=taken.pk).rulings.get()
    assert ruling.rating == taken
    assert ruling.scores["terminology_consistency"] == "8"
    assert Fraction(ruling.scores["overall_quality"]) == Fraction(taken.overall_numerator, 11)


def test_new_scores_are_taken_whole(rows, carol) -> None:
    scores = dict(zip(CRITERIA, (4, 5, 6, 7), strict=True))
    ruling = decide(gap(rows), carol, "scores", scores=scores).rulings.get()
    assert ruling.scores == {k: str(v) for k, v in scores.items()} | {
        "overall_quality": str(Fraction(16 + 10 + 12 + 21, 11))
    }


def test_a_ruling_settles_its_candidate_and_that_of_the_other_the_flip_too(rows, carol) -> None:
    decide(gap(rows), carol)
    of_it = Conflict.objects.filter(candidate=rows["alice"][0].candidate_id, other_candidate=None)
    assert {row.status for row in of_it} == {"ruled"}
    assert len(of_it) == 5
    assert flip().status == "open" and gap(rows, 1).status == "open"
    decide(gap(rows, 1), carol)
    assert statuses() == {"ruled": 11}


def test_an_order_flip_makes_two_rulings_by_one_signature(rows, carol) -> None:
    row = decide(flip(), carol, "take", rating_id=rows["alice"][1].pk)
    assert {ruling.rating_id for ruling in row.rulings.all()} == {r.pk for r in rows["alice"]}
    assert statuses() == {"ruled": 11}


def test_a_flip_leaves_the_ruling_that_one_of_its_candidates_has(rows, carol) -> None:
    first = decide(gap(rows), carol)
    row = decide(flip(), carol)
    assert [r.candidate_id for r in row.rulings.all()] == [rows["alice"][1].candidate_id]
    assert first.rulings.get().is_valid


def test_the_database_itself_keeps_two_valid_rulings_apart(rows, carol) -> None:
    ruling = decide(gap(rows), carol).rulings.get()
    ruling.pk = None
    with pytest.raises(IntegrityError), transaction.atomic():
        Ruling.objects.create(
            adjudication=ruling.adjudication, candidate=ruling.candidate, scores={}
        )


def test_who_rated_a_candidate_does_not_rule_on_it(rows, cast, carol) -> None:
    Membership.objects.create(user=cast.alice, campaign=cast.campaign, role="adjudicator")
    cast.alice.set_password(PASSWORD)
    with pytest.raises(Forbidden):
        decide(gap(rows), cast.alice)
    with pytest.raises(Forbidden):
        take_turn(conflict_id=gap(rows).pk, adjudicator=cast.alice)
    assert not Adjudication.objects.exists() and not Turn.objects.exists()


def test_who_may_still_be_given_a_candidate_does_not_rule_on_it(rows, cast, carol) -> None:
    Membership.objects.create(user=carol, campaign=cast.campaign, role="annotator")
    spread(cast.campaign, 3)
    with pytest.raises(Forbidden):
        decide(gap(rows), carol)
    spread(cast.campaign, 2)
    assert decide(gap(rows), carol).signed_as == "carol"


WRONG = [("decision", "guess"), ("reason_code", "because"), ("reason", " ")]


@pytest.mark.parametrize(("field", "wrong"), WRONG)
def test_a_choice_that_is_none_is_refused_by_its_field(rows, carol, field, wrong) -> None:
    with pytest.raises(Refused) as refused:
        decide(gap(rows), carol, **{field: wrong})
    assert list(refused.value.fields) == [field] and not Adjudication.objects.exists()


def test_a_rating_of_another_candidate_is_not_taken(rows, carol) -> None:
    with pytest.raises(Refused):
        decide(gap(rows), carol, "take", rating_id=rows["alice"][1].pk)


def test_guessing_the_password_ends_after_ten(rows, carol) -> None:
    for _ in range(OF_SIGNATURES.burst):
        with pytest.raises(Refused):
            decide(gap(rows), carol, password="guess")
    with pytest.raises(TooOften):
        decide(gap(rows), carol)


def test_ratings_that_changed_since_they_were_read_are_not_ruled_upon(rows, carol) -> None:
    both = [rows["alice"][0], rows["bob"][0]]
    seen = seen_sha256(both)
    revise(both[0].annotator, both[0].candidate, (2, 2, 2, 2))
    with pytest.raises(OutOfDate):
        decide(gap(rows), carol, seen=seen)
    fresh = list(Rating.objects.filter(candidate=both[0].candidate_id))
    row = decide(gap(rows), carol, seen=seen_sha256(fresh))
    assert row.ratings_seen == ratings_seen(fresh)
    assert {entry["version"] for entry in row.ratings_seen} == {1, 2}


def test_the_signature_names_who_what_and_when_and_breaks_with_any_change(rows, carol) -> None:
    row = Adjudication.objects.get(pk=decide(gap(rows), carol).pk)
    assert (row.signed_as, row.adjudicator) == ("carol", carol)
    assert row.meaning.startswith("I ") and len(row.record_sha256) == 64
    assert signature_holds(row)
    for field, value in (("reason", "Another."), ("signed_as", "bob"), ("decision", "take")):
        changed = Adjudication.objects.get(pk=row.pk)
        setattr(changed, field, value)
        assert not signature_holds(changed), field
    for field in ("pk", "conflict_id", "adjudicator_id"):
        changed = Adjudication.objects.get(pk=row.pk)
        rulings = list(changed.rulings.all())
        setattr(changed, field, uuid.uuid4())
        assert record_sha256(changed, rulings) != row.record_sha256, field
    ruling = row.rulings.get()
    ruling.scores = ruling.scores | {"overall_quality": "10"}
    ruling.save()
    assert not signature_holds(Adjudication.objects.get(pk=row.pk))


def test_a_ruling_leaves_its_row_in_the_trail_and_locks_the_ratings(rows, carol, cast):
    row = decide(gap(rows), carol)
    event = AuditEvent.objects.get(action="conflict.ruled")
    assert (event.actor, event.object_id) == (carol, str(row.pk))
    assert event.details["record_sha256"] == row.record_sha256
    assert "overlooked." not in str(event.details)
    with pytest.raises(OutOfDate) as refused:
        revise(cast.alice, rows["alice"][0].candidate, HIGH)
    assert refused.value.sentence == LOCKED_SENTENCE


def test_a_later_rating_opens_nothing_on_ruled_candidates(cast, carol) -> None:
    reference = cast.reference("r1", 1)
    for person, clarity in ((cast.alice, 1), (cast.bob, 9)):
        rate_all(cast, person, reference, [(5, clarity, 5, 5)])
    decide(Conflict.objects.get(), carol)
    rate_all(cast, member(cast, "eve"), reference, [(0, 5, 10, 5)])
    assert statuses() == {"ruled": 1}


def test_a_voided_signature_shows_and_opens_its_conflicts_again(rows, cast, carol) -> None:
    row = decide(flip(), carol)
    void_adjudication(adjudication_id=row.pk, reason="Wrong candidate.", by=cast.ada)
    row = Adjudication.objects.get(pk=row.pk)
    assert (row.voided_by, row.voided_because) == (cast.ada, "Wrong candidate.")
    assert not signature_holds(row) and row.record_sha256
    assert statuses() == {"open": 11}
    again = decide(flip(), carol)
    assert Ruling.objects.filter(is_valid=True).count() == 2
    assert signature_holds(again)


def test_only_an_admin_voids_and_only_with_a_reason_and_only_once(rows, cast, carol) -> None:
    row = decide(gap(rows), carol)
    for by, reason, refusal in (
        (carol, "No.", Forbidden),
        (cast.mallory, "No.", Forbidden),
        (cast.ada, " ", Refused),
    ):
        with pytest.raises(refusal):
            void_adjudication(adjudication_id=row.pk, reason=reason, by=by)
    void_adjudication(adjudication_id=row.pk, reason="A slip.", by=cast.ada)
    with pytest.raises(OutOfDate):
        void_adjudication(adjudication_id=row.pk, reason="Again.", by=cast.ada)


@pytest.fixture
def references(cast):
    """Two references with a conflict on each candidate, and one without."""
    found = [cast.reference(name, count) for name, count in (("r1", 2), ("r2", 1), ("r3", 1))]
    for person, values in ((cast.alice, (1, 1, 5)), (cast.bob, (9, 9, 5))):
        for reference, value in zip(found, values, strict=True):
            rate_all(cast, person, reference, [[value] * 4] * reference.candidates.count())
    return found


def take(user: User, reference) -> None:
    for candidate in reference.candidates.all():
        conflict = Conflict.objects.filter(candidate=candidate)[0]
        take_turn(conflict_id=conflict.pk, adjudicator=user)


def test_references_with_an_open_conflict_stand_in_order_and_cases_are_counted(references, cast):
    assert references_to_rule(cast.carol) == [references[0].pk, references[1].pk]
    assert case_count(cast.carol) == 3
    for nobody in (cast.alice, grant(cast.mallory, cast.elsewhere, "adjudicator")):
        assert references_to_rule(nobody) == []


def test_the_first_free_conflict_is_the_first_that_nobody_else_has_open(references, cast, dora):
    def whose() -> object:
        pk = next(iter(free_cases(cast.carol)), None)
        return pk and Conflict.objects.get(pk=pk).candidate.reference_id

    assert whose() == references[0].pk
    take(dora, references[0])
    assert whose() == references[1].pk
    take(cast.carol, references[1])
    assert whose() == references[1].pk
    Turn.objects.filter(adjudicator=cast.carol).update(adjudicator=dora)
    assert whose() is None


def test_a_page_shows_its_references_and_leads_to_the_others(references, client, cast, monkeypatch):
    monkeypatch.setattr("annotator.adjudication.rulings.views.REFERENCES_A_PAGE", 1)
    client.force_login(cast.carol)
    for number, titles in (("1", (True, False)), ("2", (False, True)), ("x", (True, False))):
        page = client.get(f"/adjudication/?page={number}").content.decode()
        assert tuple(f"Title of {name}" in page for name in ("r1", "r2")) == titles
        assert "of 2</span>" in page
        assert "3 open" in page
