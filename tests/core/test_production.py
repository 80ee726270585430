import fcntl
import subprocess
import sys
import time

from core.configuration import stored_secret

ASK = """
import sys
from pathlib import Path
from core.configuration import stored_secret
print("asking", flush=True)
print(stored_secret(Path(sys.argv[1]), 64))
"""


def test_a_secret_is_made_once_for_its_owner_alone(tmp_path) -> None:
    path = tmp_path / "new" / "secret_key"
    made = stored_secret(path, 64)
    assert len(made) > 80
    assert stored_secret(path, 64) == made
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_what_a_power_cut_left_empty_is_made_again(tmp_path) -> None:
    path = tmp_path / "secret_key"
    path.touch()
    made = stored_secret(path, 64)
    assert len(made) > 80
    assert path.read_text() == made


def test_who_comes_while_it_is_made_waits_for_it(tmp_path) -> None:
    path = tmp_path / "secret_key"
    with path.open("w") as first:
        fcntl.flock(first, fcntl.LOCK_EX)
        asking = subprocess.Popen(
            [sys.executable, "-c", ASK, str(path)], stdout=subprocess.PIPE, text=True
        )
        assert asking.stdout is not None
        assert asking.stdout.readline() == "asking\n"
        # Long enough for one that does not wait to answer with what is there: nothing.
        time.sleep(0.3)
        first.write("the first one's")
    assert asking.communicate()[0] == "the first one's\n"
