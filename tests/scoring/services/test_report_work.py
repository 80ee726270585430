"""Reports are carried out once, whole, to the same bytes, and say what could not be scored."""

import json
import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from annotator.jobs.rows import JobStatus
from annotator.models import AuditEvent
from scoring import storage
from scoring.formats.rows import DatasetRow
from scoring.metrics.base import MetricError, Missing, Pair, Score
from scoring.metrics.registry import BASELINE_NAMES
from scoring.models import AgreementReport, DatasetVersion, MetricScore
from scoring.queries.reports.page import ordered_result, report_page
from scoring.report_files.canonical_json import canonical_json
from scoring.services import report_work
from scoring.services.dataset_import import import_dataset
from scoring.services.report_work import carry_out_report
from scoring.services.reports import cancel_report
from scoring.splits import SplitPlan
from scoring.stored_numbers import storable
from tests.scoring.asked_reports import (
    Scores,
    carried_out,
    count_calls,
    finished,
    make_model,
    request,
    watch,
)

pytestmark = [pytest.mark.django_db, pytest.mark.embedded]

FIGURES = (
    *("tau_b", "tau_b_labels", "tau_paper", "spearman", "pearson"),
    *("accuracy", "f1_weighted", "f1_macro", "decisive_accuracy"),
)


def failing(monkeypatch: pytest.MonkeyPatch, name: str, score: Scores) -> None:
    """Have one scorer score by another function."""
    watch(monkeypatch, lambda one, real: score if one == name else real)


def test_a_report_has_the_promised_figures(version: DatasetVersion) -> None:
    result = finished(version, "bleu-1", "rouge-l")
    assert set(result["scorers"]) == {"bleu-1", "rouge-l"}
    for entry in result["scorers"].values():
        for figure in FIGURES:
            assert {"value", "low", "high"} <= set(entry[figure])
        assert (entry["n"], entry["references"]) == (18, 6)
        assert sum(map(sum, entry["confusion"]["table"])) == 18
        assert (entry["kind"], entry["unavailable"]) == ("metric", "")
    assert result["scorers"]["bleu-1"]["label"] == "BLEU-1"
    assert set(result["baselines"]) == {"majority", *BASELINE_NAMES}
    assert {"human_ceiling", "checks", "signature", "comparisons", "power"} <= set(result)
    assert version.sha256[:8] in str(result["question"])
    assert result["question"]["n_asked"] == 18
    assert result["dropped"]["items"] == 0


def test_figures_follow_from_the_labels(version: DatasetVersion) -> None:
    result = finished(version, "length")
    # Two thirds of the comparisons set one part against three, and length tells those.
    assert result["scorers"]["length"]["accuracy"]["value"] >= 2 / 3
    majority = result["baselines"]["majority"]["accuracy"]["value"]
    assert majority == pytest.approx(1 / 3)  # six of each label


def test_a_split_takes_its_own_items_only(version: DatasetVersion) -> None:
    assert finished(version, "bleu-1", split="test")["checks"]["items"] == 3
    assert finished(version, "bleu-1", split="train")["checks"]["items"] == 12


def test_a_pair_is_scored_once_and_a_second_report_computes_nothing_anew(
    version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = count_calls(monkeypatch)
    first = finished(version, "bleu-1")
    assert calls == [18] * 5  # three candidates of six references; one metric, four baselines
    rows = MetricScore.objects.count()
    assert rows == 5 * 18
    calls.clear()
    again = finished(version, "bleu-1", tie_threshold=1e-6)
    assert again["scorers"]["bleu-1"]["tau_b"] == first["scorers"]["bleu-1"]["tau_b"]
    assert calls == []
    assert MetricScore.objects.count() == rows


def test_of_a_new_dataset_only_new_pairs_are_scored(
    version: DatasetVersion,
    rows: Callable[..., list[DatasetRow]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    finished(version, "bleu-1")
    calls = count_calls(monkeypatch)
    larger = import_dataset(name="larger", rows=rows(7), plan=SplitPlan("file")).version
    finished(larger, "bleu-1")
    assert calls == [3] * 5


def test_a_stored_score_is_used_as_it_is(version: DatasetVersion) -> None:
    before = finished(version, "bleu-1")["scorers"]["bleu-1"]["tau_b"]["value"]
    for row in MetricScore.objects.filter(scorer__startswith="bleu-1 "):
        row.value = -row.value
        row.save()
    after = finished(version, "bleu-1", seed=1)["scorers"]["bleu-1"]["tau_b"]["value"]
    assert before > 0
    assert after == pytest.approx(-before)


def test_the_same_question_computed_twice_gives_the_same_bytes(version: DatasetVersion) -> None:
    first = canonical_json(finished(version, "bleu-1", "length"))
    AgreementReport.objects.all().delete()
    MetricScore.objects.all().delete()
    assert canonical_json(finished(version, "bleu-1", "length")) == first


def test_what_is_stored_comes_back_as_the_same_bytes(
    version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL keeps numbers as decimals: no zero has a sign there, no whole number an exponent.

    Identity scores of -1e300 make huge differences, and the equal ones negative zeros.
    """
    given: list[dict[str, Any]] = []

    def stored(document: dict[str, Any]) -> dict[str, Any]:
        given.append(storable({**document, "odd": [-0.0, 1e16, -1e300, 1e-300, 5.0, 123456789.5]}))
        return given[0]

    monkeypatch.setattr(report_work, "storable", stored)
    row = carried_out(request(version, "length"))
    assert row.result is not None
    assert canonical_json(row.result) == canonical_json(given[0])
    assert b"-0.0" not in canonical_json(given[0])


def test_killed_midway_only_what_is_missing_is_scored(
    version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that is killed writes nothing more: its lease runs out, and another takes over."""

    def dies(pairs: Sequence[Pair]) -> Sequence[Score]:
        raise KeyboardInterrupt

    report = request(version, "bleu-1", "rouge-l")
    failing(monkeypatch, "rouge-l", dies)
    with pytest.raises(KeyboardInterrupt):
        carry_out_report(report.pk)
    assert AgreementReport.objects.get().status == JobStatus.RUNNING
    AgreementReport.objects.update(lease_until="2000-01-01T00:00:00Z")
    calls = count_calls(monkeypatch)
    row = carried_out(report)
    assert (row.status, row.attempt) == (JobStatus.SUCCEEDED, 2)
    assert calls == [18] * 5  # rouge-l and the baselines; bleu-1 was kept


def test_a_scorer_that_fails_half_way_is_told_by_item(
    version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
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


def test_infinite_scores_are_dropped_and_counted(
    version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    def odd(pairs: Sequence[Pair]) -> Sequence[Score]:
        return [math.inf if "machine1" in pair.candidate else 0.5 for pair in pairs]

    failing(monkeypatch, "bleu-1", odd)
    result = finished(version, "bleu-1", "rouge-l")
    assert result["dropped"]["scorers"]["bleu-1"]["infinite"] == 3
    assert {entry["n"] for entry in result["baselines"].values()} == {15}


def test_an_absent_metric_is_a_row_that_says_what_to_put_where(version: DatasetVersion) -> None:
    result = finished(version, "bertscore", "g-eval", "length")
    for name in ("bertscore", "g-eval"):
        entry = result["scorers"][name]
        assert entry["unavailable"]
        assert entry["calibrated"] == {"reason": entry["unavailable"]}
        assert entry["tau_b"]["reason"] == entry["unavailable"]
    assert result["scorers"]["length"]["n"] == 18
    pairs = result["comparisons"]["families"][0]["pairs"]
    assert all("bertscore" not in (pair["first"], pair["second"]) for pair in pairs)


def test_a_report_of_absent_metrics_alone_still_has_its_baselines(version: DatasetVersion) -> None:
    result = finished(version, "bertscore")
    assert result["scorers"]["bertscore"]["unavailable"]
    assert result["baselines"]["length"]["n"] == 18


def test_without_drafts_sari_says_so_plainly(version: DatasetVersion) -> None:
    assert "draft" in finished(version, "sari", "length")["scorers"]["sari"]["unavailable"]


def test_a_metric_that_gives_up_is_a_row_and_may_be_asked_again(
    version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down(pairs: Sequence[Pair]) -> Sequence[Score]:
        raise MetricError("The endpoint does not answer.")

    failing(monkeypatch, "bleu-1", down)
    row = carried_out(request(version, "bleu-1", "length"))
    assert row.result is not None
    assert row.result["scorers"]["bleu-1"]["unavailable"] == "The endpoint does not answer."
    assert row.question_sha256 == ""


def test_a_model_whose_directory_is_gone_is_a_row_that_says_so(version: DatasetVersion) -> None:
    name = f"model:{make_model(version).pk}"
    entry = finished(version, name, "length")["scorers"][name]
    assert "There is no model directory" in entry["unavailable"]
    assert entry["kind"] == "model"


def test_where_no_item_is_left_the_report_fails_in_a_sentence(
    version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half(marks: str) -> Scores:
        return lambda pairs: [
            Missing("No.") if pair.reference.split()[2][-1] in marks else 1.0 for pair in pairs
        ]

    by_name = {"bleu-1": half("012"), "rouge-l": half("345")}
    watch(monkeypatch, lambda name, real: by_name.get(name, real))
    rows = DatasetVersion.objects.get().items
    assert rows == 18
    row = carried_out(request(version, "bleu-1", "rouge-l"))
    assert row.status == JobStatus.FAILED
    assert "bleu-1, rouge-l" in row.message


def test_a_changed_dataset_file_fails_the_report_in_a_sentence(version: DatasetVersion) -> None:
    report = request(version, "bleu-1")
    storage.dataset_path(version.sha256).write_bytes(b"{}\n")
    row = carried_out(report)
    assert row.status == JobStatus.FAILED
    assert "was changed after it was stored" in row.message


def test_an_unexpected_error_fails_the_row_without_its_words(
    version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    def burst(*asked: Any) -> Any:
        raise ZeroDivisionError("1. A secret cup")

    report = request(version, "bleu-1")
    monkeypatch.setattr(report_work, "load_scorer", burst)
    with pytest.raises(ZeroDivisionError):
        carry_out_report(report.pk)
    row = AgreementReport.objects.get()
    assert (row.status, row.result) == (JobStatus.FAILED, None)
    assert "ZeroDivisionError" in row.message
    assert "secret" not in row.message
    assert AuditEvent.objects.filter(action="report.failed").count() == 1


def test_carrying_out_a_finished_report_again_changes_nothing(
    version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = request(version, "bleu-1", "bleu-1")
    assert report.scorers == ["bleu-1"]
    carry_out_report(report.pk)
    before = AgreementReport.objects.values().get()
    calls = count_calls(monkeypatch)
    carry_out_report(report.pk)
    assert AgreementReport.objects.values().get() == before
    assert calls == []


def test_a_report_that_is_cancelled_while_it_scores_stops_and_keeps_its_scores(
    version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_work, "BEAT_EVERY_SECONDS", 0.0)
    report = request(version, "bleu-1", "rouge-l")

    def cancels(pairs: Sequence[Pair]) -> Sequence[Score]:
        cancel_report(report=report)
        return [0.5] * len(pairs)

    failing(monkeypatch, "bleu-1", cancels)
    row = carried_out(report)
    assert (row.status, row.result) == (JobStatus.CANCELLED, None)
    assert MetricScore.objects.count() == 18


def test_a_report_tells_its_stage_and_how_far_it_is(
    version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_work, "BEAT_EVERY_SECONDS", 0.0)
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
        ("Scoring with bleu-1.", 0, 108),
        ("Scoring with rouge-l.", 18, 108),
        ("Scoring with random.", 36, 108),
    ]
    assert (row.done, row.total, row.progress) == (108, 108, 1.0)


def test_no_claim_text_stands_in_the_document(version: DatasetVersion) -> None:
    text = json.dumps(finished(version, "bleu-1", "sari"))
    assert "housing" not in text
    assert "machine" not in text


def test_the_page_of_a_report_reads_what_was_stored(version: DatasetVersion) -> None:
    report = request(version, "bleu-1")
    assert report_page(report) is None
    page = report_page(carried_out(report))
    assert page is not None
    assert page.rows[0].name == "bleu-1"
    assert {row.kind for row in page.rows} == {"scorer", "baseline"}


def test_scorers_are_told_in_the_order_that_was_asked_for(version: DatasetVersion) -> None:
    result = ordered_result(carried_out(request(version, "rouge-l", "bleu-1")))
    assert result is not None
    assert list(result["scorers"]) == ["rouge-l", "bleu-1"]
