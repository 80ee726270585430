"""A furnished campaign, everybody signed in, and a tally of what was thrown at it."""

import logging
from collections.abc import Callable, Iterator
from copy import deepcopy
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from pytest_django.plugin import DjangoDbBlocker

from scoring.datasets.freezing.imports import import_dataset
from scoring.models import DatasetVersion
from scoring.quadruplets import SplitPlan
from tests.bad_input.scenes import Scene
from tests.conftest import signed_in
from tests.counted_inputs import PROPERTY
from tests.guards.blindness.people import ROLES
from tests.guards.blindness.states import furnish
from tests.held import held
from tests.scoring.conftest import data_directory, dataset_rows
from tests.soak.tally import tally

__all__ = ["data_directory", "tally"]
Tried = Callable[[str, int], None]


@pytest.fixture
def tried(record_property: Callable[[str, Any], None]) -> Tried:
    """Give a function that counts bad inputs of a surface for the summary of the run."""

    def count(surface: str, number: int) -> None:
        assert number
        record_property(PROPERTY, [surface, number])

    return count


@pytest.fixture(scope="module")
def furnished(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: Any
) -> Iterator[tuple[Scene, Path]]:
    """Furnish a campaign with an open conflict that is taken, once for the tests of a module."""
    directory = tmp_path_factory.mktemp("scene")
    with held(django_db_blocker, directory):
        scenario = furnish("zqhere", "taken")
        clients = {who: signed_in(scenario.people[who]) for who in ROLES}
        connection.check_constraints()
        yield Scene(scenario, clients), directory


@pytest.fixture
def scene(
    furnished: tuple[Scene, Path],
    db: None,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
    quick_passwords: None,
) -> Iterator[Scene]:
    """Give the campaign, and a client for each role; log none of thousands of refusals."""
    monkeypatch.setattr(logging.getLogger("django.request"), "disabled", True)
    scene, settings.DATA_DIR = furnished
    cookies = {who: client.cookies.copy() for who, client in scene.clients.items()}
    yield Scene(deepcopy(scene.scenario), scene.clients)
    for who, client in scene.clients.items():
        client.cookies = SimpleCookie(cookies[who])


@pytest.fixture
def version(cast: Any, data_directory: Path) -> DatasetVersion:
    return import_dataset(
        name="tiny", rows=dataset_rows(), plan=SplitPlan("file"), campaign=cast.campaign
    ).version
