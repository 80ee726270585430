"""A data directory of the last release is upgraded: scores are the same, and the trail is whole."""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from scripts.supervise import RUN_STEPS
from tests.served.last_release import unpack_last_release
from tests.served.server import ROOT

pytestmark = pytest.mark.slow
PAIRS = (
    ("1. A cup comprising a body, a handle and a lid.", "1. A cup comprising a body and a handle."),
    ("1. A method of sealing a jar.\n2. The method of claim 1.", "1. A method of opening a jar."),
)
# What an upgrade is for: the record of migrations, and how tables are described.
OWN_TABLES = {"django_migrations", "django_content_type", "auth_permission", "sqlite_sequence"}


@dataclass(frozen=True)
class Installation:
    """The code of a release over a data directory."""

    code: Path
    data: Path

    def run(self, *steps: list[str]) -> str:
        """Carry out commands in one process, which takes longer to start than most of them."""
        unset = ("DATABASE_URL", "CELERY_BROKER_URL", "SECRET_KEY", "ALLOWED_HOSTS")
        env = {name: value for name, value in os.environ.items() if name not in unset}
        done = subprocess.run(
            [sys.executable, "-c", RUN_STEPS, json.dumps(steps)],
            cwd=self.code,
            env=env | {"DATA_DIR": str(self.data), "DJANGO_SETTINGS_MODULE": "config.settings"},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def scores(self, model: str) -> list[float]:
        """Return the model's scores of the pairs, computed anew."""
        pairs, scored = self.data / "pairs.jsonl", self.data / "scored.jsonl"
        pairs.write_text("\n".join(json.dumps({"reference": r, "candidate": c}) for r, c in PAIRS))
        for cached in (self.data / "cache").rglob("*"):
            cached.is_file() and cached.unlink()
        asked = ["score_claims", "--model", model, "--jsonl", str(pairs), "--output", str(scored)]
        self.run(asked)
        return [json.loads(line)["score"] for line in scored.read_text().splitlines()]

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """Return all rows that the database holds, by table."""
        with closing(sqlite3.connect(self.data / "db.sqlite3")) as database:
            database.row_factory = sqlite3.Row
            named = "SELECT name FROM sqlite_master WHERE type = 'table'"
            tables = {row["name"] for row in database.execute(named)} - OWN_TABLES
            return {
                table: [
                    dict(row) for row in database.execute(f'SELECT * FROM "{table}" ORDER BY 1')
                ]
                for table in tables
            }


@pytest.fixture
def old(tmp_path: Path) -> Installation:
    """Give an installation of the last release: its demo, a dataset and a model trained on it."""
    made = Installation(unpack_last_release(tmp_path), tmp_path / "data")
    made.data.mkdir()
    made.run(
        ["migrate", "--verbosity", "0"],
        ["load_demo"],
        ["freeze_dataset", "demo", "--name", "demo", "--include-unlocked"],
        ["train_patclaimeval", "demo", "--criterion", "overall_quality", "--device", "cpu"],
    )
    return made


def test_an_upgrade_changes_no_row_and_no_score_and_leaves_the_trail_whole(old) -> None:
    (model,) = (row["id"] for row in old.rows()["scoring_modelversion"])
    scores, before = old.scores(model), old.rows()
    assert len(set(scores)) == len(PAIRS)
    new = Installation(ROOT, old.data)
    new.run(["migrate", "--verbosity", "0"])
    after = new.rows()
    assert sum(map(len, before.values())) > 500
    for table, rows in before.items():
        known = [{name: row[name] for name in rows[0]} for row in after[table]] if rows else []
        assert known == rows, f"{table} changed"
    assert new.scores(model) == scores
    assert "whole" in new.run(["verify_audit"])
