"""A schedule is switched on and off by people, and ends by itself; a chain is stopped, or ends."""

from contextlib import suppress
from typing import Final

from django.db import transaction

from annotator import audit_log
from annotator.models import Campaign, User
from annotator.rubric import NAMES
from core.clock import database_now
from core.errors import Forbidden, OutOfDate, Refused
from core.plurals import counted
from scoring.datasets.freezing.services import cancel_freeze
from scoring.models import Chain, ChainStatus, DatasetVersion, Schedule, UsedRating
from scoring.reports.services import cancel_report
from scoring.schedules.queries import (
    RATES,
    learned_from,
    right_lost,
    standing_schedule,
    tested_part,
)
from scoring.schedules.rules import FEWEST_TESTED, LAST_HOUR, MOST_SETTLED
from scoring.training.model_versions.promotions import promoted_in
from scoring.training.runs.services import cancel_training

ONLY_RESEARCHERS: Final = (
    "Researchers of the campaign switch a schedule on: it trains and requests promotion in their "
    "name."
)
WHO_RATES: Final = (
    "You rate in this open campaign, and what a chain finds would tell you what others gave. Have "
    "a researcher switch it on who does not rate."
)
ON_ALREADY: Final = "A schedule of this campaign is switched on already. Switch it off first."
OFF_ALREADY: Final = "This schedule was switched off already."
ENDED_ALREADY: Final = "This chain has ended already."
NOTHING_PROMOTED: Final = (
    "No model of this campaign is promoted, so a schedule has none to train again. Freeze, train, "
    "and have a first model promoted."
)


def switch_on(
    *,
    campaign: Campaign,
    switched_on_by: User,
    version: DatasetVersion,
    after_settled: int | None = None,
    at_hour: int | None = None,
    asks_with_concerns: bool = False,
) -> Schedule:
    """Have a campaign freeze, train, report and request promotion by itself, by count or hour.

    The test references of `version` stay those of all that follows. Raises Forbidden for who could
    not do each step themselves, Refused by field for what cannot work, OutOfDate where a schedule
    is on.
    """
    if lost := right_lost(switched_on_by, campaign):
        raise Forbidden(WHO_RATES if lost == RATES else ONLY_RESEARCHERS)
    _refuse_rhythm(after_settled, at_hour)
    _refuse_version(campaign, version)
    used = UsedRating.objects.filter(version=version).values("rating__candidate").distinct()
    with transaction.atomic():
        # Two requests at one moment are looked at one after the other.
        list(Campaign.objects.select_for_update(no_key=True).filter(pk=campaign.pk))
        if standing_schedule(campaign) is not None:
            raise OutOfDate(ON_ALREADY)
        schedule = Schedule.objects.create(
            campaign=campaign,
            switched_on_by=switched_on_by,
            after_settled=after_settled,
            at_hour=at_hour,
            first_version=version,
            asks_with_concerns=asks_with_concerns,
            settled=used.count(),
        )
        audit_log.record_on(
            *(schedule, "schedule.switched_on", switched_on_by),
            dataset=str(version),
            after_settled=after_settled,
            at_hour=at_hour,
            asks_with_concerns=asks_with_concerns,
        )
    return schedule


def _refuse_rhythm(after_settled: int | None, at_hour: int | None) -> None:
    if (after_settled is None) == (at_hour is None):
        raise Refused.at("after_settled", "Give a number of candidates or an hour, not both.")
    if after_settled is not None and not 1 <= after_settled <= MOST_SETTLED:
        raise Refused.at("after_settled", f"Give a whole number from 1 to {MOST_SETTLED:,}.")
    if at_hour is not None and not 0 <= at_hour <= LAST_HOUR:
        raise Refused.at("at_hour", f"Give an hour from 0 to {LAST_HOUR}, UTC.")


def _refuse_version(campaign: Campaign, version: DatasetVersion) -> None:
    """Refuse a version on whose test references no fair test of the promoted models is possible."""
    card = version.card
    if version.dataset.campaign_id != campaign.pk or card.get("source") != "freeze":
        raise Refused.at("dataset", "Choose a version that was frozen from this campaign.")
    if card.get("include_unlocked"):
        raise Refused.at("dataset", f"{version} holds ratings that were not locked; freeze anew.")
    models = promoted_in(campaign)
    if not models:
        raise Refused(NOTHING_PROMOTED)
    tested = tested_part(version).references
    for criterion, model in models.items():
        count = tested.get(criterion, 0)
        if count < FEWEST_TESTED:
            raise Refused.at(
                "dataset",
                f"{version} has labels for {NAMES[criterion]} on "
                f"{counted(count, 'test reference')}; with fewer than {FEWEST_TESTED} the test "
                "could never find a difference. Freeze with a larger test share.",
            )
        if seen := learned_from(model, version):
            raise Refused.at("dataset", seen_in_training(criterion, seen, version))


def seen_in_training(criterion: str, count: int, version: DatasetVersion) -> str:
    """Return why a promoted model cannot be compared on the test references of a version."""
    return (
        f"The model promoted for {NAMES[criterion]} was trained with texts of "
        f"{counted(count, 'test reference')} of {version}, so no test on them is fair to another "
        "model. Choose the version that it was trained on."
    )


def switch_off(*, schedule: Schedule, switched_off_by: User) -> None:
    """End a schedule at once, and stop its chain; OutOfDate where it has ended already."""
    if not end_schedule(schedule, ended_by=switched_off_by):
        raise OutOfDate(OFF_ALREADY)


def end_schedule(schedule: Schedule, *, ended_by: User | None = None, because: str = "") -> bool:
    """End a schedule, by somebody or by itself, with what it has under way; whether it was on."""
    with transaction.atomic():
        rows = Schedule.objects.select_for_update(no_key=True, of=("self",))
        row = rows.filter(pk=schedule.pk, ended_at=None).first()
        if row is None:
            return False
        row.ended_at, row.ended_by, row.ended_because = database_now(), ended_by, because
        row.save(update_fields=["ended_at", "ended_by", "ended_because"])
        act = "schedule.ended" if ended_by is None else "schedule.switched_off"
        audit_log.record_on(row, act, ended_by)
        for chain in row.chains.filter(finished_at=None):
            end_chain(chain, ChainStatus.STOPPED, because, ended_by=ended_by)
    return True


def stop_chain(*, chain: Chain, stopped_by: User) -> None:
    """Stop what a schedule has under way; it stays switched on. OutOfDate where it has ended."""
    if not end_chain(chain, ChainStatus.STOPPED, "Stopped by hand.", ended_by=stopped_by):
        raise OutOfDate(ENDED_ALREADY)


ACTS: Final = {
    ChainStatus.DONE: "chain.finished",
    ChainStatus.FAILED: "chain.failed",
    ChainStatus.STOPPED: "chain.stopped",
}


def end_chain(
    chain: Chain, status: ChainStatus, message: str = "", *, ended_by: User | None = None
) -> bool:
    """End a chain, and cancel the jobs that it asked for; return whether it was under way."""
    with transaction.atomic():
        row = locked_chain(chain)
        if row is None:
            return False
        row.status, row.message, row.finished_at = status, message, database_now()
        row.save(update_fields=["status", "message", "finished_at"])
        audit_log.record_on(row, ACTS[status], ended_by, row.schedule.campaign)
        _cancel_jobs(row, ended_by)
    return True


def locked_chain(chain: Chain) -> Chain | None:
    """Return a chain under way, locked until the transaction ends; None where it has ended."""
    rows = Chain.objects.select_for_update(no_key=True, of=("self",))
    rows = rows.select_related("schedule__campaign", "schedule__switched_on_by")
    return rows.filter(pk=chain.pk, finished_at=None).first()


def _cancel_jobs(chain: Chain, cancelled_by: User | None) -> None:
    """Cancel what was asked for in the schedule's name since the chain began, and goes on.

    A job that somebody had asked for before, and that the chain only found, stays theirs.
    """
    person = chain.schedule.switched_on_by_id

    def is_own(asked_by: object, job: object) -> bool:
        return asked_by == person and job.created_at >= chain.created_at  # type: ignore[attr-defined]

    freeze = chain.freeze
    with suppress(OutOfDate):
        if freeze is not None and is_own(freeze.asked_by_id, freeze):
            cancel_freeze(freeze=freeze, cancelled_by=cancelled_by)
    for step in chain.steps.select_related("run__dataset_version__dataset", "report"):
        with suppress(OutOfDate):
            if step.run is not None and is_own(step.run.requested_by_id, step.run):
                cancel_training(run=step.run, cancelled_by=cancelled_by)
        with suppress(OutOfDate):
            if step.report is not None and is_own(step.report.requested_by_id, step.report):
                cancel_report(report=step.report, cancelled_by=cancelled_by)
