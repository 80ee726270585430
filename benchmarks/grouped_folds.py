"""Measures the default model on unseen references: k folds by reference, every criterion.

Usage: python benchmarks/grouped_folds.py [FILE] [--folds 6] [--draws 1] [--cache DIR] [--fixed]
Without FILE: the rated references of the demo campaign. FILE is JSONL with rows
 {"reference_id", "A", "B", "C", "y": {criterion: 1|0|-1}} or the
published JSON layout (gold_claim, A, B, human_eval). Each fold trains a model through the same
functions as the product and scores the held-out references; nothing is chosen on them.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np

from annotator.demo.plan import build_demo_plan
from annotator.rubric import ALL_CRITERIA, OVERALL, TOTAL_WEIGHT, WEIGHTS, overall_numerator
from scoring.patclaimeval.agreement import decide, macro_f1, tau_b
from scoring.patclaimeval.config import TrainingSettings
from scoring.patclaimeval.data import Quadruplet, grouped_folds
from scoring.patclaimeval.overlap import rouge_l, rouge_n, rouge_tokens
from scoring.patclaimeval.score import load_scorer
from scoring.patclaimeval.train import train_model
from scoring.quadruplets import RatedCandidate, RatedReference, RatedValues, build_quadruplets

DEMO = Path(__file__).resolve().parents[1] / "fixtures" / "demo"
PUBLISHED = {
    "Completeness": "feature_completeness",
    "Clarity": "conceptual_clarity",
    "Consistency": "terminology_consistency",
    "Linkage": "logical_linkage",
    "Quality": "overall_quality",
}


def read_rows(path: Path) -> dict[str, list[Quadruplet]]:
    """Return the quadruplets of each criterion."""
    text = path.read_text(encoding="utf-8")
    found: dict[str, list[Quadruplet]] = {}
    if text.lstrip().startswith("["):
        for row in json.loads(text):
            for name, label in row["human_eval"].items():
                item = Quadruplet(row["gold_claim"], row["gold_claim"], row["A"], row["B"], label)
                found.setdefault(PUBLISHED.get(name, name.lower()), []).append(item)
        return found
    for line in filter(str.strip, text.splitlines()):
        row = json.loads(line)
        for name, label in row["y"].items():
            if label is not None:
                name_of = str(row.get("reference_id") or row["A"])
                item = Quadruplet(name_of, row["A"], row["B"], row["C"], label)
                found.setdefault(name, []).append(item)
    return found


def demo_rows() -> dict[str, list[Quadruplet]]:
    """Return the quadruplets of the demo campaign's rated references, open conflicts included."""
    plan = build_demo_plan(DEMO)
    texts = {r.source.reference_id: r for r in plan.references}
    values: dict[tuple[str, str], list[RatedValues]] = {}
    for number, rating in enumerate(plan.ratings):
        overall = Fraction(overall_numerator(rating.scores), TOTAL_WEIGHT)
        rated = RatedValues(rating.annotator, str(number), {**rating.scores, OVERALL: overall})
        values.setdefault((rating.reference_id, rating.label), []).append(rated)
    references = [
        RatedReference(
            name,
            reference.source.text,
            tuple(
                RatedCandidate(c.label, c.text, tuple(values[name, c.label]))
                for c in reference.candidates
                if (name, c.label) in values
            ),
        )
        for name, reference in texts.items()
    ]
    found: dict[str, list[Quadruplet]] = {}
    for row in build_quadruplets(references):
        for name, label in row.y.items():
            item = Quadruplet(row.reference_id, row.reference, row.b, row.c, label)
            found.setdefault(name, []).append(item)
    return {name: found[name] for name in ALL_CRITERIA if name in found}


def damage_signs(items: Sequence[Quadruplet], criterion: str) -> np.ndarray[Any, Any]:
    """Return, for items of the demo, which side the known damage leaves better: 1, 0 or -1."""
    truth = {}
    for reference in build_demo_plan(DEMO).references:
        for candidate in reference.candidates:
            known = dict(candidate.truth)
            known[OVERALL] = sum(WEIGHTS[key] * known[key] for key in WEIGHTS) / TOTAL_WEIGHT
            truth[reference.source.text, candidate.text] = known[criterion]
    return np.sign([truth[i.reference, i.b] - truth[i.reference, i.c] for i in items])


def held_out(
    items: Sequence[Quadruplet], criterion: str, folds: int, draw: int, cache: Path, **settings: Any
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], list[dict[str, Any]]]:
    """Return score differences and tie-thresholded labels of held-out items, and the choices."""
    differences, labels = np.zeros(len(items)), np.zeros(len(items))
    chosen = []
    for test in grouped_folds([item.reference_id for item in items], folds, draw):
        training = [item for i, item in enumerate(items) if i not in set(test)]
        with tempfile.TemporaryDirectory() as place:
            result = train_model(
                training=training,
                validation=[],
                settings=TrainingSettings(criterion, **settings),
                directory=Path(place) / "model",
                cache_directory=cache,
                on_progress=lambda progress: None,
            )
            scorer = load_scorer(Path(place) / "model", cache)
        chosen.append(result.chosen)
        for side, sign in ((0, 1), (1, -1)):
            scores = scorer.score([items[i].pairs[side] for i in test])
            differences[test] += sign * np.array(scores)
        labels[test] = decide(differences[test], scorer.tie_threshold)
    return differences, labels, chosen


def rouge_differences(items: Sequence[Quadruplet], order: int | None) -> np.ndarray[Any, Any]:
    """Return ROUGE-L (order None) or ROUGE-N F differences of the items."""

    def f(reference: str, candidate: str) -> float:
        left, right = rouge_tokens(reference), rouge_tokens(candidate)
        return (rouge_n(left, right, order) if order else rouge_l(left, right))[2]

    return np.array([f(i.reference, i.b) - f(i.reference, i.c) for i in items])


def main() -> None:
    """Print one line per criterion, and per draw of the folds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--folds", type=int, default=6)
    parser.add_argument("--draws", type=int, default=1)
    parser.add_argument("--criterion", action="append")
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--weight-decay", type=float)
    options = parser.parse_args()
    print("criterion draw n references | tau_b labels-tau accuracy macro-F1 | ROUGE-2 ROUGE-L | s")
    with tempfile.TemporaryDirectory() as own:
        cache = options.cache or Path(own)
        rows = read_rows(options.file) if options.file else demo_rows()
        for criterion, items in rows.items():
            if options.criterion and criterion not in options.criterion:
                continue
            y = np.array([item.y for item in items], dtype=float)
            rouge2, rougel = (tau_b(rouge_differences(items, n), y) for n in (2, None))
            for draw in range(options.draws):
                start = time.perf_counter()
                d, p, chosen = held_out(
                    items, criterion, options.folds, draw, cache, weight_decay=options.weight_decay
                )
                picks = [(c["weight_decay"], c["distance_scale"]) for c in chosen]
                print(
                    f"{criterion} {draw} {len(items)} {len({i.reference_id for i in items})} | "
                    f"{tau_b(d, y):.3f} {tau_b(p, y) or 0:.3f} {np.mean(p == y):.3f} "
                    f"{macro_f1(p, y):.3f} | {rouge2:.3f} {rougel:.3f} | "
                    f"{time.perf_counter() - start:.1f} {picks}",
                    flush=True,
                )
                if not options.file:
                    known = tau_b(d, damage_signs(items, criterion))
                    print(f"  against the known damage: {known:.3f}", flush=True)


if __name__ == "__main__":
    main()
