"""All candidates of a reference that somebody has rated, one claim at a time, beside the reference.

An annotator compares them only once their own ratings are in: whoever sees all candidates at once
rates each by the others. As on the rate page, nothing of a system or of another person is put into
these rows.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final
from urllib.parse import urlencode
from uuid import UUID

from django.core.paginator import Page, Paginator

from annotator.access.scopes import assignments_for
from annotator.models import (
    Assignment,
    AssignmentStatus,
    Rating,
    ReadingPreference,
    Reference,
    User,
)
from annotator.reading import reading_of, reading_preference
from patclaimeval.claims.minimap import Cell, State
from patclaimeval.claims.reading import ClaimView, SideView
from patclaimeval.claims.side_by_side import (
    JointRow,
    SideBySide,
    count_changes,
    joint_cells,
    note_by_names,
    set_side_by_side,
)
from patclaimeval.rubric import CRITERIA, overall_text

FEWEST: Final = 2
"""So many candidates there are to compare, before a link leads to the page."""
# Each is read against the reference when it is shown: what takes too long is cut into pages.
CANDIDATES_A_PAGE: Final = 16
TO_RATE: Final = (AssignmentStatus.OPEN, AssignmentStatus.LAPSED)
SHORT_NAMES: Final = dict(
    zip(CRITERIA, ("Completeness", "Clarity", "Terms", "Linkage"), strict=True)
)
ADDED: Final = "added"


def may_compare(statuses: Iterable[str], *, is_open: bool) -> bool:
    """Return whether somebody may see all candidates of a reference that they have rated.

    Inputs: the statuses of their assignments of one reference, and whether the campaign is open.
    While it is open no rating of theirs may be outstanding; what they skipped, or an admin took
    back, is no longer theirs. After a recusal nothing of the reference is shown to them.
    """
    found = set(statuses)
    if AssignmentStatus.RECUSED in found or AssignmentStatus.SUBMITTED not in found:
        return False
    return not is_open or not found.intersection(TO_RATE)


def has_several(statuses: Iterable[str]) -> bool:
    """Return whether there are several rated candidates to compare."""
    return sum(status == AssignmentStatus.SUBMITTED for status in statuses) >= FEWEST


def comparable_references(user: User, references: Iterable[UUID]) -> frozenset[UUID]:
    """Return those of the references of which the user may compare several candidates."""
    rows = assignments_for(user).select_related(None)
    rows = rows.filter(candidate__reference__in=set(references)).order_by()
    statuses: dict[UUID, list[str]] = {}
    is_open: dict[UUID, bool] = {}
    for reference, status, campaign in rows.values_list(
        "candidate__reference_id", "status", "campaign__status"
    ):
        statuses.setdefault(reference, []).append(status)
        is_open[reference] = campaign == "open"
    return frozenset(
        pk
        for pk, found in statuses.items()
        if has_several(found) and may_compare(found, is_open=is_open[pk])
    )


@dataclass(frozen=True, slots=True)
class Compared:
    """One candidate of the page: the claims that are shown of it, and one's own scores."""

    assignment_id: UUID
    label: str
    side: str
    state: State | None
    claims: tuple[ClaimView, ...]
    share: str
    """Where it has the claim all the same, if not as a claim of its own."""
    scores: tuple[tuple[str, str], ...]
    is_here: bool
    """Whether the page was opened from this candidate."""


@dataclass(frozen=True)
class AllCandidates:
    """Everything that the page of all candidates shows; texts are read when they are shown."""

    user: User
    assignment: Assignment
    rows: Sequence[Assignment]
    """One's own assignments of the reference, in their order, whatever their state."""
    asked_claim: str
    asked_page: str

    @property
    def reference(self) -> Reference:
        return self.assignment.candidate.reference

    @cached_property
    def is_allowed(self) -> bool:
        statuses = [row.status for row in self.rows]
        return may_compare(statuses, is_open=self.assignment.campaign.is_open)

    @property
    def is_recused(self) -> bool:
        return any(row.status == AssignmentStatus.RECUSED for row in self.rows)

    @property
    def to_rate(self) -> list[Assignment]:
        """Return what is still to be rated before the page is opened."""
        return [row for row in self.rows if row.status in TO_RATE]

    @cached_property
    def preference(self) -> ReadingPreference:
        return reading_preference(self.user)

    @cached_property
    def page(self) -> Page[Assignment]:
        rated = [row for row in self.rows if row.status == AssignmentStatus.SUBMITTED]
        return Paginator(rated, CANDIDATES_A_PAGE).get_page(self.asked_page)

    @cached_property
    def seen(self) -> SideBySide:
        readings = [reading_of(self.reference, row.candidate) for row in self.page]
        return set_side_by_side(readings, note_by_names(self._numbers))

    @property
    def _numbers(self) -> list[str]:
        return [str(row.position) for row in self.page]

    @property
    def _sides(self) -> list[str]:
        return [f"candidate-{row.position}" for row in self.page]

    @cached_property
    def _keys(self) -> Mapping[str, list[int]]:
        """The places of the rows by what the address names them: the claim's number, or "added"."""
        keys: dict[str, list[int]] = {}
        for place, row in enumerate(self.seen.rows):
            if row.reference is None:
                keys.setdefault(ADDED, []).append(place)
                continue
            number = row.reference.number
            key = "text" if number is None else str(number)
            # A number that stands twice, or a second text without one, is named by its place.
            keys[key if key not in keys else f"{key}-{row.reference.start}"] = [place]
        return {key: keys[key] for key in sorted(keys, key=lambda key: key == ADDED)}

    @cached_property
    def key(self) -> str:
        """The claim that is shown: the one asked for, else the first that has a number."""
        if self.asked_claim in self._keys:
            return self.asked_claim
        return next((key for key in self._keys if key.isdecimal()), next(iter(self._keys), ""))

    def address(self, key: str) -> str:
        """Return the query of the page that shows a claim."""
        page = {"page": self.page.number} if self.page.has_other_pages() else {}
        return f"?{urlencode({'claim': key, **page})}"

    @property
    def here(self) -> str:
        """Return the query of this very page."""
        return self.address(self.key)

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Return a cell for each claim of the reference, and one for what the candidates added."""
        cells = joint_cells(self.seen, self._sides, self._numbers)
        if not cells:
            return ()
        return tuple(
            self._cell(key, [cells[place] for place in self._keys[key]]) for key in self._keys
        )

    def _cell(self, key: str, cells: Sequence[Cell]) -> Cell:
        address, is_current = self.address(key), key == self.key
        if key != ADDED:
            return replace(cells[0], address=address, is_current=is_current)
        rows = [self.seen.rows[place] for place in self._keys[ADDED]]
        names = [
            name
            for place, name in enumerate(self._numbers)
            if any(r.candidates[place] for r in rows)
        ]
        count = sum(claim is not None for row in rows for claim in row.candidates)
        label = f"added: {', '.join(names)}"
        return Cell(count, State.ADDED, label, (), address, is_current)

    @property
    def neighbours(self) -> tuple[str, str]:
        """Return the addresses of the claims before and after the one shown, "" where none is."""
        keys = list(self._keys)
        at = keys.index(self.key) if self.key else 0
        before, after = keys[max(at - 1, 0) : at], keys[at + 1 : at + 2]
        one, other = (self.address(found[0]) if found else "" for found in (before, after))
        return one, other

    @property
    def _shown(self) -> list[JointRow]:
        return [self.seen.rows[place] for place in self._keys.get(self.key, ())]

    @property
    def claim(self) -> ClaimView | None:
        """The claim of the reference that is shown; None where the candidates' own are."""
        return self._shown[0].reference if self._shown else None

    @property
    def view(self) -> SideView:
        return self.seen.reference

    @property
    def changes(self) -> tuple[tuple[str, str, int], ...]:
        """Return the classes of differences with how many the shown claims have."""
        claims = [claim for row in self._shown for claim in (row.reference, *row.candidates)]
        return count_changes(claim for claim in claims if claim)

    @cached_property
    def candidates(self) -> list[Compared]:
        """Return what is shown of each candidate of this page of them."""
        return [
            Compared(
                row.pk,
                row.label,
                side,
                next((found.states[place] for found in self._shown if found.states[place]), None),
                tuple(claim for found in self._shown if (claim := found.candidates[place])),
                next((found.shares[place] for found in self._shown), ""),
                _scores(row.rating),
                is_here=row.pk == self.assignment.pk,
            )
            for place, (row, side) in enumerate(zip(self.page, self._sides, strict=True))
        ]


def _scores(rating: Rating) -> tuple[tuple[str, str], ...]:
    given = tuple((SHORT_NAMES[key], str(value)) for key, value in rating.scores.items())
    return (*given, ("Overall", overall_text(rating.overall_numerator)))


def all_candidates(
    user: User, assignment_id: UUID, claim: str = "", page: str = ""
) -> AllCandidates | None:
    """Return the page of the reference of the user's own assignment; None when it is not theirs."""
    assignment = assignments_for(user).filter(pk=assignment_id).first()
    if assignment is None:
        return None
    rows = assignments_for(user).filter(candidate__reference=assignment.candidate.reference_id)
    rows = rows.select_related(None).select_related("candidate", "rating").order_by("position")
    return AllCandidates(user, assignment, list(rows), claim, page)
