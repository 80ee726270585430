"""One page of an annotator's queue: the part that is asked for, with how long each candidate is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from django.core.paginator import Page, Paginator
from django.utils import timezone

from annotator.assignments.queries import QueueCampaign, QueueReference, by_reference
from annotator.assignments.sizes import read_sizes
from annotator.models import User

REFERENCES_A_PAGE: Final = 25


class Show(StrEnum):
    """Which part of the queue is shown."""

    OPEN = "open"
    DRAFTS = "drafts"
    SKIPPED = "skipped"
    RETURNED = "returned"

    @classmethod
    def asked(cls, value: str) -> "Show":
        """Return what an address asks for: what is open where it asks for nothing that is."""
        return cls(value) if value in set(cls) else cls.OPEN


@dataclass(frozen=True, slots=True)
class QueueSection:
    """What a page shows of one campaign."""

    part: QueueCampaign
    references: tuple[QueueReference, ...]

    @property
    def has_minutes(self) -> bool:
        items = (item for line in self.references for item in line.open)
        return any(item.size and item.size.minutes for item in items)


@dataclass(frozen=True, slots=True)
class QueueFilter:
    """A part of the queue that can be asked for, and how many candidates it holds."""

    show: Show
    name: str
    count: int


@dataclass(frozen=True, slots=True)
class QueuePage:
    """The sections of a page, the page itself, and every filter."""

    show: Show
    page: "Page[tuple[int, QueueReference]]"
    sections: tuple[QueueSection, ...]
    filters: tuple[QueueFilter, ...]


def queue_page(
    parts: Sequence[QueueCampaign], user: User, *, asked: str, number: str, looks: int
) -> QueuePage:
    """Return a page of the queue; `looks` is how many ratings are to be looked at again."""
    show = Show.asked(asked)
    now = timezone.now()
    lines = [(place, line) for place, part in enumerate(parts) for line in _lines(part, show, now)]
    page = Paginator(lines, REFERENCES_A_PAGE).get_page(number)
    shown = _with_sizes(list(page), parts, user)
    # A campaign with nothing open has its section, too: there the next candidate is taken.
    empty = {place for place, part in enumerate(parts) if not part.references}
    standing = empty if show is Show.OPEN and page.number == 1 else set()
    sections = (
        QueueSection(part, tuple(line for at, line in shown if at == place))
        for place, part in enumerate(parts)
        if place in standing or any(at == place for at, _ in shown)
    )
    return QueuePage(show, page, tuple(sections), _filters(parts, looks))


def _lines(part: QueueCampaign, show: Show, now: datetime) -> Iterator[QueueReference]:
    if show is Show.OPEN:
        yield from part.references
    elif show is Show.SKIPPED:
        yield from by_reference(part.skipped, {}, now)
    elif show is Show.DRAFTS:
        for line in part.references:
            if drafts := tuple(item for item in line.open if item.has_draft):
                yield replace(line, open=drafts)


def _with_sizes(
    lines: list[tuple[int, QueueReference]], parts: Sequence[QueueCampaign], user: User
) -> list[tuple[int, QueueReference]]:
    items = [item for _, line in lines for item in line.open]
    campaigns = [part.campaign.pk for part in parts]
    sizes, openings = read_sizes(user, [item.pk for item in items], campaigns)
    return [
        (
            place,
            replace(
                line,
                opening=openings.get(line.open[0].reference, ""),
                open=tuple(replace(item, size=sizes.get(item.pk)) for item in line.open),
            ),
        )
        for place, line in lines
    ]


def _filters(parts: Sequence[QueueCampaign], looks: int) -> tuple[QueueFilter, ...]:
    drafts = sum(item.has_draft for part in parts for line in part.references for item in line.open)
    return (
        QueueFilter(Show.OPEN, "To rate", sum(part.left for part in parts)),
        QueueFilter(Show.DRAFTS, "Drafts", drafts),
        QueueFilter(Show.SKIPPED, "Skipped", sum(len(part.skipped) for part in parts)),
        QueueFilter(Show.RETURNED, "To look at again", looks),
    )
