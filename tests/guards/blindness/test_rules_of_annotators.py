"""B1 to B5, B10: what annotators see is the same whatever others did, and whoever wrote it."""

from uuid import uuid4

import pytest
from django.db import connection
from django.db.models import F, Value
from django.db.models.functions import Concat
from django.test.utils import CaptureQueriesContext

from annotator.adjudication.rounds import give_back, take_turn
from annotator.adjudication.rulings.services import rule
from annotator.conflicts.queries import LOCKED_SENTENCE
from annotator.models import (
    Assignment,
    CalibrationAnswer,
    CalibrationItem,
    Campaign,
    Candidate,
    Draft,
    Rating,
    RatingRevision,
    ReferenceNote,
)
from annotator.rating.services import revise_rating, submit_rating
from core.errors import OutOfDate, Refused
from patclaimeval.rubric import CRITERIA
from scoring.datasets.freezing.services import freeze_dataset
from scoring.models import MetricScore
from tests.guards.blindness.addresses import Address, addresses
from tests.guards.blindness.marks import HERE
from tests.guards.blindness.people import RULING
from tests.guards.blindness.snapshots import after, differences, looked_at

pytestmark = pytest.mark.slow


def rate(world, who: str, score: int) -> Rating:
    """Have an annotator rate the item with the same score everywhere."""
    return submit_rating(
        assignment_id=world.here.assignment(who).pk,
        annotator=world.here.people[who],
        scores=dict.fromkeys(CRITERIA, score),
    )


def own_pages(world) -> list[Address]:
    return [one for one in addresses(world.here) if one.route != "annotator:keys"]


@pytest.mark.parametrize("furnished", ["leased"], indirect=True)
def test_b1_whether_another_rates_and_agrees_changes_nothing_that_an_annotator_sees(world) -> None:
    rate(world, "one", 9)
    one, chosen = world.visitor("one"), own_pages(world)
    alone = looked_at(one, world.here, chosen)
    agreed = after(lambda: rate(world, "peer", 9), one, world.here, chosen)
    in_conflict = after(lambda: rate(world, "peer", 0), one, world.here, chosen)
    assert "9.00" in str(alone)
    assert not differences(alone, agreed)
    assert not differences(alone, in_conflict)


@pytest.mark.parametrize("furnished", ["conflict open"], indirect=True)
def test_b1_a_turn_locks_a_rating_with_the_message_of_every_lock_and_its_end_leaves_no_trace(
    world,
) -> None:
    carol, conflict = world.here.people["adjudicator"], world.here.conflict
    one = world.visitor("one")
    chosen = [row for row in own_pages(world) if row.route.startswith(("annotator:r", "api:"))]
    before = looked_at(one, world.here, chosen)
    take_turn(conflict_id=conflict.pk, adjudicator=carol)
    taken = looked_at(one, world.here, chosen)
    ruled = after(lambda: decide(world), one, world.here, chosen)
    give_back(conflict_id=conflict.pk, adjudicator=carol)
    assert "can no longer be changed" in str(taken) and not differences(taken, ruled)
    assert not differences(before, looked_at(one, world.here, chosen))


def decide(world) -> None:
    carol = world.here.people["adjudicator"]
    rule(conflict_id=world.here.conflict.pk, adjudicator=carol, **RULING)


@pytest.mark.parametrize("furnished", ["conflict open"], indirect=True)
@pytest.mark.parametrize("who", ["one", pytest.param("adjudicator", marks=pytest.mark.exhaustive)])
def test_b2_systems_purposes_and_metric_scores_change_nothing_that_is_seen(world, who) -> None:
    visitor, chosen = world.visitor(who), own_pages(world)

    def rename() -> None:
        rows = Candidate.objects.filter(campaign=world.here.campaign)
        rows.update(
            system="another", damage={"kind": "other"}, candidate_id=Concat(Value("x"), F("id"))
        )
        if who == "one":
            # But a qualification, which comes first.
            rows.exclude(purpose="qualification").update(purpose="sentinel")
        MetricScore.objects.update(value=F("value") * 2)

    before = looked_at(visitor, world.here, chosen)
    assert not differences(before, after(rename, visitor, world.here, chosen))


@pytest.mark.parametrize("furnished", ["conflict open"], indirect=True)
def test_b3_an_annotator_meets_the_same_labels_in_the_same_stored_order_at_each_visit(
    world,
) -> None:
    one, chosen = world.visitor("one"), own_pages(world)
    assert not differences(looked_at(one, world.here, chosen), looked_at(one, world.here, chosen))
    for who in ("one", "peer"):
        rows = Assignment.objects.filter(annotator=world.here.people[who])
        labels = list(rows.values_list("position", "label").order_by("position"))
        assert labels == [(place, f"Candidate {place}") for place in range(1, len(labels) + 1)]


@pytest.mark.parametrize("furnished", ["draft"], indirect=True)
@pytest.mark.parametrize(
    "who",
    [
        "peer",
        *(
            pytest.param(who, marks=pytest.mark.exhaustive)
            for who in ("adjudicator", "researcher", "admin", "boss")
        ),
    ],
)
def test_b4_a_draft_or_own_note_changes_nothing_that_anybody_but_its_author_sees(
    world, who
) -> None:
    visitor = world.visitor(who)
    one = world.here.people["one"]
    own = Draft.objects.filter(assignment__annotator=one)
    notes = ReferenceNote.objects.filter(author=one)
    assert own.exists() and notes.exists()
    before = looked_at(visitor, world.here)

    def forget() -> None:
        own.delete()
        notes.delete()

    assert not differences(before, after(forget, visitor, world.here))


@pytest.mark.parametrize("furnished", ["untouched"], indirect=True)
def test_agreed_scores_and_others_answers_change_nothing_before_ones_own_answer(world) -> None:
    Campaign.objects.filter(pk=world.here.campaign.pk).update(has_calibration=True)
    one = world.visitor("one")
    before = looked_at(one, world.here)
    # The items are met, and nothing of what was agreed on them.
    assert "Calibration 1 of 2" in str(before) and f"{HERE}agreedreason" not in str(before)

    def agree_otherwise() -> None:
        rows = CalibrationItem.objects.filter(campaign=world.here.campaign)
        rows.update(scores=dict.fromkeys(CRITERIA, 1), reasons={CRITERIA[0]: "another"})
        CalibrationAnswer.objects.filter(item__in=rows).delete()

    assert not differences(before, after(agree_otherwise, one, world.here))


@pytest.mark.parametrize(
    "furnished",
    [
        "taken",
        *(pytest.param(state, marks=pytest.mark.exhaustive) for state in ("ruled", "closed")),
    ],
    indirect=True,
)
def test_b5_a_locked_rating_is_not_changed_and_all_its_versions_stay(world) -> None:
    rating = Rating.objects.get(assignment=world.here.assignment("one"))
    revisions = RatingRevision.objects.filter(rating=rating).count()
    with pytest.raises(OutOfDate, match=LOCKED_SENTENCE[:30]):
        revise_rating(
            rating_id=rating.pk,
            annotator=world.here.people["one"],
            version=rating.version,
            scores=dict.fromkeys(CRITERIA, 1),
        )
    assert RatingRevision.objects.filter(rating=rating).count() == revisions == rating.version


@pytest.mark.parametrize("furnished", ["conflict open"], indirect=True)
@pytest.mark.parametrize("who", ["one", pytest.param("adjudicator", marks=pytest.mark.exhaustive)])
def test_b10_no_page_of_who_rates_or_rules_asks_the_tables_of_the_scores(world, who) -> None:
    with CaptureQueriesContext(connection) as asked:
        looked_at(world.visitor(who), world.here)
    assert len(asked) > 50
    assert not [entry["sql"] for entry in asked if "scoring_" in entry["sql"]]


@pytest.mark.parametrize("furnished", ["conflict open"], indirect=True)
def test_b10_a_freeze_takes_no_rating_that_is_not_locked(world) -> None:
    with pytest.raises(Refused, match="gives no quadruplet"):
        freeze_dataset(campaign=world.here.campaign, name=f"frozen-{uuid4().hex[:6]}")
