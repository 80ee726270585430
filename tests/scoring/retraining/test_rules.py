"""What a report says of a new model beside the promoted one."""

from typing import Any

import pytest

from scoring.retraining.rules import TOO_FEW, compare_models

NEW, PROMOTED = "model:new", "model:promoted"


def document(**pair: Any) -> dict[str, Any]:
    """Return what a report holds of a test of both models, with what is given."""
    given = {"first": NEW, "second": PROMOTED, "difference": 0.0, "verdict": "cannot tell"} | pair
    given = {"low": -0.3, "high": 0.1, "p_holm": 0.02} | given
    smallest = given.pop("smallest_p", 0.01)
    families = [{"name": "scorers", "pairs": [given | {"sentence": "They compare so."}]}]
    return {
        "scorers": {NEW: {"unavailable": ""}, PROMOTED: {"unavailable": ""}},
        "comparisons": {"families": families, "smallest_p": smallest, "alpha": 0.05},
    }


@pytest.mark.parametrize(
    ("pair", "is_worse", "said"),
    [
        ({}, False, "We cannot tell the new model and the promoted one apart"),
        ({"verdict": "better"}, False, "The new model agrees better with annotators than the"),
        ({"verdict": "worse"}, True, "The new model agrees worse with annotators than the"),
        # As a report may hold them the other way round.
        ({"first": PROMOTED, "second": NEW, "verdict": "better"}, True, "The promoted one agrees"),
        ({"first": PROMOTED, "second": NEW, "verdict": "worse"}, False, "The promoted one agrees"),
        # A lower figure that no test confirms is not worse.
        ({"difference": -0.2}, False, "a difference in tau-b of -0.200"),
    ],
)
def test_the_test_of_the_report_says_which_is_worse(pair, is_worse, said) -> None:
    found = compare_models(document(**pair), NEW, PROMOTED)
    assert found.is_worse == is_worse
    assert said in found.sentence


def test_where_no_test_was_possible_nothing_is_said_to_be_not_worse() -> None:
    undefined = compare_models(document(difference=None), NEW, PROMOTED)
    assert (undefined.is_worse, undefined.sentence) == (None, "They compare so.")
    few = compare_models(document(smallest_p=0.0625), NEW, PROMOTED)
    assert (few.is_worse, few.sentence) == (None, TOO_FEW)
    holm = document()
    holm["comparisons"] |= {"is_reachable": False, "tests": 8}
    assert compare_models(holm, NEW, PROMOTED).sentence == TOO_FEW
    absent = compare_models(document(second="bleu-1"), NEW, PROMOTED)
    assert absent.is_worse is None and "no test" in absent.sentence
    broken = document()
    broken["scorers"][PROMOTED]["unavailable"] = "Its files are gone."
    assert compare_models(broken, NEW, PROMOTED).sentence == "Its files are gone."
    assert compare_models(document() | {"comparisons": {}}, NEW, PROMOTED).is_worse is None
