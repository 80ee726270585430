"""Writes of agreement reports by people: ask, cancel."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db import IntegrityError, transaction

from annotator import audit_log
from annotator.access.visibility import withheld_campaigns
from annotator.models import User
from annotator.rate_limits import RateLimit, refuse_haste
from core.errors import Forbidden, OutOfDate, Refused, TooOften
from core.jobs import leases
from core.jobs.rows import FINAL_STATUSES, JobStatus
from patclaimeval.agreement.items import (
    DEFAULT_RESAMPLES,
    DEFAULT_TIE_THRESHOLD,
    FEWEST_RESAMPLES,
    LARGEST_SEED,
    MOST_RESAMPLES,
    Question,
    question_sha256,
)
from patclaimeval.rubric import ALL_CRITERIA, NAMES
from scoring.access.scopes import SPLITS
from scoring.models import AgreementReport, DatasetVersion
from scoring.reports.inputs import admins_behind, labels_in_split
from scoring.reports.scorers import STANDING_NAMES, describe_version, is_neural
from scoring.scores.scorers import check_scorer_names

CODE_VERSION: Final = "6"
"""Raised when a change here or in patclaimeval.agreement moves a number or a key of the document,
or what is stored beside it: reports from before 5 know no items, and are computed anew when
asked for.
"""
MOST_SCORERS: Final = 20
MOST_UNFINISHED: Final = 20
"""Reports of one person that wait or are computed at a time."""
OF_REPORTS: Final = RateLimit("reports", 60, 2)


@dataclass(frozen=True, slots=True)
class Asked:
    """The report that answers a question, and whether it was made for it now."""

    report: AgreementReport
    is_new: bool


def ask_for_report(
    *,
    version: DatasetVersion,
    criterion: str,
    scorers: Sequence[str],
    split: str = "test",
    tie_threshold: float = DEFAULT_TIE_THRESHOLD,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = 0,
    admins_counted: bool = False,
    requested_by: User | None = None,
) -> Asked:
    """Queue a report, or return the one that answers the same question, finished or not.

    Refuses before queueing what can be known now, naming the field; Forbidden for who rates in the
    open campaign, TooOften where too many of the person's have not ended. `requested_by` None
    means a command on this machine. Items that rest on ratings of an admin of the campaign are left
    out unless `admins_counted`.
    """
    if requested_by:
        refuse_haste(OF_REPORTS, requested_by, "Reports")
    if requested_by and version.dataset.campaign_id in withheld_campaigns(requested_by):
        raise Forbidden("Reports on a campaign are withheld from who rates in it until it closes.")
    _refuse_numbers(criterion, split, tie_threshold, resamples, seed)
    names = list(dict.fromkeys(scorers))
    check_scorer_names(names, criterion, requested_by)
    if len(names) > MOST_SCORERS:
        raise _wrong("scorers", f"Name at most {MOST_SCORERS} scorers.")
    if not labels_in_split(version, criterion, split):
        sentence = (
            f"{version} has no quadruplet with a label for {NAMES[criterion]} in the split "
            f"{split}. Choose another split or criterion."
        )
        raise Refused(sentence, {"split": [sentence]})
    campaign = version.dataset.campaign
    report = AgreementReport(
        dataset_version=version,
        criterion=criterion,
        scorers=names,
        split=split,
        tie_threshold=float(tie_threshold),
        resamples=resamples,
        seed=seed,
        # Systems may be shown once the campaign is closed, so that nobody rates any more.
        has_systems=campaign is not None and not campaign.is_open,
        has_admins=admins_counted,
        is_neural=any(is_neural(name) for name in names),
        requested_by=requested_by,
        message="Waiting for a worker.",
    )
    report.question_sha256 = _digest(report)
    return _twin_or_new(report)


def question_of(report: AgreementReport) -> Question:
    """Return the question as the statistics know it."""
    return Question(
        criterion=report.criterion,
        dataset=str(report.dataset_version),
        dataset_sha256=report.dataset_version.sha256,
        split=report.split,
        tie_threshold=report.tie_threshold,
        seed=report.seed,
        resamples=report.resamples,
        code_version=CODE_VERSION,
        systems_shown=report.has_systems,
        admins_counted=report.has_admins,
    )


def cancel_report(*, report: AgreementReport, cancelled_by: User | None = None) -> None:
    """Ask a report to stop; OutOfDate when it has ended already."""
    with transaction.atomic():
        if not leases.request_cancel(report):
            raise OutOfDate("This report has ended already.")
        record_event("report.cancelled", report, cancelled_by)


def record_event(action: str, report: AgreementReport, actor: User | None) -> None:
    """Write an audit row about a report."""
    audit_log.record(
        actor=actor,
        campaign=report.dataset_version.dataset.campaign,
        action=action,
        object_type="agreement_report",
        object_id=report.pk,
        details={"criterion": report.criterion, "dataset": str(report.dataset_version)},
    )


def _refuse_numbers(
    criterion: str, split: str, tie_threshold: float, resamples: int, seed: int
) -> None:
    if criterion not in ALL_CRITERIA:
        raise _wrong("criterion", f"Choose one of {', '.join(ALL_CRITERIA)}.")
    if split not in SPLITS:
        raise _wrong("split", f"Choose one of {', '.join(SPLITS)}.")
    if not (math.isfinite(tie_threshold) and tie_threshold >= 0):
        raise _wrong("tie_threshold", "Give a finite number, 0 or more.")
    if not FEWEST_RESAMPLES <= resamples <= MOST_RESAMPLES:
        raise _wrong(
            "resamples", f"Give a whole number from {FEWEST_RESAMPLES} to {MOST_RESAMPLES}."
        )
    if not 0 <= seed <= LARGEST_SEED:
        raise _wrong("seed", f"Give a whole number from 0 to {LARGEST_SEED}.")


def _digest(report: AgreementReport) -> str:
    names = dict.fromkeys([*report.scorers, *STANDING_NAMES])
    versions = {name: describe_version(name, report.seed, report.criterion) for name in names}
    # Who is left out may change, and the answer with it.
    left_out = () if report.has_admins else admins_behind(report.dataset_version)
    dataset = " without ".join(map(str, (report.dataset_version_id, *left_out)))
    return question_sha256(question_of(report), dataset, report.scorers, versions)


def _twin_or_new(report: AgreementReport) -> Asked:
    """Store a report unless there is one with its digest; of two at one moment one is stored."""
    twin = _twin(report)
    if twin is not None:
        return Asked(twin, is_new=False)
    try:
        with transaction.atomic():
            _refuse_many(report.requested_by)
            report.save(force_insert=True)
            record_event("report.requested", report, report.requested_by)
    except IntegrityError:
        twin = _twin(report)
        if twin is None:
            raise
        return Asked(twin, is_new=False)
    return Asked(report, is_new=True)


def _twin(report: AgreementReport) -> AgreementReport | None:
    return AgreementReport.objects.filter(
        question_sha256=report.question_sha256,
        status__in=(JobStatus.QUEUED, JobStatus.RUNNING, JobStatus.SUCCEEDED),
        cancel_requested=False,
    ).first()


def _refuse_many(person: User | None) -> None:
    if person is None:
        return
    # Two requests at one moment are counted one after the other.
    list(User.objects.select_for_update(no_key=True).filter(pk=person.pk))
    rows = AgreementReport.objects.filter(requested_by=person).exclude(status__in=FINAL_STATUSES)
    if rows.count() >= MOST_UNFINISHED:
        raise TooOften(
            f"{MOST_UNFINISHED} of your reports wait or are computed already; cancel some, or let "
            "them end."
        )


def _wrong(field: str, sentence: str) -> Refused:
    return Refused(f"{field}: {sentence}", {field: [sentence]})
