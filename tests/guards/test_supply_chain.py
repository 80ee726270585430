"""Every package is listed with its licence, and is as new as the promises ask (P35)."""

import re
from importlib.metadata import version

import pytest
from packaging.version import Version

from scripts.licences import pinned
from tests.guards.conftest import ROOT


def test_make_installs_by_digest_what_has_one() -> None:
    makefile = (ROOT / "Makefile").read_text().replace("\\\n", " ")
    installs = re.findall(r"pip (?:install|download) (.*)", makefile)
    free = [install for install in installs if "--require-hashes" not in install]
    assert [install.split()[-1] for install in free] == ['"$(TORCH)"']


def test_the_licence_of_every_package_of_the_application_is_listed() -> None:
    listed = (ROOT / "docs/licences.md").read_text()
    rows = set(re.findall(r"^\| ([a-z0-9-]+) \| (\S+) \|", listed, re.M))
    wanted = pinned((ROOT / "requirements.txt").read_text())
    assert len(wanted) > 80
    assert not wanted - rows, "run `make licences`, and look at what it writes"


@pytest.mark.parametrize(
    ("package", "least"),
    [("Django", "5.2.19"), ("torch", "2.13.0"), ("transformers", "5.2.1"), ("celery", "5.2.2")],
)
def test_what_runs_has_the_known_faults_mended(package, least) -> None:
    assert Version(version(package)) >= Version(least)


def test_no_signed_in_page_is_stored_by_djangos_cache() -> None:
    sources = [
        path
        for package in ("patclaimeval", "core", "annotator", "scoring", "config")
        for path in (ROOT / package).rglob("*.py")
    ]
    assert not [path for path in sources if "cache_page" in path.read_text()]
