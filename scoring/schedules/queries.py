"""Schedules in the scope of a person, what stands in the way of one, and what its page shows."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Prefetch, QuerySet

from annotator.access.scopes import campaigns_for, roles_of
from annotator.access.visibility import withheld_campaigns
from annotator.adjudication.settled.queries import count_freezable
from annotator.models import Campaign, Role, User
from annotator.rubric import ALL_CRITERIA, NAMES
from core.plurals import counted
from scoring import files as scoring_files
from scoring.access.scopes import MAY_READ, read_rows
from scoring.agreement.items import fold
from scoring.models import (
    Chain,
    ChainStatus,
    ChainStep,
    DatasetVersion,
    Erasure,
    Freeze,
    ModelVersion,
    Schedule,
)
from scoring.quadruplets import TEST
from scoring.schedules.rules import Rhythm, newly_settled
from scoring.training.model_versions.promotions import promoted_in

MOST_CHAINS: Final = 20
WITHHELD: Final = (
    "You rate in this open campaign: what a schedule finds would tell you what others gave. It is "
    "open to you once the campaign is closed."
)
NOT_RESEARCHER: Final = "Who switched it on is no longer researcher of this campaign."
NOT_ACTIVE: Final = "The account of who switched it on was deactivated."
RATES: Final = (
    "Who switched it on rates in this open campaign now, and what a chain finds would tell them "
    "what others gave."
)
FIRST_GONE: Final = (
    "A reference of the version that its test references come from was erased, and its file with "
    "it. Freeze and train anew, and switch a schedule on with that version."
)
ERASED: Final = (
    "A reference was erased while this chain ran, and what it froze may hold it. The next chain "
    "begins without it."
)


def scheduled_campaigns(user: User) -> QuerySet[Campaign]:
    """Return the campaigns whose schedule the person may read: none that they rate in while open.

    What a chain finds follows from the ratings of others.
    """
    rows = campaigns_for(user, MAY_READ)
    return rows.exclude(pk__in=withheld_campaigns(user))


def schedules_for(user: User) -> QuerySet[Schedule]:
    rows = Schedule.objects.filter(campaign__in=scheduled_campaigns(user))
    return rows.select_related("campaign", "switched_on_by", "first_version__dataset")


def standing_schedule(campaign: Campaign) -> Schedule | None:
    """Return the schedule that is switched on in a campaign, if any."""
    rows = Schedule.objects.filter(campaign=campaign, ended_at=None)
    return rows.select_related("switched_on_by", "first_version__dataset__campaign").first()


def latest_schedule(campaign: Campaign) -> Schedule | None:
    """Return the schedule that is on, or else the one that was on last."""
    rows = Schedule.objects.filter(campaign=campaign)
    return rows.select_related(
        "campaign", "switched_on_by", "first_version__dataset__campaign"
    ).first()


def chain_under_way(campaign: Campaign) -> Chain | None:
    """Return the chain that runs in a campaign, if any."""
    rows = Chain.objects.filter(schedule__campaign=campaign, finished_at=None)
    return rows.select_related("schedule").first()


def right_lost(user: User, campaign: Campaign) -> str:
    """Return why a person may not do what a schedule does in their name; "" where they may."""
    if not user.is_active:
        return NOT_ACTIVE
    if Role.RESEARCHER not in roles_of(user, campaign):
        return NOT_RESEARCHER
    return RATES if campaign.pk in withheld_campaigns(user) else ""


def versions_to_begin_with(campaign: Campaign) -> QuerySet[DatasetVersion]:
    """Return the versions frozen from a campaign, the newest first."""
    rows = DatasetVersion.objects.filter(dataset__campaign=campaign, card__source="freeze")
    return rows.select_related("dataset__campaign").order_by("-created_at")


def usual_version(campaign: Campaign) -> DatasetVersion | None:
    """Return the version that a promoted model was trained on, the latest of several."""
    models = promoted_in(campaign).values()
    versions = versions_to_begin_with(campaign)
    return versions.filter(pk__in=[model.run.dataset_version_id for model in models]).first()


@dataclass(frozen=True, slots=True)
class TestedPart:
    """The test part of a version: its references by the texts of their rows, white space folded.

    `references` counts by criterion those with a label.
    """

    texts: dict[str, str]
    references: dict[str, int]


def tested_part(version: DatasetVersion) -> TestedPart:
    """Read the test part of a version; raises StoredFileDamaged when its file is not there."""
    texts: dict[str, str] = {}
    labelled: dict[str, set[str]] = {}
    for row in read_rows(version):
        if row.split == TEST:
            texts |= {fold(text): row.reference_id for text in (row.reference, row.b, row.c)}
            for criterion in row.y:
                labelled.setdefault(criterion, set()).add(row.reference_id)
    return TestedPart(texts, {name: len(found) for name, found in labelled.items()})


def learned_from(model: ModelVersion, first: DatasetVersion) -> int:
    """Count the test references of a version of which a model has seen a text before its test.

    What the schedule itself froze, and the version, hold none outside of their test part.
    """
    version = model.run.dataset_version
    of_schedule = Freeze.objects.filter(version=version, settings__test_of=str(first.pk))
    if version.pk == first.pk or of_schedule.exists():
        return 0
    tested = tested_part(first).texts
    return len(
        {
            tested[text]
            for row in read_rows(version)
            if row.split != TEST
            for text in map(fold, (row.reference, row.b, row.c))
            if text in tested
        }
    )


def is_first_gone(schedule: Schedule) -> bool:
    """Return whether a reference in the schedule's first version was erased."""
    return scoring_files.is_erased(schedule.first_version.sha256)


def erased_since(chain: Chain) -> bool:
    """Return whether a reference was erased that a chain may have frozen, or that it tests on."""
    schedule = chain.schedule
    own = {str(schedule.first_version_id)}
    if chain.freeze is not None and chain.freeze.version_id is not None:
        own.add(str(chain.freeze.version_id))
    rows = Erasure.objects.filter(erased_at__gte=chain.created_at)
    return any(
        row.campaign_id == schedule.campaign_id or own & set(row.result.get("versions", ()))
        for row in rows
    )


@dataclass(frozen=True, slots=True)
class Waiting:
    """Since when, and since how many settled candidates, a schedule waits for its next chain."""

    began_at: datetime
    settled: int


def waiting(schedule: Schedule) -> Waiting:
    last = schedule.chains.order_by("-created_at").first()
    of = last or schedule
    return Waiting(of.created_at, of.settled)


def rhythm_of(schedule: Schedule) -> Rhythm:
    return Rhythm(schedule.after_settled, schedule.at_hour)


def describe_rhythm(schedule: Schedule) -> str:
    """Return as text when a schedule begins a chain."""
    if schedule.at_hour is not None:
        return f"each night at {schedule.at_hour:02d}:00 UTC, where a candidate was settled since"
    return f"after {counted(schedule.after_settled or 0, 'newly settled candidate')}"


def describe_state(schedule: Schedule) -> str:
    """Return as text what a schedule does now, or what it waits for."""
    if schedule.ended_at is not None:
        return schedule.ended_because or "Switched off."
    chain = schedule.chains.filter(finished_at=None).first()
    if chain is not None:
        return " ".join([f"{ChainStatus(chain.status).label}.", *_reasons(chain)])
    if not promoted_in(schedule.campaign):
        return "Waiting: no model is promoted in this campaign, so there is none to train again."
    fresh = newly_settled(waiting(schedule).settled, count_freezable(schedule.campaign))
    if schedule.after_settled is not None:
        return f"Waiting for newly settled candidates: {fresh:,} of {schedule.after_settled:,}."
    return (
        f"Waiting for {schedule.at_hour:02d}:00 UTC: "
        f"{counted(fresh, 'candidate')} newly settled so far."
    )


def _reasons(chain: Chain) -> list[str]:
    """Return why jobs of a chain are tried again, each sentence once."""
    steps = chain.steps.select_related("run", "report")
    jobs = [chain.freeze, *(job for step in steps for job in (step.run, step.report))]
    return list(dict.fromkeys(job.message for job in jobs if job is not None and job.is_retried))


def chains_of(campaign: Campaign) -> list[Chain]:
    """Return the latest chains of a campaign with their steps in the rubric's order."""
    steps = ChainStep.objects.select_related(
        *("run__model_version", "run__reused_model", "report", "promotion__answer", "promoted")
    )
    rows = Chain.objects.filter(schedule__campaign=campaign)
    rows = rows.select_related("freeze__version__dataset__campaign", "schedule")
    return list(rows.prefetch_related(Prefetch("steps", steps))[:MOST_CHAINS])


@dataclass(frozen=True, slots=True)
class StepLine:
    """A criterion of a chain as the page shows it: `state` and `sentence` as text."""

    step: ChainStep
    name: str
    state: str
    model: ModelVersion | None


@dataclass(frozen=True, slots=True)
class ChainPart:
    """A chain as the page shows it."""

    chain: Chain
    lines: tuple[StepLine, ...]

    @property
    def version(self) -> DatasetVersion | None:
        return self.chain.freeze.version if self.chain.freeze else None


def chain_part(chain: Chain) -> ChainPart:
    by_criterion = {step.criterion: step for step in chain.steps.all()}
    steps = [by_criterion[key] for key in ALL_CRITERIA if key in by_criterion]
    lines = (
        StepLine(
            step, NAMES[step.criterion], _state(chain, step), step.run.model if step.run else None
        )
        for step in steps
    )
    return ChainPart(chain, tuple(lines))


def _state(chain: Chain, step: ChainStep) -> str:
    if step.outcome:
        answer = getattr(step.promotion, "answer", None)
        return str(answer.get_act_display() if answer else step.get_outcome_display())
    if chain.finished_at is not None:
        return "stopped"
    for job, doing in ((step.report, "reporting"), (step.run, "training")):
        if job is not None and job.is_retried:
            return f"{doing}: {job.message}"
        if job is not None:
            return f"{doing}, {job.percent} %" if not job.is_final else f"{doing} ended"
    return "waits for its training"


def schedule_page(campaign: Campaign) -> dict[str, Any]:
    """Return what the page of a campaign's schedule shows."""
    schedule = latest_schedule(campaign)
    return {
        "schedule": schedule,
        "is_on": schedule is not None and schedule.ended_at is None,
        "state": describe_state(schedule) if schedule else "Off.",
        "rhythm": describe_rhythm(schedule) if schedule else "",
        "is_running": chain_under_way(campaign) is not None,
        "chains": [chain_part(one) for one in chains_of(campaign)],
        "promoted": [(NAMES[criterion], row) for criterion, row in promoted_in(campaign).items()],
    }


def schedule_lines(user: User) -> Iterator[tuple[Campaign, str]]:
    """Yield each campaign whose schedule the person may read with its state as text."""
    standing = {
        row.campaign_id: row for row in schedules_for(user).filter(ended_at=None).order_by()
    }
    for campaign in scheduled_campaigns(user).order_by("name", "slug"):
        schedule = standing.get(campaign.pk)
        if schedule is None:
            yield campaign, "Off."
        else:
            yield campaign, describe_state(schedule)
