"""The web process stays light: loading every address and task brings in no model library."""

import json

import pytest

from tests.guards.conftest import RunPython

HEAVY = ("torch", "transformers", "sentence_transformers", "scipy.stats", "sklearn", "nltk")
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
