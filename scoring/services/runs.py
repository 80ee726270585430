"""Writes of training runs: request, carry out, cancel."""

import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from time import monotonic
from typing import Any
from uuid import UUID

from django.db import transaction

from annotator.jobs import leases
from annotator.jobs.heartbeat import heartbeat
from annotator.jobs.rows import JobStatus
from annotator.models import AuditEvent, User
from annotator.refusals import OutOfDate, Refused
from annotator.rubric import ALL_CRITERIA, NAMES
from scoring import storage
from scoring.models import DatasetVersion, ModelVersion, TrainingRun
from scoring.patclaimeval.config import MIN_ITEMS, SettingsError, TrainingSettings
from scoring.patclaimeval.data import Quadruplet
from scoring.patclaimeval.errors import PatClaimEvalError, TrainingCancelled
from scoring.patclaimeval.results import Progress, TrainingResult
from scoring.queries.datasets import LabelledRow, labelled_rows
from scoring.queries.model_data import readme_of
from scoring.seen_in_training import seen_in_training
from scoring.splits import TRAIN, VALIDATION

SECONDS_BETWEEN_BEATS = 2.0


def request_training(
    *,
    version: DatasetVersion,
    criterion: str,
    options: dict[str, Any],
    requested_by: User | None = None,
) -> TrainingRun:
    """Queue a training of one criterion; refuse before queueing what can be known now.

    `options` are fields of TrainingSettings. Raises Refused naming the field, or saying what the
    dataset lacks.
    """
    if criterion not in ALL_CRITERIA:
        raise Refused(
            f"{criterion} is no criterion; criteria are {', '.join(ALL_CRITERIA)}.",
            {"criterion": [f"Choose one of {', '.join(ALL_CRITERIA)}."]},
        )
    try:
        settings = TrainingSettings(criterion=criterion, **options).resolved()
    except SettingsError as error:
        raise Refused(str(error), {error.field: [error.message]}) from error
    except TypeError as error:
        raise Refused("There is a setting that no training has.") from error
    _refuse_poor_data(version, criterion)
    with transaction.atomic():
        run = TrainingRun.objects.create(
            dataset_version=version,
            criterion=criterion,
            settings=asdict(settings),
            requested_by=requested_by,
            epochs=settings.epochs or 0,
            message="Waiting for a worker.",
        )
        _record("training.requested", run, requested_by)
    return run


def carry_out_training(pk: UUID | str, say: Callable[[str], None] = lambda text: None) -> None:
    """Claim a run, train, and put it into exactly one final state.

    Safe to call any number of times by any number of workers: only the holder of the lease
    writes. `say` hears each line of progress that the row gets.
    """
    run = leases.claim(TrainingRun, pk)
    if run is None:
        return
    directory = storage.models_directory() / f"model-{run.owner}"
    try:
        with heartbeat(run) as check:
            result = _train(run, directory, check, say)
        _complete(run, directory.name, result)
    except (leases.LostLease, TrainingCancelled):
        shutil.rmtree(directory, ignore_errors=True)
        leases.settle_cancelled(run)
    except (PatClaimEvalError, Refused) as error:
        shutil.rmtree(directory, ignore_errors=True)
        _fail(run, str(error))
    except Exception as error:
        shutil.rmtree(directory, ignore_errors=True)
        # The exception's own text may quote claims, so only its kind is shown.
        _fail(run, f"Training stopped on an unexpected error ({type(error).__name__}).")
        raise


def cancel_training(*, run: TrainingRun, cancelled_by: User | None = None) -> None:
    """Ask a run to stop; OutOfDate when it has ended already."""
    with transaction.atomic():
        if not leases.request_cancel(run):
            raise OutOfDate("This run has ended already.")
        _record("training.cancelled", run, cancelled_by)


def _refuse_poor_data(version: DatasetVersion, criterion: str) -> None:
    rows = [row for row in labelled_rows(version, criterion) if row.split == TRAIN]
    if len(rows) < MIN_ITEMS:
        raise Refused(
            f"{version} has {len(rows)} quadruplets with a label for {NAMES[criterion]} in its "
            f"train split; training needs at least {MIN_ITEMS}."
        )
    if len({row.reference_id for row in rows}) < 2:
        raise Refused(
            f"All training quadruplets of {version} share one reference; nothing could be "
            "learnt that holds for another. Add claim sets of at least one more reference."
        )


def _train(
    run: TrainingRun, directory: Path, check: Callable[[], None], say: Callable[[str], None]
) -> TrainingResult:
    # torch loads here, in a worker or command, and never in the web process.
    from scoring.patclaimeval.train import train_model

    last = [0.0, -1]

    def report(progress: Progress) -> None:
        check()
        now = monotonic()
        if now - last[0] < SECONDS_BETWEEN_BEATS and progress.epoch == last[1]:
            return
        if now - last[0] < SECONDS_BETWEEN_BEATS / 10:
            return
        last[:] = [now, progress.epoch]
        fields = _progress_fields(progress)
        leases.beat(run, **fields)
        say(fields["message"])

    rows = labelled_rows(run.dataset_version, run.criterion)
    seen = seen_in_training(rows)
    result = train_model(
        training=_quadruplets(rows, TRAIN),
        validation=_quadruplets(rows, VALIDATION),
        settings=TrainingSettings(**run.settings),
        directory=directory,
        cache_directory=storage.cache_directory(),
        on_progress=report,
        describe=lambda made: readme_of(run.dataset_version, replace(made, seen_in_training=seen)),
    )
    return replace(result, seen_in_training=seen)


def _quadruplets(rows: Sequence[LabelledRow], split: str) -> list[Quadruplet]:
    return [
        Quadruplet(row.reference_id, row.reference, row.b, row.c, row.y)
        for row in rows
        if row.split == split
    ]


def _progress_fields(progress: Progress) -> dict[str, Any]:
    share = progress.step / progress.steps if progress.steps else 0.0
    fields: dict[str, Any] = {
        "stage": progress.stage,
        "epoch": progress.epoch,
        "epochs": progress.epochs,
        "progress": min(max(share, 0.0), 1.0),
        "message": f"{progress.stage}: {progress.step} of {progress.steps}",
    }
    if progress.loss is not None:
        fields["loss"] = progress.loss
    if progress.validation_tau is not None:
        fields["validation_tau"] = progress.validation_tau
    return fields


def _complete(run: TrainingRun, directory: str, result: TrainingResult) -> None:
    """The only place that registers a model: the fence and the row are one transaction."""
    manifest = (storage.models_directory() / directory / "MANIFEST.json").read_bytes()
    with transaction.atomic():
        leases.close(
            run,
            JobStatus.SUCCEEDED,
            progress=1.0,
            stage="done",
            epoch=result.epochs_run,
            validation_tau=result.validation.get("tau_b"),
            message="Done. " + " ".join(result.warnings),
        )
        model = ModelVersion.objects.create(
            run=run,
            criterion=run.criterion,
            directory=directory,
            manifest_sha256=sha256(manifest).hexdigest(),
            dataset_sha256=run.dataset_version.sha256,
            code_version=f"torch {version('torch')}, transformers {version('transformers')}",
            card=asdict(result),
        )
        _record("model.registered", run, run.requested_by, model=str(model.pk))


def _fail(run: TrainingRun, sentence: str) -> None:
    # A lost lease means that another worker owns the run now: nothing of ours is written.
    with suppress(leases.LostLease), transaction.atomic():
        leases.close(run, JobStatus.FAILED, message=sentence)
        _record("training.failed", run, None)


def _record(action: str, run: TrainingRun, actor: User | None, **details: str) -> None:
    AuditEvent.objects.create(
        actor=actor,
        campaign=run.dataset_version.dataset.campaign,
        action=action,
        object_type="training_run",
        object_id=str(run.pk),
        details={"criterion": run.criterion, "dataset": str(run.dataset_version)} | details,
    )
