"""The state that a run saves: here, and in the artefact store for any host to go on from."""

import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Final
from uuid import UUID

from django.conf import settings

from core.artefacts import store as artefacts
from core.artefacts.bucket import DamagedObject
from core.artefacts.trees import FETCHING_PREFIX, digest_of, fetch_tree, put_tree, tree_of
from core.errors import Unreachable
from core.files import DiskFull, rename_and_flush
from core.jobs import leases
from scoring import files as scoring_files
from scoring.models import TrainingRun

logger = logging.getLogger(__name__)
# The file of a state that names the others, written last: patclaimeval/training_state.py, torch's.
LATEST: Final = "LATEST.json"


def state_directory(run: TrainingRun) -> Path:
    """Return where a run stores its state, made if need be: it also marks that the run began.

    What another host has saved meanwhile is fetched; where nobody has it, the run goes on from what
    lies here.
    """
    path = _state_path(run.pk)
    if artefacts.is_shared() and run.state_sha256:
        _fetch_state(run, path)
    path.mkdir(mode=0o700, exist_ok=True)
    return path


def _state_path(key: UUID) -> Path:
    return scoring_files.runs_directory() / key.hex


def _fetch_state(run: TrainingRun, path: Path) -> None:
    if path.is_dir() and digest_of(tree_of(path)) == run.state_sha256:
        return
    fetched = path.with_name(f"{FETCHING_PREFIX}{run.pk.hex}-{run.owner}")
    try:
        fetch_tree(scoring_files.RUNS, run.pk.hex, run.state_sha256, fetched)
    except (FileNotFoundError, DamagedObject) as error:
        logger.warning("the state of training %s is not fetched: %s", run.pk, type(error).__name__)
        return
    shutil.rmtree(path, ignore_errors=True)
    rename_and_flush(fetched, path)


def clear_state(key: UUID) -> None:
    """Take away the state of a run that has ended."""
    shutil.rmtree(_state_path(key), ignore_errors=True)
    artefacts.discard(scoring_files.RUNS, key.hex)


@contextmanager
def as_it_stands(directory: Path) -> Iterator[Path]:
    """Give a directory with the files of a state, which nobody replaces meanwhile."""
    with tempfile.TemporaryDirectory(dir=directory.parent, prefix=FETCHING_PREFIX) as name:
        copy = Path(name)
        # What names the others comes first: a state after it only adds files.
        for path in sorted(directory.iterdir(), key=lambda path: path.name != LATEST):
            if not path.name.startswith("."):
                os.link(path, copy / path.name)
        yield copy


SECONDS_BETWEEN_SHARED_STATES: Final = 60.0


class SharedState:
    """Has the artefact store hold the newest state of a run, so that any host can go on from it.

    A training does not end because the store is away: it is tried again with a later state.
    """

    def __init__(self, run: TrainingRun) -> None:
        self._run = run
        self._looked_at: float | None = None
        self._seen = 0

    def renew(self) -> str:
        """Put a state that was saved since the last time; return a line for the log if it fails."""
        latest = _state_path(self._run.pk) / LATEST
        if not artefacts.is_shared() or not self._is_due() or not latest.is_file():
            return ""
        saved_at = latest.stat().st_mtime_ns
        if saved_at == self._seen:
            return ""
        self._looked_at = monotonic()
        try:
            self._put(latest.parent)
        except FileNotFoundError:
            return ""  # saved anew meanwhile, by another process of this training
        except (Unreachable, DiskFull) as error:
            return f"the state is on this host alone: {error.sentence}"
        self._seen = saved_at
        return ""

    def _is_due(self) -> bool:
        pause = min(SECONDS_BETWEEN_SHARED_STATES, settings.TRAINING_STATE_SECONDS)
        return self._looked_at is None or monotonic() - self._looked_at >= pause

    def _put(self, directory: Path) -> None:
        owner = self._run.pk.hex
        with as_it_stands(directory) as copy:
            tree = put_tree(scoring_files.RUNS, owner, copy)
        # Under the lease: who has lost it neither names a state nor deletes another's.
        leases.renew_lease(self._run, state_sha256=digest_of(tree))
        artefacts.retain(scoring_files.RUNS, owner, {digest_of(tree), *tree.values()})
