import importlib
import sqlite3 as as_configured
import sys
from types import SimpleNamespace

import pytest
from django.db import connection

from core import sqlite


@pytest.fixture(autouse=True)
def modules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put back whatever stands for sqlite3 when a test is over."""
    for name in ("sqlite3", "sqlite3.dbapi2"):
        monkeypatch.setitem(sys.modules, name, sys.modules[name])


@pytest.mark.skipif(sys.platform != "linux", reason="pysqlite3 is built for Linux")
def test_the_library_in_use_has_no_wal_reset_fault() -> None:
    assert sqlite.use_sound_sqlite() >= sqlite.FIRST_SOUND == (3, 51, 3)
    assert importlib.import_module("sqlite3").sqlite_version_info >= sqlite.FIRST_SOUND


@pytest.mark.skipif(connection.vendor != "sqlite", reason="asks SQLite about itself")
def test_a_real_connection_has_the_settings_that_lose_nothing(db) -> None:
    library = importlib.import_module("sqlite3")
    assert library.sqlite_version_info >= sqlite.FIRST_SOUND or sys.platform != "linux"
    is_sound = library.sqlite_version_info >= sqlite.FIRST_SOUND
    pragmas = {}
    with connection.cursor() as cursor:
        for name in ("journal_mode", "synchronous", "foreign_keys", "mmap_size"):
            cursor.execute(f"PRAGMA {name}")
            pragmas[name] = (cursor.fetchone() or (0,))[0]
    assert pragmas == {
        "journal_mode": "wal" if is_sound else "truncate",
        "synchronous": 2,
        "foreign_keys": 1,
        "mmap_size": 0,
    }


def test_a_package_that_is_there_takes_the_place_of_the_interpreters(monkeypatch) -> None:
    sound = SimpleNamespace(dbapi2=object(), sqlite_version_info=(9, 8, 7))
    monkeypatch.setitem(sys.modules, "pysqlite3", sound)
    assert sqlite.use_sound_sqlite() == (9, 8, 7)
    names = ("sqlite3", "sqlite3.dbapi2")
    assert [id(sys.modules[name]) for name in names] == [id(sound), id(sound.dbapi2)]


def test_without_the_package_the_interpreters_library_is_used(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pysqlite3", None)
    monkeypatch.setattr(sqlite, "sqlite3", SimpleNamespace(sqlite_version_info=(3, 40, 1)))
    before = sys.modules["sqlite3"]
    assert sqlite.use_sound_sqlite() == (3, 40, 1)
    assert sys.modules["sqlite3"] is before


@pytest.mark.parametrize(
    ("version", "journal"),
    [
        *((version, "TRUNCATE") for version in ((3, 40, 1), (3, 51, 2))),
        *((version, "WAL") for version in ((3, 51, 3), (3, 52, 0), (4, 0, 0))),
    ],
)
def test_a_library_with_the_fault_gets_a_journal_without_it(version, journal) -> None:
    options = sqlite.options(version)
    assert f"PRAGMA journal_mode={journal};" in options["init_command"]
    assert "synchronous=FULL" in options["init_command"]
    assert "mmap" not in options["init_command"]
    assert (options["transaction_mode"], options["timeout"]) == ("IMMEDIATE", 20)


@pytest.mark.parametrize("version", [(3, 40, 1), sqlite.FIRST_SOUND])
def test_the_commands_of_both_are_understood(tmp_path, version) -> None:
    with as_configured.connect(tmp_path / "db.sqlite3") as database:
        database.executescript(sqlite.options(version)["init_command"])
        (journal,) = database.execute("PRAGMA journal_mode").fetchone()
        assert database.execute("PRAGMA synchronous").fetchone() == (2,)
    database.close()
    assert journal == ("wal" if version == sqlite.FIRST_SOUND else "truncate")
