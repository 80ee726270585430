"""A data directory of the last release is upgraded: scores are the same, and the trail is whole."""

import os
import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.served.last_release import carry_out, scores_of, unpack_last_release
from tests.served.server import ROOT

pytestmark = pytest.mark.slow
# The record of migrations, and how tables are described: an upgrade is about to change them.
OWN_TABLES = {"django_migrations", "django_content_type", "auth_permission", "sqlite_sequence"}


@dataclass(frozen=True)
class Installation:
    """The code of a release over a data directory, on SQLite and the broker of files."""

    code: Path
    data: Path

    @property
    def env(self) -> dict[str, str]:
        unset = ("DATABASE_URL", "CELERY_BROKER_URL", "SECRET_KEY", "ALLOWED_HOSTS")
        kept = {name: value for name, value in os.environ.items() if name not in unset}
        return kept | {"DATA_DIR": str(self.data)}

    def run(self, *steps: list[str]) -> str:
        return carry_out(self.code, self.env, *steps)

    def scores(self, model: str) -> list[float]:
        """Return the model's scores, computed anew."""
        shutil.rmtree(self.data / "cache", ignore_errors=True)
        return scores_of(self.code, self.env, model, self.data)

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """Return all rows that the database holds, by table."""
        with closing(sqlite3.connect(self.data / "db.sqlite3")) as database:
            database.row_factory = sqlite3.Row
            named = "SELECT name FROM sqlite_master WHERE type = 'table'"
            tables = {row["name"] for row in database.execute(named)} - OWN_TABLES
            ordered = {table: f'SELECT * FROM "{table}" ORDER BY 1' for table in tables}
            return {
                table: list(map(dict, database.execute(statement)))
                for table, statement in ordered.items()
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
    assert sum(map(len, before.values())) > 500
    new = Installation(ROOT, old.data)
    new.run(["migrate", "--verbosity", "0"])
    after = new.rows()
    for table, rows in before.items():
        known = [{name: row[name] for name in rows[0]} for row in after[table]] if rows else []
        assert known == rows, f"{table} changed"
    assert new.scores(model) == scores
    assert "whole" in new.run(["verify_audit"])
