"""Files of training runs that are needed only until a run ends: its state, half-made models."""

import shutil
from pathlib import Path
from uuid import UUID

from annotator.jobs.rows import FINAL_STATUSES
from scoring import storage
from scoring.models import ModelVersion, TrainingRun


def state_directory(run: TrainingRun) -> Path:
    """Return where a run keeps its state, made if need be: it also marks that the run began."""
    path = storage.runs_directory() / run.pk.hex
    path.mkdir(mode=0o700, exist_ok=True)
    return path


def model_directory(run: TrainingRun) -> Path:
    """Return where this claim of the run is to write its model; each claim has its own place."""
    return storage.models_directory() / f"model-{run.pk.hex}-{run.owner}"


def clear_ended_runs() -> int:
    """Take away what ended runs left, however they ended; return how many runs that were.

    Only runs that this database knows to have ended: a directory of another one's is left alone.
    """
    begun = {key: path for path in storage.runs_directory().iterdir() if (key := _key(path))}
    ended = TrainingRun.objects.filter(pk__in=begun, status__in=FINAL_STATUSES)
    keys = list(ended.values_list("pk", flat=True))
    for key in keys:
        _clear(key)
        shutil.rmtree(begun[key], ignore_errors=True)
    return len(keys)


def clear_run(run: TrainingRun) -> None:
    """Take away what this run left, if it has ended: whoever trains it now needs it otherwise."""
    if TrainingRun.objects.filter(pk=run.pk, status__in=FINAL_STATUSES).exists():
        _clear(run.pk)
        shutil.rmtree(storage.runs_directory() / run.pk.hex, ignore_errors=True)


def _clear(key: UUID) -> None:
    """Take away the models that claims of an ended run wrote and nobody registered."""
    kept = set(ModelVersion.objects.filter(run=key).values_list("directory", flat=True))
    directory = storage.models_directory()
    for pattern in (f"model-{key.hex}-*", f".model-{key.hex}-*"):
        for path in directory.glob(pattern):
            if path.name not in kept:
                shutil.rmtree(path, ignore_errors=True)


def _key(path: Path) -> UUID | None:
    try:
        return UUID(hex=path.name)
    except ValueError:
        return None
