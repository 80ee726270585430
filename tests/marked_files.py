"""Spares a run of the tests that bear one mark the reading of all files that do not name it.

Each process of a run imports every file that it collects, which takes longer than many a test.
"""

from pathlib import Path

import pytest


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave a file of tests out of `-m MARK` where the mark's name does not stand in it."""
    mark = config.option.markexpr
    is_of_tests = collection_path.name.startswith("test_") and collection_path.suffix == ".py"
    if mark.isidentifier() and is_of_tests and mark not in collection_path.read_text("utf-8"):
        return True
    return None
