"""A furnished campaign, everybody signed in, and a tally of what was thrown at it."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.bad_input.rooms import Room
from tests.counted_inputs import PROPERTY
from tests.house.blindness.people import ROLES
from tests.house.blindness.states import furnish

Tried = Callable[[str, int], None]


@pytest.fixture
def tried(record_property: Callable[[str, Any], None]) -> Tried:
    """Give a function that counts bad inputs of a surface for the summary of the run."""

    def count(surface: str, number: int) -> None:
        assert number
        record_property(PROPERTY, [surface, number])

    return count


@pytest.fixture
def quiet(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quick_passwords: None
) -> None:
    """Sign quickly, keep files apart, and log none of thousands of refusals."""
    monkeypatch.setattr(logging.getLogger("django.request"), "disabled", True)
    settings.DATA_DIR = tmp_path


@pytest.fixture
def room(quiet: None, db: None) -> Room:
    """Give a campaign with an open conflict that is taken, and a client for each role."""
    house = furnish("zqhere", "taken")
    clients = {}
    for who in ROLES:
        clients[who] = Client()
        clients[who].force_login(house.people[who])
    return Room(house, clients)
