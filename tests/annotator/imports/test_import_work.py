"""What stands in an uploaded file is stored whole, and what is wrong with it is said."""

import gzip
import io
from pathlib import Path
from typing import Any

import pytest

from annotator.imports.services import Work, confirm_import
from annotator.models import Candidate, ClaimImport, ImportStage, Preference, Reference
from core.jobs.rows import JobStatus
from tests.annotator.formats.exports import as_bytes, item
from tests.annotator.imports.import_files import (
    asked,
    carried_out,
    drop_at_once,
    good,
    lines,
    reference,
    stored,
)

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture(autouse=True)
def data_dir(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATA_DIR = tmp_path
    drop_at_once(monkeypatch)


def test_the_same_file_again_stores_nothing_new_and_says_so(cast) -> None:
    stored(cast, good(2))
    again = stored(cast, good(2))
    assert again.status == JobStatus.SUCCEEDED
    assert again.message.startswith("0 new")
    assert again.result["stored"]["known_references"] == 2
    assert Reference.objects.count() == 2


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "0 records"),
        (b"\n\n\n", "0 records"),
        ('{"reference_id": "é"}'.encode("utf-16"), "UTF-16"),
        (good(3) + b'{"reference_id": "a\x00b"}\n', "line 4"),
        (lines([reference(1, reference_claims="1. A \x00 cup.")]), "NUL"),
        (lines([reference(1, reference_claims="1. A \ud800 cup.")]), "surrogate"),
        (good(470) + b'{"reference_id": "caf\xe9"}\n', "line 471"),
        (b"%PDF-1.7\n", "PDF"),
        (gzip.compress(b'{"reference_id": "' + b"x" * 20_000_000), "times its size"),
    ],
    ids=[
        *("empty", "newlines", "utf-16", "raw nul", "escaped nul", "surrogate"),
        *("line 471", "pdf", "gzip bomb"),
    ],
)
def test_files_that_hold_no_claim_sets_are_refused_with_a_message(
    cast, content: bytes, words: str
) -> None:
    row = carried_out(asked(cast, content))
    assert row.status == JobStatus.FAILED
    assert words.lower() in (row.message + str(row.result)).lower()
    assert not Reference.objects.exists()


def test_an_id_with_another_text_is_refused_and_nothing_is_stored(cast) -> None:
    stored(cast, good(1))
    other = lines([reference(5), reference(0, reference_claims="1. Something else.")])
    row = stored(cast, other)
    assert row.status == JobStatus.FAILED
    assert Reference.objects.count() == 1


def test_preferences_come_in_with_their_claims_and_name_their_import(cast) -> None:
    content = as_bytes(item(), item(output1="3. A pot.", comparison=[{"selected": "right"}]))
    checked = carried_out(asked(cast, content))
    assert checked.format == "label-studio", checked.message
    assert checked.result["counts"]["candidates"] == 3
    confirm_import(row=checked)
    row = carried_out(checked)
    assert row.status == JobStatus.SUCCEEDED, row.message
    assert row.result["stored"]["preferences"] == Preference.objects.count() == 2
    assert "2 preferences are new" in row.message
    assert Candidate.objects.filter(imported_from=row).count() == 3
    again = stored(cast, content)
    assert again.message.startswith("0 new")


@pytest.mark.parametrize(("stage", "verb"), [("check", "Checking"), ("apply", "Storing")])
def test_what_is_under_way_is_shown_with_what_was_read_so_far(stage: str, verb: str) -> None:
    row, file = ClaimImport(stage=ImportStage(stage), file_bytes=4), io.BytesIO(b"four")
    work = Work(row, file, lambda: None)
    assert (row.progress, row.message) == (0.0, f"{verb}: 0 records read.")
    file.seek(1)
    work.reached(12_345)
    assert (row.progress, row.message) == (0.25, f"{verb}: 12,345 records read.")
