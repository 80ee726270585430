"""Documents that no import takes, by page, call and command: a sentence, and nothing stored."""

from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils.html import escape

from annotator.accounts.sessions import create_token
from annotator.imports.files import stored_uploads
from annotator.imports.services import carry_out_import
from annotator.models import ClaimImport, ReadClaimSet, Reference, TokenScope
from tests.annotator.imports.import_files import drop_at_once
from tests.conftest import signed_in
from tests.patclaimeval.documents.test_reading import REFUSED, WORD
from tests.patclaimeval.documents.word_files import zipped
from tests.scoring.management import commands
from tests.soak.tally import Tally

pytestmark = pytest.mark.django_db

# What is no document by its first bytes is read as one where that is asked for.
AS_TEXT: Final = {
    *("nothing", "5,000 claims", "another encoding", "UTF-16", "a NUL", "bytes"),
    "entities in EBCDIC",
}


def archive(reference: bytes, name: str = "P1/reference.docx") -> bytes:
    return zipped({name: reference, "P1/candidates/a.txt": "1. A"})


CASES: Final[dict[str, tuple[bytes, str]]] = {
    **REFUSED,
    "a bad file in an archive": (archive(WORD[:200]), "P1/reference.docx"),
    "macros in an archive": (archive(REFUSED["macros"][0]), "holds macros"),
    "an archive in an archive": (
        archive(zipped({"a": "b"}), "P1/reference.zip"),
        "P1/reference.zip",
    ),
    "an archive without a layout": (zipped({"claims.docx": WORD}), "have no place in its layout"),
}
# Of each kind of harm one; the others differ in what the reader says, which its own tests ask.
FIRST: Final = (
    *("a ZIP bomb", "entities in office XML", "entities", "macros", "an encrypted archive"),
    *("an encrypted PDF", "a truncated archive", "a name that leaves", "an outside image"),
    *("5,000 claims in Word", "1,000 pages", "nothing", "a bad file in an archive"),
)


@pytest.fixture(autouse=True)
def data_directory(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATA_DIR = tmp_path / "data"
    drop_at_once(monkeypatch)


def chosen(name: str) -> dict[str, str]:
    return {"reference_id": "R"} | ({"format": "text"} if name in AS_TEXT else {})


def worked_off() -> ClaimImport:
    """Do what a worker does."""
    row = ClaimImport.objects.order_by("-created_at")[0]
    carry_out_import(row.pk)
    return row


def by_web(client: Client, name: str, content: bytes) -> tuple[bool, str]:
    sent = {"file": SimpleUploadedFile("claims.docx", content), **chosen(name)}
    answer = client.post("/campaigns/cups/import/", sent)
    if answer.status_code == 303:
        worked_off()
        page = client.get(answer["Location"])
        assert page.status_code == 200
        return "Refused." in page.content.decode(), page.content.decode()
    return answer.status_code == 422, answer.content.decode()


def by_api(client: Client, name: str, content: bytes) -> tuple[bool, str]:
    sent = {"file": SimpleUploadedFile("claims.docx", content), **chosen(name)}
    answer = client.post("/api/v1/campaigns/cups/claim-sets/import/", sent)
    body = answer.json()
    if answer.status_code == 202:
        worked_off()
        body = client.get(body["url"]).json()
    listed = [f"{bad['file']}: {bad['reason']}" for bad in body.get("bad_records", [])]
    return body.get("status") == "failed", escape("\n".join([body["message"], *listed]))


def by_command(path: Path, name: str, content: bytes) -> tuple[bool, str]:
    path.write_bytes(content)
    more = ["--format", "text"] if name in AS_TEXT else []
    # An archive names its references itself.
    more += [] if "in an archive" in name or "a layout" in name else ["--reference-id", "R"]
    output = commands.refused("import_claims", str(path), "--campaign", "cups", *more)
    return True, escape("\n".join(output))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("interface", "names"),
    [
        ("web", FIRST),
        ("api", FIRST),
        ("command", FIRST),
        pytest.param("web", tuple(CASES), marks=pytest.mark.exhaustive, id="web, all"),
        pytest.param("api", tuple(CASES), marks=pytest.mark.exhaustive, id="api, all"),
        pytest.param("command", tuple(CASES), marks=pytest.mark.exhaustive, id="command, all"),
    ],
)
def test_a_bad_document_is_refused_in_a_sentence_and_stores_nothing(
    cast: Any, tmp_path: Path, interface: str, names: tuple[str, ...], tally: Tally
) -> None:
    if interface == "web":
        send = partial(by_web, signed_in(cast.ada))
    elif interface == "api":
        token = create_token(user=cast.ada, scope=TokenScope.WRITE).token
        send = partial(by_api, Client(headers={"Authorization": f"Token {token}"}))
    else:
        send = partial(by_command, tmp_path / "claims.docx")
    wrong = {}
    for name in names:
        content, why = CASES[name]
        is_refused, output = send(name, content)
        if not is_refused or escape(why) not in output:
            wrong[name] = output[-600:]
        if "Traceback" in output or str(tmp_path) in output or "amp." in output:
            wrong[name] = "shows where it stands, or a claim"
    tally.tried(files=len(names))
    assert wrong == {}
    assert not Reference.objects.exists()
    assert not ReadClaimSet.objects.exists()
    assert list(stored_uploads()) == []


def test_a_pasted_text_past_the_limit_of_a_form_is_answered_413(cast: Any) -> None:
    client = signed_in(cast.ada)
    answer = client.post("/campaigns/cups/import/", {"text": "1. A lamp.\n" * 300_000})
    assert answer.status_code == 413
    assert not ClaimImport.objects.exists()
