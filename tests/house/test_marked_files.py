"""A run of one mark's tests reads the files that name the mark, and leaves no test of it out."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.marked_files import pytest_ignore_collect

TESTS = Path(__file__).parents[1]
MARKED = "@pytest.mark.embedded\ndef test_it(): ...\n"


def asked_for(mark: str) -> Any:
    return SimpleNamespace(option=SimpleNamespace(markexpr=mark))


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Give a file of tests with the mark `embedded`, and one without."""
    marked, bare = tmp_path / "test_marked.py", tmp_path / "test_bare.py"
    marked.write_text(MARKED)
    bare.write_text("def test_it(): ...\n")
    return marked, bare


def test_a_file_that_does_not_name_the_mark_is_left_out(files: tuple[Path, Path]) -> None:
    assert [pytest_ignore_collect(path, asked_for("embedded")) for path in files] == [None, True]


@pytest.mark.parametrize("mark", ["", "not slow", "embedded or browser"])
def test_a_run_of_other_tests_reads_every_file(files: tuple[Path, Path], mark: str) -> None:
    assert [pytest_ignore_collect(path, asked_for(mark)) for path in files] == [None, None]


def test_folders_and_what_tests_share_are_never_left_out(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "conftest.py", tmp_path / "harness.py"):
        assert pytest_ignore_collect(path, asked_for("embedded")) is None


def test_marks_stand_in_the_files_of_their_tests() -> None:
    """A mark that another file gives, and a list of marks that one imports, would be missed."""
    shared = [path for path in TESTS.rglob("*.py") if not path.name.startswith("test_")]
    giving = [path for path in shared if "add_marker(" in path.read_text("utf-8")]
    named = [path for path in shared if "pytest.mark." in path.read_text("utf-8")]
    assert (giving, named) == ([], [])
