"""No broker: what would be enqueued is noted."""

from typing import Any

import pytest


@pytest.fixture(autouse=True)
def enqueued(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    found: list[Any] = []
    for module in ("api", "views"):
        monkeypatch.setattr(f"annotator.reliability.{module}.enqueue_on_commit", found.append)
    return found
