"""Between tests the database is emptied beside nobody."""

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from tests import emptied

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time"),
]
PATIENCE = 20


def empty() -> None:
    call_command("flush", verbosity=0, interactive=False)


def test_who_has_locked_the_last_table_and_wants_the_first_comes_to_an_end() -> None:
    first, *_, last = connection.introspection.django_table_names(
        only_existing=True, include_views=False
    )
    is_begun = Event()

    def work() -> None:
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(f"LOCK TABLE {last} IN ROW EXCLUSIVE MODE")
                is_begun.set()
                # The flush, if it did not wait, would have locked the first one by now.
                time.sleep(0.5)
                cursor.execute(f"LOCK TABLE {first} IN ROW SHARE MODE")
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(work)
        assert is_begun.wait(PATIENCE)
        empty()
        done.result()


def test_who_does_not_come_to_an_end_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
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
