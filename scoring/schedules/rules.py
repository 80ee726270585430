"""When a schedule is due, and whether a report shows a new model to be worse than the promoted."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from scoring.agreement.verdicts import BETTER, WORSE, verdict_sentence

MOST_SETTLED: Final = 100_000
LAST_HOUR: Final = 23
# R references can be swapped in 2^R ways, so that no p lies below 2 / 2^R: of five, above 5 %.
FEWEST_TESTED: Final = 6
NEW: Final = "the new model"
PROMOTED: Final = "the promoted one"
TOO_FEW: Final = (
    "Too few test references have labels: whatever the two models say, the test could find no "
    "difference between them."
)


@dataclass(frozen=True, slots=True)
class Rhythm:
    """When a schedule begins a chain: after so many newly settled candidates, or at an hour (UTC).

    One of both is None.
    """

    after_settled: int | None
    at_hour: int | None


def newly_settled(before: int, now: int) -> int:
    """Return how many more candidates are settled than before; 0 where some were reopened."""
    return max(0, now - before)


def last_night(hour: int, now: datetime) -> datetime:
    """Return the latest moment at which it was that hour (0 to 23), in the zone of `now`."""
    tonight = now.replace(hour=hour, minute=0, second=0, microsecond=0)
    return tonight if tonight <= now else tonight - timedelta(days=1)


def may_begin(rhythm: Rhythm, *, began_at: datetime, now: datetime) -> bool:
    """Return whether the time for a chain has come; `began_at` is when the last one began."""
    return rhythm.at_hour is None or began_at < last_night(rhythm.at_hour, now)


def has_enough(rhythm: Rhythm, fresh: int) -> bool:
    """Return whether so many newly settled candidates begin a chain; none begin none."""
    return fresh >= (rhythm.after_settled or 1)


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a new model stands to the promoted one; `is_worse` is None where no test says so."""

    is_worse: bool | None
    sentence: str


def compare(document: Mapping[str, Any], new: str, promoted: str) -> Comparison:
    """Read out of a report's document how two of its scorers compare.

    The paired permutation test over whole references decides, after Holm's correction, as in the
    report. Not worse means that it was made, could have found a difference, and finds none against
    the new one.
    """
    for name in (new, promoted):
        if reason := document["scorers"].get(name, {}).get("unavailable"):
            return Comparison(None, reason)
    tested = document.get("comparisons") or {}
    pairs = (pair for family in tested.get("families", []) for pair in family["pairs"])
    pair = next((one for one in pairs if {one["first"], one["second"]} == {new, promoted}), None)
    if pair is None:
        return Comparison(None, "The report holds no test of the two models.")
    if pair["difference"] is None:
        return Comparison(None, pair["sentence"])
    if not tested.get("is_reachable", tested["smallest_p"] < tested["alpha"]):
        return Comparison(None, TOO_FEW)
    against = WORSE if pair["first"] == new else BETTER
    sentence = verdict_sentence(pair, {new: NEW, promoted: PROMOTED}, tested.get("tests", 1))
    return Comparison(pair["verdict"] == against, sentence[0].upper() + sentence[1:])
