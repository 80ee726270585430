"""The list of reports tells what was asked and found, and to whom."""

from typing import Any

import pytest

from scoring.models import DatasetVersion
from scoring.reports.queries import finished_reports, listed_reports, reported_datasets
from tests.scoring.conftest import of_campaign  # noqa: F401
from tests.scoring.report_documents import old_document, report_document
from tests.scoring.report_rows import stored

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def test_a_line_shows_the_verdict_or_how_far_the_report_is(
    cast: Any,
    of_campaign: DatasetVersion,  # noqa: F811
) -> None:
    stored(of_campaign, report_document())
    stored(of_campaign, old_document())
    stored(of_campaign, None)
    told = [line.verdict for line in listed_reports(cast.rita)]
    assert sorted(told) == sorted(
        ["rouge-l is better than every other scorer.", "", "Waiting for a worker."]
    )
    assert len(finished_reports(cast.rita)) == 2


def test_many_scorers_are_cut_and_models_go_by_the_first_digits_of_their_ids(
    cast: Any,
    of_campaign: DatasetVersion,  # noqa: F811
) -> None:
    row = stored(of_campaign, None)
    row.scorers = ["model:12345678-aaaa", *(f"m{n}" for n in range(7))]
    row.save()
    (line,) = listed_reports(cast.rita)
    assert line.scorers == "model:12345678, m0, m1, m2, m3, m4 and 2 more"


def test_datasets_of_others_are_not_in_the_filter(
    cast: Any,
    of_campaign: DatasetVersion,  # noqa: F811
) -> None:
    stored(of_campaign, report_document())
    assert reported_datasets(cast.rita) == ["cups.tiny"]
    assert reported_datasets(cast.mallory) == []
    assert listed_reports(cast.mallory) == ()
