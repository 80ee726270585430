"""Read the quadruplets of a file, or of the demo campaign."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from annotator.demo import read_demo_ratings, read_demo_references
from annotator.rating_values import RatedScores
from patclaimeval.models.data import Quadruplet
from patclaimeval.rubric import ALL_CRITERIA, OVERALL, overall_numerator
from patclaimeval.text_io.streams import ReadNotes
from scoring.formats.dataset_files import format_of, read_file
from scoring.quadruplets import DatasetRow, RatedCandidate, RatedReference, build_quadruplets

DEMO = Path(__file__).resolve().parents[2] / "fixtures" / "demo"


def read_rows(path: Path) -> dict[str, list[Quadruplet]]:
    """Return the quadruplets of each criterion of a file."""
    kind = format_of(path, "auto")
    rows = read_file(path, kind, ReadNotes())
    if kind == "patent-ce-json":
        # Resamples are drawn in the order of names: another name would give other figures.
        rows = (replace(row, reference_id=row.reference) for row in rows)
    return by_criterion(rows)


def by_criterion(rows: Iterable[DatasetRow]) -> dict[str, list[Quadruplet]]:
    """Return rows as the quadruplets of each criterion, in the rubric's order."""
    found: dict[str, list[Quadruplet]] = {name: [] for name in ALL_CRITERIA}
    for row in rows:
        for name, label in row.y.items():
            item = Quadruplet(row.reference_id, row.reference, row.b, row.c, label)
            found[name].append(item)
    return {name: items for name, items in found.items() if items}


def demo_rows() -> dict[str, list[Quadruplet]]:
    """Return the quadruplets of the demo campaign's rated references, open conflicts included."""
    values: dict[tuple[str, str], list[RatedScores]] = {}
    for number, rating in enumerate(read_demo_ratings(DEMO)):
        scores = {**rating.scores, OVERALL: overall_numerator(rating.scores)}
        rated = RatedScores(rating.annotator, rating.candidate_id, scores, rating=str(number))
        values.setdefault((rating.reference_id, rating.candidate_id), []).append(rated)
    references = [
        RatedReference(
            one.reference_id,
            one.reference_claims,
            tuple(
                RatedCandidate(c.candidate_id, c.claims, tuple(found))
                for c in one.candidates
                if (found := values.get((one.reference_id, c.candidate_id)))
            ),
        )
        for one in read_demo_references(DEMO)
    ]
    return by_criterion(build_quadruplets(references))
