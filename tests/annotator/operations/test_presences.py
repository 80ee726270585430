from datetime import timedelta

import pytest

from annotator.models import Presence
from annotator.operations.presences import (
    ALIVE_FOR,
    FORGOTTEN_AFTER,
    alive,
    end_presence,
    forget_presences,
    report_presence,
    show_life,
)
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
