"""Counts the bad inputs that a run has tried, surface by surface, and lists them at its end.

A plugin rather than a fixture file: what a process of the run has counted reaches the summary
with the reports of its tests.
"""

from collections import Counter
from typing import Any, Final

import pytest

PROPERTY: Final = "bad inputs"
_tried: Counter[str] = Counter()


def _counted(properties: list[tuple[str, Any]]) -> dict[str, int]:
    return {value[0]: value[1] for name, value in properties if name == PROPERTY}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call":
        _tried.update(_counted(report.user_properties))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if _tried:
        terminalreporter.section("bad inputs tried")
        for surface, count in sorted(_tried.items()):
            terminalreporter.write_line(f"{count:>7,}  {surface}")
        terminalreporter.write_line(f"{sum(_tried.values()):>7,}  together")
