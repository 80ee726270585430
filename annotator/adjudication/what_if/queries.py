"""What other rules would find among the ratings of a campaign, against those that hold: counts."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from annotator.adjudication.rulings.queries import RulingTime, ruling_time
from annotator.adjudication.what_if.rules import (
    CRITERION_GAP,
    ORDER_FLIP,
    OVERALL_GAP,
    Caught,
    CurvePoint,
    Row,
    Width,
    cases,
    caught,
    curve,
    found_by,
    row_widths,
)
from annotator.conflicts.queries import rules_of
from annotator.conflicts.rules import ConflictRules
from annotator.models import GENUINE, Campaign, Rating, Ruling
from annotator.rubric import CRITERIA


def campaign_widths(campaign: Campaign) -> list[Width]:
    """Measure every reference with rated genuine candidates.

    References and candidates are named by UUIDs as 32 hexadecimal digits.
    """
    found: defaultdict[str, dict[str, list[Row]]] = defaultdict(dict)
    rows = Rating.objects.filter(candidate__campaign=campaign, candidate__purpose__in=GENUINE)
    for reference, candidate, annotator, *values in rows.values_list(
        "candidate__reference_id", "candidate_id", "annotator_id", "overall_numerator", *CRITERIA
    ):
        found[reference.hex].setdefault(candidate.hex, []).append((annotator.hex, *values))
    return [
        width
        for reference, by_candidate in found.items()
        for width in row_widths(reference, by_candidate)
    ]


NAMES: Final = {
    CRITERION_GAP: "Criterion gap",
    OVERALL_GAP: "Overall gap",
    ORDER_FLIP: "Order flip",
}


@dataclass(frozen=True, slots=True)
class KindRow:
    """Conflicts of one kind, or of all: under the rules tried, and against today's."""

    name: str
    caught: Caught
    today: int
    new: int
    gone: int


@dataclass(frozen=True, slots=True)
class WhatIf:
    """What rules would find; `rulings` counts those still to be made, at most."""

    kinds: tuple[KindRow, ...]
    total: KindRow
    rulings: int
    rulings_today: int
    time: RulingTime | None
    curve: tuple[CurvePoint, ...]

    @property
    def hours(self) -> float | None:
        """The hours of the rulings still to be made; none where no time was measured."""
        return self.time.hours(self.rulings) if self.time else None

    @property
    def hours_today(self) -> float | None:
        return self.time.hours(self.rulings_today) if self.time else None


def what_if(campaign: Campaign, rules: ConflictRules) -> WhatIf:
    """Replay rules on the genuine ratings of a campaign as they stand."""
    measured = campaign_widths(campaign)
    found = found_by(rules, measured)
    today = found_by(rules_of(campaign), measured)
    rulings = Ruling.objects.filter(is_valid=True, candidate__campaign=campaign)
    ruled = frozenset(pk.hex for pk in rulings.values_list("candidate_id", flat=True))
    touched = {key for row in found for key in (row.candidate, row.other_candidate)}

    def of_kind(kind: str, name: str) -> KindRow:
        return _row(name, *([one for one in all_ if one.kind == kind] for all_ in (found, today)))

    return WhatIf(
        kinds=tuple(of_kind(kind, name) for kind, name in NAMES.items()),
        total=_row("All", found, today),
        rulings=cases(found, ruled),
        rulings_today=cases(today, ruled),
        time=ruling_time(campaign, touched),
        curve=tuple(curve(measured, has_ladder=rules.has_ladder)),
    )


def _row(name: str, found: Sequence[Width], today: Sequence[Width]) -> KindRow:
    places, before = {width.place for width in found}, {width.place for width in today}
    return KindRow(name, caught(found), len(before), len(places - before), len(before - places))
