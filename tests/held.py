"""What is furnished once for the tests of a module, each of which undoes what it did itself.

To furnish a campaign takes seconds. A fixture of a module does so inside `held`; a fixture of a
test that asks for it and for `db` gives it to the test, whose transaction is then one inside it.
Tests of such a module find its rows beside their own.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import transaction
from django.test import override_settings
from pytest_django.plugin import DjangoDbBlocker

QUICK = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@contextmanager
def held(blocker: DjangoDbBlocker, directory: Path) -> Iterator[None]:
    """Leave what is stored inside until the tests of the module have ended, and undo it then."""
    with blocker.unblock(), transaction.atomic():
        # As the tests have it: signed quickly, with files kept apart.
        with override_settings(DATA_DIR=directory, PASSWORD_HASHERS=QUICK):
            yield
        transaction.set_rollback(True)
