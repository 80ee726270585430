"""The rows of a report: what it says of one scorer or baseline, or of one that cannot score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.agreement.checks import contain_reference
from scoring.agreement.classification import predicted_labels
from scoring.agreement.evidence import Unavailable
from scoring.agreement.figures import Sample, make_sample, measure, no_figures
from scoring.agreement.items import (
    LABELS,
    Floats,
    Integers,
    Item,
    ScorerScores,
)
from scoring.agreement.question import Question
from scoring.agreement.signature import signature
from scoring.agreement.tie_calibration import calibrate

MAJORITY = "majority"
ONLY_REFERENCES = "Every item contains the reference itself, so none is left without it."
NOTHING_TO_CALIBRATE = "The most frequent label is predicted without scores, so no threshold moves."
Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ItemSet:
    """The items of a report, or those of them without the reference, with their sample."""

    items: Sequence[Item]
    kept: Integers
    sample: Sample | None


@dataclass(frozen=True, slots=True)
class Entries:
    """Makes the rows of one report: all share the same items and the same resamples."""

    question: Question
    every: ItemSet
    without: ItemSet
    label: Callable[[str], str]

    @property
    def references(self) -> int:
        return self.every.sample.cluster_count if self.every.sample else 0

    def of_scorer(self, scorer: ScorerScores, kind: str, differences: Floats) -> Entry:
        """Measure one scorer on all items, and on those without the reference."""
        predicted = predicted_labels(differences, self.question.tie_threshold)
        figures = self._figures(self.every, differences, predicted)
        left = figures
        if self.without is not self.every:
            kept = self.without.kept
            left = self._figures(self.without, differences[kept], predicted[kept])
        entry = self._entry(scorer.name, scorer.version, kind, figures, left)
        return {**entry, "calibrated": self._calibrated(differences)}

    def of_majority(self) -> Entry:
        """Measure the most frequent label of the items, predicted for each of them."""
        figures, left = (
            self._figures(part, np.zeros(len(part.items)), _majority_labels(part.items))
            for part in (self.every, self.without)
        )
        entry = self._entry(MAJORITY, "1, in sample", "baseline", figures, left)
        return {**entry, "calibrated": {"reason": NOTHING_TO_CALIBRATE}}

    def of_unavailable(self, scorer: Unavailable, kind: str) -> Entry:
        """Say why a scorer has no figures, in the shape of one that has."""
        nothing = no_figures(scorer.reason)
        return {
            **self._head(scorer.name, None, kind),
            "unavailable": scorer.reason,
            **nothing,
            "calibrated": {"reason": scorer.reason},
            "without_reference_items": nothing,
            "signature": self.signature({}),
        }

    def signature(self, versions: dict[str, str]) -> str:
        return signature(self.question, len(self.every.items), self.references, versions)

    def _entry(self, name: str, version: str, kind: str, figures: Entry, left: Entry) -> Entry:
        return {
            **self._head(name, version, kind),
            "unavailable": "",
            **figures,
            "without_reference_items": left,
            "signature": self.signature({name: version}),
        }

    def _head(self, name: str, version: str | None, kind: str) -> Entry:
        return {"version": version, "kind": kind, "label": self.label(name)}

    def _calibrated(self, differences: Floats) -> Entry:
        assert self.every.sample is not None, "a report has items"
        return calibrate(self.every.sample, differences, self.question.seed)

    def _figures(self, part: ItemSet, differences: Floats, predicted: Integers) -> Entry:
        if part.sample is None:
            return no_figures(ONLY_REFERENCES)
        return measure(part.sample, differences, predicted)


def item_sets(question: Question, items: Sequence[Item]) -> tuple[ItemSet, ItemSet]:
    """Prepare all items, and those without the reference; one set twice where none holds it."""
    kept = np.flatnonzero(~contain_reference(items))
    every = _item_set(question, items, np.arange(len(items)))
    if len(kept) == len(items):
        return every, every
    return every, _item_set(question, [items[index] for index in kept.tolist()], kept)


def _item_set(question: Question, items: Sequence[Item], kept: Integers) -> ItemSet:
    sample = make_sample(items, question.resamples, question.seed) if items else None
    return ItemSet(items, kept, sample)


def _majority_labels(items: Sequence[Item]) -> Integers:
    counts = Counter(item.y for item in items)
    label = max(LABELS, key=lambda candidate: counts[candidate])
    return np.full(len(items), label, dtype=np.int64)
