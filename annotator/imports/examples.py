"""Two archives to begin with: an empty one to fill, and one with claims of the demo."""

import csv
import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from django.conf import settings

from patclaimeval.documents.matters import MANIFEST

_DEMO: Final = Path(settings.BASE_DIR) / "fixtures" / "demo" / "references"
# Two of them, which the demo campaign has, too.
_SHOWN: Final = ("01-dosing-pump", "06-folding-frame-hinge")
# The same bytes each time: an archive holds the times of its files.
_MADE_AT: Final = (2026, 1, 1, 0, 0, 0)
_HEADER: Final = (
    *("file", "reference_id", "candidate_id", "system"),
    *("language", "tracked_changes"),
)
_ROWS: Final = (
    ("P1/reference.txt", "P1", "", "", "en", "accepted"),
    ("P1/candidates/c1.txt", "P1", "c1", "the system that wrote it", "en", "accepted"),
)
_README: Final = """\
Put your documents into folders, or anywhere, and name each in manifest.csv, one row a file.

file             path in this archive: Word (.docx), office XML, PDF, saved page or text
reference_id     your id of the reference claim set
candidate_id     your id of the candidate; empty for the reference itself
system           what wrote the candidate; may be empty
language         en, de, ...; may be empty
tracked_changes  accepted, original or both (the older text becomes the draft); may be empty

Without manifest.csv the names say it: P1/reference.docx and P1/candidates/NAME.docx.

A reference may have context beside it: P1/description.txt and P1/abstract.txt, a paragraph a line,
and P1/drawings/NAME.png (or .jpg, .tif). In manifest.csv a column "part" says description,
abstract or drawing.
"""


def template_archive() -> bytes:
    """Return an archive to fill: what goes where, a manifest, and places for two claim sets."""
    table = io.StringIO()
    rows = csv.writer(table)
    rows.writerow(_HEADER)
    rows.writerows(_ROWS)
    return _zipped(
        {
            "README.txt": _README,
            MANIFEST: table.getvalue(),
            "P1/reference.txt": "Claims\n1. Put the claims of the reference here.\n",
            "P1/candidates/c1.txt": "Claims\n1. Put the claims of the candidate here.\n",
        }
    )


def example_archive() -> bytes:
    """Return an archive of two references in folders, each with a candidate that lacks claims."""
    files = {}
    for name in _SHOWN:
        claims = (_DEMO / f"{name}.txt").read_text()
        first = claims.split("\n\n", 1)[0]
        files[f"{name}/reference.txt"] = claims
        files[f"{name}/candidates/claim-1-only.txt"] = f"{first}\n"
    return _zipped(files)


def _zipped(files: Mapping[str, str]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name, _MADE_AT), text, zipfile.ZIP_DEFLATED)
    return target.getvalue()
