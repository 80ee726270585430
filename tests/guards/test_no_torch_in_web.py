"""The web process and the worker of `web` stay light: neither needs a library of networks."""

import json
from pathlib import Path

import pytest

from patclaimeval import Quadruplet, train
from tests.guards.conftest import RunPython
from tests.scoring.conftest import PARTS, claim_set

HEAVY = ("torch", "transformers", "scipy.stats", "sklearn", "nltk")
LOAD_EVERYTHING = """
import json, sys
import django
from django.urls import get_resolver
django.setup()
assert get_resolver().url_patterns
from config.celery import app
from config.asgi import application
app.loader.import_default_modules()
assert any(name.startswith("scoring.") for name in app.tasks), sorted(app.tasks)
print(json.dumps(sorted(sys.modules)))
"""


@pytest.fixture
def loaded(run_python: RunPython) -> set[str]:
    """The modules of a fresh interpreter with every URL, view and task loaded."""
    done = run_python("-c", LOAD_EVERYTHING, DJANGO_SETTINGS_MODULE="config.settings")
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


def test_no_address_and_no_task_loads_a_model_library(loaded) -> None:
    assert "scoring.urls" in loaded
    assert "scoring.tasks" in loaded
    assert sorted(loaded & set(HEAVY)) == []


SCORE = """
import json, sys
from pathlib import Path
import django
django.setup()
from scoring import tasks
from patclaimeval.models.prior import load_prior
from patclaimeval.models.scorer import load_scorer
pairs = [("1. A pump with a valve.", "1. A pump."), ("1. A pump with a valve.", "1. A lever.")]
for model in (load_prior("overall_quality"), load_scorer(Path(sys.argv[1]))):
    assert len(model.score(pairs)) == len(model.parts(pairs)) == 2
print(json.dumps(sorted({"torch", "transformers"} & set(sys.modules))))
"""


def test_linear_models_are_scored_and_explained_without_torch(
    run_python: RunPython, tmp_path: Path
) -> None:
    rows = []
    for subject in ("dosing", "cooling", "lifting", "mixing"):
        whole, good, poor = (claim_set(subject, PARTS[:count]) for count in (6, 3, 1))
        rows.append(Quadruplet(subject, whole, good, poor, 1))
        rows.append(Quadruplet(subject, whole, poor, good, -1))
    directory = tmp_path / "model"
    train(rows, directory, criterion="overall_quality", method="probe")
    done = run_python("-c", SCORE, str(directory), DJANGO_SETTINGS_MODULE="config.settings")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []
