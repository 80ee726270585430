"""What people ask for on the web host, and programs of other hosts carry out."""

import os
from pathlib import Path
from typing import Final

from scoring.models import AgreementReport, DatasetVersion, ModelVersion
from tests.annotator.imports.import_files import lines, reference
from tests.hosts.installation import CRITERION, Installation

TWELVE_MB: Final = 12_000_000
REFERENCE: Final = "1. A pump comprising a housing, a valve."
CANDIDATES: Final = ("1. A pump comprising a housing.", "1. A lid.")
N_GRAMS: Final = ("bleu-4", "rouge-l")


def a_large_file() -> bytes:
    """Return claim sets of 12 MB, which a worker reads and no web server does."""
    records = []
    for number in range(400):
        words = (f"part{number * place % 9973}" for place in range(1, 3800))
        claims = f"1. A cup comprising {' '.join(words)}."
        records.append(reference(number) | {"reference_claims": claims})
    content = lines(records)
    assert len(content) >= TWELVE_MB
    return content


def train(hosts: Installation, version: DatasetVersion) -> ModelVersion:
    trained = hosts.client("rita").train(version.full_name, CRITERION, method="probe")
    return ModelVersion.objects.get(pk=trained["model"])


def promote(hosts: Installation, model: ModelVersion) -> None:
    hosts.client("rita").promote(str(model.pk), "ask", "for a test", is_aware=True)
    hosts.client("ada").promote(str(model.pk), "agree", "for a test")


def report(hosts: Installation, version: DatasetVersion, *scorers: str) -> AgreementReport:
    asked = {"split": "test", "resamples": 100}
    found = hosts.client("rita").report(version.full_name, CRITERION, scorers, **asked)
    return AgreementReport.objects.get(pk=found["id"])


def scores(hosts: Installation) -> list[float]:
    """Return a score of each of the candidates."""
    found = hosts.client("rita").score(REFERENCE, CANDIDATES, criteria=[CRITERION])
    return [one["scores"][0]["score"] for one in found["candidates"]]


def holds(folder: Path, text: bytes) -> list[str]:
    """Return the files of a folder that hold a text, and are no program's log."""
    return [
        os.path.relpath(path, folder)
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".log" and text in path.read_bytes()
    ]
