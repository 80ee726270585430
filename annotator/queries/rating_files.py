"""The files of an export of ratings: which formats there are, and what goes into them."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from annotator.formats import label_studio_writer, ratings_csv, ratings_jsonl
from annotator.models import Campaign
from annotator.queries.export_names import Naming, Nobody, Pseudonyms, user_names
from annotator.queries.label_studio_exports import exported_items
from annotator.queries.one_moment import one_moment
from annotator.queries.rating_exports import Telling, exported_lines
from annotator.queries.rating_inputs import rating_admins

Line = Mapping[str, Any]
# How many of a kind a file holds, for its manifest.
Counts = Counter[str]


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format: its writer, the end of a file's name, and its media type."""

    name: str
    write: Callable[[Iterable[Line]], Iterator[bytes]]
    suffix: str
    media_type: str

    @property
    def has_texts(self) -> bool:
        """Whether a file of it holds claim texts."""
        return self.name == LABEL_STUDIO


LABEL_STUDIO: Final = "label-studio"
FORMATS: Final = {
    one.name: one
    for one in (
        ExportFormat("csv", ratings_csv.write, "csv", "text/csv; charset=utf-8"),
        ExportFormat("jsonl", ratings_jsonl.write, "jsonl", "application/jsonl"),
        ExportFormat(LABEL_STUDIO, label_studio_writer.write, "json", "application/json"),
    )
}


@dataclass(frozen=True, slots=True)
class RatingExport:
    """One export: what is told of whom, and, once it has been read, how much of what."""

    campaign_id: UUID
    format: ExportFormat
    is_identified: bool
    # Pseudonyms follow from it.
    key: str
    # Annotators are not told apart.
    is_anonymous: bool = False
    counts: Counts = field(default_factory=Counter)

    def pieces(self) -> Iterator[bytes]:
        """Yield the file as of one moment, a little at a time."""
        with one_moment():
            campaign = Campaign.objects.get(pk=self.campaign_id)
            naming = self._naming(campaign)
            yield from self.format.write(self._counted(self._lines(campaign, naming)))

    def _naming(self, campaign: Campaign) -> Naming:
        if self.is_identified:
            return user_names(campaign)
        return Nobody() if self.is_anonymous else Pseudonyms(campaign, self.key)

    def _lines(self, campaign: Campaign, naming: Naming) -> Iterator[Line]:
        if self.format.has_texts:
            return exported_items(campaign, naming)
        return exported_lines(
            campaign,
            Telling(
                naming,
                admins=frozenset(map(UUID, rating_admins(campaign))),
                has_ids=self.is_identified,
                # As on every page: which system made what is told once the campaign is closed.
                has_systems=not campaign.is_open,
            ),
        )

    def _counted(self, lines: Iterable[Line]) -> Iterator[Line]:
        for line in lines:
            self.counts[f"{line.get('kind', 'annotation')}s"] += 1
            yield line
