"""The proxies of deploy/ with its files, in which only ports, names and certificates differ."""

import json
import os
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import Any, Final

from tests.served.server import HOST, LONGEST_START_SECONDS, ROOT, lasting_port

DEPLOY: Final = ROOT / "deploy"
NGINX_AROUND: Final = """
daemon off; pid {folder}/pid; error_log {folder}/nginx.log; worker_processes 1;
events {{ worker_connections 768; }}
http {{
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""
LONGEST_ANSWER_SECONDS: Final = 60


@dataclass(frozen=True)
class Answer:
    """What came back: headers by small names."""

    status: int
    headers: Mapping[str, str]
    content: bytes
    seconds: float


@dataclass(frozen=True)
class Endpoint:
    """Where clients come in: a port, in plain text or in TLS with a certificate of nobody."""

    port: int
    is_tls: bool = False

    def connect(self, source: str = HOST) -> socket.socket:
        wire = socket.create_connection((HOST, self.port), 30, source_address=(source, 0))
        return _trusting().wrap_socket(wire) if self.is_tls else wire

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        source: str = HOST,
    ) -> Answer:
        """Send one request over a connection of its own."""
        how: dict[str, Any] = {"timeout": LONGEST_ANSWER_SECONDS, "source_address": (source, 0)}
        if self.is_tls:
            wire: HTTPConnection = HTTPSConnection(HOST, self.port, context=_trusting(), **how)
        else:
            wire = HTTPConnection(HOST, self.port, **how)
        begun = time.perf_counter()
        try:
            wire.request(method, path, body, dict(headers or {}))
            response = wire.getresponse()
            content = response.read()
        finally:
            wire.close()
        named = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, named, content, time.perf_counter() - begun)


@cache
def _trusting() -> ssl.SSLContext:
    # The authorities of this machine are not read: that would take longer than all else.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def make_certificate(folder: Path) -> None:
    """Write site.pem and site.key, as nobody would believe them."""
    make = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    make += ["-nodes", "-subj", f"/CN={HOST}"]
    make += ["-keyout", str(folder / "site.key"), "-out", str(folder / "site.pem")]
    subprocess.run(make, check=True, capture_output=True)


@contextmanager
def nginx(folder: Path, upstream: int) -> Iterator[Endpoint]:
    """Serve deploy/nginx.conf before a web server on this port."""
    make_certificate(folder)
    port = lasting_port()
    site = (DEPLOY / "nginx.conf").read_text()
    for shipped, here in {
        "listen 443 ssl": f"listen {HOST}:{port} ssl",
        "listen 80": f"listen {HOST}:{lasting_port()}",
        "claims.example.org": HOST,
        "/etc/workbench/": f"{folder}/",
        "http://127.0.0.1:8000": f"http://{HOST}:{upstream}",
    }.items():
        assert shipped in site
        site = site.replace(shipped, here)
    (folder / "site.conf").write_text(site)
    (folder / "nginx.conf").write_text(NGINX_AROUND.format(folder=folder))
    command = ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")]
    with _running(command, folder, Endpoint(port, is_tls=True)) as endpoint:
        yield endpoint


@contextmanager
def caddy(folder: Path, upstream: int) -> Iterator[Endpoint]:
    """Serve deploy/Caddyfile before a web server on this port, without a certificate."""
    port = lasting_port()
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "SITE_NAME": f"http://{HOST}:{port}",
        "UPSTREAM": f"{HOST}:{upstream}",
    }
    adapt = ["caddy", "adapt", "--config", str(DEPLOY / "Caddyfile")]
    done = subprocess.run(adapt, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    # The port of its own console is one for the whole machine.
    config = json.loads(done.stdout) | {"admin": {"disabled": True}}
    (folder / "caddy.json").write_text(json.dumps(config))
    command = ["caddy", "run", "--config", str(folder / "caddy.json")]
    with _running(command, folder, Endpoint(port), env) as endpoint:
        yield endpoint


PROXIES: Final = {"nginx": nginx, "caddy": caddy}


def missing(name: str) -> str:
    """Return what is not installed of what a proxy needs here."""
    needed = {"nginx": ("nginx", "openssl"), "caddy": ("caddy",)}[name]
    return ", ".join(program for program in needed if not shutil.which(program))


@contextmanager
def _running(
    command: list[str], folder: Path, endpoint: Endpoint, env: dict[str, str] | None = None
) -> Iterator[Endpoint]:
    with (folder / "output.log").open("wb") as log:
        process = subprocess.Popen(command, env=env, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + LONGEST_START_SECONDS
        while not _answers(endpoint):
            assert process.poll() is None, (folder / "output.log").read_text()
            assert time.monotonic() < deadline, f"{command[0]} does not come up"
            time.sleep(0.05)
        yield endpoint
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=5)
        process.kill()
        process.wait()


def _answers(endpoint: Endpoint) -> bool:
    try:
        return endpoint.ask("GET", "/healthz").status == 200
    except (OSError, HTTPException):
        return False
