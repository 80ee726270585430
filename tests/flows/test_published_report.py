"""The published sample from file to figures: each interface prints the same numbers."""

import io
import json
import os
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils.html import strip_tags

from annotator.models import Campaign, Role, User
from scoring.models import AgreementReport
from tests.conftest import signed_in

SAMPLE = os.environ.get("PATENT_CE_SAMPLE", "")
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(
        not SAMPLE, reason="PATENT_CE_SAMPLE names no file: the published sample is not shipped"
    ),
]

# tau as printed in the papers, rho, accuracy in percent, weighted F1 in percent.
FIGURES = {
    "bleu-1": ("BLEU-1", 0.205, 0.235, 45.3, 38.2),
    "bleu-4": ("BLEU-4", 0.184, 0.194, 44.2, 37.2),
    "rouge-1": ("ROUGE-1", 0.205, 0.212, 45.3, 38.0),
    "rouge-2": ("ROUGE-2", 0.249, 0.252, 47.4, 39.7),
    "rouge-l": ("ROUGE-L", 0.271, 0.295, 48.4, 40.7),
    "meteor": ("METEOR", 0.249, 0.265, 47.4, 39.8),
}
CELLS = ("tau_paper", "spearman", "accuracy", "f1_weighted")


def printed(entry: dict[str, Any]) -> tuple[float, ...]:
    tau, rho, accuracy, f1 = (entry[key]["value"] for key in CELLS)
    return round(tau, 3), round(rho, 3), round(100 * accuracy, 1), round(100 * f1, 1)


def row_of(page: str, label: str) -> list[str]:
    """Return the cells of a scorer's row as they are read, intervals left out."""
    for row in re.findall(r"<tr[ >].*?</tr>", page, re.DOTALL):
        head = re.search(r'<th scope="row">(.*?)</th>', row, re.DOTALL)
        if head and strip_tags(head[1]).split()[:1] == [label]:
            cells = re.findall(r'<td class="number">(.*?)(?:<br>|</td>)', row, re.DOTALL)
            return [unescape(strip_tags(cell)).strip() for cell in cells]
    raise AssertionError(f"no row of {label}")


@pytest.fixture
def document(tmp_path: Path, settings: Any) -> dict[str, Any]:
    """Import the file and have the command report on it in the papers' mode."""
    settings.DATA_DIR = tmp_path / "data"
    settings.JOB_LEASE_SECONDS = 3600
    out, err = io.StringIO(), io.StringIO()
    alone = ("--test-share", "0", "--validation-share", "0")
    call_command("import_dataset", SAMPLE, "--name", "sample", *alone, stdout=out, stderr=err)
    out = io.StringIO()
    call_command(
        *("agreement_report", "sample", "--criterion", "overall_quality", "--split", "all"),
        *("--scorers", ",".join(FIGURES), "--tie-threshold", "1e-6", "--json"),
        stdout=out,
        stderr=err,
    )
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


@pytest.fixture
def rita() -> Client:
    user = User.objects.create(username="rita")
    user.memberships.create(
        campaign=Campaign.objects.create(slug="cups", name="cups"), role=Role.RESEARCHER
    )
    return signed_in(user)


def test_every_interface_prints_published_figures(document: dict[str, Any], rita: Client) -> None:
    report = AgreementReport.objects.get()
    assert document["report"] == str(report.pk)
    read = rita.get(f"/api/v1/reports/{report.pk}/").json()
    page = rita.get(f"/reports/{report.pk}/").content.decode()
    file = rita.get(f"/api/v1/reports/{report.pk}/?format=html").content.decode()
    for name, (label, *figures) in FIGURES.items():
        assert printed(document["scorers"][name]) == tuple(figures), name
        assert read["scorers"][name] == document["scorers"][name], name
        tau, rho, accuracy, f1 = (document["scorers"][name][key]["value"] for key in CELLS)
        for text in (page, file):
            cells = row_of(text, label)
            wanted = [f"{value:.3f}" for value in (tau, rho, accuracy, f1)]
            assert set(wanted) <= set(cells), (name, cells)


def test_the_sample_separates_no_two_ngram_metrics(document: dict[str, Any]) -> None:
    assert document["comparisons"]["best"] == []
    planned, _ = document["comparisons"]["families"]
    assert {pair["verdict"] for pair in planned["pairs"]} <= {"cannot tell", "better", "worse"}
    assert len(planned["pairs"]) == 5
    assert document["checks"]["contain_reference"]["items"] == 11
    assert document["human_ceiling"]["value"] is None


def test_no_text_of_the_sample_is_in_the_document(document: dict[str, Any]) -> None:
    stored = json.dumps(document)
    rows = json.loads(Path(SAMPLE).read_text(encoding="utf-8"))
    for row in rows:
        for key in ("gold_claim", "A", "B"):
            assert row[key][20:80] not in stored
