"""One migration at a time, and none waits for a dead one."""

import os
import signal
import subprocess
import sys
import threading

import pytest
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
