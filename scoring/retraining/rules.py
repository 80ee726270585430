"""Whether a report shows that a new model is worse than the promoted one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from patclaimeval.agreement.verdicts import BETTER, WORSE, verdict_sentence

NEW: Final = "the new model"
PROMOTED: Final = "the promoted one"
TOO_FEW: Final = (
    "Too few test references have labels: no test on them could find a difference between the two "
    "models."
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a new model compares with the promoted one; `is_worse` is None where no test tells."""

    is_worse: bool | None
    sentence: str


def compare_models(document: Mapping[str, Any], new: str, promoted: str) -> Comparison:
    """Read from a report's document how two of its scorers compare.

    Input: the document, and the names of both scorers. The paired permutation test over whole
    references decides, after Holm's correction, as in the report. "Not worse" means that the test
    was made, could have found a difference, and finds none against the new model.
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
