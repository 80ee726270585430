"""Models of ours in a report: PatClaimEval-0, and those that were trained."""

import pytest

from patclaimeval.agreement.correlation import tau_b
from patclaimeval.models import prior
from patclaimeval.models.data import Quadruplet
from patclaimeval.models.errors import CheckpointInvalid
from patclaimeval.models.prior import load_prior, prior_of
from patclaimeval.models.ridge import fit
from patclaimeval.models.ridge_training import compare
from scoring.models import DatasetVersion, ModelVersion
from scoring.reports import left_out
from scoring.reports.left_out import TOO_FEW, TOO_MANY
from scoring.reports.scorers import describe_version, is_neural
from scoring.training.runs.services import request_training
from scoring.training.runs.work import carry_out_training
from tests.scoring.asked_reports import CRITERION, finished, request
from tests.scoring.conftest import dataset_rows
from tests.scoring.model_rows import model_row

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]
NAME = "patclaimeval-0"
LEFT_OUT = "patclaimeval-left-out"


def test_patclaimeval_0_is_measured_as_the_library_scores(version: DatasetVersion) -> None:
    entry = finished(version, NAME, "rouge-l")["scorers"][NAME]
    assert (entry["kind"], entry["label"], entry["unavailable"]) == ("model", "PatClaimEval-0", "")
    rows = dataset_rows()
    texts = [(row.reference, text) for row in rows for text in (row.b, row.c)]
    scores = dict(zip(texts, load_prior(CRITERION).score(texts), strict=True))
    gaps = [scores[row.reference, row.b] - scores[row.reference, row.c] for row in rows]
    expected = tau_b(gaps, [row.y[CRITERION] for row in rows]).value
    assert entry["tau_b"]["value"] == pytest.approx(expected, abs=1e-9)


def test_its_version_is_of_the_criterion_and_a_new_file_is_a_new_question(
    version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = describe_version(NAME, 0, CRITERION)
    assert first != describe_version(NAME, 0, "overall_quality")
    asked = request(version, NAME)
    assert request(version, NAME) == asked
    monkeypatch.setattr(prior, "code_version", lambda: "code other")
    assert describe_version(NAME, 0, CRITERION) != first
    assert request(version, NAME) != asked


def test_a_probe_and_patclaimeval_0_need_no_worker_of_the_networks(version: DatasetVersion) -> None:
    run = request_training(version=version, criterion=CRITERION, options={"method": "probe"})
    carry_out_training(run.pk)
    name = f"model:{ModelVersion.objects.get(run=run).pk}"
    tuned = model_row(version)
    tuned.run.settings = {"method": "finetune"}
    tuned.run.save()
    assert [is_neural(one) for one in (NAME, name, f"model:{tuned.pk}")] == [False, False, True]
    assert not request(version, NAME, name).is_neural
    assert request(version, NAME, f"model:{tuned.pk}").is_neural
    result = finished(version, NAME, name)
    told = [(one["kind"], one["unavailable"]) for one in result["scorers"].values()]
    assert told == [("model", "")] * 2


def test_a_file_of_other_features_leaves_its_row_with_the_reason_and_the_report_is_made(
    version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(criterion: str) -> object:
        raise CheckpointInvalid("patclaimeval_0.json belongs to another version of the features.")

    monkeypatch.setattr("scoring.scores.scorers.load_prior", refuse)
    scorers = finished(version, NAME, "rouge-l")["scorers"]
    assert "another version of the features" in scorers[NAME]["unavailable"]
    assert scorers["rouge-l"]["tau_b"]["value"] is not None


def test_patclaimeval_0_stands_in_a_report_that_does_not_ask_for_it(
    version: DatasetVersion,
) -> None:
    told = finished(version, "rouge-l")
    assert NAME in told["baselines"] and NAME not in told["scorers"]
    asked = finished(version, NAME, "rouge-l")
    assert NAME in asked["scorers"] and NAME not in asked["baselines"]
    assert told["baselines"][NAME]["tau_b"] == asked["scorers"][NAME]["tau_b"]


def test_a_reference_left_out_is_scored_by_a_model_of_all_the_others(
    version: DatasetVersion,
) -> None:
    """The split asked for is small; the model learns from the labels of every split."""
    entry = finished(version, LEFT_OUT, split="test")["scorers"][LEFT_OUT]
    rows = dataset_rows()
    items = [Quadruplet(r.reference_id, r.reference, r.b, r.c, r.y[CRITERION]) for r in rows]
    asked = [row for row in rows if row.split == "test"]
    gaps = []
    for row in asked:
        others = [item for item in items if item.reference_id != row.reference_id]
        model = fit(compare(others, lambda done, of: None), prior_of(CRITERION))
        own = [Quadruplet(row.reference_id, row.reference, row.b, row.c, row.y[CRITERION])]
        data = compare(own, lambda done, of: None)
        scores = model.scores(data.features)
        gaps.append(scores[data.b[0]] - scores[data.c[0]])
    expected = tau_b(gaps, [row.y[CRITERION] for row in asked]).value
    assert entry["tau_b"]["value"] == pytest.approx(expected, abs=1e-9)
    assert (entry["kind"], entry["n"]) == ("model", len(asked))


@pytest.mark.parametrize(
    ("limit", "value", "reason"), [("MOST_PAIRS", 17, TOO_MANY), ("FEWEST_REFERENCES", 7, TOO_FEW)]
)
def test_too_few_references_or_too_many_pairs_leave_its_row_with_the_reason(
    version: DatasetVersion, monkeypatch: pytest.MonkeyPatch, limit: str, value: int, reason: str
) -> None:
    monkeypatch.setattr(left_out, limit, value)
    report = request(version, LEFT_OUT, "rouge-l")
    scorers = finished(version, LEFT_OUT, "rouge-l")["scorers"]
    assert scorers[LEFT_OUT]["unavailable"] == reason
    assert scorers["rouge-l"]["tau_b"]["value"] is not None
    assert request(version, LEFT_OUT, "rouge-l") == report
