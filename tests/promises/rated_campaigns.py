"""Campaigns that are rated already, made in bulk, and what a dataset of them holds."""

import hashlib
import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from annotator.models import Assignment, Campaign, Candidate, Rating, Reference, User
from patclaimeval.rubric import CRITERIA, overall_numerator
from scoring.files import dataset_path
from scoring.models import DatasetVersion

# The scores of candidates c0, c1, c2, the same from everybody: the first is the best.
LADDER = (8, 5, 2)


def fill(campaign: Campaign, references: int, people: Sequence[User]) -> None:
    """Add references with three candidates each, rated by everybody, that may be trained on."""
    now = timezone.now()
    stored = Reference.objects.bulk_create(
        Reference(
            campaign=campaign,
            reference_id=f"r{n:05}",
            claims=f"1. A cup number {n}.",
            claims_sha256=hashlib.sha256(f"{n}".encode()).hexdigest(),
            may_train=True,
            position=n,
        )
        for n in range(references)
    )
    candidates = Candidate.objects.bulk_create(
        Candidate(
            reference=reference,
            campaign=campaign,
            places=len(people),
            candidate_id=f"c{n}",
            claims=f"1. A mug {n} for {reference.reference_id}.",
        )
        for reference in stored
        for n in range(len(LADDER))
    )
    given = Assignment.objects.bulk_create(
        Assignment(
            campaign=campaign, candidate=candidate, annotator=person, label="x", status="submitted"
        )
        for candidate in candidates
        for person in people
    )
    Rating.objects.bulk_create(
        Rating(
            assignment=row,
            candidate=row.candidate,
            annotator=row.annotator,
            rubric_version=campaign.rubric_version,
            submitted_at=now,
            revised_at=now,
            **scores_of(LADDER[int(row.candidate.candidate_id[1])]),
        )
        for row in given
    )


def scores_of(score: int) -> dict[str, int]:
    """Return the same points on every criterion, with the overall that follows."""
    scores = dict.fromkeys(CRITERIA, score)
    return scores | {"overall_numerator": overall_numerator(scores)}


class Writer(threading.Thread):
    """Writes to the database in one transaction after another, until it is to end."""

    def __init__(self) -> None:
        super().__init__()
        self.turns = 0
        self.is_over = threading.Event()

    def run(self) -> None:
        try:
            while not self.is_over.is_set():
                self.turns += 1
                with transaction.atomic():
                    self.write()
                time.sleep(0.01)
        finally:
            connection.close()

    def write(self) -> None:
        """Write what is to be seen whole or not at all."""
        raise NotImplementedError


@contextmanager
def writing(writers: Sequence[Writer]) -> Iterator[Any]:
    """Have all of them write until the block ends."""
    for writer in writers:
        writer.start()
    try:
        yield writers
    finally:
        for writer in writers:
            writer.is_over.set()
        for writer in writers:
            writer.join()


def faults_of_files(data_directory: Path) -> list[str]:
    """Return the files with a dataset's name whose content has another digest."""
    return [
        f"{path.name} is not what its name promises"
        for path in (data_directory / "datasets").glob("*.jsonl")
        if hashlib.sha256(path.read_bytes()).hexdigest() != path.stem
    ]


def faults_of(version: DatasetVersion) -> list[str]:
    """Return where the rows of a version and its file differ."""
    path = dataset_path(version.sha256)
    if not path.is_file():
        return ["there is no file"]
    rows = [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]
    named = {pk for row in rows for pk in row["provenance"].get("ratings", [])}
    used = {str(pk) for pk in version.used_ratings.values_list("rating_id", flat=True)}
    found = [] if len(rows) == version.items else [f"{len(rows)} rows of {version.items}"]
    return found if named == used else [*found, f"{len(named)} ratings are named, {len(used)} used"]
