"""Agreement reports: refused early, scored once, stored whole."""

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

import pytest

from annotator.jobs.rows import JobStatus
from annotator.models import AuditEvent
from annotator.refusals import OutOfDate, Refused
from scoring import storage
from scoring.formats.rows import DatasetRow
from scoring.metrics import registry
from scoring.metrics.base import Pair
from scoring.metrics.registry import BASELINE_NAMES
from scoring.models import AgreementReport, DatasetVersion, MetricScore, ModelVersion, TrainingRun
from scoring.queries import scorers as scorer_queries
from scoring.queries.report_page import report_page
from scoring.services.dataset_import import import_dataset
from scoring.services.reports import cancel_report, carry_out_report, request_report
from scoring.splits import SplitPlan

pytestmark = [pytest.mark.django_db, pytest.mark.embedded]

CRITERION = "feature_completeness"
FIGURES = ("tau_b", "tau_b_labels", "tau_paper", "spearman", "accuracy", "f1_weighted", "f1_macro")


def request(
    version: DatasetVersion, *scorers: str, split: str = "all", **more: Any
) -> AgreementReport:
    return request_report(
        version=version, criterion=CRITERION, scorers=scorers, split=split, **more
    )


def finished(version: DatasetVersion, *scorers: str, split: str = "all") -> dict[str, Any]:
    report = request(version, *scorers, split=split)
    carry_out_report(report.pk)
    row = AgreementReport.objects.get(pk=report.pk)
    assert row.status == JobStatus.SUCCEEDED, row.message
    assert row.result is not None
    return row.result


@pytest.fixture
def model(version: DatasetVersion) -> ModelVersion:
    run = TrainingRun.objects.create(
        dataset_version=version, criterion="logical_linkage", settings={}
    )
    return ModelVersion.objects.create(
        run=run,
        criterion="logical_linkage",
        directory="model-gone",
        manifest_sha256="0" * 64,
        dataset_sha256=version.sha256,
        code_version="1",
        card={},
    )


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count the pairs that each metric is asked to score."""
    asked: list[int] = []
    real = registry.get_metric

    def counting(name: str) -> Any:
        metric = real(name)

        class Counting:
            version = metric.version

            def score(self, pairs: Sequence[Pair]) -> list[float]:
                asked.append(len(pairs))
                return metric.score(pairs)

        return Counting()

    monkeypatch.setattr(scorer_queries, "get_metric", counting)
    return asked


def test_a_report_has_the_promised_figures(version: DatasetVersion) -> None:
    result = finished(version, "bleu-1", "rouge-l")
    assert list(result["scorers"]) == ["bleu-1", "rouge-l"]
    for entry in result["scorers"].values():
        for figure in FIGURES:
            assert {"value", "low", "high"} <= set(entry[figure])
        assert (entry["n"], entry["references"]) == (18, 6)
        assert sum(map(sum, entry["confusion"]["table"])) == 18
    assert set(result["baselines"]) == {"majority", *BASELINE_NAMES}
    assert {"human_ceiling", "checks", "signature"} <= set(result)
    assert version.sha256[:8] in str(result["question"])


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
    version: DatasetVersion, calls: list[int]
) -> None:
    first = finished(version, "bleu-1")
    assert calls == [18] * 5  # three candidates of six references; one metric, four baselines
    rows = MetricScore.objects.count()
    assert rows == 5 * 18
    calls.clear()
    assert finished(version, "bleu-1") == first
    assert calls == []
    assert MetricScore.objects.count() == rows


def test_of_a_new_dataset_only_new_pairs_are_scored(
    version: DatasetVersion, calls: list[int], rows: Callable[..., list[DatasetRow]]
) -> None:
    finished(version, "bleu-1")
    calls.clear()
    larger = import_dataset(name="larger", rows=rows(7), plan=SplitPlan("file")).version
    finished(larger, "bleu-1")
    assert calls == [3] * 5


def test_a_stored_score_is_used_as_it_is(version: DatasetVersion) -> None:
    before = finished(version, "bleu-1")["scorers"]["bleu-1"]["tau_b"]["value"]
    for row in MetricScore.objects.filter(scorer__startswith="bleu-1 "):
        row.value = -row.value
        row.save()
    after = finished(version, "bleu-1")["scorers"]["bleu-1"]["tau_b"]["value"]
    assert before > 0
    assert after == pytest.approx(-before)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"criterion": "novelty"}, "criterion"),
        ({"split": "dev"}, "split"),
        ({"tie_threshold": -1.0}, "tie_threshold"),
        ({"tie_threshold": float("nan")}, "tie_threshold"),
        ({"scorers": []}, "scorers"),
        ({"scorers": ["bleu-9"]}, "scorers"),
        ({"scorers": ["bertscore"]}, "scorers"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused_by_its_field(
    version: DatasetVersion, wrong: dict[str, Any], field: str
) -> None:
    asked = {"criterion": CRITERION, "scorers": ["bleu-1"], "split": "all"} | wrong
    with pytest.raises(Refused) as caught:
        request_report(version=version, **asked)
    assert set(caught.value.fields) == {field}
    assert not AgreementReport.objects.exists()


def test_an_empty_split_is_refused_before_queueing(
    version: DatasetVersion, rows: Callable[..., list[DatasetRow]]
) -> None:
    training_only = import_dataset(name="t", rows=rows(6)[:12], plan=SplitPlan("file")).version
    with pytest.raises(Refused, match=r"t@1 has no quadruplet .* in the split test"):
        request(training_only, "bleu-1", split="test")
    with pytest.raises(Refused, match="no quadruplet with a label for Overall"):
        request_report(version=version, criterion="overall_quality", scorers=["bleu-1"])
    assert not AgreementReport.objects.exists()


def test_a_model_of_another_criterion_is_refused(model: ModelVersion) -> None:
    with pytest.raises(Refused, match="scores logical_linkage, and this report is on feature"):
        request(model.run.dataset_version, f"model:{model.pk}")
    assert not AgreementReport.objects.exists()


@pytest.mark.parametrize("name", ["model:7", "model:", f"model:{UUID(int=7)}"])
def test_a_model_that_is_not_there_is_refused(version: DatasetVersion, name: str) -> None:
    with pytest.raises(Refused, match="There is no model"):
        request(version, name)


def test_a_model_whose_directory_is_gone_fails_the_report_in_a_sentence(
    model: ModelVersion,
) -> None:
    ModelVersion.objects.update(criterion=CRITERION)
    report = request(model.run.dataset_version, f"model:{model.pk}")
    carry_out_report(report.pk)
    row = AgreementReport.objects.get()
    assert row.status == JobStatus.FAILED
    assert "There is no model directory" in row.message
    assert row.result is None


def test_a_changed_dataset_file_fails_the_report_in_a_sentence(version: DatasetVersion) -> None:
    report = request(version, "bleu-1")
    storage.dataset_path(version.sha256).write_bytes(b"{}\n")
    carry_out_report(report.pk)
    row = AgreementReport.objects.get()
    assert row.status == JobStatus.FAILED
    assert "was changed after it was stored" in row.message


def test_an_unexpected_error_fails_the_row_without_its_words(
    version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    def burst(name: str) -> Any:
        raise ZeroDivisionError("1. A secret cup")

    report = request(version, "bleu-1")
    monkeypatch.setattr(scorer_queries, "get_metric", burst)
    with pytest.raises(ZeroDivisionError):
        carry_out_report(report.pk)
    row = AgreementReport.objects.get()
    assert (row.status, row.result) == (JobStatus.FAILED, None)
    assert "ZeroDivisionError" in row.message
    assert "secret" not in row.message
    assert AuditEvent.objects.filter(action="report.failed").count() == 1


def test_carrying_out_a_finished_report_again_changes_nothing(
    version: DatasetVersion, calls: list[int]
) -> None:
    report = request(version, "bleu-1", "bleu-1")
    assert report.scorers == ["bleu-1"]
    carry_out_report(report.pk)
    before = AgreementReport.objects.values().get()
    calls.clear()
    carry_out_report(report.pk)
    assert AgreementReport.objects.values().get() == before
    assert calls == []


def test_a_cancelled_report_is_not_computed(version: DatasetVersion, calls: list[int]) -> None:
    report = request(version, "bleu-1")
    cancel_report(report=report)
    carry_out_report(report.pk)
    assert AgreementReport.objects.get().status == JobStatus.CANCELLED
    assert calls == []
    with pytest.raises(OutOfDate):
        cancel_report(report=report)


def test_the_page_of_a_report_reads_what_was_stored(version: DatasetVersion) -> None:
    report = request(version, "bleu-1")
    assert report_page(report) is None
    carry_out_report(report.pk)
    page = report_page(AgreementReport.objects.get())
    assert page is not None
    assert page.rows[0].name == "bleu-1"
    assert {row.kind for row in page.rows} == {"scorer", "baseline"}
    assert all(len(row.cells) == len(page.headings) - 1 for row in page.rows)
