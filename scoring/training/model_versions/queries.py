"""Runs, model versions and reports in the scope of a person; what the page of a model shows."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final
from uuid import UUID

from django.db.models import Q, QuerySet

from annotator.access.scopes import campaigns_for
from annotator.access.visibility import withheld_campaigns
from annotator.models import Role, User
from core.errors import Refused
from core.jobs.rows import JobStatus
from core.plots.curves import curve_plot
from core.plots.shapes import Plot
from patclaimeval.models.data import TrainingResult
from patclaimeval.models.prior import PRIOR, prior_tie_threshold
from patclaimeval.rubric import NAMES
from scoring.access.scopes import may_export, measured_versions_for, version_reader, versions_for
from scoring.models import AgreementReport, DatasetVersion, ModelVersion, TrainingRun
from scoring.training.model_versions import card as parts
from scoring.training.model_versions.card import model_card_markdown, model_limits

MODEL_PREFIX: Final = "model:"


def runs_for(user: User) -> QuerySet[TrainingRun]:
    rows = TrainingRun.objects.filter(dataset_version__in=measured_versions_for(user))
    return rows.select_related(
        "dataset_version__dataset", "model_version", "reused_model", "requested_by"
    )


def models_for(user: User) -> QuerySet[ModelVersion]:
    return ModelVersion.objects.filter(run__in=runs_for(user)).select_related(
        "run__dataset_version__dataset"
    )


def reports_for(user: User) -> QuerySet[AgreementReport]:
    """Return the reports on what the user works on, and to readers of a campaign its finished ones.

    None of a campaign that is open and in which the user rates: whoever knows their own part could
    take it off, and with two annotators the rest is the other one's.
    """
    works_on = Q(dataset_version__in=versions_for(user))
    reads = Q(
        dataset_version__dataset__campaign__in=campaigns_for(user, [Role.READER]),
        status=JobStatus.SUCCEEDED,
    )
    rows = AgreementReport.objects.filter(works_on | reads)
    withheld = Q(dataset_version__dataset__campaign__in=withheld_campaigns(user))
    return rows.exclude(withheld).select_related(
        "dataset_version__dataset__campaign", "requested_by"
    )


def is_neural_report(pk: UUID) -> bool:
    """Return whether a report waits for the queue of networks and endpoints."""
    return AgreementReport.objects.filter(pk=pk, is_neural=True).exists()


def find_model(model_id: str, user: User | None = None, field: str = "") -> ModelVersion:
    """Return the model version or refuse; `user` None means a command on this machine.

    `field` is what a refusal names as wrong.
    """
    rows = ModelVersion.objects.all() if user is None else models_for(user)
    try:
        return rows.get(pk=UUID(model_id))
    except (ValueError, ModelVersion.DoesNotExist) as error:
        sentence = f"There is no model {model_id[:100]!r}."
        raise (Refused.at(field, sentence) if field else Refused(sentence)) from error


def model_data(version: DatasetVersion) -> dict[str, Any]:
    """Return name, digest, licence and split of a version, for the parts of a model's card."""
    return {
        "dataset": str(version),
        "sha256": version.sha256,
        "licence": version.licence or version.card.get("licence", ""),
        "split": version.card.get("split"),
    }


def readme_of(version: DatasetVersion, result: TrainingResult) -> str:
    """Write the README.md of a model that a training on the version has made."""
    return model_card_markdown(asdict(result), model_data(version))


MOST_ROWS: Final = 100


def model_page(model: ModelVersion, user: User) -> dict[str, Any]:
    """Return what the page of a model version shows of its stored card; of an older one, less.

    `epochs`: number, loss and tau-b of each, None where it was not measured.
    """
    card, data = model.card, model_data(model.run.dataset_version)
    history = card.get("history") or []
    every, last = max(1, -(-len(history) // MOST_ROWS)), len(history) - 1
    shown = [row for place, row in enumerate(history) if place % every == 0 or place == last]
    return {
        "data": list(parts.data_facts(data))[2:],
        "facts": list(parts.model_facts(card)),
        "settings": parts.settings_facts(card),
        "measured": parts.measured(card),
        "seen": parts.seen(card),
        "limits": model_limits(card, data),
        "warnings": card.get("warnings") or (),
        "plots": training_plots(history),
        "epochs": [(one["epoch"], one.get("loss"), one.get("validation_tau")) for one in shown],
        "may_download": may_export(version_reader(user, model.run.dataset_version)),
    }


def prior_rows() -> list[tuple[str, dict[str, float], float]]:
    """Return of PatClaimEval-0 the weight of each group and the tie threshold, by criterion."""
    return [
        (NAMES[criterion], dict(weights), prior_tie_threshold(criterion))
        for criterion, weights in PRIOR.items()
    ]


def training_plots(history: Sequence[dict[str, Any]]) -> tuple[Plot, ...]:
    """Return the curves of a training that has recorded epochs: its loss and its tau-b."""
    found = (
        curve_plot("Loss by epoch", "epoch", points_of(history, "loss")),
        curve_plot("Validation tau-b by epoch", "epoch", points_of(history, "validation_tau")),
    )
    return tuple(plot for plot in found if plot is not None)


def points_of(history: Sequence[dict[str, Any]], key: str) -> list[tuple[int, float]]:
    """Return epoch and value of one figure of a training, where it was measured."""
    return [(row["epoch"], row[key]) for row in history if row.get(key) is not None]
