"""The pages of a campaign as its admins find them: the daily ones first, the rest in a menu."""

from dataclasses import dataclass
from typing import Final

from django import template
from django.urls import reverse

from annotator.models import Campaign

register = template.Library()

# What each is called, its route, and the routes of pages below it. A route without a name before it
# is of annotator.
Listed = tuple[str, str, tuple[str, ...]]
DAILY: Final[tuple[Listed, ...]] = (
    ("Progress", "campaign", ()),
    ("Plan", "plan", ("carry_out_plan",)),
    ("Members", "members", ()),
    ("Import", "import_claims", ("claim_import",)),
    ("Settled ratings", "settled", ("settled_candidate",)),
    ("Reliability", "reliability", ("show_names",)),
)
MORE: Final[tuple[Listed, ...]] = (
    ("References", "scoring:references", ()),
    ("Calibration", "calibration", ()),
    ("Rules", "campaign_rules", ()),
    ("What if", "what_if", ()),
    ("Rulings", "rulings", ()),
    ("Error tags", "error_tags", ()),
    ("Export ratings", "export_ratings", ()),
    ("Timesheet", "timesheet", ()),
    ("Webhooks", "webhooks", ()),
    ("Unblindings", "unblindings", ()),
    ("Audit trail", "audit", ("export_audit",)),
)


@dataclass(frozen=True, slots=True)
class CampaignPlace:
    """One entry of the menu."""

    name: str
    url: str
    is_here: bool


@dataclass(frozen=True, slots=True)
class CampaignPlaces:
    """Both parts of the menu; `is_more` where the page that is open is one of the second."""

    daily: tuple[CampaignPlace, ...]
    more: tuple[CampaignPlace, ...]

    @property
    def is_more(self) -> bool:
        return any(place.is_here for place in self.more)


@register.simple_tag
def campaign_places(campaign: Campaign, here: str) -> CampaignPlaces:
    """Return the pages of a campaign; `here` is the route of the page that is open."""

    def part(listed: tuple[Listed, ...]) -> tuple[CampaignPlace, ...]:
        return tuple(
            CampaignPlace(
                name,
                reverse(route if ":" in route else f"annotator:{route}", args=[campaign.slug]),
                here == route.rpartition(":")[2] or here in below,
            )
            for name, route, below in listed
        )

    return CampaignPlaces(part(DAILY), part(MORE))
