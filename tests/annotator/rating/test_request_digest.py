"""The digest of a request."""

from uuid import UUID

from annotator.rating.request_digest import rating_digest

ONE = UUID(int=1)


def test_the_order_of_scores_does_not_change_the_digest() -> None:
    assert rating_digest(ONE, {"a": 1, "b": 2}) == rating_digest(ONE, {"b": 2, "a": 1})


def test_every_part_changes_the_digest() -> None:
    seen = {
        rating_digest(ONE, {"a": 1}),
        rating_digest(UUID(int=2), {"a": 1}),
        rating_digest(ONE, {"a": 2}),
        rating_digest(ONE, {"a": 1}, "x"),
        rating_digest(ONE, {"a": 1}, "", ["x"]),
    }
    assert len(seen) == 5
