"""Where bad input is sent to: a furnished campaign that is left as it was."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.apps import apps
from django.db import connection, transaction
from django.test import Client

from annotator.access import matrix
from tests.guards.blindness.addresses import Address, addresses
from tests.guards.blindness.people import ROLES
from tests.guards.blindness.states import Scenario

# What a refusal may write: that it was refused, and that somebody asked once more.
OF_REFUSALS = {"annotator_auditevent", "annotator_auditseal", "annotator_usedpace"}


@dataclass(frozen=True, slots=True)
class Scene:
    scenario: Scenario
    clients: dict[str, Client]

    def visitors(self, route: str) -> list[str]:
        """Return who may use a route, annotators before everybody else."""
        rule = matrix.matrix()[route]
        return [who for who, role in ROLES.items() if role in rule.principals and who != "gone"]

    def addresses(self, route: str) -> list[Address]:
        return [one for one in addresses(self.scenario) if one.route == route]


def counts() -> dict[str, int]:
    """Return the number of rows of every table that a refusal must leave alone."""
    tables = [model._meta.db_table for model in apps.get_models(include_auto_created=True)]
    tables = sorted(set(tables) - OF_REFUSALS)
    quoted = [connection.ops.quote_name(name) for name in tables]
    columns = ", ".join(f"(SELECT count(*) FROM {name})" for name in quoted)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {columns}")
        return dict(zip(tables, cursor.fetchone(), strict=True))


@contextmanager
def undone() -> Iterator[None]:
    """Undo what happens inside: a value that was good after all leaves no trace."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
