"""The agreement report: every scorer and baseline against people, ready to be stored as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from scoring.agreement.checks import contains_reference, item_checks
from scoring.agreement.classification import predicted_labels
from scoring.agreement.figures import Sample, make_sample, measure, no_figures
from scoring.agreement.items import (
    LABELS,
    AgreementError,
    Floats,
    Integers,
    Item,
    ScorerScores,
    score_differences,
)
from scoring.agreement.published import published_figures
from scoring.agreement.question import Question
from scoring.agreement.signature import signature

MAJORITY = "majority"
CEILING_UNKNOWN = "Ceiling unknown: agreement among annotators was not measured for these items."
ONLY_REFERENCES = "Every item contains the reference itself, so none is left without it."
METHOD = {
    "tau_b": "Kendall's tau-b of score differences with human labels; no tie threshold.",
    "tau_b_labels": "Kendall's tau-b of predicted with human labels, after the tie threshold.",
    "tau_paper": "The papers' tau: each label as a ranking of two slots, tau-b over all slots.",
    "spearman": "Spearman's rho of predicted with human labels, as in the papers.",
    "accuracy": "Share of items with the human label.",
    "f1_weighted": "Mean F1 of the three classes, weighted by their human labels.",
    "f1_macro": "Plain mean F1 of the classes that occur.",
    "decisive_accuracy": "Share, of the items with a human preference, where the scorer shares it.",
    "intervals": (
        "95 %, clustered by reference: jackknife t below 40 references, bootstrap percentiles "
        "from 40 on; both are given under intervals. design_effect is the variance grouped by "
        "reference over the variance as if items were independent."
    ),
    "majority": "The most frequent human label of these same items, predicted for each of them.",
}


@dataclass(frozen=True, slots=True)
class _ItemSet:
    """The items of a report, or those of them without the reference, with their sample."""

    items: Sequence[Item]
    kept: Integers
    sample: Sample | None


def build_report(
    question: Question,
    items: Sequence[Item],
    scorers: Sequence[ScorerScores],
    baselines: Sequence[ScorerScores] = (),
    human_ceiling: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Answer the question for n >= 1 items.

    Input: the items; the scores of each scorer and of each baseline (majority is added here; a
    baseline may be asked for as a scorer too) for every text of the items; a human ceiling
    computed elsewhere, JSON-ready, or None.
    Output: JSON-ready: question, scorers and baselines (by name, each with its figures, and the
    same under `without_reference_items`), human_ceiling, published, checks, method, signature.
    Raises AgreementError without items, without a score for a text, or for a name given twice.
    """
    if not items:
        raise AgreementError(
            f"There are no items with a label for {question.criterion} in the split "
            f"{question.split}."
        )
    _refuse_repeated_names([scorer.name for scorer in scorers])
    _refuse_repeated_names([MAJORITY, *(scorer.name for scorer in baselines)])
    every, without = _item_sets(question, items)
    by_baseline = {MAJORITY: _majority_report(question, every, without)}
    for scorer in baselines:
        by_baseline[scorer.name] = _scorer_report(question, every, without, scorer)
    return {
        "question": asdict(question),
        "scorers": {
            scorer.name: _scorer_report(question, every, without, scorer) for scorer in scorers
        },
        "baselines": by_baseline,
        "human_ceiling": dict(human_ceiling) if human_ceiling else _unknown_ceiling(),
        "published": published_figures(question.criterion),
        "checks": item_checks(items),
        "method": dict(METHOD),
        "signature": _signature(question, every, {s.name: s.version for s in scorers}),
    }


def _item_sets(question: Question, items: Sequence[Item]) -> tuple[_ItemSet, _ItemSet]:
    kept = np.flatnonzero([not contains_reference(item) for item in items])
    every = _item_set(question, items, np.arange(len(items)))
    if len(kept) == len(items):
        return every, every
    return every, _item_set(question, [items[index] for index in kept.tolist()], kept)


def _item_set(question: Question, items: Sequence[Item], kept: Integers) -> _ItemSet:
    sample = make_sample(items, question.resamples, question.seed) if items else None
    return _ItemSet(items, kept, sample)


def _scorer_report(
    question: Question, every: _ItemSet, without: _ItemSet, scorer: ScorerScores
) -> dict[str, Any]:
    differences = score_differences(every.items, scorer)
    predicted = predicted_labels(differences, question.tie_threshold)
    figures = _figures(every, differences, predicted)
    left = figures
    if without is not every:
        left = _figures(without, differences[without.kept], predicted[without.kept])
    return _entry(question, every, scorer.name, scorer.version, figures, left)


def _majority_report(question: Question, every: _ItemSet, without: _ItemSet) -> dict[str, Any]:
    figures, left = (
        _figures(part, np.zeros(len(part.items)), _majority_labels(part.items))
        for part in (every, without)
    )
    return _entry(question, every, MAJORITY, "1, in sample", figures, left)


def _majority_labels(items: Sequence[Item]) -> Integers:
    counts = Counter(item.y for item in items)
    label = max(LABELS, key=lambda candidate: counts[candidate])
    return np.full(len(items), label, dtype=np.int64)


def _figures(part: _ItemSet, differences: Floats, predicted: Integers) -> dict[str, Any]:
    if part.sample is None:
        return no_figures(ONLY_REFERENCES)
    return measure(part.sample, differences, predicted)


def _entry(
    question: Question,
    every: _ItemSet,
    name: str,
    version: str,
    figures: dict[str, Any],
    without_reference: dict[str, Any],
) -> dict[str, Any]:
    return {
        "version": version,
        **figures,
        "without_reference_items": without_reference,
        "signature": _signature(question, every, {name: version}),
    }


def _signature(question: Question, every: _ItemSet, versions: dict[str, str]) -> str:
    references = every.sample.cluster_count if every.sample else 0
    return signature(question, len(every.items), references, versions)


def _unknown_ceiling() -> dict[str, Any]:
    return {"value": None, "low": None, "high": None, "reason": CEILING_UNKNOWN}


def _refuse_repeated_names(names: Sequence[str]) -> None:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise AgreementError(f"Name each scorer once; repeated: {', '.join(repeated)}.")
