"""Documents that an office program wrote itself, not a test."""

from pathlib import Path
from typing import Final

import pytest

from patclaimeval.documents.reading import read_document
from patclaimeval.documents.records import ReadOptions
from tests.patclaimeval.documents.office_program import PDF, WORD, converted, needs_office

pytestmark = [pytest.mark.slow, needs_office]
PAGE: Final = b"""<html><body><p>A lamp lights a desk.</p><h1>What is claimed is:</h1>
<ol><li>A lamp with a foot &amp; a shade.</li><li>The lamp of claim 1.</li></ol>
<h1>Abstract</h1><p>A lamp is described.</p></body></html>"""
AS_TEXT: Final = "--infilter=HTML (StarWriter)"


def test_its_automatic_numbers_are_those_of_the_claims(tmp_path: Path) -> None:
    data = converted(tmp_path, "in.html", PAGE, WORD, AS_TEXT)
    document = read_document(data, "docx", ReadOptions())
    assert document.claims.text == "1. A lamp with a foot & a shade.\n\n2. The lamp of claim 1."
    assert document.questions == ()


def test_its_pdf_has_the_same_claims(tmp_path: Path) -> None:
    data = converted(tmp_path, "in.html", PAGE, PDF, AS_TEXT)
    claims = read_document(data, "pdf", ReadOptions()).claims
    assert [claim.number for claim in claims.claims] == [1, 2]
    assert "A lamp with a foot & a shade." in claims.text
    assert "described" not in claims.text
