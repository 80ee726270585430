"""The agreement report: every scorer and baseline against people, ready to be stored as JSON."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from patclaimeval.agreement import breakdowns, ceiling, comparisons, power, scatter, tie_calibration
from patclaimeval.agreement.breakdowns import groupings
from patclaimeval.agreement.ceiling import Evidence, Unavailable
from patclaimeval.agreement.classification import label_table, predicted_labels
from patclaimeval.agreement.correlation import count_pairs, leave_one_reference_out
from patclaimeval.agreement.figures import Sample, make_sample, measure, no_figure, no_figures
from patclaimeval.agreement.item_table import ItemTable
from patclaimeval.agreement.items import (
    LABELS,
    AgreementError,
    Floats,
    Integers,
    Item,
    Question,
    ScorerScores,
    comparable_items,
    contain_reference,
    distinct_texts,
    item_checks,
    score_differences,
    scores_of,
    signature,
)
from patclaimeval.agreement.preferences import METHOD as ORDER_METHOD
from patclaimeval.agreement.preferences import order_consistency
from patclaimeval.agreement.tie_calibration import calibrate

TABLE = Path(__file__).with_name("published_agreement.csv")


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


METHOD = {
    "tau_b": (
        "Kendall's tau-b of score differences with human labels; no tie threshold. It charges no "
        "tied difference: a rule that knows the reference from all else and calls the rest equal "
        "can stand high. The figures without items that hold the reference show it."
    ),
    "tau_b_labels": "Kendall's tau-b of predicted with human labels, after the tie threshold.",
    "tau_paper": "The papers' tau: each label as a ranking of two slots, tau-b over all slots.",
    "spearman": "Spearman's rho of predicted with human labels, as in the papers.",
    "accuracy": "Share of items with the human label.",
    "f1_weighted": "Mean F1 of the three classes, weighted by their human labels.",
    "f1_macro": "Plain mean F1 of the classes that occur.",
    "decisive_accuracy": "Share, of the items with a human preference, where the scorer shares it.",
    "intervals": (
        "95 %, clustered by reference: jackknife t below 1,000 references, bootstrap percentiles "
        "from 1,000 on; both are given under intervals. design_effect is the variance grouped by "
        "reference over the variance as if items were independent."
    ),
    "majority": "The most frequent human label of these same items, predicted for each of them.",
    "pearson": "Pearson's r of score differences with human labels.",
    "calibrated": tie_calibration.METHOD,
    "comparisons": comparisons.COMPARISON_METHOD,
    "human_ceiling": ceiling.METHOD,
    "power": power.POWER_METHOD,
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
    return report_with_items(question, items, scorers, baselines, evidence, on_progress)[0]


def report_with_items(
    question: Question,
    items: Sequence[Item],
    scorers: Sequence[Asked],
    baselines: Sequence[ScorerScores] = (),
    evidence: Evidence | None = None,
    on_progress: OnProgress = lambda sentence: None,
) -> tuple[dict[str, Any], ItemTable]:
    """Answer the question as `build_report` does, with the items that its figures count."""
    if not items:
        raise AgreementError(
            f"There are no items with a label for {question.criterion} in the split "
            f"{question.split}."
        )
    _refuse_repeated_names([scorer.name for scorer in scorers])
    _refuse_repeated_names([MAJORITY, *(scorer.name for scorer in baselines)])
    work = _Work(question, items, scorers, baselines, evidence or Evidence(), on_progress)
    return work.document(len(items)), work.item_table()


class _Work:
    """One report in the making: all its rows share the same items and the same resamples."""

    def __init__(
        self,
        question: Question,
        items: Sequence[Item],
        scorers: Sequence[Asked],
        baselines: Sequence[ScorerScores],
        evidence: Evidence,
        on_progress: OnProgress,
    ) -> None:
        on_progress("Looking for missing scores.")
        able = {one.name: one for one in baselines}
        able |= {one.name: one for one in scorers if isinstance(one, ScorerScores)}
        compared = comparable_items(items, list(able.values()))
        if not compared.items:
            failed = ", ".join(compared.dropped["scorers"])
            raise AgreementError(NONE_LEFT.format(failed=failed))
        self.question = question
        self.compared = compared
        self.baselines = baselines
        self.evidence = evidence
        self.on_progress = on_progress
        reasons = compared.set_aside
        self.asked = [
            Unavailable(one.name, reasons[one.name]) if one.name in reasons else one
            for one in scorers
        ]
        self.scorers = [one for one in self.asked if isinstance(one, ScorerScores)]
        self.sample = self._sample_of(compared.items)
        # Of the items without the reference: their places, and a sample of them if there are any.
        self.left = np.flatnonzero(~contain_reference(compared.items))
        left = [compared.items[place] for place in self.left.tolist()]
        self.sample_left = self._sample_of(left) if left else None
        able = {one.name: one for one in (*baselines, *self.scorers)}
        self.differences = {
            name: score_differences(compared.items, one) for name, one in able.items()
        }

    def _sample_of(self, items: Sequence[Item]) -> Sample:
        return make_sample(items, self.question.resamples, self.question.seed)

    def label(self, name: str) -> str:
        return self.evidence.labels.get(name, name)

    def document(self, n_asked: int) -> dict[str, Any]:
        kinds = dict.fromkeys((one.name for one in self.baselines), "baseline")
        by_scorer = {
            asked.name: self._entry(asked, kinds.get(asked.name, "metric")) for asked in self.asked
        }
        by_baseline = {MAJORITY: self._majority()}
        for one in self.baselines:
            by_baseline[one.name] = self._entry(one, "baseline")
        compared = self._comparisons()
        return {
            "question": asdict(self.question) | {"scorers": list(by_scorer), "n_asked": n_asked},
            "scorers": by_scorer,
            "baselines": by_baseline,
            "dropped": self.compared.dropped,
            "comparisons": compared,
            "power": self._power(compared),
            "human_ceiling": self._ceiling(),
            "breakdowns": self._breakdowns(),
            "scatter": scatter.scatters(
                *(self.question, self.compared.items, self.asked),
                self._differences(self.scorers),
                self.evidence.points,
            ),
            "published": published_figures(self.question.criterion),
            "checks": {**item_checks(self.compared.items), **self.evidence.checks},
            "method": self._method(),
            "signature": self._signature({s.name: s.version for s in self.scorers}),
        }

    def _signature(self, versions: dict[str, str]) -> str:
        n, references = len(self.compared.items), self.sample.cluster_count
        return signature(self.question, n, references, versions)

    def _entry(self, scorer: Asked, kind: str) -> Entry:
        """Measure a scorer on all items, and on those without the reference, or say why not."""
        self.on_progress(f"Measuring {self.label(scorer.name)}.")
        is_ours = scorer.name.startswith(("model:", "patclaimeval-"))
        kind = "model" if is_ours else kind
        head: Entry = {"version": None, "kind": kind, "label": self.label(scorer.name)}
        if isinstance(scorer, Unavailable):
            nothing = no_figures(scorer.reason)
            return {
                **head,
                "unavailable": scorer.reason,
                **nothing,
                "calibrated": {"reason": scorer.reason},
                "without_reference_items": nothing,
                "signature": self._signature({}),
            }
        differences = self.differences[scorer.name]
        predicted = predicted_labels(differences, self.question.tie_threshold)
        return {
            **head,
            "version": scorer.version,
            **self._measured(differences, predicted),
            "signature": self._signature({scorer.name: scorer.version}),
            "calibrated": calibrate(self.sample, differences, self.question.seed),
            **self._order_consistency(scorer),
        }

    def _order_consistency(self, scorer: ScorerScores) -> Entry:
        if scorer.verdicts is None:
            return {}
        return {"order_consistency": order_consistency(*scores_of(self.compared.items, scorer))}

    def _method(self) -> dict[str, str]:
        compares = any(one.verdicts is not None for one in self.scorers)
        return METHOD | ({"order_consistency": ORDER_METHOD} if compares else {})

    def _majority(self) -> Entry:
        """Measure the most frequent label of the items, predicted for each of them."""
        version = "1, in sample"
        return {
            "version": version,
            "kind": "baseline",
            "label": self.label(MAJORITY),
            **self._measured(np.zeros(len(self.sample.y)), None),
            "signature": self._signature({MAJORITY: version}),
            "calibrated": {"reason": NOTHING_TO_CALIBRATE},
        }

    def _measured(self, differences: Floats, predicted: Integers | None) -> Entry:
        """Measure all items and those left; without predictions their most frequent label."""
        of_all = _most_frequent(self.sample) if predicted is None else predicted
        figures = left = measure(self.sample, differences, of_all)
        if self.sample_left is None:
            left = no_figures(ONLY_REFERENCES)
        elif len(self.left) < len(differences):
            of_left = _most_frequent(self.sample_left) if predicted is None else of_all[self.left]
            left = measure(self.sample_left, differences[self.left], of_left)
        return {"unavailable": "", **figures, "without_reference_items": left}

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
        for pair in (pair for family in found["families"] for pair in family["pairs"]):
            one, other = (self.differences[pair[place]] for place in ("first", "second"))
            pair["labels"] = label_table(one, other, self.question.tie_threshold)
        return found

    def _differences(self, scorers: Sequence[ScorerScores]) -> dict[str, Floats]:
        return {one.name: self.differences[one.name] for one in scorers}

    def _breakdowns(self) -> dict[str, Any]:
        self.on_progress("Measuring the groups.")
        return breakdowns.break_down(self.sample, self._differences(self.scorers), self.divided)

    @cached_property
    def divided(self) -> dict[str, breakdowns.Grouping]:
        return groupings(self.compared.items, self.compared.positions, self.evidence)

    def item_table(self) -> ItemTable:
        """Return the items as they were counted, so that every list agrees with its figure."""
        items, sample = self.compared.items, self.sample
        texts = distinct_texts(items)
        numbers = {text: place for place, text in enumerate(texts)}
        points = self.evidence.points
        predicted = {MAJORITY: _most_frequent(sample)}
        without = {}
        for name, found in self.differences.items():
            predicted[name] = predicted_labels(found, self.question.tie_threshold)
            pairs = count_pairs(found, sample.y, sample.clusters, sample.cluster_count)
            without[name] = leave_one_reference_out(pairs)
        able = {one.name: one for one in (*self.baselines, *self.scorers)}
        return ItemTable(
            tie_threshold=self.question.tie_threshold,
            rows=self.compared.positions,
            y=sample.y,
            references=sample.clusters,
            pairs=np.array(
                [
                    [numbers[item.reference, item.b] for item in items],
                    [numbers[item.reference, item.c] for item in items],
                ]
            ),
            points=np.array([points.get(text, np.nan) for text in texts], dtype=np.float64),
            predicted=predicted,
            differences=self.differences,
            scores={name: np.stack(scores_of(items, one)) for name, one in able.items()},
            without=without,
            compares=frozenset(name for name, one in able.items() if one.verdicts is not None),
            groups={name: grouping.groups for name, grouping in self.divided.items()},
        )

    def _power(self, compared: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the planned tests can find on these items."""
        self.on_progress("Simulating the planned tests.")
        labels, seed = self.evidence.labels, self.question.seed
        return power.plan_study(self.sample, self.differences, compared, labels, seed)

    def _ceiling(self) -> dict[str, Any]:
        if self.evidence.overlap is None:
            return no_figure(self.evidence.no_overlap)
        self.on_progress("Comparing the annotators.")
        return ceiling.human_ceiling(
            self.evidence.overlap, self.question.resamples, self.question.seed
        )


def _most_frequent(sample: Sample) -> Integers:
    """Predict the label that most items have for each of them: no majority of annotators."""
    counts = np.bincount(sample.y + 1, minlength=len(LABELS))
    return np.full(len(sample.y), LABELS[int(counts.argmax())], dtype=np.int64)


def _refuse_repeated_names(names: Sequence[str]) -> None:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise AgreementError(f"Name each scorer once; repeated: {', '.join(repeated)}.")
