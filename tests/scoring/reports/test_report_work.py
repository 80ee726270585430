"""Reports are carried out once, whole, to the same bytes, and say what could not be scored."""

import json
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from core.jobs import leases
from core.jobs.rows import JobStatus
from patclaimeval.metrics.base import Pair, Score
from scoring.models import AgreementReport, MetricScore
from scoring.reports import work as reports_work
from scoring.reports.files import canonical_json, storable
from scoring.reports.scorers import STANDING_NAMES
from scoring.reports.services import cancel_report
from tests.scoring.asked_reports import (
    Scores,
    carried_out,
    count_calls,
    failing,
    finished,
    request,
    watch,
)

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

FIGURES = (
    *("tau_b", "tau_b_labels", "tau_paper", "spearman", "pearson"),
    *("accuracy", "f1_weighted", "f1_macro", "decisive_accuracy"),
)


def test_a_report_has_the_promised_figures(version) -> None:
    result = finished(version, "bleu-1", "rouge-l")
    assert set(result["scorers"]) == {"bleu-1", "rouge-l"}
    for entry in result["scorers"].values():
        for figure in FIGURES:
            assert {"value", "low", "high"} <= set(entry[figure])
        assert (entry["n"], entry["references"]) == (18, 6)
        assert sum(map(sum, entry["confusion"]["table"])) == 18
        assert (entry["kind"], entry["unavailable"]) == ("metric", "")
    assert result["scorers"]["bleu-1"]["label"] == "BLEU-1"
    assert set(result["baselines"]) == {"majority", *STANDING_NAMES}
    assert {"human_ceiling", "checks", "signature", "comparisons", "power"} <= set(result)
    assert version.sha256[:8] in str(result["question"])
    assert result["question"]["n_asked"] == 18
    assert result["dropped"]["items"] == 0


def test_each_stage_is_stored_on_a_machine_that_has_just_started(version, monkeypatch) -> None:
    monkeypatch.setattr(reports_work, "time", SimpleNamespace(monotonic=lambda: 0.1))
    stages: list[str] = []
    renew_lease = leases.renew_lease

    def note_stage(report: AgreementReport, **values: Any) -> None:
        stages.append(values["stage"])
        renew_lease(report, **values)

    monkeypatch.setattr(leases, "renew_lease", note_stage)
    finished(version, "bleu-1")
    assert stages[0] == "Reading the quadruplets."
    assert "Reading the ratings." in stages


def test_a_pair_is_scored_once_and_a_second_report_computes_nothing_anew(
    version, monkeypatch
) -> None:
    calls = count_calls(monkeypatch)
    first = finished(version, "bleu-1")
    assert calls == [18] * 6  # three candidates of six references; one metric, five that stand
    rows = MetricScore.objects.count()
    assert rows == 5 * 18  # PatClaimEval-0 has a cache of its own
    calls.clear()
    again = finished(version, "bleu-1", tie_threshold=1e-6)
    assert again["scorers"]["bleu-1"]["tau_b"] == first["scorers"]["bleu-1"]["tau_b"]
    assert calls == [18]
    assert MetricScore.objects.count() == rows


def test_the_same_question_computed_twice_gives_the_same_bytes(version) -> None:
    first = canonical_json(finished(version, "bleu-1", "length"))
    AgreementReport.objects.all().delete()
    MetricScore.objects.all().delete()
    assert canonical_json(finished(version, "bleu-1", "length")) == first


def test_what_is_stored_comes_back_as_the_same_bytes(version, monkeypatch) -> None:
    """PostgreSQL keeps numbers as decimals: no zero has a sign there, no whole number an exponent.

    Identity scores of -1e300 make huge differences, and the equal ones negative zeros.
    """
    given: list[dict[str, Any]] = []

    def stored(document: dict[str, Any]) -> dict[str, Any]:
        given.append(storable({**document, "odd": [-0.0, 1e16, -1e300, 1e-300, 5.0, 123456789.5]}))
        return given[0]

    monkeypatch.setattr(reports_work, "storable", stored)
    row = carried_out(request(version, "length"))
    assert row.result is not None
    assert canonical_json(row.result) == canonical_json(given[0])
    assert b"-0.0" not in canonical_json(given[0])


def test_a_report_that_is_cancelled_while_it_scores_stops_and_keeps_its_scores(
    version, monkeypatch
) -> None:
    monkeypatch.setattr(reports_work, "RENEW_EVERY_SECONDS", 0.0)
    report = request(version, "bleu-1", "rouge-l")

    def cancels(pairs: Sequence[Pair]) -> Sequence[Score]:
        cancel_report(report=report)
        return [0.5] * len(pairs)

    failing(monkeypatch, "bleu-1", cancels)
    row = carried_out(report)
    assert (row.status, row.result) == (JobStatus.CANCELLED, None)
    assert MetricScore.objects.count() == 18


def test_a_report_tells_its_stage_and_how_far_it_is(version, monkeypatch) -> None:
    monkeypatch.setattr(reports_work, "RENEW_EVERY_SECONDS", 0.0)
    seen: list[tuple[str, int, int]] = []

    def change(name: str, score: Scores) -> Scores:
        def looking(pairs: Sequence[Pair]) -> Sequence[Score]:
            row = AgreementReport.objects.get()
            seen.append((row.stage, row.done, row.total))
            return score(pairs)

        return looking

    watch(monkeypatch, change)
    row = carried_out(request(version, "bleu-1", "rouge-l"))
    assert seen[:3] == [
        ("Scoring with bleu-1.", 0, 126),
        ("Scoring with rouge-l.", 18, 126),
        ("Scoring with random.", 36, 126),
    ]
    assert (row.done, row.total, row.progress) == (126, 126, 1.0)


def test_no_claim_text_stands_in_the_document(version) -> None:
    text = json.dumps(finished(version, "bleu-1", "sari"))
    assert "housing" not in text
    assert "machine" not in text
