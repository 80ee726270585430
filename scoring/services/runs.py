"""Writes of training runs by people: request, cancel, run again."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from django.db import transaction

from annotator.jobs import leases
from annotator.jobs.rows import FINAL_STATUSES
from annotator.models import User
from annotator.queries.reliability_access import withheld_campaigns
from annotator.refusals import Forbidden, OutOfDate, Refused, TooOften
from annotator.rubric import ALL_CRITERIA, NAMES
from annotator.services import audit
from annotator.services.pace import Pace, refuse_haste
from scoring.models import DatasetVersion, TrainingRun
from scoring.patclaimeval.config import MIN_ITEMS, SettingsError, TrainingSettings
from scoring.queries.datasets import labelled_rows
from scoring.splits import TRAIN

ALL: Final = "all"
"""Where one criterion may be named, this asks for a run of each."""
MOST_UNFINISHED: Final = 50
"""Runs of one person that wait or train at a time; more are a slip of the finger or worse."""

# One request may be for all criteria; what is asked for twice is one run, but is looked at twice.
OF_TRAINING: Final = Pace("training", 60, 2)
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
    Refused naming the field, or saying what the dataset lacks, Forbidden for who rates in the open
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
    given = {name: value for name, value in run.settings.items() if name != "criterion"}
    return request_training(
        version=run.dataset_version,
        criterion=run.criterion,
        # Whether to fetch an encoder is decided on the command line, each time.
        options=given | {"allow_download": False},
        requested_by=requested_by,
    )


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
    if requested_by is not None:
        twin = _unfinished_twin(version, settings)
        if twin is not None:
            return twin
        _refuse_many(requested_by)
    return _queue(version, settings, requested_by)


def _unfinished_twin(version: DatasetVersion, settings: TrainingSettings) -> TrainingRun | None:
    """Return the run that does, or soon will, what another one would do once more."""
    rows = TrainingRun.objects.filter(
        dataset_version=version, criterion=settings.criterion, cancel_requested=False
    ).exclude(status__in=FINAL_STATUSES)
    wanted = asdict(settings)
    return next((row for row in rows.order_by("created_at") if row.settings == wanted), None)


def _queue(
    version: DatasetVersion, settings: TrainingSettings, requested_by: User | None
) -> TrainingRun:
    run = TrainingRun.objects.create(
        dataset_version=version,
        criterion=settings.criterion,
        settings=asdict(settings),
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


def _refuse_many(person: User) -> None:
    rows = TrainingRun.objects.filter(requested_by=person).exclude(status__in=FINAL_STATUSES)
    if rows.count() >= MOST_UNFINISHED:
        raise TooOften(
            f"{MOST_UNFINISHED} of your runs wait or train already; cancel some, or let them end."
        )


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
    audit.record(
        actor=actor,
        campaign=run.dataset_version.dataset.campaign,
        action=action,
        object_type="training_run",
        object_id=run.pk,
        details={"criterion": run.criterion, "dataset": str(run.dataset_version)} | details,
    )
