"""Training requests that no worker may get, by the ids of the catalogue (TR01-TR29)."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import pytest

from annotator.models import AuditEvent
from core.errors import Refused
from scoring.datasets.freezing.imports import import_dataset
from scoring.models import DatasetVersion, TrainingRun
from scoring.quadruplets import SplitPlan
from scoring.training.runs.services import request_training
from tests.conftest import signed_in
from tests.scoring.conftest import dataset_rows

pytestmark = pytest.mark.django_db
CRITERION: Final = "feature_completeness"
RUNS: Final = "/api/v1/training-runs/"
# By id: fields of a JSON body, and the field that the answer must name.
BODIES: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "TR01 negative rate": ({"learning_rate": -1}, "learning_rate"),
    "TR02 rate of nothing": ({"learning_rate": 0}, "learning_rate"),
    "TR04 a rate beyond all measure": ({"learning_rate": 1e9}, "learning_rate"),
    "TR05 a rate as text": ({"learning_rate": "1e-5"}, "learning_rate"),
    "TR06 a rate of null": ({"learning_rate": None}, "learning_rate"),
    "TR06 a rate that is true": ({"learning_rate": True}, "learning_rate"),
    "TR06 a rate in a list": ({"learning_rate": [1e-5]}, "learning_rate"),
    "TR07 no epochs": ({"epochs": 0}, "epochs"),
    "TR07 epochs 1.0": ({"epochs": 1.0}, "epochs"),
    "TR07 epochs without end": ({"epochs": 10**12}, "epochs"),
    "TR08 batch of nothing": ({"batch_size": 0}, "batch_size"),
    "TR08 batch beyond measure": ({"batch_size": 10**6}, "batch_size"),
    "TR09 seed below nothing": ({"seed": -1}, "seed"),
    "TR09 seed of 40 bits": ({"seed": 2**40}, "seed"),
    "TR10 a margin above one": ({"margin": 1.5}, "margin"),
    "TR10 tolerance above the margin": ({"margin": 0.1, "tolerance": 0.2}, "tolerance"),
    "TR11 unknown method": ({"method": "reinforce"}, "method"),
    "TR11 unknown preset": ({"preset": "best"}, "preset"),
    "TR11 unknown precision": ({"precision": "fp8"}, "precision"),
    "TR12 tokens beyond measure": ({"max_tokens": 10**7}, "max_tokens"),
    "TR13 a place to write": ({"output_dir": "/etc"}, "output_dir"),
    "TR13 a reporter": ({"report_to": "wandb"}, "report_to"),
    "TR13 a hub": ({"push_to_hub": True}, "push_to_hub"),
    "TR13 code of strangers": ({"trust_remote_code": True}, "trust_remote_code"),
    "TR13 fetching": ({"allow_download": True}, "allow_download"),
    "TR13 a device": ({"device": "cuda:7"}, "device"),
    "TR13 a callback": ({"callbacks": ["os.system"]}, "callbacks"),
    "TR13 a dunder": ({"__class__": "x"}, "__class__"),
    "TR14 unknown criterion": ({"criterion": "beauty"}, "criterion"),
    "TR14 criterion in a list": ({"criterion": [CRITERION]}, "criterion"),
    "TR15 unknown dataset": ({"dataset": "none@1"}, "dataset"),
    "TR15 dataset of a number": ({"dataset": 1}, "dataset"),
    "MA18 two dots": ({"encoder": "../.."}, "encoder"),
    "MA18 dots within": ({"encoder": "a/../../b"}, "encoder"),
    "MA18 escaped once": ({"encoder": "%2e%2e%2f"}, "encoder"),
    "MA18 escaped twice": ({"encoder": "%252e%252e%252f"}, "encoder"),
    "MA18 an address": ({"encoder": "file:///etc"}, "encoder"),
    "MA18 a share": ({"encoder": "\\\\srv\\share"}, "encoder"),
    "MA18 a path": ({"encoder": "/etc"}, "encoder"),
    "MA18 a dot": ({"encoder": "."}, "encoder"),
    "MA18 empty": ({"encoder": ""}, "encoder"),
    "MA18 of a number": ({"encoder": 7}, "encoder"),
    "MA18 of 10,000 letters": ({"encoder": "a" * 10_000}, "encoder"),
    "MA20 a name on a hub": ({"encoder": "allenai/longformer-base-4096"}, "encoder"),
    "MA20 a name on a hub without owner": ({"encoder": "bert-base-uncased"}, "encoder"),
}
# What is no JSON of ours at all.
RAW: Final = {
    "TR03 NaN": b'{"dataset": "tiny@1", "criterion": "feature_completeness", "learning_rate": NaN}',
    "TR04 1e999": b'{"dataset": "tiny@1", "criterion": "overall_quality", "learning_rate": 1e999}',
    "TR06 a field twice": b'{"dataset": "tiny@1", "dataset": "tiny@1", "criterion": "x"}',
    "MA18 NUL": b'{"dataset": "tiny@1", "criterion": "feature_completeness", "encoder": "\\u0000"}',
    "AP01 cut": b'{"dataset": "tiny@1"',
    "AP02 a list": b"[]",
    "AP04 empty": b"",
}
# The same in the fields of a form, where all values are texts.
FORMS: Final = {
    "TR01": {"learning_rate": "-1"},
    "TR02": {"learning_rate": "0"},
    "TR03": {"learning_rate": "nan"},
    "TR04": {"learning_rate": "1e999"},
    "TR05": {"learning_rate": "1e-5x"},
    "TR07": {"epochs": "1.5"},
    "TR09": {"seed": "0x10"},
    "TR10": {"margin": "inf"},
    "TR11": {"recipe": "reinforce"},
    "TR08": {"batch_size": "9" * 30},
    "MA18": {"encoder": "../.."},
    "MA20": {"encoder": "allenai/longformer-base-4096"},
}


@pytest.fixture
def send(cast: Any, version: DatasetVersion) -> Callable[[bytes], Any]:
    client = signed_in(cast.rita)
    return lambda body: client.post(RUNS, body, content_type="application/json")


def test_a_bad_setting_is_a_400_by_its_field(send: Callable[[bytes], Any]) -> None:
    wrong = {}
    for name, (fields, field) in BODIES.items():
        body = {"dataset": "tiny@1", "criterion": CRITERION} | fields
        answer = send(json.dumps(body).encode())
        if answer.status_code != 400 or field not in answer.json():
            wrong[name] = (answer.status_code, answer.content[:300])
    assert wrong == {}
    assert not TrainingRun.objects.exists()
    assert not AuditEvent.objects.filter(action="training.requested").exists()
    # The first good request after bad ones is taken; TR28: twice the same is one run.
    good = json.dumps({"dataset": "tiny@1", "criterion": CRITERION}).encode()
    first, second = send(good), send(good)
    assert first.status_code == 202 and first.json()["id"] == second.json()["id"]
    assert TrainingRun.objects.count() == 1


def test_what_is_no_json_of_ours_is_a_400(send: Callable[[bytes], Any]) -> None:
    answers = {name: send(body) for name, body in RAW.items()}
    assert {n: a.status_code for n, a in answers.items() if a.status_code != 400} == {}
    assert all(isinstance(answer.json(), dict) for answer in answers.values())
    assert not TrainingRun.objects.exists()


def test_a_form_names_the_field_and_shows_it_again(cast: Any, version: DatasetVersion) -> None:
    rita = signed_in(cast.rita)
    plain = {"version": str(version.pk), "criterion": CRITERION, "seed": "12345"}
    plain |= {"margin": "0.2", "tolerance": "0.05"}
    for name, fields in FORMS.items():
        answer = rita.post("/runs/", plain | fields)
        page = answer.content.decode()
        assert answer.status_code == 422, name
        assert 'aria-invalid="true"' in page, name
        if "seed" not in fields:
            assert 'value="12345"' in page, name
    assert not TrainingRun.objects.exists()
    assert rita.post("/runs/", plain).status_code in (302, 303)
    assert TrainingRun.objects.count() == 1


def made_of(name: str, **changes: Any) -> DatasetVersion:
    rows = [replace(row, **changes) for row in dataset_rows()]
    return import_dataset(name=name, rows=rows, plan=SplitPlan("file")).version


def test_data_of_which_nothing_is_learnt_are_refused(data_directory: Any, db: None) -> None:
    """TR22: one reference alone cannot be split into groups; TR17 stands with the trainings."""
    one_reference = made_of("one", reference_id="r0", reference="1. A housing.")
    with pytest.raises(Refused, match="share one reference"):
        request_training(version=one_reference, criterion=CRITERION, options={})
    no_label = made_of("none", y={"overall_quality": 1})
    with pytest.raises(Refused, match="0 quadruplets with a label"):
        request_training(version=no_label, criterion=CRITERION, options={})
    assert not TrainingRun.objects.exists()
