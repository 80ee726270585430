"""Writes of reliability reports: one for each state of the ratings, asked for and worked out."""

from contextlib import suppress
from uuid import UUID

from django.db import IntegrityError, transaction

from annotator.files.full_disk import why_stopped
from annotator.jobs import leases
from annotator.jobs.heartbeat import heartbeat
from annotator.jobs.rows import FINAL_STATUSES, JobStatus
from annotator.models import Campaign, ReliabilityReport, User
from annotator.queries.rating_inputs import inputs_of
from annotator.refusals import OutOfDate, Refused
from annotator.rubric import NAMES
from annotator.services import audit
from annotator.services.reliability_figures import Given, figures_of

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
        again = ReliabilityReport.objects.filter(pk=row.pk, status__in=ended).update(
            **fields,
            status=JobStatus.QUEUED,
            attempt=0,
            progress=0.0,
            cancel_requested=False,
            rung_at=None,
            finished_at=None,
        )
        if is_new or again:
            _record("reliability.requested", row, asked_by)
        if again:
            row.refresh_from_db()
    return row


def carry_out_reliability(pk: UUID | str) -> None:
    """Claim a report, work it out, and end in one final state."""
    report = leases.claim(ReliabilityReport, pk)
    if report is None:
        return
    try:
        with heartbeat(report):
            result = _work_out(report)
        with transaction.atomic():
            leases.close(report, JobStatus.SUCCEEDED, result=result, progress=1.0, message="Done.")
            _record("reliability.finished", report, report.asked_by)
    except leases.LostLease:
        leases.settle_cancelled(report)
    except Refused as refusal:
        _fail(report, refusal.sentence)
    except Exception as error:
        _fail(report, why_stopped("The report", error))
        raise


def cancel_reliability(*, report: ReliabilityReport, cancelled_by: User | None = None) -> None:
    """Ask a report to stop; OutOfDate when it has ended already."""
    with transaction.atomic():
        if report.status in FINAL_STATUSES or not leases.request_cancel(report):
            raise OutOfDate("This report has ended already.")
        _record("reliability.cancelled", report, cancelled_by)


def _work_out(report: ReliabilityReport) -> dict[str, object]:
    leases.beat(report, progress=0.0, message="Reading the ratings.")
    given = Given(report.campaign)
    _settle_digest(report, given.inputs.sha256)

    def say(share: float, words: str) -> None:
        leases.beat(report, progress=share, message=f"Measuring: {NAMES.get(words, words)}.")

    return figures_of(given, say)


def _settle_digest(report: ReliabilityReport, digest: str) -> None:
    """Name the report after what was read, which may be newer than what was asked about."""
    if digest == report.input_sha256:
        return
    try:
        with transaction.atomic():
            leases.beat(report, input_sha256=digest)
    except IntegrityError as error:
        raise Refused(MOVED_ON) from error


def _fail(report: ReliabilityReport, sentence: str) -> None:
    # A lost lease means that another worker owns the report now: nothing of ours is written.
    with suppress(leases.LostLease), transaction.atomic():
        leases.close(report, JobStatus.FAILED, message=sentence)
        _record("reliability.failed", report, None)


def _record(action: str, report: ReliabilityReport, actor: User | None) -> None:
    audit.record(
        actor=actor,
        campaign=report.campaign_id,
        action=action,
        object_type="reliability_report",
        object_id=report.pk,
    )
