import io

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from scripts import programs

pytestmark = pytest.mark.django_db


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The management commands that the preparation runs, none of which does anything."""
    taken: list[str] = []
    monkeypatch.setattr("django.core.management.call_command", lambda name, *_: taken.append(name))
    return taken


def lose_one() -> None:
    MigrationRecorder(connection).record_unapplied("annotator", "0001_initial")


def test_what_is_migrated_is_known_as_such_until_one_migration_is_missing() -> None:
    assert programs.is_migrated()
    out = io.StringIO()
    call_command("migrate", "--plan", stdout=out)
    assert "No planned migration operations" in out.getvalue()
    lose_one()
    assert not programs.is_migrated()


def test_a_second_start_migrates_nothing_in_local_mode(steps, settings) -> None:
    settings.IS_LOCAL = True
    programs.prepare()
    assert steps == ["load_demo"]
    lose_one()
    programs.prepare()
    assert steps == ["load_demo", "migrate", "load_demo"]


def test_production_migrates_at_each_start_and_has_no_demo(steps, settings) -> None:
    settings.IS_LOCAL = False
    programs.prepare()
    assert steps == ["migrate", "collectstatic"]


def test_a_step_that_fails_ends_the_preparation_with_its_sentence(monkeypatch, settings) -> None:
    def fail(*_: object) -> None:
        raise CommandError("no disk")

    settings.IS_LOCAL = True
    monkeypatch.setattr("django.core.management.call_command", fail)
    with pytest.raises(SystemExit, match="load_demo: no disk"):
        programs.prepare()
