"""What is written while one reads is not read, and nobody who writes waits for it."""

from threading import Thread

import pytest
from django.db import DatabaseError, connection, transaction

from annotator.models import Campaign
from core.database import one_moment

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def add_elsewhere(slug: str) -> None:
    """Add a campaign over another connection, and come back once it is stored."""

    def add() -> None:
        try:
            Campaign.objects.create(slug=slug, name=slug)
        finally:
            connection.close()

    thread = Thread(target=add)
    thread.start()
    thread.join(timeout=15)
    assert not thread.is_alive(), "the writer waits for the reader"


def slugs() -> list[str]:
    return sorted(Campaign.objects.values_list("slug", flat=True))


def test_what_is_written_meanwhile_is_seen_afterwards_only() -> None:
    add_elsewhere("before")
    with one_moment():
        assert slugs() == ["before"]
        add_elsewhere("meanwhile")
        assert slugs() == ["before"]
    assert slugs() == ["before", "meanwhile"]


def test_a_cursor_goes_on_as_of_its_beginning() -> None:
    for number in range(300):
        Campaign.objects.create(slug=f"c{number:03}", name="c")
    with one_moment():
        rows = Campaign.objects.order_by("slug").values_list("slug", flat=True).iterator(100)
        first = next(rows)
        add_elsewhere("zz")
        assert [first, *rows] == [f"c{number:03}" for number in range(300)]


def test_a_failure_inside_leaves_a_connection_that_writes() -> None:
    with pytest.raises(Campaign.DoesNotExist), one_moment():
        Campaign.objects.get(slug="none")
    Campaign.objects.create(slug="after", name="after")
    assert slugs() == ["after"]


def test_inside_a_transaction_it_is_part_of_that_one() -> None:
    with transaction.atomic():
        Campaign.objects.create(slug="own", name="own")
        with one_moment():
            assert slugs() == ["own"]


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no such promise")
def test_postgresql_refuses_to_write_in_it() -> None:
    with pytest.raises(DatabaseError, match="read-only"), one_moment():
        Campaign.objects.create(slug="no", name="no")
