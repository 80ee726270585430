import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from scoring.files import EXPORT_PREFIX, SUMS_NAME, digest_of, new_directory, put_file


def sums_of(directory: Path) -> bytes:
    return (directory / SUMS_NAME).read_bytes()


def test_a_file_is_written_with_what_belongs_beside_it(tmp_path) -> None:
    written = put_file(tmp_path / "x.jsonl", [b"one\n", b"two\n"], {"x.card.json": b"{}"})
    assert (tmp_path / "x.jsonl").read_bytes() == b"one\ntwo\n"
    assert (written.name, written.bytes) == ("x.jsonl", 8)
    assert written.sha256 == sha256(b"one\ntwo\n").hexdigest()
    assert digest_of("x.jsonl", sums_of(tmp_path)) == written.sha256
    assert digest_of("x.card.json", sums_of(tmp_path)) == sha256(b"{}").hexdigest()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["x.jsonl", "x.card.json", SUMS_NAME]
    )
    assert (tmp_path / "x.jsonl").stat().st_mode & 0o777 == 0o600


def test_a_stream_that_breaks_off_leaves_what_was_there(tmp_path) -> None:
    put_file(tmp_path / "x", [b"before"], {})
    earlier = sums_of(tmp_path)

    def broken() -> Iterator[bytes]:
        yield b"half"
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        put_file(tmp_path / "x", broken(), {"card": b""})
    assert (tmp_path / "x").read_bytes() == b"before"
    assert sums_of(tmp_path) == earlier
    assert sorted(path.name for path in tmp_path.iterdir()) == [SUMS_NAME, "x"]


def test_the_digest_is_there_before_the_file_has_its_name(tmp_path, monkeypatch) -> None:
    put_file(tmp_path / "x", [b"before"], {})
    seen = []
    replace = Path.replace

    def watched(self: Path, target: Path) -> Path:
        found = replace(self, target)
        content = (tmp_path / "x").read_bytes() if (tmp_path / "x").exists() else None
        seen.append((Path(target).name, content))
        if content is not None:
            assert digest_of("x", sums_of(tmp_path)) == sha256(content).hexdigest()
        return found

    monkeypatch.setattr(Path, "replace", watched)
    put_file(tmp_path / "x", [b"after"], {"card": b"{}"})
    assert seen == [("card", None), (SUMS_NAME, None), ("x", b"after")]


def test_what_is_no_file_is_not_written_over(tmp_path) -> None:
    with pytest.raises(OSError, match="no file"):
        put_file(tmp_path, [b""], {})
    with pytest.raises(FileNotFoundError):
        put_file(tmp_path / "no" / "x", [b""], {})


def test_a_directory_appears_once_it_is_full(tmp_path) -> None:
    target = tmp_path / "release"
    with new_directory(target) as aside:
        (aside / "x").write_bytes(b"x")
        assert not target.exists()
    assert [path.name for path in target.iterdir()] == ["x"]
    assert list(tmp_path.iterdir()) == [target]


def fill(target: Path, content: bytes | None) -> None:
    with new_directory(target) as aside:
        (aside / "x").write_bytes(b"x")
        if content is None:
            raise ZeroDivisionError


def test_a_directory_that_fails_or_stands_in_the_way_changes_nothing(tmp_path) -> None:
    target = tmp_path / "release"
    with pytest.raises(ZeroDivisionError):
        fill(target, None)
    assert list(tmp_path.iterdir()) == []
    target.mkdir()
    (target / "mine").touch()
    with pytest.raises(OSError, match="not empty"):
        fill(target, b"x")
    assert [path.name for path in target.iterdir()] == ["mine"]
    assert list(tmp_path.iterdir()) == [target]


def test_what_killed_writers_left_goes(tmp_path) -> None:
    (tmp_path / f"{EXPORT_PREFIX}dead").write_bytes(b"claims")
    left = tmp_path / f"{EXPORT_PREFIX}release"
    left.mkdir()
    (left / "train").write_bytes(b"claims")
    put_file(tmp_path / "x", [b"x"], {})
    assert sorted(path.name for path in tmp_path.iterdir()) == [SUMS_NAME, "x"]


def test_exports_to_one_directory_at_once_all_stand_in_its_sums(tmp_path) -> None:
    writers = []
    for number in range(4):
        pid = os.fork()
        if not pid:
            failed = 1
            try:
                for turn in range(5):
                    put_file(tmp_path / f"{number}-{turn}", [b"%d" % number], {})
                failed = 0
            finally:
                os._exit(failed)
        writers.append(pid)
    for pid in writers:
        assert os.waitpid(pid, 0)[1] == 0
    found = sums_of(tmp_path)
    for path in tmp_path.glob("*-*"):
        assert digest_of(path.name, found) == sha256(path.read_bytes()).hexdigest()
    assert found.count(b"\n") == 20
