"""Reports that are asked for and carried out by the real services, and scorers that are watched."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from core.jobs.rows import JobStatus
from patclaimeval.metrics.base import Pair, Score
from scoring.models import AgreementReport, DatasetVersion, ModelVersion, TrainingRun
from scoring.reports import scorers
from scoring.reports import work as reports_work
from scoring.reports.scorers import ReportScorer
from scoring.reports.services import ask_for_report
from scoring.reports.work import carry_out_report
from tests.scoring.model_rows import sealed

CRITERION = "feature_completeness"
Scores = Callable[[Sequence[Pair]], Sequence[Score]]


def request(
    version: DatasetVersion, *scorers: str, split: str = "all", **more: Any
) -> AgreementReport:
    asked: dict[str, Any] = {"criterion": CRITERION, "resamples": 100} | more
    return ask_for_report(version=version, scorers=scorers, split=split, **asked).report


def carried_out(report: AgreementReport) -> AgreementReport:
    carry_out_report(report.pk)
    return AgreementReport.objects.get(pk=report.pk)


def finished(
    version: DatasetVersion, *scorers: str, split: str = "all", **more: Any
) -> dict[str, Any]:
    row = carried_out(request(version, *scorers, split=split, **more))
    assert row.status == JobStatus.SUCCEEDED, row.message
    assert row.result is not None
    return row.result


def watch(monkeypatch: pytest.MonkeyPatch, change: Callable[[str, Scores], Scores]) -> None:
    """Have each scorer that is loaded score through what `change` makes of its name and scores."""

    def load(name: str, seed: int, criterion: str) -> ReportScorer:
        scorer = scorers.load_scorer(name, seed, criterion)
        plain = change(name, lambda pairs: scorer.score(pairs, lambda: None))
        return replace(scorer, score=lambda pairs, check: plain(pairs))

    monkeypatch.setattr(reports_work, "load_scorer", load)


def failing(monkeypatch: pytest.MonkeyPatch, name: str, score: Scores) -> None:
    """Have one scorer score by another function."""
    watch(monkeypatch, lambda one, real: score if one == name else real)


def count_calls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the list to which each turn of each scorer adds its number of pairs."""
    asked: list[int] = []

    def change(name: str, score: Scores) -> Scores:
        def counting(pairs: Sequence[Pair]) -> Sequence[Score]:
            asked.append(len(pairs))
            return score(pairs)

        return counting

    watch(monkeypatch, change)
    return asked


def make_model(version: DatasetVersion, criterion: str = CRITERION) -> ModelVersion:
    """Return a model version whose directory is gone."""
    run = TrainingRun.objects.create(dataset_version=version, criterion=criterion, settings={})
    model = ModelVersion(run=run, criterion=criterion, directory="model-gone", code_version="1")
    model.manifest_sha256, model.dataset_sha256, model.card = "0" * 64, version.sha256, {}
    return sealed(model)
