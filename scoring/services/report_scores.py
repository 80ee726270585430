"""Scores of a report's pairs: each scored once, kept as soon as it is there, none lost to another.

A scorer that fails on some pairs is asked for each of them alone; what still fails is missing, with
a reason that holds no claim text.
"""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from annotator.jobs.leases import LostLease
from scoring.metrics.base import MetricError, Missing, Pair, Score
from scoring.models import MetricScore
from scoring.patclaimeval.errors import PatClaimEvalError
from scoring.queries.reports.rows import Text
from scoring.queries.reports.scorers import ReportScorer

CHARACTERS_AT_ONCE: Final = 60_000
LONGEST_SECONDS: Final = 2.0
"""A turn that took longer is followed by one of half as many pairs: a cancellation waits for it."""
REFERENCES_A_QUERY: Final = 200
ROWS_AT_ONCE: Final = 500
MOST_FAILURES: Final = 30
"""After so many failures one after the other the scorer is not asked any more."""
NOT_ASKED: Final = (
    f"The scorer was not asked any more after it had failed on {MOST_FAILURES} pairs in a row."
)


@dataclass(frozen=True, slots=True)
class TextPair:
    """What is scored: a candidate against a reference, with the draft where a scorer reads it."""

    reference: Text
    candidate: Text
    draft: Text | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        draft = self.draft.sha256 if self.draft else ""
        return self.reference.sha256, self.candidate.sha256, draft

    @property
    def characters(self) -> int:
        texts = (self.reference, self.candidate, *([self.draft] if self.draft else []))
        return sum(len(text.content) for text in texts)

    def plain(self) -> Pair:
        draft = self.draft.content if self.draft else None
        return Pair(self.reference.content, self.candidate.content, draft)


@dataclass(slots=True)
class PairScores:
    """The scores of pairs in their order: NaN where one is missing, and why.

    `is_lasting`: asked again, the scorer would say the same.
    """

    values: list[float]
    reasons: dict[int, str] = field(default_factory=dict)
    is_lasting: bool = True


def score_pairs(
    scorer: ReportScorer,
    pairs: Sequence[TextPair],
    check: Callable[[], None],
    tell: Callable[[int], None],
) -> PairScores:
    """Return a score of each pair, from the kept ones as far as they are there.

    `check` and `tell`, which hears how many pairs are done, may raise LostLease to stop: what was
    scored by then is kept. Raises MetricError or PatClaimEvalError where no pair can be scored.
    """
    known = _known(scorer.key, pairs) if scorer.key else {}
    found = PairScores([known.get(pair.key, math.nan) for pair in pairs])
    waiting = [place for place, pair in enumerate(pairs) if pair.key not in known]
    done = len(pairs) - len(waiting)
    tell(done)
    turns = _Turns(scorer, check)
    for places in turns.over(pairs, waiting):
        scores = turns.score([pairs[place] for place in places])
        fresh = {}
        for place, score in zip(places, scores, strict=True):
            if isinstance(score, Missing):
                found.reasons[place] = score.reason
                continue
            found.values[place] = score
            if math.isfinite(score):
                fresh[pairs[place].key] = score
        _keep(scorer.key, fresh)
        done += len(places)
        tell(done)
    found.is_lasting = not turns.has_failed and (scorer.is_repeatable or not found.reasons)
    return found


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
        except (LostLease, MetricError, PatClaimEvalError):
            raise
        except Exception:  # noqa: BLE001 - whatever a scorer raises, the others go on
            return [self._alone(pair) for pair in pairs]

    def _alone(self, pair: Pair) -> Score:
        if self._in_a_row >= MOST_FAILURES:
            return Missing(NOT_ASKED)
        self._check()
        try:
            (score,) = self._ask([pair])
        except (LostLease, MetricError, PatClaimEvalError):
            raise
        except Exception as error:  # noqa: BLE001 - its words may quote claims: only its kind is told
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


def _known(key: str, pairs: Sequence[TextPair]) -> dict[tuple[str, str, str], float]:
    wanted = {pair.key for pair in pairs}
    digests = list(dict.fromkeys(pair.reference.sha256 for pair in pairs))
    found: dict[tuple[str, str, str], float] = {}
    for start in range(0, len(digests), REFERENCES_A_QUERY):
        rows = MetricScore.objects.filter(
            scorer=key, reference_sha256__in=digests[start : start + REFERENCES_A_QUERY]
        ).values_list("reference_sha256", "candidate_sha256", "draft_sha256", "value")
        found |= {(one, two, three): value for one, two, three, value in rows.iterator()}
    return {key: value for key, value in found.items() if key in wanted}


def _keep(key: str, fresh: Mapping[tuple[str, str, str], float]) -> None:
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
        batch_size=ROWS_AT_ONCE,
    )
