"""Builders of one campaign's imports: two that wait to be confirmed, and one that was refused."""

import io
import json
from dataclasses import dataclass
from typing import Any, Final

from annotator.imports.services import carry_out_import, request_import
from annotator.models import Campaign, ClaimImport, User

BOUNDARY: Final = "import-of-the-crawl"
MULTIPART: Final = f"multipart/form-data; boundary={BOUNDARY}"


@dataclass(frozen=True, slots=True)
class ImportRows:
    """The imports of a campaign."""

    waiting: ClaimImport
    refused: ClaimImport
    document: ClaimImport


def import_rows(mark: str, campaign: Campaign, admin: User) -> ImportRows:
    """Return the imports; every text in them begins with the mark."""
    good = _line(mark)
    bad = _line(mark, **{f"{mark}wrongfield": 1})
    return ImportRows(
        _import(f"{mark}goodfile.jsonl", good, campaign, admin),
        _import(f"{mark}badfile.jsonl", bad, campaign, admin),
        _import(
            f"{mark}docfile.txt",
            # No heading is a finding, and no id of the reference a question.
            f"1. A {mark}importedtext of a document.",
            campaign,
            admin,
            format="text",
        ),
    )


def form_with_file(mark: str, **fields: str) -> str:
    """Return a form with a good file as a browser sends it."""
    parts = [
        f'Content-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in fields.items()
    ]
    head = 'Content-Disposition: form-data; name="file"; filename="crawled.jsonl"\r\n\r\n'
    parts.append(f"{head}{_line(mark)}\r\n")
    return "".join(f"--{BOUNDARY}\r\n{part}" for part in parts) + f"--{BOUNDARY}--\r\n"


def _line(mark: str, **more: Any) -> str:
    """Return a reference with two candidates of one text, which the check remarks on."""
    candidates = [
        {
            "candidate_id": f"{mark}importedcandidate{number}",
            "system": f"{mark}importedsystem",
            "claims": f"1. A {mark}importedtext with a lid.",
        }
        for number in range(2)
    ]
    record = {
        "reference_id": f"{mark}importedid",
        "title": f"{mark}importedtitle",
        "family": f"{mark}importedkin",
        "reference_claims": f"1. A {mark}importedtext.",
        "draft_claims": f"1. A {mark}importeddraft.",
        "candidates": candidates,
    }
    return json.dumps(record | more) + "\n"


def _import(name: str, content: str, campaign: Campaign, admin: User, **more: Any) -> ClaimImport:
    file = io.BytesIO(content.encode())
    row = request_import(campaign=campaign, file=file, file_name=name, asked_by=admin, **more)
    carry_out_import(row.pk)
    row.refresh_from_db()
    return row
