from pathlib import Path
from typing import Any

import pytest

from annotator.models import Campaign, Candidate, ClaimImport, Reference
from tests.patclaimeval.documents.word_files import (
    CLAIMS,
    added,
    paragraph,
    removed,
    text,
    word_file,
    zipped,
)
from tests.scoring.management import commands

pytestmark = pytest.mark.django_db

BODY = paragraph("Claims")
BODY += paragraph("A lamp with a ", removed("foot"), added(text("base")), ".", number=(1, 0))
BODY += paragraph("The lamp of claim 1.", number=(1, 0))
WORD = word_file(BODY, numbering=CLAIMS)
AMENDED = "1. A lamp with a base.\n\n2. The lamp of claim 1."
ONE = {"P1/reference.txt": "1. A lamp.", "P1/candidates/a.txt": "1. A desk."}
FILED = "1. A lamp with a foot.\n\n2. The lamp of claim 1."


def save(folder: Path, name: str, data: bytes) -> str:
    path = folder / name
    path.write_bytes(data)
    return str(path)


def run(*arguments: str) -> dict[str, Any]:
    return commands.document("import_claims", *arguments, "--campaign", "room")


def refused(*arguments: str) -> str:
    return "\n".join(commands.refused("import_claims", *arguments, "--campaign", "room"))


def test_a_word_file_is_a_reference_and_another_its_candidate(tmp_path: Path) -> None:
    path = save(tmp_path, "lamp.docx", WORD)
    done = run(path, "--reference-id", "R1", "--tracked-changes", "both")
    assert (done["references"], done["candidates"], done["format"]) == (1, 0, "docx")
    stored = Reference.objects.get()
    assert (stored.claims, stored.draft_claims, stored.language) == (AMENDED, FILED, "en")
    arguments = ("--reference-id", "R1", "--candidate-id", "C1", "--tracked-changes", "original")
    done = run(path, *arguments)
    assert (done["known_references"], done["candidates"]) == (1, 1)
    assert Candidate.objects.get().claims == FILED
    assert ClaimImport.objects.filter(file_name="lamp.docx", format="docx").count() == 2


def test_a_dry_run_prints_what_was_found_and_stores_nothing(tmp_path: Path) -> None:
    path = save(tmp_path, "lamp.docx", WORD)
    done = run(path, "--reference-id", "R1", "--dry-run")
    assert done["report"][0] == "2 claims read."
    assert any("tracked changes" in line for line in done["report"])
    assert not Campaign.objects.exists()


def test_an_archive_brings_references_with_their_candidates(tmp_path: Path) -> None:
    files = {"P1/reference.docx": WORD, "P1/candidates/c1.txt": "1. A torch."}
    done = run(save(tmp_path, "matters.zip", zipped(files)))
    assert (done["references"], done["candidates"], done["format"]) == (1, 1, "zip")
    assert Candidate.objects.get().candidate_id == "c1"


def test_plain_text_is_read_where_it_is_asked_for(tmp_path: Path) -> None:
    path = save(tmp_path, "claims.txt", b"Intro\n1. A lamp.\n2. A torch.")
    arguments = ("--format", "text", "--reference-id", "R1")
    assert "Say at which line the claims begin" in refused(path, *arguments)
    run(path, *arguments, "--claims-from", "2")
    assert Reference.objects.get().claims == "1. A lamp.\n2. A torch."


@pytest.mark.parametrize(
    ("data", "arguments", "why"),
    [
        (WORD, (), "--reference-id ID"),
        (WORD, ("--reference-id", " "), "The reference id cannot be used: blank"),
        (WORD, ("--reference-id", "R1", "--candidate-id", "C1"), "has no reference 'R1'"),
        (
            WORD,
            ("--reference-id", "R1", "--candidate-id", "C1", "--tracked-changes", "both"),
            "A candidate has no draft",
        ),
        (zipped(ONE), ("--reference-id", "R1", "--format", "zip"), "names its references"),
        (zipped({"P1/reference.txt": "1. A"}), (), "P1: has no candidates"),
        (
            zipped({"P1/reference.txt": "Hello", "P1/candidates/a.txt": "1. A"}),
            (),
            "P1/reference.txt: No heading of claims was found",
        ),
    ],
)
def test_what_is_missing_or_in_question_is_refused(
    data: bytes, arguments: tuple[str, ...], why: str, tmp_path: Path
) -> None:
    assert why in refused(save(tmp_path, "file", data), *arguments)
    assert not Campaign.objects.exists()
