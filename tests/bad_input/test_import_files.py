"""Files that no import takes: every interface refuses with line and reason, and stores nothing."""

import io
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any, Final

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.utils.html import escape

from annotator.accounts.sessions import create_token
from annotator.imports.files import stored_uploads
from annotator.imports.services import carry_out_import
from annotator.models import Campaign, Candidate, ClaimImport, Preference, Reference, TokenScope
from scoring.models import DatasetVersion
from tests.annotator.imports.import_files import drop_at_once
from tests.bad_input.damaged_files import (
    CLAIM,
    CLAIM_SETS,
    DATASETS,
    GOOD,
    PREFERENCES,
    jsonl,
    reference,
)
from tests.conftest import signed_in
from tests.soak.tally import Tally

pytestmark = pytest.mark.django_db
CASES = CLAIM_SETS | {f"{name} (preferences)": case for name, case in PREFERENCES.items()}
# Names of files that are answers to questions nobody should ask (IM48).
NAMES = (
    "../../etc/passwd",
    "..\\..\\boot.ini",
    "/etc/passwd",
    "a\u202egpj.lnosj",
    "n" * 300 + ".jsonl",
    "a\r\nX-Evil: 1.jsonl",
    "con",
    "x.html",
    "<img src=x onerror=alert(1)>.jsonl",
    "%2e%2e%2fpasswd",
    "a;b'c\"d.jsonl",
    ".",
    "~root",
)
Send = Callable[[bytes], tuple[bool, str]]


@pytest.fixture(autouse=True)
def data_directory(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATA_DIR = tmp_path / "data"
    drop_at_once(monkeypatch)


def by_web(cast: Any, tmp_path: Path) -> Send:
    client = signed_in(cast.ada)

    def send(content: bytes) -> tuple[bool, str]:
        answer = client.post(
            "/campaigns/cups/import/", {"file": SimpleUploadedFile("claims.jsonl", content)}
        )
        if answer.status_code == 303:
            worked_off()
            page = client.get(answer["Location"])
            return "Refused" in page.content.decode(), page.content.decode()
        return answer.status_code == 422, answer.content.decode()

    return send


def worked_off() -> None:
    """Do what a worker does with a file that is too long for a request."""
    row = ClaimImport.objects.order_by("-created_at")[0]
    carry_out_import(row.pk)


def by_api(cast: Any, tmp_path: Path) -> Send:
    token = create_token(user=cast.ada, scope=TokenScope.WRITE).token
    client = Client(headers={"Authorization": f"Token {token}"})

    def send(content: bytes) -> tuple[bool, str]:
        answer = client.post(
            "/api/v1/campaigns/cups/claim-sets/import/",
            {"file": SimpleUploadedFile("claims.jsonl", content)},
        )
        answer_body = answer.json()
        is_refused = answer.status_code == 422
        if answer.status_code == 202:
            worked_off()
            answer_body = client.get(answer_body["url"]).json()
            is_refused = answer_body["status"] == "failed"
        listed = [answer_body["message"], *(_described(one) for one in answer_body["bad_records"])]
        return is_refused, escape("\n".join(listed))

    return send


def _described(bad: dict[str, Any]) -> str:
    place = f"line {bad['line']}" if bad["item"] is None else f"item {bad['item']}"
    return f"{place}, field {bad['field']}: {bad['reason']}"


def by_command(cast: Any, tmp_path: Path) -> Send:
    def send(content: bytes) -> tuple[bool, str]:
        path, output = tmp_path / "claims.jsonl", io.StringIO()
        path.write_bytes(content)
        try:
            call_command("import_claims", str(path), campaign="other", stdout=output, stderr=output)
        except SystemExit as end:
            return end.code == 1, escape(output.getvalue())
        return False, output.getvalue()

    return send


# What begins like a document is read as one, and what is wrong with it is said as such.
AS_DOCUMENTS: Final = {
    "IM02 a PDF": "The PDF is damaged or incomplete",
    "IM02 HTML": "no claims as pages of Google Patents",
}


# All interfaces lead to the same readers: two of them get every fifth file, each others.
@pytest.mark.parametrize(
    ("interface", "first", "every"),
    [
        (by_command, 0, 1),
        (by_web, 0, 5),
        (by_api, 1, 5),
        pytest.param(by_web, 0, 1, marks=pytest.mark.exhaustive),
        pytest.param(by_api, 0, 1, marks=pytest.mark.exhaustive),
    ],
)
def test_a_damaged_file_is_refused_with_its_reason_and_stores_nothing(
    cast: Any, tmp_path: Path, interface: Any, first: int, every: int, tally: Tally
) -> None:
    send, wrong = interface(cast, tmp_path), {}
    cases = dict(islice(CASES.items(), first, None, every))
    for name, (content, reason) in cases.items():
        is_refused, output = send(content)
        if not is_refused or escape(AS_DOCUMENTS.get(name, reason)) not in output:
            wrong[name] = output[-600:]
        if "Traceback" in output or str(tmp_path) in output:
            wrong[name] = "shows where it stands"
    tally.tried(files=len(cases))
    assert wrong == {}
    assert not Reference.objects.exists()
    assert not Candidate.objects.exists()
    assert not Preference.objects.exists()
    assert not Campaign.objects.filter(slug="other").exists()
    assert list(stored_uploads()) == []


def test_after_all_that_a_good_file_is_taken(cast: Any, tmp_path: Path) -> None:
    send = by_web(cast, tmp_path)
    send(CLAIM_SETS["IM04 UTF-16"][0])
    is_refused, _ = send(GOOD)
    assert not is_refused
    row = ClaimImport.objects.order_by("-created_at")[0]
    client = signed_in(cast.ada)
    client.post(f"/campaigns/cups/imports/{row.pk}/confirm/")
    assert Reference.objects.count() == 2


@pytest.mark.parametrize("name", sorted(DATASETS))
def test_a_damaged_file_of_quadruplets_is_refused(tmp_path: Path, name: str) -> None:
    content, reason = DATASETS[name]
    path, output = tmp_path / "quadruplets.jsonl", io.StringIO()
    path.write_bytes(content)
    with pytest.raises(SystemExit) as end:
        call_command("import_dataset", str(path), name="tiny", stdout=output, stderr=output)
    assert end.value.code == 1
    assert reason in output.getvalue()
    assert not DatasetVersion.objects.exists()


def test_a_hundred_bad_lines_are_listed_and_no_more(cast: Any, tmp_path: Path) -> None:
    """IM05: every bad line, up to a hundred."""
    content = jsonl(*(reference(number, scroe=1) for number in range(300)))
    _, output = by_command(cast, tmp_path)(content)
    assert output.count("field scroe") == 100
    assert "there may be more" in output


def test_the_name_of_a_file_leads_nowhere_and_is_shown_escaped(cast: Any, tmp_path: Path) -> None:
    """IM48: what a file is called decides neither where it lies nor what a page does."""
    client = signed_in(cast.ada)
    for name in NAMES:
        answer = client.post("/campaigns/cups/import/", {"file": _Named(GOOD, name)}, follow=True)
        assert answer.status_code in (200, 422), name
        page = answer.content.decode()
        assert "<img src=x" not in page and "\u202e" not in page, name
    found = [path for path in (tmp_path / "data").rglob("*") if path.is_file()]
    names = {str(pk) for pk, _ in stored_uploads()}
    assert names and {path.name for path in found} <= names | {"secret_key"}
    for row in ClaimImport.objects.all():
        assert "/" not in row.file_name and "\n" not in row.file_name
        assert len(row.file_name) <= 255


class _Named(io.BytesIO):
    """A file under a name that Django's own test files would clean."""

    def __init__(self, content: bytes, name: str) -> None:
        super().__init__(content)
        self.name = name
        self.content_type = "text/plain"


def test_what_is_odd_and_yet_text_is_stored_and_shown(cast: Any, tmp_path: Path) -> None:
    """IM30: marks that turn, hide or pile up are text; the page stays within bounds."""
    odd = "1. A cup\u202e with \u200ba \U000e0041handle" + "\u0301" * 10_000 + "."
    client = signed_in(cast.ada)
    content = jsonl(reference(1, reference_claims=odd))
    answer = client.post(
        "/campaigns/cups/import/", {"file": SimpleUploadedFile("c.jsonl", content)}, follow=True
    )
    page = answer.content.decode()
    assert answer.status_code == 200
    row = ClaimImport.objects.get()
    client.post(f"/campaigns/cups/imports/{row.pk}/confirm/")
    assert Reference.objects.get().claims == odd
    assert "\u202e" not in page or "U+202E" in page


def test_many_candidates_and_a_circular_claim_are_taken_as_text(cast: Any, tmp_path: Path) -> None:
    """IM33: 50 candidates are many, not wrong; a circle of claims is the drafter's affair."""
    many = [{"candidate_id": f"c{n}", "claims": f"1. A mug {n}."} for n in range(50)]
    circle = "1. The cup of claim 1, wherein it is blue."
    by_command(cast, tmp_path)(
        jsonl(reference(1, candidates=many), reference(2, reference_claims=circle))
    )
    assert Candidate.objects.filter(reference__reference_id="r1").count() == 50
    assert Reference.objects.get(reference_id="r2").claims == circle


def test_a_bad_line_is_found_wherever_it_stands(cast: Any, tmp_path: Path) -> None:
    """IM24: a file is refused for its last line as for its first."""
    good = [reference(number) for number in range(60)]
    for place in (0, 30, 59):
        records = [*good]
        records[place] = reference(place, reference_claims="")
        is_refused, output = by_command(cast, tmp_path)(jsonl(*records))
        assert is_refused and f"line {place + 1}, field reference_claims" in output
        assert CLAIM not in output
    assert not Reference.objects.exists()
