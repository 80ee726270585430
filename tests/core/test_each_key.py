"""Rows by one of many keys."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotator.campaigns.services import create_campaign
from annotator.formats.references import CandidateRecord, ReferenceRecord
from annotator.imports.claims.services import import_claims
from annotator.models import Campaign, Candidate, Reference
from core.database import rows_of_each

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def filled(references: int) -> Campaign:
    campaign = create_campaign(slug="cups")
    pair = (CandidateRecord("a", "1. A."), CandidateRecord("b", "1. B."))
    records = [ReferenceRecord(f"r{n}", f"1. Cup {n}.", pair) for n in range(references)]
    import_claims(campaign=campaign, records=records)
    return campaign


def test_every_row_of_each_key_comes_once() -> None:
    filled(3)
    keys = list(Reference.objects.filter(position__in=[1, 3]).values_list("pk", flat=True))
    rows = rows_of_each(
        Candidate.objects.all(), "reference_id", [*keys, keys[0]], ("reference_id", "candidate_id")
    )
    assert sorted(rows) == sorted((key, name) for key in keys for name in ("a", "b"))


def test_only_rows_of_the_query_given_come() -> None:
    campaign = filled(2)
    of_others = Reference.objects.exclude(campaign=campaign)
    assert rows_of_each(of_others, "reference_id", ["r0", "r1"], ("pk",)) == []


def test_no_key_asks_nothing() -> None:
    with CaptureQueriesContext(connection) as asked:
        assert rows_of_each(Reference.objects.all(), "reference_id", [], ("pk",)) == []
    assert len(asked) == 0


@pytest.mark.skipif(connection.vendor != "postgresql", reason="asks PostgreSQL for its plan")
def test_rows_just_written_are_found_by_their_index() -> None:
    campaign = filled(4_000)
    names = [f"r{number}" for number in range(1_000, 1_500)]
    there = Reference.objects.filter(campaign=campaign)
    with CaptureQueriesContext(connection) as asked:
        assert len(rows_of_each(there, "reference_id", names, ("pk",))) == 500
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN ANALYZE " + asked[0]["sql"].replace("%", "%%"))
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "Index" in plan
    assert "Seq Scan" not in plan
    assert "Rows Removed by Filter" not in plan
