"""The certified provider of npm as a process of its own, with people that a test names."""

import fcntl
import json
import os
import shutil
import subprocess
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from core.oidc.client import forget
from core.oidc.settings import Provider
from tests.served.server import lasting_port

HERE: Final = Path(__file__).parent
PACKAGES: Final = HERE / "node_modules"


@dataclass(frozen=True, slots=True)
class RealProvider:
    """Where it is, and the settings that name it."""

    settings: Provider

    def know(self, people: Mapping[str, Mapping[str, Any]]) -> None:
        """Have it know these people and nobody else from here on."""
        body = json.dumps(people).encode()
        url = f"{self.settings.issuer}/people"
        urllib.request.urlopen(urllib.request.Request(url, body, method="PUT")).close()


def install() -> None:
    """Install the packages of the lock file where they are not there; one process does."""
    if not (shutil.which("npm") and shutil.which("node")):
        pytest.skip("the provider of single sign-on runs on Node: node and npm are not installed")
    with (HERE / "package.json").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if not (PACKAGES / "oidc-provider").is_dir():
            command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
            subprocess.run(command, cwd=HERE, check=True)


@contextmanager
def running(site: str, people: Mapping[str, Mapping[str, Any]]) -> Iterator[RealProvider]:
    """Serve a provider for the site at this address."""
    install()
    port = lasting_port()
    asked = {
        "port": port,
        "people": people,
        "redirect_uri": f"{site}/login/with/firm/back/",
        "logout_uri": f"{site}/login/with/firm/ended/",
    }
    command = ["node", "provider.mjs", json.dumps(asked)]
    process = subprocess.Popen(
        command, cwd=HERE, stdout=subprocess.PIPE, text=True, env=os.environ | {"NO_COLOR": "1"}
    )
    provider = Provider(
        name="firm",
        label="Firm",
        issuer=f"http://127.0.0.1:{port}",
        client_id="workbench",
        client_secret="hush",
    )
    try:
        assert process.stdout is not None
        while (line := process.stdout.readline()).strip() != "ready":
            assert line, "the provider has ended"
        yield RealProvider(provider)
    finally:
        process.kill()
        process.wait()
        forget(provider)
