"""Models and migrations agree, run from nothing, and bring a filled database along."""

from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from annotator.rubric import CRITERIA
from tests.house.conftest import RunPython

FIRST = ("annotator", "0001_first")


def test_models_and_migrations_agree(run_python: RunPython) -> None:
    done = run_python("manage.py", "makemigrations", "--check", "--dry-run")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.exhaustive
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


@pytest.mark.exhaustive
@pytest.mark.embedded
@pytest.mark.slow
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


def fill_scoring(old: Any) -> None:
    """Store what the measuring house of the first schema made of it."""
    make = {
        model._meta.object_name: model.objects.create
        for model in old.get_app_config("scoring").get_models()
    }
    person = old.get_model("annotator", "User").objects.get(username="p0")
    campaign = old.get_model("annotator", "Campaign").objects.get(slug="two")
    dataset = make["Dataset"](name="tiny", campaign=campaign)
    version = make["DatasetVersion"](
        dataset=dataset, number=1, sha256="d" * 64, items=3, card={"items": 3}, created_by=person
    )
    run = make["TrainingRun"](
        dataset_version=version,
        criterion="logical_linkage",
        settings={"seed": 7},
        status="succeeded",
    )
    make["ModelVersion"](
        run=run,
        criterion="logical_linkage",
        directory="model-1",
        manifest_sha256="m" * 64,
        dataset_sha256="d" * 64,
        code_version="1",
        card={"validation": {}},
    )
    make["AgreementReport"](
        dataset_version=version,
        criterion="logical_linkage",
        scorers=["rouge-1"],
        split="test",
        tie_threshold=0.1,
        result={"scorers": {}},
        status="succeeded",
    )
    old.get_model("annotator", "AuditEvent").objects.create(
        actor=person, campaign=campaign, action="dataset.freeze", object_type="x", object_id="1"
    )


def rows_of(apps: Any, kept: dict[str, set[str]] | None = None) -> dict[str, dict[Any, Any]]:
    """Return every row of both houses by table and key, of the columns that are to be compared."""
    found = {}
    for name in ("annotator", "scoring"):
        for model in apps.get_app_config(name).get_models():
            table = model._meta.db_table
            columns = {field.attname for field in model._meta.concrete_fields}
            if kept is not None:
                columns &= kept.get(table, set())
            if columns:
                rows = model.objects.values("pk", *columns)
                found[table] = {row.pop("pk"): row for row in rows}
    return found


@pytest.mark.embedded
@pytest.mark.slow
def test_every_row_of_the_first_schema_is_there_as_it_was_in_todays(migrate: Migrate) -> None:
    old = migrate([FIRST, ("scoring", "0001_first")])
    fill(old)
    fill_scoring(old)
    before = rows_of(old)
    now = migrate(MigrationExecutor(connection).loader.graph.leaf_nodes())
    columns = {table: set(next(iter(rows.values()))) for table, rows in before.items() if rows}
    after = rows_of(now, columns)
    assert len(columns) > 10
    for table in columns:
        # A column may have gone: what is in both is to be the same.
        shared = set(next(iter(after[table].values())))
        then = {
            pk: {k: v for k, v in row.items() if k in shared} for pk, row in before[table].items()
        }
        assert after[table] == then, table


@pytest.mark.exhaustive
@pytest.mark.embedded
@pytest.mark.slow
def test_secrets_of_second_factors_are_sealed_on_the_way_and_readable_on_the_way_back(
    migrate: Migrate,
) -> None:
    from annotator.sign_in.kept_secrets import unseal

    before = [("annotator", "0022_invitations"), ("scoring", "0007_erasures")]
    old = migrate(before)
    person = old.get_model("annotator", "User").objects.create(username="p")
    old.get_model("annotator", "SecondFactor").objects.create(
        user=person, secret="JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", last_step=3
    )
    now = migrate(MigrationExecutor(connection).loader.graph.leaf_nodes())
    row = now.get_model("annotator", "SecondFactor").objects.get()
    assert "JBSWY3DP" not in row.secret
    assert unseal(row.secret, owner=str(row.pk)) == "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
    then = migrate(before).get_model("annotator", "SecondFactor").objects.get()
    assert (then.secret, then.last_step) == ("JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", 3)


@pytest.mark.embedded
@pytest.mark.slow
def test_flips_of_pairs_fold_to_the_widest_of_each_candidate_and_what_is_in_use_stays(
    migrate: Migrate,
) -> None:
    before = [("annotator", "0025_invitations_of_accounts")]
    old = migrate(before)
    make = {name: old.get_model("annotator", name).objects.create for name in FOLDED}
    person = make["User"](username="p")
    campaign = make["Campaign"](slug="one")
    reference = make["Reference"](campaign=campaign, reference_id="r")
    at = "2026-01-01T00:00Z"
    candidates = [
        make["Candidate"](
            reference=reference,
            campaign=campaign,
            candidate_id=f"n{number}",
            id=UUID(int=number),
        )
        for number in range(1, 7)
    ]
    # By pair: gap, status, and how it is in use.
    pairs = {
        (1, 2): (90, "open", ""),
        (1, 3): (80, "waiting", ""),
        (2, 3): (70, "open", ""),
        (1, 4): (60, "waiting", ""),
        (2, 4): (50, "lapsed", ""),
        (3, 4): (50, "lapsed", "signed"),
        (1, 5): (40, "lapsed", ""),
        (2, 5): (30, "open", ""),
        (4, 5): (20, "waiting", "sent back"),
        (4, 6): (20, "open", ""),
        (5, 6): (11, "open", "taken"),
        (3, 6): (11, "ruled", ""),
    }
    for (one, other), (gap, status, use) in pairs.items():
        row = make["Conflict"](
            campaign=campaign,
            candidate=candidates[one - 1],
            other_candidate=candidates[other - 1],
            kind="order_flip",
            gap=gap,
            status=status,
            opened_at=at,
        )
        if use == "signed":
            make["Adjudication"](conflict=row, adjudicator=person, ratings_seen=[], made_at=at)
        if use == "sent back":
            make["Round"](conflict=row, candidate=row.candidate, number=2, kind="again", made_at=at)
        if use == "taken":
            for candidate in (row.candidate, row.other_candidate):
                make["Turn"](candidate=candidate, adjudicator=person, taken_at=at, expires_at=at)
    make["Conflict"](
        campaign=campaign,
        candidate=candidates[0],
        kind="overall_gap",
        gap=30,
        opened_at=at,
    )
    now = migrate(MigrationExecutor(connection).loader.graph.leaf_nodes())

    def stored(apps: Any) -> dict[tuple[int, int], tuple[int, str]]:
        rows = apps.get_model("annotator", "Conflict").objects.filter(kind="order_flip")
        return {
            (row.candidate_id.int, row.other_candidate_id.int): (row.gap, row.status)
            for row in rows
        }

    kept = {(1, 2), (2, 3), (2, 5), (4, 6), *((3, 4), (4, 5), (5, 6), (3, 6))}
    assert stored(now) == {pair: pairs[pair][:2] for pair in kept}
    assert now.get_model("annotator", "Conflict").objects.filter(kind="overall_gap").count() == 1
    assert stored(migrate(before)) == stored(now)


FOLDED = ("User", "Campaign", "Reference", "Candidate", "Conflict", "Adjudication", "Round", "Turn")
