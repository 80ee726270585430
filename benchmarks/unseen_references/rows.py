"""The quadruplets that the benchmark of unseen references measures on: a file's, or the demo's."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from annotator.demo import build_demo_plan
from annotator.rating_values import RatedScores
from annotator.rubric import ALL_CRITERIA, OVERALL, TOTAL_WEIGHT, WEIGHTS, overall_numerator
from scoring.patclaimeval.data import Quadruplet
from scoring.quadruplets import RatedCandidate, RatedReference, build_quadruplets

DEMO = Path(__file__).resolve().parents[2] / "fixtures" / "demo"
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
    values: dict[tuple[str, str], list[RatedScores]] = {}
    for number, rating in enumerate(plan.ratings):
        scores = {**rating.scores, OVERALL: overall_numerator(rating.scores)}
        rated = RatedScores(rating.annotator, rating.label, scores, rating=str(number))
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
