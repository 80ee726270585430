"""Views and calls read rows through scoped queries only: none asks a model's manager itself."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps

ROOT = Path(__file__).resolve().parents[2]
# How the modules are called that answer browsers and programs.
INTERFACES = ("views", "api", "forms", "page", "gate", "downloads")
# Accounts belong to no campaign: a member is looked up by the name that an admin typed.
OF_NO_CAMPAIGN = {"User"}
MANAGERS = {"objects", "_default_manager", "_base_manager"}
SHORTCUTS = {"get_object_or_404", "get_list_or_404", "aget_object_or_404", "aget_list_or_404"}
SOURCES = sorted(
    path
    for package in ("annotator", "scoring")
    for path in (ROOT / package).rglob("*.py")
    if path.stem.endswith(INTERFACES) or path.parent.name in {"site", "templatetags"}
)
BOUND = {
    model.__name__
    for label in ("annotator", "scoring")
    for model in apps.get_app_config(label).get_models()
} - OF_NO_CAMPAIGN


def unscoped(text: str) -> Iterator[str]:
    """Yield the reads of a source that start from a whole table."""
    tree = ast.parse(text)
    emptied = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "none"
    }
    for node in ast.walk(tree):
        if _is_whole_table(node) and id(node) not in emptied:
            yield ast.unparse(node)


def _is_whole_table(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr in MANAGERS and _name(node.value) not in OF_NO_CAMPAIGN
    if isinstance(node, ast.Call):
        first = _name(node.args[0]) if node.args else ""
        return _name(node.func) in SHORTCUTS and first in BOUND
    if isinstance(node, ast.keyword | ast.Assign):
        return _key(node) in {"model", "queryset"} and _name(node.value) in BOUND
    return False


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def _key(node: ast.keyword | ast.Assign) -> str:
    return str(node.arg) if isinstance(node, ast.keyword) else _name(node.targets[0])


def test_no_view_or_call_reads_a_table_that_no_query_has_scoped() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {read}"
        for path in SOURCES
        for read in unscoped(path.read_text(encoding="utf-8"))
    ]
    assert not found, "start from a query such as campaigns_for:\n" + "\n".join(found)


def test_the_routes_of_both_packages_were_really_read() -> None:
    read = {str(path.relative_to(ROOT)) for path in SOURCES}
    assert {
        "annotator/adjudication/rulings/views.py",
        "scoring/training/runs/api.py",
        "annotator/access/gate.py",
    } <= read
    assert {"Campaign", "Rating", "TrainingRun"} <= BOUND


@pytest.mark.parametrize(
    "fault",
    [
        "Rating.objects.get(pk=pk)",
        "models.Rating.objects.filter(pk=pk)",
        "Rating._default_manager.get(pk=pk)",
        "type(row).objects.get(pk=pk)",
        "get_object_or_404(Rating, pk=pk)",
        "get_object_or_404(models.Rating, pk=pk)",
        "class A(DetailView):\n    model = Rating",
        "class A(DetailView):\n    queryset = Rating.objects.all()",
        "A.as_view(model=Rating)",
    ],
)
def test_a_read_by_primary_key_alone_is_found(fault) -> None:
    assert list(unscoped(fault))


@pytest.mark.parametrize(
    "right",
    [
        "ratings_by(user).get(pk=pk)",
        "get_object_or_404(runs_for(user), pk=pk)",
        "User.objects.filter(username=name)",
        "forms.ModelChoiceField(Campaign.objects.none())",
    ],
)
def test_a_read_from_a_scoped_query_is_none(right) -> None:
    assert not list(unscoped(right))
