"""What cannot be scored is told, by item or by row, and takes nothing else with it."""

import json
from collections.abc import Sequence

import pytest

from annotator.models import AuditEvent
from core.jobs.rows import JobStatus
from patclaimeval.metrics.base import MetricError, Missing, Pair, Score
from scoring import files as scoring_files
from tests.faults import raising
from tests.scoring.asked_reports import (
    Scores,
    carried_out,
    failing,
    finished,
    make_model,
    request,
    watch,
)

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def test_a_scorer_that_fails_half_way_is_told_by_item(version, monkeypatch) -> None:
    def fails(pairs: Sequence[Pair]) -> Sequence[Score]:
        if any("machine2" in pair.reference for pair in pairs):
            raise RuntimeError("machine2 secret")
        return [float(len(pair.candidate)) for pair in pairs]

    failing(monkeypatch, "bleu-1", fails)
    row = carried_out(request(version, "bleu-1", "rouge-l"))
    result = row.result
    assert result is not None
    assert result["dropped"]["items"] == 3
    reason = "The scorer failed on the pair (RuntimeError)."
    assert result["dropped"]["scorers"]["bleu-1"]["reasons"] == {reason: 3}
    assert {one["id"] for one in result["dropped"]["listed"]} == {"q2-01", "q2-12", "q2-02"}
    assert {entry["n"] for entry in result["scorers"].values()} == {15}
    assert result["question"]["n_asked"] == 18
    assert "secret" not in json.dumps(result)
    # It may pass: the question can be asked again.
    assert row.question_sha256 == ""
    assert request(version, "bleu-1", "rouge-l").pk != row.pk


def test_a_scorer_without_most_scores_is_set_aside_and_takes_nothing_with_it(
    version, monkeypatch
) -> None:
    failing(monkeypatch, "bleu-1", lambda pairs: [Missing("No words.") for _ in pairs])
    row = carried_out(request(version, "bleu-1", "rouge-l"))
    assert row.result is not None
    entry = row.result["scorers"]["bleu-1"]
    assert "18 of 18 items" in entry["unavailable"]
    assert (entry["version"], entry["tau_b"]["value"]) == (None, None)
    assert sum(map(sum, entry["confusion"]["table"])) == 0
    assert row.result["scorers"]["rouge-l"]["n"] == 18
    assert row.question_sha256 != ""


def test_an_absent_metric_is_a_row_that_says_what_to_put_where(version) -> None:
    result = finished(version, "bertscore", "g-eval", "length")
    for name in ("bertscore", "g-eval"):
        entry = result["scorers"][name]
        assert entry["unavailable"]
        assert entry["calibrated"] == {"reason": entry["unavailable"]}
        assert entry["tau_b"]["reason"] == entry["unavailable"]
    assert result["scorers"]["length"]["n"] == 18
    pairs = result["comparisons"]["families"][0]["pairs"]
    assert all("bertscore" not in (pair["first"], pair["second"]) for pair in pairs)


def test_a_report_of_absent_metrics_alone_still_has_its_baselines(version) -> None:
    result = finished(version, "bertscore", "sari")
    assert result["scorers"]["bertscore"]["unavailable"]
    # Without drafts.
    assert "draft" in result["scorers"]["sari"]["unavailable"]
    assert result["baselines"]["length"]["n"] == 18


def test_a_metric_that_gives_up_is_a_row_and_may_be_asked_again(version, monkeypatch) -> None:
    failing(monkeypatch, "bleu-1", raising(MetricError("The endpoint does not answer.")))
    row = carried_out(request(version, "bleu-1", "length"))
    assert row.result is not None
    assert row.result["scorers"]["bleu-1"]["unavailable"] == "The endpoint does not answer."
    assert row.question_sha256 == ""


def test_a_model_whose_directory_is_gone_is_a_row_that_says_so(version) -> None:
    name = f"model:{make_model(version).pk}"
    entry = finished(version, name, "length")["scorers"][name]
    assert "There is no model directory" in entry["unavailable"]
    assert entry["kind"] == "model"


def test_where_no_item_is_left_the_report_fails_in_a_sentence(version, monkeypatch) -> None:
    def half(marks: str) -> Scores:
        return lambda pairs: [
            Missing("No.") if pair.reference.split()[2][-1] in marks else 1.0 for pair in pairs
        ]

    by_name = {"bleu-1": half("012"), "rouge-l": half("345")}
    watch(monkeypatch, lambda name, real: by_name.get(name, real))
    row = carried_out(request(version, "bleu-1", "rouge-l"))
    assert row.status == JobStatus.FAILED
    assert "bleu-1, rouge-l" in row.message


def test_a_changed_dataset_file_fails_the_report_in_a_sentence(version) -> None:
    report = request(version, "bleu-1")
    scoring_files.dataset_path(version.sha256).write_bytes(b"{}\n")
    row = carried_out(report)
    assert row.status == JobStatus.FAILED
    assert "was changed after it was stored" in row.message
    assert AuditEvent.objects.filter(action="report.failed").count() == 1
