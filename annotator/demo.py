"""The demo campaign as the files in fixtures/demo have it: claim sets, and ratings of them.

claims.jsonl is a file that anybody could import. Each candidate of it has known damage, and
ratings.csv has what two annotators said, with the time from then to the day of the demo.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

from annotator.formats import claims_jsonl
from patclaimeval.documents.references import ReferenceRecord
from patclaimeval.rubric import CRITERIA

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
    with (directory / "claims.jsonl").open("rb") as file:
        return tuple(claims_jsonl.read(file))


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
