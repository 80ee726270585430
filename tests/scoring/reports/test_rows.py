"""The rows of a report: one copy of each text, and what leaks between the splits."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from scoring.datasets.freezing.imports import import_dataset
from scoring.formats.rows import DatasetRow
from scoring.models import DatasetVersion
from scoring.quadruplets import SplitPlan
from scoring.reports.inputs import NO_TRAINING_LABELS, labels_in_split, report_rows
from tests.scoring.asked_reports import CRITERION

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]
Rows = Callable[..., list[DatasetRow]]


def stored(rows: list[DatasetRow]) -> DatasetVersion:
    found: DatasetVersion = import_dataset(name="own", rows=rows, plan=SplitPlan("file")).version
    return found


def test_labels_are_counted_by_split_without_reading_texts(version: DatasetVersion) -> None:
    counts = {
        split: labels_in_split(version, CRITERION, split)
        for split in ("train", "validation", "test", "all")
    }
    assert counts == {"train": 12, "validation": 3, "test": 3, "all": 18}
    assert labels_in_split(version, "overall_quality", "all") == 0


def test_a_text_of_many_rows_is_held_once(version: DatasetVersion) -> None:
    read = report_rows(version, CRITERION, "all")
    texts = [text for row in read.rows for text in (row.reference, row.b, row.c)]
    assert len(texts) == 54
    assert len({id(text.content) for text in texts}) == len({text.content for text in texts}) == 24


def test_a_split_by_reference_leaks_nothing(version: DatasetVersion) -> None:
    read = report_rows(version, CRITERION, "test")
    assert (len(read.rows), read.shared, read.shared_with) == (3, 0, ())
    assert (read.implied, read.implied_reason) == (0, "")


def test_a_test_label_that_follows_from_training_labels_is_counted(rows: Rows) -> None:
    """Of one reference two comparisons train and the third, which they imply, tests."""
    split = [replace(row, split="train" if row.y[CRITERION] else "test") for row in rows(3)]
    read = report_rows(stored(split), CRITERION, "test")
    # b > c and c < d say nothing of b and d; so none is implied here,
    assert (len(read.rows), read.implied) == (3, 0)
    assert (read.shared, read.shared_with) == (9, ("train",))
    turned = [replace(row, split="test" if row.id.endswith("-12") else "train") for row in rows(3)]
    # but b > c and b = d say that c < d.
    assert report_rows(stored(turned), CRITERION, "test").implied == 3


def test_all_splits_and_training_itself_imply_nothing(version: DatasetVersion) -> None:
    for split in ("all", "train"):
        read = report_rows(version, CRITERION, split)
        assert (read.implied, read.implied_reason) == (None, NO_TRAINING_LABELS)


def test_contradicting_triples_are_counted(rows: Rows) -> None:
    odd = [replace(row, y={CRITERION: 1}) if row.id == "q0-12" else row for row in rows(3)]
    read = report_rows(stored(odd), CRITERION, "all")
    # b > c, c > d, and yet b = d.
    assert (read.triads, read.violations) == (3, 1)


def test_reading_reports_how_far_it_is_and_may_be_stopped(version: DatasetVersion) -> None:
    class Stop(Exception):
        pass

    def stop(count: int) -> None:
        raise Stop

    with pytest.raises(Stop):
        report_rows(version, CRITERION, "all", stop)
