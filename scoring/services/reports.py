"""Writes of agreement reports and of the metric scores they are made of."""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import sha256
from uuid import UUID

from django.db import transaction

from annotator.jobs import leases
from annotator.jobs.heartbeat import heartbeat
from annotator.jobs.rows import JobStatus
from annotator.models import AuditEvent, User
from annotator.refusals import OutOfDate, Refused
from annotator.rubric import ALL_CRITERIA, NAMES
from scoring.metrics.registry import BASELINE_NAMES
from scoring.models import AgreementReport, DatasetVersion, MetricScore
from scoring.queries.datasets import SPLITS, LabelledRow, labelled_rows
from scoring.queries.scorers import Scorer, check_scorer_names, load_scorer

CODE_VERSION = "1"  # raised when a change here or in scoring.agreement moves a number
Text = tuple[str, str]
DEFAULT_TIE_THRESHOLD = 1e-4


def request_report(
    *,
    version: DatasetVersion,
    criterion: str,
    scorers: Sequence[str],
    split: str = "test",
    tie_threshold: float = DEFAULT_TIE_THRESHOLD,
    requested_by: User | None = None,
) -> AgreementReport:
    """Queue a report; refuse before queueing what can be known now, naming the field."""
    if criterion not in ALL_CRITERIA:
        raise _wrong("criterion", f"Choose one of {', '.join(ALL_CRITERIA)}.")
    if split not in SPLITS:
        raise _wrong("split", f"Choose one of {', '.join(SPLITS)}.")
    if not (math.isfinite(tie_threshold) and tie_threshold >= 0):
        raise _wrong("tie_threshold", "Give a finite number, 0 or more.")
    names = list(dict.fromkeys(scorers))
    check_scorer_names(names, criterion, requested_by)
    if not _rows(version, criterion, split):
        raise Refused(
            f"{version} has no quadruplet with a label for {NAMES[criterion]} in the split "
            f"{split}. Choose another split or criterion."
        )
    with transaction.atomic():
        report = AgreementReport.objects.create(
            dataset_version=version,
            criterion=criterion,
            scorers=names,
            split=split,
            tie_threshold=tie_threshold,
            requested_by=requested_by,
            message="Waiting for a worker.",
        )
        _record("report.requested", report, requested_by)
    return report


def carry_out_report(pk: UUID | str, say: Callable[[str], None] = lambda text: None) -> None:
    """Claim a report, score what is not scored yet, compute, and end in one final state."""
    report = leases.claim(AgreementReport, pk)
    if report is None:
        return
    try:
        with heartbeat(report):
            result = _compute(report, say)
        with transaction.atomic():
            leases.close(
                report,
                JobStatus.SUCCEEDED,
                result=result,
                progress=1.0,
                message="Done.",
            )
            _record("report.finished", report, report.requested_by)
    except leases.LostLease:
        leases.settle_cancelled(report)
    except Refused as refusal:
        _fail(report, refusal.sentence)
    except Exception as error:
        # The exception's own text may quote claims, so only its kind is shown.
        _fail(
            report,
            f"The report stopped on an unexpected error ({type(error).__name__}).",
        )
        raise


def cancel_report(*, report: AgreementReport, cancelled_by: User | None = None) -> None:
    """Ask a report to stop; OutOfDate when it has ended already."""
    with transaction.atomic():
        if not leases.request_cancel(report):
            raise OutOfDate("This report has ended already.")
        _record("report.cancelled", report, cancelled_by)


def _compute(report: AgreementReport, say: Callable[[str], None]) -> dict[str, object]:
    # numpy and scipy load here, in a worker or command: the web process stays light.
    from scoring.agreement.items import AgreementError, Item, ScorerScores, distinct_texts
    from scoring.agreement.question import Question
    from scoring.agreement.report import build_report

    rows = _rows(report.dataset_version, report.criterion, report.split)
    items = [Item(row.reference_id, row.reference, row.b, row.c, row.y) for row in rows]
    texts = distinct_texts(items)
    names = [
        *report.scorers,
        *(name for name in BASELINE_NAMES if name not in report.scorers),
    ]
    scored = {}
    for number, name in enumerate(names):
        leases.beat(report, progress=number / (len(names) + 1), message=f"Scoring with {name}.")
        say(f"scoring with {name}: {len(texts)} candidates")
        scorer = _load(name)
        scored[name] = ScorerScores(name, scorer.version, _score(scorer, texts))
    leases.beat(report, message="Computing intervals.")
    question = Question(
        criterion=report.criterion,
        dataset=str(report.dataset_version),
        dataset_sha256=report.dataset_version.sha256,
        split=report.split,
        tie_threshold=report.tie_threshold,
        code_version=CODE_VERSION,
    )
    try:
        return build_report(
            question,
            items,
            [scored[name] for name in report.scorers],
            [scored[name] for name in BASELINE_NAMES],
        )
    except AgreementError as error:
        raise Refused(str(error)) from error


def _load(name: str) -> Scorer:
    from scoring.patclaimeval.errors import PatClaimEvalError

    try:
        return load_scorer(name)
    except PatClaimEvalError as error:
        raise Refused(f"{name}: {error}") from error


def _score(scorer: Scorer, texts: Sequence[Text]) -> dict[Text, float]:
    """Return a score for each pair; pairs scored before by this version come from their rows."""
    digests = {text: (_digest(text[0]), _digest(text[1])) for text in texts}
    known = {
        (row.reference_sha256, row.candidate_sha256): row.value
        for row in MetricScore.objects.filter(
            scorer=scorer.key,
            reference_sha256__in={pair[0] for pair in digests.values()},
        )
    }
    missing = [text for text in texts if digests[text] not in known]
    if missing:
        values = scorer.score(missing)
        fresh = {digests[text]: value for text, value in zip(missing, values, strict=True)}
        MetricScore.objects.bulk_create(
            (
                MetricScore(
                    scorer=scorer.key,
                    reference_sha256=one,
                    candidate_sha256=two,
                    value=value,
                )
                for (one, two), value in fresh.items()
            ),
            ignore_conflicts=True,
            batch_size=500,
        )
        known |= fresh
    return {text: known[digests[text]] for text in texts}


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _rows(version: DatasetVersion, criterion: str, split: str) -> list[LabelledRow]:
    rows = labelled_rows(version, criterion)
    return [row for row in rows if split in ("all", row.split)]


def _wrong(field: str, sentence: str) -> Refused:
    return Refused(f"{field}: {sentence}", {field: [sentence]})


def _fail(report: AgreementReport, sentence: str) -> None:
    # A lost lease means that another worker owns the report now: nothing of ours is written.
    with suppress(leases.LostLease), transaction.atomic():
        leases.close(report, JobStatus.FAILED, message=sentence)
        _record("report.failed", report, None)


def _record(action: str, report: AgreementReport, actor: User | None) -> None:
    AuditEvent.objects.create(
        actor=actor,
        campaign=report.dataset_version.dataset.campaign,
        action=action,
        object_type="agreement_report",
        object_id=str(report.pk),
        details={"criterion": report.criterion, "dataset": str(report.dataset_version)},
    )
