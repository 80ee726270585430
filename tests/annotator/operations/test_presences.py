from datetime import timedelta

import pytest

from annotator.models import Presence
from annotator.operations import presences, reach
from annotator.operations.presences import (
    ALIVE_FOR,
    FORGOTTEN_AFTER,
    alive,
    end_presence,
    forget_presences,
    may_be_elsewhere,
    report_presence,
    show_life,
)
from annotator.operations.reach import own_directory
from core.clock import database_now

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def let_pass(time: timedelta) -> None:
    for row in Presence.objects.all():
        row.seen_at -= time
        row.save()


def test_a_program_that_reports_twice_is_one_and_one_that_ends_is_forgotten_at_once() -> None:
    report_presence(name="a", works=["web", "gpu"])
    let_pass(timedelta(minutes=5))
    started = Presence.objects.get(work="web").started_at
    report_presence(name="a", works=["web"])
    row = Presence.objects.get(work="web")
    assert (row.started_at, Presence.objects.count()) == (started, 2)
    assert database_now() - row.seen_at < timedelta(minutes=1)
    assert alive() == {"web": 1}
    report_presence(name="b", works=["web"])
    end_presence(name="a")
    assert alive() == {"web": 1}


def test_a_program_that_does_not_report_is_not_alive_and_is_deleted_after_a_day() -> None:
    report_presence(name="a", works=["web"])
    let_pass(ALIVE_FOR - timedelta(seconds=20))
    report_presence(name="b", works=["web"])
    assert alive() == {"web": 2}
    let_pass(timedelta(seconds=21))
    assert alive() == {"web": 1}
    report_presence(name="a", works=["web"])
    let_pass(FORGOTTEN_AFTER + timedelta(seconds=20))
    report_presence(name="b", works=["web"])
    assert forget_presences() == 1
    assert Presence.objects.get().name == "b"


def test_a_sign_of_life_is_a_file_where_a_setting_names_one(tmp_path, monkeypatch) -> None:
    monkeypatch.delenv("SIGN_OF_LIFE_FILE", raising=False)
    show_life()
    monkeypatch.setenv("SIGN_OF_LIFE_FILE", str(tmp_path / "alive"))
    show_life()
    # A file that cannot be written ends no program.
    monkeypatch.setenv("SIGN_OF_LIFE_FILE", str(tmp_path / "nowhere" / "alive"))
    show_life()
    assert [path.name for path in tmp_path.iterdir()] == ["alive"]


def test_a_program_reports_its_data_directory_and_what_it_cannot_reach(settings, tmp_path) -> None:
    settings.DATA_DIR = tmp_path
    report_presence(name="a", works=["web"], unreached="The store is away.")
    row = Presence.objects.get()
    assert (row.unreached, row.data_directory) == ("The store is away.", own_directory())
    assert len(row.data_directory) == 32
    report_presence(name="a", works=["web"])
    assert Presence.objects.get().unreached == ""


def test_a_missing_file_may_be_elsewhere_once_a_program_works_in_another_directory(
    settings, tmp_path
) -> None:
    settings.DATA_DIR = tmp_path / "here"
    settings.DATA_DIR.mkdir()
    report_presence(name="a", works=["web"])
    assert not may_be_elsewhere()
    here, settings.DATA_DIR = settings.DATA_DIR, tmp_path / "there"
    settings.DATA_DIR.mkdir()
    report_presence(name="b", works=["gpu"])
    settings.DATA_DIR = here
    assert may_be_elsewhere()
    let_pass(ALIVE_FOR + timedelta(seconds=20))
    assert not may_be_elsewhere()


def test_a_directory_that_cannot_be_written_has_no_id_and_ends_no_program(
    settings, tmp_path
) -> None:
    settings.DATA_DIR = tmp_path / "nowhere"
    report_presence(name="a", works=["web"])
    assert Presence.objects.get().data_directory == ""
    assert not may_be_elsewhere()


def test_a_worker_logs_what_it_cannot_reach_once_and_when_it_reaches_it_again(
    monkeypatch, caplog
) -> None:
    found = ["The store is away."]
    monkeypatch.setattr(reach, "_looks", [lambda works: iter(found if "gpu" in works else [])])
    assert presences._looked_at(("web",), "") == ""
    told = presences._looked_at(("gpu",), "")
    assert presences._looked_at(("gpu",), told) == told == "The store is away."
    found.clear()
    assert presences._looked_at(("gpu",), told) == ""
    assert caplog.messages == [
        "worker of gpu cannot reach all that jobs may need: The store is away.",
        "worker of gpu reaches everything",
    ]
