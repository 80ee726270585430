"""The page of error tags: whom it shows what, when, and its file."""

import csv
from io import StringIO

import pytest

from annotator.campaigns.services import close_campaign
from annotator.models import Candidate, Purpose, Rating
from annotator.typology import CLAIM_TAGS
from tests.conftest import signed_in

pytestmark = pytest.mark.postgres
PAGE = "/campaigns/cups/error-tags/"
VAGUE = CLAIM_TAGS[0]


@pytest.fixture
def rated(cast) -> list[Rating]:
    """Alice rates two candidates of one reference, the first with a tag and lower."""
    first, second = cast.assign(cast.alice, cast.reference(candidates=2))
    return [
        cast.submit(first, (4, 4, 4, 4), error_tags=[{"tag": VAGUE.code}]),
        cast.submit(second, (8, 8, 8, 8)),
    ]


def test_the_page_shows_tags_with_their_loss(cast, rated) -> None:
    page = signed_in(cast.ada).get(PAGE).text
    assert "1 of 2 ratings carry one or more" in page
    assert VAGUE.name in page
    assert ">4.00<" in page
    assert "Annotator 1" in page
    assert "By system" not in page


def test_systems_stand_there_once_the_campaign_is_closed(cast, rated) -> None:
    Candidate.objects.filter(ratings__isnull=False).update(system="drafter-9")
    assert "drafter-9" not in signed_in(cast.ada).get(PAGE).text
    close_campaign(campaign=cast.campaign, reason="Done.", closed_by=cast.ada)
    assert "drafter-9" in signed_in(cast.ada).get(PAGE).text


@pytest.mark.parametrize(("who", "status"), [("rita", 200), ("alice", 403), ("mallory", 404)])
def test_nobody_else_reads_tags_while_the_campaign_is_open(cast, rated, who, status) -> None:
    answer = signed_in(getattr(cast, who)).get(PAGE)
    assert answer.status_code == status
    assert VAGUE.name not in answer.text


def test_researchers_read_them_without_names_once_it_is_closed(cast, rated) -> None:
    close_campaign(campaign=cast.campaign, reason="Done.", closed_by=cast.ada)
    page = signed_in(cast.rita).get(PAGE).text
    assert VAGUE.name in page
    # One annotator: even a pseudonym would say who it is.
    assert "By annotator" not in page


def test_hidden_repeats_and_sentinels_do_not_count(cast, rated) -> None:
    Candidate.objects.filter(pk=rated[0].candidate_id).update(purpose=Purpose.SENTINEL)
    assert "No rating carries an error tag yet." in signed_in(cast.ada).get(PAGE).text


def test_the_file_holds_every_figure_and_is_marked_confidential(cast, rated) -> None:
    answer = signed_in(cast.ada).get(PAGE, {"format": "csv"})
    assert "Confidential" in answer["Export-Notice"]
    rows = list(csv.DictReader(StringIO(answer.text)))
    assert {row["grouping"] for row in rows} == {"all", "annotator", "reference"}
    assert rows[0]["tag"] == VAGUE.code
    assert (rows[0]["tagged"], rows[0]["ratings"]) == ("1", "2")
    assert float(rows[0]["loss_overall_quality"]) == pytest.approx(4)
