from typing import Any

import pytest

from patclaimeval.models.prior import prior_tie_threshold
from scoring.models import ModelVersion, ScoreRequest
from scoring.scores.queries import BEST, TIED, MeasuredModel, measured_model, score_page
from scoring.scores.scorers import ScoringModel
from tests.scoring.model_builders import CRITERION, make_model
from tests.scoring.training.test_promotion_cautions import report

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def measured(model: ModelVersion) -> MeasuredModel:
    return measured_model(ScoringModel(model.criterion, model))


def places(version, cast, *entries: dict[str, Any]) -> list[str]:
    """Return the place of each candidate by a model whose tie threshold is 0.1."""
    row = ScoreRequest.objects.create(
        asked_by=cast.rita,
        reference_text="1. A cup.",
        candidate_texts=["1. A mug."] * len(entries),
        models_by_criterion={CRITERION: str(make_model(version).pk)},
        scores={CRITERION: list(entries)},
        status="succeeded",
    )
    return [cells[0]["place"] for _, cells in score_page(row)["rows"]]


def test_the_highest_score_is_best_and_those_within_the_threshold_are_tied_with_it(
    version, cast
) -> None:
    found = places(version, cast, {"score": 0.5}, {"score": 0.75}, {"score": 0.25})
    assert found == ["", BEST, ""]
    found = places(version, cast, {"score": 0.7}, {"score": 0.75}, {"score": 0.25})
    assert found == [TIED, TIED, ""]


@pytest.mark.parametrize(
    ("figures", "why"),
    [
        ({"tau_b": -0.2}, "Its tau-b on validation is -0.200: worse than chance."),
        ({"tau_b": 0.0}, "Its tau-b on validation is 0.000: no better than chance."),
        (
            {
                "tau_b": 0.2,
                "overlaps": {
                    "bleu-1": {"tau_b": {"value": 0.3}, "lead": {"verdict": "worse"}},
                },
            },
            "It agrees worse with annotators than BLEU-1 on validation: tau-b 0.200 against 0.300.",
        ),
    ],
)
def test_a_model_that_is_worse_than_simple_things_names_no_best_and_says_why(
    version, cast, rita, figures, why
) -> None:
    model = make_model(version, **figures)
    row = ScoreRequest.objects.create(
        asked_by=cast.rita,
        reference_text="1. A cup.",
        candidate_texts=["1. A mug.", "1. A jug."],
        models_by_criterion={CRITERION: str(model.pk)},
        scores={CRITERION: [{"score": 0.5}, {"score": 0.9}]},
        status="succeeded",
    )
    page = score_page(row)
    assert [cells[0]["place"] for _, cells in page["rows"]] == ["", ""]
    assert [one.weaknesses for one in page["weak"]] == [(why,)]
    shown = rita.get(f"/score/{row.pk}/").content.decode()
    warning, table = shown.index("Don't rely on this model"), shown.index("Scores from 0 to 1")
    assert warning < table and why in shown


def test_a_report_in_which_a_baseline_is_better_warns_too(version, cast) -> None:
    model = make_model(version)
    assert measured(model).weaknesses == ()
    report(version, {f"model:{model.pk}": 0.2}, ("length",), length=0.3)
    assert measured(model).weaknesses == (
        "It agrees worse with annotators than the baseline length in the newest report: tau-b "
        "0.200 against 0.300.",
    )
    report(version, {f"model:{model.pk}": 0.4}, length=0.3)
    assert measured(model).weaknesses == ()


def test_a_single_score_is_no_best(version, cast) -> None:
    assert places(version, cast, {"score": 0.5}) == [""]
    assert places(version, cast, {"error": "Too long."}, {"score": 0.5}) == ["", ""]
    assert places(version, cast, {"error": "Too long."}) == [""]


def test_models_come_in_the_order_of_the_rubric_and_those_that_are_gone_are_left_out(
    version, cast
) -> None:
    gone = make_model(version, "conceptual_clarity")
    row = ScoreRequest.objects.create(
        asked_by=cast.rita,
        reference_text="1. A cup.",
        candidate_texts=["1. A mug."],
        models_by_criterion={
            "overall_quality": "patclaimeval-0",
            "conceptual_clarity": str(gone.pk),
            CRITERION: str(make_model(version).pk),
        },
    )
    gone.delete()
    page = score_page(row)
    assert page["rows"] == []
    assert [model.criterion for model in page["models"]] == [CRITERION, "overall_quality"]
    assert [model.model is None for model in page["models"]] == [False, True]


def test_patclaimeval_0_is_called_trained_on_no_label() -> None:
    prior = measured_model(ScoringModel("logical_linkage"))
    assert prior.worth == "trained on no label; a report says how far it agrees with yours"
    assert (prior.headline, prior.is_unseen) == (None, False)
    assert (prior.name, prior.tie_threshold) == (
        *("Logical linkage", prior_tie_threshold("logical_linkage")),
    )


def test_what_a_model_is_worth_has_its_interval_where_its_card_has_one(version) -> None:
    plain = measured(make_model(version))
    assert plain.worth == "references it may have seen: tau-b 0.50, n = 12"
    figures = {"tau_b": {"value": 0.5, "low": 0.25, "high": 0.7}}
    assert "tau-b 0.50 [0.25, 0.70]" in measured(make_model(version, figures=figures)).worth
    undefined = make_model(version, tau_b=None, figures={"tau_b": {"value": None}})
    assert measured(undefined).worth == "Not measurable: its tau-b is undefined."


def test_references_are_unseen_where_the_split_separated_them(version) -> None:
    version.card["split"]["by"] = "reference"
    version.save()
    assert measured(make_model(version)).is_unseen
    version.card["counts"]["texts_in_several_splits"] = 1
    version.save()
    assert not measured(make_model(version)).is_unseen
