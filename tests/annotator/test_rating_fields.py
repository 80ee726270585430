"""What a rating holds: one list, and the digest of a request."""

from typing import get_type_hints
from uuid import UUID

from annotator.models.ratings import Scores
from annotator.rating_values import COLUMNS, REMARKS, Given, rating_digest

ONE = UUID(int=1)


def test_the_order_of_scores_does_not_change_the_digest() -> None:
    one, other = {"scores": {"a": 1, "b": 2}}, {"scores": {"b": 2, "a": 1}}
    assert rating_digest(ONE, one) == rating_digest(ONE, other)


def test_every_part_changes_the_digest() -> None:
    given = {"scores": {"a": 1}}
    seen = {
        rating_digest(ONE, given),
        rating_digest(UUID(int=2), given),
        rating_digest(ONE, {"scores": {"a": 2}}),
        *(rating_digest(ONE, given | {name: ["x"]}) for name in REMARKS),
    }
    assert len(seen) == 3 + len(REMARKS)


def test_a_field_of_a_rating_is_declared_and_has_a_column() -> None:
    alone = {field.name for field in Scores._meta.get_fields()} ^ set(COLUMNS)
    assert not alone, f"{alone}: a rating's field is a line of rating_values.FIELDS and a column."


def test_services_take_what_an_annotator_gives() -> None:
    alone = set(get_type_hints(Given)) ^ {"scores", *REMARKS}
    assert not alone, f"{alone}: what an annotator gives stands in FIELDS and in Given."
