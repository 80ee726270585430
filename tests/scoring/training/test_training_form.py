import shutil

import pytest

from patclaimeval.rubric import ALL_CRITERIA
from scoring.models import DatasetVersion, TrainingRun
from tests.scoring.conftest import shown

pytestmark = [pytest.mark.django_db]
CRITERION = "feature_completeness"


def sent(version: DatasetVersion, **more: str) -> dict[str, str]:
    plain = {"margin": "0.2", "tolerance": "0.05", "seed": "0"}
    return {"version": str(version.pk), "criterion": CRITERION, **plain, **more}


def test_an_estimate_shows_time_and_memory_and_starts_nothing(rita, of_campaign) -> None:
    answer = rita.post("/runs/", sent(of_campaign, recipe="default", estimate="1"))
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "15 quadruplets to train on" in page
    assert "seconds</dd>" in page and "GB</dd>" in page
    assert "take the range as a guess" in page
    assert not TrainingRun.objects.exists()
    of_campaign.card["tokens"] = {}
    of_campaign.save()
    page = rita.post("/runs/", sent(of_campaign, estimate="1")).content.decode()
    assert "No estimate" in page


def test_an_estimate_speaks_of_all_five_where_all_are_asked_for(rita, of_campaign) -> None:
    labels = of_campaign.card["labels"][CRITERION]
    of_campaign.card["labels"] = dict.fromkeys(ALL_CRITERIA, labels)
    of_campaign.save()
    page = rita.post("/runs/", sent(of_campaign, estimate="1", criterion="all")).content.decode()
    assert "seconds for all 5 together</dd>" in page
    assert "5 trainings, the largest of" in page
    assert not TrainingRun.objects.exists()


def test_without_a_dataset_version_the_page_names_what_comes_first(rita) -> None:
    page = shown(rita, "/runs/")
    assert '<a href="/datasets/freeze/">Freeze a campaign</a> first' in page
    assert "import_dataset" in page
    assert "Start training</button>" not in page
    answer = rita.post("/runs/", {"criterion": CRITERION})
    assert answer.status_code == 422
    assert "Freeze a campaign</a> first" in answer.content.decode()


def test_precision_and_what_becomes_of_long_pairs_are_chosen(rita, of_campaign) -> None:
    page = shown(rita, "/runs/")
    assert 'id="id_precision_helptext"' in page and 'id="id_over_length_helptext"' in page
    wish = {
        "recipe": "probe-then-finetune",
        "precision": "bf16",
        "over_length": "leave-out",
    }
    assert rita.post("/runs/", sent(of_campaign, **wish)).status_code == 302
    settings = TrainingRun.objects.get().settings
    assert (settings["precision"], settings["over_length"]) == ("bf16", "leave-out")


def test_only_a_researcher_starts_a_run_or_is_given_an_estimate(
    cast, rita, ada, of_campaign
) -> None:
    for more in ({}, {"estimate": "1"}):
        assert ada.post("/runs/", sent(of_campaign, **more)).status_code == 403
    answer = rita.post("/runs/", sent(of_campaign))
    run = TrainingRun.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, f"/runs/{run.pk}/")
    assert (run.requested_by, run.settings["margin"]) == (cast.rita, 0.2)


def test_a_recipe_and_a_listed_encoder_become_settings(
    rita, of_campaign, data_directory, tiny_encoder
) -> None:
    shutil.copytree(tiny_encoder, data_directory / "encoders" / "tiny")
    assert '<option value="tiny">' in shown(rita, "/runs/")
    wish = sent(of_campaign, recipe="paper", encoder="tiny", epochs="3", batching="by-reference")
    assert rita.post("/runs/", wish).status_code == 302
    settings = TrainingRun.objects.get().settings
    assert (settings["preset"], settings["method"], settings["epochs"]) == ("paper", "finetune", 3)
    assert settings["encoder"] == str(data_directory / "encoders" / "tiny")
    assert (settings["learning_rate"], settings["batching"]) == (5e-6, "by-reference")


@pytest.mark.parametrize(
    ("wrong", "field", "words"),
    [
        *(({name: "x"}, name, "") for name in ("criterion", "weight_decay", "batching")),
        *(({name: "x"}, name, "") for name in ("precision", "over_length")),
        ({"tolerance": "0.9", "estimate": "1"}, "tolerance", "must not be larger"),
        ({"precision": "bf16"}, "precision", "must be fp32 for the probe"),
        (
            {"recipe": "paper", "encoder": "default"},
            "encoder",
            "The paper&#x27;s recipe needs a Longformer.",
        ),
    ],
)
def test_what_is_not_offered_or_does_not_fit_is_refused_beside_its_field(
    rita, of_campaign, wrong, field, words
) -> None:
    answer = rita.post("/runs/", sent(of_campaign, recipe="default") | wrong)
    assert answer.status_code == 422
    assert f'id="id_{field}_error">{words}' in answer.content.decode()
    assert not TrainingRun.objects.exists()
