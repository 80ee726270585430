"""The seal of a backup."""

import io
import re
from collections.abc import Callable
from pathlib import Path

import pyrage
import pytest

from annotator.operations.backups.sealing import (
    Key,
    KeyFile,
    Passphrase,
    open_sealed,
    seal_by_passphrase,
    seal_to,
    write_sealed,
)
from core.errors import Refused

# Longer than what the format seals at a time.
WORDS = b"one two three " * 20_000


def sealed_to(public: str) -> bytes:
    target = io.BytesIO()
    write_sealed(iter([WORDS[:7], b"", WORDS[7:]]), target, seal_to([public]))
    return target.getvalue()


def opened(sealed: bytes, key: Key) -> bytes:
    target = io.BytesIO()
    open_sealed(io.BytesIO(sealed), target, key)
    return target.getvalue()


def test_what_is_sealed_opens_with_the_key_file_and_is_not_readable_without(
    key: tuple[str, Path],
) -> None:
    sealed = sealed_to(key[0])
    assert b"one two" not in sealed
    assert opened(sealed, KeyFile(key[1])) == WORDS


@pytest.fixture(scope="module")
def by_passphrase() -> bytes:
    """Give what a passphrase sealed, which takes seconds, as opening it does."""
    target = io.BytesIO()
    write_sealed(iter([WORDS]), target, seal_by_passphrase("twelve or more"))
    return target.getvalue()


def test_only_the_passphrase_opens_what_it_sealed(by_passphrase: bytes) -> None:
    assert opened(by_passphrase, Passphrase("twelve or more")) == WORDS
    with pytest.raises(Refused, match="passphrase is wrong"):
        opened(by_passphrase, Passphrase("twelve or less"))
    with pytest.raises(Refused, match="leave out --identity"):
        opened(by_passphrase, KeyFile(Path("/nowhere")))


DAMAGES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "cut by a byte": (lambda b: b[:-1], "damaged or cut off"),
    "cut at a seam": (lambda b: b[: -len(b) // 2], "damaged or cut off"),
    "a byte more": (lambda b: b + b"x", "damaged or cut off"),
    "another bit": (lambda b: b[:9000] + bytes([b[9000] ^ 1]) + b[9001:], "damaged or cut off"),
    "another header": (lambda b: b[:60] + b"AAAA" + b[64:], "the key is another one"),
    "another kind": (lambda b: b"PK" + b, "no backup of this application"),
    "nothing": (lambda b: b"", "no backup of this application"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_refused(key: tuple[str, Path], damage: str) -> None:
    harm, words = DAMAGES[damage]
    with pytest.raises(Refused, match=words):
        opened(harm(sealed_to(key[0])), KeyFile(key[1]))


def test_poor_keys_are_refused_with_a_message(key: tuple[str, Path], tmp_path: Path) -> None:
    sealed = sealed_to(key[0])
    (tmp_path / "empty").write_text("no key")
    for what, words in (
        (lambda: seal_by_passphrase("short"), "at least 12"),
        (lambda: seal_to(["age1nonsense"]), "age-keygen"),
        (lambda: opened(sealed, KeyFile(tmp_path / "none")), "Cannot read"),
        (lambda: opened(sealed, KeyFile(tmp_path / "empty")), "no key file"),
        (lambda: opened(sealed, Passphrase("twelve or more")), "--identity KEYFILE"),
    ):
        with pytest.raises(Refused, match=words):
            what()


def test_an_error_of_what_is_sealed_comes_out_as_it_was(key: tuple[str, Path]) -> None:
    def pieces():  # type: ignore[no-untyped-def]
        yield b"a"
        raise Refused("a file went away")

    with pytest.raises(Refused, match="went away"):
        write_sealed(pieces(), io.BytesIO(), seal_to([key[0]]))


def test_a_sealed_key_that_asks_for_gigabytes_of_memory_is_not_tried(
    by_passphrase: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    costly = re.sub(rb"(-> scrypt \S+) \d\d\n", rb"\1 25\n", by_passphrase, count=1)
    assert costly != by_passphrase
    tried: list[bytes] = []
    monkeypatch.setattr(pyrage.passphrase, "decrypt", lambda key, _: tried.append(key))
    with pytest.raises(Refused, match="none that `backup` writes"):
        opened(costly, Passphrase("twelve or more"))
    assert tried == []
