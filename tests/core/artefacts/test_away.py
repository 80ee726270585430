"""A store that is away holds up nothing but what needs it."""

import os
import time
from pathlib import Path
from typing import Any, NoReturn

import pytest
from django.test import Client

from annotator.management.commands import sweep
from core.artefacts import bucket, copies
from core.artefacts.settings import StoreSettings
from core.artefacts.trees import FETCHING_PREFIX, fetched_aside
from core.errors import Unreachable
from core.jobs import registry

AWAY = StoreSettings("claims-of-a-firm", endpoint="https://s3.example.org")


def away() -> NoReturn:
    raise Unreachable("The artefact store s3://claims-of-a-firm cannot be reached now.")


def test_tidying_goes_on_after_what_cannot_be_reached(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(registry, "_tidying", [lambda: 2, away, lambda: 3])

    assert registry.tidy() == 5

    assert "s3://claims-of-a-firm cannot be reached" in caplog.text


@pytest.mark.django_db
def test_sweeper_outlives_it(monkeypatch: pytest.MonkeyPatch) -> None:
    class Enough(BaseException):
        pass

    rounds = 0

    def pause(_: float) -> None:
        nonlocal rounds
        rounds += 1
        if rounds == 2:
            raise Enough

    monkeypatch.setattr(sweep, "SWEEPS_BETWEEN_UPLOADS", 1)
    monkeypatch.setattr(sweep, "close_old_connections", lambda: None)
    monkeypatch.setattr(sweep, "sweep_imports", away)
    monkeypatch.setattr("annotator.management.commands.sweep.time.sleep", pause)
    with pytest.raises(Enough):
        sweep.Command().handle(forever=True)


@pytest.mark.django_db
def test_readiness_names_a_store_that_did_not_answer(
    client: Client, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from annotator.operations.health import views

    monkeypatch.setattr(views, "queues_without_worker", list)
    settings.ARTEFACT_STORE = AWAY
    assert client.get("/readyz").json() == {"status": "ok"}

    monkeypatch.setitem(bucket._silent, AWAY, 0.0)

    assert client.get("/readyz").json() == {
        "status": "degraded",
        "store": "s3://claims-of-a-firm did not answer",
    }


def test_copies_are_tidied_by_one_thread_of_a_process(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []

    class Thread:
        def __init__(self, *, name: str, **_: Any) -> None:
            self.name = name

        def start(self) -> None:
            begun.append(self.name)

    monkeypatch.setattr("core.artefacts.copies.threading.Thread", Thread)
    monkeypatch.setattr(copies, "_begun", set())
    settings.ARTEFACT_STORE = None
    copies.begin()
    assert begun == []
    settings.ARTEFACT_STORE = AWAY
    for _ in range(2):
        copies.begin()
    assert begun == ["copies"]


def test_thread_that_tidies_outlives_a_store_that_is_away(
    settings: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Enough(BaseException):
        pass

    def pause(_: float) -> None:
        raise Enough

    class Connection:
        closed = 0

        def close(self) -> None:
            self.closed += 1

    settings.ARTEFACT_STORE = AWAY
    monkeypatch.setattr(copies, "connection", used := Connection())
    monkeypatch.setattr(copies, "_tidying", [away])
    monkeypatch.setattr("core.artefacts.copies.time.sleep", pause)
    with pytest.raises(Enough):
        copies._forever()

    assert "copies are not tidied: Unreachable" in caplog.text
    assert used.closed == 1


def test_what_a_killed_process_was_fetching_goes_when_it_is_old(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ARTEFACT_STORE, settings.DATA_DIR = AWAY, tmp_path
    monkeypatch.setattr(copies, "_tidying", [])
    monkeypatch.setattr(copies, "fetch_installed", int)
    for name, age in (("old", copies.LONGEST_FETCH_SECONDS + 60), ("young", 0)):
        path = tmp_path / "models" / f"{FETCHING_PREFIX}{name}"
        path.mkdir(parents=True)
        (path / "weights").write_bytes(b"w")
        os.utime(path, (time.time() - age,) * 2)

    assert copies.tidy_copies() == 1

    assert [path.name for path in (tmp_path / "models").iterdir()] == [f"{FETCHING_PREFIX}young"]


def test_copy_that_goes_while_it_is_looked_at_is_passed_over(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ARTEFACT_STORE, settings.DATA_DIR = AWAY, tmp_path
    monkeypatch.setattr(copies, "_entries", lambda _: iter([tmp_path / "gone"]))

    assert copies.evict_copies() == 0


def test_directory_that_another_process_has_fetched_meanwhile_stays(tmp_path: Path) -> None:
    path = tmp_path / "model"
    with fetched_aside(path) as aside:
        (aside / "weights").write_bytes(b"ours")
        path.mkdir()
        (path / "weights").write_bytes(b"theirs")

    assert (path / "weights").read_bytes() == b"theirs"
    assert list(tmp_path.iterdir()) == [path]
