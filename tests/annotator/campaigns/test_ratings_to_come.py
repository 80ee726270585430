"""A conflict waits for the ratings that are planned, and is ruled once they are in or given up."""

from dataclasses import replace

import pytest

from annotator.adjudication.rounds import ASKED_SENTENCE, call_back, take_turn
from annotator.campaigns.services import change_rules, close_campaign, reopen_campaign
from annotator.models import Candidate, User
from core.errors import OutOfDate
from tests.annotator.adjudication.discrepant import (
    HIGH,
    disagree,
    leave_campaign,
    member,
    of,
    statuses,
)
from tests.annotator.adjudication.rulings import decide
from tests.annotator.campaigns.test_campaigns import rules_of
from tests.conftest import spread

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db,
    pytest.mark.usefixtures("quick_passwords"),
]


@pytest.fixture
def two_of_three(cast, carol) -> Candidate:
    """A candidate in conflict by two ratings, of which a third is planned."""
    member(cast, "erin")
    spread(cast.campaign, 3)
    return disagree(cast)


def test_two_of_three_ratings_are_neither_taken_nor_ruled_on(two_of_three, carol) -> None:
    assert statuses(two_of_three) == {"waiting"}
    with pytest.raises(OutOfDate, match=ASKED_SENTENCE[:30]):
        take_turn(conflict_id=of(two_of_three).pk, adjudicator=carol)
    with pytest.raises(OutOfDate, match=ASKED_SENTENCE[:30]):
        decide(of(two_of_three), carol)


def test_the_last_planned_rating_opens_it(cast, two_of_three, carol) -> None:
    erin = User.objects.get(username="erin")
    cast.submit(cast.assign(erin, two_of_three.reference)[0], HIGH)
    assert statuses(two_of_three) == {"open"}
    decide(of(two_of_three), carol)
    assert statuses(two_of_three) == {"ruled"}


def test_who_waits_no_longer_says_so_first(two_of_three, carol) -> None:
    call_back(conflict_id=of(two_of_three).pk, adjudicator=carol)
    assert statuses(two_of_three) == {"open"}
    decide(of(two_of_three), carol)
    assert statuses(two_of_three) == {"ruled"}


def test_an_overlap_that_is_full_now_opens_it_and_a_wider_one_has_it_wait(
    cast, two_of_three
) -> None:
    cast.campaign.refresh_from_db()
    rules = rules_of(cast.campaign)
    for overlap, status in ((2, "open"), (3, "waiting")):
        changed = replace(rules, overlap=overlap)
        change_rules(campaign=cast.campaign, rules=changed, changed_by=cast.ada)
        assert statuses(two_of_three) == {status}


def test_a_closed_campaign_awaits_nobody(cast, two_of_three) -> None:
    close_campaign(campaign=cast.campaign, reason="done", closed_by=cast.ada)
    assert statuses(two_of_three) == {"open"}
    reopen_campaign(campaign=cast.campaign, reason="not yet", reopened_by=cast.ada)
    assert statuses(two_of_three) == {"waiting"}


def test_where_nobody_could_rate_it_any_more_nothing_is_awaited(cast, carol) -> None:
    spread(cast.campaign, 3)
    erin = member(cast, "erin")
    leave_campaign(erin, cast)
    assert statuses(disagree(cast)) == {"open"}
