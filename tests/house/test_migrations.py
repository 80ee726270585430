"""Models and migrations agree, and the migrations run from nothing."""

import pytest

from tests.house.conftest import RunPython


def test_models_and_migrations_agree(run_python: RunPython) -> None:
    done = run_python("manage.py", "makemigrations", "--check", "--dry-run")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_migrations_run_on_an_empty_local_database_twice(run_python: RunPython) -> None:
    for _ in range(2):
        done = run_python("manage.py", "migrate")
        assert done.returncode == 0, done.stderr
    assert "No migrations to apply" in done.stdout
