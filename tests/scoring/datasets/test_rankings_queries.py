from collections.abc import Callable
from typing import Any

import pytest

from annotator.models import Campaign, CampaignStatus, Candidate
from patclaimeval.rubric import OVERALL
from scoring.access.scopes import read_rows
from scoring.datasets.versions import rankings
from scoring.datasets.versions.rankings import (
    NO_CAMPAIGN,
    NO_SYSTEMS,
    ONE_SYSTEM,
    TOO_LONG,
    TOO_MANY,
    ranking_of,
)
from scoring.models import DatasetVersion
from tests.scoring.conftest import SETTINGS

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]
KEY = "logical_linkage"


@pytest.fixture
def scenario(rated: Callable[..., Any]) -> Any:
    """Three references, all rated alike: ash above birch above cedar, but in r2 cedar is second."""
    found = rated(3).rate_all()
    found.name_systems()
    return found


def freeze(scenario: Any, seed: int = 7) -> DatasetVersion:
    frozen = scenario.freeze(**SETTINGS | {"seed": seed})
    Campaign.objects.update(status=CampaignStatus.CLOSED)
    return DatasetVersion.objects.get(pk=frozen.pk)


@pytest.fixture
def version(scenario: Any) -> DatasetVersion:
    """Frozen, and the campaign closed since."""
    return freeze(scenario)


def shares(version: DatasetVersion) -> dict[str, float]:
    found = ranking_of(version, KEY).by_comparisons
    assert found is not None
    (group,) = found["groups"]
    return {row["system"]: row["share"]["value"] for row in group["systems"]}


def test_wins_are_counted_by_system_and_not_by_candidate(version) -> None:
    # ash wins all 6; birch loses 3, beats cedar twice and loses to it once.
    assert shares(version) == pytest.approx({"ash": 1, "birch": 2 / 6, "cedar": 1 / 6})


def test_the_side_a_candidate_stands_on_does_not_matter(scenario, version) -> None:
    Campaign.objects.update(status=CampaignStatus.OPEN)
    other = freeze(scenario, seed=8)
    assert [row.b_id for row in read_rows(other)] != [row.b_id for row in read_rows(version)]
    assert shares(other) == shares(version)


def test_means_are_those_of_the_settled_ratings(version) -> None:
    for criterion in (KEY, OVERALL):
        found = ranking_of(version, criterion).by_ratings
        assert found is not None
        means = {row["system"]: row["mean"]["value"] for row in found["systems"]}
        assert means == pytest.approx({"ash": 9, "birch": 5, "cedar": 4})
        assert found["n"] == 9


def test_candidates_without_a_system_are_left_out_and_counted(version) -> None:
    Candidate.objects.filter(system="birch").update(system="")
    found = ranking_of(version, KEY)
    assert found.left_out == 6
    assert shares(version) == {"ash": 1.0, "cedar": 0.0}
    assert found.by_ratings is not None
    assert found.by_ratings["n"] == 6


def test_candidates_of_one_system_are_not_compared_with_each_other(version) -> None:
    Candidate.objects.update(system="ash")
    found = ranking_of(version, KEY)
    assert (found.by_comparisons, found.comparisons_reason, found.left_out) == (None, ONE_SYSTEM, 9)
    assert found.by_ratings is not None


def test_a_campaign_without_systems_and_an_import_say_so(version) -> None:
    Candidate.objects.update(system="")
    found = ranking_of(version, KEY)
    assert (found.comparisons_reason, found.ratings_reason) == (NO_SYSTEMS, NO_SYSTEMS)
    version.dataset.campaign = None
    assert ranking_of(version, KEY).comparisons_reason == NO_CAMPAIGN


def test_what_is_too_large_for_a_page_says_so(version, monkeypatch) -> None:
    monkeypatch.setattr(rankings, "MOST_ROWS", 8)
    found = ranking_of(version, KEY)
    assert (found.by_comparisons, found.comparisons_reason) == (None, TOO_LONG)
    assert found.by_ratings is not None
    monkeypatch.setattr(rankings, "MOST_SYSTEMS", 2)
    assert ranking_of(version, KEY).comparisons_reason == TOO_MANY


def test_an_open_campaign_is_never_ranked(version) -> None:
    Campaign.objects.update(status=CampaignStatus.OPEN)
    again = DatasetVersion.objects.get(pk=version.pk)
    with pytest.raises(AssertionError, match="hidden"):
        ranking_of(again, KEY)
