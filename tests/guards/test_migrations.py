"""Models and migrations agree, and run from nothing or from the steps of before."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from annotator.operations.backups.tables import applied_migrations, known_migrations


def test_models_and_migrations_agree(run_python) -> None:
    done = run_python("manage.py", "makemigrations", "--check", "--dry-run")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.exhaustive
@pytest.mark.slow
def test_migrations_run_on_an_empty_local_database_twice(run_python) -> None:
    for _ in range(2):
        done = run_python("manage.py", "migrate")
        assert done.returncode == 0, done.stderr
    assert "No migrations to apply" in done.stdout


@pytest.mark.postgres
@pytest.mark.django_db
def test_a_database_that_made_the_steps_of_before_has_nothing_left_to_do() -> None:
    executor = MigrationExecutor(connection)
    for (app, name), migration in executor.loader.disk_migrations.items():
        if app in ("annotator", "scoring") and migration.replaces:
            executor.recorder.record_unapplied(app, name)
            for before in migration.replaces:
                executor.recorder.record_applied(*before)
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    assert [migration for migration, _ in plan if migration.replaces] == []
    executor.check_replacements()
    assert set(applied_migrations()) == known_migrations()
