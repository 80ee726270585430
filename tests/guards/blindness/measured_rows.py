"""Builders of the rows that `scoring` has of a campaign: dataset, freeze, runs, model, report."""

import json
from dataclasses import dataclass, replace
from typing import Any, Final

from annotator.context.services import store_context
from annotator.models import Campaign, Reference, User
from patclaimeval.documents.context import Context, Paragraph
from patclaimeval.documents.drawings import sheets_of
from patclaimeval.text_io.text import text_sha256
from scoring.datasets.freezing.imports import import_dataset
from scoring.models import (
    AgreementReport,
    DatasetVersion,
    Freeze,
    MetricScore,
    ModelVersion,
    Promotion,
    ReportItems,
    ScoreRequest,
    TextPermission,
    TrainingRun,
)
from scoring.quadruplets import SplitPlan
from scoring.reports.services import ask_for_report
from scoring.reports.work import carry_out_report
from tests.patclaimeval.documents.pictures import picture
from tests.scoring.conftest import dataset_rows

CRITERION: Final = "feature_completeness"
CARD: Final[dict[str, Any]] = {
    "n_training": 2,
    "n_validation": 1,
    "validation": {"tau_b": 0.5},
    "tie_threshold": 0.1,
    "settings": {"method": "overlap", "encoder": "none"},
}
FROZEN: Final[dict[str, Any]] = {
    "name": None,
    "policy": "settled",
    "tie_band": 0.0,
    "criteria": [CRITERION],
    "split_by": "reference",
    "test_share": 0.15,
    "validation_share": 0.1,
    "seed": 0,
    "include_unlocked": True,
}
# One report's figures, computed once a process: every state shows the same.
_results: list[tuple[str, bytes]] = []
DATASET: Final = "the-dataset-of-the-report"


@dataclass(frozen=True, slots=True)
class MeasuredRows:
    """One row of each kind, of one campaign; `scores` is what the researcher had scored."""

    version: DatasetVersion
    waiting: TrainingRun
    run: TrainingRun
    model: ModelVersion
    report: AgreementReport
    freeze: Freeze
    scores: ScoreRequest
    permission: TextPermission


def measured_rows(mark: str, campaign: Campaign, researcher: User, score: float) -> MeasuredRows:
    """Return a dataset, runs, a promoted model, a report, a freeze and a request for scores."""
    texts = {"reference": f"1. A {mark}exportclaim.", "reference_id": f"{mark}exportid"}
    rows = [replace(row, **texts) for row in dataset_rows(2)]
    version = import_dataset(
        name=f"{mark}dataset", rows=rows, plan=SplitPlan("file"), campaign=campaign
    ).version
    _give_context(campaign, **texts)
    waiting, run = (
        TrainingRun.objects.create(
            dataset_version=version,
            criterion=CRITERION,
            settings={"seed": 1},
            message=f"{mark}runmessage",
            log=[{"at": "2026-01-02T03:04:05+00:00", "words": f"{mark}runmessage"}],
            history=[{"epoch": 1, "loss": 0.5, "validation_tau": 0.25}],
            requested_by=researcher,
        )
        for _ in range(2)
    )
    model = ModelVersion.objects.create(
        run=run,
        criterion=CRITERION,
        directory=f"{mark}modeldirectory",
        manifest_sha256="0" * 64,
        dataset_sha256=version.sha256,
        code_version="1",
        card=CARD | {"warnings": [f"{mark}modelwarning"]},
    )
    for digest in campaign.candidates.values_list("claims_sha256", flat=True):
        MetricScore.objects.create(
            scorer="length 1", reference_sha256="r", candidate_sha256=digest, value=score
        )
    freeze = Freeze.objects.create(
        campaign=campaign, asked_by=researcher, settings=FROZEN, message=f"{mark}runmessage"
    )
    report = _report(version, researcher)
    scores = _scores(mark, campaign, model, researcher, score)
    permission = _permission(mark, version)
    return MeasuredRows(version, waiting, run, model, report, freeze, scores, permission)


def _give_context(campaign: Campaign, reference: str, reference_id: str) -> None:
    """Have the campaign hold the reference of the dataset, too, and its context."""
    row = Reference.objects.create(
        campaign=campaign,
        reference_id=reference_id,
        claims=reference,
        claims_sha256=text_sha256(reference),
        position=2,
    )
    sheets = tuple(sheets_of(picture(), "fig1.png"))
    store_context([(row.pk, Context((Paragraph("description", reference),), sheets))])


def _permission(mark: str, version: DatasetVersion) -> TextPermission:
    """Let the admin read the texts, who does anyway: the researcher must not."""
    admin = User.objects.get(
        memberships__campaign=version.dataset.campaign_id, memberships__role="admin"
    )
    return TextPermission.objects.create(
        version=version, person=admin, granted_by=admin, reason=f"{mark}textreason"
    )


def _scores(
    mark: str, campaign: Campaign, model: ModelVersion, researcher: User, score: float
) -> ScoreRequest:
    """Promote the model, and return how it scored a text of the researcher's."""
    for act in ("asked", "agreed", "asked"):
        Promotion.objects.create(
            act=act,
            model=model,
            criterion=CRITERION,
            campaign=campaign,
            actor=researcher,
            reason=f"{mark}promotionreason",
        )
    return ScoreRequest.objects.create(
        asked_by=researcher,
        reference_text=f"1. A {mark}pastedclaim.",
        candidate_texts=[f"1. A {mark}pastedclaim too."],
        models_by_criterion={CRITERION: str(model.pk)},
        scores={CRITERION: [{"score": score, "parts": {"rouge_1": [score, 0.0, score]}}]},
        status="succeeded",
    )


def _report(version: DatasetVersion, researcher: User) -> AgreementReport:
    report = ask_for_report(
        version=version,
        criterion=CRITERION,
        scorers=["length"],
        split="all",
        requested_by=researcher,
    ).report
    if not _results:
        carry_out_report(report.pk)
        report.refresh_from_db()
        assert report.result, report.message
        document = json.dumps(report.result).replace(version.dataset.name, DATASET)
        _results.append((document, bytes(report.items.content)))
    document, items = _results[0]
    report.result = json.loads(document.replace(DATASET, version.dataset.name))
    report.status = "succeeded"
    report.save()
    ReportItems.objects.get_or_create(report=report, defaults={"content": items})
    return report
