import hashlib
import io
import json
import tarfile
from pathlib import Path

import pytest

from scoring.files import StoredFileDamaged
from scoring.training.model_versions.files import open_model, tar_pieces
from tests.scoring.model_rows import write_directory

FILES = {"model.safetensors": b"w" * 3000, "config.json": b"{}", "README.md": b""}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "model"


def archive(directory: Path, digest: str) -> bytes:
    return b"".join(tar_pieces("model-1", open_model(directory, digest)))


def test_an_archive_holds_the_files_of_the_manifest_under_one_directory(directory) -> None:
    digest = write_directory(directory, FILES)
    (directory / "stray.bin").write_bytes(b"not of the model")
    found = archive(directory, digest)
    assert len(found) % tarfile.BLOCKSIZE == 0
    with tarfile.open(fileobj=io.BytesIO(found)) as opened:
        held = {m.name: opened.extractfile(m).read() for m in opened.getmembers()}  # type: ignore[union-attr]
        assert all((m.uid, m.mtime, m.mode) == (0, 0, 0o644) for m in opened.getmembers())
    files = FILES | {"MANIFEST.json": (directory / "MANIFEST.json").read_bytes()}
    assert held == {f"model-1/{name}": content for name, content in files.items()}
    assert found == archive(directory, digest)


@pytest.mark.parametrize(
    ("link", "words"),
    [(None, "is missing"), (Path.hardlink_to, "has another name"), (Path.symlink_to, "is missing")],
    ids=["missing", "hard link", "symbolic link"],
)
def test_a_missing_file_and_a_link_do_not_leave(directory, link, words) -> None:
    digest = write_directory(directory, FILES)
    elsewhere = (directory / "config.json").rename(directory.with_name("elsewhere"))
    if link:
        link(directory / "config.json", elsewhere)
    with pytest.raises(StoredFileDamaged, match=f"config.json of the model {words}"):
        archive(directory, digest)


@pytest.mark.parametrize("name", ["../secret", "/etc/hostname", "sub/secret"])
def test_a_name_that_leads_out_of_the_directory_does_not_leave(directory, name) -> None:
    write_directory(directory, FILES)
    (directory / "sub").mkdir()
    for place in (directory.with_name("secret"), directory / "sub" / "secret"):
        place.write_bytes(b"secret")
    manifest = json.dumps({"sha256": {name: hashlib.sha256(b"secret").hexdigest()}}).encode()
    (directory / "MANIFEST.json").write_bytes(manifest)
    with pytest.raises(StoredFileDamaged, match="is missing"):
        archive(directory, hashlib.sha256(manifest).hexdigest())


def test_what_was_checked_is_what_leaves(directory) -> None:
    digest = write_directory(directory, FILES)
    files = open_model(directory, digest)
    (directory / "config.json").unlink()
    (directory / "config.json").write_bytes(b"[]")
    with tarfile.open(fileobj=io.BytesIO(b"".join(tar_pieces("m", files)))) as opened:
        assert opened.extractfile("m/config.json").read() == b"{}"  # type: ignore[union-attr]
