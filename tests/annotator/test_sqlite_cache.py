"""How much memory one large write may use on SQLite."""

from collections.abc import Iterator

import pytest
from django.db import DatabaseError, connection, transaction

from annotator.formats.reference_records import ReferenceRecord
from annotator.models import Campaign
from annotator.services.campaigns import create_campaign
from annotator.services.claim_import import import_claims
from annotator.sqlite.cache import ROOMY_KIB, roomy_cache

pytestmark = [pytest.mark.embedded, pytest.mark.django_db]
on_sqlite = pytest.mark.skipif(connection.vendor != "sqlite", reason="asks SQLite about itself")


@pytest.fixture
def campaign() -> Campaign:
    return create_campaign(slug="room")


def kept_pages() -> int:
    connection.ensure_connection()
    size: int = connection.connection.execute("PRAGMA cache_size").fetchone()[0]
    return size


@on_sqlite
def test_the_cache_is_large_for_one_write_and_small_again_after_it() -> None:
    before = kept_pages()
    with roomy_cache():
        assert kept_pages() == -ROOMY_KIB
    assert kept_pages() == before != -ROOMY_KIB


@on_sqlite
def test_the_cache_is_small_again_after_a_write_that_broke_its_transaction() -> None:
    before = kept_pages()
    with (
        pytest.raises(DatabaseError, match="no_such_function"),
        transaction.atomic(),
        roomy_cache(),
        transaction.atomic(savepoint=False),
        connection.cursor() as cursor,
    ):
        cursor.execute("SELECT no_such_function()")
    assert kept_pages() == before != -ROOMY_KIB


@on_sqlite
def test_an_import_of_claims_has_the_large_cache(campaign: Campaign) -> None:
    seen: list[int] = []

    def records() -> Iterator[ReferenceRecord]:
        seen.append(kept_pages())
        yield from ()

    import_claims(campaign=campaign, records=records())
    assert seen == [-ROOMY_KIB]


def test_any_database_can_be_written_to_meanwhile(campaign: Campaign) -> None:
    with roomy_cache():
        Campaign.objects.filter(pk=campaign.pk).update(name="Another name")
    assert Campaign.objects.get(pk=campaign.pk).name == "Another name"
