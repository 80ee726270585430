"""The job that puts a campaign's queue into order, and what has no part in what it finds."""

import random
from typing import Any

import pytest

from annotator.models import AuditEvent, Campaign, Candidate, Rating, Reference
from annotator.planning.choosing.services import set_choosing
from annotator.rubric import CRITERIA, overall_numerator
from core.clock import database_now
from core.jobs.registry import queue_of, tidy
from core.jobs.rows import JobStatus
from scoring.choosing import services
from scoring.choosing.rules import teaching_order
from scoring.choosing.services import AGAIN_AFTER, carry_out_order, request_orders
from scoring.models import QueueOrder
from tests.scoring.conftest import PARTS, RatedCampaign, claim_set, make_campaign

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture
def trial(data_directory) -> RatedCampaign:
    """Twenty references; the candidates of each tenth one differ widely, those of others not."""
    scene = make_campaign(20)
    for number in range(20):
        name = f"machine{number}"
        rows = Candidate.objects.filter(reference__reference_id=f"r{number}")
        Reference.objects.filter(reference_id=f"r{number}").update(
            claims=claim_set(name, PARTS[:4])
        )
        for place, row in enumerate(rows.order_by("candidate_id")):
            parts = PARTS[: 4 - 2 * place] or PARTS[:1] if number % 10 == 9 else PARTS[:3]
            rows.filter(pk=row.pk).update(claims=claim_set(name, parts))
    return scene


@pytest.fixture
def enqueued(monkeypatch) -> list[QueueOrder]:
    rows: list[QueueOrder] = []
    monkeypatch.setattr(services, "enqueue_on_commit", rows.append)
    return rows


@pytest.fixture
def drawn(monkeypatch) -> None:
    """Draw the same control share each time."""
    monkeypatch.setattr("random.SystemRandom", lambda: random.Random(5))


def choose(scene: RatedCampaign, *, is_on: bool = True) -> None:
    by = scene.people["alice"]
    set_choosing(campaign=scene.campaign, is_on=is_on, percent=30, by=by)


def ordered(enqueued: list[QueueOrder]) -> QueueOrder:
    request_orders()
    carry_out_order(enqueued[-1].pk)
    return QueueOrder.objects.get(pk=enqueued[-1].pk)


def queue() -> list[str]:
    rows = Candidate.objects.order_by("queue_position")
    return list(dict.fromkeys(rows.values_list("reference__reference_id", flat=True)))


def test_the_references_that_teach_most_come_first_of_what_is_chosen(trial, enqueued) -> None:
    choose(trial)
    row = ordered(enqueued)
    assert (row.status, row.progress) == (JobStatus.SUCCEEDED, 1.0)
    control = set(Reference.objects.filter(is_control=True).values_list("reference_id", flat=True))
    assert len(control) == 6
    chosen = [name for name in queue() if name not in control]
    wide = [name for name in ("r9", "r19") if name not in control]
    assert set(chosen[: len(wide)]) == set(wide)


def test_nobody_is_asked_twice_and_nothing_where_nothing_waits(trial, enqueued) -> None:
    assert request_orders() == 0
    choose(trial)
    assert (request_orders(), request_orders()) == (1, 0)
    carry_out_order(enqueued[-1].pk)
    assert request_orders() == 0
    # The sweeper calls it, and a worker of the models' queue carries it out.
    Reference.objects.update(is_control=None)
    tidy()
    assert QueueOrder.objects.filter(status=JobStatus.QUEUED).count() == 1
    assert queue_of(QueueOrder, enqueued[-1].pk) == "gpu"


def test_what_is_done_twice_is_done_once(trial, enqueued) -> None:
    choose(trial)
    ordered(enqueued)
    before = queue()
    carry_out_order(enqueued[-1].pk)
    assert queue() == before
    assert AuditEvent.objects.filter(action="queue.ordered").count() == 1


def test_switched_off_meanwhile_it_ends_without_an_order(trial, enqueued) -> None:
    choose(trial)
    request_orders()
    choose(trial, is_on=False)
    before = queue()
    carry_out_order(enqueued[-1].pk)
    assert QueueOrder.objects.get().status == JobStatus.SUCCEEDED
    assert queue() == before
    assert not Reference.objects.exclude(is_control=None).exists()


def test_switched_on_again_the_queue_is_put_into_order_again(trial, enqueued) -> None:
    """What was drawn stays drawn, as somebody has begun a reference that was chosen."""
    choose(trial)
    ordered(enqueued)
    chosen = Reference.objects.filter(is_control=False)
    drawn = set(chosen.values_list("pk", flat=True))
    trial.rate_all([int(chosen.order_by("position")[0].reference_id[1:])])
    before = queue()
    choose(trial, is_on=False)
    assert request_orders() == 0
    choose(trial)
    assert queue() != before
    ordered(enqueued)
    assert set(chosen.values_list("pk", flat=True)) == drawn
    assert queue() != [f"r{number}" for number in range(20)]
    assert request_orders() == 0


def test_one_that_failed_rests_for_an_hour(trial, enqueued, monkeypatch) -> None:
    choose(trial)
    request_orders()

    def broken(*given: Any) -> None:
        raise OSError

    monkeypatch.setattr(services, "_lessons", broken)
    with pytest.raises(OSError):
        carry_out_order(enqueued[-1].pk)
    assert QueueOrder.objects.get().status == JobStatus.FAILED
    assert AuditEvent.objects.filter(action="order.failed").count() == 1
    assert request_orders() == 0
    QueueOrder.objects.update(finished_at=database_now() - AGAIN_AFTER)
    assert request_orders() == 1


def moved_by_scores(trial: RatedCampaign, enqueued: list[QueueOrder]) -> bool:
    """Return whether the order is another one where the same work was done with other scores."""
    trial.rate_all([2, 5])
    choose(trial)
    ordered(enqueued)
    first = queue()
    other = dict.fromkeys(CRITERIA, 10) | {"feature_completeness": 0}
    Rating.objects.update(**other, overall_numerator=overall_numerator(other))
    Reference.objects.update(is_control=None)
    Candidate.objects.update(queue_position=0)
    ordered(enqueued)
    assert first != [f"r{number}" for number in range(20)]
    return queue() != first


def test_what_ratings_say_moves_nothing(trial, enqueued, drawn) -> None:
    """P37, B10: nor would a score that follows from them."""
    assert not moved_by_scores(trial, enqueued)


def test_which_system_made_a_candidate_moves_nothing(trial, enqueued, drawn) -> None:
    choose(trial)
    ordered(enqueued)
    first = queue()
    trial.name_systems()
    Reference.objects.update(is_control=None)
    ordered(enqueued)
    assert queue() == first


def test_an_order_that_reads_ratings_is_found_out(trial, enqueued, drawn, monkeypatch) -> None:
    """The planted fault: the order turns with what people gave."""
    places = teaching_order

    def by_ratings(lessons: Any, rated: Any, strength: float) -> list[int]:
        found = places(lessons, rated, strength)
        return found if Rating.objects.filter(feature_completeness=0).exists() else found[::-1]

    monkeypatch.setattr(services, "teaching_order", by_ratings)
    assert moved_by_scores(trial, enqueued)


def test_campaigns_of_others_stay_as_they_are(trial, enqueued) -> None:
    other = Campaign.objects.create(slug="other", name="other")
    choose(trial)
    ordered(enqueued)
    assert not Campaign.objects.get(pk=other.pk).is_choosing
    assert QueueOrder.objects.filter(campaign=other).count() == 0
