"""P12: `import_claims` stores the whole file or nothing whenever it is killed, and once."""

import signal
import subprocess
from functools import partial
from pathlib import Path

import pytest

from annotator.models import Campaign, Candidate, ClaimImport, Reference
from tests.annotator.imports.import_files import good
from tests.crowd import at_once
from tests.promises.harness import SCALE, SERVED
from tests.served.programs import run_program
from tests.served.server import served_environment

pytestmark = [pytest.mark.promise("P12"), *SERVED]
# The most of a campaign; with nine candidates each, the claim sets of the largest import.
REFERENCES = 2_000
CANDIDATES = 2 if SCALE == 1 else 9
WHOLE = (REFERENCES, CANDIDATES * REFERENCES)
# With those of the other pair of services, twenty.
KILLS = 3 if SCALE == 1 else 10


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("claims") / "claims.jsonl"
    path.write_bytes(good(REFERENCES, CANDIDATES))
    return path


def command(path: Path, slug: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own."""
    program = "tests.promises.claim_file_worker"
    return run_program(program, str(path), slug, *arguments, env=served_environment())


def printed(done: subprocess.CompletedProcess[str]) -> list[int]:
    """Return what a command that lived has printed: statements, new references, new candidates."""
    assert done.returncode == 0, done.stderr
    return [int(word) for word in done.stdout.split()]


def stored(slug: str) -> tuple[int, int]:
    return (
        Reference.objects.filter(campaign__slug=slug).count(),
        Candidate.objects.filter(campaign__slug=slug).count(),
    )


def killed_at(path: Path, slug: str, *arguments: str) -> tuple[int, int]:
    """Run the command to its death and return what the campaign holds then."""
    dead = command(path, slug, *arguments)
    assert dead.returncode == -signal.SIGKILL, dead.stderr
    return stored(slug)


@pytest.mark.exhaustive
def test_a_command_killed_at_any_statement_leaves_nothing_and_again_stores_all(path, tally) -> None:
    tally.tried(lines=REFERENCES, kills=KILLS)
    last = printed(command(path, "alive", "0"))[0]
    assert stored("alive") == WHOLE
    # From the first question to the last one before the commit.
    moments = {1 + round(number * (last - 1) / (KILLS - 1)) for number in range(KILLS)}
    for fatal in sorted(moments):
        assert killed_at(path, "killed", str(fatal)) == (0, 0), f"{fatal} of {last}"
    assert not Campaign.objects.filter(slug="killed").exists()
    assert printed(command(path, "killed", "0"))[1:] == [*WHOLE]
    assert printed(command(path, "killed", "0"))[1:] == [0, 0]
    assert stored("killed") == WHOLE
    assert ClaimImport.objects.filter(campaign__slug="killed").count() == 2


def test_two_commands_with_one_file_at_once_have_one_effect(path) -> None:
    answers = at_once([partial(command, path, "shared", "0")] * 2)
    assert sorted(printed(answer)[1] for answer in answers) == [0, REFERENCES]
    assert stored("shared") == WHOLE


def test_a_command_that_commits_midway_is_found_out(path) -> None:
    last = printed(command(path, "alive", "0"))[0]
    references, candidates = killed_at(path, "torn", str(last - 3), "commit-midway")
    assert references > 0
    assert candidates > 0
