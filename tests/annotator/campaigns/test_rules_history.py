"""The conflict rules that a campaign has had."""

import pytest
from django.template.loader import render_to_string
from django.utils import timezone

from annotator.campaigns.queries import rules_history
from annotator.models import RulesVersion

pytestmark = pytest.mark.postgres


@pytest.fixture
def versions(cast) -> None:
    """Record three versions, the second of which holds."""
    RulesVersion.objects.filter(campaign=cast.campaign).delete()
    for number, gap in ((1, 22), (2, 17), (3, 5)):
        RulesVersion.objects.create(
            campaign=cast.campaign,
            number=number,
            criterion_gap=number + 1,
            overall_gap_numerator=gap,
            flip_gap_numerator=11,
            has_ladder=number == 2,
            made_at=timezone.now(),
            made_by=cast.ada if number == 2 else None,
        )
    cast.campaign.rules_version = 2


@pytest.mark.usefixtures("versions")
def test_versions_stand_newest_first_with_gaps_in_points(cast) -> None:
    found = rules_history(cast.campaign)
    assert [row.number for row in found] == [3, 2, 1]
    assert [row.overall_gap for row in found] == ["0.45", "1.54", "2.00"]
    assert [row.is_current for row in found] == [False, True, False]
    assert [row.made_by for row in found] == ["", "ada", ""]
    assert rules_history(cast.elsewhere) == ()


@pytest.mark.usefixtures("versions")
def test_the_list_says_who_set_what_and_what_holds(cast) -> None:
    html = render_to_string(
        "annotator/campaigns/_rules_history.html", {"history": rules_history(cast.campaign)}
    )
    assert html.count("<tr>") == 4
    assert html.count(">holds<") == 1
    assert "a further annotator first" in html
    assert "ada" in html and "the system" in html
