"""Migrations leave programs of the last release at work, and those that do not are refused."""

import tomllib
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState

from scripts.lint_migrations import PYPROJECT, faults, unreleased, verdict

RULES = tomllib.loads(PYPROJECT.read_text())["tool"]["rolling"]


@pytest.fixture(scope="module")
def released() -> ProjectState:
    return unreleased(MigrationLoader(None), RULES["linted_after"])[0]


def wrong_with(released: ProjectState, *operations: Any) -> str:
    """Return what is found wrong with a migration of these operations."""
    return "\n".join(faults(planted(*operations), released.clone(), set()))


def planted(*operations: Any, after: Sequence[tuple[str, str]] = ()) -> migrations.Migration:
    body = {"operations": list(operations), "dependencies": list(after)}
    made: type[migrations.Migration] = type("Migration", (migrations.Migration,), body)
    return made("9999_planted", "annotator")


def named(value: object) -> str:
    return value if isinstance(value, str) else type(value).__name__


def added(name: str, field: models.Field, model: str = "rating") -> migrations.AddField:
    return migrations.AddField(model, name, field)


def changed(name: str, field: models.Field) -> migrations.AlterField:
    return migrations.AlterField("rating", name, field)


def test_migrations_since_the_last_release_leave_its_programs_at_work() -> None:
    assert verdict(MigrationLoader(None), RULES) == []


@pytest.mark.parametrize(
    ("operation", "found"),
    [
        (added("words", models.PositiveIntegerField(default=0)), "NOT NULL"),
        (migrations.RemoveField("rating", "comment"), "DROPPING columns"),
        (migrations.RenameField("rating", "comment", "remark"), "RENAMING columns"),
        (changed("version", models.CharField(max_length=9)), "ALTERING columns"),
        (changed("rubric_version", models.CharField(max_length=9)), "ALTERING columns"),
        (changed("comment", models.TextField(unique=True)), "unique"),
        (migrations.DeleteModel("Draft"), "DROPPING table"),
        (migrations.RenameModel("Draft", "Sketch"), "RENAMING tables"),
        (migrations.AlterModelTable("draft", "sketches"), "RENAMING tables"),
        (
            migrations.AddConstraint(
                "rating", models.CheckConstraint(condition=models.Q(round=1), name="first_only")
            ),
            "ADDING a rule",
        ),
        (
            migrations.AddConstraint(
                "rating", models.UniqueConstraint(fields=["round"], name="round_once")
            ),
            "ADDING unique",
        ),
        (migrations.RunPython(migrations.RunPython.noop), "nobody has judged"),
        (migrations.RunSQL("CREATE TRIGGER stop BEFORE INSERT ON x"), "nobody has judged"),
        (
            migrations.SeparateDatabaseAndState(
                database_operations=[migrations.RunSQL("DROP TABLE annotator_draft")]
            ),
            "nobody has judged",
        ),
    ],
    ids=named,
)
def test_a_migration_that_stops_programs_of_the_last_release_is_refused(
    released, operation, found
) -> None:
    assert found in wrong_with(released, operation)


@pytest.mark.parametrize(
    "operation",
    [
        added("words", models.PositiveIntegerField(default=0, db_default=0)),
        added("words", models.PositiveIntegerField(null=True)),
        added("words", models.BooleanField(default=False, null=True)),
        changed("comment", models.TextField(default="", db_default="", blank=True)),
        changed("version", models.PositiveIntegerField(default=1, null=True)),
        migrations.AddIndex("rating", models.Index(fields=["round"], name="by_round")),
        # A field goes from the models first, and from the table a release later.
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.RemoveField("rating", "comment")]
        ),
    ],
    ids=named,
)
def test_a_migration_that_only_adds_is_let_through(released, operation) -> None:
    assert wrong_with(released, operation) == ""


def test_the_default_of_one_column_does_not_excuse_another(released) -> None:
    found = wrong_with(
        released,
        added("words", models.IntegerField(default=0)),
        added("signs", models.IntegerField(default=0, db_default=0)),
    )
    assert [line for line in found.splitlines() if "NOT NULL" in line] == [
        "Add field words to rating: NOT NULL constraint on columns"
    ]


def test_a_default_of_the_database_stays(released) -> None:
    found = wrong_with(
        released,
        added("words", models.IntegerField(default=0, db_default=0)),
        changed("words", models.IntegerField(default=0)),
    )
    assert found == "Alter field words on rating: DROPPING the default of a column"


def test_a_table_that_the_last_release_does_not_know_may_be_changed_at_will(released) -> None:
    made = migrations.CreateModel("Sketch", [("id", models.BigAutoField(primary_key=True))])
    column = added("words", models.IntegerField(default=0), model="sketch")
    assert wrong_with(released, made, column) == ""
    assert wrong_with(released, made, column, migrations.RemoveField("rating", "comment")) != ""


@pytest.fixture
def with_planted() -> Callable[[Any], MigrationLoader]:
    def plant(operation: Any) -> MigrationLoader:
        loader = MigrationLoader(None)
        (last,) = loader.graph.leaf_nodes("annotator")
        migration, node = planted(operation, after=[last]), ("annotator", "9999_planted")
        loader.graph.add_node(node, migration)
        loader.graph.add_dependency(migration, node, last)
        return loader

    return plant


def test_leave_is_given_for_a_reason_and_only_where_it_is_needed(with_planted) -> None:
    name = "annotator.9999_planted"
    loader = with_planted(migrations.RemoveField("rating", "comment"))
    (refusal,) = verdict(loader, RULES)
    assert refusal.startswith(f"{name}: Remove field comment")
    assert verdict(loader, RULES | {"allowed": RULES["allowed"] | {name: "nothing reads it"}}) == []
    assert verdict(loader, RULES | {"allowed": RULES["allowed"] | {name: " "}}) == [refusal]
    harmless = with_planted(added("words", models.IntegerField(null=True)))
    (needless,) = verdict(
        harmless, RULES | {"allowed": RULES["allowed"] | {name: "nothing reads it"}}
    )
    assert name in needless
