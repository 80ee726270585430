"""Between tests the database is emptied beside nobody."""

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from annotator.models import User
from tests import emptied
from tests.conftest import make_user

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time"),
]
PATIENCE = 20


def empty() -> None:
    call_command("flush", verbosity=0, interactive=False)


def test_what_is_being_written_meanwhile_is_emptied_too() -> None:
    is_begun = Event()

    def write() -> None:
        try:
            with transaction.atomic():
                make_user("late")
                is_begun.set()
                # A flush that did not wait would not see the row, and be over by now.
                time.sleep(0.5)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(write)
        assert is_begun.wait(PATIENCE)
        empty()
        done.result()
    assert not User.objects.exists()


def test_who_does_not_come_to_an_end_is_named(monkeypatch) -> None:
    monkeypatch.setattr(emptied, "LONGEST_WAIT_SECONDS", 0.1)
    is_begun, may_end = Event(), Event()

    def linger() -> None:
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SELECT 'lingering'")
                is_begun.set()
                may_end.wait(PATIENCE)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(linger)
        assert is_begun.wait(PATIENCE)
        with pytest.raises(CommandError) as caught:
            empty()
        may_end.set()
    assert "SELECT 'lingering'" in str(caught.value.__cause__)
