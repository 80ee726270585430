"""The agreement report: every scorer and baseline against people, ready to be stored as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from scoring.agreement import (
    breakdowns,
    ceiling,
    comparisons,
    power,
    scatter,
    tie_calibration,
)
from scoring.agreement.checks import item_checks
from scoring.agreement.dropping import Kept, keep_scored
from scoring.agreement.entries import MAJORITY, Entries, Entry, item_sets
from scoring.agreement.evidence import Evidence, Unavailable
from scoring.agreement.groups import groupings
from scoring.agreement.items import AgreementError, Floats, Item, ScorerScores, score_differences
from scoring.agreement.label_agreement import with_label_tables
from scoring.agreement.published import published_figures
from scoring.agreement.question import Question

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
    "comparisons": comparisons.METHOD,
    "human_ceiling": ceiling.METHOD,
    "power": power.METHOD,
    "breakdowns": breakdowns.METHOD,
    "scatter": scatter.METHOD,
}
NONE_LEFT = (
    "No item is left that every scorer gave a finite score for: {failed}. Ask for the report "
    "without one of them."
)
Asked = ScorerScores | Unavailable
Tell = Callable[[str], None]


def build_report(
    question: Question,
    items: Sequence[Item],
    scorers: Sequence[Asked],
    baselines: Sequence[ScorerScores] = (),
    evidence: Evidence | None = None,
    tell: Tell = lambda words: None,
) -> dict[str, Any]:
    """Answer the question for n >= 1 items.

    Input: the items; the scores of each scorer, or why it has none, and of each baseline (majority
    is added here; a baseline may be asked for as a scorer too); what else is known; `tell` hears
    what is computed next and may raise to stop.
    Output: JSON-ready: question, scorers and baselines (by name, each with its figures, and the
    same under `without_reference_items`), dropped, comparisons, power, human_ceiling, breakdowns,
    scatter, published, checks, method, signature. All rows are measured on the same items: see
    dropping.py.
    Raises AgreementError without items, where none is left, or for a name given twice.
    """
    if not items:
        raise AgreementError(
            f"There are no items with a label for {question.criterion} in the split "
            f"{question.split}."
        )
    _refuse_repeated_names([scorer.name for scorer in scorers])
    _refuse_repeated_names([MAJORITY, *(scorer.name for scorer in baselines)])
    work = _Work.begin(question, items, scorers, baselines, evidence or Evidence(), tell)
    return work.document(len(items))


class _Work:
    """What the parts of one report share."""

    def __init__(
        self,
        question: Question,
        kept: Kept,
        scorers: Sequence[Asked],
        baselines: Sequence[ScorerScores],
        evidence: Evidence,
        tell: Tell,
    ) -> None:
        self.question = question
        self.kept = kept
        self.baselines = baselines
        self.evidence = evidence
        self.tell = tell
        self.asked = [_set_aside(scorer, kept.set_aside) for scorer in scorers]
        self.scorers = [one for one in self.asked if isinstance(one, ScorerScores)]
        every, without = item_sets(question, kept.items)
        self.entries = Entries(question, every, without, self.label)
        assert every.sample is not None, "a report has items"
        self.sample = every.sample
        able = {one.name: one for one in (*baselines, *self.scorers)}
        self.differences = {name: score_differences(kept.items, one) for name, one in able.items()}

    @classmethod
    def begin(
        cls,
        question: Question,
        items: Sequence[Item],
        scorers: Sequence[Asked],
        baselines: Sequence[ScorerScores],
        evidence: Evidence,
        tell: Tell,
    ) -> _Work:
        tell("Looking for missing scores.")
        able = {one.name: one for one in baselines}
        able |= {one.name: one for one in scorers if isinstance(one, ScorerScores)}
        kept = keep_scored(items, list(able.values()))
        if not kept.items:
            failed = ", ".join(kept.dropped["scorers"])
            raise AgreementError(NONE_LEFT.format(failed=failed))
        return cls(question, kept, scorers, baselines, evidence, tell)

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
            "dropped": self.kept.dropped,
            "comparisons": compared,
            "power": self._power(compared),
            "human_ceiling": self._ceiling(),
            "breakdowns": self._breakdowns(),
            "scatter": self._scatters(),
            "published": published_figures(self.question.criterion),
            "checks": {**item_checks(self.kept.items), **self.evidence.checks},
            "method": dict(METHOD),
            "signature": self.entries.signature({s.name: s.version for s in self.scorers}),
        }

    def _entry(self, scorer: Asked, kind: str) -> Entry:
        self.tell(f"Measuring {self.label(scorer.name)}.")
        if isinstance(scorer, Unavailable):
            return self.entries.of_unavailable(scorer, kind)
        return self.entries.of_scorer(scorer, kind, self.differences[scorer.name])

    def _comparisons(self) -> dict[str, Any]:
        words = "Comparing the scorers."
        self.tell(words)
        compared = comparisons.Compared(
            self.sample,
            self._differences(self.scorers),
            self._differences(self.baselines),
            self.evidence.labels,
            self.question.seed,
            lambda: self.tell(words),
        )
        found = comparisons.compare_scorers(compared)
        return with_label_tables(found, compared.differences, self.question.tie_threshold)

    def _breakdowns(self) -> dict[str, Any]:
        self.tell("Measuring the groups.")
        divided = groupings(self.kept.items, self.kept.positions, self.evidence)
        return breakdowns.break_down(self.sample, self._differences(self.scorers), divided)

    def _scatters(self) -> dict[str, Any]:
        return scatter.scatters(
            self.question,
            self.kept.items,
            self.asked,
            self._differences(self.scorers),
            self.evidence.points,
        )

    def _differences(self, scorers: Sequence[ScorerScores]) -> dict[str, Floats]:
        return {one.name: self.differences[one.name] for one in scorers}

    def _power(self, compared: Mapping[str, Any]) -> dict[str, Any]:
        """Say what the items can show, by the scorers' differences, or else by the baselines'."""
        errors = [comparisons.standard_errors(one["pairs"]) for one in compared["families"]]
        return power.detectable_difference(
            next(filter(None, errors), []), self.entries.references, len(self.kept.items)
        )

    def _ceiling(self) -> dict[str, Any]:
        if self.evidence.overlap is None:
            reason = self.evidence.no_overlap
            return {"value": None, "low": None, "high": None, "reason": reason}
        self.tell("Comparing the annotators.")
        return ceiling.human_ceiling(
            self.evidence.overlap, self.question.resamples, self.question.seed
        )


def _set_aside(scorer: Asked, reasons: Mapping[str, str]) -> Asked:
    return Unavailable(scorer.name, reasons[scorer.name]) if scorer.name in reasons else scorer


def _refuse_repeated_names(names: Sequence[str]) -> None:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise AgreementError(f"Name each scorer once; repeated: {', '.join(repeated)}.")
