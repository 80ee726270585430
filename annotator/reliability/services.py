"""Reliability reports: asked for, worked out, one for each state of the ratings."""

from collections import Counter
from collections.abc import Callable
from typing import Any, Final
from uuid import UUID

from django.db import IntegrityError, transaction

from annotator import audit_log
from annotator.models import Campaign, ReliabilityReport, User
from annotator.records import (
    BY_ADMIN,
    GivenPreferences,
    GivenRatings,
    Inputs,
    given_preferences,
    given_ratings,
    inputs_of,
    is_genuine,
    position_table,
    preference_table,
    rating_admins,
    repeated_ratings,
    repeats_of,
    score_table,
    sentinels_of,
)
from core.errors import OutOfDate, Refused
from core.jobs import leases
from core.jobs.rows import FINAL_STATUSES, JobStatus, queued_anew
from core.jobs.running import run_job
from patclaimeval.rubric import ALL_CRITERIA, NAMES, unit_of

SCHEMA: Final = 1
SEED: Final = 0
# Each criterion takes 12 coefficients and 3 steps about people; the rest is one step.
STEPS: Final = 15 * len(ALL_CRITERIA) + 1

Plain = dict[str, Any]
OnProgress = Callable[[float, str], None]


class Given:
    """Everything of a campaign that a report is about, read once."""

    def __init__(self, campaign: Campaign) -> None:
        self.ratings: GivenRatings = given_ratings(campaign)
        self.preferences: GivenPreferences = given_preferences(campaign)
        self.inputs = Inputs(self.ratings.state, self.preferences.state, rating_admins(campaign))
        self.repeats = repeated_ratings(campaign, self.ratings)
        self.sentinels, self.assumed = sentinels_of(campaign, self.ratings)


def figures_of(given: Given, log: OnProgress = lambda share, stage: None) -> Plain:
    """Return all figures; `log` gets how far it is, between 0 and 1, and may raise to stop it.

    numpy and scipy load here, in a worker or command: the web process stays light.
    """
    from annotator.reliability.rules import sentinels_report

    done = 0

    def step(stage: str) -> Callable[[], None]:
        def check() -> None:
            nonlocal done
            done += 1
            log(min(1.0, done / STEPS), stage)

        return check

    criteria = [_criterion(given, key, step(key)) for key in ALL_CRITERIA]
    sentinels = sentinels_report(given.sentinels, seed=SEED)
    step("sentinels and preferences")()
    ratings, preferences = given.inputs.ratings, given.inputs.preferences
    return {
        "schema": SCHEMA,
        "inputs": {
            "ratings": ratings.rows,
            "revisions": ratings.revisions,
            "preferences": preferences.rows,
            "preference_revisions": preferences.revisions,
        },
        # Everybody who is named in the figures; pages give them other names.
        "annotators": sorted(
            {row.annotator for row in given.ratings.rows}
            | {row.annotator for row in given.preferences.rows}
        ),
        "counts": _counts(given),
        "criteria": criteria,
        "sentinels": {
            "n": len(given.sentinels),
            "assumed": given.assumed,
            "groups": sentinels,
        },
        "preferences": _preferences(given),
    }


def _criterion(given: Given, key: str, check: Callable[[], None]) -> Plain:
    from annotator.reliability.people import drift_report, others_report, repeats_report
    from annotator.reliability.rules import criterion_report
    from annotator.reliability.severity import severity_report

    table, unit = score_table(given.ratings.rows, key), unit_of(key)
    found = criterion_report(table, unit, check, seed=SEED)
    found["severity"] = severity_report(table, unit)
    check()
    found["drift"] = drift_report(table, position_table(given.ratings.rows), unit)
    check()
    found["others"] = others_report(table, unit)
    check()
    found["repeats"] = repeats_report(repeats_of(given.repeats, key), unit, seed=SEED)
    return {"key": key} | found


def _preferences(given: Given) -> Plain:
    from annotator.reliability.rules import preference_report

    rows = given.preferences.rows
    return {
        "n": len(rows),
        "pairs": len({row.pair for row in rows}),
        "annotators": len({row.annotator for row in rows}),
        "criteria": [
            {"key": key} | preference_report(preference_table(rows, key), seed=SEED)
            for key in (ALL_CRITERIA if rows else ())
        ],
    }


def _counts(given: Given) -> Plain:
    rows = [row for row in given.ratings.rows if is_genuine(row)]
    times = Counter(row.candidate for row in rows)
    left_out = Counter(given.ratings.left_out)
    if given.preferences.by_admins:
        left_out[f"preferences {BY_ADMIN}"] += given.preferences.by_admins
    return {
        "ratings": len(rows),
        "annotators": len({row.annotator for row in rows}),
        "candidates": len(times),
        "references": len({row.reference for row in rows}),
        "shared": sum(count > 1 for count in times.values()),
        "repeats": len(given.repeats),
        "sentinels": len(given.sentinels),
        "left_out": [{"reason": why, "n": n} for why, n in sorted(left_out.items())],
    }


WAITING = "Waiting for a worker."
MOVED_ON = (
    "The ratings changed while this waited, and a report on them as they are now was asked for."
)


def request_reliability(*, campaign: Campaign, asked_by: User | None = None) -> ReliabilityReport:
    """Return the report on the ratings as they are now, queued when it is not there yet.

    The same ratings give the same row; one that failed or was cancelled is queued again.
    """
    digest = inputs_of(campaign).sha256
    fields = {"asked_by": asked_by, "message": WAITING}
    with transaction.atomic():
        row, is_new = ReliabilityReport.objects.get_or_create(
            campaign=campaign, input_sha256=digest, defaults=fields
        )
        ended = (JobStatus.FAILED, JobStatus.CANCELLED)
        rows = ReliabilityReport.objects.filter(pk=row.pk, status__in=ended)
        again = rows.update(**queued_anew(), **fields)
        if is_new or again:
            audit_log.record_on(row, "reliability.requested", asked_by)
        if again:
            row.refresh_from_db()
    return row


def carry_out_reliability(pk: UUID | str) -> None:
    """Claim a report, work it out, and end in one final state."""
    run_job(
        ReliabilityReport,
        pk,
        _work_out,
        noun="The report",
        on_success=lambda report: audit_log.record_on(
            report, "reliability.finished", report.asked_by
        ),
        on_failure=lambda row: audit_log.record_on(row, "reliability.failed", None),
    )


def cancel_reliability(*, report: ReliabilityReport, cancelled_by: User | None = None) -> None:
    """Ask a report to stop; OutOfDate when it has ended already."""
    with transaction.atomic():
        if report.status in FINAL_STATUSES or not leases.request_cancel(report):
            raise OutOfDate("This report has ended already.")
        audit_log.record_on(report, "reliability.cancelled", cancelled_by)


def _work_out(report: ReliabilityReport, check: Callable[[], None]) -> Plain:
    leases.renew_lease(report, progress=0.0, message="Reading the ratings.")
    given = Given(report.campaign)
    if given.inputs.sha256 != report.input_sha256:
        # Named after what was read, which is newer than what was asked about.
        try:
            with transaction.atomic():
                leases.renew_lease(report, input_sha256=given.inputs.sha256)
        except IntegrityError as error:
            raise Refused(MOVED_ON) from error

    def log(share: float, stage: str) -> None:
        leases.renew_lease(report, progress=share, message=f"Measuring: {NAMES.get(stage, stage)}.")

    return {"result": figures_of(given, log)}
