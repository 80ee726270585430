"""Whether annotators' preferences on a pair equal those of their own ratings: counts only."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.db.models import Exists, OuterRef, Q

from annotator.models import Campaign, Comparison, Preference, Rating
from patclaimeval.rubric import ALL_CRITERIA, NAMES, SCORE_COLUMNS
from patclaimeval.statistics.shares import ShareInterval, wilson_interval

ANSWERS: Final = (1, 0, -1)
ANSWER_LABELS: Final = ("left better", "equal", "right better")


@dataclass(frozen=True, slots=True)
class CriterionCheck:
    """One criterion: how often derived and direct are the same, of n, and all nine counts.

    `table[i][j]` counts pairs whose derived y is ANSWERS[i] and whose preference is ANSWERS[j]:
    1 left is better, 0 equal, -1 right is better.
    """

    key: str
    name: str
    n: int
    same: int
    share: ShareInterval | None
    table: tuple[tuple[int, ...], ...]

    @property
    def rows(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """The table with its rows named."""
        return tuple(zip(ANSWER_LABELS, self.table, strict=True))


@dataclass(frozen=True, slots=True)
class PreferenceCheck:
    """Comparisons asked and answered, and each criterion over those with both ratings too."""

    asked: int
    answered: int
    criteria: tuple[CriterionCheck, ...]

    @property
    def n(self) -> int:
        return max(entry.n for entry in self.criteria)


def preference_check(campaign: Campaign) -> PreferenceCheck:
    """Compare derived y with direct preference within each annotator.

    An annotator and pair count when that annotator has stated a preference and has rated both
    candidates. Derived y is the sign of the left score less the right one; for the overall that
    of the exact numerators; no tie band. Ratings and preferences are taken as they stand now.
    """
    asked = Comparison.objects.filter(campaign=campaign).count()
    stated = Preference.objects.filter(comparison__campaign=campaign)
    counts: dict[str, Counter[tuple[int, int]]] = {key: Counter() for key in ALL_CRITERIA}
    scores = _scores(campaign)
    rows = stated.values_list(
        "comparison__annotator_id", "comparison__left_id", "comparison__right_id", *ALL_CRITERIA
    )
    answered = 0
    for who, left, right, *judgements in rows:
        answered += 1
        one, other = scores.get((who, left)), scores.get((who, right))
        if one is None or other is None:
            continue
        for key, direct in zip(ALL_CRITERIA, judgements, strict=True):
            # Preferences from elsewhere may be of the overall quality only.
            if direct is not None:
                derived = (one[key] > other[key]) - (one[key] < other[key])
                counts[key][derived, direct] += 1
    return PreferenceCheck(asked, answered, tuple(_check(k, counts[k]) for k in ALL_CRITERIA))


def _scores(campaign: Campaign) -> dict[tuple[object, object], Mapping[str, int]]:
    """Return the scores, by annotator and candidate, of what the annotator has a preference on."""
    preferences = Preference.objects.filter(
        Q(comparison__left=OuterRef("candidate")) | Q(comparison__right=OuterRef("candidate")),
        comparison__annotator=OuterRef("annotator"),
    )
    rows = Rating.objects.filter(Exists(preferences), candidate__campaign=campaign).only(
        "annotator_id", "candidate_id", *SCORE_COLUMNS
    )
    return {(row.annotator_id, row.candidate_id): row.all_scores for row in rows}


def _check(key: str, counts: Counter[tuple[int, int]]) -> CriterionCheck:
    n = counts.total()
    same = sum(counts[answer, answer] for answer in ANSWERS)
    return CriterionCheck(
        key=key,
        name=NAMES[key],
        n=n,
        same=same,
        share=wilson_interval(same, n) if n else None,
        table=tuple(tuple(counts[derived, direct] for direct in ANSWERS) for derived in ANSWERS),
    )
