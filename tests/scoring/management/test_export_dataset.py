import gzip
import hashlib
import json
import os
import subprocess
import sys
from functools import partial

import pytest
from django.core.management import CommandError

from annotator.models import AuditEvent
from scoring.files import SUMS_NAME, digest_of
from tests.scoring.management import commands
from tests.served.server import ROOT, served_environment

pytestmark = pytest.mark.django_db

document = partial(commands.document, "export_dataset")
refusal = partial(commands.refusal, "export_dataset")


def test_a_file_is_described_by_what_is_printed_and_what_lies_beside_it(version, tmp_path) -> None:
    target = tmp_path / "out"
    chosen = ("--format", "csv", "--split", "test", "--gzip")
    found = document("tiny", *chosen, "--output", str(target))
    content = target.read_bytes()
    assert gzip.decompress(content).startswith(b'"id"')
    facts = {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    assert found == {"dataset": "tiny", "version": 1, "items": 3, "name": "out"} | facts
    sums = (tmp_path / SUMS_NAME).read_bytes()
    assert digest_of("out", sums) == found["sha256"]
    assert digest_of("out.card.json", sums)
    card = json.loads((tmp_path / "out.card.json").read_bytes())
    assert (card["sha256"], card["items"], card["splits"]["test"]) == (version.sha256, 18, 3)
    event = AuditEvent.objects.get(action="dataset.exported")
    assert (event.actor, event.details["format"]) == (None, "csv")


def test_a_release_is_described_file_by_file(version, tmp_path) -> None:
    found = document("tiny@1", "--release", str(tmp_path / "release"))
    assert (found["dataset"], found["version"], found["items"]) == ("tiny", 1, 18)
    for file in found["files"]:
        content = (tmp_path / "release" / file["name"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == file["sha256"]
        assert len(content) == file["bytes"]
    assert len(found["files"]) == len(list((tmp_path / "release").iterdir())) == 7
    assert "Cannot write the release" in refusal("tiny", "--release", str(tmp_path / "release"))


@pytest.mark.parametrize(
    "more", [("--gzip",), ("--split", "test"), ("--format", "csv"), ("--output", "x")]
)
def test_a_release_takes_no_choice_of_one_file(version, tmp_path, more) -> None:
    with pytest.raises(CommandError) as caught:
        commands.run("export_dataset", "tiny", "--release", str(tmp_path / "r"), *more)
    assert caught.value.returncode == 2
    assert not (tmp_path / "r").exists()


@pytest.mark.django_db(transaction=True)
def test_a_reader_that_goes_away_is_a_refusal_in_one_line(version, data_directory) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(
        [sys.executable, "manage.py", "export_dataset", "tiny"],
        cwd=ROOT,
        env=served_environment(DATA_DIR=str(data_directory)),
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(writing)
    assert ended.returncode == 1
    assert ended.stderr == "Whoever read the export went away before its end.\n"
