from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, Final

import pytest

from scoring.models import AgreementReport, DatasetVersion, ModelVersion
from scoring.training.model_versions.card import headline
from scoring.training.model_versions.promotions import NOT_COMPARED, cautions, weaknesses
from tests.scoring.model_builders import CRITERION, make_model, promote
from tests.scoring.training.card_builders import figure

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]
MANY: dict[str, Any] = {"n": 40}
NOON: Final = datetime(2026, 1, 5, 12, tzinfo=UTC)
ASKED: Final = count()


def report(
    version: DatasetVersion,
    taus: dict[str, float | None],
    worse_than: tuple[str, ...] = (),
    references: int = 12,
    **baselines: float,
) -> None:
    """Store a finished report with a tau-b for each scorer and baseline.

    Its tests call the first scorer worse than those named, and leave every other pair undecided.
    """
    first = next(iter(taus))
    pairs = [
        {
            "first": first,
            "second": name,
            "verdict": "worse" if name in worse_than else "cannot tell",
        }
        for name in (*taus, *baselines)
        if name != first
    ]

    def rows(values: dict[str, Any]) -> dict[str, Any]:
        return {name: {"tau_b": {"value": tau}} for name, tau in values.items()}

    AgreementReport.objects.create(
        dataset_version=version,
        criterion=CRITERION,
        scorers=list(taus),
        split="test",
        tie_threshold=0.0,
        status="succeeded",
        result={
            "scorers": rows(taus),
            "baselines": rows(baselines),
            "checks": {"references": references},
            "comparisons": {"families": [{"name": "planned", "pairs": pairs}]},
        },
        # The clock of SQLite tells milliseconds: two rows of a test may have the same one.
        created_at=NOON + timedelta(seconds=next(ASKED)),
    )


def name(model: ModelVersion) -> str:
    return f"model:{model.pk}"


def test_a_model_that_no_report_holds_has_that_against_it(version) -> None:
    report(version, {"bleu-1": 0.4}, length=0.3)
    (sentence,) = cautions(make_model(version, **MANY))
    assert sentence.startswith("No agreement report holds this model")


def test_a_baseline_that_the_test_calls_better_is_named_with_both_figures(version) -> None:
    model = make_model(version, **MANY)
    report(version, {name(model): 0.2}, ("length",), length=0.3, identity=0.25)
    assert cautions(model) == [
        "It agrees worse with annotators than the baseline length in the newest report: tau-b "
        "0.200 against 0.300."
    ]
    report(version, {name(model): 0.4}, length=0.3, random=-0.1)
    assert cautions(model) == []


def test_a_difference_that_the_report_leaves_undecided_is_no_concern(version) -> None:
    model = make_model(version, **MANY)
    report(version, {name(model): 0.2}, length=0.3, identity=0.9)
    assert cautions(model) == weaknesses(model) == []


def test_a_report_of_fewer_than_five_references_measures_nothing(version) -> None:
    model = make_model(version, **MANY)
    report(version, {name(model): -0.7}, ("length",), references=4, length=0.3)
    assert weaknesses(model) == []
    (sentence,) = cautions(model)
    assert sentence.startswith("Not measurable in the newest report: it rests on 4 references")
    report(version, {name(model): -0.7}, references=5)
    assert weaknesses(model) == ["Its tau-b in the newest report is -0.700: worse than chance."]


def test_validation_on_one_reference_is_no_concern_beside_a_figure_left_out(version) -> None:
    one = {"n": 9, "references": 1, "tau_b": -0.654}
    model = make_model(version, **one)
    assert weaknesses(model) == []
    assert cautions(model)[0] == (
        "Not measurable: 9 items of 1 reference, and at least 5 references are needed."
    )
    left_out = {"n": 50, "references": 6, "figures": {"tau_b": figure(0.45, 0.2, 0.7)}}
    model.card["chosen"] = {"unseen": left_out}
    found = headline(model.card)
    assert (found.value, found.low, found.high, found.is_left_out) == (0.45, 0.2, 0.7, True)
    assert found.words == "tau-b 0.45 [0.20, 0.70]"
    assert weaknesses(model) == []
    assert len(cautions(model)) == 1  # that no report holds it
    left_out["figures"] = {"tau_b": figure(-0.1, -0.3, 0.1)}
    assert weaknesses(model) == [
        "Its tau-b with each reference left out in turn is -0.100: worse than chance."
    ]


@pytest.fixture
def active(version, cast) -> ModelVersion:
    found = make_model(version, **MANY)
    promote(found, cast.ada)
    return found


def test_the_promoted_model_is_compared_in_a_report_that_holds_both(version, active) -> None:
    model = make_model(version, **MANY)
    report(version, {name(model): 0.4, name(active): 0.5}, (name(active),), length=0.1)
    (sentence,) = cautions(model)
    assert sentence == (
        "It agrees worse with annotators than the promoted model in the newest report: tau-b 0.400 "
        "against 0.500."
    )
    report(version, {name(model): 0.4, name(active): 0.5}, length=0.1)
    assert cautions(model) == []


def test_without_such_a_report_nothing_compares_them(version, active) -> None:
    model = make_model(version, **MANY | {"tau_b": 0.3})
    report(version, {name(model): 0.4}, length=0.1)
    assert cautions(model) == [NOT_COMPARED]


def test_the_overlap_of_words_is_named_where_the_test_calls_it_better(version) -> None:
    lead = figure(-0.1, -0.2, -0.05) | {"p_holm": 0.01}
    overlaps = {
        "rouge-1": {"tau_b": {"value": 0.3}, "lead": lead | {"verdict": "worse"}},
        "rouge-2": {"tau_b": {"value": 0.9}, "lead": lead | {"verdict": "cannot tell"}},
    }
    better, worse = (
        make_model(version, overlaps=found, n=40, tau_b=0.2)
        for found in ({"rouge-2": overlaps["rouge-2"]}, overlaps)
    )
    report(version, {name(better): 0.4, name(worse): 0.4}, length=0.3)
    assert cautions(better) == []
    assert cautions(worse) == [
        "It agrees worse with annotators than ROUGE-1 on validation: tau-b 0.200 against 0.300."
    ]


@pytest.mark.parametrize(
    ("measured", "words"),
    [
        ({"tau_b": None, "n": 40}, "is undefined"),
        ({"tau_b": -0.1, "n": 40}, "worse than chance"),
        ({"tau_b": -0.5, "n": 40, "references": 4}, "Not measurable: 40 items of 4 references"),
        ({"tau_b": 0.5, "n": 0}, "no item was kept apart"),
    ],
)
def test_poor_validation_figures_are_named(version, measured, words) -> None:
    model = make_model(version, **measured)
    report(version, {name(model): 0.4}, length=0.3)
    (sentence,) = cautions(model)
    assert words in sentence
