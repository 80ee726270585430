"""Two campaigns in which every text is a mark, and everybody who could look at them."""

import logging
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any, Final

import pytest
from django.db import connection
from django.test import Client, override_settings
from pytest_django.plugin import DjangoDbBlocker

from annotator.accounts.sessions import create_token
from annotator.models import AuditEvent, Membership, Role, User
from annotator.reliability.services import carry_out_reliability, request_reliability
from tests.guards.blindness.hook_rows import HOST
from tests.guards.blindness.marks import ELSEWHERE, HERE, Marks
from tests.guards.blindness.people import Visitor, person, visitors
from tests.guards.blindness.secrets_of import elsewhere, secrets_of
from tests.guards.blindness.states import Scenario, furnish
from tests.held import held

# A heartbeat has a connection of its own, which does not see what this transaction has made.
LONG: Final = 600


@dataclass(frozen=True, slots=True)
class World:
    """The campaign that is crawled, the other one, and who visits."""

    state: str
    here: Scenario
    other: Scenario
    visitors: tuple[Visitor, ...]
    marks: Marks

    def visitor(self, name: str) -> Visitor:
        return next(one for one in self.visitors if one.name == name)


@pytest.fixture(autouse=True)
def quick(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quick_passwords: None
) -> None:
    """Sign quickly, keep files apart, and log none of thousands of refusals."""
    monkeypatch.setattr(logging.getLogger("django.request"), "disabled", True)
    settings.DATA_DIR = tmp_path
    settings.JOB_LEASE_SECONDS = LONG
    settings.WEBHOOK_HOSTS = [HOST]
    # Mails are queued; no worker is there to send any.
    settings.EMAIL_HOST, settings.SITE_URL = "127.0.0.1", "https://claims.example.org"


def seal_at_once() -> None:
    """Let the pages of the trail show what this transaction did: it never commits."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"SET CONSTRAINTS {AuditEvent._meta.db_table}_seal IMMEDIATE")


@pytest.fixture(scope="module")
def furnished(
    request: pytest.FixtureRequest,
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[World, Path]]:
    """Build the state that tests of a module name; the other campaign has been through all."""
    directory = tmp_path_factory.mktemp("world")
    with held(django_db_blocker, directory), override_settings(JOB_LEASE_SECONDS=LONG):
        seal_at_once()
        world = _world(request.param)
        connection.check_constraints()
        seal_at_once()
        yield world, directory


def _world(state: str) -> World:
    other = furnish(ELSEWHERE, "ruled")
    Client().force_login(other.people["one"])
    create_token(user=other.people["one"])
    here = furnish(HERE, state)
    if state == "closed":
        # The pages of figures have something to show; names and own results are for afterwards.
        carry_out_reliability(request_reliability(campaign=here.campaign).pk)
    outsider = person(ELSEWHERE, "outsider")
    Membership.objects.bulk_create(
        Membership(user=outsider, campaign=other.campaign, role=role) for role in Role.values
    )
    boss = person("zqboss", "")
    User.objects.filter(pk=boss.pk).update(is_superuser=True)
    people = here.people | {"outsider": outsider, "boss": User.objects.get(pk=boss.pk)}
    facts = secrets_of(here) | {"elsewhere": elsewhere(other), "outsider.pk": [outsider.pk]}
    facts["boss"] = [boss.username, boss.pk]
    return World(state, here, other, visitors(people), Marks(facts))


@pytest.fixture
def world(furnished: tuple[World, Path], db: None, settings: Any) -> Iterator[World]:
    """Give the test a world of its own: what it does to its rows and to its visitors is undone."""
    world, settings.DATA_DIR = furnished
    cookies = [one.client.cookies.copy() for one in world.visitors]
    yield replace(world, here=deepcopy(world.here), other=deepcopy(world.other))
    for visitor, header in zip(world.visitors, cookies, strict=True):
        visitor.client.cookies = SimpleCookie(header)
