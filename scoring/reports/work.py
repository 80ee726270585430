"""Carries agreement reports out: read, score what is not scored yet, compute, store.

A scorer that fails on some pairs is asked for each of them alone; what still fails is missing, with
a reason that holds no claim text.
"""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final
from uuid import UUID

import numpy as np
from django.db import transaction

from core.errors import Refused, Unreachable
from core.jobs import leases
from core.jobs.leases import LostLease
from core.jobs.rows import JobStatus
from core.jobs.running import run_job
from patclaimeval.agreement.ceiling import Unavailable
from patclaimeval.agreement.item_table import ItemTable, pack
from patclaimeval.agreement.items import AgreementError, Item, ScorerScores
from patclaimeval.metrics.base import MetricError, Missing, Pair, Score
from patclaimeval.metrics.languages import language_of_pair
from patclaimeval.metrics.registry import what_is_missing
from patclaimeval.models.errors import PatClaimEvalError
from patclaimeval.models.prior import NAME as PRIOR_NAME
from scoring.models import AgreementReport, MetricScore, ReportItems
from scoring.reports.files import storable
from scoring.reports.inputs import (
    ALL_SPLITS,
    TAG,
    ReportRow,
    Text,
    drafts_of,
    evidence_of,
    report_rows,
    tagged_items,
)
from scoring.reports.left_out import load_left_out
from scoring.reports.scorers import STANDING_NAMES, ReportScorer, compares, load_scorer
from scoring.reports.services import question_of, record_event
from scoring.scores.scorers import LEFT_OUT_NAME, metric_places
from scoring.training.model_versions.queries import MODEL_PREFIX

CHARACTERS_AT_ONCE: Final = 60_000
LONGEST_SECONDS: Final = 2.0
"""A turn that took longer is followed by one of half as many pairs: a cancellation waits for it."""
REFERENCES_A_QUERY: Final = 200
MOST_FAILURES: Final = 30
"""After so many failures one after the other the scorer is not asked any more."""
NOT_ASKED: Final = (
    f"The scorer was not asked any more after it had failed on {MOST_FAILURES} pairs in a row."
)


@dataclass(frozen=True)
class TextPair:
    """What is scored: a candidate against a reference.

    With the draft where a scorer reads it, and with the rival where it compares two candidates.
    `recorded` is the language that the record names; `language` that of both texts, None for two.
    """

    reference: Text
    candidate: Text
    draft: Text | None = None
    rival: Text | None = None
    recorded: str = ""

    @cached_property
    def language(self) -> str | None:
        return language_of_pair(self.plain())

    @property
    def key(self) -> tuple[str, str, str]:
        draft = self.draft.sha256 if self.draft else ""
        return self.reference.sha256, self.candidate.sha256, draft

    @property
    def characters(self) -> int:
        more = (text for text in (self.draft, self.rival) if text)
        return sum(len(text.content) for text in (self.reference, self.candidate, *more))

    def plain(self) -> Pair:
        draft = self.draft.content if self.draft else None
        rival = self.rival.content if self.rival else None
        texts = self.reference.content, self.candidate.content
        return Pair(*texts, draft, self.recorded, rival)


@dataclass(slots=True)
class PairScores:
    """The scores of pairs in their order: NaN where one is missing, and why.

    `is_lasting`: asked again, the scorer would give the same.
    """

    values: list[float]
    reasons: dict[int, str] = field(default_factory=dict)
    is_lasting: bool = True


def score_pairs(
    scorer: ReportScorer,
    pairs: Sequence[TextPair],
    check: Callable[[], None],
    on_progress: Callable[[int], None],
) -> PairScores:
    """Return a score of each pair, from the stored ones as far as they are there.

    `check` and `on_progress`, given how many pairs are done, may raise LostLease to stop: what was
    scored by then is stored. Raises MetricError or PatClaimEvalError where no pair can be scored.
    """
    known = _known(scorer, pairs)
    found = PairScores([known.get(pair.key, math.nan) for pair in pairs])
    waiting = [place for place, pair in enumerate(pairs) if pair.key not in known]
    done = len(pairs) - len(waiting)
    on_progress(done)
    turns = _Turns(scorer, check)
    for places in turns.over(pairs, waiting):
        scores = turns.score([pairs[place] for place in places])
        fresh: dict[str, dict[tuple[str, str, str], float]] = {}
        for place, score in zip(places, scores, strict=True):
            if isinstance(score, Missing):
                found.reasons[place] = score.reason
                continue
            found.values[place] = score
            language = pairs[place].language
            if math.isfinite(score) and language is not None:
                fresh.setdefault(scorer.key(language), {})[pairs[place].key] = score
        for key, scores_of_key in fresh.items():
            _store(key, scores_of_key)
        done += len(places)
        on_progress(done)
    found.is_lasting = not turns.has_failed and (scorer.is_repeatable or not found.reasons)
    return found


# Errors that are of no single pair.
PASSED_ON: Final = (LostLease, MetricError, PatClaimEvalError, Unreachable)


class _Turns:
    """Asks one scorer turn by turn, and each pair alone where a turn fails."""

    def __init__(self, scorer: ReportScorer, check: Callable[[], None]) -> None:
        self._scorer = scorer
        self._check = check
        self._most = scorer.at_once
        self._in_a_row = 0
        self.has_failed = False

    def over(self, pairs: Sequence[TextPair], places: Sequence[int]) -> Iterator[list[int]]:
        """Cut the pairs into turns of some pairs and some text, smaller once they take long."""
        turn: list[int] = []
        size = 0
        for place in places:
            characters = pairs[place].characters
            if turn and (len(turn) >= self._most or size + characters > CHARACTERS_AT_ONCE):
                yield turn
                turn, size = [], 0
            turn.append(place)
            size += characters
        if turn:
            yield turn

    def score(self, pairs: Sequence[TextPair]) -> list[Score]:
        begun = time.monotonic()
        scores = self._together([pair.plain() for pair in pairs])
        if time.monotonic() - begun > LONGEST_SECONDS:
            self._most = max(1, len(pairs) // 2)
        return scores

    def _together(self, pairs: Sequence[Pair]) -> list[Score]:
        if self._in_a_row >= MOST_FAILURES:
            return [Missing(NOT_ASKED)] * len(pairs)
        try:
            return self._ask(pairs)
        except PASSED_ON:
            raise
        except Exception:  # noqa: BLE001 - whatever a scorer raises, the others go on
            return [self._alone(pair) for pair in pairs]

    def _alone(self, pair: Pair) -> Score:
        if self._in_a_row >= MOST_FAILURES:
            return Missing(NOT_ASKED)
        self._check()
        try:
            (score,) = self._ask([pair])
        except PASSED_ON:
            raise
        except Exception as error:  # noqa: BLE001 - its text may quote claims: only its kind is shown
            self._in_a_row += 1
            self.has_failed = True
            return Missing(f"The scorer failed on the pair ({type(error).__name__}).")
        return score

    def _ask(self, pairs: Sequence[Pair]) -> list[Score]:
        given = self._scorer.score(pairs, self._check)
        scores = [one if isinstance(one, Missing) else float(one) for one in given]
        if len(scores) != len(pairs):
            raise ValueError("another number of scores than of pairs")
        self._in_a_row = 0
        return scores


def _known(scorer: ReportScorer, pairs: Sequence[TextPair]) -> dict[tuple[str, str, str], float]:
    """Return the stored scores of pairs, each made by the rules of its language."""
    by_key: dict[str, list[TextPair]] = {}
    for pair in pairs:
        if pair.language is not None and (key := scorer.key(pair.language)):
            by_key.setdefault(key, []).append(pair)
    return {pair: score for key, own in by_key.items() for pair, score in _stored(key, own).items()}


def _stored(key: str, pairs: Sequence[TextPair]) -> dict[tuple[str, str, str], float]:
    wanted = {pair.key for pair in pairs}
    digests = list(dict.fromkeys(pair.reference.sha256 for pair in pairs))
    found: dict[tuple[str, str, str], float] = {}
    for start in range(0, len(digests), REFERENCES_A_QUERY):
        rows = MetricScore.objects.filter(
            scorer=key, reference_sha256__in=digests[start : start + REFERENCES_A_QUERY]
        ).values_list("reference_sha256", "candidate_sha256", "draft_sha256", "value")
        found |= {(one, two, three): value for one, two, three, value in rows.iterator()}
    return {key: value for key, value in found.items() if key in wanted}


def _store(key: str, fresh: Mapping[tuple[str, str, str], float]) -> None:
    if not key or not fresh:
        return
    MetricScore.objects.bulk_create(
        (
            MetricScore(
                scorer=key,
                reference_sha256=reference,
                candidate_sha256=candidate,
                draft_sha256=draft,
                value=value,
            )
            for (reference, candidate, draft), value in fresh.items()
        ),
        ignore_conflicts=True,
    )


SCORED: Final = 0.85
"""The share of the work that is reading and scoring; the rest is statistics."""
RENEW_EVERY_SECONDS: Final = 0.5
ONLY_ADMINS: Final = (
    "Every label of this split rests on ratings of somebody who administers the campaign, and "
    "those are left out. Ask again and have them counted, or choose another split."
)
OnProgress = Callable[[str], None]
Scored = ScorerScores | Unavailable


def carry_out_report(pk: UUID | str, log: OnProgress = lambda text: None) -> None:
    """Claim a report, score what is not scored yet, compute, and end in one final state.

    What a worker that died has scored is stored, and is not scored again.
    """
    run_job(
        AgreementReport,
        pk,
        lambda report, check: _Work(report, check, log).carry_out(),
        noun="The report",
        on_failure=lambda report: record_event("report.failed", report, None),
    )


class _Work:
    """One report in the making; `is_lasting` once done: asked again, it would be the same."""

    def __init__(self, report: AgreementReport, check: Callable[[], None], log: OnProgress) -> None:
        self.report = report
        self.check = check
        self.log = log
        self.is_lasting = True
        self._stage = ""
        self._done = self._total = 0
        self._renewed_at: float | None = None

    def carry_out(self) -> None:
        """Store the figures and the items that they count, in one transaction."""
        document, table = self._answer()
        # A question that met a passing fault may be asked again.
        reopened = {} if self.is_lasting else {"question_sha256": ""}
        result = storable(document)
        with transaction.atomic():
            leases.close(
                *(self.report, JobStatus.SUCCEEDED),
                **{"progress": 1.0, "message": "Done.", "result": result, **reopened},
            )
            ReportItems.objects.create(report=self.report, content=pack(table))
            record_event("report.finished", self.report, self.report.requested_by)

    def _answer(self) -> tuple[dict[str, Any], ItemTable]:
        # scipy loads here, in a worker or command: the web process stays light.
        from patclaimeval.agreement.report import report_with_items

        self._begin("Reading the quadruplets.")
        version, criterion = self.report.dataset_version, self.report.criterion
        counted = self.report.has_admins
        read = report_rows(
            *(version, criterion, self.report.split, lambda count: self._renew()),
            admins_counted=counted,
        )
        items = [
            Item(row.reference_id, row.reference.content, row.b.content, row.c.content, y, row.id)
            for row in read.rows
            for y in (row.y[criterion],)
        ]
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
            document, table = report_with_items(
                question_of(self.report),
                items,
                [scored[name] for name in self.report.scorers],
                [one for name in self._standing() if isinstance(one := scored[name], ScorerScores)],
                evidence,
                self._begin,
            )
        except AgreementError as error:
            raise Refused(str(error)) from error
        rows = [read.rows[place] for place in table.rows.tolist()]
        tags = tagged_items(version, rows, admins_counted=counted)
        numbers = np.array([row.number for row in rows])
        return document, replace(table, rows=numbers, groups={**table.groups, TAG: tags})

    def _scores(self, rows: Sequence[ReportRow]) -> dict[str, Scored]:
        names = list(dict.fromkeys([*self.report.scorers, *STANDING_NAMES]))
        alone = _pairs(rows)
        both = _both_orders(rows) if any(map(compares, names)) else []
        asked = {name: both if compares(name) else alone for name in names}
        self._total = sum(map(len, asked.values()))
        found: dict[str, Scored] = {}
        before = 0
        for name, pairs in asked.items():
            self._done = before
            self._begin(f"Scoring with {name}.")
            found[name] = self._score(name, pairs)
            before += len(pairs)
        self._done = self._total
        return found

    def _score(self, name: str, pairs: Sequence[TextPair]) -> Scored:
        before = self._done

        def on_progress(done: int) -> None:
            self._done = before + done
            self._renew()

        try:
            scorer = self._load(name)
            asked = self._with_drafts(pairs) if scorer.reads_drafts else pairs
            scores = score_pairs(scorer, asked, self.check, on_progress)
        except (MetricError, PatClaimEvalError) as error:
            # What is missing is part of the question; any other fault may pass.
            if name != LEFT_OUT_NAME:
                is_metric = name != PRIOR_NAME and not name.startswith(MODEL_PREFIX)
                self.is_lasting &= is_metric and bool(what_is_missing(name, metric_places()))
            return Unavailable(name, str(error))
        self.is_lasting &= scores.is_lasting
        version = scorer.version_in({pair.language for pair in pairs if pair.language is not None})
        return _scorer_scores(name, version, pairs, scores)

    def _standing(self) -> list[str]:
        """Return the baselines; PatClaimEval-0 is none where it is asked for as a scorer."""
        asked = {PRIOR_NAME}.intersection(self.report.scorers)
        return [name for name in STANDING_NAMES if name not in asked]

    def _load(self, name: str) -> ReportScorer:
        report = self.report
        if name != LEFT_OUT_NAME:
            return load_scorer(name, report.seed, report.criterion)
        read = report_rows(
            *(report.dataset_version, report.criterion, ALL_SPLITS, lambda count: self._renew()),
            admins_counted=report.has_admins,
        )
        return load_left_out(read.rows, report.criterion, self._renew)

    def _with_drafts(self, pairs: Sequence[TextPair]) -> list[TextPair]:
        drafts = drafts_of(self.report.dataset_version)
        texts: Mapping[str, Text] = {key: Text.of(content) for key, content in drafts.items()}
        return [replace(pair, draft=texts.get(pair.reference.sha256)) for pair in pairs]

    def _begin(self, stage: str) -> None:
        """Return what is done now, or that it is still being done; may raise LostLease."""
        if stage != self._stage:
            self._stage = stage
            self.log(stage)
            self._renewed_at = None
        self._renew()

    def _renew(self) -> None:
        self.check()
        renewed_at = self._renewed_at
        if renewed_at is not None and time.monotonic() - renewed_at < RENEW_EVERY_SECONDS:
            return
        share = self._done / self._total if self._total else 0.0
        leases.renew_lease(
            self.report,
            progress=SCORED * share,
            stage=self._stage,
            done=self._done,
            total=self._total,
            message=self._stage,
        )
        self._renewed_at = time.monotonic()


def _pairs(rows: Sequence[ReportRow]) -> list[TextPair]:
    """Return each reference with each of its candidates once, in the order of the rows."""
    found: dict[tuple[str, str], TextPair] = {}
    for row in rows:
        for candidate in (row.b, row.c):
            key = (row.reference.sha256, candidate.sha256)
            if key not in found:
                found[key] = TextPair(row.reference, candidate, recorded=row.language)
    return list(found.values())


def _both_orders(rows: Sequence[ReportRow]) -> list[TextPair]:
    """Return the two candidates of each row in both orders, each once, in the order of the rows."""
    found: dict[tuple[str, str, str], TextPair] = {}
    for row in rows:
        for one, other in ((row.b, row.c), (row.c, row.b)):
            key = (row.reference.sha256, one.sha256, other.sha256)
            if key not in found:
                found[key] = TextPair(row.reference, one, rival=other, recorded=row.language)
    return list(found.values())


def _scorer_scores(
    name: str, version: str, pairs: Sequence[TextPair], scores: PairScores
) -> ScorerScores:
    if compares(name):
        orders = [
            (p.reference.content, p.candidate.content, p.rival.content) for p in pairs if p.rival
        ]
        verdicts = dict(zip(orders, scores.values, strict=True))
        return ScorerScores(
            name,
            version,
            {},
            {orders[place]: reason for place, reason in scores.reasons.items()},
            verdicts,
        )
    texts = [(pair.reference.content, pair.candidate.content) for pair in pairs]
    return ScorerScores(
        name,
        version,
        dict(zip(texts, scores.values, strict=True)),
        {texts[place]: reason for place, reason in scores.reasons.items()},
    )
