"""The main job on the published file: import, train, report, in one table."""

import json
import os
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from annotator.models import Candidate, Reference
from scoring.access.scopes import labelled_rows
from scoring.models import DatasetVersion

SAMPLE = os.environ.get("PATENT_CE_SAMPLE", "")
pytestmark = [
    pytest.mark.slow,
    # The heartbeat works on a connection of its own, which sees committed rows only.
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not SAMPLE, reason="PATENT_CE_SAMPLE names no published file"),
]
N_GRAMS = ["bleu-1", "bleu-4", "rouge-1", "rouge-2", "rouge-l", "meteor"]
FIGURES = {
    *("tau_b", "tau_b_labels", "tau_paper", "spearman"),
    *("accuracy", "f1_weighted", "f1_macro"),
}
# SCIENCE section 4, the column of the 95-item sample: tau as the papers compute it.
TAU_PAPER = {
    "bleu-1": 0.205,
    "bleu-4": 0.184,
    "rouge-1": 0.205,
    "rouge-2": 0.249,
    "rouge-l": 0.271,
    "meteor": 0.249,
}


def command(name: str, *arguments: str) -> dict[str, Any]:
    out = StringIO()
    call_command(name, *arguments, "--json", stdout=out, stderr=StringIO())
    document: dict[str, Any] = json.loads(out.getvalue())
    return document


@pytest.fixture(autouse=True)
def own_data_directory(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path


@pytest.mark.exhaustive
def test_the_published_file_is_imported_trained_on_and_reported_on_unseen_references() -> None:
    imported = command("import_dataset", SAMPLE, "--name", "published", "--test-share", "0.4")
    assert imported["items"] == 95
    assert sum(imported["splits"].values()) == 95
    criterion = ("--criterion", "overall_quality")
    trained = command("train_patclaimeval", "published", *criterion)
    model = f"model:{trained['model']}"
    scorers = ",".join([*N_GRAMS, model])
    report = command("agreement_report", "published", *criterion, "--scorers", scorers)

    assert list(report["scorers"]) == [*N_GRAMS, model]
    for entry in report["scorers"].values():
        assert set(entry) >= FIGURES
        assert entry["n"] == imported["splits"]["test"]
        assert entry["tau_b"]["value"] is not None
    rows = labelled_rows(DatasetVersion.objects.get(), "overall_quality")
    seen = {row.reference for row in rows if row.split != "test"}
    assert not seen & {row.reference for row in rows if row.split == "test"}


def test_the_commands_repeat_the_papers_n_gram_figures_on_the_sample() -> None:
    command("import_dataset", SAMPLE, "--name", "published")
    arguments = ("published", "--criterion", "overall_quality", "--scorers", ",".join(N_GRAMS))
    report = command("agreement_report", *arguments, "--split", "all", "--tie-threshold", "1e-6")
    found = {
        name: round(entry["tau_paper"]["value"], 3) for name, entry in report["scorers"].items()
    }
    assert found == TAU_PAPER


def test_the_published_texts_become_a_campaign_to_be_rated() -> None:
    counts = command("import_claims", SAMPLE, "--campaign", "published", "--format", "patent-ce")
    assert (counts["references"], counts["candidates"]) == (10, 96)
    assert Reference.objects.count() == 10
    assert Candidate.objects.count() == 96
    again = command("import_claims", SAMPLE, "--campaign", "published", "--format", "patent-ce")
    assert (again["references"], again["candidates"]) == (0, 0)
