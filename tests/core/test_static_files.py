import re
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import override_settings

ROOT = Path(__file__).resolve().parents[2]
HASHED = re.compile(r"\.[0-9a-f]{12}\.js$")


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder into which a production server would collect its static files."""
    folder = tmp_path_factory.mktemp("static")
    storages = {"staticfiles": {"BACKEND": "core.static_files.HashedStaticFiles"}}
    with override_settings(STATIC_ROOT=folder, STORAGES=storages):
        call_command("collectstatic", interactive=False, verbosity=0)
    return folder


def test_a_module_names_the_modules_it_imports_by_their_hashes(collected) -> None:
    modules = [path for path in collected.glob("js/**/*.js") if HASHED.search(path.name)]
    assert modules
    imported = [
        (module.parent / name).resolve()
        for module in modules
        for name in re.findall(r'from "(\.[^"]+)"', module.read_text())
    ]
    assert imported
    assert all(HASHED.search(path.name) and path.is_file() for path in imported)


def test_nothing_is_served_that_this_project_did_not_write_or_vendor(collected) -> None:
    ours = {path.name for path in (ROOT / "static").iterdir()}
    top = {re.sub(r"\.[0-9a-f]{12}(?=\.)", "", path.name) for path in collected.iterdir()}
    assert {re.sub(r"\.(br|gz)$", "", name) for name in top} - {"staticfiles.json"} == {
        *ours,
        # Of the package that shows the REST API.
        "swagger-ui",
    }
