"""The figures of agreement of a reliability report as tables: coefficients, plan, histogram."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from annotator.queries.figure_grids import (
    COEFFICIENT,
    HEADS,
    POINTS,
    SHARE,
    Form,
    Grid,
    Notes,
    Row,
    by_criterion,
    cell,
    plain_cells,
)
from annotator.rubric import NAMES

Result = Mapping[str, Any]

AGREEMENT: Final = (
    ("alpha_interval", "Krippendorff's alpha, interval", COEFFICIENT),
    ("alpha_ordinal", "Krippendorff's alpha, ordinal", COEFFICIENT),
    ("alpha_nominal", "Krippendorff's alpha, nominal", COEFFICIENT),
    ("icc_single", "ICC(2,1), one rating", COEFFICIENT),
    ("icc_mean", "ICC(2,k), mean of the ratings", COEFFICIENT),
    ("kappa_quadratic", "Quadratic kappa, mean over pairs of annotators", COEFFICIENT),
    ("ac2", "Gwet's AC2, quadratic", COEFFICIENT),
    ("exact", "Equal scores", SHARE),
    ("within_one", "At most one point apart", SHARE),
    ("mean_difference", "Mean distance, in points", POINTS),
    ("order_tau", "Order of two candidates, tau", COEFFICIENT),
    ("order_flips", "Order of two candidates, opposite", SHARE),
)
PREFERENCES: Final = (
    ("exact", "Equal answers", SHARE),
    ("kappa", "Cohen's kappa, mean over pairs of annotators", COEFFICIENT),
    ("alpha_ordinal", "Krippendorff's alpha, ordinal", COEFFICIENT),
    ("alpha_nominal", "Krippendorff's alpha, nominal", COEFFICIENT),
    ("ac1", "Gwet's AC1", COEFFICIENT),
)
BAR_HEIGHT: Final = 24
MOST_PAIRS: Final = 50


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a histogram: where it begins from the top, and how high it is."""

    x: int
    y: int
    height: int


@dataclass(frozen=True, slots=True)
class Histogram:
    """How often each whole score was given on one criterion."""

    name: str
    counts: tuple[int, ...]
    bars: tuple[Bar, ...]


def agreement_grid(result: Result) -> Grid:
    """Return the coefficients by criterion."""
    caption = "Agreement; below each figure its 95 % interval, clustered by reference"
    return by_criterion(caption, result["criteria"], AGREEMENT)


def plan_grid(result: Result) -> Grid:
    """Return how many annotators a candidate needs for a wanted standard error of its mean."""
    notes = Notes()
    criteria = result["criteria"]
    whole = Form(0)
    rows = tuple(
        Row(
            f"{line['standard_error']:g}",
            "",
            tuple(cell(entry["plan"][place], whole, notes, "annotators") for entry in criteria),
        )
        for place, line in enumerate(criteria[0]["plan"])
    )
    caption = "Annotators that a candidate needs for a standard error, in points, of its mean score"
    return Grid(caption, HEADS, rows, tuple(notes.found))


def histograms(result: Result) -> tuple[Histogram, ...]:
    """Return the histogram of the scores of each criterion."""
    return tuple(_histogram(entry) for entry in result["criteria"])


def preference_grids(result: Result) -> tuple[Grid, ...]:
    """Return the figures on preferences and the counts of answers; nothing without any."""
    criteria = result["preferences"]["criteria"]
    if not criteria:
        return ()
    caption = "Agreement on which of two candidates is better"
    # Which candidate of a pair counts as first is arbitrary, so that both sides are one count.
    answers = tuple(
        Row(
            NAMES[entry["key"]],
            "",
            plain_cells((entry["answers"][0] + entry["answers"][2], entry["answers"][1])),
        )
        for entry in criteria
    )
    said = Grid("Answers", ("One of the two is better", "Equal"), answers)
    return (by_criterion(caption, criteria, PREFERENCES, "pair{s}"), said)


def pair_grid(result: Result) -> Grid | None:
    """Return the kappa of each two annotators, the lowest overall first; None without any."""
    criteria = result["criteria"]
    notes = Notes()
    stored = [{(one["first"], one["second"]): one for one in entry["pairs"]} for entry in criteria]
    overall = stored[-1]
    if not overall:
        return None

    def low_first(names: tuple[str, str]) -> tuple[bool, float]:
        value = overall[names]["value"]
        return value is None, value or 0.0

    shown = sorted(overall, key=low_first)[:MOST_PAIRS]
    rows = tuple(
        Row(
            f"{first} and {second}",
            f"n = {overall[first, second]['n']:,}",
            tuple(cell(entry[first, second], COEFFICIENT, notes) for entry in stored),
        )
        for first, second in shown
    )
    caption = "Quadratic kappa of two annotators, the lowest overall first"
    if len(overall) > len(shown):
        caption += f"; {len(shown)} of {len(overall)} pairs, all of them over the API"
    return Grid(caption, HEADS, rows, tuple(notes.found))


def _histogram(entry: Mapping[str, Any]) -> Histogram:
    counts = tuple(entry["histogram"])
    most = max(counts) or 1
    heights = [-(-BAR_HEIGHT * count // most) for count in counts]
    bars = tuple(
        Bar(12 * place, BAR_HEIGHT - height, height) for place, height in enumerate(heights)
    )
    return Histogram(NAMES[entry["key"]], counts, bars)
