"""Who may take the ratings of a campaign away as a file, in which formats, and when not yet."""

from dataclasses import dataclass
from typing import Final

from annotator.models import Campaign, Comparison, Rating, Role, User
from annotator.queries.access import roles_of
from annotator.queries.annotator_names import LEAST_TOLD_APART
from annotator.queries.rating_files import FORMATS
from annotator.queries.reliability_access import reader_of

RATES: Final = "You rate in this campaign, and the file would tell you what the others gave."
RULES: Final = (
    "You adjudicate in this campaign, and the file would tell you whose ratings belong together."
)
OPEN: Final = "Ratings may still change."


@dataclass(frozen=True, slots=True)
class Exporter:
    """A person who may export; `withheld` says why they may not before the campaign is closed.

    Names, and the layout that carries claim texts, are for admins.
    """

    is_admin: bool
    withheld: str
    is_anonymous: bool

    @property
    def formats(self) -> tuple[str, ...]:
        return tuple(name for name, one in FORMATS.items() if self.is_admin or not one.has_texts)


def exporter_of(campaign: Campaign, user: User) -> Exporter | None:
    """Return how a person exports, None when their roles do not open it."""
    reader = reader_of(campaign, user)
    if reader is None:
        return None
    withheld = ""
    if reader.is_withheld:
        withheld = RATES
    elif campaign.is_open and Role.ADJUDICATOR in roles_of(user, campaign):
        withheld = RULES
    elif campaign.is_open and not reader.is_admin:
        withheld = OPEN
    return Exporter(reader.is_admin, withheld, not reader.is_admin and not _tells_apart(campaign))


def _tells_apart(campaign: Campaign) -> bool:
    """Say whether so many rated or compared that one of them does not know the rest."""
    rated = Rating.objects.filter(assignment__campaign=campaign).order_by()
    compared = Comparison.objects.filter(campaign=campaign, preference__isnull=False).order_by()
    people = set(rated.values_list("annotator", flat=True).distinct())
    people |= set(compared.values_list("annotator", flat=True).distinct())
    return len(people) >= LEAST_TOLD_APART
