"""What took longest is printed by package and by test."""

from collections import defaultdict
from types import SimpleNamespace
from typing import Any

from tests import longest


def test_the_longest_come_first_and_a_package_takes_what_its_tests_take(monkeypatch) -> None:
    monkeypatch.setattr(longest, "_seconds", defaultdict(float))
    for test, took in (
        ("a/b/test_x.py::one", 1.0),
        ("a/b/test_y.py::two", 2.0),
        ("a/c/test_z.py::z", 2.5),
    ):
        for _ in ("setup", "call"):
            report: Any = SimpleNamespace(nodeid=test, duration=took)
            longest.pytest_runtest_logreport(report)
    lines: list[str] = []
    longest.pytest_terminal_summary(SimpleNamespace(section=lines.append, write_line=lines.append))
    assert [line.split() for line in lines[1:]] == [
        ["6.0", "s", "a/b"],
        ["5.0", "s", "a/c"],
        ["5.0", "s", "a/c/test_z.py::z"],
        ["4.0", "s", "a/b/test_y.py::two"],
        ["2.0", "s", "a/b/test_x.py::one"],
    ]


def test_a_run_of_nothing_says_nothing(monkeypatch) -> None:
    monkeypatch.setattr(longest, "_seconds", defaultdict(float))
    longest.pytest_terminal_summary(None)
