import shutil
import subprocess
from hashlib import sha256

import pytest

from scoring.files import SUMS_NAME, digest_of, sums

NAMES = ["a.jsonl", "with space.csv", "back\\slash", "Umlaut-\u00e4", "-dash"]
ONE, TWO = sha256(b"1").hexdigest(), sha256(b"2").hexdigest()


@pytest.mark.skipif(not shutil.which("sha256sum"), reason="sha256sum is not installed")
def test_sha256sum_finds_every_file_in_order(tmp_path) -> None:
    for name in NAMES:
        (tmp_path / name).write_bytes(name.encode())
    digests = {name: sha256(name.encode()).hexdigest() for name in NAMES}
    (tmp_path / SUMS_NAME).write_bytes(sums(digests))

    def check() -> int:
        command = ["sha256sum", "--strict", "--quiet", "-c", SUMS_NAME]
        return subprocess.run(command, cwd=tmp_path, capture_output=True).returncode

    assert check() == 0
    (tmp_path / NAMES[3]).write_bytes(b"changed")
    assert check() != 0


def test_lines_are_ordered_by_name_whatever_the_order_given() -> None:
    assert sums({"b": ONE, "a": TWO}) == sums({"a": TWO, "b": ONE})
    assert sums({"b": ONE, "a": TWO}).decode() == f"{TWO}  a\n{ONE}  b\n"


def test_lines_of_other_files_stay_and_those_of_the_same_name_are_replaced() -> None:
    earlier = sums({"other": ONE, "again": ONE}) + b"not a line of ours\n"
    found = sums({"again": TWO, "new": TWO}, earlier)
    assert [digest_of(name, found) for name in ("other", "again", "new")] == [ONE, TWO, TWO]
    assert found.count(b"\n") == 3


def test_a_name_that_is_not_listed_has_no_digest() -> None:
    assert digest_of("a", sums({"b": ONE})) == ""
    assert digest_of("a", b"") == ""
