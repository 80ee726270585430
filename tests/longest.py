"""Prints what took a run longest, by package and by test, so that the next fat is seen."""

from collections import defaultdict
from heapq import nlargest
from operator import itemgetter
from typing import Any

import pytest

PACKAGES, TESTS = 8, 12
_seconds: defaultdict[str, float] = defaultdict(float)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _seconds[report.nodeid] += report.duration


def by_package(seconds: dict[str, float]) -> dict[str, float]:
    """Return the seconds by folder of tests."""
    packages: defaultdict[str, float] = defaultdict(float)
    for test, took in seconds.items():
        packages[test.partition("::")[0].rpartition("/")[0]] += took
    return packages


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if not _seconds:
        return
    terminalreporter.section("what took longest")
    for counted, rows in ((by_package(_seconds), PACKAGES), (_seconds, TESTS)):
        for name, took in nlargest(rows, counted.items(), key=itemgetter(1)):
            terminalreporter.write_line(f"{took:>7.1f} s  {name}")
