"""What scores pairs of texts: a model directory, PatClaimEval-0, or a named n-gram metric."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from patclaimeval.metrics.base import Missing, Score
from patclaimeval.metrics.base import Pair as MetricPair
from patclaimeval.metrics.ngram import NGRAM
from patclaimeval.models.checkpoint import MANIFEST
from patclaimeval.models.data import Pair
from patclaimeval.models.errors import DataError, needs_extra
from patclaimeval.models.explanation import Parts
from patclaimeval.models.prior import NAME, PRIOR, load_prior, prior_version
from patclaimeval.models.scorer import LinearScorer, Scorer, load_scorer


@dataclass(frozen=True)
class NamedScorer:
    """A scorer; ``name`` and ``version`` stand in a report, ``facts`` beside its scores.

    ``parts`` is that of ``LinearScorer``; no other scorer has it.
    """

    name: str
    version: str
    facts: dict[str, Any]
    score: Callable[[Sequence[Pair]], Sequence[Score]]
    parts: Callable[[Sequence[Pair]], Sequence[Parts]] | None = None


def numbers(scores: Sequence[Score]) -> list[float]:
    """Return scores as numbers; raises ``DataError`` where one is missing, with its reason."""
    found = []
    for number, score in enumerate(scores, start=1):
        if isinstance(score, Missing):
            raise DataError(f"Candidate {number} has no score. {score.reason}")
        found.append(score)
    return found


def ngram_scorer(name: str) -> NamedScorer:
    """Return the n-gram metric of that name; raises ``DataError`` or ``MissingExtra``."""
    if name not in NGRAM:
        raise DataError(f"There is no metric called {name!r}. Available: {', '.join(NGRAM)}.")
    metric = NGRAM[name].make()
    with needs_extra("ngram"):
        version = metric.version

    def score(pairs: Sequence[Pair]) -> Sequence[Score]:
        with needs_extra("ngram"):
            return metric.score([MetricPair(*pair) for pair in pairs])

    return NamedScorer(name, version, {"metric": name, "version": version}, score)


def model_scorer(directory: Path) -> NamedScorer:
    """Return the scorer of a model directory; ``load_scorer`` says what it raises."""
    scorer = load_scorer(directory)
    manifest = hashlib.sha256((directory / MANIFEST).read_bytes()).hexdigest()
    facts = {
        "model": str(directory),
        "manifest_sha256": manifest,
        "criterion": scorer.config["criterion"],
        "tie_threshold": scorer.tie_threshold,
    }
    parts = scorer.parts if isinstance(scorer, LinearScorer) else None
    named = f"model:{directory.name}", f"manifest {manifest}"
    return NamedScorer(*named, facts, partial(_model_scores, scorer), parts)


def prior_scorer(criterion: str) -> NamedScorer:
    """Return PatClaimEval-0, which was trained on no label."""
    scorer = load_prior(criterion)
    facts = {"model": NAME, "criterion": criterion, "tie_threshold": scorer.tie_threshold}
    return NamedScorer(NAME, prior_version(), facts, partial(_model_scores, scorer), scorer.parts)


def _model_scores(scorer: Scorer, pairs: Sequence[Pair]) -> list[Score]:
    """Score the pairs that a model reads; Missing for the others."""
    reasons = scorer.unread(pairs)
    read = [pair for pair, reason in zip(pairs, reasons, strict=True) if not reason]
    scores = iter(scorer.score(read))
    return [Missing(reason) if reason else next(scores) for reason in reasons]


def chosen_scorer(model: Path | str | None, metric: str | None, criterion: str) -> NamedScorer:
    """Return the scorer of a model directory or a metric's name; PatClaimEval-0 without either."""
    if metric is not None:
        return ngram_scorer(metric)
    if model is None and criterion not in PRIOR:
        raise DataError(f"There is no criterion {criterion!r}. Choose from {', '.join(PRIOR)}.")
    return prior_scorer(criterion) if model is None else model_scorer(Path(model))
