"""The demo campaign as the files in fixtures/demo have it: claim sets, and ratings of them.

Each candidate has known damage. ratings.csv has what two annotators said of it, and how many
minutes before the demo is loaded.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from patclaimeval.documents.references import CandidateRecord, ReferenceRecord
from patclaimeval.rubric import CRITERIA
from patclaimeval.text_io.strict_json import loads

TITLE: Final = "Demo campaign: synthetic claim sets"


@dataclass(frozen=True, slots=True)
class DemoRating:
    """One annotator's four whole scores, and how long before now they were given."""

    reference_id: str
    candidate_id: str
    annotator: str
    scores: Mapping[str, int]
    before_now: timedelta


def read_demo_references(directory: Path) -> tuple[ReferenceRecord, ...]:
    """Return the references of the demo campaign with their candidates."""
    lines = (directory / "candidates.jsonl").read_bytes().splitlines()
    return tuple(_reference(directory, loads(line)) for line in lines)


def _reference(directory: Path, line: dict[str, Any]) -> ReferenceRecord:
    path = directory / "references" / line.pop("file")
    claims = path.read_text(encoding="utf-8").rstrip("\n")
    candidates = tuple(CandidateRecord(**one) for one in line.pop("candidates"))
    return ReferenceRecord(reference_claims=claims, candidates=candidates, **line)


def read_demo_ratings(directory: Path) -> tuple[DemoRating, ...]:
    """Return the ratings of the demo campaign, in the order of its references and candidates."""
    with (directory / "ratings.csv").open(encoding="utf-8", newline="") as file:
        return tuple(
            DemoRating(
                row["reference_id"],
                row["candidate_id"],
                row["annotator"],
                {key: int(row[key]) for key in CRITERIA},
                timedelta(minutes=int(row["minutes_ago"])),
            )
            for row in csv.DictReader(file)
        )
