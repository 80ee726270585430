"""The reliability reports of a campaign as it is now: what is known, what is under way, how old."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from annotator.clock import database_now
from annotator.jobs.rows import JobStatus
from annotator.models import Campaign, ReliabilityReport
from annotator.queries.annotator_names import (
    LEAST_TOLD_APART,
    Names,
    pseudonyms,
    renamed,
    user_names,
)
from annotator.queries.rating_inputs import Inputs, inputs_of

UNDER_WAY: Final = (JobStatus.QUEUED, JobStatus.RUNNING)
ENDED_WITHOUT: Final = (JobStatus.FAILED, JobStatus.CANCELLED)


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a campaign stands: the last report there is, and what has happened since.

    `latest` is the last one that succeeded, `under_way` one that waits or runs, `ended` the one on
    the ratings as they are now when it failed or was cancelled.
    """

    inputs: Inputs
    latest: ReliabilityReport | None
    under_way: ReliabilityReport | None
    ended: ReliabilityReport | None

    @property
    def is_current(self) -> bool:
        """Whether the last report is on the ratings as they are now."""
        return self.latest is not None and self.latest.input_sha256 == self.inputs.sha256

    @property
    def finished_at(self) -> datetime | None:
        return self.latest.finished_at if self.latest else None

    @property
    def age(self) -> timedelta | None:
        return database_now() - self.finished_at if self.finished_at else None

    @property
    def since(self) -> dict[str, int]:
        """How many ratings, revisions and preferences came since; nothing that is zero."""
        if self.latest is None:
            return {}
        then, now = self.latest.result["inputs"], self.inputs
        changes = {
            "ratings": now.ratings.rows - then["ratings"],
            "revisions of ratings": now.ratings.revisions - then["revisions"],
            "preferences": now.preferences.rows - then["preferences"],
            "revisions of preferences": now.preferences.revisions - then["preference_revisions"],
        }
        return {what: count for what, count in changes.items() if count}

    @property
    def status(self) -> str:
        """In one word: that of what is under way or ended, else of the last report, else none."""
        row = self.under_way or self.ended or self.latest
        return row.status if row else "none"


def standing_of(campaign: Campaign) -> Standing:
    """Return where a campaign stands; no rating is read."""
    inputs = inputs_of(campaign)
    rows = ReliabilityReport.objects.filter(campaign=campaign)
    bare = rows.defer("result")
    now = bare.filter(input_sha256=inputs.sha256)
    done = rows.filter(status=JobStatus.SUCCEEDED)
    return Standing(
        inputs,
        done.filter(input_sha256=inputs.sha256).first() or done.order_by("-finished_at").first(),
        bare.filter(status__in=UNDER_WAY).order_by("-created_at").first(),
        now.filter(status__in=ENDED_WITHOUT).first(),
    )


def names_for(report: ReliabilityReport, *, is_admin: bool, has_names: bool = False) -> Names:
    """Return how a reader is told the annotators of a report.

    Admins: the same pseudonyms in every report of the campaign, or the user names once they are
    shown. Others: pseudonyms of this report only, and none at all where so few are told apart.
    """
    ids: list[str] = report.result["annotators"]
    if has_names:
        return user_names(ids)
    if is_admin:
        return pseudonyms(ids, report.campaign_id)
    return pseudonyms(ids, report.pk) if len(ids) >= LEAST_TOLD_APART else {}


def readable_result(report: ReliabilityReport, names: Names) -> dict[str, Any]:
    """Return the figures with names in place of ids, and without what would tell more."""
    result: dict[str, Any] = renamed(report.result, names)
    for entry in result["criteria"]:
        # Candidates by their inner ids: of use to a page that looks them up, to nobody else.
        entry["severity"].pop("items")
    return result | {"annotators": sorted(names.values())}
