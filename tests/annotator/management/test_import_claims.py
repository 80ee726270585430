import hashlib
import io
import json
import os
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from annotator.campaigns.services import create_campaign
from annotator.management.base import ReadingProgress
from annotator.management.commands import import_claims as import_claims_command
from annotator.models import Campaign, Candidate, ClaimImport, Preference, Reference, User
from core.errors import OutOfDate
from tests.annotator.formats.exports import as_bytes, item
from tests.scoring.management import commands

pytestmark = pytest.mark.django_db


def record(name: str, **changes: Any) -> dict[str, Any]:
    return {
        "reference_id": name,
        "reference_claims": f"1. A cup {name}.",
        "candidates": [{"candidate_id": "c1", "claims": "1. A mug."}],
    } | changes


def save(path: Path, *records: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(one) + "\n" for one in records))
    return str(path)


def run(*arguments: str) -> dict[str, Any]:
    return commands.document("import_claims", *arguments, "--campaign", "mugs")


def refused(*arguments: str) -> list[str]:
    lines = commands.refused("import_claims", *arguments)
    assert not Campaign.objects.exists()
    assert not Reference.objects.exists()
    return lines


def test_a_file_goes_into_a_new_campaign_and_again_adds_nothing(tmp_path: Path) -> None:
    path = save(tmp_path / "claims.jsonl", record("r1"), record("r2"))
    first = run(path)
    assert (first["campaign_created"], first["references"], first["candidates"]) == (True, 2, 2)
    again = run(path)
    assert (again["campaign_created"], again["references"], again["candidates"]) == (False, 0, 0)
    assert (again["known_references"], again["known_candidates"]) == (2, 2)
    assert Campaign.objects.get().overlap == 2


def test_training_is_allowed_only_when_it_is_said(tmp_path: Path) -> None:
    path = save(tmp_path / "claims.jsonl", record("r1"), record("r2", may_train=True))
    run(path)
    assert [r.may_train for r in Reference.objects.all()] == [False, True]
    run(save(tmp_path / "more.jsonl", record("r3")), "--may-train", "yes")
    assert Reference.objects.get(reference_id="r3").may_train


def test_a_dry_run_tells_of_texts_that_are_alike_and_the_import_of_equal_ones(tmp_path) -> None:
    long = " ".join(f"w{n}" for n in range(300))
    path = save(
        tmp_path / "claims.jsonl",
        record("r1", reference_claims=long),
        record("r2", reference_claims=long + " more"),
        record("r3", reference_claims=long),
    )
    dry = run(path, "--dry-run")
    found = [(one["likeness"], one["first"], one["second"]) for one in dry["near_duplicates"]]
    of = [{"reference_id": f"r{n}", "candidate_id": ""} for n in (1, 2, 3)]
    assert ("exact", of[0], of[2]) in found
    assert ("similar", of[0], of[1]) in found
    err = io.StringIO()
    call_command("import_claims", path, "--campaign", "mugs", stdout=io.StringIO(), stderr=err)
    assert "Reference 'r3' has the same text as reference 'r1'.\n" in err.getvalue()
    assert "nearly" not in err.getvalue()


def test_an_import_leaves_a_row_that_its_claim_sets_name(tmp_path: Path) -> None:
    path = save(tmp_path / "claims.jsonl", record("r1"))
    found = run(path, "--may-train", "yes")
    row = ClaimImport.objects.get(pk=found["import"])
    content = Path(path).read_bytes()
    assert (row.file_name, row.file_bytes) == ("claims.jsonl", len(content))
    assert row.file_sha256 == hashlib.sha256(content).hexdigest()
    assert (row.stage, row.status) == ("apply", "succeeded")
    assert (row.format, row.may_train) == ("claims-jsonl", True)
    assert row.result["stored"]["references"] == 1
    assert row.finished_at is not None
    assert Reference.objects.get().imported_from == Candidate.objects.get().imported_from == row
    refused_path = save(tmp_path / "more.jsonl", record("r2"), record("r3", reference_claims=""))
    with pytest.raises(SystemExit):
        call_command("import_claims", refused_path, "--campaign", "mugs", stderr=io.StringIO())
    run(path, "--dry-run")
    assert ClaimImport.objects.get() == row


def test_a_closed_or_impossible_campaign_is_refused_before_the_file_is_read(tmp_path, monkeypatch):
    path = save(tmp_path / "claims.jsonl", record("r1"))
    Campaign.objects.create(slug="over", status="closed")
    monkeypatch.setattr(import_claims_command, "check_claims", None)
    for slug in ("over", "no slug"):
        with pytest.raises(SystemExit):
            call_command("import_claims", path, "--campaign", slug, stderr=io.StringIO())


def test_every_bad_record_has_a_line_of_its_own_on_a_terminal(tmp_path: Path) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    err = Terminal()
    path = save(tmp_path / "claims.jsonl", *(record("r", titel="x") for _ in range(3)))
    with pytest.raises(SystemExit):
        call_command("import_claims", path, "--campaign", "mugs", stderr=err)
    assert err.getvalue().replace("\x1b[0m", "").count("unknown field\n") >= 3


def test_a_missing_file_and_a_bad_slug_are_refused_in_one_line(tmp_path: Path) -> None:
    (line,) = refused(str(tmp_path / "no.jsonl"), "--campaign", "mugs")
    assert line.startswith("Cannot read")
    path = save(tmp_path / "claims.jsonl", record("r1"))
    for slug in ("a b", "", "../x", "x" * 61):
        (line,) = refused(path, "--campaign", slug)
        assert "cannot be a campaign's short name" in line


def test_an_export_of_preferences_brings_claims_annotators_and_preferences(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_bytes(as_bytes(item(), item(annotator=8, comparison=None)))
    for name in ("auto", "label-studio"):
        found = run(str(path), "--format", name)
        added = (found["references"], found["candidates"], found["preferences"])
        assert added == ((1, 2, 2) if name == "auto" else (0, 0, 0))
    assert (found["known_preferences"], found["annotators"]) == (2, 0)
    assert sorted(Preference.objects.values_list("overall_quality", flat=True)) == [0, 1]


def test_the_published_sample_becomes_a_campaign() -> None:
    given = os.environ.get("PATENT_CE_SAMPLE")
    if not given:
        pytest.skip("PATENT_CE_SAMPLE names no published file")
    found = run(given)
    assert found["references"] == Reference.objects.count() == 10
    assert found["candidates"] == Candidate.objects.count() == 96
    assert run(given)["candidates"] == 0


def test_a_campaign_that_another_command_creates_at_the_same_moment_is_taken(tmp_path, monkeypatch):
    path = save(tmp_path / "claims.jsonl", record("r1"))
    others = iter([True])

    def create_second(*, slug: str) -> Campaign:
        if next(others, False):
            raise OutOfDate("There is a campaign already.")
        return create_campaign(slug=slug)

    monkeypatch.setattr(import_claims_command, "create_campaign", create_second)
    assert run(path)["references"] == 1


def test_a_dry_run_counts_and_stores_nothing(tmp_path: Path) -> None:
    found = run(save(tmp_path / "claims.jsonl", record("r1")), "--dry-run")
    assert (found["dry_run"], found["references"]) == (True, 1)
    path = tmp_path / "export.json"
    path.write_bytes(as_bytes(item()))
    assert run(str(path), "--dry-run")["preferences"] == 1
    for model in (Campaign, Reference, User):
        assert not model.objects.exists()


def test_a_bar_is_printed_when_it_is_time_and_not_in_between(monkeypatch) -> None:
    now = [100.0]
    monkeypatch.setattr("annotator.management.base.time.monotonic", lambda: now[0])
    file = io.BytesIO(bytes(200))
    for is_terminal, pause in ((True, 0.2), (False, 10.0)):
        lines: list[str] = []
        progress = ReadingProgress("Checking", file, 200, lines.append, is_terminal=is_terminal)
        file.seek(50)
        progress(500)
        assert lines == []
        now[0] += pause
        progress(1_000)
        progress(1_500)
        assert lines == ["Checking [######------------------] 25%, 1,000 records"]
        file.seek(0)
