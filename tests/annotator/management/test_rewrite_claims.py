"""Candidates with graded damage: a file to import, and beside it what was done to each of them."""

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from annotator.claims.damage import NothingToDamage
from annotator.claims.graded_damage import KIND_NAMES
from annotator.formats import claims_jsonl
from annotator.models import AuditEvent, Candidate, Purpose, Reference
from annotator.planning import rewritten
from annotator.planning.rewritten import Made, Rewriting, records_of, rewrite_records
from core.errors import Refused
from core.text_io.text import text_sha256

pytestmark = pytest.mark.django_db
FOLDER = Path(__file__).parents[3] / "fixtures" / "demo" / "references"
TEXTS = [path.read_text("utf-8").rstrip("\n") for path in sorted(FOLDER.glob("*.txt"))[:3]]


@pytest.fixture
def references(cast) -> list[Reference]:
    for number, text in enumerate(TEXTS):
        row = cast.reference(f"r{number}", 2)
        Reference.objects.filter(pk=row.pk).update(
            claims=text, claims_sha256=text_sha256(text), title=f"Title {number}"
        )
    return list(cast.campaign.references.all())


def run(*arguments: str) -> dict[str, Any]:
    out = io.StringIO()
    call_command("rewrite_claims", *arguments, "--json", stdout=out, stderr=io.StringIO())
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def refused(*arguments: str) -> str:
    err = io.StringIO()
    with pytest.raises(SystemExit) as caught:
        call_command("rewrite_claims", *arguments, stdout=io.StringIO(), stderr=err)
    assert caught.value.code == 1
    return err.getvalue()


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]


def test_a_campaign_gets_a_row_of_candidates_and_the_record_says_what_was_done(
    cast, references, tmp_path
) -> None:
    target = tmp_path / "more.jsonl"
    document = run("--campaign", cast.campaign.slug, "--output", str(target), "--grades", "3")
    assert (document["references"], document["candidates"], document["left_out"]) == (3, 9, 0)
    told = {
        (one["reference_id"], one["candidate_id"]): one for one in lines(Path(document["record"]))
    }
    with target.open("rb") as file:
        written = list(claims_jsonl.read(file))
    assert [record.reference_claims for record in written] == TEXTS
    assert [record.title for record in written] == ["Title 0", "Title 1", "Title 2"]
    for record in written:
        grades = []
        for one in record.candidates:
            done = told.pop((record.reference_id, one.candidate_id))
            assert one.system == done["system"] == f"rewritten-{done['grade']}"
            assert len(done["faults"]) == 2 * done["grade"]
            for criterion, places in done["places"].items():
                own = [f["places"] for f in done["faults"] if f["criterion"] == criterion]
                assert places == sum(own)
            grades.append(done["grade"])
        assert sorted(grades) == [1, 2, 3]
    assert not told
    (event,) = AuditEvent.objects.filter(action="claims.rewritten")
    assert event.details == {"seed": 0, "grades": 3}


def test_what_is_imported_are_candidates_like_any_other(cast, references, tmp_path) -> None:
    target = tmp_path / "more.jsonl"
    run("--campaign", cast.campaign.slug, "--output", str(target))
    before = set(Candidate.objects.values_list("pk", flat=True))
    more = ("--campaign", cast.campaign.slug, "--json")
    call_command("import_claims", str(target), *more, stdout=io.StringIO(), stderr=io.StringIO())
    assert Reference.objects.count() == 3
    new = Candidate.objects.exclude(pk__in=before)
    assert new.count() == 12
    assert {row.purpose for row in new} == {Purpose.RATED}
    assert all(row.damage == {} for row in new)
    names = "".join(row.candidate_id for row in new)
    assert "rewritten" not in names and "grade" not in names
    # The order of the file tells no grade.
    assert len({tuple(r["system"] for r in one["candidates"]) for one in lines(target)}) > 1


def test_a_seed_gives_the_same_bytes_and_of_a_reference_whatever_stands_beside_it(
    cast, references, tmp_path
) -> None:
    def written(name: str, *arguments: str) -> list[bytes]:
        target = tmp_path / name
        run("--campaign", cast.campaign.slug, "--output", str(target), *arguments)
        return target.read_bytes().split(b"\n")[:-1]

    first = written("a", "--seed", "5")
    assert written("b", "--seed", "5") == first
    assert all(one != other for one, other in zip(first, written("c"), strict=True))
    Candidate.objects.filter(reference=references[0]).delete()
    references[0].delete()
    assert written("d", "--seed", "5") == first[1:]


def test_a_candidate_holds_no_text_of_another_reference(cast, references) -> None:
    """An invented feature comes from the invented claim sets that stand in no campaign."""
    for number, row in enumerate(references):
        text = "\n".join(
            f"{n}. A thing{number}, having a part{number}." if n == 1 else line
            for n, line in (
                (n, f"{n}. The thing{number} of claim 1, part{n}.") for n in range(1, 5)
            )
        )
        Reference.objects.filter(pk=row.pk).update(claims=text)
    for seed in range(5):
        how = Rewriting(seed, 2, 1, ("invented_claim", "invented_feature"))
        for record, _ in rewrite_records(records_of(cast.campaign), how, Made()):
            own = re.search(r"thing\d", record.reference_claims)
            assert own is not None
            for one in record.candidates:
                assert set(re.findall(r"thing\d", one.claims)) == {own[0]}


def test_what_is_foreign_to_a_reference_of_the_demo_is_not_itself(
    cast, references, monkeypatch
) -> None:
    def refuse_oneself(text: str, other: str, *more: Any, **options: Any) -> Any:
        assert other.strip() != text.strip()
        raise NothingToDamage("not of interest here")

    monkeypatch.setattr(rewritten, "graded_candidates", refuse_oneself)
    for seed in range(100):
        assert not list(rewrite_records(records_of(cast.campaign), Rewriting(seed), Made()))


def test_a_file_of_claims_is_rewritten_without_a_campaign(tmp_path) -> None:
    source, target = tmp_path / "claims.jsonl", tmp_path / "more.jsonl"
    record = {
        "reference_id": "EP1",
        "may_train": True,
        "draft_claims": "1. A draft.",
        "reference_claims": TEXTS[0],
        "candidates": [{"candidate_id": "AB-12", "claims": "1. A mug."}],
    }
    plain = record | {"reference_id": "EP2", "reference_claims": "A cup without a number."}
    source.write_text(f"{json.dumps(record)}\n{json.dumps(plain)}\n")
    document = run("--file", str(source), "--output", str(target), "--kind", "generic_claim")
    assert (document["references"], document["left_out"]) == (1, 1)
    assert document["kinds"] == {"generic_claim": 8}
    (line,) = lines(target)
    assert {name: line[name] for name in ("reference_id", "may_train", "draft_claims")} == {
        "reference_id": "EP1",
        "may_train": True,
        "draft_claims": "1. A draft.",
    }
    assert all(one["candidate_id"][:2].isupper() for one in line["candidates"])
    assert "AB-12" not in {one["candidate_id"] for one in line["candidates"]}
    assert not AuditEvent.objects.exists()


def test_a_dry_run_counts_and_leaves_nothing(cast, references, tmp_path) -> None:
    target = tmp_path / "more.jsonl"
    dry = run("--campaign", cast.campaign.slug, "--output", str(target), "--dry-run")
    assert (dry["dry_run"], dry["candidates"]) == (True, 12)
    assert not list(tmp_path.iterdir())
    assert not AuditEvent.objects.filter(action="claims.rewritten").exists()
    wet = run("--campaign", cast.campaign.slug, "--output", str(target))
    assert {name: wet[name] for name in ("candidates", "kinds")} == {
        name: dry[name] for name in ("candidates", "kinds")
    }


def test_erased_references_are_left_alone(cast, references, tmp_path) -> None:
    Reference.objects.filter(pk=references[0].pk).update(erased_at="2026-01-01T00:00:00Z")
    document = run("--campaign", cast.campaign.slug, "--dry-run")
    assert document["references"] == 2


def test_wrong_asks_are_refused_in_a_sentence(cast, references, tmp_path) -> None:
    slug, target = cast.campaign.slug, str(tmp_path / "x.jsonl")
    assert "Name the file to write" in refused("--campaign", slug)
    assert "There is no campaign" in refused("--campaign", "none", "--output", target)
    assert "Between 1 and 10 grades" in refused("--campaign", slug, "--dry-run", "--grades", "0")
    assert "Between 1 and 10 faults" in refused("--campaign", slug, "--dry-run", "--faults", "11")
    assert "up to 100 characters" in refused("--campaign", slug, "--dry-run", "--system", " ")
    assert "is a folder" in refused("--campaign", slug, "--output", str(tmp_path))
    missing = tmp_path / "missing"
    assert "No such file" in refused("--file", str(missing), "--output", target)
    Reference.objects.update(claims="A cup.")
    assert "No reference can be rewritten" in refused("--campaign", slug, "--output", target)
    assert not list(tmp_path.iterdir())
    missing.write_text("[1]")
    assert refused("--file", str(missing), "--output", target)
    assert [path.name for path in tmp_path.iterdir()] == ["missing"]


def test_every_kind_can_be_asked_for() -> None:
    assert Rewriting().kinds == KIND_NAMES
    with pytest.raises(Refused):
        Rewriting(grades=11)
