import pytest

from patclaimeval.rubric import ALL_CRITERIA
from scoring.models import AgreementReport, ModelVersion, TrainingRun
from tests.scoring.conftest import imported, labelled_alike
from tests.scoring.management.commands import document, refusal, run

pytestmark = [pytest.mark.django_db, pytest.mark.embedded]

CRITERION = ("--criterion", "feature_completeness")


@pytest.mark.slow
def test_a_model_is_trained_and_then_reported_by_its_id(version, tiny_encoder) -> None:
    trained = document(
        *("train_patclaimeval", "tiny@1", *CRITERION, "--encoder", str(tiny_encoder)),
        *("--method", "finetune", "--epochs", "1", "--seed", "3", "--device", "cpu"),
    )
    model = ModelVersion.objects.get()
    assert trained["model"] == str(model.pk)
    assert trained["run"] == str(model.run_id)
    assert "tau_b" in trained["validation"]
    assert model.run.settings["seed"] == 3
    name = f"model:{model.pk}"
    report = document(
        *("agreement_report", "tiny", *CRITERION, "--scorers", f"bleu-1, {name}"),
        *("--split", "all", "--tie-threshold", "1e-6"),
    )
    assert list(report["scorers"]) == ["bleu-1", name]
    assert report["question"]["tie_threshold"] == 1e-6
    assert set(report["scorers"][name]["tau_b"]) >= {"value", "low", "high"}
    assert report["report"] == str(AgreementReport.objects.get().pk)


@pytest.mark.slow
def test_all_five_criteria_are_trained_one_after_another(
    data_directory, rows, tiny_encoder
) -> None:
    imported("five", labelled_alike(rows()))
    found = document(
        *("train_patclaimeval", "five", "--criterion", "all", "--encoder", str(tiny_encoder)),
        *("--epochs", "2", "--device", "cpu"),
    )
    models = {model.criterion: str(model.pk) for model in ModelVersion.objects.all()}
    assert {name: one["model"] for name, one in found["models"].items()} == models
    assert set(models) == set(ALL_CRITERIA)


def test_a_report_without_json_is_a_table_with_its_signature(version) -> None:
    table, progress = run(
        *("agreement_report", "tiny", *CRITERION, "--scorers", "length", "--split", "all")
    )
    assert progress
    lines = table.splitlines()
    assert lines[0].startswith("scorer")
    assert lines[1].startswith("length")
    assert any(line.startswith("majority") for line in lines)
    assert any(line.startswith("signature: ") for line in lines)
    # The table ends at the empty line before the first line that is no part of it.
    tables = [line for line in lines if line.startswith(("scorer", "length", "majority", "random"))]
    assert max(map(len, tables)) <= 80
    assert len({line.split()[0] for line in tables}) < len(tables)


def test_a_training_without_json_says_what_it_made_in_a_few_lines(version) -> None:
    words, _ = run("train_patclaimeval", "tiny", *CRITERION)
    lines = words.splitlines()
    model = ModelVersion.objects.get()
    assert lines[0] == f"model: {model.pk}"
    assert f"trained on: {model.card['n_training']} items" in lines
    assert any(line.startswith("references left out in turn: ") for line in lines)
    assert not any(line.startswith("validation: ") for line in lines)
    assert not set("{}'") & set(words)
    assert len(lines) < 20 and max(map(len, lines)) <= 80


def test_a_training_is_refused_in_one_line_and_not_queued(version) -> None:
    command = ("train_patclaimeval", "tiny", *CRITERION)
    assert "no dataset 'other'" in refusal("train_patclaimeval", "other", *CRITERION)
    for wrong in ("learning-rate nan", "epochs 0", "device tpu"):
        option, value = wrong.split()
        assert option.replace("-", "_") in refusal(*command, f"--{option}", value)
    without_labels = ("train_patclaimeval", "tiny", "--criterion", "overall_quality")
    assert "has 0 quadruplets" in refusal(*without_labels)
    assert not TrainingRun.objects.exists()


def test_a_missing_encoder_directory_is_a_sentence_and_no_model(version, tmp_path) -> None:
    missing = str(tmp_path / "missing-encoder")
    tuning = ("--method", "finetune", "--encoder", missing)
    line = refusal("train_patclaimeval", "tiny", *CRITERION, *tuning)
    assert line.startswith("Training failed:")
    assert "missing-encoder" in line
    assert not ModelVersion.objects.exists()


def test_a_report_is_refused_in_one_line_and_not_queued(version) -> None:
    def refused(scorers: str, *more: str) -> str:
        return refusal("agreement_report", "tiny", *CRITERION, "--scorers", scorers, *more)

    assert "at least one scorer" in refused(" , ")
    assert "no metric called 'bleu-9'" in refused("bleu-9")
    assert "There is no model" in refused("model:1")
    assert "tie_threshold" in refused("bleu-1", "--tie-threshold", "-1")
    assert not AgreementReport.objects.exists()
