"""The rows of a report: one copy of each text, and what leaks between the splits."""

from dataclasses import replace

import pytest

from core.jobs.leases import LostLease
from scoring.reports.inputs import NO_TRAINING_LABELS, labels_in_split, report_rows
from tests.faults import raising
from tests.scoring.asked_reports import CRITERION
from tests.scoring.conftest import imported

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def test_labels_are_counted_by_split_without_reading_texts(version) -> None:
    for split, count in {"train": 12, "validation": 3, "test": 3, "all": 18}.items():
        assert labels_in_split(version, CRITERION, split) == count
    assert labels_in_split(version, "overall_quality", "all") == 0


def test_a_text_of_many_rows_is_held_once(version) -> None:
    read = report_rows(version, CRITERION, "all")
    texts = [text for row in read.rows for text in (row.reference, row.b, row.c)]
    assert len(texts) == 54
    assert len({id(text.content) for text in texts}) == len({text.content for text in texts}) == 24


def test_a_split_by_reference_leaks_nothing(version) -> None:
    read = report_rows(version, CRITERION, "test")
    assert (len(read.rows), read.shared, read.shared_with) == (3, 0, ())
    assert (read.implied, read.implied_reason) == (0, "")


def test_a_test_label_that_follows_from_training_labels_is_counted(rows) -> None:
    """Of one reference two comparisons train and the third, which they imply, tests."""
    split = [replace(row, split="train" if row.y[CRITERION] else "test") for row in rows(3)]
    read = report_rows(imported("own", split), CRITERION, "test")
    # b > c and c < d say nothing of b and d; so none is implied here,
    assert (len(read.rows), read.implied) == (3, 0)
    assert (read.shared, read.shared_with) == (9, ("train",))
    turned = [replace(row, split="test" if row.id.endswith("-12") else "train") for row in rows(3)]
    # but b > c and b = d say that c < d.
    assert report_rows(imported("own", turned), CRITERION, "test").implied == 3


def test_a_report_on_all_items_leaves_no_training_label_outside(version) -> None:
    read = report_rows(version, CRITERION, "all")
    assert (read.implied, read.implied_reason) == (None, NO_TRAINING_LABELS)


def test_validation_labels_are_training_labels_of_a_report_on_the_training_items(version) -> None:
    read = report_rows(version, CRITERION, "train")
    assert (read.implied, read.implied_reason) == (0, "")


def test_contradicting_triples_are_counted(rows) -> None:
    odd = [replace(row, y={CRITERION: 1}) if row.id == "q0-12" else row for row in rows(3)]
    read = report_rows(imported("own", odd), CRITERION, "all")
    # b > c, c > d, and yet b = d.
    assert (read.triads, read.violations) == (3, 1)


def test_reading_tells_how_far_it_is_and_may_be_stopped(version) -> None:
    with pytest.raises(LostLease):
        report_rows(version, CRITERION, "all", raising(LostLease()))
