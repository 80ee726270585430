"""A preference as a file brings it, and the same one with the sides changed about."""

from datetime import UTC, datetime

from annotator.formats.label_studio import PreferenceRecord

NOW = datetime(2024, 3, 1, tzinfo=UTC)
RECORD = PreferenceRecord(
    annotation=1,
    annotator="somebody-1",
    reference_claims="1. A cup.",
    left="2. A mug.",
    right="2. A pot.",
    judgement=-1,
    created_at=NOW,
    updated_at=NOW,
    error_tags=({"tag": "vagueness", "side": "left", "start": 0, "end": 2},),
    right_comment="odd",
    other_errors=("left",),
)


def test_turning_changes_all_that_has_a_side() -> None:
    turned = RECORD.turned()
    assert (turned.left, turned.right, turned.judgement) == ("2. A pot.", "2. A mug.", 1)
    assert turned.error_tags == ({"tag": "vagueness", "side": "right", "start": 0, "end": 2},)
    assert RECORD.comment == (
        "Left: Another error of the left candidate, not described.\nRight: odd"
    )
    assert turned.comment == (
        "Left: odd\nRight: Another error of the right candidate, not described."
    )


def test_turning_twice_changes_nothing() -> None:
    assert RECORD.turned().turned() == RECORD
