"""The files in deploy/ fit the project and each other; their own programs accept them."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from annotator.celery import Queues
from tests.house.conftest import ROOT

DEPLOY: Final = ROOT / "deploy"
UNITS: Final = sorted((DEPLOY / "systemd").iterdir())
PROGRAMS: Final = ("web", *(f"worker-{queue.value}" for queue in Queues), "sweeper")
INSTALLED: Final = "/opt/workbench/.venv/bin/python"


@pytest.fixture(scope="module")
def compose() -> Any:
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text())


def test_compose_runs_every_program_and_names_only_what_it_declares(compose: Any) -> None:
    services = compose["services"]
    assert {*PROGRAMS, "postgres", "redis", "caddy", "prepare"} == set(services)
    for name, service in services.items():
        assert set(service["networks"] if name != "prepare" else ["inside"]) <= set(
            compose["networks"]
        ), name
        assert set(service.get("depends_on", ())) <= set(services), name
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            assert source in compose["volumes"] or (DEPLOY / source).exists(), volume


def test_compose_opens_the_proxy_only_and_gives_no_way_out(compose: Any) -> None:
    services = compose["services"]
    assert [name for name, service in services.items() if "ports" in service] == ["caddy"]
    assert compose["networks"]["inside"] == {"internal": True}
    outside = {name for name, service in services.items() if "front" in service["networks"]}
    assert outside == {"web", "caddy"}
    for name in (*PROGRAMS, "prepare"):
        assert services[name]["read_only"] is True
        assert services[name]["cap_drop"] == ["ALL"]
        assert services[name]["security_opt"] == ["no-new-privileges:true"]


def test_no_secret_and_no_default_of_one_stands_in_the_files(compose: Any) -> None:
    text = (DEPLOY / "compose.yaml").read_text()
    for name in ("SECRET_KEY", "POSTGRES_PASSWORD", "REDIS_PASSWORD"):
        # `:?` ends compose where the variable is missing or empty.
        assert set(re.findall(rf"\$\{{{name}(..)", text)) == {":?"}
        assert f"\n{name}=\n" in (DEPLOY / "env.example").read_text()


def test_every_setting_of_the_files_is_documented(compose: Any) -> None:
    documented = (ROOT / "docs" / "admin.md").read_text()
    named = set(compose["services"]["web"]["environment"])
    for unit in UNITS:
        named |= set(re.findall(r"(?:^Environment=| )([A-Z_]+)=", unit.read_text(), re.MULTILINE))
    assert {"SECRET_KEY", "DATA_DIR", "BEHIND_PROXY"} <= named
    assert not {name for name in named if f"`{name}`" not in documented}


@pytest.mark.parametrize("program", PROGRAMS)
def test_systemd_and_compose_run_the_same_command(compose: Any, program: str) -> None:
    unit = (DEPLOY / "systemd" / f"workbench-{program}.service").read_text()
    started = re.findall(r"^ExecStart=(.*)$", unit, re.MULTILINE)[-1]
    said = started.replace(INSTALLED, "python").replace("%%", "%").replace("127.0.0.1", "0.0.0.0")
    assert said.split() == compose["services"][program]["command"]


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd-analyze")
def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    copies = []
    for unit in UNITS:
        copy = tmp_path / unit.name
        # It looks for the program, which lies elsewhere here.
        copy.write_text(unit.read_text().replace(INSTALLED, "/bin/true"))
        copies.append(str(copy))
    done = subprocess.run(["systemd-analyze", "verify", *copies], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("unit", [unit for unit in UNITS if unit.suffix == ".service"])
def test_a_unit_runs_without_rights_and_reaches_this_machine_only(unit: Path) -> None:
    lines = unit.read_text().splitlines()
    for needed in (
        "User=workbench",
        "NoNewPrivileges=yes",
        "ProtectSystem=strict",
        "PrivateTmp=yes",
        "CapabilityBoundingSet=",
        "IPAddressDeny=any",
        "IPAddressAllow=localhost",
        "UMask=0077",
    ):
        assert needed in lines, needed


@pytest.mark.skipif(
    not (shutil.which("nginx") and shutil.which("openssl")), reason="no nginx or openssl"
)
def test_nginx_accepts_its_file(tmp_path: Path) -> None:
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=x"]
    make += ["-keyout", str(tmp_path / "site.key"), "-out", str(tmp_path / "site.pem")]
    subprocess.run(make, check=True, capture_output=True)
    site = (DEPLOY / "nginx.conf").read_text().replace("/etc/workbench/", f"{tmp_path}/")
    own = f"pid {tmp_path}/pid; error_log stderr; events {{}} http {{ {site} }}"
    (tmp_path / "nginx.conf").write_text(own)
    command = ["nginx", "-t", "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not shutil.which("caddy"), reason="no caddy")
def test_caddy_accepts_its_file(tmp_path: Path) -> None:
    done = subprocess.run(
        ["caddy", "validate", "--adapter", "caddyfile", "--config", str(DEPLOY / "Caddyfile")],
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "SITE_NAME": "claims.example.org"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
