from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, Final

import pytest

from scoring.models import AgreementReport, DatasetVersion, ModelVersion
from scoring.training.model_versions.promotions import cautions
from tests.scoring.conftest import dataset_rows, imported
from tests.scoring.model_builders import CRITERION, make_model, promote

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]
MANY: dict[str, Any] = {"n": 40}
NOON: Final = datetime(2026, 1, 5, 12, tzinfo=UTC)
ASKED: Final = count()


def report(version: DatasetVersion, taus: dict[str, float | None], **baselines: float) -> None:
    """Store a finished report with a tau-b for each scorer and baseline."""

    def rows(values: dict[str, Any]) -> dict[str, Any]:
        return {name: {"tau_b": {"value": tau}} for name, tau in values.items()}

    AgreementReport.objects.create(
        dataset_version=version,
        criterion=CRITERION,
        scorers=list(taus),
        split="test",
        tie_threshold=0.0,
        status="succeeded",
        result={"scorers": rows(taus), "baselines": rows(baselines)},
        # The clock of SQLite tells milliseconds: two rows of a test may have the same one.
        created_at=NOON + timedelta(seconds=next(ASKED)),
    )


def name(model: ModelVersion) -> str:
    return f"model:{model.pk}"


def test_a_model_that_no_report_holds_has_that_against_it(version) -> None:
    report(version, {"bleu-1": 0.4}, length=0.3)
    (sentence,) = cautions(make_model(version, **MANY))
    assert sentence.startswith("No agreement report holds this model")


def test_a_baseline_that_is_better_in_the_newest_report_is_named_with_both_figures(version) -> None:
    model = make_model(version, **MANY)
    report(version, {name(model): 0.2}, length=0.3, identity=0.25)
    assert cautions(model) == [
        "Its tau-b in the newest report is 0.200, that of the baseline length 0.300."
    ]
    report(version, {name(model): 0.4}, length=0.3, random=-0.1)
    assert cautions(model) == []


@pytest.fixture
def active(version, cast) -> ModelVersion:
    found = make_model(version, **MANY)
    promote(found, cast.ada)
    return found


def test_the_promoted_model_is_compared_in_a_report_that_holds_both(version, active) -> None:
    model = make_model(version, **MANY)
    report(version, {name(model): 0.4, name(active): 0.5}, length=0.1)
    (sentence,) = cautions(model)
    assert "0.400, that of the promoted model 0.500" in sentence


def test_without_such_a_report_validation_on_the_same_data_compares_them(version, active) -> None:
    model = make_model(version, **MANY | {"tau_b": 0.3})
    report(version, {name(model): 0.4}, length=0.1)
    (sentence,) = cautions(model)
    assert "on validation is 0.300, that of the promoted model 0.500" in sentence


def test_other_data_are_not_compared_by_validation(version, active) -> None:
    model = make_model(imported("other", dataset_rows(3)), **MANY)
    report(version, {name(model): 0.4}, length=0.1)
    (sentence,) = cautions(model)
    assert "validated on other data" in sentence


def test_the_overlap_of_words_is_named_where_it_is_better_on_validation(version) -> None:
    overlaps = {"rouge-1": {"tau_b": {"value": 0.3}}, "rouge-2": {"tau_b": {"value": None}}}
    better, worse = (make_model(version, overlaps=overlaps, n=40, tau_b=tau) for tau in (0.5, 0.2))
    report(version, {name(better): 0.4, name(worse): 0.4}, length=0.3)
    assert cautions(better) == []
    assert cautions(worse) == ["Its tau-b on validation is 0.200, that of rouge-1 0.300."]


@pytest.mark.parametrize(
    ("measured", "words"),
    [
        ({"tau_b": None, "n": 40}, "is undefined"),
        ({"tau_b": -0.1, "n": 40}, "worse than chance"),
        ({"tau_b": 0.5, "n": 7}, "validated on 7 quadruplets only"),
    ],
)
def test_poor_validation_figures_are_named(version, measured, words) -> None:
    model = make_model(version, **measured)
    report(version, {name(model): 0.4}, length=0.3)
    (sentence,) = cautions(model)
    assert words in sentence
