"""Nothing is sent outside: the main job works without a network, and asks for none (P26)."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.flows.conftest import ROOT

pytestmark = pytest.mark.slow
FOREIGN = ("DATABASE_URL", "CELERY_BROKER_URL", "SECRET_KEY", "ALLOWED_HOSTS", "HF_HUB_OFFLINE")
# A network of its own in which only loopback is up.
ALONE = ["unshare", "--map-root-user", "--net"]
UP = 'ip link set lo up && exec "$@"'
LOOPBACK = re.compile(r"^(connect )?(\('127\.|\('::1'|'/|b?'localhost')")


def can_be_alone() -> bool:
    if not (shutil.which("unshare") and shutil.which("ip")):
        return False
    tried = [*ALONE, "sh", "-c", UP, "sh", "true"]
    return subprocess.run(tried, capture_output=True).returncode == 0


def run_alone(folder: Path, *args: str) -> tuple[list[str], list[str]]:
    """Run the job without a network; return the addresses that Python and the kernel were given."""
    rest = {name: value for name, value in os.environ.items() if name not in FOREIGN}
    trace = folder / "trace"
    strace = shutil.which("strace") or ""
    # Stopped at these calls only, and not to look at every other one.
    traced = [strace, "-f", "--seccomp-bpf", "-qq", "-e", "trace=connect,sendto,sendmsg"]
    traced += ["-o", str(trace)]
    command = [*(traced if strace else []), sys.executable, "-m", "tests.flows.offline_run", *args]
    done = subprocess.run(
        [*ALONE, "sh", "-c", UP, "sh", *command],
        cwd=ROOT,
        env=rest | {"DATA_DIR": str(folder / "var"), "DJANGO_SETTINGS_MODULE": "config.settings"},
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    in_python: list[str] = json.loads(done.stdout.splitlines()[-1])
    in_kernel = trace.read_text().splitlines() if strace else []
    return [line for line in in_python if not LOOPBACK.search(line)], outside(in_kernel)


def outside(calls: list[str]) -> list[str]:
    """Return the calls that name an address of another machine, local sockets left out."""
    return [
        call for call in calls if "AF_INET" in call and not re.search(r'"127\.|"::1"|AF_UNIX', call)
    ]


@pytest.mark.exhaustive
@pytest.mark.skipif(not can_be_alone(), reason="no network of its own can be made here")
def test_a_whole_campaign_trains_and_reports_without_a_network(tmp_path: Path) -> None:
    in_python, in_kernel = run_alone(tmp_path)
    assert in_python == []
    assert in_kernel == []


@pytest.mark.exhaustive
@pytest.mark.skipif(not can_be_alone(), reason="no network of its own can be made here")
def test_a_planted_call_to_another_machine_is_found(tmp_path: Path) -> None:
    in_python, in_kernel = run_alone(tmp_path, "planted")
    assert [line for line in in_python if "192.0.2.1" in line]
    assert [line for line in in_python if "hub.example.org" in line]
    assert not shutil.which("strace") or [line for line in in_kernel if "192.0.2.1" in line]
