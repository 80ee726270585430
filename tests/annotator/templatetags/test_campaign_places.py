import re

import pytest
from django.urls import reverse

from annotator.templatetags.campaign_places import DAILY, MORE

OF_CAMPAIGN = [route for _, route, _ in (*DAILY, *MORE)]


def menu(admin, route: str) -> str:
    """Return the navigation of the campaign on one of its pages."""
    named = route if ":" in route else f"annotator:{route}"
    html = admin.get(reverse(named, args=["cups"])).content.decode()
    return html[(start := html.index('class="campaign-places"')) : html.index("</nav>", start)]


def test_daily_pages_stand_before_the_menu_and_the_others_in_it(admin) -> None:
    daily, _, rest = menu(admin, "campaign").partition("<details")
    assert re.findall(r">([^<]+)</a>", daily) == [name for name, _, _ in DAILY]
    assert re.findall(r">([^<]+)</a>", rest) == [name for name, _, _ in MORE]
    assert "Export ratings" in rest and ">Ratings<" not in rest


@pytest.mark.parametrize("route", OF_CAMPAIGN)
def test_each_page_is_marked_and_the_menu_is_open_only_on_its_own(admin, route: str) -> None:
    html = menu(admin, route)
    (marked,) = re.findall(r'aria-current="page">([^<]+)</a>', html)
    assert marked == next(name for name, one, _ in (*DAILY, *MORE) if one == route)
    assert ("<details open>" in html) == (route in [one for _, one, _ in MORE])
