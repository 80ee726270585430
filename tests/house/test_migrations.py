"""Models and migrations agree, run from nothing, and bring a filled database along."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from annotator.rubric import CRITERIA
from tests.house.conftest import RunPython

FIRST = ("annotator", "0001_first")


def test_models_and_migrations_agree(run_python: RunPython) -> None:
    done = run_python("manage.py", "makemigrations", "--check", "--dry-run")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_migrations_run_on_an_empty_local_database_twice(run_python: RunPython) -> None:
    for _ in range(2):
        done = run_python("manage.py", "migrate")
        assert done.returncode == 0, done.stderr
    assert "No migrations to apply" in done.stdout


Migrate = Callable[[list[tuple[str, str]]], Any]


@pytest.fixture
def migrate(transactional_db: None) -> Iterator[Migrate]:
    """Give a function that migrates to these nodes and returns the models as they were there."""

    def to(nodes: list[tuple[str, str]]) -> Any:
        executor = MigrationExecutor(connection)
        executor.migrate(nodes)
        return executor.loader.project_state(nodes).apps

    leaves = MigrationExecutor(connection).loader.graph.leaf_nodes()
    yield to
    to(leaves)


def fill(old: Any) -> None:
    """Store a campaign of the first schema: one candidate full, one half taken, one free."""
    make = {name: old.get_model("annotator", name).objects.create for name in NEEDED}
    people = [make["User"](username=f"p{number}") for number in range(3)]
    for slug, overlap in (("two", 2), ("one", 1)):
        campaign = make["Campaign"](slug=slug, name=slug, overlap=overlap)
        for position in (4, 9):
            reference = make["Reference"](
                campaign=campaign,
                reference_id=f"r{position}",
                claims="1. A cup.",
                claims_sha256="r",
                position=position,
            )
            for statuses in ("", "open", "open submitted lapsed", "submitted open submitted"):
                candidate = make["Candidate"](
                    reference=reference, candidate_id=statuses, claims="1.", claims_sha256="c"
                )
                for person, status in zip(people, statuses.split(), strict=False):
                    assignment = make["Assignment"](
                        campaign=campaign,
                        annotator=person,
                        candidate=candidate,
                        status=status,
                        label="x",
                    )
                    if status == "submitted":
                        make["Rating"](
                            assignment=assignment,
                            candidate=candidate,
                            annotator=person,
                            rubric_version="1",
                            overall_numerator=55,
                            submitted_at="2026-01-01T00:00Z",
                            revised_at="2026-01-01T00:00Z",
                            **dict.fromkeys(CRITERIA, 5),
                        )


NEEDED = ("User", "Campaign", "Reference", "Candidate", "Assignment", "Rating")


@pytest.mark.embedded
def test_a_filled_database_of_the_first_schema_knows_its_places_afterwards(
    migrate: Migrate,
) -> None:
    fill(migrate([FIRST]))
    migrate(MigrationExecutor(connection).loader.graph.leaf_nodes())
    from annotator.models import Candidate, Rating

    rows = Candidate.objects.order_by("campaign__slug", "queue_position", "held").values_list(
        "campaign__slug", "queue_position", "candidate_id", "held", "has_room"
    )
    expected = [
        (slug, position, statuses, held, held < overlap)
        for slug, overlap in (("one", 1), ("two", 2))
        for position in (4, 9)
        for held, statuses in enumerate(
            ("", "open", "open submitted lapsed", "submitted open submitted")
        )
    ]
    assert list(rows) == expected
    for candidate in Candidate.objects.select_related("reference"):
        assert candidate.campaign_id == candidate.reference.campaign_id
    assert Rating.objects.count() == 12
    rating = Rating.objects.first()
    assert rating is not None
    assert (rating.note, rating.error_tags, rating.shown, rating.active_seconds) == ("", [], {}, 0)
