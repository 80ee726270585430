"""Carries out training runs: claim, train, end in exactly one final state."""

import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction

from annotator.files.full_disk import why_stopped
from annotator.jobs import leases
from annotator.jobs.heartbeat import heartbeat
from annotator.jobs.rows import JobStatus
from annotator.refusals import Refused
from scoring import storage
from scoring.model_directories.seals import seal_of
from scoring.models import ModelVersion, TrainingRun
from scoring.patclaimeval.code_version import code_version
from scoring.patclaimeval.config import TrainingSettings
from scoring.patclaimeval.data import Quadruplet
from scoring.patclaimeval.errors import PatClaimEvalError, TrainingCancelled
from scoring.patclaimeval.results import TrainingResult
from scoring.queries.datasets import LabelledRow, labelled_rows
from scoring.queries.model_data import readme_of
from scoring.seen_in_training import seen_in_training
from scoring.services.run_files import clear_run, model_directory, state_directory
from scoring.services.run_progress import RunProgress
from scoring.services.runs import record_event
from scoring.services.unchanged import unchanged_model
from scoring.splits import TRAIN, VALIDATION


def carry_out_training(pk: UUID | str, say: Callable[[str], None] = lambda text: None) -> None:
    """Claim a run, train, and put it into exactly one final state.

    Safe to call any number of times by any number of workers: only the holder of the lease
    writes. A run whose worker was killed goes on from its saved state; one that would only train
    an existing model again ends with that model. `say` hears each line of progress that the row
    gets.
    """
    run = leases.claim(TrainingRun, pk)
    if run is None:
        return
    progress = RunProgress(run, say)
    progress.note(f"attempt {run.attempt} began")
    try:
        with heartbeat(run) as progress.check:
            known = unchanged_model(run)
            if known is None:
                directory = model_directory(run)
                result = _train(run, directory, progress)
        if known is None:
            _complete(run, directory.name, result, progress)
        else:
            _reuse(run, known, progress)
    except (leases.LostLease, TrainingCancelled):
        # Nothing else is written: another worker may own the run by now.
        leases.settle_cancelled(run)
    except (PatClaimEvalError, Refused) as error:
        _fail(run, str(error), progress)
    except Exception as error:
        _fail(run, why_stopped("Training", error), progress)
        raise
    finally:
        _clear(run)


def _clear(run: TrainingRun) -> None:
    """Take away this claim's own model unless it was registered; all else once the run ended."""
    directory = model_directory(run)
    if not ModelVersion.objects.filter(directory=directory.name).exists():
        shutil.rmtree(directory, ignore_errors=True)
    clear_run(run)


def _train(run: TrainingRun, directory: Path, progress: RunProgress) -> TrainingResult:
    # torch loads here, in a worker or command, and never in the web process.
    from scoring.patclaimeval.train import train_model

    rows = labelled_rows(run.dataset_version, run.criterion)
    seen = seen_in_training(rows)
    result = train_model(
        training=_quadruplets(rows, TRAIN),
        validation=_quadruplets(rows, VALIDATION),
        settings=TrainingSettings(**run.settings),
        directory=directory,
        cache_directory=storage.cache_directory(),
        on_progress=progress.hear,
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
    with transaction.atomic():
        leases.close(
            run,
            JobStatus.SUCCEEDED,
            **_done(progress),
            epoch=result.epochs_run,
            validation_tau=result.validation.get("tau_b"),
            message=" ".join(["Done.", *result.warnings]),
        )
        # After the fence: whoever ended the run meanwhile has cleared our directory away.
        manifest = (storage.models_directory() / directory / "MANIFEST.json").read_bytes()
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
            validation_tau=model.card["validation"].get("tau_b"),
            reused_model=model,
            message=sentence,
        )
        record_event("model.reused", run, run.requested_by, model=str(model.pk))


def _done(progress: RunProgress) -> dict[str, Any]:
    return {"progress": 1.0, "stage": "done", "seconds_left": 0.0, **progress.lists()}


def _fail(run: TrainingRun, sentence: str, progress: RunProgress) -> None:
    # A lost lease means that another worker owns the run now: nothing of ours is written.
    with suppress(leases.LostLease), transaction.atomic():
        leases.close(run, JobStatus.FAILED, message=sentence, **progress.lists())
        record_event("training.failed", run, None)
