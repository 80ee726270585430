"""The rubric: four criteria rated 0 to 10, weights, bands, and the overall that follows.

Source of criteria, weights and bands: Jiang, Scherz, Goetz, "Towards Better Evaluation for
Generated Patent Claims", ACL 2025, table 8; the sentences are this project's own words.
Standard library only.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

RUBRIC_VERSION: Final = "1"
LOWEST: Final = 0
HIGHEST: Final = 10
OVERALL: Final = "overall_quality"
TOTAL_WEIGHT: Final = 11


@dataclass(frozen=True, slots=True)
class Band:
    """A range of scores, both ends included, and what it means for a candidate."""

    low: int
    high: int
    sentence: str

    @property
    def label(self) -> str:
        return f"{self.low}-{self.high}"


@dataclass(frozen=True, slots=True)
class Criterion:
    """One thing that is judged: its key, its texts, its weight in the overall, its five bands."""

    key: str
    name: str
    question: str
    weight: int
    bands: tuple[Band, ...]


def _bands(*sentences: str) -> tuple[Band, ...]:
    edges = ((0, 2), (3, 4), (5, 6), (7, 8), (9, 10))
    return tuple(Band(low, high, text) for (low, high), text in zip(edges, sentences, strict=True))


RUBRIC: Final[tuple[Criterion, ...]] = (
    Criterion(
        "feature_completeness",
        "Feature completeness",
        "How many of the invention's essential features does the candidate claim?",
        4,
        _bands(
            "Most essential features are missing.",
            "Some essential features are there, with significant gaps.",
            "The majority is covered; minor features are left out.",
            "Almost every essential feature is covered.",
            "Every essential feature is covered, thoroughly.",
        ),
    ),
    Criterion(
        "conceptual_clarity",
        "Conceptual clarity",
        "Can a skilled reader tell without doubt what is claimed?",
        2,
        _bands(
            "Very unclear; the scope cannot be made out.",
            "Significant passages are unclear.",
            "Mostly clear, with some doubtful passages.",
            "Clear, with hardly any ambiguity.",
            "Unambiguous throughout.",
        ),
    ),
    Criterion(
        "terminology_consistency",
        "Terminology consistency",
        "Is one thing called by one name, the name the reference uses?",
        2,
        _bands(
            "Terms change all the time.",
            "Terms change in important places.",
            "Some terms change.",
            "A minor term changes.",
            "Terms are the same throughout.",
        ),
    ),
    Criterion(
        "logical_linkage",
        "Logical linkage",
        "Do features and claims depend on each other as they should?",
        3,
        _bands(
            "Features and claims hang together poorly.",
            "Significant links are wrong or missing.",
            "Links are mostly right.",
            "A minor link is inaccurate.",
            "Every link is right.",
        ),
    ),
)

OVERALL_BANDS: Final = _bands("Very poor.", "Low.", "Average.", "High.", "Excellent.")
CRITERIA: Final[tuple[str, ...]] = tuple(criterion.key for criterion in RUBRIC)
ALL_CRITERIA: Final[tuple[str, ...]] = (*CRITERIA, OVERALL)
# The columns of a stored rating, in the order of ALL_CRITERIA.
SCORE_COLUMNS: Final[tuple[str, ...]] = (*CRITERIA, "overall_numerator")
WEIGHTS: Final[dict[str, int]] = {criterion.key: criterion.weight for criterion in RUBRIC}
NAMES: Final[dict[str, str]] = {c.key: c.name for c in RUBRIC} | {OVERALL: "Overall quality"}


def is_score(value: object) -> bool:
    """Return whether `value` is a score: a whole number from 0 to 10, and not a bool."""
    return type(value) is int and LOWEST <= value <= HIGHEST


def unit_of(criterion: str) -> int:
    """Return how many units of a stored score make one point: the overall is over 11."""
    return TOTAL_WEIGHT if criterion == OVERALL else 1


def overall_numerator(scores: Mapping[str, int]) -> int:
    """Return the overall quality as an exact integer over 11.

    Input: the four criteria, each a whole number from 0 to 10. Output: 0 to 110, the numerator of
    (4·completeness + 2·clarity + 2·consistency + 3·linkage) / 11 (ACL 2025, table 8). Compare
    numerators, never floats. Raises ValueError when a criterion is missing, unknown or no score.
    """
    if set(scores) != set(CRITERIA):
        raise ValueError(f"the overall needs exactly the criteria {', '.join(CRITERIA)}")
    wrong = [key for key, value in scores.items() if not is_score(value)]
    if wrong:
        raise ValueError(f"not a whole number from 0 to 10: {', '.join(sorted(wrong))}")
    return sum(WEIGHTS[key] * scores[key] for key in CRITERIA)


def overall_text(numerator: int) -> str:
    """Return an overall numerator (0 to 110) as text with two decimals, rounded half up."""
    hundredths = (2 * 100 * numerator + TOTAL_WEIGHT) // (2 * TOTAL_WEIGHT)
    return f"{hundredths // 100}.{hundredths % 100:02d}"


def overall_quality(numerator: int) -> dict[str, Any]:
    """Return an overall numerator (0 to 110) as the API and files state it: exact, and rounded."""
    return {"numerator": numerator, "value": float(overall_text(numerator))}


def band_of(criterion: str, value: int | Fraction) -> Band:
    """Return the band of a score or mean (0 to 10); a value between two is rounded half up.

    `criterion` is one of the four keys or `overall_quality`, whose value is numerator / 11.
    Raises ValueError for an unknown criterion or a value outside the scale.
    """
    if criterion not in ALL_CRITERIA or not LOWEST <= value <= HIGHEST:
        raise ValueError(f"no band for {criterion} at {value}")
    rounded = (2 * Fraction(value) + 1) // 2
    bands = OVERALL_BANDS
    for entry in RUBRIC:
        if entry.key == criterion:
            bands = entry.bands
    return next(band for band in bands if band.low <= rounded <= band.high)
