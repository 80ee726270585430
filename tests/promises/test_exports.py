"""P11: an export is complete, or absent: whenever its process is killed, and whatever was there."""

import hashlib
import shutil
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from scoring.datasets.freezing.imports import import_dataset
from scoring.files import EXPORT_PREFIX, SUMS_NAME, digest_of
from scoring.quadruplets import SplitPlan
from tests.promises.harness import SCALE, SERVED
from tests.scoring.conftest import dataset_rows
from tests.served.programs import run_program
from tests.served.server import served_environment

pytestmark = [pytest.mark.promise("P11"), *SERVED]
# With those on the other pair of services, twenty and more.
KILLS: Final = 1 if SCALE == 1 else 10
HOW: Final = {"stored lines": (), "packed csv": ("--format", "csv", "--gzip")}


@pytest.fixture(autouse=True)
def two_versions(settings: Any, tmp_path: Path, transactional_db: None) -> Path:
    """Store two versions of one dataset; return their data directory."""
    settings.DATA_DIR = tmp_path / "data"
    first = dataset_rows()
    second = [replace(row, reference=row.reference + " It is blue.") for row in first]
    for rows in (first, second):
        import_dataset(name="tiny", rows=rows, plan=SplitPlan("file"))
    return tmp_path / "data"


def run(data: Path, directory: Path, moment: int, *arguments: str) -> tuple[int, str]:
    """Export in a process of its own; return how it ended and what it printed."""
    parameters = (str(directory), str(moment), *arguments)
    env = served_environment(DATA_DIR=str(data))
    ended = run_program("tests.promises.export_worker", *parameters, env=env)
    return ended.returncode, ended.stdout or ended.stderr


def exported(data: Path, directory: Path, *arguments: str) -> int:
    """Export without a kill; return the number of moments."""
    status, output = run(data, directory, 0, *arguments)
    assert status == 0, output
    return int(output)


def moments(last: int) -> Sequence[int]:
    """Return moments all over the work, the last two among them: there the names are given."""
    return sorted({last - 1, last} | {1 + n * last // KILLS for n in range(KILLS)})


def contents(directory: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file() and not path.name.startswith(EXPORT_PREFIX)
    }


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def has_valid_sum(path: Path) -> bool:
    stated = digest_of(path.name, (path.parent / SUMS_NAME).read_bytes())
    return stated == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("how", HOW if SCALE > 1 else ["stored lines"])
def test_a_file_killed_at_any_moment_is_absent_or_whole_with_its_sum(
    two_versions, tmp_path, how, tally
) -> None:
    wholes = []
    for number in (1, 2):
        (tmp_path / f"whole-{number}").mkdir()
        target = tmp_path / f"whole-{number}" / "out"
        arguments = (f"tiny@{number}", *HOW[how], "--output", str(target))
        last = exported(two_versions, target.parent, *arguments)
        wholes.append(target.read_bytes())
    assert wholes[0] != wholes[1]
    tally.tried(kills=len(moments(last)))
    for moment in moments(last):
        # Over an export that stood there before.
        directory = shutil.copytree(tmp_path / "whole-1", tmp_path / f"killed-{moment}")
        target = directory / "out"
        arguments = ("tiny@2", *HOW[how], "--output", str(target))
        status, output = run(two_versions, directory, moment, *arguments)
        assert status == -signal.SIGKILL, (moment, output)
        if target.exists():
            assert target.read_bytes() in wholes, moment
            assert has_valid_sum(target), moment
        exported(two_versions, directory, *arguments)
        assert target.read_bytes() == wholes[1]
        assert has_valid_sum(target)
        assert has_valid_sum(directory / "out.card.json")
        assert names(directory) == [SUMS_NAME, "out", "out.card.json"]


def test_a_release_killed_at_any_moment_is_absent_or_whole(two_versions, tmp_path, tally) -> None:
    whole = tmp_path / "whole" / "release"
    whole.parent.mkdir()
    last = exported(two_versions, whole.parent, "tiny@2", "--release", str(whole))
    assert len(contents(whole)) == 7
    tally.tried(kills=len(moments(last)))
    for moment in moments(last):
        target = tmp_path / f"killed-{moment}" / "release"
        target.parent.mkdir()
        arguments = ("tiny@2", "--release", str(target))
        status, output = run(two_versions, target.parent, moment, *arguments)
        assert status == -signal.SIGKILL, (moment, output)
        if target.exists():
            assert contents(target) == contents(whole), moment
        another = target.with_name("another")
        exported(two_versions, target.parent, *arguments[:2], str(another))
        assert contents(another) == contents(whole)
        assert set(names(target.parent)) <= {"another", "release"}
