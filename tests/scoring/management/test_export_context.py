"""`export_dataset --with-context`: one more file beside the rows, and nothing else without it."""

import hashlib
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from annotator.context.files import FOLDER
from annotator.context.services import store_context
from annotator.formats.context_lines import lines_of
from annotator.imports.erasing import erase_texts
from annotator.models import AuditEvent, Drawing, Reference
from patclaimeval.documents.context import Context, Paragraph, Sheet
from scoring.files import SUMS_NAME, digest_of
from scoring.models import DatasetVersion
from tests.patclaimeval.documents.pictures import picture
from tests.scoring.conftest import dataset_rows, imported
from tests.scoring.management import commands

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

document = partial(commands.document, "export_dataset")
CONTEXT = Context(
    (
        Paragraph("description", "BACKGROUND", is_heading=True),
        Paragraph("description", "Cups are known.", "0001"),
        Paragraph("abstract", "A cup."),
    ),
    (Sheet("fig1", picture(), 60, 40),),
)
OTHER = Context((Paragraph("abstract", "Another cup."),))
BOTH = b"".join((*lines_of("r0", CONTEXT), *lines_of("r2", OTHER)))
COUNTS = {"references": 2, "paragraphs": 4, "drawings": 1}


@pytest.fixture
def frozen(rated: Any) -> DatasetVersion:
    """A version of three references; two of them have context."""
    found: DatasetVersion = rated(3).rate_all().freeze(test_share=0.4, validation_share=0.0)
    give({"r0": CONTEXT, "r2": OTHER})
    return found


def give(contexts: dict[str, Context]) -> None:
    keys = dict(Reference.objects.values_list("reference_id", "pk"))
    store_context((keys[name], context) for name, context in contexts.items())


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def lines_by_reference(content: bytes) -> dict[str, list[bytes]]:
    found: dict[str, list[bytes]] = {}
    for line in content.splitlines(keepends=True):
        found.setdefault(json.loads(line)["context_of"], []).append(line)
    return found


def test_a_release_has_one_more_file_that_its_sums_and_cards_name(frozen, tmp_path) -> None:
    plain = document("trial", "--release", str(tmp_path / "plain"))
    found = document("trial", "--release", str(tmp_path / "full"), "--with-context")
    before, after = contents(tmp_path / "plain"), contents(tmp_path / "full")
    name = "trial-1.context.jsonl"
    assert after.keys() - before.keys() == {name}
    content = after[name]
    lines = lines_by_reference(content)
    assert lines == {"r0": list(lines_of("r0", CONTEXT)), "r2": list(lines_of("r2", OTHER))}
    digest = hashlib.sha256(content).hexdigest()
    assert digest_of(name, after[SUMS_NAME]) == digest
    file = {"sha256": digest, "bytes": len(content)}
    assert found["context"] == {"name": name, **file, **COUNTS}
    assert {"name": name, **file} in found["files"] and "context" not in plain
    card = json.loads(after["trial-1.card.json"])
    assert card.pop("context") == {"file": name, **file, **COUNTS}
    assert card == json.loads(before["trial-1.card.json"])
    sentence = "description, abstract and drawings of 2 references: 4 paragraphs, 1 drawing."
    assert sentence in after["trial-1.card.md"].decode()
    assert sentence in after["README.md"].decode()
    rows = [one for one in before if one.endswith(".jsonl")]
    assert rows and all(before[one] == after[one] for one in rows)


def test_without_the_option_every_byte_is_as_if_there_were_no_context(rated, tmp_path) -> None:
    rated(3).rate_all().freeze(test_share=0.4, validation_share=0.0)
    for folder in ("before", "after"):
        (tmp_path / folder).mkdir()
        document("trial", "--release", str(tmp_path / folder / "release"))
        document("trial", "--output", str(tmp_path / folder / "rows.jsonl"))
        give({"r0": CONTEXT})
    for place in ("release", "."):
        one, two = (
            {path.name: path.read_bytes() for path in (tmp_path / name / place).glob("*.*")}
            for name in ("before", "after")
        )
        assert one == two and len(one) >= 2
    details = AuditEvent.objects.filter(action="dataset.exported").values_list("details", flat=True)
    assert len(details) == 4
    assert all(one.keys() == {"dataset", "sha256", "format", "split", "gzip"} for one in details)


def test_beside_a_file_lies_its_context_under_its_name(frozen, tmp_path) -> None:
    found = document("trial", "--output", str(tmp_path / "a.csv"), "--format=csv", "--with-context")
    content = (tmp_path / "a.context.jsonl").read_bytes()
    assert lines_by_reference(content) == lines_by_reference(BOTH)
    sums = (tmp_path / SUMS_NAME).read_bytes()
    assert digest_of("a.context.jsonl", sums) == found["context"]["sha256"]
    assert digest_of("a.csv", sums) == found["sha256"]
    card = (tmp_path / "a.card.json").read_bytes()
    assert digest_of("a.card.json", sums) == hashlib.sha256(card).hexdigest()
    assert json.loads(card)["context"]["references"] == 2
    assert AuditEvent.objects.get(action="dataset.exported").details["context"] is True


def test_of_a_split_only_its_references_are_written(frozen, tmp_path) -> None:
    shown = set()
    for split in ("train", "test"):
        target = tmp_path / f"{split}.jsonl"
        found = document("trial", "--output", str(target), "--split", split, "--with-context")
        rows = {json.loads(line)["reference_id"] for line in target.read_bytes().splitlines()}
        wanted = rows & {"r0", "r2"}
        assert (found["context"] or {"references": 0})["references"] == len(wanted)
        if wanted:
            content = (tmp_path / f"{split}.context.jsonl").read_bytes()
            assert lines_by_reference(content).keys() == wanted
        shown |= wanted
    assert shown == {"r0", "r2"}


@pytest.mark.django_db(transaction=True)
def test_it_is_read_outside_a_transaction_of_the_caller(frozen, tmp_path) -> None:
    document("trial", "--release", str(tmp_path / "full"), "--with-context")
    content = (tmp_path / "full" / "trial-1.context.jsonl").read_bytes()
    assert lines_by_reference(content) == lines_by_reference(BOTH)


def test_a_version_of_no_campaign_has_none_and_the_command_reports_that(frozen, tmp_path) -> None:
    # Its rows have the ids of the campaign's references.
    imported("tiny", dataset_rows())
    out = tmp_path / "tiny"
    out.mkdir()
    printed = commands.run("export_dataset", "tiny", "--output", str(out / "x"), "--with-context")
    assert "No reference of these rows has context: there is no file of it." in printed[1]
    found = document("tiny", "--release", str(out / "release"), "--with-context")
    assert found["context"] is None
    assert not list(tmp_path.rglob("*.context.jsonl"))
    assert "context" not in json.loads((out / "x.card.json").read_bytes())


def test_an_id_alone_does_not_make_a_row_that_of_a_reference(frozen, tmp_path) -> None:
    imported("alike", dataset_rows(), campaign=frozen.dataset.campaign)
    target = str(tmp_path / "x")
    assert document("trial.alike", "--output", target, "--with-context")["context"] is None


def test_it_is_refused_where_only_one_file_can_be_written(frozen) -> None:
    why = commands.refusal("export_dataset", "trial", "--with-context")
    assert "name a file with --output, or a directory with --release" in why
    assert not AuditEvent.objects.filter(action="dataset.exported").exists()


@pytest.mark.parametrize("damage", ["changed", "missing"])
def test_a_damaged_drawing_is_found_out_and_leaves_no_release(frozen, tmp_path, damage) -> None:
    path = Path(settings.DATA_DIR) / FOLDER / str(Drawing.objects.get().pk)
    if damage == "changed":
        path.write_bytes(path.read_bytes()[:-1])
    else:
        path.unlink()
    for more in (("--release", "release"), ("--output", "x.jsonl")):
        where = (more[0], str(tmp_path / more[1]))
        why = commands.refusal("export_dataset", "trial", *where, "--with-context")
        assert damage in why
    assert sorted(one.name for one in tmp_path.iterdir()) == ["data"]


def test_an_erased_reference_has_none(frozen, tmp_path) -> None:
    erase_texts(Reference.objects.get(reference_id="r0"))
    document("trial", "--output", str(tmp_path / "x.jsonl"), "--with-context")
    content = (tmp_path / "x.context.jsonl").read_bytes()
    assert content == b"".join(lines_of("r2", OTHER))
