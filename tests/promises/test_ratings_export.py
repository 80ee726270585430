"""P11: an export of ratings is complete and from one moment, or absent."""

import hashlib
import json
import random
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from annotator.exports import queries as exports_queries
from annotator.exports import rows as exports_rows
from annotator.exports.services import MANIFEST, request_export, write_export
from annotator.models import Campaign, Rating, User
from tests.promises.harness import SCALE, SERVED
from tests.promises.rated_campaigns import Writer, fill, scores_of, writing
from tests.served.programs import run_program
from tests.served.server import served_environment

pytestmark = [pytest.mark.promise("P11"), *SERVED]
WRITERS = 20
REFERENCES = 3 * WRITERS
EXPORTS = 2 * SCALE
# With those on the other pair of services, twenty and more.
KILLS = 4 if SCALE == 1 else 10
# Between two questions of an export, so that everybody writes meanwhile.
PAUSE_SECONDS = 0.1


class Rater(Writer):
    """Gives the ratings of an early and of a late reference the same new score, at one moment."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.pair = f"r{number:05}", f"r{REFERENCES - 1 - number:05}"
        self._ratings = Rating.objects.filter(candidate__reference__reference_id__in=self.pair)
        self._ratings.update(**scores_of(0))

    def write(self) -> None:
        self._ratings.update(**scores_of(self.turns % 11))


def raters() -> list[Rater]:
    return [Rater(number) for number in range(WRITERS)]


@contextmanager
def slowly() -> Iterator[None]:
    """Have each question of this thread wait a little."""

    def execute(run: Any, *asked: Any) -> Any:
        time.sleep(PAUSE_SECONDS)
        return run(*asked)

    with connection.execute_wrapper(execute):
        yield


def disagreements(target: Path, writers: Sequence[Rater]) -> list[str]:
    """Return of which writers the file holds no moment that there was."""
    scores: dict[str, set[int]] = {}
    for line in target.read_bytes().splitlines():
        line_read = json.loads(line)
        scores.setdefault(line_read["reference_id"], set()).update(line_read["scores"].values())
    early_and_late = [
        (scores[one] | scores[other], one) for one, other in (writer.pair for writer in writers)
    ]
    return [name for found, name in early_and_late if len(found) != 1]


def faults_of(target: Path) -> list[str]:
    """Return what is wrong with a file that is there: its manifest does not stand for it."""
    if not target.exists():
        return []
    manifest = target.with_name(target.name + MANIFEST)
    if not manifest.exists():
        return ["there is no manifest"]
    facts, content = json.loads(manifest.read_bytes()), target.read_bytes()
    found = []
    if facts["sha256"] != hashlib.sha256(content).hexdigest():
        found.append("the digest is another one")
    if sum(facts["counts"].values()) != content.count(b"\n"):
        found.append("the count is another one")
    return found


def export_to(target: Path, campaign: Campaign) -> None:
    write_export(request_export(campaign=campaign, format="jsonl"), target)


@pytest.fixture
def filled(cast, two_raters: list[User], monkeypatch) -> Campaign:
    # Several batches, so that a writer's references are read at different times.
    monkeypatch.setattr(exports_rows, "REFERENCES_AT_ONCE", WRITERS)
    fill(cast.campaign, REFERENCES, two_raters)
    return cast.campaign


def test_what_is_exported_while_everybody_writes_is_of_one_moment(filled, tmp_path, tally) -> None:
    tally.tried(exports_while_20_write=EXPORTS)
    target = tmp_path / "ratings.jsonl"
    with writing(raters()) as writers:
        for _ in range(EXPORTS):
            before = [writer.turns for writer in writers]
            with slowly():
                export_to(target, filled)
            assert disagreements(target, writers) == []
            assert faults_of(target) == []
            # Nobody waited for the export.
            assert all(one.turns > turns for one, turns in zip(writers, before, strict=True))
    assert target.read_bytes().count(b"\n") == Rating.objects.count()


def test_an_export_that_reads_on_and_on_is_found_out(filled, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(exports_queries, "one_moment", nullcontext)
    with writing(raters()) as writers, slowly():
        export_to(tmp_path / "ratings.jsonl", filled)
    assert disagreements(tmp_path / "ratings.jsonl", writers)


def run(campaign: Campaign, target: Path, fatal: int, *fault: str) -> str:
    """Run the program; return what it printed, "" when it died as asked."""
    parameters = (campaign.slug, str(target), str(fatal), *fault)
    done = run_program("tests.promises.rating_export_worker", *parameters, env=served_environment())
    assert done.returncode == (-signal.SIGKILL if fatal else 0), done.stderr
    return done.stdout


@pytest.mark.exhaustive
def test_kill_9_at_any_moment_leaves_no_file_that_is_not_whole(filled, tmp_path, tally) -> None:
    tally.tried(kills=KILLS + 6)
    target = tmp_path / "ratings.jsonl"
    moments = int(run(filled, tmp_path / "counted.jsonl", 0))
    # The last ones are those in which the files get their names, also over those of older ones.
    names = range(moments - 5, moments + 1)
    for fatal in random.Random(1).sample(range(1, moments - 5), KILLS):
        run(filled, target, fatal)
        assert not target.exists(), fatal
    for fatal in names:
        export_to(target, filled)
        Rating.objects.update(comment=f"before the death at {fatal}")
        run(filled, target, fatal)
        assert faults_of(target) == [], fatal
    export_to(target, filled)
    assert faults_of(target) == []
    assert target.read_bytes().count(b"\n") == Rating.objects.count()
    tally.found(lost=0, doubled=0)


def test_an_export_written_straight_to_its_name_is_found_out(filled, tmp_path) -> None:
    run(filled, tmp_path / "ratings.jsonl", 8, "straight")
    assert faults_of(tmp_path / "ratings.jsonl")
