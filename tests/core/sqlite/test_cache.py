import pytest
from django.db import DatabaseError, connection, transaction

from annotator.campaigns.services import create_campaign
from annotator.formats.references import BATCH, ReferenceRecord
from annotator.imports.claims import services as claims_services
from annotator.models import Campaign
from core.sqlite.cache import LARGE_KIB, growing_cache

pytestmark = pytest.mark.django_db
on_sqlite = pytest.mark.skipif(connection.vendor != "sqlite", reason="asks SQLite about itself")


@pytest.fixture
def campaign() -> Campaign:
    return create_campaign(slug="cups")


def cache_size() -> int:
    connection.ensure_connection()
    size: int = connection.connection.execute("PRAGMA cache_size").fetchone()[0]
    return size


@on_sqlite
def test_the_cache_is_large_for_one_write_and_small_again_after_it() -> None:
    before = cache_size()
    with growing_cache() as grow:
        assert cache_size() == before
        grow()
        assert cache_size() == -LARGE_KIB
    assert cache_size() == before != -LARGE_KIB


@on_sqlite
def test_the_cache_is_small_again_after_a_write_that_broke_its_transaction() -> None:
    before = cache_size()

    def write() -> None:
        with growing_cache() as grow, transaction.atomic(savepoint=False):
            grow()
            connection.cursor().execute("SELECT no_such_function()")

    with pytest.raises(DatabaseError, match="no_such_function"), transaction.atomic():
        write()
    assert cache_size() == before != -LARGE_KIB


@on_sqlite
def test_a_large_import_of_claims_has_the_large_cache(campaign, monkeypatch) -> None:
    monkeypatch.setattr(claims_services, "LARGE_IMPORT", BATCH + 1)
    seen = []
    records = (ReferenceRecord(f"r{n}", "1. A cup.", ()) for n in range(2 * BATCH))
    claims_services.import_claims(
        campaign=campaign, records=records, progress=lambda done: seen.append((done, cache_size()))
    )
    small = cache_size()
    assert small != -LARGE_KIB
    assert seen == [(BATCH, small), (2 * BATCH, -LARGE_KIB)]


def test_any_database_can_be_written_to_meanwhile(campaign) -> None:
    with growing_cache() as grow:
        grow()
        Campaign.objects.filter(pk=campaign.pk).update(name="Another name")
    assert Campaign.objects.get(pk=campaign.pk).name == "Another name"
