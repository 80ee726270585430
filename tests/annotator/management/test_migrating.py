import os
import signal
import subprocess
import sys
import threading
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection

from annotator.management.base import migrating_alone
from tests.crowd import LONGEST_WAIT_SECONDS
from tests.served.server import ROOT, served_environment

pytestmark = pytest.mark.django_db(transaction=True)
HOLD = """
import time
from django import setup
setup()
from django.db import connection
from annotator.management.base import migrating_alone
with migrating_alone(connection):
    print("held", flush=True)
    time.sleep(600)
"""


def test_the_second_waits_for_the_first_and_not_for_a_dead_one() -> None:
    first = subprocess.Popen(
        [sys.executable, "-c", HOLD], cwd=ROOT, env=served_environment(), stdout=subprocess.PIPE
    )
    assert first.stdout is not None and first.stdout.readline() == b"held\n"
    is_held = threading.Event()

    def migrate() -> None:
        with migrating_alone(connection):
            is_held.set()
        connection.close()

    second = threading.Thread(target=migrate)
    second.start()
    assert not is_held.wait(0.5)
    os.kill(first.pid, signal.SIGKILL)
    assert is_held.wait(LONGEST_WAIT_SECONDS)
    second.join()
    first.wait()
    first.stdout.close()


FORGETTING = {"sqlite": "PRAGMA synchronous=OFF", "postgresql": "SET synchronous_commit=off"}
KEEPING = {"sqlite": "PRAGMA synchronous=FULL", "postgresql": "SET synchronous_commit=on"}


@pytest.mark.parametrize("statements", [FORGETTING, KEEPING], ids=["forgets", "keeps"])
def test_a_start_warns_where_a_power_cut_takes_back_what_was_acknowledged(statements) -> None:
    found = StringIO()
    with connection.cursor() as cursor:
        cursor.execute(statements[connection.vendor])
    try:
        call_command("migrate", stdout=StringIO(), stderr=found, no_color=True)
    finally:
        connection.close()
    # The server of `make test` runs without fsync, for speed, and is warned so each time.
    names = found.getvalue()
    assert ("synchronous" in names) == (statements is FORGETTING)
