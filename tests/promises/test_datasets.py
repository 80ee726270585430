"""P11: a dataset is whole and from one moment, whoever writes and whenever its maker is killed."""

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from annotator.adjudication.settled import queries as settled_queries
from annotator.models import Campaign, Candidate, Conflict, Rating, Reference
from scoring.access.scopes import read_rows
from scoring.datasets.freezing import queries as freezing_queries
from scoring.datasets.freezing.services import freeze_dataset
from scoring.models import Dataset, DatasetVersion
from tests.promises.harness import SCALE, SERVED
from tests.promises.rated_campaigns import (
    Writer,
    faults_of,
    faults_of_files,
    fill,
    scores_of,
    writing,
)
from tests.served.programs import run_program
from tests.served.server import served_environment
from tests.soak.tally import Tally

pytestmark = [pytest.mark.promise("P11"), *SERVED]
WRITERS = 20
# More than two batches, so that a writer's references are read at different times.
REFERENCES = 2 * settled_queries.BATCH + 2 * WRITERS
FREEZES = 2 * SCALE
# With those on the other pair of services, twenty and more.
KILLS = 5 if SCALE == 1 else 10
# Between two questions of a freeze, so that everybody writes meanwhile.
PAUSE_SECONDS = 0.3
# Above and below the first candidate.
UP, DOWN = 9, 3


@pytest.fixture(autouse=True)
def data_dir(settings: Any, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path / "data"
    return tmp_path / "data"


class Turner(Writer):
    """Turns one candidate of an early and of a late reference up and down, in one transaction.

    While they are down the early one is in an open conflict, and so is left out of a freeze.
    """

    def __init__(self, campaign: Campaign, number: int) -> None:
        super().__init__()
        self.pair = f"r{number:05}", f"r{REFERENCES - 1 - number:05}"
        rows = Candidate.objects.filter(reference__campaign=campaign, candidate_id="c1")
        early, late = (rows.get(reference__reference_id=name) for name in self.pair)
        self._ratings = Rating.objects.filter(candidate__in=[early, late])
        self._ratings.update(**scores_of(UP))
        self._conflict = Conflict.objects.create(
            campaign=campaign,
            candidate=early,
            kind="overall_gap",
            gap=30,
            status="lapsed",
            opened_at=campaign.created_at,
        )

    def write(self) -> None:
        is_down = self.turns % 2 == 1
        self._ratings.update(**scores_of(DOWN if is_down else UP))
        self._conflict.status = "open" if is_down else "lapsed"
        self._conflict.save()

    def disagrees(self, better: dict[str, int]) -> bool:
        """Return whether frozen comparisons of c1 with c0 are of no moment that there was."""
        seen = tuple(better.get(name) for name in self.pair)
        return seen not in ((1, 1), (None, -1))


def turners(campaign: Campaign) -> list[Turner]:
    return [Turner(campaign, number) for number in range(WRITERS)]


def frozen_now(campaign: Campaign) -> dict[str, int]:
    """Freeze; return for each reference whether c1 is better (1) than c0 or worse (-1)."""
    version = freeze_dataset(campaign=campaign, test_share=0, validation_share=0).version
    return {
        row.reference_id: row.y["overall_quality"] * (1 if row.b_id == "c1" else -1)
        for row in read_rows(version)
        if {row.b_id, row.c_id} == {"c0", "c1"}
    }


@pytest.fixture
def slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have everybody write between the first questions of a freeze and the others."""
    references = settled_queries._references

    def pause(campaign: Campaign) -> Iterator[Reference]:
        time.sleep(PAUSE_SECONDS)
        return references(campaign)

    monkeypatch.setattr(settled_queries, "_references", pause)


@pytest.mark.usefixtures("slowly")
def test_a_freeze_while_twenty_write_is_of_one_moment_and_nobody_waits(cast, two_raters) -> None:
    campaign = cast.campaign
    fill(campaign, REFERENCES, two_raters)
    Campaign.objects.update(status="closed")
    campaign.refresh_from_db()
    with writing(turners(campaign)) as writers:
        for _ in range(FREEZES):
            before = [writer.turns for writer in writers]
            better = frozen_now(campaign)
            assert [writer.pair for writer in writers if writer.disagrees(better)] == []
            written = [writer.turns - n for writer, n in zip(writers, before, strict=True)]
            assert min(written) > 0, "somebody waited for the freeze to end"


@pytest.mark.usefixtures("slowly")
def test_a_freeze_that_asks_at_several_moments_is_found_out(cast, two_raters, monkeypatch) -> None:
    fill(cast.campaign, REFERENCES, two_raters)
    Campaign.objects.update(status="closed")
    cast.campaign.refresh_from_db()
    monkeypatch.setattr(freezing_queries, "one_moment", nullcontext)
    with writing(turners(cast.campaign)) as writers:
        better = frozen_now(cast.campaign)
        assert any(writer.disagrees(better) for writer in writers)


def worker(
    data_dir: Path, kind: str, source: str, name: str, moment: int = 0
) -> subprocess.CompletedProcess[str]:
    """Have a process of its own make a dataset, and die at a moment."""
    # Compiling a module on the way writes a file, too, but once only.
    env = served_environment(DATA_DIR=str(data_dir), PYTHONDONTWRITEBYTECODE="1")
    return run_program("tests.promises.dataset_worker", kind, source, name, str(moment), env=env)


def spread_over(last: int) -> list[int]:
    """Return moments from the first to the last, the last two among them."""
    return sorted({1 + round(n * (last - 1) / (KILLS - 2)) for n in range(KILLS - 1)} | {last - 1})


def kill_at_every_moment(
    kind: str, source: str, data_dir: Path, settings: Any, tally: Tally
) -> None:
    """Make a dataset in one go, then be killed, and run again, at moments all over the work."""
    whole = worker(data_dir, kind, source, "whole")
    assert whole.returncode == 0, whole.stderr
    expected = DatasetVersion.objects.get()
    assert faults_of_files(data_dir) + faults_of(expected) == []
    for moment in spread_over(int(whole.stdout)):
        tally.tried(kills=1)
        settings.DATA_DIR = own = data_dir.parent / f"killed-at-{moment}"
        name = f"{kind}-{moment}"
        dead = worker(own, kind, source, name, moment)
        assert dead.returncode == -signal.SIGKILL, dead.stderr
        left = DatasetVersion.objects.filter(dataset__name=name)
        assert not left.exists(), f"a version without its end, at {moment} of {whole.stdout}"
        assert not Dataset.objects.filter(name=name).exists()
        assert faults_of_files(own) == []
        assert worker(own, kind, source, name).returncode == 0
        again = left.get()
        assert (again.number, again.sha256) == (1, expected.sha256)
        assert again.used_ratings.count() == expected.used_ratings.count()
        assert faults_of_files(own) + faults_of(again) == []


@pytest.mark.exhaustive
def test_a_freeze_killed_at_any_moment_leaves_nothing_half_and_runs_again(
    cast, two_raters, data_dir, settings, tally
) -> None:
    fill(cast.campaign, 40, two_raters)
    Campaign.objects.update(status="closed")
    kill_at_every_moment("freeze", cast.campaign.slug, data_dir, settings, tally)


@pytest.mark.exhaustive
def test_an_import_killed_at_any_moment_leaves_nothing_half_and_runs_again(
    db, data_dir, settings, tmp_path, tally
) -> None:
    items = [
        {
            "gold_claim": f"1. A cup {n // 3}.",
            "A": f"1. A mug {n}.",
            "B": f"1. A bowl {n}.",
            "human_eval": {"Quality": n % 3 - 1},
        }
        for n in range(600)
    ]
    path = tmp_path / "quality.json"
    path.write_text(json.dumps(items))
    kill_at_every_moment("import", str(path), data_dir, settings, tally)
