"""Every package is pinned, listed with its licence, and as new as the promises ask (P35)."""

import re
from importlib.metadata import version

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tests.house.conftest import ROOT

LINES = [
    line.split("#")[0].strip()
    for name in ("requirements.txt", "requirements-dev.txt")
    for line in (ROOT / name).read_text().splitlines()
    if line.split("#")[0].strip() and not line.startswith("-r ")
]


def test_every_requirement_is_pinned_exactly() -> None:
    pins = [Requirement(line).specifier for line in LINES]
    assert len(pins) > 80
    assert all(
        len(pin) == 1 and next(iter(pin)).operator == "==" and "*" not in str(pin) for pin in pins
    )


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
def test_what_runs_has_the_known_faults_mended(package: str, least: str) -> None:
    assert Version(version(package)) >= Version(least)


def test_no_signed_in_page_is_kept_by_djangos_cache() -> None:
    sources = [*(ROOT / "annotator").rglob("*.py"), *(ROOT / "scoring").rglob("*.py")]
    assert not [path for path in sources if "cache_page" in path.read_text()]
