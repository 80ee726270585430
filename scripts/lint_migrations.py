"""Refuses migrations beside which programs of the last release could not work.

    python -m scripts.lint_migrations

They write to the new tables while a site is upgraded (docs/adr/0045). Read is the SQL that
PostgreSQL would be sent; no server is asked. `[tool.rolling]` of pyproject.toml says which
migrations are judged, and which may break the rule for a stated reason.
"""

import os
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import django
from django.db.backends.postgresql.schema import DatabaseSchemaEditor
from django.db.migrations import CreateModel, Migration, RunPython, RunSQL, SeparateDatabaseAndState
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.utils import ConnectionHandler
from django_migration_linter.sql_analyser.analyser import analyse_sql_statements
from django_migration_linter.sql_analyser.postgresql import PostgresqlAnalyser

PYPROJECT: Final = Path(__file__).resolve().parent.parent / "pyproject.toml"
# What the linter does not look for.
ADDED_RULE: Final = re.compile(r"ADD CONSTRAINT \S+ (CHECK|EXCLUDE)")
LOST_DEFAULT: Final = re.compile(r"ALTER COLUMN \S+ DROP DEFAULT")
ADVICE: Final = (
    "Programs of the last release work on these tables while a site is upgraded. CONTRIBUTING.md, "
    "How to change a table, says how to go about it in two releases."
)


class Editor(DatabaseSchemaEditor):
    """Writes down what PostgreSQL would be sent, and quotes values by itself."""

    def execute(self, sql: Any, params: Any = ()) -> None:
        text = str(sql)
        self.collected_sql.append(text % tuple(map(self.quote_value, params)) if params else text)

    def _constraint_names(self, *_args: Any, **_kinds: Any) -> list[str]:
        return ["constraint_of_before"]


def sql_of(operation: Operation, app: str, before: ProjectState, now: ProjectState) -> list[str]:
    """Return the SQL of one operation between two states of the models."""
    nowhere = {"ENGINE": "django.db.backends.postgresql", "NAME": "nowhere"}
    connection = ConnectionHandler({"default": nowhere})["default"]
    with Editor(connection, collect_sql=True, atomic=False) as editor:
        operation.database_forwards(app, editor, before, now)
    return list(editor.collected_sql)


def is_readable(operation: Operation) -> bool:
    """Return whether Django alone writes the operation's SQL."""
    if isinstance(operation, SeparateDatabaseAndState):
        return all(map(is_readable, operation.database_operations))
    return not isinstance(operation, RunPython | RunSQL)


def faults(migration: Migration, state: ProjectState, new: set[tuple[str, str]]) -> Iterator[str]:
    """Yield what is wrong with a migration, and carry the state of the models on.

    `new` are the tables that the last release does not know: nothing done to them can stop it.
    """
    app = migration.app_label
    for operation in migration.operations:
        before = state.clone()
        operation.state_forwards(app, state)
        name = str(getattr(operation, "model_name", None) or getattr(operation, "name", ""))
        if isinstance(operation, CreateModel):
            new.add((app, name.lower()))
        if not is_readable(operation):
            yield f"{operation.describe()}: code or SQL of its own, which nobody has judged"
        elif (app, name.lower()) not in new:
            # One by one: the linter would let the default of one column excuse another.
            for wrong in faults_of(sql_of(operation, app, before, state)):
                yield f"{operation.describe()}: {wrong}"


def faults_of(sql: list[str]) -> Iterator[str]:
    """Yield what is wrong with the statements of one operation."""
    errors, _, _ = analyse_sql_statements(PostgresqlAnalyser, sql)
    yield from dict.fromkeys(error.message for error in errors)
    text = "\n".join(sql)
    if ADDED_RULE.search(text):
        yield "ADDING a rule that may refuse rows"
    # A new column has a passing one for the rows that are there.
    if LOST_DEFAULT.search(text) and "ADD COLUMN" not in text:
        yield "DROPPING the default of a column"


def unreleased(
    loader: MigrationLoader, released: Mapping[str, str]
) -> tuple[ProjectState, list[Migration]]:
    """Return the models after the released migrations, and those since in the order they run."""
    done = {node for last in released.items() for node in loader.graph.forwards_plan(last)}
    # In a dictionary, so that each comes once.
    nodes = dict.fromkeys(
        node
        for leaf in loader.graph.leaf_nodes()
        for node in loader.graph.forwards_plan(leaf)
        if node[0] in released and node not in done
    )
    state = loader.project_state(list(released.items()))
    return state, [loader.graph.nodes[node] for node in nodes]


def verdict(loader: MigrationLoader, rules: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with the migrations since, but for those that state a reason."""
    state, migrations = unreleased(loader, rules["linted_after"])
    new = set[tuple[str, str]]()
    found = {f"{one.app_label}.{one.name}": list(faults(one, state, new)) for one in migrations}
    allowed = {name for name, reason in rules["allowed"].items() if reason.strip()}
    wrong = [
        f"{name}: {fault}"
        for name, all_of in found.items()
        if name not in allowed
        for fault in all_of
    ]
    needless = [name for name in rules["allowed"] if not found.get(name)]
    return wrong + [f"[tool.rolling.allowed]: {name} needs no leave" for name in needless]


def main() -> None:
    """Say what is wrong, and fail where something is."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    rules = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["tool"]["rolling"]
    if wrong := verdict(MigrationLoader(None), rules):
        sys.exit("\n".join([*wrong, ADVICE]))


if __name__ == "__main__":
    main()
