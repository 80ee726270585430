"""Training runs: asked for, cancelled, run again; their progress and their files."""

import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from time import monotonic
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from annotator import audit_log
from annotator.access.visibility import withheld_campaigns
from annotator.models import User
from annotator.rate_limits import RateLimit, refuse_haste
from core import storage
from core.clock import database_now
from core.errors import Forbidden, OutOfDate, Refused, TooOften
from core.jobs import leases
from core.jobs.rows import FINAL_STATUSES
from core.shapes import check_text
from patclaimeval.models.config import FORMER_SETTINGS, SettingsError, TrainingSettings
from patclaimeval.models.data import MIN_ITEMS, Progress
from patclaimeval.rubric import ALL_CRITERIA, NAMES
from scoring import files as scoring_files
from scoring.access.scopes import is_researcher, labelled_rows
from scoring.models import DatasetVersion, ModelVersion, TrainingRun
from scoring.quadruplets import TRAIN
from scoring.training.model_versions.files import stored_name


def model_directory(run: TrainingRun) -> Path:
    """Return where this claim of the run is to write its model; each claim has its own place."""
    return scoring_files.models_directory() / f"model-{run.pk.hex}-{run.owner}"


def state_directory(run: TrainingRun) -> Path:
    """Return where a run stores its state, made if need be: it also marks that the run began.

    It stays on this host: another one that takes the run up trains from the beginning.
    """
    path = _state_path(run.pk)
    path.mkdir(mode=0o700, exist_ok=True)
    return path


def _state_path(key: UUID) -> Path:
    return scoring_files.runs_directory() / key.hex


def clear_ended_runs() -> int:
    """Take away what ended runs left, however they ended; return how many runs that were.

    Only runs that this database knows to have ended: a directory of another one's is left alone.
    """
    begun = filter(None, map(_key, scoring_files.runs_directory().iterdir()))
    ended = TrainingRun.objects.filter(pk__in=begun, status__in=FINAL_STATUSES)
    keys = list(ended.values_list("pk", flat=True))
    for key in keys:
        _clear(key)
    return len(keys)


def clear_run(run: TrainingRun) -> None:
    """Take away what this run left, if it has ended: whoever trains it now needs it otherwise."""
    if TrainingRun.objects.filter(pk=run.pk, status__in=FINAL_STATUSES).exists():
        _clear(run.pk)


def _clear(key: UUID) -> None:
    """Take away an ended run's state, and the models its claims wrote and nobody registered."""
    registered = set(ModelVersion.objects.filter(run=key).values_list("directory", flat=True))
    directory = scoring_files.models_directory()
    for pattern in (f"model-{key.hex}-*", f".model-{key.hex}-*"):
        for path in directory.glob(pattern):
            if path.name not in registered:
                storage.delete(stored_name(path.name.removeprefix(".")))
                shutil.rmtree(path, ignore_errors=True)
    shutil.rmtree(_state_path(key), ignore_errors=True)


def _key(path: Path) -> UUID | None:
    try:
        return UUID(hex=path.name)
    except ValueError:
        return None


SECONDS_BETWEEN_WRITES: Final = 2.0
MOST_LINES: Final = 200
MOST_POINTS: Final = 200
"""Of the log and of the curve: the newest lines, and points spread over the epochs."""


class RunProgress:
    """Takes a training's progress and writes its row, in at most one UPDATE every two seconds.

    Every message looks first whether the lease is still ours: `check`, once set, raises LostLease
    if not.
    """

    def __init__(self, run: TrainingRun, log: Callable[[str], None]) -> None:
        self.check: Callable[[], None] = lambda: None
        self._run, self._log = run, log
        self._written_at: float | None = None
        self._stage = ""

    def store_progress(self, progress: Progress) -> None:
        """Take over one message of the training."""
        self.check()
        if progress.stage != self._stage:
            self._stage = progress.stage
            self.note(f"{progress.stage} began")
        if progress.note:
            self.note(progress.note)
        every = max(1, -(-progress.epochs // MOST_POINTS))
        is_last = progress.epoch == progress.epochs
        if progress.ends_epoch and (is_last or progress.epoch % every == 0):
            self._end_epoch(progress)
        now = monotonic()
        if self._written_at is None or now - self._written_at >= SECONDS_BETWEEN_WRITES:
            self._written_at = now
            fields = progress_fields(progress)
            leases.renew_lease(self._run, **fields, **self.lists())
            self._log(fields["message"])

    def note(self, text: str) -> None:
        """Add a line to the log; it is written along with the next figures."""
        line = {"at": database_now().isoformat(timespec="seconds"), "words": text}
        self._run.log = [*self._run.log, line][-MOST_LINES:]

    def lists(self) -> dict[str, Any]:
        """Return the columns of the log and the curve as they stand."""
        return {"log": self._run.log, "history": self._run.history}

    def _end_epoch(self, progress: Progress) -> None:
        point = {name: getattr(progress, name) for name in ("epoch", "loss", "validation_tau")}
        # An epoch that is repeated after a kill stands once.
        earlier = [other for other in self._run.history if other["epoch"] < progress.epoch]
        self._run.history = [*earlier, point]
        text = f"epoch {progress.epoch} of {progress.epochs}: loss {progress.loss:.4f}"
        if progress.validation_tau is not None:
            text += f", validation tau-b {progress.validation_tau:.3f}"
        self.note(text)


def progress_fields(progress: Progress) -> dict[str, Any]:
    """Return the columns of one message; a figure that was not measured now stays as it is."""
    share = progress.step / progress.steps if progress.steps else 0.0
    names = ("stage", "step", "steps", "epoch", "epochs", "tokens_per_second", "seconds_left")
    measured = {"loss": progress.loss, "validation_tau": progress.validation_tau}
    return {
        **{name: getattr(progress, name) for name in names},
        "progress": min(max(share, 0.0), 1.0),
        "message": f"{progress.stage}: {progress.step} of {progress.steps}",
        **{name: value for name, value in measured.items() if value is not None},
    }


ALL: Final = "all"
"""Where one criterion may be named, this asks for a run of each."""
MOST_UNFINISHED: Final = 50
"""Runs of one person that wait or train at a time; more are a slip of the finger or worse."""

# One request may be for all criteria; what is asked for twice is one run, but is looked at twice.
OF_TRAINING: Final = RateLimit("training", 60, 2)
WITHHELD: Final = (
    "You rate in this open campaign: what a training says would tell you what others gave. Train "
    "once it is closed, or have a researcher who does not rate train."
)


def request_training(
    *,
    version: DatasetVersion,
    criterion: str,
    options: dict[str, Any],
    requested_by: User | None = None,
) -> TrainingRun:
    """Queue a training of one criterion; refuse before queueing what can be known now.

    `options` are fields of TrainingSettings. A person gets the run that waits or trains already for
    the same data and settings, if there is one; a command, without a person, its own. Raises
    Refused naming the field, or with what the dataset lacks, Forbidden for who rates in the open
    campaign, and TooOften where too many runs of the person have not ended.
    """
    (run,) = request_trainings(
        version=version, criteria=[criterion], options=options, requested_by=requested_by
    )
    return run


def request_trainings(
    *,
    version: DatasetVersion,
    criteria: Sequence[str],
    options: dict[str, Any],
    requested_by: User | None = None,
) -> list[TrainingRun]:
    """Queue one training for each criterion, all or none; see `request_training`."""
    if requested_by is not None:
        refuse_haste(OF_TRAINING, requested_by, "Trainings")
        if version.dataset.campaign_id in withheld_campaigns(requested_by):
            raise Forbidden(WITHHELD)
    settings = [_checked(version, criterion, options) for criterion in criteria]
    with transaction.atomic():
        # Two requests at one moment are looked at one after the other.
        list(DatasetVersion.objects.select_for_update(no_key=True).filter(pk=version.pk))
        return [_twin_or_new(version, each, requested_by) for each in settings]


def train_again(*, run: TrainingRun, requested_by: User | None = None) -> TrainingRun:
    """Queue a new run with the data and settings of an earlier one."""
    return request_training(
        version=run.dataset_version,
        criterion=run.criterion,
        options=options_of(run),
        requested_by=requested_by,
    )


def options_of(run: TrainingRun) -> dict[str, Any]:
    """Return the options with which another training has the settings of this one."""
    without = FORMER_SETTINGS | {"criterion"}
    return {name: value for name, value in run.settings.items() if name not in without}


def _checked(version: DatasetVersion, criterion: str, options: dict[str, Any]) -> TrainingSettings:
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
    return settings


def _twin_or_new(
    version: DatasetVersion, settings: TrainingSettings, requested_by: User | None
) -> TrainingRun:
    """Return the run that does, or soon will, what another one would do once more; else that one.

    A command gets its own in any case.
    """
    wanted = asdict(settings)
    if requested_by is not None:
        unfinished = TrainingRun.objects.exclude(status__in=FINAL_STATUSES)
        rows = unfinished.filter(
            dataset_version=version, criterion=settings.criterion, cancel_requested=False
        )
        for row in rows.order_by("created_at"):
            if row.settings == wanted:
                return row
        if unfinished.filter(requested_by=requested_by).count() >= MOST_UNFINISHED:
            raise TooOften(
                f"{MOST_UNFINISHED} of your runs wait or train already; cancel some, or let them "
                "end."
            )
    run = TrainingRun.objects.create(
        dataset_version=version,
        criterion=settings.criterion,
        settings=wanted,
        requested_by=requested_by,
        epochs=settings.epochs or 0,
        message="Waiting for a worker.",
    )
    record_event("training.requested", run, requested_by)
    return run


def cancel_training(*, run: TrainingRun, cancelled_by: User | None = None) -> None:
    """Ask a run to stop; OutOfDate when it has ended already."""
    with transaction.atomic():
        if not leases.request_cancel(run):
            raise OutOfDate("This run has ended already.")
        record_event("training.cancelled", run, cancelled_by)


MOST_TAGS: Final = 8
LONGEST_TAG: Final = 30
LONGEST_NOTE: Final = 2000
# A word: what an address and a search name without quotes.
_TAG: Final = re.compile(r"\w[\w.+-]*")


def describe_run(
    *, run: TrainingRun, tags: Sequence[str], note: str, described_by: User
) -> TrainingRun:
    """Set the tags and the note of a run; tags in small letters, each once, in their order.

    Raises Refused by field for what is no tag or too much, Forbidden for who is no researcher of
    the campaign.
    """
    if not is_researcher(described_by, run.dataset_version):
        raise Forbidden("Researchers of the campaign describe a run.")
    named = list(dict.fromkeys(tag.casefold() for tag in tags))
    _check_tags(named)
    check_text("note", note, longest=LONGEST_NOTE)
    with transaction.atomic():
        row = TrainingRun.objects.select_for_update(no_key=True, of=("self",)).get(pk=run.pk)
        # Between spaces, so that each is found as a whole.
        wanted = {"tags": f" {' '.join(named)} " if named else "", "note": note}
        if wanted != {"tags": row.tags, "note": row.note}:
            TrainingRun.objects.filter(pk=run.pk).update(**wanted)
            record_event("training.described", run, described_by)
    run.refresh_from_db(fields=["tags", "note"])
    return run


def _check_tags(tags: Sequence[str]) -> None:
    wrong = [tag for tag in tags if not _TAG.fullmatch(tag) or len(tag) > LONGEST_TAG]
    if wrong:
        raise Refused.at(
            "tags",
            f"{wrong[0][:LONGEST_TAG]!r} is no tag: a tag has letters, digits and . + - _, and at "
            f"most {LONGEST_TAG} of them.",
        )
    if len(tags) > MOST_TAGS:
        raise Refused.at("tags", f"At most {MOST_TAGS} tags; these are {len(tags)}.")


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


def record_event(action: str, run: TrainingRun, actor: User | None, **details: str) -> None:
    """Write an audit row about a run."""
    audit_log.record(
        actor=actor,
        campaign=run.dataset_version.dataset.campaign,
        action=action,
        object_type="training_run",
        object_id=run.pk,
        details={"criterion": run.criterion, "dataset": str(run.dataset_version)} | details,
    )
