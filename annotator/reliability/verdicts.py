"""How far annotators agree, in one sentence and as plots of every coefficient."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from annotator.reliability.grids import AGREEMENT, COEFFICIENT, figures_by_key
from core.plots.intervals import NARROW, Measured, interval_plot
from core.plots.shapes import Plot
from patclaimeval.rubric import NAMES

# The levels of Krippendorff, Content Analysis, 2004: below the second nothing is concluded.
RELIABLE: Final = 0.8
TENTATIVE: Final = 0.667
MEASURE: Final = "alpha_interval"
PREFERENCE_MEASURE: Final = "alpha_ordinal"
NO_RATINGS: Final = "There are no ratings, so agreement on scores cannot be measured."
DRAWN: Final = tuple((key, name) for key, name, form in AGREEMENT if form is COEFFICIENT)


def verdict(result: Mapping[str, Any]) -> str:
    """Say whether annotators agree on overall quality, and on which criterion least.

    Input: a stored result. The verdict on ratings rests on Krippendorff's alpha on the interval
    scale, and on the lower end of its interval, where there is one, for whether there is agreement
    beyond chance at all. Where ratings allow no verdict and there are preferences, it rests on the
    ordinal alpha of these.
    """
    of_preferences = preference_verdict(result)
    if of_preferences and not result["counts"]["ratings"]:
        return f"{of_preferences} {NO_RATINGS}"
    of_ratings = rating_verdict(result)
    if of_preferences and figures_by_key(result["criteria"][-1])[MEASURE]["value"] is None:
        return f"{of_ratings} {of_preferences}"
    return of_ratings


def preference_verdict(result: Mapping[str, Any]) -> str:
    """Say whether annotators prefer the same candidate of a pair; "" without a preference.

    Input: a stored result. It rests on Krippendorff's ordinal alpha of the answers on overall
    quality, as `rating_verdict` does on that of the ratings.
    """
    criteria = result.get("preferences", {}).get("criteria", ())
    if not criteria:
        return ""
    found = figures_by_key(criteria[-1])[PREFERENCE_MEASURE]
    if found["value"] is None:
        return f"No verdict on preferences: {_inside(found.get('reason') or 'undefined')}"
    references = f"{found['clusters']:,} reference{'' if found['clusters'] == 1 else 's'}"
    return (
        f"{_level(found, 'preferences')}: Krippendorff's ordinal alpha of which candidate is "
        f"better overall is {_number(found)} over {found['n']:,} "
        f"pair{'' if found['n'] == 1 else 's'} of {references}."
    )


def rating_verdict(result: Mapping[str, Any]) -> str:
    """Say whether overall quality is rated alike, and which criterion least."""
    *others, overall = result["criteria"]
    found = figures_by_key(overall)[MEASURE]
    if found["value"] is None:
        return f"No verdict on overall quality: {_inside(found.get('reason') or 'undefined')}"
    references = f"{found['clusters']:,} reference{'' if found['clusters'] == 1 else 's'}"
    sentence = (
        f"{_level(found, 'ratings')}: Krippendorff's alpha of overall quality is "
        f"{_number(found)} over {found['n']:,} candidate{'' if found['n'] == 1 else 's'} "
        f"of {references}"
    )
    known = [
        (one["value"], NAMES[entry["key"]])
        for entry in others
        for one in (figures_by_key(entry)[MEASURE],)
        if one["value"] is not None
    ]
    if not known:
        return f"{sentence}."
    least, name = min(known)
    lowest = f"{name.lower()}, {COEFFICIENT.text(least)}"
    return f"{sentence}; of single criteria it is lowest for {lowest}."


def _level(found: Mapping[str, Any], what: str) -> str:
    value, low = found["value"], found.get("low")
    if value <= 0 or (low is not None and low <= 0):
        return "It is not shown that annotators agree beyond chance"
    if value >= RELIABLE:
        return f"Annotators agree well enough to rely on their {what}"
    if value >= TENTATIVE:
        return "Annotators agree well enough for tentative conclusions only"
    return f"Annotators agree too little to conclude from their {what}"


def _number(found: Mapping[str, Any]) -> str:
    value, low, high = (found.get(key) for key in ("value", "low", "high"))
    text = COEFFICIENT.text(float(value or 0.0))
    if low is None or high is None:
        return text
    return f"{text} (95 % interval {COEFFICIENT.text(low)} to {COEFFICIENT.text(high)})"


def _inside(reason: str) -> str:
    return reason[:1].lower() + reason[1:]


def forest_plots(result: Mapping[str, Any]) -> tuple[Plot, ...]:
    """Return every coefficient of agreement with its interval, a plot a criterion, on one axis.

    Overall quality comes first. What is undefined is not drawn, nor a criterion without a figure.
    """
    *others, overall = result["criteria"]
    drawn = [(NAMES[entry["key"]], _rows(entry)) for entry in (overall, *others)]
    every = [row for _, rows in drawn for row in rows]
    bounds = [
        bound for row in every for bound in (row.value, row.low, row.high) if bound is not None
    ]
    return tuple(
        interval_plot(
            f"Agreement on {name.lower()}", rows, unit="coefficient", width=NARROW, holds=bounds
        )
        for name, rows in drawn
        if rows
    )


def _rows(entry: Mapping[str, Any]) -> Sequence[Measured]:
    stored = figures_by_key(entry)
    return [
        Measured(name, "own", one["value"], one.get("low"), one.get("high"))
        for key, name in DRAWN
        for one in (stored[key],)
        if one["value"] is not None
    ]
