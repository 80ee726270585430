"""A plugin of pytest that writes what came of each promise to a file, one JSON line a test.

SOAK_RECORD=FILE pytest -p tests.soak.recorder -m promise
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.soak.tally import PROPERTY


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give each report the promise of its test."""
    for item in items:
        mark = item.get_closest_marker("promise")
        if mark:
            item.user_properties.append(("promise", mark.args[0]))
            is_planted = "found_out" in item.name or bool(mark.kwargs.get("planted"))
            item.user_properties.append(("planted", is_planted))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Write one line a test, with the seconds of its preparation and its end."""
    properties = dict(report.user_properties)
    # A worker hands its reports on: the process above it writes them all.
    if "promise" in properties and "PYTEST_XDIST_WORKER" not in os.environ:
        line = _line(report, properties)
        with Path(os.environ["SOAK_RECORD"]).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def _line(report: pytest.TestReport, properties: dict[str, Any]) -> dict[str, Any]:
    tally = properties.get(PROPERTY)
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
    counts = tally if tally and report.when == "call" else {}
    return {
        "promise": properties["promise"],
        "planted": properties["planted"],
        "test": report.nodeid,
        "when": report.when,
        "outcome": report.outcome,
        "reason": reason.removeprefix("Skipped: "),
        "seconds": round(report.duration, 1),
        **counts,
    }
