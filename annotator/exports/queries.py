"""Which files an export has, who may take them and when, and who took them."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from annotator.access.scopes import LEAST_DISTINGUISHED, roles_of
from annotator.access.visibility import Reader
from annotator.exports.rows import (
    NOBODY,
    Detail,
    Naming,
    exported_items,
    exported_lines,
    pseudonyms,
    user_names,
)
from annotator.formats import label_studio_writer, ratings_csv, ratings_jsonl
from annotator.models import Campaign, Comparison, Rating, Role, User
from annotator.records import rating_admins
from core.database import one_moment

Line = Mapping[str, Any]
NOTICE: Final = "Confidential: ratings of unfiled claims. Comments may name people."
# How many of a kind a file holds, for its manifest.
Counts = Counter[str]


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format: its writer, the end of a file's name, and its media type."""

    name: str
    write: Callable[[Iterable[Line]], Iterator[bytes]]
    suffix: str
    media_type: str
    # Whether a file of it holds claim texts.
    has_texts: bool = False


FORMATS: Final = {
    one.name: one
    for one in (
        ExportFormat("csv", ratings_csv.write, "csv", "text/csv; charset=utf-8"),
        ExportFormat("jsonl", ratings_jsonl.write, "jsonl", "application/jsonl"),
        ExportFormat("label-studio", label_studio_writer.write, "json", "application/json", True),
        ExportFormat(
            "label-studio-tasks", label_studio_writer.write_tasks, "json", "application/json", True
        ),
    )
}


@dataclass(frozen=True, slots=True)
class RatingExport:
    """One export: what it shows of whom, and, once it has been read, how much of what."""

    campaign_id: UUID
    format: ExportFormat
    is_identified: bool
    # Pseudonyms follow from it.
    key: str
    # Annotators are not distinguished.
    is_anonymous: bool = False
    counts: Counts = field(default_factory=Counter)
    notice: str = NOTICE

    def pieces(self) -> Iterator[bytes]:
        """Yield the file as of one moment, a little at a time."""
        with one_moment():
            campaign = Campaign.objects.get(pk=self.campaign_id)
            naming = NOBODY if self.is_anonymous else pseudonyms(campaign, self.key)
            if self.is_identified:
                naming = user_names(campaign)
            yield from self.format.write(self._counted(self._lines(campaign, naming)))

    def _lines(self, campaign: Campaign, naming: Naming) -> Iterator[Line]:
        if self.format.has_texts:
            return exported_items(campaign, naming)
        return exported_lines(
            campaign,
            Detail(
                naming,
                admins=frozenset(map(UUID, rating_admins(campaign))),
                has_ids=self.is_identified,
                # As on every page: which system made what is shown once the campaign is closed.
                has_systems=not campaign.is_open,
            ),
        )

    def _counted(self, lines: Iterable[Line]) -> Iterator[Line]:
        for line in lines:
            self.counts[f"{line.get('kind', 'annotation')}s"] += 1
            yield line


RATES: Final = "You rate in this campaign, and the file would tell you what the others gave."
RULES: Final = (
    "You adjudicate in this campaign, and the file would tell you whose ratings belong together."
)
OPEN: Final = "Ratings may still change."


@dataclass(frozen=True, slots=True)
class Exporter:
    """A person who may export; `withheld` is why they may not before the campaign is closed.

    Names, and the layout that holds claim texts, are for admins.
    """

    is_admin: bool
    withheld: str
    is_anonymous: bool

    @property
    def formats(self) -> tuple[str, ...]:
        return tuple(name for name, one in FORMATS.items() if self.is_admin or not one.has_texts)


def exporter_of(campaign: Campaign, user: User, reader: Reader) -> Exporter:
    """Return how a person exports who reads the figures of the campaign."""
    withheld = ""
    if reader.is_withheld:
        withheld = RATES
    elif campaign.is_open and Role.ADJUDICATOR in roles_of(user, campaign):
        withheld = RULES
    elif campaign.is_open and not reader.is_admin:
        withheld = OPEN
    # Whether so few rated or compared that one of them knows the rest.
    rated = Rating.objects.filter(assignment__campaign=campaign).order_by()
    compared = Comparison.objects.filter(campaign=campaign, preference__isnull=False).order_by()
    people = set(rated.values_list("annotator", flat=True).distinct())
    people |= set(compared.values_list("annotator", flat=True).distinct())
    is_anonymous = not reader.is_admin and len(people) < LEAST_DISTINGUISHED
    return Exporter(reader.is_admin, withheld, is_anonymous)


EXPORTED: Final = "ratings.exported"
