"""From a file to a reference and out again: import, preview, export, erasure, backup, sweeping."""

import io
import json
import os
import time
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command

from annotator.context.files import FOLDER, stored_pictures
from annotator.context.queries import exported_context, stored_context
from annotator.imports.correcting import answer_import, correct_claims
from annotator.imports.documents import Choices
from annotator.imports.erasing import erase_texts
from annotator.imports.files import ORPHAN_SECONDS
from annotator.imports.services import (
    cancel_import,
    carry_out_import,
    confirm_import,
    request_import,
)
from annotator.imports.sweeping import sweep_imports
from annotator.models import (
    AuditEvent,
    Campaign,
    ClaimImport,
    Drawing,
    ReadClaimSet,
    Reference,
    ReferenceContext,
)
from annotator.operations.backups.archives import is_of_a_kind, stored_files
from annotator.operations.drawings import look_at_drawings
from core.errors import Refused
from patclaimeval.documents.context import Context
from tests.annotator.imports.import_files import drop_at_once, file
from tests.conftest import signed_in
from tests.patclaimeval.documents.pictures import pages, picture
from tests.patclaimeval.documents.word_files import zipped

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

ARCHIVE: dict[str, str | bytes] = {
    "P1/reference.txt": "Claims\n1. A lamp.",
    "P1/candidates/a.txt": "A torch is known.\nClaims\n1. A torch.",
    "P1/description.txt": "[0001] A lamp is known.\n[0002] zqcanary shines.",
    "P1/abstract.txt": "A lamp.",
    "P1/drawings/fig1.tif": pages(2),
    "P2/reference.txt": "Claims\n1. A desk.",
    "P2/candidates/a.txt": "Claims\n1. A table.",
    "P2/drawings/fig1.png": picture(),
}
WHOLE = b"A lamp is known.\nClaims\n1. A lamp.\nAbstract\nA lamp."


@pytest.fixture(autouse=True)
def data_dir(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATA_DIR = tmp_path / "data"
    drop_at_once(monkeypatch)


@pytest.fixture(autouse=True)
def committed(django_capture_on_commit_callbacks: Any) -> Any:
    return django_capture_on_commit_callbacks


def read(cast: Any, content: bytes, *, is_confirmed: bool = False, **more: Any) -> ClaimImport:
    row = request_import(
        campaign=cast.campaign,
        file=file(content),
        file_name="claims",
        asked_by=cast.ada,
        is_confirmed=is_confirmed,
        **more,
    )
    return worked_off(row)


def worked_off(row: ClaimImport) -> ClaimImport:
    carry_out_import(row.pk)
    row.refresh_from_db()
    assert row.status != "failed", row.message
    return row


def stored(cast: Any) -> ClaimImport:
    return read(cast, zipped(ARCHIVE), is_confirmed=True)


def reference(name: str = "P1") -> Reference:
    return Reference.objects.get(reference_id=name)


def whole(cast: Any, candidate: str = "", **more: Any) -> ClaimImport:
    choices = Choices(reference_id="P1", candidate_id=candidate)
    return read(cast, WHOLE, format="text", choices=choices, **more)


def files() -> set[str]:
    return {str(pk) for pk, _ in stored_pictures()}


def test_an_archive_brings_the_context_of_its_references(cast: Any) -> None:
    row = stored(cast)
    assert row.message == (
        "New: 2 references and 2 candidates; already there: 0. With context now: 2 references."
    )
    assert row.result["stored"]["contexts"] == 2
    found = stored_context(reference())
    assert found is not None and reference().has_context
    assert [(one.part, one.label) for one in found.paragraphs] == [
        ("abstract", ""),
        ("description", "0001"),
        ("description", "0002"),
    ]
    assert [one.name for one in found.drawings] == ["fig1, page 1", "fig1, page 2"]
    assert files() == {str(pk) for pk in Drawing.objects.values_list("pk", flat=True)}
    assert ReferenceContext.objects.filter(read_claim_set=None).count() == 2
    only = stored_context(reference("P2"))
    assert only is not None and only.paragraphs == ()


def test_the_preview_names_what_was_found_and_what_was_left_out(cast: Any) -> None:
    row = read(cast, zipped(ARCHIVE))
    ada = signed_in(cast.ada)
    page = f"/campaigns/cups/imports/{row.pk}/"
    first = ada.get(f"{page}?set=1").content.decode()
    assert "Context: description of 2 paragraphs, abstract of 1 paragraph, 2 drawings." in first
    second = ada.get(f"{page}?set=2").content.decode()
    assert "description: 1; context is a reference&#x27;s, never a candidate&#x27;s." in second
    assert "zqcanary" not in json.dumps(row.result)
    assert not Reference.objects.exists() and ReferenceContext.objects.count() == 2


def test_one_document_that_turns_out_to_be_a_candidate_brings_none(cast: Any) -> None:
    whole(cast, is_confirmed=True)
    Reference.objects.update(has_context=False)
    ReferenceContext.objects.all().delete()
    row = whole(cast)
    assert ReferenceContext.objects.count() == 1
    answer_import(row=row, choices=Choices(reference_id="P1", candidate_id="b"), answered_by=None)
    row = worked_off(row)
    page = signed_in(cast.ada).get(f"/campaigns/cups/imports/{row.pk}/").content.decode()
    assert "Left out: description: 1; context is a reference&#x27;s" in page
    confirm_import(row=row)
    assert "contexts" not in worked_off(row).result["stored"]
    assert not ReferenceContext.objects.exists() and not reference().has_context


def test_what_has_no_context_gets_it_later_and_what_has_some_stays(cast: Any) -> None:
    read(
        cast,
        b"Claims\n1. A lamp.",
        format="text",
        choices=Choices(reference_id="P1"),
        is_confirmed=True,
    )
    assert not reference().has_context
    assert whole(cast, is_confirmed=True).message == (
        "New: 0 references and 0 candidates; already there: 1. With context now: 1 reference."
    )
    first = exported_context(reference())
    other = WHOLE.replace(b"A lamp is known", b"A torch is known")
    row = read(cast, other, format="text", choices=Choices(reference_id="P1"), is_confirmed=True)
    assert row.message == "Nothing new: the campaign holds all of this already."
    assert exported_context(reference()) == first
    assert ReferenceContext.objects.count() == 1


def test_an_import_that_is_given_up_leaves_nothing(cast: Any, committed: Any) -> None:
    with committed(execute=True):
        row = read(cast, zipped(ARCHIVE))
        assert len(files()) == 3
        cancel_import(row=row)
    assert not ReferenceContext.objects.exists() and files() == set()


def test_documents_that_are_read_anew_leave_nothing_of_before(cast: Any, committed: Any) -> None:
    with committed(execute=True):
        row = read(cast, zipped(ARCHIVE))
        before = files()
        answer_import(row=row, choices=Choices(language="en"), answered_by=None)
        worked_off(row)
    assert len(files()) == 3 and not files() & before


def test_lines_among_which_no_claims_were_found_are_no_context(cast: Any) -> None:
    choices = Choices(reference_id="P1")
    row = read(cast, b"A lamp is known.\nIt shines.", format="text", choices=choices)
    correct_claims(row=row, number=1, claims="1. A lamp.", corrected_by=None)
    confirm_import(row=worked_off(row))
    worked_off(row)
    assert not reference().has_context and not ReferenceContext.objects.exists()


def test_it_is_erased_with_its_reference(cast: Any, committed: Any, settings: Any) -> None:
    with committed(execute=True):
        stored(cast)
    with committed(execute=True):
        waiting = read(cast, zipped({**ARCHIVE, "P1/reference.txt": "1. A lamp, lit."}))
    own = {str(one.pk) for one in Drawing.objects.filter(context__reference=reference())}
    with committed(execute=True):
        counts = erase_texts(reference())
    assert counts["context"] == 3
    kept = {str(one.pk) for one in Drawing.objects.all()}
    assert files() == kept and len(kept) == 1 and not kept & own
    assert not ReadClaimSet.objects.filter(claim_import=waiting).exists()
    assert not Reference.objects.filter(has_context=True).exclude(reference_id="P2").exists()
    assert not ReferenceContext.objects.filter(paragraphs__icontains="zqcanary").exists()
    assert reference("P2").has_context


def test_pictures_are_backed_up_and_looked_at(cast: Any, settings: Any) -> None:
    stored(cast)
    backed_up = [one for one in stored_files() if one.name.startswith(f"{FOLDER}/")]
    assert len(backed_up) == 3 and all(map(is_of_a_kind, backed_up))
    assert [one.found for one in look_at_drawings()] == ["3 drawings are as they were stored."]
    path = Path(settings.DATA_DIR) / backed_up[0].name
    path.write_bytes(b"another")
    assert "was changed on the server" in next(look_at_drawings()).found
    path.unlink()
    assert "is missing" in next(look_at_drawings()).found
    with pytest.raises(Refused):
        stored_files()


def test_pictures_of_nothing_are_swept_once_they_are_old(
    cast: Any, settings: Any, committed: Any
) -> None:
    stored(cast)
    folder = Path(settings.DATA_DIR) / FOLDER
    for name in (str(uuid4()), ".aside-x"):
        for age in (0, ORPHAN_SECONDS + 60):
            path = folder / f"{name[:-1]}{age % 7}"
            path.write_bytes(b"x")
            os.utime(path, (time.time() - age,) * 2)
    with committed(execute=True):
        assert sweep_imports() == 2  # an old picture, and what broke off
    assert len(files()) == 4 and len(list(folder.glob(".aside-*"))) == 1


def exported(folder: Path, *arguments: str) -> bytes:
    target = folder / f"{uuid4()}.jsonl"
    call_command("export_claims", "cups", *arguments, output=str(target), stdout=io.StringIO())
    manifest = json.loads(target.with_name(f"{target.name}.manifest.json").read_text())
    assert "Confidential" in manifest["notice"]
    return target.read_bytes()


def test_claim_sets_are_exported_with_context_and_read_back_as_the_same(
    cast: Any, tmp_path: Path
) -> None:
    stored(cast)
    bare, full = exported(tmp_path), exported(tmp_path, "--with-context")
    assert b"context_of" not in bare and b"zqcanary" not in bare
    assert bare == b"".join(one for one in full.splitlines(True) if b'"context_of"' not in one)
    before = [exported_context(one) for one in Reference.objects.order_by("position")]
    assert isinstance(before[0], Context) and len(before[0].sheets) == 2
    Campaign.objects.filter(pk=cast.campaign.pk).update(slug="once")
    Campaign.objects.create(slug="cups", name="Again")
    path = tmp_path / "claims.jsonl"
    path.write_bytes(full)
    call_command("import_claims", str(path), campaign="cups", stdout=io.StringIO())
    assert exported(tmp_path, "--with-context") == full
    again = Reference.objects.filter(campaign__slug="cups").order_by("position")
    assert [exported_context(one) for one in again] == before
    acts = AuditEvent.objects.filter(action="claims.exported")
    assert [one.details["has_context"] for one in acts.order_by("pk")] == [False, True, True]


def test_a_file_with_context_is_previewed(cast: Any, tmp_path: Path) -> None:
    stored(cast)
    full = exported(tmp_path, "--with-context").replace(b'"P1"', b'"Q1"').replace(b'"P2"', b'"Q2"')
    row = read(cast, full)
    page = signed_in(cast.ada).get(f"/campaigns/cups/imports/{row.pk}/").content.decode()
    assert "Context: description of 2 paragraphs, abstract of 1 paragraph, 2 drawings." in page
    confirm_import(row=row)
    assert worked_off(row).result["stored"]["contexts"] == 2


def test_the_command_names_context_and_refuses_two_outputs(
    cast: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "claims.zip"
    path.write_bytes(zipped(ARCHIVE))
    out, err = io.StringIO(), io.StringIO()
    call_command(
        "import_claims", str(path), campaign="cups", dry_run=True, json=True, stdout=out, stderr=err
    )
    report = json.loads(out.getvalue())["report"]
    assert (
        "P1/reference.txt: Context: description of 2 paragraphs, abstract of 1 paragraph, 2 "
        "drawings." in report
    )
    with pytest.raises(SystemExit):
        call_command("export_claims", "cups", json=True, stderr=err)
    assert "--json and --output -" in err.getvalue()
    call_command("export_claims", "cups", stderr=err)
    assert "Exported nothing." in err.getvalue()
