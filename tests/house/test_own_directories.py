"""Each process of a test run works in a data directory of its own."""

import os
from pathlib import Path

from django.conf import settings

from tests.own_directories import give_own_directory


def test_two_processes_get_two_directories_and_the_same_static_files(tmp_path: Path) -> None:
    (tmp_path / "static").mkdir()
    (tmp_path / "static" / "base.css").write_text("body {}")
    given = []
    for process in ("gw0", "gw1"):
        environment = {"DATA_DIR": str(tmp_path)}
        give_own_directory(process, environment)
        given.append(Path(environment["DATA_DIR"]))
        assert (given[-1] / "static" / "base.css").read_text() == "body {}"
    assert given[0] != given[1]
    give_own_directory("gw0", {"DATA_DIR": str(tmp_path)})  # a second run in the same place


def test_this_process_works_in_its_own() -> None:
    process = os.environ.get("PYTEST_XDIST_WORKER")
    if process:
        assert Path(settings.DATA_DIR).name == process
