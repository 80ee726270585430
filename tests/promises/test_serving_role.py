"""P19 on PostgreSQL: everything that serves runs by a role that owns nothing."""

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from django.db import connection
from django.utils import timezone

from annotator.operations.backups.services import grant_serving_rights
from annotator.operations.health.database import owns_tables
from scoring.erasures.services import carry_out_erasures
from scoring.models import Erasure, ErasureStatus
from tests.guards.blindness.marks import HERE
from tests.guards.blindness.states import furnish
from tests.promises.trail import ask
from tests.served.postgres import OwnPostgres, programs
from tests.served.server import HOST, ROOT

pytestmark = [
    pytest.mark.promise("P19"),
    pytest.mark.slow,
    pytest.mark.postgres,
    pytest.mark.skipif("connection.vendor == 'sqlite'", reason="SQLite knows no roles"),
    pytest.mark.skipif(programs() is None, reason="no programs of PostgreSQL"),
]
ROLE: Final = "serving_of_a_test"
OWNER: Final = "workbench_owner"
SERVING: Final = "workbench_serving"
CLAIMS: Final = (
    '{"reference_id": "r1", "reference_claims": "1. A cup.", "candidates": '
    '[{"candidate_id": "c1", "system": "s", "claims": "1. A mug."}]}\n'
)
# Several commands in one process, as loading Django takes longer than they do.
STEPS: Final = """
import json, sys
from django import setup
from django.core.management import CommandError, call_command
setup()
for step in json.loads(sys.argv[1]):
    try:
        call_command(*step)
    except (CommandError, SystemExit) as error:
        print("ended:", step[0], error)
"""
Manage = Callable[..., str]


@pytest.mark.django_db
def test_a_whole_campaign_is_worked_through_by_a_role_that_owns_nothing(
    settings, tmp_path, caplog, quick_passwords
) -> None:
    settings.DATA_DIR, settings.DATABASE_SERVING_ROLE = tmp_path, ROLE
    # No heartbeat runs for a job here: its row is seen by this transaction only.
    settings.JOB_LEASE_SECONDS = 3600
    assert owns_tables()
    ask(f"CREATE ROLE {ROLE}")
    assert grant_serving_rights()
    ask(f"SET LOCAL ROLE {ROLE}")
    scenario = furnish(HERE, "closed")
    connection.check_constraints()
    assert not owns_tables()
    # Its rows go, and the pages on which they lay wait for the owner.
    erasure = Erasure.objects.create(
        campaign=scenario.campaign,
        reference=scenario.item.reference,
        asked_by=scenario.people["admin"],
        asked_at=timezone.now(),
        answered_by=scenario.people["researcher"],
        status=ErasureStatus.AGREED,
        erased_at=timezone.now(),
        result={"versions": []},
    )
    assert carry_out_erasures() == 0
    assert "only the owner" in caplog.text
    erasure.refresh_from_db()
    assert erasure.status == ErasureStatus.AGREED


@pytest.fixture
def manage(tmp_path: Path) -> Iterator[Manage]:
    """Give a function that runs a command by a role on a server with the roles of deploy/."""
    server = OwnPostgres("postgres")
    server.start()
    bin_folder = programs()
    assert bin_folder is not None
    secret = secrets.token_urlsafe(64)
    psql = [str(bin_folder / "psql"), "-h", HOST, "-p", str(server.port), "-U", "postgres"]
    made = ["sh", str(ROOT / "deploy/make-secrets"), str(tmp_path / "secrets")]
    subprocess.run(made, check=True)
    subprocess.run(
        [*psql, "-q", "-v", "ON_ERROR_STOP=1", "-f", str(ROOT / "deploy/roles.sql"), "postgres"],
        env=os.environ | {"SECRETS": str(tmp_path / "secrets")},
        check=True,
    )

    def run(role: str, *steps: tuple[str, ...], name: str = "workbench") -> str:
        # The server trusts everybody on this machine; the settings refuse an address without one.
        address = f"postgres://{role}:k3Jw-92hQzT@{HOST}:{server.port}/{name}"
        given = {
            "DATABASE_URL": address,
            "DATABASE_SERVING_ROLE": SERVING,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "SECRET_KEY": secret,
            "DATA_DIR": str(tmp_path / name),
            "BACKUP_PASSPHRASE": "a passphrase of a test",
        }
        done = subprocess.run(
            [sys.executable, "-c", STEPS, json.dumps(steps)],
            cwd=ROOT,
            env=os.environ | given,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    # To restore into: of the owner, as deploy/roles.sql makes the first.
    subprocess.run([*psql, "-c", f"CREATE DATABASE other OWNER {OWNER}", "postgres"], check=True)
    yield run
    server.remove()


@pytest.mark.exhaustive
def test_the_roles_of_deploy_migrate_serve_back_up_and_restore(manage, tmp_path) -> None:
    claims, backup = tmp_path / "first.jsonl", str(tmp_path / "all.backup")
    claims.write_text(CLAIMS)
    output = manage(OWNER, ("migrate", "--noinput"), ("doctor",))
    assert "ended: migrate" not in output
    assert "owns the tables" in output
    serves = (
        ("import_claims", str(claims), "--campaign", "first", "--may-train", "no"),
        ("sweep",),
        ("verify_audit",),
        ("backup", backup),
        ("doctor",),
        ("migrate", "--noinput"),
    )
    output = manage(SERVING, *serves)
    # The doctor misses workers, and only the owner migrates.
    assert [line.split()[1] for line in output.splitlines() if line.startswith("ended:")] == [
        "doctor",
        "migrate",
    ], output
    assert "owns the tables" not in output
    assert "DATABASE_SERVING_ROLE names workbench_serving" in output
    assert "ended:" not in manage(OWNER, ("restore", backup), ("sweep",), name="other")
    assert "ended:" not in manage(SERVING, ("verify_audit",), ("sweep",), name="other")
