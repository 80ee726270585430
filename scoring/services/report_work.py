"""Carries agreement reports out: read, score what is not scored yet, compute, end in one state."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from annotator.files.full_disk import why_stopped
from annotator.jobs import leases
from annotator.jobs.heartbeat import heartbeat
from annotator.jobs.rows import JobStatus
from annotator.refusals import Refused
from scoring.agreement.evidence import Unavailable
from scoring.agreement.items import AgreementError, Item, ScorerScores
from scoring.metrics.base import MetricError
from scoring.metrics.registry import BASELINE_NAMES, what_is_missing
from scoring.models import AgreementReport
from scoring.patclaimeval.errors import PatClaimEvalError
from scoring.queries.metric_places import metric_places
from scoring.queries.models import MODEL_PREFIX
from scoring.queries.reports.evidence import drafts_of, evidence_of
from scoring.queries.reports.rows import ReportRow, Text, report_rows
from scoring.queries.reports.scorers import load_scorer
from scoring.report_files.stored_numbers import storable
from scoring.services.report_scores import PairScores, TextPair, score_pairs
from scoring.services.reports import question_of, record_event

SCORED: Final = 0.85
"""The share of the work that is reading and scoring; the rest is statistics."""
BEAT_EVERY_SECONDS: Final = 0.5
ONLY_ADMINS: Final = (
    "Every label of this split rests on ratings of somebody who administers the campaign, and "
    "those are left out. Ask again and have them counted, or choose another split."
)
Say = Callable[[str], None]
Scored = ScorerScores | Unavailable


def carry_out_report(pk: UUID | str, say: Say = lambda text: None) -> None:
    """Claim a report, score what is not scored yet, compute, and end in one final state.

    What a worker that died has scored is kept, and is not scored again.
    """
    report = leases.claim(AgreementReport, pk)
    if report is None:
        return
    try:
        with heartbeat(report) as check:
            work = _Work(report, check, say)
            result = storable(work.document())
        # A question that met a passing fault may be asked again.
        kept = {} if work.is_lasting else {"question_sha256": ""}
        with transaction.atomic():
            leases.close(
                report, JobStatus.SUCCEEDED, result=result, progress=1.0, message="Done.", **kept
            )
            record_event("report.finished", report, report.requested_by)
    except leases.LostLease:
        leases.settle_cancelled(report)
    except Refused as refusal:
        _fail(report, refusal.sentence)
    except Exception as error:
        _fail(report, why_stopped("The report", error))
        raise


class _Work:
    """One report in the making; `is_lasting` once done: asked again, it would say the same."""

    def __init__(self, report: AgreementReport, check: Callable[[], None], say: Say) -> None:
        self.report = report
        self.check = check
        self.say = say
        self.is_lasting = True
        self._stage = ""
        self._done = self._total = 0
        self._beaten_at = 0.0

    def document(self) -> dict[str, Any]:
        # scipy loads here, in a worker or command: the web process stays light.
        from scoring.agreement.report import build_report

        self._begin("Reading the quadruplets.")
        version, criterion = self.report.dataset_version, self.report.criterion
        counted = self.report.has_admins
        read = report_rows(
            *(version, criterion, self.report.split, lambda count: self._beat()),
            admins_counted=counted,
        )
        items = [_item(row, criterion) for row in read.rows]
        if not items and read.by_admins:
            raise Refused(ONLY_ADMINS)
        if not items:
            raise Refused(f"{version} has no label for {criterion} in this split any more.")
        scored = self._scores(read.rows)
        self._begin("Reading the ratings.")
        evidence = evidence_of(
            *(version, criterion, read, self.report.scorers),
            has_systems=self.report.has_systems,
            admins_counted=counted,
        )
        try:
            return build_report(
                question_of(self.report),
                items,
                [scored[name] for name in self.report.scorers],
                [one for name in BASELINE_NAMES if isinstance(one := scored[name], ScorerScores)],
                evidence,
                self._begin,
            )
        except AgreementError as error:
            raise Refused(str(error)) from error

    def _scores(self, rows: Sequence[ReportRow]) -> dict[str, Scored]:
        names = list(dict.fromkeys([*self.report.scorers, *BASELINE_NAMES]))
        pairs = _pairs(rows)
        self._total = len(names) * len(pairs)
        found: dict[str, Scored] = {}
        for number, name in enumerate(names):
            self._done = number * len(pairs)
            self._begin(f"Scoring with {name}.")
            found[name] = self._score(name, pairs)
        self._done = self._total
        return found

    def _score(self, name: str, pairs: Sequence[TextPair]) -> Scored:
        before = self._done

        def tell(done: int) -> None:
            self._done = before + done
            self._beat()

        try:
            scorer = load_scorer(name, self.report.seed, self.report.criterion)
            asked = self._with_drafts(pairs) if scorer.reads_drafts else pairs
            scores = score_pairs(scorer, asked, self.check, tell)
        except (MetricError, PatClaimEvalError) as error:
            # What is missing is part of the question; any other fault may pass.
            self.is_lasting &= _is_missing(name)
            return Unavailable(name, str(error))
        self.is_lasting &= scores.is_lasting
        return _scorer_scores(name, scorer.version, pairs, scores)

    def _with_drafts(self, pairs: Sequence[TextPair]) -> list[TextPair]:
        drafts = drafts_of(self.report.dataset_version)
        texts: Mapping[str, Text] = {key: Text.of(content) for key, content in drafts.items()}
        return [
            TextPair(pair.reference, pair.candidate, texts.get(pair.reference.sha256))
            for pair in pairs
        ]

    def _begin(self, stage: str) -> None:
        """Tell what is done now, or that it is still being done; may raise LostLease."""
        if stage != self._stage:
            self._stage = stage
            self.say(stage)
            self._beaten_at = 0.0
        self._beat()

    def _beat(self) -> None:
        self.check()
        if time.monotonic() - self._beaten_at < BEAT_EVERY_SECONDS:
            return
        share = self._done / self._total if self._total else 0.0
        leases.beat(
            self.report,
            progress=SCORED * share,
            stage=self._stage,
            done=self._done,
            total=self._total,
            message=self._stage,
        )
        self._beaten_at = time.monotonic()


def _item(row: ReportRow, criterion: str) -> Item:
    return Item(
        row.reference_id,
        row.reference.content,
        row.b.content,
        row.c.content,
        row.y[criterion],
        row.id,
    )


def _pairs(rows: Sequence[ReportRow]) -> list[TextPair]:
    """Return each reference with each of its candidates once, in the order of the rows."""
    found: dict[tuple[str, str], TextPair] = {}
    for row in rows:
        for candidate in (row.b, row.c):
            key = (row.reference.sha256, candidate.sha256)
            if key not in found:
                found[key] = TextPair(row.reference, candidate)
    return list(found.values())


def _scorer_scores(
    name: str, version: str, pairs: Sequence[TextPair], scores: PairScores
) -> ScorerScores:
    texts = [(pair.reference.content, pair.candidate.content) for pair in pairs]
    return ScorerScores(
        name,
        version,
        dict(zip(texts, scores.values, strict=True)),
        {texts[place]: reason for place, reason in scores.reasons.items()},
    )


def _is_missing(name: str) -> bool:
    if name.startswith(MODEL_PREFIX):
        return False
    return bool(what_is_missing(name, metric_places()))


def _fail(report: AgreementReport, sentence: str) -> None:
    # A lost lease means that another worker owns the report now: nothing of ours is written.
    with suppress(leases.LostLease), transaction.atomic():
        leases.close(report, JobStatus.FAILED, message=sentence)
        record_event("report.failed", report, None)
