import json
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.db.models import Model

from annotator.models import Campaign, Draft, RulesVersion
from annotator.operations.backups.tables import (
    applied_migrations,
    columns_of,
    go_on_counting,
    known_migrations,
    lines_of,
    load_lines,
    models_after,
    plain_digest_of,
)
from core.errors import Refused

pytestmark = pytest.mark.django_db


def model_of(name: str) -> type[Model]:
    (found,) = [m for m in models_after(applied_migrations()) if m._meta.model_name == name]
    return found


def test_the_migrations_of_a_database_that_is_up_to_date_are_those_of_the_code() -> None:
    assert set(applied_migrations()) == known_migrations()


def test_every_table_but_what_ends_with_the_machine_has_its_rows_in_a_backup() -> None:
    found = {model._meta.db_table for model in models_after(applied_migrations())}
    there = set(connection.introspection.table_names())
    assert there - found == {
        "django_migrations",
        *("django_session", "annotator_browsersession"),
        *("annotator_presence", "annotator_usedpace", "annotator_delivery"),
        "annotator_passwordreset",
    }


def test_rows_come_back_to_the_last_microsecond_and_digit(cast: Any) -> None:
    (row,) = cast.assign(cast.alice, cast.reference("r1", 1))
    typed = {"comment": "\u2028 \U0001f600 e\u0301", "z": [1, 5.0, -0.0, 1e-7, None, True], "a": {}}
    at = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
    Draft.objects.create(assignment=row, typed=typed, saved_at=at)
    model = model_of("draft")
    before, lines = plain_digest_of(model), list(lines_of(model))
    assert len(lines) == 1
    Draft.objects.all().delete()
    load_lines(model, columns_of(model), lines)
    assert plain_digest_of(model) == before
    found = Draft.objects.get()
    assert (found.typed, found.saved_at) == (typed, at)


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL stores no such text")
def test_a_row_that_cannot_be_written_is_named(cast: Any) -> None:
    (row,) = cast.assign(cast.alice, cast.reference("r1", 1))
    typed, at = {"comment": "half \ud800"}, datetime(2026, 1, 2, tzinfo=UTC)
    draft = Draft.objects.create(assignment=row, typed=typed, saved_at=at)
    with pytest.raises(Refused, match=f"row {draft.pk} of annotator_draft contains text") as caught:
        list(lines_of(model_of("draft")))
    assert "half" not in caught.value.sentence


def test_a_time_that_new_rows_get_by_themselves_stays_that_of_the_row(cast: Any) -> None:
    model = model_of("assignment")
    cast.assign(cast.alice, cast.reference("r1", 2))
    lines = [line.replace(b'"2026-', b'"1926-') for line in lines_of(model)]
    cast.campaign.assignments.all().delete()
    load_lines(model, columns_of(model), lines)
    assert {row.created_at.year for row in cast.campaign.assignments.all()} == {1926}


def test_rows_that_come_after_a_restore_get_numbers_of_their_own() -> None:
    model = model_of("rulesversion")
    campaign = Campaign.objects.create(slug="x", name="x")
    gaps = {"criterion_gap": 3, "overall_gap_numerator": 1, "flip_gap_numerator": 1}
    values = {"id": 900, "campaign_id": str(campaign.pk), "number": 1, "has_ladder": False} | gaps
    values |= {"made_at": "2026-01-01T00:00:00+00:00", "made_by_id": None}
    line = json.dumps([values[name] for name in columns_of(model)]).encode()
    load_lines(model, columns_of(model), [line])
    go_on_counting([model])
    added = RulesVersion.objects.create(
        **{name: value for name, value in values.items() if name != "id"} | {"number": 2}
    )
    assert added.pk == 901
