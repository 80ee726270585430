"""The form of a training run: recipes, listed encoders, an estimate that starts nothing."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from annotator.rubric import ALL_CRITERIA
from scoring.models import DatasetVersion, TrainingRun
from tests.scoring.conftest import signed_in

pytestmark = [pytest.mark.django_db]
CRITERION = "feature_completeness"


@pytest.fixture
def rita(cast: Any, version: DatasetVersion) -> Client:
    version.dataset.campaign = cast.campaign
    version.dataset.save()
    return signed_in(cast.rita)


def sent(version: DatasetVersion, **more: str) -> dict[str, str]:
    plain = {"margin": "0.2", "tolerance": "0.05", "seed": "0"}
    return {"version": str(version.pk), "criterion": CRITERION, **plain, **more}


def test_an_estimate_shows_time_and_memory_and_starts_nothing(
    rita: Client, version: DatasetVersion
) -> None:
    answer = rita.post("/runs/", sent(version, recipe="default", estimate="1"))
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "12 quadruplets to train and 3 to validate on" in page
    assert "seconds</dd>" in page and "GB</dd>" in page
    assert "take the range as a guess" in page
    assert not TrainingRun.objects.exists()
    version.card["tokens"] = {}
    version.save()
    page = rita.post("/runs/", sent(version, estimate="1")).content.decode()
    assert "Nothing can be said" in page


def test_an_estimate_speaks_of_all_five_where_all_are_asked_for(
    rita: Client, version: DatasetVersion
) -> None:
    version.card["labels"] = dict.fromkeys(ALL_CRITERIA, version.card["labels"][CRITERION])
    version.save()
    wish = sent(version, estimate="1") | {"criterion": "all"}
    page = rita.post("/runs/", wish).content.decode()
    assert "seconds for all 5 together</dd>" in page
    assert "5 trainings, the largest of" in page
    assert not TrainingRun.objects.exists()


def test_without_a_dataset_version_the_page_shows_what_comes_first(cast: Any) -> None:
    rita = signed_in(cast.rita)
    page = rita.get("/runs/").content.decode()
    assert '<a href="/datasets/freeze/">Freeze a campaign</a> first' in page
    assert "import_dataset" in page
    assert "Start training</button>" not in page
    answer = rita.post("/runs/", {"criterion": CRITERION})
    assert answer.status_code == 422
    assert "Freeze a campaign</a> first" in answer.content.decode()


def test_precision_and_what_becomes_of_long_pairs_are_chosen(
    rita: Client, version: DatasetVersion
) -> None:
    page = rita.get("/runs/").content.decode()
    assert 'id="id_precision_helptext"' in page and 'id="id_over_length_helptext"' in page
    wish = {"recipe": "probe-then-finetune", "precision": "bf16", "over_length": "leave-out"}
    assert rita.post("/runs/", sent(version, **wish)).status_code == 302
    settings = TrainingRun.objects.get().settings
    assert (settings["precision"], settings["over_length"]) == ("bf16", "leave-out")
    answer = rita.post("/runs/", sent(version, recipe="default", precision="bf16"))
    assert answer.status_code == 422
    assert 'id="id_precision_error">must be fp32 for the probe' in answer.content.decode()
    assert TrainingRun.objects.count() == 1


def test_an_estimate_of_a_bad_setting_names_the_field(
    rita: Client, version: DatasetVersion
) -> None:
    answer = rita.post("/runs/", sent(version, tolerance="0.9", estimate="1"))
    assert answer.status_code == 422
    assert 'id="id_tolerance_error">must not be larger' in answer.content.decode()


def test_only_who_may_start_a_run_is_given_an_estimate(
    cast: Any, rita: Client, version: DatasetVersion
) -> None:
    answer = signed_in(cast.ada).post("/runs/", sent(version, estimate="1"))
    assert answer.status_code == 403


def test_a_recipe_and_a_listed_encoder_become_settings(
    rita: Client, version: DatasetVersion, data_directory: Path, tiny_encoder: Path
) -> None:
    shutil.copytree(tiny_encoder, data_directory / "encoders" / "tiny")
    assert '<option value="tiny">' in rita.get("/runs/").content.decode()
    wish = sent(version, recipe="paper", encoder="tiny", epochs="3", batching="by-reference")
    assert rita.post("/runs/", wish).status_code == 302
    settings = TrainingRun.objects.get().settings
    assert (settings["preset"], settings["method"], settings["epochs"]) == ("paper", "finetune", 3)
    assert settings["encoder"] == str(data_directory / "encoders" / "tiny")
    assert (settings["learning_rate"], settings["batching"]) == (5e-6, "by-reference")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("recipe", "secret"),
        *(("encoder", name) for name in ("../..", "allenai/longformer-base-4096", "/etc")),
        ("epochs", "0"),
        ("learning_rate", "nan"),
        ("weight_decay", "-1"),
        ("batch_size", "1e9"),
        ("batching", "random"),
        ("precision", "fp8"),
        ("over_length", "cut"),
    ],
)
def test_what_is_not_offered_is_refused_beside_its_field(
    rita: Client, version: DatasetVersion, field: str, value: str
) -> None:
    answer = rita.post("/runs/", sent(version, **{field: value}))
    assert answer.status_code == 422
    assert f'id="id_{field}_error"' in answer.content.decode()
    assert not TrainingRun.objects.exists()


def test_the_papers_recipe_without_its_encoder_says_what_to_put_where(
    rita: Client, version: DatasetVersion
) -> None:
    answer = rita.post("/runs/", sent(version, recipe="paper", encoder="default"))
    assert answer.status_code == 422
    assert 'id="id_encoder_error">The paper&#x27;s recipe needs a Longformer.' in (
        answer.content.decode()
    )
    assert not TrainingRun.objects.exists()
