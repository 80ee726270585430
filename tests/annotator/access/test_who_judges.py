"""Who judges in an open campaign is known by role or by work, at any size of the site."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotator.access.visibility import judges_in, judges_meanwhile
from annotator.models import Assignment, Campaign, CampaignStatus

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def test_a_role_or_an_assignment_makes_somebody_a_judge_while_the_campaign_is_open(cast) -> None:
    cast.assign(cast.rita, cast.reference())
    judges = [
        who for who in ("alice", "bob", "carol", "rita", "ada") if judges_meanwhile(vars(cast)[who])
    ]
    assert judges == ["alice", "bob", "carol", "rita"]
    assert judges_in(cast.campaign, cast.rita)
    assert not judges_in(cast.elsewhere, cast.rita)
    Campaign.objects.filter(pk=cast.campaign.pk).update(status=CampaignStatus.CLOSED)
    assert not any(judges_meanwhile(who) for who in (cast.alice, cast.carol, cast.rita))
    assert judges_meanwhile(cast.mallory)


def test_assignments_of_others_are_not_read_to_know_it(cast) -> None:
    cast.assign(cast.alice, cast.reference())
    with CaptureQueriesContext(connection) as asked:
        judges_meanwhile(cast.ada)
    (statement,) = (query["sql"] for query in asked.captured_queries)
    table = Assignment._meta.db_table
    # Asked apart, by person: a join would read those of the whole site.
    assert f'JOIN "{table}"' not in statement
    assert f'"{table}"' in statement or f"{table} U0" in statement
