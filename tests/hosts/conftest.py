"""Installations of three hosts."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.installation import Installation

Install = Callable[..., Installation]


@pytest.fixture
def install(transactional_db: None, tmp_path: Path, settings: Any) -> Iterator[Install]:
    """Give a function that starts an installation that shares a bucket."""
    started: list[Installation] = []
    # This process is no host: nothing of theirs is to lie with it.
    settings.DATA_DIR = tmp_path / "nobody"
    settings.DATA_DIR.mkdir()

    def start(bucket: Mapping[str, str]) -> Installation:
        found = Installation(tmp_path, bucket)
        started.append(found)
        found.start()
        return found

    yield start
    for one in started:
        one.end()
