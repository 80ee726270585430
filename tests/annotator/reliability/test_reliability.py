from random import Random
from typing import Any

import krippendorff
import numpy as np
import pandas as pd
import pingouin
import pytest
from sklearn.metrics import cohen_kappa_score

from annotator.models import AuditEvent, Candidate, Purpose, Rating, ReliabilityReport
from annotator.records import inputs_of
from annotator.reliability import services as reliability_services
from annotator.reliability.services import (
    MOVED_ON,
    cancel_reliability,
    carry_out_reliability,
    figures_of,
    request_reliability,
)
from core.errors import OutOfDate
from core.jobs import leases
from core.jobs.rows import JobStatus
from patclaimeval.rubric import ALL_CRITERIA, CRITERIA
from patclaimeval.statistics.tables import NOT_COMPUTED
from tests.annotator.rating_rows import prefer, random_four, random_ratings, rate
from tests.conftest import grant, make_user
from tests.faults import raising

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

COLUMN = {"overall_quality": "overall_numerator"}


def finished(cast: Any) -> dict[str, Any]:
    row = request_reliability(campaign=cast.campaign, asked_by=cast.ada)
    carry_out_reliability(row.pk)
    row.refresh_from_db()
    assert row.status == JobStatus.SUCCEEDED, row.message
    return row.result


def figure(entry: dict[str, Any], key: str) -> dict[str, Any]:
    return next(one for one in entry["figures"] if one["key"] == key)


def scores(criterion: str) -> pd.DataFrame:
    """The stored scores, annotators by candidates, straight from the rows."""
    column = COLUMN.get(criterion, criterion)
    rows = Rating.objects.values_list("annotator__username", "candidate_id", column)
    frame = pd.DataFrame(rows, columns=["annotator", "item", "score"])
    return frame.pivot_table(index="annotator", columns="item", values="score")


@pytest.fixture
def three(cast: Any) -> list[Any]:
    return [cast.alice, cast.bob, grant(make_user("dave"), cast.campaign, "annotator")]


def test_coefficients_equal_those_of_other_programs_on_the_stored_rows(cast, three) -> None:
    random_ratings(cast, three)
    result = finished(cast)
    assert [entry["key"] for entry in result["criteria"]] == list(ALL_CRITERIA)
    for entry in result["criteria"]:
        table = scores(entry["key"])
        for level in ("nominal", "ordinal", "interval"):
            oracle = krippendorff.alpha(table.to_numpy(), level_of_measurement=level)
            assert figure(entry, f"alpha_{level}")["value"] == pytest.approx(oracle, abs=1e-9)
        kappas = []
        for pair in entry["pairs"]:
            ids = pair["first"], pair["second"]
            names = [next(u.username for u in three if str(u.pk) == pk) for pk in ids]
            both = table.loc[names].dropna(axis=1).astype(int).to_numpy()
            kappas.append(cohen_kappa_score(*both, weights="quadratic", labels=range(111)))
            assert pair["value"] == pytest.approx(kappas[-1], abs=1e-9)
        assert len(kappas) == 3
        assert figure(entry, "kappa_quadratic")["value"] == pytest.approx(np.mean(kappas))


def test_icc_equals_pingouins_where_all_rate_all(cast, three) -> None:
    random = Random(4)
    for number in range(3):
        for candidate in cast.reference(f"ref-{number}").candidates.all():
            truth = random.randint(2, 8)
            for user in three:
                rate(user, candidate, random_four(random, truth))
    entry = finished(cast)["criteria"][0]
    long = scores(entry["key"]).stack().rename("score").reset_index()
    oracle = pingouin.intraclass_corr(long, "item", "annotator", "score").set_index("Type")["ICC"]
    for ours, theirs in (("icc_single", ("ICC2", "ICC(A,1)")), ("icc_mean", ("ICC2k", "ICC(A,k)"))):
        expected = next(oracle[name] for name in theirs if name in oracle)
        assert figure(entry, ours)["value"] == pytest.approx(expected, abs=1e-9)


def test_distances_of_the_overall_are_in_points(cast) -> None:
    for candidate in cast.reference("r1").candidates.all():
        rate(cast.alice, candidate, (6, 6, 6, 6))
        rate(cast.bob, candidate, (5, 5, 5, 5))
    overall = finished(cast)["criteria"][-1]
    assert overall["key"] == "overall_quality"
    assert figure(overall, "mean_difference")["value"] == pytest.approx(1.0)
    assert figure(overall, "within_one")["value"] == 1.0
    assert overall["histogram"] == [0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0]
    of_alice = next(
        one for one in overall["severity"]["people"] if one["annotator"] == str(cast.alice.pk)
    )
    assert (of_alice["raw_mean"], of_alice["adjusted_mean"]) == pytest.approx((6.0, 5.5))
    assert of_alice["severity"] == pytest.approx(-0.5)


def test_undefined_figures_have_a_reason_and_no_number(cast) -> None:
    result = finished(cast)
    assert result["counts"]["ratings"] == 0
    for entry in result["criteria"]:
        for one in entry["figures"]:
            assert one["value"] is None and one["reason"], one["key"]
        assert [line["annotators"] for line in entry["plan"]] == [None] * 3
    assert result["preferences"]["criteria"] == []


@pytest.mark.parametrize(
    "fails",
    [lambda matrix, **more: np.full_like(matrix, np.nan), raising(np.linalg.LinAlgError("no"))],
    ids=["not a number", "an error"],
)
@pytest.mark.parametrize(
    ("solver", "part", "key"), [("inv", "severity", "severity"), ("pinv", "drift", "per_100")]
)
def test_a_figure_that_cannot_be_computed_says_so_and_spoils_no_other(
    cast, three, monkeypatch, solver, part, key, fails
) -> None:
    random_ratings(cast, three)
    before = finished(cast)
    ReliabilityReport.objects.all().delete()
    monkeypatch.setattr(np.linalg, solver, fails)
    for entry, whole in zip(finished(cast)["criteria"], before["criteria"], strict=True):
        lines, expected = entry.pop(part), whole.pop(part)
        lines, expected = (
            each["people"] if part == "severity" else each for each in (lines, expected)
        )
        assert [line["annotator"] for line in lines] == [line["annotator"] for line in expected]
        for line, known in zip(lines, expected, strict=True):
            assert known[key] is not None
            assert (line[key], line["low"], line["high"]) == (None, None, None)
            assert line["reason"] == NOT_COMPUTED
        assert entry == whole


def test_repeats_and_sentinels_tell_of_annotators_and_do_not_count_as_ratings(cast) -> None:
    reference = cast.reference("r1", 2)
    one, two = reference.candidates.all()
    rate(cast.alice, one, (4, 4, 4, 4))
    rate(cast.bob, one, (6, 4, 4, 4))
    more = {"purpose": Purpose.REPEAT, "original": one, "claims": one.claims}
    again = Candidate.objects.create(reference=reference, campaign=cast.campaign, **more)
    rate(cast.alice, again, (5, 4, 4, 4))
    Candidate.objects.filter(pk=two.pk).update(
        purpose=Purpose.SENTINEL, damage={"criterion": CRITERIA[3], "kind": "x", "places": 1}
    )
    rate(cast.alice, two, (10, 10, 10, 4))
    rate(cast.bob, two, (9, 9, 9, 10))
    result = finished(cast)
    counts = result["counts"]
    assert (counts["ratings"], counts["repeats"], counts["sentinels"]) == (2, 1, 2)
    first = result["criteria"][0]
    assert figure(first["repeats"][0], "mean_difference")["value"] == 1.0
    assert figure(result["criteria"][1]["repeats"][0], "exact")["value"] == 1.0
    assert first["repeats"][1]["annotator"] == str(cast.alice.pk)
    groups = {(g["annotator"], g["criterion"]): g for g in result["sentinels"]["groups"]}
    assert result["sentinels"]["assumed"] == 2
    assert figure(groups[None, None], "detected")["value"] == 0.5
    assert figure(groups[str(cast.alice.pk), None], "drop_aimed")["value"] == 6.0
    assert figure(groups[str(cast.bob.pk), None], "drop_elsewhere")["value"] == 1.0


def test_preferences_equal_the_oracles_whichever_side_a_candidate_stood(cast) -> None:
    random = Random(8)
    stated = []
    for number in range(8):
        a, b, _ = cast.reference(f"r{number}").candidates.all()
        left, right = sorted((a, b), key=lambda row: str(row.pk))
        x, y = random.choice((-1, 0, 1)), random.choice((-1, 0, 1))
        stated.append((x, y))
        prefer(cast.alice, left, right, overall_quality=x, logical_linkage=x)
        prefer(cast.bob, right, left, overall_quality=-y)
    found = finished(cast)["preferences"]
    assert (found["n"], found["pairs"], found["annotators"]) == (16, 8, 2)
    overall = found["criteria"][-1]
    one, two = zip(*stated, strict=True)
    assert figure(overall, "exact")["value"] == pytest.approx(np.mean(np.array(one) == two))
    assert figure(overall, "kappa")["value"] == pytest.approx(cohen_kappa_score(one, two), abs=1e-9)
    for level in ("ordinal", "nominal"):
        oracle = krippendorff.alpha([one, two], level_of_measurement=level)
        assert figure(overall, f"alpha_{level}")["value"] == pytest.approx(oracle, abs=1e-9)
    linkage = found["criteria"][3]
    assert sum(linkage["answers"]) == 8  # bob stated nothing of it
    assert figure(linkage, "kappa")["value"] is None


def test_the_same_ratings_give_the_same_row_and_another_rating_another(cast) -> None:
    one, two, _ = cast.reference("r1").candidates.all()
    rate(cast.alice, one, (5, 5, 5, 5))
    first = request_reliability(campaign=cast.campaign)
    assert request_reliability(campaign=cast.campaign).pk == first.pk
    carry_out_reliability(first.pk)
    assert request_reliability(campaign=cast.campaign).status == JobStatus.SUCCEEDED
    assert AuditEvent.objects.filter(action="reliability.requested").count() == 1
    rate(cast.alice, two, (5, 5, 5, 5))
    assert request_reliability(campaign=cast.campaign).pk != first.pk


def test_a_cancelled_report_is_queued_again_by_the_next_who_asks(cast) -> None:
    row = request_reliability(campaign=cast.campaign, asked_by=cast.ada)
    cancel_reliability(report=row, cancelled_by=cast.ada)
    carry_out_reliability(row.pk)
    row.refresh_from_db()
    assert (row.status, row.result) == (JobStatus.CANCELLED, {})
    with pytest.raises(OutOfDate):
        cancel_reliability(report=row)
    again = request_reliability(campaign=cast.campaign, asked_by=cast.rita)
    assert (again.pk, again.status, again.asked_by) == (row.pk, JobStatus.QUEUED, cast.rita)
    carry_out_reliability(row.pk)
    row.refresh_from_db()
    assert row.status == JobStatus.SUCCEEDED


def test_a_running_report_stops_at_its_next_beat_once_cancelled(cast, monkeypatch) -> None:
    random_ratings(cast, [cast.alice, cast.bob], references=2)
    row = request_reliability(campaign=cast.campaign)

    def cancelling(given: Any, log: Any) -> Any:
        leases.request_cancel(row)
        return figures_of(given, log)

    monkeypatch.setattr(reliability_services, "figures_of", cancelling)
    carry_out_reliability(row.pk)
    row.refresh_from_db()
    assert (row.status, row.result) == (JobStatus.CANCELLED, {})


def test_an_error_ends_the_report_without_its_words(cast, monkeypatch) -> None:
    row = request_reliability(campaign=cast.campaign)

    broken = raising(ValueError("alice is strict"))
    monkeypatch.setattr(reliability_services, "figures_of", broken)
    with pytest.raises(ValueError):
        carry_out_reliability(row.pk)
    row.refresh_from_db()
    assert row.status == JobStatus.FAILED
    assert "ValueError" in row.message and "alice" not in row.message


def test_two_reports_on_the_same_ratings_are_not_worked_out_twice(cast) -> None:
    one, two, _ = cast.reference("r1").candidates.all()
    rate(cast.alice, one, (5, 5, 5, 5))
    early = request_reliability(campaign=cast.campaign)
    rate(cast.alice, two, (5, 5, 5, 5))
    late = request_reliability(campaign=cast.campaign)
    carry_out_reliability(early.pk)
    early.refresh_from_db()
    assert (early.status, early.message) == (JobStatus.FAILED, MOVED_ON)
    # A rating that came while it waited is in it, and named by its digest.
    rate(cast.bob, two, (5, 5, 5, 5))
    carry_out_reliability(late.pk)
    late.refresh_from_db()
    assert late.status == JobStatus.SUCCEEDED
    assert late.result["counts"]["ratings"] == 3
    assert late.input_sha256 == inputs_of(cast.campaign).sha256
