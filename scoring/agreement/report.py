"""The agreement report: every scorer and baseline against people, ready to be stored as JSON."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from scoring.agreement import (
    breakdowns,
    ceiling,
    comparisons,
    scatter,
    tie_calibration,
)
from scoring.agreement.breakdowns import groupings
from scoring.agreement.ceiling import Evidence, Unavailable
from scoring.agreement.classification import predicted_labels, with_label_tables
from scoring.agreement.figures import Sample, make_sample, measure, no_figure, no_figures
from scoring.agreement.items import (
    LABELS,
    AgreementError,
    Comparable,
    Floats,
    Integers,
    Item,
    Question,
    ScorerScores,
    comparable_items,
    contain_reference,
    item_checks,
    score_differences,
    signature,
)
from scoring.agreement.tie_calibration import calibrate

TABLE = Path(__file__).resolve().parent.parent / "published_agreement.csv"


def published_figures(criterion: str) -> dict[str, dict[str, Any]]:
    """Read the published figures of one criterion.

    Input: a criterion key. Output: JSON-ready, by scorer name: tau (the papers' own), rho,
    accuracy and f1 as shares in 0..1, `comparable` (False where the paper used other items) and
    `source`; empty for a criterion without published figures.
    """
    return {
        row["scorer"]: {
            "tau_paper": float(row["tau"]),
            "spearman": float(row["rho"]),
            "accuracy": round(float(row["accuracy_percent"]) / 100, 3),
            "f1_weighted": round(float(row["f1_percent"]) / 100, 3),
            "comparable": row["comparable"] == "yes",
            "source": row["source"],
        }
        for row in _rows()
        if row["criterion"] == criterion
    }


@cache
def _rows() -> tuple[dict[str, str], ...]:
    with TABLE.open(encoding="utf-8", newline="") as table:
        return tuple(csv.DictReader(table))


MAJORITY = "majority"
ONLY_REFERENCES = "Every item contains the reference itself, so none is left without it."
NOTHING_TO_CALIBRATE = "The most frequent label is predicted without scores, so no threshold moves."
Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ItemSet:
    """The items of a report, or those of them without the reference, with their sample."""

    items: Sequence[Item]
    compared: Integers
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
            compared = self.without.compared
            left = self._figures(self.without, differences[compared], predicted[compared])
        entry = self._entry(scorer.name, scorer.version, kind, figures, left)
        return {**entry, "calibrated": self._calibrated(differences)}

    def of_majority(self) -> Entry:
        """Measure the most frequent label of the items, predicted for each of them."""
        figures, left = (
            self._figures(part, np.zeros(len(part.items)), _most_frequent_label(part.items))
            for part in (self.every, self.without)
        )
        entry = self._entry(MAJORITY, "1, in sample", "baseline", figures, left)
        return {**entry, "calibrated": {"reason": NOTHING_TO_CALIBRATE}}

    def of_unavailable(self, scorer: Unavailable, kind: str) -> Entry:
        """Return why a scorer has no figures, in the shape of one that has."""
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
    compared = np.flatnonzero(~contain_reference(items))
    every = _item_set(question, items, np.arange(len(items)))
    if len(compared) == len(items):
        return every, every
    return every, _item_set(question, [items[index] for index in compared.tolist()], compared)


def _item_set(question: Question, items: Sequence[Item], compared: Integers) -> ItemSet:
    sample = make_sample(items, question.resamples, question.seed) if items else None
    return ItemSet(items, compared, sample)


def _most_frequent_label(items: Sequence[Item]) -> Integers:
    """Predict the label that most items have for each of them: no majority of annotators."""
    counts = Counter(item.y for item in items)
    label = max(LABELS, key=lambda candidate: counts[candidate])
    return np.full(len(items), label, dtype=np.int64)


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
    "pearson": "Pearson's r of score differences with human labels.",
    "calibrated": tie_calibration.METHOD,
    "comparisons": comparisons.COMPARISON_METHOD,
    "human_ceiling": ceiling.METHOD,
    "power": comparisons.POWER_METHOD,
    "breakdowns": breakdowns.METHOD,
    "scatter": scatter.METHOD,
}
NONE_LEFT = (
    "No item is left that every scorer gave a finite score for: {failed}. Ask for the report "
    "without one of them."
)
Asked = ScorerScores | Unavailable
OnProgress = Callable[[str], None]


def build_report(
    question: Question,
    items: Sequence[Item],
    scorers: Sequence[Asked],
    baselines: Sequence[ScorerScores] = (),
    evidence: Evidence | None = None,
    on_progress: OnProgress = lambda sentence: None,
) -> dict[str, Any]:
    """Answer the question for n >= 1 items.

    Input: the items; the scores of each scorer, or why it has none, and of each baseline (majority
    is added here; a baseline may be asked for as a scorer too); what else is known;
    `on_progress` gets what is computed next and may raise to stop.
    Output: JSON-ready: question, scorers and baselines (by name, each with its figures, and the
    same under `without_reference_items`), dropped, comparisons, power, human_ceiling, breakdowns,
    scatter, published, checks, method, signature. All rows are measured on the same items: see
    items.comparable_items.
    Raises AgreementError without items, where none is left, or for a name given twice.
    """
    if not items:
        raise AgreementError(
            f"There are no items with a label for {question.criterion} in the split "
            f"{question.split}."
        )
    _refuse_repeated_names([scorer.name for scorer in scorers])
    _refuse_repeated_names([MAJORITY, *(scorer.name for scorer in baselines)])
    work = _Work.begin(question, items, scorers, baselines, evidence or Evidence(), on_progress)
    return work.document(len(items))


class _Work:
    """What the parts of one report share."""

    def __init__(
        self,
        question: Question,
        compared: Comparable,
        scorers: Sequence[Asked],
        baselines: Sequence[ScorerScores],
        evidence: Evidence,
        on_progress: OnProgress,
    ) -> None:
        self.question = question
        self.compared = compared
        self.baselines = baselines
        self.evidence = evidence
        self.on_progress = on_progress
        self.asked = [_set_aside(scorer, compared.set_aside) for scorer in scorers]
        self.scorers = [one for one in self.asked if isinstance(one, ScorerScores)]
        every, without = item_sets(question, compared.items)
        self.entries = Entries(question, every, without, self.label)
        assert every.sample is not None, "a report has items"
        self.sample = every.sample
        able = {one.name: one for one in (*baselines, *self.scorers)}
        self.differences = {
            name: score_differences(compared.items, one) for name, one in able.items()
        }

    @classmethod
    def begin(
        cls,
        question: Question,
        items: Sequence[Item],
        scorers: Sequence[Asked],
        baselines: Sequence[ScorerScores],
        evidence: Evidence,
        on_progress: OnProgress,
    ) -> _Work:
        on_progress("Looking for missing scores.")
        able = {one.name: one for one in baselines}
        able |= {one.name: one for one in scorers if isinstance(one, ScorerScores)}
        compared = comparable_items(items, list(able.values()))
        if not compared.items:
            failed = ", ".join(compared.dropped["scorers"])
            raise AgreementError(NONE_LEFT.format(failed=failed))
        return cls(question, compared, scorers, baselines, evidence, on_progress)

    def label(self, name: str) -> str:
        return self.evidence.labels.get(name, name)

    def _kind(self, name: str) -> str:
        if name in {one.name for one in self.baselines}:
            return "baseline"
        return "model" if name.startswith("model:") else "metric"

    def document(self, n_asked: int) -> dict[str, Any]:
        by_scorer = {one.name: self._entry(one, self._kind(one.name)) for one in self.asked}
        by_baseline = {MAJORITY: self.entries.of_majority()}
        for one in self.baselines:
            by_baseline[one.name] = self._entry(one, "baseline")
        compared = self._comparisons()
        return {
            "question": {
                **asdict(self.question),
                "scorers": list(by_scorer),
                "n_asked": n_asked,
            },
            "scorers": by_scorer,
            "baselines": by_baseline,
            "dropped": self.compared.dropped,
            "comparisons": compared,
            "power": self._power(compared),
            "human_ceiling": self._ceiling(),
            "breakdowns": self._breakdowns(),
            "scatter": self._scatters(),
            "published": published_figures(self.question.criterion),
            "checks": {**item_checks(self.compared.items), **self.evidence.checks},
            "method": dict(METHOD),
            "signature": self.entries.signature({s.name: s.version for s in self.scorers}),
        }

    def _entry(self, scorer: Asked, kind: str) -> Entry:
        self.on_progress(f"Measuring {self.label(scorer.name)}.")
        if isinstance(scorer, Unavailable):
            return self.entries.of_unavailable(scorer, kind)
        return self.entries.of_scorer(scorer, kind, self.differences[scorer.name])

    def _comparisons(self) -> dict[str, Any]:
        sentence = "Comparing the scorers."
        self.on_progress(sentence)
        compared = comparisons.Compared(
            self.sample,
            self._differences(self.scorers),
            self._differences(self.baselines),
            self.evidence.labels,
            self.question.seed,
            lambda: self.on_progress(sentence),
        )
        found = comparisons.compare_scorers(compared)
        return with_label_tables(found, compared.differences, self.question.tie_threshold)

    def _breakdowns(self) -> dict[str, Any]:
        self.on_progress("Measuring the groups.")
        divided = groupings(self.compared.items, self.compared.positions, self.evidence)
        return breakdowns.break_down(self.sample, self._differences(self.scorers), divided)

    def _scatters(self) -> dict[str, Any]:
        return scatter.scatters(
            self.question,
            self.compared.items,
            self.asked,
            self._differences(self.scorers),
            self.evidence.points,
        )

    def _differences(self, scorers: Sequence[ScorerScores]) -> dict[str, Floats]:
        return {one.name: self.differences[one.name] for one in scorers}

    def _power(self, compared: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the items can show, by the scorers' differences, else by the baselines'."""
        errors = [comparisons.standard_errors(one["pairs"]) for one in compared["families"]]
        return comparisons.detectable_difference(
            next(filter(None, errors), []), self.entries.references, len(self.compared.items)
        )

    def _ceiling(self) -> dict[str, Any]:
        if self.evidence.overlap is None:
            return no_figure(self.evidence.no_overlap)
        self.on_progress("Comparing the annotators.")
        return ceiling.human_ceiling(
            self.evidence.overlap, self.question.resamples, self.question.seed
        )


def _set_aside(scorer: Asked, reasons: Mapping[str, str]) -> Asked:
    return Unavailable(scorer.name, reasons[scorer.name]) if scorer.name in reasons else scorer


def _refuse_repeated_names(names: Sequence[str]) -> None:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise AgreementError(f"Name each scorer once; repeated: {', '.join(repeated)}.")
