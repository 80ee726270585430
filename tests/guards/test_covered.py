"""The limits of `make coverage` name files that are there, and a package that has less is named."""

import os
import subprocess
import sys
from pathlib import Path

from coverage import CoverageData

ROOT = Path(__file__).resolve().parents[2]


def judged(data: Path, *, patterns_in: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(patterns_in / "scripts" / "covered.py")],
        cwd=ROOT,
        env={**os.environ, "COVERAGE_FILE": str(data)},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_a_package_whose_lines_were_not_all_run_is_named_and_fails(tmp_path) -> None:
    data = CoverageData(basename=str(tmp_path / "coverage"))
    # The first lines of one module; of its branches none.
    data.add_arcs({str(ROOT / "annotator" / "access" / "gate.py"): {(-1, 1), (1, 3)}})
    data.write()
    done = judged(tmp_path / "coverage")
    assert done.returncode == 1
    assert "annotator/access/gate.py" in done.stdout
    assert "less than promised: permissions" in done.stderr


def test_a_pattern_that_meets_no_file_is_refused(tmp_path) -> None:
    (tmp_path / "scripts").mkdir()
    copy = tmp_path / "scripts" / "covered.py"
    copy.write_bytes((ROOT / "scripts" / "covered.py").read_bytes())
    CoverageData(basename=str(tmp_path / "coverage")).write()
    done = judged(tmp_path / "coverage", patterns_in=tmp_path)
    assert done.returncode == 1
    assert "no file is annotator/access/matrix.py: name its new place in covered.py" in done.stderr


def test_every_pattern_of_the_limits_meets_a_file(tmp_path) -> None:
    CoverageData(basename=str(tmp_path / "coverage")).write()
    assert "no file is" not in judged(tmp_path / "coverage").stderr
