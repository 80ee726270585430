import gzip
from typing import Any

import pytest

from annotator.models import AuditEvent
from core.errors import Refused
from scoring import files as scoring_files
from scoring.datasets.exports.services import export_to_file, export_version
from scoring.formats import patent_ce_csv, patent_ce_json, patent_ce_jsonl
from scoring.models import DatasetVersion

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]
WRITERS = {
    "patent-ce-jsonl": patent_ce_jsonl.write,
    "patent-ce-json": patent_ce_json.write,
    "csv": patent_ce_csv.write,
}


def exported(version: DatasetVersion, **how: Any) -> bytes:
    return b"".join(export_version(version=version, **how).pieces)


@pytest.mark.parametrize("file_format", WRITERS)
@pytest.mark.parametrize("split", ["all", "train", "validation", "test"])
def test_every_format_and_split_is_what_its_writer_makes_of_the_rows(
    version, rows, file_format, split
) -> None:
    wanted = [row for row in rows() if split in ("all", row.split)]
    assert wanted
    asked, expected = {"file_format": file_format, "split": split}, WRITERS[file_format](wanted)
    plain = exported(version, **asked)
    assert plain == exported(version, **asked) == b"".join(expected)
    packed = exported(version, **asked, is_gzipped=True)
    assert packed == exported(version, **asked, is_gzipped=True)
    assert gzip.decompress(packed) == plain
    assert packed[3:8] == bytes(5)  # neither name nor time
    assert export_version(version=version, split=split).rows == len(wanted)


def test_each_export_is_in_the_audit_trail_before_a_byte_has_left(cast, version) -> None:
    asked = {"format": "csv", "split": "test", "gzip": False}
    found = export_version(version=version, file_format="csv", split="test", exported_by=cast.ada)
    event = AuditEvent.objects.get(action="dataset.exported")
    assert (event.actor, event.object_id) == (cast.ada, str(version.pk))
    assert event.details == asked | {"dataset": "tiny@1", "sha256": version.sha256}
    assert next(found.pieces)


@pytest.mark.parametrize(
    ("how", "field"), [({"file_format": "xml"}, "format"), ({"split": "dev"}, "split")]
)
def test_what_is_unknown_is_refused_by_field(version, how, field) -> None:
    with pytest.raises(Refused) as caught:
        export_version(version=version, **how)
    assert list(caught.value.fields) == [field]
    assert not AuditEvent.objects.filter(action="dataset.exported").exists()


@pytest.mark.parametrize("file_format", WRITERS)
def test_a_damaged_file_is_refused_before_anything_leaves(version, file_format, tmp_path) -> None:
    path = scoring_files.dataset_path(version.sha256)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(scoring_files.StoredFileDamaged):
        export_version(version=version, file_format=file_format, split="test")
    with pytest.raises(scoring_files.StoredFileDamaged):
        export_to_file(version=version, target=tmp_path / "x", file_format=file_format)
    assert not AuditEvent.objects.filter(action="dataset.exported").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.csv", "a.jsonl.gz", "a"])
def test_the_card_beside_a_file_is_named_after_it(version, tmp_path, name) -> None:
    export_to_file(version=version, target=tmp_path / name)
    assert (tmp_path / "a.card.json").is_file()


@pytest.mark.parametrize("file_format", ["patent-ce-jsonl", "csv"])
def test_progress_counts_up_to_the_end(version, tmp_path, file_format) -> None:
    shares: list[float] = []
    how = {"file_format": file_format, "progress": shares.append}
    export_to_file(version=version, target=tmp_path / "x", **how)
    assert shares == sorted(shares)
    assert (len(shares), shares[-1]) == (18, 1.0)
