from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from django.http import QueryDict
from django.test import Client
from django.utils import timezone

from annotator.adjudication.rounds import take_turn
from annotator.adjudication.rulings.queries import RulingTime, case_count, ruling_time
from annotator.adjudication.what_if.forms import what_if_form
from annotator.adjudication.what_if.queries import campaign_widths, what_if
from annotator.adjudication.what_if.rules import Caught, found_by
from annotator.campaigns.queries import campaign_progress
from annotator.conflicts.queries import rules_of
from annotator.conflicts.rules import ConflictRules, Finding
from annotator.models import (
    Adjudication,
    AuditEvent,
    Campaign,
    Candidate,
    Conflict,
    Purpose,
    Rating,
    Ruling,
)
from tests.annotator.adjudication.discrepant import open_conflict, rate_all
from tests.annotator.adjudication.rulings import PASSWORD, decide, store_ruling

pytestmark = pytest.mark.postgres


def rate(cast, alice: Sequence[int], bob: Sequence[int]) -> None:
    reference = cast.reference(f"r{cast.campaign.references.count()}", 1)
    rate_all(cast, cast.alice, reference, [alice])
    rate_all(cast, cast.bob, reference, [bob])


def test_new_conflicts_and_those_that_would_go_are_counted_apart(cast) -> None:
    rate(cast, (9, 5, 5, 5), (5, 5, 5, 5))  # four on a criterion, 16/11 overall
    rate(cast, (7, 7, 7, 7), (5, 5, 5, 5))  # two on each, two overall
    today = what_if(cast.campaign, rules_of(cast.campaign))
    assert today.total.caught == Caught(2, 2, 2)
    assert (today.total.new, today.total.gone, today.rulings) == (0, 0, 2)
    tried = what_if(cast.campaign, ConflictRules(5, 15, 110))
    criterion, overall, flip = tried.kinds
    assert (criterion.caught.conflicts, criterion.today, criterion.gone) == (0, 1, 1)
    assert (overall.caught.conflicts, overall.today, overall.new) == (2, 1, 1)
    assert (flip.caught.conflicts, flip.today) == (0, 0)
    assert (tried.total.new, tried.total.gone, tried.total.today) == (1, 1, 2)
    assert (tried.rulings, tried.rulings_today) == (2, 2)


def test_progress_the_list_of_cases_and_what_if_count_the_same_conflicts(cast) -> None:
    reference = cast.reference("r1", 4)
    rate_all(cast, cast.alice, reference, [(9, 5, 5, 5), (6, 6, 6, 6), (5, 5, 5, 5), (4, 4, 4, 4)])
    rate_all(cast, cast.bob, reference, [(5, 5, 5, 5), (4, 4, 4, 4), (7, 7, 7, 7), (6, 5, 5, 5)])
    cast.campaign.refresh_from_db()

    def counts() -> tuple[int, int, int]:
        progress = campaign_progress(cast.campaign)
        conflicts = progress.open_conflicts + progress.waiting_conflicts + progress.ruled_conflicts
        assert progress.open_cases == case_count(cast.carol)
        found = what_if(cast.campaign, rules_of(cast.campaign))
        assert conflicts == found.total.today
        assert found.rulings_today <= progress.open_cases
        return conflicts, progress.open_cases, found.rulings_today

    # A gap on each of the first three, and two flips: of the first and third, which rulings on
    # their gaps settle, and of the second and fourth, which needs one more.
    assert counts() == (5, 5, 4)
    gap = Conflict.objects.filter(other_candidate=None).first()
    assert gap is not None
    cast.carol.set_password(PASSWORD)
    cast.carol.save()
    take_turn(conflict_id=gap.pk, adjudicator=cast.carol)
    decide(gap, cast.carol)
    assert counts() == (5, 4, 3)


def test_the_curve_tells_how_many_candidates_a_gap_sends(cast) -> None:
    for gap in (1, 3, 3, 4):
        rate(cast, (5 + gap, 5, 5, 5), (5, 5, 5, 5))
    sends = [point.criterion_gap.candidates for point in what_if(cast.campaign, CALM).curve]
    assert sends == [4, 3, 3, 1, 0, 0, 0, 0, 0, 0]


CALM = ConflictRules(10, 110, 110)


def test_hours_need_a_measured_time_and_what_is_ruled_no_ruling_more(cast) -> None:
    rate(cast, (9, 5, 5, 5), (5, 5, 5, 5))
    assert what_if(cast.campaign, ConflictRules()).hours is None
    cast.campaign.conflicts.get().candidate.ratings.update(active_seconds=900)
    found = what_if(cast.campaign, ConflictRules())
    assert (found.hours, found.hours_today) == (0.5, 0.5)
    assert what_if(cast.campaign, ConflictRules()).rulings == 1
    conflict = Conflict.objects.get()
    store_ruling(conflict, cast.carol, "7")
    found = what_if(cast.campaign, ConflictRules())
    assert (found.total.caught.conflicts, found.rulings) == (1, 0)
    Ruling.objects.update(is_valid=False)
    assert what_if(cast.campaign, ConflictRules()).rulings == 1


@pytest.fixture
def disputed(cast) -> None:
    """Have alice and bob differ on two references, and on one of another campaign."""
    for name in ("r1", "r2"):
        reference = cast.reference(name, 3)
        rate_all(cast, cast.alice, reference, [(9, 5, 5, 5), (2, 2, 2, 2), (5, 5, 5, 5)])
        rate_all(cast, cast.bob, reference, [(4, 5, 5, 5), (6, 6, 6, 6), (5, 5, 5, 4)])
    cast.submit(cast.assign(cast.mallory, cast.reference("x", campaign=cast.elsewhere))[0])


@pytest.mark.usefixtures("disputed")
def test_what_is_measured_at_once_conflicts_as_what_was_measured_with_each_rating(cast) -> None:
    found = found_by(ConflictRules(), campaign_widths(cast.campaign, has_ladder=False))
    stored = Conflict.objects.values_list(
        "kind", "candidate_id", "other_candidate_id", "criterion", "gap"
    )
    assert len(found) == len(stored) > 2
    assert {width.finding for width in found} == {
        Finding(kind, one.hex, "" if other is None else other.hex, criterion, gap)
        for kind, one, other, criterion, gap in stored
    }
    assert {width.finding.kind for width in found} == {"criterion_gap", "overall_gap", "order_flip"}


@pytest.mark.usefixtures("disputed")
def test_repeats_and_sentinels_are_not_measured(cast) -> None:
    assert campaign_widths(cast.campaign, has_ladder=False)
    assert campaign_widths(Campaign.objects.create(slug="empty"), has_ladder=False) == []
    Candidate.objects.update(purpose=Purpose.REPEAT)
    assert campaign_widths(cast.campaign, has_ladder=False) == []


START = timezone.now() - timedelta(days=1)


def ruled(cast, number: int, minutes: float | None, taken: datetime = START) -> Conflict:
    """Store a ruling of carol's, so long after her turn; no turn when there are no minutes."""
    reference = cast.campaign.references.first() or cast.reference()
    candidate = reference.candidates.first()
    conflict = open_conflict(candidate, "criterion_gap", criterion=str(number))
    Adjudication.objects.create(
        conflict=conflict,
        adjudicator=cast.carol,
        decision="mean",
        ratings_seen=[],
        made_at=taken + timedelta(minutes=minutes or 0),
    )
    if minutes is not None:
        turn(cast, conflict, taken)
    return conflict


def turn(cast, conflict: Conflict, at: datetime) -> None:
    AuditEvent.objects.create(
        at=at,
        actor=cast.carol,
        action="turn.taken",
        object_type="conflict",
        object_id=str(conflict.pk),
    )


def test_five_rulings_are_a_measure_and_a_long_one_counts_as_an_hour(cast) -> None:
    for number, minutes in enumerate((2, 4, 6, 8, 600)):
        ruled(cast, number, minutes)
    assert ruling_time(cast.campaign, set()) == RulingTime(16 * 60, 5, is_measured=True)
    assert ruling_time(cast.elsewhere, set()) is None


def test_the_last_turn_before_a_ruling_counts_and_none_after_it(cast) -> None:
    for number in range(5):
        conflict = ruled(cast, number, 10)
        turn(cast, conflict, START + timedelta(minutes=7))
        turn(cast, conflict, START + timedelta(minutes=11))
    assert ruling_time(cast.campaign, set()) == RulingTime(3 * 60, 5, is_measured=True)


def test_a_ruling_without_a_turn_is_no_measure(cast) -> None:
    for number in range(5):
        ruled(cast, number, None)
    assert ruling_time(cast.campaign, set()) is None


def test_with_four_rulings_twice_the_median_of_the_ratings_concerned_is_said(cast) -> None:
    for number in range(4):
        ruled(cast, number, 1)
    rows = cast.assign(cast.alice, cast.campaign.references.get())
    ratings = [cast.submit(row) for row in rows]
    for rating, seconds in zip(ratings, (100, 0, 900), strict=True):
        Rating.objects.filter(pk=rating.pk).update(active_seconds=seconds)
    of = [rating.candidate_id.hex for rating in ratings]
    assert ruling_time(cast.campaign, of[:2]) == RulingTime(200, 1, is_measured=False)
    assert ruling_time(cast.campaign, of) == RulingTime(1000, 2, is_measured=False)
    assert ruling_time(cast.campaign, {uuid4().hex}) is None


PAGE = "/campaigns/cups/what-if/"


@pytest.fixture
def looked_at(cast, client: Client) -> None:
    """Have two people rate a candidate four apart on one criterion; ada looks."""
    reference = cast.reference("r1", 1)
    rate_all(cast, cast.alice, reference, [(9, 5, 5, 5)])
    rate_all(cast, cast.bob, reference, [(5, 5, 5, 5)])
    client.force_login(cast.ada)


@pytest.mark.usefixtures("looked_at")
def test_the_rules_of_the_address_are_replayed_and_change_nothing(client: Client) -> None:
    html = client.get(PAGE).content.decode()
    assert "<strong>1 conflict</strong> on 1 candidate of 1 reference; today's rules find 1" in html
    assert 'name="criterion_gap" value="3"' in html
    assert "Hours unknown" in html
    before = (list(Conflict.objects.values()), AuditEvent.objects.count())
    asked = {"criterion_gap": "5", "overall_gap": "1.46", "ladder": "on"}
    html = client.get(PAGE, asked).content.decode()
    assert "<strong>No conflict</strong>; today's rules find 1" in html
    assert 'name="overall_gap" value="1.46"' in html
    assert '<option value="on" selected>' in html
    wider = client.get(PAGE, asked | {"overall_gap": "1.45"}).content.decode()
    assert "<strong>1 conflict</strong>" in wider  # 16/11 is 1.4545...
    assert (list(Conflict.objects.values()), AuditEvent.objects.count()) == before
    answer = client.get(PAGE, {"criterion_gap": "<b>"})
    html = answer.content.decode()
    assert answer.status_code == 422
    assert 'id="id_criterion_gap_error"' in html and "Under these rules" not in html


@pytest.mark.parametrize("numerator", range(1, 111))
def test_todays_rules_come_through_the_form_unchanged(numerator: int) -> None:
    campaign = Campaign(
        overall_gap_numerator=numerator, flip_gap_numerator=111 - numerator, has_ladder=True
    )
    form = what_if_form(campaign, QueryDict())
    assert form.is_valid()
    assert form.rules == rules_of(campaign)


def test_what_the_address_does_not_say_is_as_today() -> None:
    form = what_if_form(Campaign(), QueryDict("overall_gap=1.5&ladder=on"))
    assert form.is_valid()
    assert form.rules == ConflictRules(3, 17, 11, has_ladder=True)


@pytest.mark.parametrize(
    "wrong",
    [
        *("criterion_gap=0", "criterion_gap=11", "criterion_gap=2.5", "criterion_gap="),
        *("criterion_gap=%00", f"criterion_gap={'9' * 5000}", f"overall_gap={'9' * 200_000}"),
        *("overall_gap=0", "overall_gap=10.01", "overall_gap=NaN", "overall_gap=1e-9"),
        *("flip_gap=-1", "flip_gap=Infinity", "flip_gap=%5B1%5D", "ladder=maybe", "ladder="),
        *("criterion_gap=%D9%A3%D9%A4", "criterion_gap=3;DROP", "criterion_gap=3%00"),
    ],
    ids=lambda wrong: wrong[:24],
)
def test_a_gap_that_is_none_is_refused_at_its_field(wrong: str) -> None:
    form = what_if_form(Campaign(), QueryDict(wrong))
    assert not form.is_valid()
    assert list(form.errors) == [wrong.partition("=")[0]]
