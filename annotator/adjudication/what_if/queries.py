"""What other rules would find among the ratings of a campaign, against those that hold: counts."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from annotator.adjudication.rulings.queries import RulingTime, ruling_time
from annotator.adjudication.what_if.rules import (
    Caught,
    CurvePoint,
    Width,
    cases,
    caught,
    curve,
    found_by,
    touched,
    widths,
)
from annotator.conflicts.queries import rules_of
from annotator.conflicts.rules import CRITERION_GAP, ORDER_FLIP, OVERALL_GAP, ConflictRules
from annotator.models import GENUINE, Campaign, Rating, Ruling
from annotator.rating_values import RatedScores, scores_of
from patclaimeval.rubric import SCORE_COLUMNS


def campaign_widths(campaign: Campaign, *, has_ladder: bool) -> list[Width]:
    """Measure every reference with rated genuine candidates.

    References and candidates are named by UUIDs as 32 hexadecimal digits.
    """
    found: defaultdict[str, list[RatedScores]] = defaultdict(list)
    rows = Rating.objects.filter(candidate__campaign=campaign, candidate__purpose__in=GENUINE)
    for reference, candidate, annotator, *scores in rows.values_list(
        "candidate__reference_id", "candidate_id", "annotator_id", *SCORE_COLUMNS
    ):
        found[reference.hex].append(RatedScores(annotator.hex, candidate.hex, scores_of(scores)))
    return [
        width
        for reference, ratings in found.items()
        for width in widths(reference, ratings, has_ladder=has_ladder)
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
    rules_today = rules_of(campaign)
    measured = campaign_widths(campaign, has_ladder=rules.has_ladder)
    found = found_by(rules, measured)
    if rules_today.has_ladder == rules.has_ladder:
        today = found_by(rules_today, measured)
    else:
        other = campaign_widths(campaign, has_ladder=rules_today.has_ladder)
        today = found_by(rules_today, other)
    rulings = Ruling.objects.filter(is_valid=True, candidate__campaign=campaign)
    ruled = frozenset(pk.hex for pk in rulings.values_list("candidate_id", flat=True))

    def of_kind(kind: str, name: str) -> KindRow:
        return _row(
            name, *([one for one in all_ if one.finding.kind == kind] for all_ in (found, today))
        )

    return WhatIf(
        kinds=tuple(of_kind(kind, name) for kind, name in NAMES.items()),
        total=_row("All", found, today),
        rulings=cases(found, ruled),
        rulings_today=cases(today, ruled),
        time=ruling_time(campaign, touched(found)),
        curve=tuple(curve(measured, has_ladder=rules.has_ladder)),
    )


def _row(name: str, found: Sequence[Width], today: Sequence[Width]) -> KindRow:
    places, before = {width.finding for width in found}, {width.finding for width in today}
    return KindRow(name, caught(found), len(before), len(places - before), len(before - places))
