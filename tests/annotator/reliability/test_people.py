import re
from statistics import mean
from typing import Any

import numpy as np
import pytest
from django.test import Client

from annotator.campaigns.services import close_campaign, reopen_campaign
from annotator.models import Membership, ReliabilityReport, Role, Unblinding
from annotator.reliability.people import (
    CONFOUNDED,
    NO_DRIFT_ERROR,
    NO_DRIFT_REST,
    NO_REPEATS,
    NO_SHARED,
    NO_SHARED_ITEMS,
    against_others,
    drift,
    self_consistency,
)
from annotator.reliability.services import carry_out_reliability
from patclaimeval.statistics import resampling
from patclaimeval.statistics.coefficients import TOO_FEW, intraclass_correlations
from patclaimeval.statistics.tables import ReliabilityError, Repeat, Table
from tests.amounts import tries
from tests.annotator.rating_rows import random_ratings, rate
from tests.patclaimeval.statistics.conftest import GAP, make_table, random_tables

pytestmark = pytest.mark.django_db

REPEATS = [
    Repeat("bob", "r", 5, 5),
    Repeat("alice", "r", 3, 4),
    Repeat("alice", "s", 7, 7),
    Repeat("alice", "s", 2, 5),
]


def test_self_consistency_by_hand() -> None:
    everyone, alice, bob = self_consistency(REPEATS)
    assert (everyone.annotator, alice.annotator, bob.annotator) == (None, "alice", "bob")
    assert everyone.exact.value == pytest.approx(2 / 4)
    assert alice.exact.value == pytest.approx(1 / 3)
    assert alice.exact.n == 3
    assert alice.within.value == pytest.approx(2 / 3)
    assert alice.mean_difference.value == pytest.approx(4 / 3)
    assert (alice.exact.clusters, bob.exact.clusters) == (2, 1)
    # The coefficient is that of two annotators; one repeat has shares, but no interval.
    expected = intraclass_correlations(make_table([[3, 4], [7, 7], [2, 5]])).single.value
    assert alice.icc.value == pytest.approx(expected, abs=1e-12)
    assert (bob.exact.value, bob.exact.low) == (1.0, None)
    assert bob.exact.reason == resampling.ONE_REFERENCE
    assert (bob.icc.value, bob.icc.reason) == (None, TOO_FEW)
    assert self_consistency(REPEATS, within=3)[0].within.value == 1.0
    (nobody,) = self_consistency([])
    assert (nobody.exact.value, nobody.icc.reason) == (None, NO_REPEATS)


def test_figures_by_hand() -> None:
    found = against_others(make_table([[4, 6, 8], [5, 5, GAP], [GAP, 9, GAP]]))
    first, second, third = found
    # Against 7 and against 5; the last item is the second's alone.
    assert (first.difference.value, first.distance.value, first.within.value) == (-1.5, 1.5, 0.5)
    assert second.difference.value == 0.0
    assert [one.difference.n for one in found] == [2, 2, 1]
    assert third.difference.value == 3.0


def test_figures_equal_a_slow_loop_on_random_tables() -> None:
    compared = 0
    for table in random_tables(tries(200), seed=3):
        for found in against_others(table, within=2):
            column = table.annotators.index(found.annotator)
            apart = []
            for row in table.values:
                others = [v for j, v in enumerate(row) if j != column and not np.isnan(v)]
                if others and not np.isnan(row[column]):
                    apart.append(row[column] - mean(others))
            assert found.difference.n == len(apart)
            if apart:
                assert found.difference.value == pytest.approx(mean(apart), abs=1e-9)
                assert found.distance.value == pytest.approx(mean(map(abs, apart)), abs=1e-9)
                within = mean(float(abs(value) <= 2) for value in apart)
                assert found.within.value == pytest.approx(within, abs=1e-9)
                compared += 1
    assert compared > tries(300)


def test_who_shares_nothing_has_a_reason_and_who_rated_nothing_is_absent() -> None:
    found = against_others(make_table([[4, 6, GAP, GAP], [GAP, GAP, 5, GAP]]))
    assert [one.annotator for one in found] == ["annotator 00", "annotator 01", "annotator 02"]
    assert found[2].difference.value is None
    assert found[2].within.reason == NO_SHARED_ITEMS


def random_positions(table: Table, random: np.random.Generator) -> Table:
    values = np.full(table.values.shape, np.nan)
    for column in range(len(table.annotators)):
        rows = np.flatnonzero(table.is_rated[:, column])
        values[rows, column] = random.permutation(len(rows)) + 1
    return make_table(values, table.clusters)


def dense_slopes(table: Table, positions: Table) -> dict[int, tuple[float, Any]]:
    """Slope and standard error of each identified annotator, from marks of every item."""
    item, person = np.nonzero(table.is_rated)
    width = len(table.annotators)
    marks = (item[:, None] == np.arange(len(table.items))).astype(float)
    people = (person[:, None] == np.arange(width)).astype(float)
    full = np.column_stack([marks, people, people * positions.values[item, person][:, None] / 100])
    y = table.values[item, person]
    # Singular values far below the rest are directions that the design does not hold.
    left, size, right = np.linalg.svd(full, full_matrices=False)
    is_held = size > 1e-9 * size[0]
    inverse = right[is_held].T / size[is_held]
    estimates = inverse @ left[:, is_held].T @ y
    rest = y - full @ estimates
    freedom = len(y) - int(is_held.sum())
    covariance = inverse @ inverse.T
    known = right[is_held].T @ right[is_held]
    found = {}
    for j in range(width):
        place = len(table.items) + width + j
        if abs(known[place, place] - 1) < 1e-9:
            sd = np.sqrt(rest @ rest / freedom) if freedom else None
            error = None if sd is None else float(sd * np.sqrt(covariance[place, place]))
            found[j] = (float(estimates[place]), error)
    return found


def test_slopes_equal_dense_least_squares_on_random_tables() -> None:
    random = np.random.default_rng(4)
    compared = 0
    for table in random_tables(tries(400), seed=3):
        positions = random_positions(table, random)
        slow = dense_slopes(table, positions)
        for one in drift(table, positions):
            place = table.annotators.index(one.annotator)
            assert (one.per_100 is not None) == (place in slow)
            if one.per_100 is not None:
                slope, error = slow[place]
                assert one.per_100 == pytest.approx(slope, rel=1e-7, abs=1e-7)
                if one.standard_error is not None:
                    assert one.standard_error == pytest.approx(error, rel=1e-6, abs=1e-7)
                    compared += 1
    assert compared > tries(200)


def test_drift_comes_back_with_honest_standard_errors() -> None:
    random = np.random.default_rng(5)
    true, inside, total = np.array([0.0, -0.8, 0.5]), 0, 0
    for _ in range(40):
        blank = make_table(np.zeros((150, 3)))
        positions = random_positions(blank, random)
        values = random.normal(5, 2, (150, 1)) + random.normal(0, 1, (150, 3))
        table = make_table(values + true * positions.values / 100)
        found: Any = drift(table, positions)
        for one, slope in zip(found, true, strict=True):
            inside += abs(one.per_100 - slope) <= 1.96 * one.standard_error
            total += 1
    assert 0.89 <= inside / total <= 0.99


def test_easy_items_at_the_end_are_not_drift() -> None:
    random = np.random.default_rng(6)
    quality = np.linspace(2, 8, 100)[:, None]
    late = make_table(np.column_stack([np.arange(1, 101), random.permutation(100) + 1]))
    found = drift(make_table(quality + random.normal(0, 0.1, (100, 2))), late)
    assert abs(found[0].per_100) < 0.3


def test_what_goes_with_the_items_or_shares_none_has_no_slope() -> None:
    step = make_table(np.column_stack([np.arange(1, 9)] * 2))
    values = np.random.default_rng(1).integers(0, 11, (8, 2))
    assert [one.reason for one in drift(make_table(values), step)] == [CONFOUNDED] * 2
    assert [one.per_100 for one in drift(make_table(values), step)] == [None] * 2
    table = make_table([[1, GAP], [2, GAP], [GAP, 5]])
    positions = make_table([[1, GAP], [2, GAP], [GAP, 1]])
    assert {one.reason for one in drift(table, positions)} == {NO_SHARED}
    with pytest.raises(ReliabilityError):
        drift(make_table([[1, 2]]), make_table([[1, GAP]]))


def test_too_few_ratings_and_a_perfect_fit_have_no_standard_error() -> None:
    few = drift(make_table([[1, 1], [3, 2], [4, 7]]), make_table([[1, 2], [2, 3], [3, 1]]))
    assert [one.reason for one in few] == [NO_DRIFT_ERROR, NO_DRIFT_ERROR]
    perfect = drift(make_table([[5, 5]] * 5), make_table([[1, 2], [2, 1], [3, 5], [4, 3], [5, 4]]))
    assert [one.reason for one in perfect] == [NO_DRIFT_REST, NO_DRIFT_REST]
    assert perfect[0].per_100 == pytest.approx(0, abs=1e-9)


PAGE = "/feedback/cups/"


@pytest.fixture
def closed(cast) -> Any:
    random_ratings(cast, [cast.alice, cast.bob])
    close_campaign(campaign=cast.campaign, reason="Done.", closed_by=cast.ada)
    return cast


def text_of(answer: Any) -> str:
    return re.sub(r"\s+", " ", answer.content.decode())


def worked_out(client: Client) -> str:
    client.post(PAGE)
    carry_out_reliability(ReliabilityReport.objects.latest("created_at").pk)
    return text_of(client.get(PAGE))


def test_nothing_is_shown_or_worked_out_while_the_campaign_is_open(cast, client: Client) -> None:
    random_ratings(cast, [cast.alice, cast.bob])
    client.force_login(cast.alice)
    assert PAGE not in client.get("/").content.decode()
    assert "when the campaign is closed" in text_of(client.get(PAGE))
    assert client.post(PAGE).status_code == 409
    assert not ReliabilityReport.objects.exists() and not Unblinding.objects.exists()


def test_own_results_are_recorded_once_and_name_nobody_else(closed, client, enqueued) -> None:
    client.force_login(closed.alice)
    assert f'href="{PAGE}"' in client.get("/").content.decode()
    assert "Calculate" in text_of(client.get(PAGE))
    assert not Unblinding.objects.exists()
    page = worked_out(client)
    assert len(enqueued) == 1
    people = ReliabilityReport.objects.get().result["criteria"][-1]["severity"]["people"]
    own, his = (
        next(one for one in people if one["annotator"] == str(user.pk))
        for user in (closed.alice, closed.bob)
    )
    assert f"{own['ratings']} of your ratings count" in page
    assert f"{own['raw_mean']:.2f}" in page
    assert "You less the mean of the others" in page
    client.get(PAGE)
    row = Unblinding.objects.get()
    assert (row.user, row.shown) == (closed.alice, "feedback")
    # Nobody else is named, and their figures stay theirs.
    main = page.partition("<main")[2]
    assert not re.search(r"\bbob\b", main) and str(closed.bob.pk) not in main
    assert not re.search(r"Annotator \d", main)
    assert f"{his['raw_mean']:.2f}" not in main
    reopen_campaign(campaign=closed.campaign, reason="More.", reopened_by=closed.ada)
    assert "when the campaign is closed" in text_of(client.get(PAGE))
    rate(closed.alice, closed.reference("new").candidates.first(), (5, 5, 5, 5))
    close_campaign(campaign=closed.campaign, reason="Done.", closed_by=closed.ada)
    assert "Calculate" in text_of(client.get(PAGE))
    assert Unblinding.objects.count() == 1


def test_few_shared_candidates_tell_no_single_rating_of_another(cast, client: Client) -> None:
    one, two, _ = cast.reference("r1").candidates.all()
    for user, scores in ((cast.alice, (5, 5, 5, 5)), (cast.bob, (8, 8, 8, 8))):
        rate(user, one, scores)
    rate(cast.alice, two, (6, 6, 6, 6))
    close_campaign(campaign=cast.campaign, reason="Done.", closed_by=cast.ada)
    client.force_login(cast.alice)
    page = worked_out(client)
    assert "You share fewer than 5 candidates" in page
    main = page.partition("<main")[2]
    assert "3.00" not in main and "1.50" not in main
    assert "5.50" in main  # her own mean


def test_who_has_no_counted_rating_reads_that(closed, client: Client) -> None:
    Membership.objects.create(campaign=closed.campaign, user=closed.rita, role=Role.ANNOTATOR)
    client.force_login(closed.rita)
    assert "None of your ratings counts" in worked_out(client)
    assert not Unblinding.objects.exists()
