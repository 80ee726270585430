"""What came of a test is written once, by the process that gets all reports."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.soak.recorder import pytest_runtest_logreport
from tests.soak.tally import PROPERTY


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the file to which this process writes, as one that hands nothing on."""
    path = tmp_path / "record.jsonl"
    monkeypatch.setenv("SOAK_RECORD", str(path))
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    return path


def report_a_test(**properties: object) -> None:
    how: dict[str, Any] = {"duration": 1.26, "user_properties": list(properties.items())}
    report = pytest.TestReport("a::b", ("a", 1, "b"), {}, "passed", None, "call", **how)
    pytest_runtest_logreport(report)


def test_what_came_of_a_promise_is_a_line(record: Path) -> None:
    counts = {"tried": {"submits": 5}, "found": {"lost": 0}}
    report_a_test(promise="P1", planted=False, **{PROPERTY: counts})
    expected = {"promise": "P1", "planted": False, "test": "a::b", "when": "call"}
    expected |= {"outcome": "passed", "reason": "", "seconds": 1.3}
    assert json.loads(record.read_text()) == expected | counts


def test_a_process_that_hands_its_reports_on_writes_none(
    record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw0")
    report_a_test(promise="P1", planted=False)
    assert not record.exists()


def test_a_test_of_no_promise_is_no_line(record: Path) -> None:
    report_a_test()
    assert not record.exists()
