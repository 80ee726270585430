import hashlib
from pathlib import Path
from typing import Any

import pytest

from core.artefacts.settings import read
from core.artefacts.store import Changed, delete, has, listed, open_whole, put, retain, where

GIVEN = {
    "ARTEFACT_STORE": "s3://claims-of-a-firm/workbench/eu",
    "ARTEFACT_STORE_ENDPOINT": "https://s3.example.org",
    "ARTEFACT_STORE_KEY_ID": "AKIA",
    "ARTEFACT_STORE_SECRET": "sesame",
}
TEXT = b"1. A cup.\n"
DIGEST = hashlib.sha256(TEXT).hexdigest()


def test_settings_name_bucket_prefix_and_endpoint() -> None:
    found = read(GIVEN, private=[])

    assert found is not None
    assert (found.bucket, found.prefix) == ("claims-of-a-firm", "workbench/eu")
    assert found.address == "s3://claims-of-a-firm/workbench/eu"
    assert found.endpoint == "https://s3.example.org"


def test_without_an_address_there_is_no_store() -> None:
    assert read({**GIVEN, "ARTEFACT_STORE": " "}, private=[]) is None


def test_no_repr_holds_the_secret() -> None:
    assert "sesame" not in repr(read(GIVEN, private=[]))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ARTEFACT_STORE", "s3://"),
        ("ARTEFACT_STORE", "https://claims-of-a-firm"),
        ("ARTEFACT_STORE", "s3://claims-of-a-firm/../other"),
        ("ARTEFACT_STORE", "s3://Claims_Of_A_Firm"),
        ("ARTEFACT_STORE", "s3://key:sesame@claims-of-a-firm"),
        ("ARTEFACT_STORE_ENDPOINT", "http://s3.example.org"),
        ("ARTEFACT_STORE_ENDPOINT", "https://key:sesame@s3.example.org"),
        ("ARTEFACT_STORE_ENDPOINT", "https://s3.example.org/path"),
        ("ARTEFACT_STORE_ENDPOINT", "https://s3.example.org:0"),
        ("ARTEFACT_STORE_ENDPOINT", "ftp://s3.example.org"),
        ("ARTEFACT_STORE_ENDPOINT", "https://[s3.example.org"),
        ("ARTEFACT_STORE_REGION", "eu central"),
        ("ARTEFACT_STORE_KEY_ID", ""),
        ("ARTEFACT_STORE_SECRET", ""),
        ("ARTEFACT_STORE_SECRET", "open sesame"),
        ("ARTEFACT_STORE_ENCRYPTION", "rot13"),
    ],
)
def test_wrong_setting_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(ValueError, match=name) as refusal:
        read({**GIVEN, name: value}, private=[])

    assert "sesame" not in str(refusal.value)


@pytest.mark.parametrize("url", ["http://127.0.0.1:9000", "http://store:9000"])
def test_plain_way_is_taken_where_nobody_else_listens(url: str) -> None:
    found = read({**GIVEN, "ARTEFACT_STORE_ENDPOINT": url}, private=["store"])

    assert found is not None
    assert found.endpoint == url


def test_without_a_store_the_data_directory_is_all_there_is(tmp_path: Path, settings: Any) -> None:
    settings.ARTEFACT_STORE = None
    path = tmp_path / "file"
    path.write_bytes(TEXT)

    put("datasets", "a", DIGEST, path)

    assert has("datasets", "a", DIGEST)
    assert where() == "data directory"
    with open_whole("datasets", "a", DIGEST, path) as file:
        assert file.read() == TEXT
    assert delete("datasets", "a") == 0
    retain("datasets", "a", ())
    assert list(listed("datasets")) == []
    assert path.read_bytes() == TEXT


def test_without_a_store_a_damaged_file_is_found_out(tmp_path: Path, settings: Any) -> None:
    settings.ARTEFACT_STORE = None
    path = tmp_path / "file"
    with pytest.raises(FileNotFoundError):
        open_whole("datasets", "a", DIGEST, path)
    path.write_bytes(b"1. A mug.\n")

    with pytest.raises(Changed):
        open_whole("datasets", "a", DIGEST, path)


def test_without_an_endpoint_it_is_amazons() -> None:
    found = read({"ARTEFACT_STORE": "s3://claims-of-a-firm"}, private=[])

    assert found is not None
    assert (found.endpoint, found.prefix, found.key_id) == ("", "", "")
    assert found.address == "s3://claims-of-a-firm"


@pytest.mark.parametrize("owner", ["..", "a/b", "", ".hidden", "a b"])
def test_no_owner_leads_elsewhere(owner: str, settings: Any) -> None:
    settings.ARTEFACT_STORE = read(GIVEN, private=[])

    with pytest.raises(ValueError, match="no object"):
        has("datasets", owner, DIGEST)


@pytest.mark.parametrize("digest", ["", "0" * 63, "../" + "0" * 61, "G" * 64])
def test_no_digest_leads_elsewhere(digest: str, settings: Any) -> None:
    settings.ARTEFACT_STORE = read(GIVEN, private=[])

    with pytest.raises(ValueError, match="no object"):
        has("datasets", "a", digest)
