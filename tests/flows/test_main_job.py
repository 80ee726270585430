"""The main job on the published file: import, train, report, in one table."""

import os
from pathlib import Path
from typing import Any

import pytest

from scoring.access.scopes import labelled_rows
from scoring.models import DatasetVersion
from tests.scoring.management.commands import document

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


@pytest.fixture(autouse=True)
def own_data_directory(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path


@pytest.mark.exhaustive
def test_the_published_file_is_imported_trained_on_and_reported_on_unseen_references() -> None:
    imported = document("import_dataset", SAMPLE, "--name", "published", "--test-share", "0.4")
    assert imported["items"] == 95
    assert sum(imported["splits"].values()) == 95
    criterion = ("--criterion", "overall_quality")
    trained = document("train_patclaimeval", "published", *criterion)
    model = f"model:{trained['model']}"
    scorers = ",".join([*N_GRAMS, model])
    report = document("agreement_report", "published", *criterion, "--scorers", scorers)

    assert list(report["scorers"]) == [*N_GRAMS, model]
    for entry in report["scorers"].values():
        assert set(entry) >= FIGURES
        assert entry["n"] == imported["splits"]["test"]
        assert entry["tau_b"]["value"] is not None
    rows = labelled_rows(DatasetVersion.objects.get(), "overall_quality")
    seen = {row.reference for row in rows if row.split != "test"}
    assert not seen & {row.reference for row in rows if row.split == "test"}
