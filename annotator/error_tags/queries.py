"""The error tags of a campaign's ratings and preferences, as tables for a page or a file."""

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import StringIO
from typing import Any, Final

from annotator.access.scopes import Names
from annotator.error_tags.rules import (
    TagFigure,
    TaggedRating,
    TagPair,
    tag_figures,
    tag_pairs,
    tag_shares,
)
from annotator.models import GENUINE, Campaign, Preference, Rating
from annotator.typology import ABSTRACT_TAGS, CLAIM_TAGS, Tag
from patclaimeval.rubric import CRITERIA, NAMES, OVERALL, TOTAL_WEIGHT
from patclaimeval.text_io.text import MARK, is_formula

MOST_PAIRS: Final = 20
MOST_REFERENCES: Final = 20
UNKNOWN: Final = "unknown"
BY_CODE: Final = {tag.code: tag for tag in (*CLAIM_TAGS, *ABSTRACT_TAGS)}


@dataclass(frozen=True, slots=True)
class Share:
    """Of so many ratings of a group, how many carry each tag, in the order of the tags."""

    group: str
    ratings: int
    counts: tuple[int, ...]

    @property
    def cells(self) -> tuple[tuple[int, int], ...]:
        """Count and whole per cent by tag."""
        return tuple((count, round(100 * count / self.ratings)) for count in self.counts)


@dataclass(frozen=True, slots=True)
class PreferenceTags:
    """How many preferences there are and carry a tag, and each tag, the most frequent first.

    A preference gives no score, so that there is no loss.
    """

    preferences: int
    tagged: int
    figures: tuple[TagFigure, ...]

    @property
    def rows(self) -> tuple[tuple[Tag, TagFigure], ...]:
        return tuple((BY_CODE[one.code], one) for one in self.figures)


@dataclass(frozen=True, slots=True)
class TagPage:
    """All tables; `systems` and `annotators` are empty where they are not shown."""

    ratings: int
    tagged: int
    figures: tuple[TagFigure, ...]
    pairs: tuple[TagPair, ...]
    systems: tuple[Share, ...]
    annotators: tuple[Share, ...]
    references: tuple[Share, ...]
    stated: PreferenceTags

    @property
    def tags(self) -> tuple[Tag, ...]:
        return tuple(BY_CODE[one.code] for one in self.figures)

    @property
    def rows(self) -> tuple[tuple[Tag, TagFigure], ...]:
        return tuple(zip(self.tags, self.figures, strict=True))

    @property
    def named_pairs(self) -> tuple[tuple[Tag, Tag, TagPair], ...]:
        return tuple((BY_CODE[one.first], BY_CODE[one.second], one) for one in self.pairs)


def tag_page(campaign: Campaign, names: Names) -> TagPage:
    """Return what the tags of a campaign's ratings say, as the ratings stand.

    Hidden repeats and sentinels do not count. Systems are shown once the campaign is closed,
    annotators by `names`, of those who are in it.
    """
    rows = _tagged_ratings(campaign)
    figures = tag_figures(rows)
    codes = tuple(one.code for one in figures)
    of_people = _shares(rows, codes, lambda row: names.get(row.annotator, ""))
    of_references = _shares(rows, codes, lambda row: row.reference)
    most = sorted(of_references, key=lambda one: (-sum(one.counts) / one.ratings, one.group))
    return TagPage(
        ratings=len(rows),
        tagged=sum(bool(row.tags) for row in rows),
        figures=figures,
        pairs=tag_pairs(rows, MOST_PAIRS),
        systems=() if campaign.is_open else _shares(rows, codes, lambda row: row.system),
        annotators=tuple(one for one in of_people if one.group),
        references=tuple(one for one in most if any(one.counts))[:MOST_REFERENCES],
        stated=_preference_tags(campaign),
    )


def _preference_tags(campaign: Campaign) -> PreferenceTags:
    rows = Preference.objects.filter(comparison__campaign=campaign).order_by("pk")
    columns = ("comparison__left__reference__reference_id", "comparison__annotator_id")
    found = [
        TaggedRating(reference, "", str(annotator), {}, _codes(tags))
        for reference, annotator, tags in rows.values_list(*columns, "error_tags").iterator(
            chunk_size=2_000
        )
    ]
    return PreferenceTags(len(found), sum(bool(row.tags) for row in found), tag_figures(found))


def _codes(tags: list[dict[str, Any]]) -> frozenset[str]:
    return frozenset(entry["tag"] for entry in tags if entry["tag"] in BY_CODE)


def _shares(
    rows: list[TaggedRating], codes: tuple[str, ...], group: Callable[[TaggedRating], str]
) -> tuple[Share, ...]:
    found = tag_shares(rows, group)
    return tuple(
        Share(name, size, tuple(counts[code] for code in codes))
        for name, (size, counts) in found.items()
    )


def _tagged_ratings(campaign: Campaign) -> list[TaggedRating]:
    rows = Rating.objects.filter(
        assignment__campaign=campaign, candidate__purpose__in=GENUINE
    ).order_by("pk")
    columns = (
        *("candidate__reference__reference_id", "candidate__system", "annotator_id"),
        *("overall_numerator", "error_tags", *CRITERIA),
    )
    return [
        TaggedRating(
            reference,
            system or UNKNOWN,
            str(annotator),
            dict(zip(CRITERIA, scores, strict=True)) | {OVERALL: numerator / TOTAL_WEIGHT},
            _codes(tags),
        )
        for reference, system, annotator, numerator, tags, *scores in rows.values_list(
            *columns
        ).iterator(chunk_size=2_000)
    ]


HEADINGS: Final = tuple(NAMES[name] for name in (*CRITERIA, OVERALL))
HEADER: Final = (
    *("grouping", "group", "tag", "name", "ratings", "tagged", "share"),
    *(f"loss_{name}{end}" for name in (*CRITERIA, OVERALL) for end in ("", "_low", "_high")),
)

NO_LOSSES: Final = (None,) * (len(HEADER) - 7)


def tag_csv(page: TagPage) -> bytes:
    """Return every figure of the page as CSV, one line a tag and group; losses over all only.

    In lines of the grouping "preferences", `ratings` counts preferences.
    """
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    for row in _lines(page):
        writer.writerow(["" if cell is None else cell for cell in row])
    return text.getvalue().encode()


def _lines(page: TagPage) -> Iterator[tuple[object, ...]]:
    for one in page.figures:
        losses = [one.losses[name] for name in (*CRITERIA, OVERALL)]
        numbers = [number for loss in losses for number in (loss.value, loss.low, loss.high)]
        share = one.ratings / page.ratings
        name = BY_CODE[one.code].name
        yield ("all", "", one.code, name, page.ratings, one.ratings, share, *numbers)
    for grouping, shares in (
        ("system", page.systems),
        ("annotator", page.annotators),
        ("reference", page.references),
    ):
        for group in shares:
            for tag, count in zip(page.tags, group.counts, strict=True):
                name = MARK + group.group if is_formula(group.group) else group.group
                line = (grouping, name, tag.code, tag.name, group.ratings, count)
                yield (*line, count / group.ratings, *NO_LOSSES)
    for tag, one in page.stated.rows:
        stated = page.stated.preferences
        line = ("preferences", "", tag.code, tag.name, stated, one.ratings)
        yield (*line, one.ratings / stated, *NO_LOSSES)
