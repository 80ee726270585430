"""Each test runs in the tier that its marks, name and promise ask for."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.tiers import left_out, marks_of, pytest_collection_modifyitems, pytest_ignore_collect


def item(
    name: str = "test_it",
    path: str = "tests/annotator/rating/test_it.py",
    fixtures: tuple[str, ...] = (),
    **marks: Any,
) -> Any:
    """Return a test with marks, each with its arguments or, in a mapping, its named ones."""
    found = {
        mark: SimpleNamespace(
            args=given if isinstance(given, tuple) else (),
            kwargs=given if isinstance(given, dict) else {},
        )
        for mark, given in marks.items()
    }
    return SimpleNamespace(
        name=name,
        path=Path(path),
        fixturenames=fixtures,
        get_closest_marker=found.get,
        iter_markers=lambda mark: [found[mark]] if mark in found else [],
        add_marker=lambda mark: found.setdefault(mark, SimpleNamespace(args=(), kwargs={})),
    )


@pytest.mark.parametrize(
    ("test", "marks"),
    [
        (item(), ["pure"]),
        (item(slow=()), []),
        (item(fixtures=("cast", "db")), []),
        (item(django_db={}), []),
        (item(django_db={"transaction": True}), ["postgres"]),
        (item(fixtures=("cast", "transactional_db")), ["postgres"]),
        (item("test_a_fault_is_found_out"), ["pure", "planted"]),
        (item("test_a_fault_is_found_out[one]", slow=()), ["planted", "exhaustive"]),
        (item("test_faults_are_found_out", browser=()), ["planted", "exhaustive"]),
        (item(slow=(), promise={"planted": True}), ["planted", "exhaustive"]),
        (item("test_a_fault_is_found_out_late", slow=()), []),
    ],
)
def test_marks_follow_from_the_fixtures_and_the_name(test, marks) -> None:
    assert list(marks_of(test)) == marks


def test_a_promise_that_every_run_would_skip_is_named() -> None:
    included, skipped = item(promise=("P1",)), item(promise=("P2",), exhaustive=())
    assert left_out([included, skipped, item(promise=("P1",), exhaustive=())]) == {"P2"}


def test_a_whole_run_without_a_test_of_a_promise_is_refused() -> None:
    whole: Any = SimpleNamespace(args_source=pytest.Config.ArgsSource.TESTPATHS)
    planted = item("test_a_fault_is_found_out", __file__, promise=("P3",), slow=())
    with pytest.raises(pytest.UsageError, match="no test of P3"):
        pytest_collection_modifyitems(whole, [planted])
    part: Any = SimpleNamespace(args_source=pytest.Config.ArgsSource.ARGS)
    pytest_collection_modifyitems(part, [planted])
    assert planted.get_closest_marker("exhaustive")


@pytest.mark.parametrize(
    ("text", "asked", "is_left_out"),
    [
        ("def test_it(): ...", "not exhaustive and (slow or broker)", True),
        ("def test_it(): ...", "promise", True),
        ("def test_it(): ...", "not (exhaustive or slow)", None),
        ("def test_it(): ...", "exhaustive", None),
        ("def test_it(): ...", "", None),
        ("pytestmark = pytest.mark.broker", "not exhaustive and (slow or broker)", None),
    ],
)
def test_a_file_is_read_unless_no_test_of_it_is_asked_for(
    text, asked, is_left_out, tmp_path
) -> None:
    (tmp_path / "test_it.py").write_text(text)
    config: Any = SimpleNamespace(getoption=lambda _: asked)
    assert pytest_ignore_collect(tmp_path / "test_it.py", config) is is_left_out


def test_a_test_marked_from_elsewhere_is_refused_as_its_file_would_not_be_read(tmp_path) -> None:
    (tmp_path / "test_it.py").write_text("from marks import HERE as pytestmark")
    run: Any = SimpleNamespace(args_source=pytest.Config.ArgsSource.ARGS)
    with pytest.raises(pytest.UsageError, match="has to name the marks"):
        pytest_collection_modifyitems(run, [item(path=str(tmp_path / "test_it.py"), slow=())])
