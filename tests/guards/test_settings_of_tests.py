"""A test that changes a setting changes it for itself: by the fixture, which puts it back.

One that wrote to `django.conf.settings` left its data folder to the tests after it. A worker that
one of those started looked there for messages, and none ever came.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]


def lasting_changes(source: str) -> Iterator[int]:
    """Yield the lines on which a setting is changed past the fixture."""
    tree = ast.parse(source)
    names = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "django.conf"
        for alias in node.names
    }
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        given = function.args
        global_names = names - {one.arg for one in (*given.args, *given.kwonlyargs)}
        for node in ast.walk(function):
            targets = node.targets if isinstance(node, ast.Assign) else []
            for target in [one for outer in targets for one in ast.walk(outer)]:
                match target:
                    case ast.Attribute(value=ast.Name(id=name), ctx=ast.Store()):
                        if name in global_names:
                            yield target.lineno


def test_no_test_changes_a_setting_for_the_tests_after_it() -> None:
    found = [
        f"{path.relative_to(TESTS)}:{line}"
        for path in sorted(TESTS.rglob("*.py"))
        for line in lasting_changes(path.read_text("utf-8"))
    ]
    assert found == []


def test_a_change_past_the_fixture_is_found_and_one_by_the_fixture_is_not() -> None:
    imports = "from django.conf import settings as project\nfrom django.conf import settings\n"
    assert [*lasting_changes(f"{imports}def test_it():\n    settings.DEBUG = True\n")] == [4]
    assert [*lasting_changes(f"{imports}def test_it():\n    project.A, b = 1, 2\n")] == [4]
    assert [*lasting_changes(f"{imports}def test_it(settings):\n    settings.DEBUG = 1\n")] == []
