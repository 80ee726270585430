"""Carries training runs out, or finds the model that a run would only train again."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction

from core import storage
from core.errors import Unreachable
from core.jobs import leases
from core.jobs.rows import JobStatus
from core.jobs.running import run_job
from patclaimeval.models.config import (
    DEFAULT_ENCODER,
    FORMER_SETTINGS,
    TrainingSettings,
    code_version,
)
from patclaimeval.models.data import Quadruplet, TrainingResult
from patclaimeval.models.errors import PatClaimEvalError, TrainingCancelled
from scoring import files as scoring_files
from scoring.access.scopes import LabelledRow, labelled_rows
from scoring.files import StoredFileDamaged
from scoring.models import ModelVersion, TrainingRun
from scoring.quadruplets import TRAIN, VALIDATION
from scoring.training.model_versions.card import headline
from scoring.training.model_versions.files import (
    directory_of,
    is_sealed,
    seal_of,
    share_model,
    stored_name,
)
from scoring.training.model_versions.queries import readme_of
from scoring.training.runs.estimate import seen_in_training
from scoring.training.runs.services import (
    RunProgress,
    clear_run,
    model_directory,
    record_event,
    state_directory,
)


def unchanged_model(run: TrainingRun) -> ModelVersion | None:
    """Return the oldest such model of the same campaign whose files are whole; None without one.

    The settings are compared as they were asked for, `auto` devices included.
    """
    version = run.dataset_version
    found = ModelVersion.objects.filter(
        criterion=run.criterion,
        dataset_sha256=version.sha256,
        code_version=code_version(),
        run__dataset_version__dataset__campaign=version.dataset.campaign,
    ).select_related("run")
    wanted = _decisive(run)
    alike = [model for model in found.order_by("created_at") if _decisive(model.run) == wanted]
    return next((model for model in alike if _is_whole(model) and _has_same_encoder(model)), None)


def _decisive(run: TrainingRun) -> dict[str, Any]:
    return {name: value for name, value in run.settings.items() if name not in FORMER_SETTINGS}


def _is_whole(model: ModelVersion) -> bool:
    # numpy loads here, and torch for an encoder: in a worker or command, not in the web process.
    from patclaimeval.models.checkpoint import read_checkpoint

    if not is_sealed(model):
        return False
    try:
        read_checkpoint(directory_of(model), model.manifest_sha256)
    except (PatClaimEvalError, StoredFileDamaged):
        return False
    return True


def _has_same_encoder(model: ModelVersion) -> bool:
    """Return whether the encoder's files are those of then: a directory may hold others by now."""
    settings = TrainingSettings.from_stored(model.run.settings)
    if settings.method == "probe" or settings.encoder == DEFAULT_ENCODER:
        return True  # it reads none, or one whose digest is part of the code
    # torch loads here, in a worker or command, and never in the web process.
    from patclaimeval.models.encoder_training import load_settings_encoder

    try:
        return load_settings_encoder(settings).digest == model.card["encoder"]["sha256"]
    except PatClaimEvalError:
        return False  # the training itself will report what is missing


def carry_out_training(pk: UUID | str, log: Callable[[str], None] = lambda text: None) -> None:
    """Claim a run, train, and put it into exactly one final state.

    Safe to call any number of times by any number of workers: only the holder of the lease
    writes. A run whose worker was killed goes on from its saved state; one that would only train
    an existing model again ends with that model. `log` gets each line of progress that the row
    gets.
    """
    run_job(
        TrainingRun,
        pk,
        lambda run, check: _train_or_reuse(run, check, log),
        noun="Training",
        on_failure=lambda run: record_event("training.failed", run, None),
        cleanup=_clear,
        refusals=(PatClaimEvalError,),
        failure_columns=("log", "history"),
    )


def _train_or_reuse(
    run: TrainingRun, check: Callable[[], None], log: Callable[[str], None]
) -> None:
    progress = RunProgress(run, log)
    progress.check = check
    progress.note(f"attempt {run.attempt} began")
    known = unchanged_model(run)
    if known is not None:
        _reuse(run, known, progress)
        return
    directory = model_directory(run)
    try:
        result = _train(run, directory, progress)
    except TrainingCancelled as error:
        raise leases.LostLease from error
    _complete(run, directory.name, result, progress)


def _clear(run: TrainingRun) -> None:
    """Take away this claim's own model unless it was registered; all else once the run ended."""
    directory = model_directory(run)
    # What stays while the bucket cannot be reached, the sweeper deletes once the run has ended.
    with suppress(Unreachable):
        if not ModelVersion.objects.filter(directory=directory.name).exists():
            storage.delete(stored_name(directory.name))
        clear_run(run)


def _train(run: TrainingRun, directory: Path, progress: RunProgress) -> TrainingResult:
    # scipy loads here, and torch for an encoder: in a worker or command, not in the web process.
    from patclaimeval.models.training import train_model

    chosen = TrainingSettings.from_stored(run.settings)
    rows = labelled_rows(run.dataset_version, run.criterion)
    if not chosen.reads_validation:
        rows = [replace(row, split=TRAIN) if row.split == VALIDATION else row for row in rows]
    seen = seen_in_training(rows)
    result = train_model(
        training=_quadruplets(rows, TRAIN),
        validation=_quadruplets(rows, VALIDATION),
        settings=chosen,
        directory=directory,
        on_progress=progress.store_progress,
        state_directory=state_directory(run),
        describe=lambda made: readme_of(run.dataset_version, replace(made, seen_in_training=seen)),
        save_every_seconds=settings.TRAINING_STATE_SECONDS,
    )
    return replace(result, seen_in_training=seen)


def _quadruplets(rows: Sequence[LabelledRow], split: str) -> list[Quadruplet]:
    return [
        Quadruplet(row.reference_id, row.reference, row.b, row.c, row.y)
        for row in rows
        if row.split == split
    ]


def _complete(
    run: TrainingRun, directory: str, result: TrainingResult, progress: RunProgress
) -> None:
    """The only place that registers a model: the fence and the row are one transaction."""
    progress.note("done")
    share_model(scoring_files.models_directory() / directory)
    with transaction.atomic():
        leases.close(
            run,
            JobStatus.SUCCEEDED,
            **_done(progress),
            epoch=result.epochs_run,
            validation_tau=headline(asdict(result)).value,
            message=" ".join(result.warnings),
        )
        # After the fence: whoever ended the run meanwhile has cleared our directory away.
        manifest = (scoring_files.models_directory() / directory / "MANIFEST.json").read_bytes()
        model = ModelVersion(
            run=run,
            criterion=run.criterion,
            directory=directory,
            manifest_sha256=sha256(manifest).hexdigest(),
            dataset_sha256=run.dataset_version.sha256,
            code_version=code_version(),
            card=asdict(result),
        )
        model.seal = seal_of(model)
        model.save(force_insert=True)
        record_event("model.registered", run, run.requested_by, model=str(model.pk))


def _reuse(run: TrainingRun, model: ModelVersion, progress: RunProgress) -> None:
    """End a run with the model that it would only have trained again."""
    sentence = (
        "Nothing was trained: data, settings and code are those of the run that gave this model."
    )
    progress.note(sentence)
    with transaction.atomic():
        leases.close(
            run,
            JobStatus.SUCCEEDED,
            **_done(progress),
            epoch=model.card["epochs_run"],
            validation_tau=headline(model.card).value,
            reused_model=model,
            message=sentence,
        )
        record_event("model.reused", run, run.requested_by, model=str(model.pk))


def _done(progress: RunProgress) -> dict[str, Any]:
    return {"progress": 1.0, "stage": "done", "seconds_left": 0.0, **progress.lists()}
