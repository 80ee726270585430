import hashlib
import json

import pytest

from annotator.models import AuditEvent
from core.errors import Refused
from scoring import files as scoring_files
from scoring.datasets.exports.services import set_licence, write_release
from scoring.files import SUMS_NAME, digest_of
from scoring.formats import patent_ce_jsonl
from scoring.models import DatasetVersion
from scoring.quadruplets import SPLIT_NAMES

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def test_a_release_holds_a_file_a_split_the_cards_and_sums_that_hold(
    cast, version, rows, tmp_path
) -> None:
    shares: list[float] = []
    asked = {"exported_by": cast.ada, "progress": shares.append}
    files = write_release(version=version, directory=tmp_path / "release", **asked)
    found = {path.name: path.read_bytes() for path in (tmp_path / "release").iterdir()}
    lines = {f"tiny-1-{split}.jsonl": split for split in SPLIT_NAMES}
    papers = {"tiny-1.card.json", "tiny-1.card.md", "README.md"}
    assert found.keys() == lines.keys() | papers | {SUMS_NAME}
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in found.items()}
    assert {file.name: (file.sha256, file.bytes) for file in files} == {
        name: (digests[name], len(content)) for name, content in found.items()
    }
    for name in lines.keys() | papers:
        assert digest_of(name, found[SUMS_NAME]) == digests[name]
    for name, split in lines.items():
        wanted = [row for row in rows() if row.split == split]
        assert found[name] == b"".join(patent_ce_jsonl.write(wanted))
    assert (len(shares), shares[-1]) == (18, 1.0)
    event = AuditEvent.objects.get(action="dataset.exported")
    assert (event.actor, event.details["format"]) == (cast.ada, "release")


def test_a_release_is_the_same_bytes_each_time(version, tmp_path) -> None:
    for name in ("one", "two"):
        write_release(version=DatasetVersion.objects.get(), directory=tmp_path / name)
    one, two = (
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
        for name in ("one", "two")
    )
    assert one == two


def test_a_release_does_not_go_over_what_is_there(version, tmp_path) -> None:
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / "mine").touch()
    for place in ("release", "no/release"):
        with pytest.raises(Refused, match="Cannot write the release"):
            write_release(version=version, directory=tmp_path / place)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "release"]


def test_the_licence_an_admin_chose_is_on_the_card(cast, version, tmp_path) -> None:
    row = set_licence(version=version, licence="CC BY 4.0", set_by=cast.ada)
    write_release(version=row, directory=tmp_path / "release")
    card = json.loads((tmp_path / "release" / "tiny-1.card.json").read_bytes())
    assert card["licence"] == "CC BY 4.0"
    assert "## Licence\n\nCC BY 4.0\n" in (tmp_path / "release" / "tiny-1.card.md").read_text()


def test_a_release_of_a_damaged_file_is_refused_and_leaves_nothing(version, tmp_path) -> None:
    path = scoring_files.dataset_path(version.sha256)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(scoring_files.StoredFileDamaged):
        write_release(version=version, directory=tmp_path / "release")
    assert not AuditEvent.objects.filter(action="dataset.exported").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]
