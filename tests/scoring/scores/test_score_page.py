"""What the page of a score request shows."""

from typing import Any

import pytest

from scoring.models import ScoreRequest
from scoring.scores.queries import BEST, TIED, score_page, scoring_model_details
from tests.scoring.model_builders import CRITERION, make_model

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def asked(version, cast, candidates: int, **more: Any) -> ScoreRequest:
    return ScoreRequest.objects.create(
        asked_by=cast.rita, reference_text="1. A cup.", candidate_texts=["1. A mug."] * candidates,
        models_by_criterion={CRITERION: str(make_model(version).pk)}, **more,
    )  # fmt: skip


def places(version, cast, *entries: dict[str, Any]) -> list[str]:
    """Return what is said of each candidate by a model whose tie threshold is 0.1."""
    scores = {CRITERION: list(entries)}
    row = asked(version, cast, len(entries), scores=scores, status="succeeded")
    return [cells[0].place for _, cells in score_page(row).rows]


def test_the_highest_score_is_best_and_those_within_the_threshold_are_tied_with_it(
    version, cast
) -> None:
    found = places(version, cast, {"score": 0.5}, {"score": 0.75}, {"score": 0.25})
    assert found == ["", BEST, ""]
    found = places(version, cast, {"score": 0.7}, {"score": 0.75}, {"score": 0.25})
    assert found == [TIED, TIED, ""]


def test_a_single_score_is_no_best(version, cast) -> None:
    assert places(version, cast, {"score": 0.5}) == [""]
    assert places(version, cast, {"error": "Too long."}, {"score": 0.5}) == ["", ""]
    assert places(version, cast, {"error": "Too long."}) == [""]


def test_criteria_without_a_model_are_named_in_the_order_of_the_rubric(version, cast) -> None:
    page = score_page(asked(version, cast, 1))
    assert page.rows == ()
    assert [model.criterion for model in page.models] == [CRITERION]
    assert page.missing.startswith(
        "No model is promoted for Conceptual clarity, Terminology consistency, Logical linkage, "
        "Overall quality. A researcher"
    )


def test_what_a_model_is_worth_is_said_with_its_interval_where_its_card_has_one(version) -> None:
    plain = scoring_model_details(make_model(version))
    assert plain.worth == "references it may have seen: tau-b 0.50, n = 12"
    figures = {"tau_b": {"value": 0.5, "low": 0.25, "high": 0.7}}
    known = scoring_model_details(make_model(version, figures=figures))
    assert "tau-b 0.50 [0.25, 0.70]" in known.worth
    undefined = make_model(version, tau_b=None, figures={"tau_b": {"value": None}})
    assert scoring_model_details(undefined).worth.endswith("tau-b undefined, n = 12")


def test_references_are_unseen_where_the_split_kept_them_apart(version) -> None:
    version.card["split"]["by"] = "reference"
    version.save()
    assert scoring_model_details(make_model(version)).is_unseen
    version.card["counts"]["texts_in_several_splits"] = 1
    version.save()
    assert not scoring_model_details(make_model(version)).is_unseen
