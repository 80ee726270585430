"""Every package is pinned, listed with its licence, and as new as the promises ask (P35)."""

import re
from importlib.metadata import version

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.guards.conftest import ROOT

LINES = [
    line.split("#")[0].strip()
    for name in (*("requirements.txt", "requirements-dev.txt", "requirements-documents.txt"),)
    for line in (ROOT / name).read_text().splitlines()
    if line.split("#")[0].strip() and not line.startswith("-r ")
]


def test_every_requirement_is_pinned_exactly() -> None:
    pins = [Requirement(line).specifier for line in LINES]
    assert len(pins) > 80
    assert all(
        len(pin) == 1 and next(iter(pin)).operator == "==" and "*" not in str(pin) for pin in pins
    )


@pytest.mark.parametrize(
    ("pinned_in", "lock", "without"),
    [
        ("requirements.txt", "requirements.lock", {"torch"}),
        ("requirements-uv.txt", "requirements-uv.lock", set()),
        ("requirements-documents.txt", "requirements-documents.lock", set()),
    ],
)
def test_every_pin_but_that_of_torch_has_digests_and_no_address(pinned_in, lock, without) -> None:
    lines = (ROOT / pinned_in).read_text().splitlines()
    pins = {name_and_version(line) for line in lines if "==" in line and line[0] != "#"}
    text = (ROOT / lock).read_text()
    locked = re.findall(r"^(\S.*?) \\\n(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+", text, re.M)
    assert {name_and_version(line) for line in locked} == {
        pin for pin in pins if pin[0] not in without
    }, "run `make lock`"
    rest = re.sub(
        r"^(    --hash=sha256:[0-9a-f]{64}|[a-z0-9-]+==[^\n]*?)( \\)?\n", "", text, flags=re.M
    )
    assert rest == ""


def test_make_installs_by_digest_what_has_one() -> None:
    makefile = (ROOT / "Makefile").read_text().replace("\\\n", " ")
    installs = re.findall(r"pip (?:install|download) (.*)", makefile)
    free = [install for install in installs if "--require-hashes" not in install]
    # torch, and the packages of development.
    assert [install.split()[-1] for install in free] == ['"$(TORCH)"', "requirements-dev.txt"]


def name_and_version(line: str) -> tuple[str, str]:
    requirement = Requirement(line.partition("#")[0])
    return canonicalize_name(requirement.name), str(requirement.specifier)


def test_the_licence_of_every_package_of_the_application_is_listed() -> None:
    listed = set(re.findall(r"^\| ([a-z0-9-]+) \|", (ROOT / "docs/licences.md").read_text(), re.M))
    pinned = {
        re.sub(r"[-_.]+", "-", Requirement(line.split("#")[0]).name).lower()
        for line in (ROOT / "requirements.txt").read_text().splitlines()
        if "==" in line and not line.startswith("#")
    }
    assert not pinned - listed, "run `make licences`, and look at what it writes"


@pytest.mark.parametrize(
    ("package", "least"),
    [("Django", "5.2.19"), ("torch", "2.13.0"), ("transformers", "5.2.1"), ("celery", "5.2.2")],
)
def test_what_runs_has_the_known_faults_mended(package, least) -> None:
    assert Version(version(package)) >= Version(least)


def test_no_signed_in_page_is_stored_by_djangos_cache() -> None:
    sources = [
        path
        for package in ("core", "annotator", "scoring", "config")
        for path in (ROOT / package).rglob("*.py")
    ]
    assert not [path for path in sources if "cache_page" in path.read_text()]
