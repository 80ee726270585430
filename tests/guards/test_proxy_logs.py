"""The proxies of deploy/ log no address of what goes wrong: it may hold what somebody typed."""

import re
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Final

import pytest

from tests.guards.conftest import ROOT
from tests.served.server import HOST, LONGEST_START_SECONDS, lasting_port

DEPLOY: Final = ROOT / "deploy"
CANARY: Final = "zqsecretzq"


def _caddy(folder: Path, port: int) -> tuple[list[str], dict[str, str]]:
    site = (DEPLOY / "Caddyfile").read_text().replace("{\n", "{\n\tadmin off\n", 1)
    (folder / "Caddyfile").write_text(site)
    command = ["caddy", "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]
    return command, {"SITE_NAME": f"http://{HOST}:{port}", "UPSTREAM": f"{HOST}:1"}


def _nginx(folder: Path, port: int) -> tuple[list[str], dict[str, str]]:
    site = (DEPLOY / "nginx.conf").read_text()
    # The same server without its certificate, before an upstream that is away.
    site = re.sub(r"^\s*ssl_.*\n", "", site, flags=re.MULTILINE)
    site = site.replace("listen 80;", f"listen {HOST}:{lasting_port()};")
    site = site.replace("listen 443 ssl;", f"listen {HOST}:{port};").replace(":8000", ":1")
    own = f"daemon off; pid {folder}/pid; error_log stderr; events {{}} http {{ {site} }}"
    (folder / "nginx.conf").write_text(own)
    return ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")], {}


@pytest.mark.slow
@pytest.mark.broker
@pytest.mark.parametrize(
    ("program", "made"),
    [pytest.param("caddy", _caddy, marks=pytest.mark.exhaustive), ("nginx", _nginx)],
)
def test_a_proxy_whose_server_is_away_logs_no_address(tmp_path, program, made) -> None:
    if not shutil.which(program):
        pytest.skip(f"no {program}")
    port = lasting_port()
    command, more = made(tmp_path, port)
    with (tmp_path / "log").open("wb") as log:
        running = subprocess.Popen(
            command,
            env={"PATH": "/usr/bin:/bin:/usr/sbin", "HOME": str(tmp_path), **more},
            stdout=log,
            stderr=log,
        )
    try:
        asked = urllib.request.Request(
            f"http://{HOST}:{port}/invitation/{CANARY}/?q={CANARY}",
            headers={"Referer": f"http://{HOST}/{CANARY}", "Cookie": f"sessionid={CANARY}"},
        )
        assert _status(asked, running) == 502
    finally:
        running.terminate()
        running.wait(30)
    assert CANARY not in (tmp_path / "log").read_text()


def _status(asked: urllib.request.Request, running: "subprocess.Popen[bytes]") -> int:
    deadline = time.monotonic() + LONGEST_START_SECONDS
    while time.monotonic() < deadline:
        assert running.poll() is None
        try:
            return int(urllib.request.urlopen(asked, timeout=5).status)
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            time.sleep(0.05)
    raise AssertionError("the proxy does not answer")
