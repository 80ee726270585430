"""What the API says of datasets, runs, models and reports: listed keys, and no others."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from scoring.models import AgreementReport, DatasetVersion, ModelVersion, TrainingRun
from scoring.queries.datasets import ordered_labels


def version_words(row: DatasetVersion, withheld: Collection[UUID] = ()) -> dict[str, Any]:
    """Tell of a version; who rates in one of the campaigns `withheld` is told no count of it.

    Nor its digest, by which a guess at its labels could be tried.
    """
    is_withheld = row.dataset.campaign_id in withheld
    return {
        "dataset": row.dataset.name,
        "full_name": row.full_name,
        "version": row.number,
        "sha256": None if is_withheld else row.sha256,
        "items": None if is_withheld else row.items,
        "labels": {} if is_withheld else ordered_labels(row),
        "splits": {} if is_withheld else row.card["splits"],
        "left_out": {} if is_withheld else row.card.get("left_out", {}),
        "created_at": row.created_at.isoformat(),
    }


def run_words(row: TrainingRun) -> dict[str, Any]:
    return {
        "id": str(row.pk),
        "dataset": str(row.dataset_version),
        "criterion": row.criterion,
        "status": row.status,
        "progress": row.progress,
        "stage": row.stage,
        "step": row.step,
        "steps": row.steps,
        "epoch": row.epoch,
        "epochs": row.epochs,
        "loss": row.loss,
        "validation_tau": row.validation_tau,
        "tokens_per_second": row.tokens_per_second,
        "seconds_left": row.seconds_left,
        "history": row.history,
        "log": row.log,
        "message": row.message,
        "model": str(row.model.pk) if row.model else None,
        "is_reused": row.reused_model_id is not None,
    }


def model_words(row: ModelVersion, *, is_promoted: bool) -> dict[str, Any]:
    return {
        "id": str(row.pk),
        "criterion": row.criterion,
        "is_promoted": is_promoted,
        "run": str(row.run_id),
        "dataset": str(row.run.dataset_version),
        "dataset_sha256": row.dataset_sha256,
        "manifest_sha256": row.manifest_sha256,
        "code_version": row.code_version,
        "validation": row.card["validation"],
        "tie_threshold": row.card["tie_threshold"],
        "warnings": row.card["warnings"],
        "created_at": row.created_at.isoformat(),
    }


def report_words(row: AgreementReport) -> dict[str, Any]:
    return {
        "id": str(row.pk),
        "dataset": str(row.dataset_version),
        "criterion": row.criterion,
        "asked_scorers": row.scorers,
        "split": row.split,
        "tie_threshold": row.tie_threshold,
        "resamples": row.resamples,
        "seed": row.seed,
        "systems_shown": row.has_systems,
        "admins_counted": row.has_admins,
        "status": row.status,
        "progress": row.progress,
        "stage": row.stage,
        "done": row.done,
        "total": row.total,
        "message": row.message,
    }
