from importlib.metadata import PackageNotFoundError, version

from patclaimeval.models import config
from patclaimeval.models.config import (
    PACKAGE,
    READING,
    STATISTICS,
    WITHOUT_EFFECT,
    _digest,
    code_version,
)


def test_the_version_names_code_and_libraries_in_80_characters() -> None:
    found = code_version()
    assert len(found) <= 80
    assert found == (
        f"code {_digest(PACKAGE, *STATISTICS, *READING)[:12]}, numpy {version('numpy')}, "
        f"torch {version('torch')}"
    )


def test_the_version_is_known_where_torch_is_not_installed(monkeypatch) -> None:
    def lacking(name: str) -> str:
        if name == "torch":
            raise PackageNotFoundError
        return version(name)

    whole = code_version()
    monkeypatch.setattr(config, "version", lacking)
    assert code_version.__wrapped__() == whole.rpartition(", torch ")[0]


def test_a_changed_source_is_another_version_unless_it_decides_no_weight(tmp_path) -> None:
    for name in ("loss.py", "scorer.py"):
        (tmp_path / name).write_text("one")
    first = _digest(tmp_path)
    (tmp_path / "scorer.py").write_text("two")
    assert _digest(tmp_path) == first
    (tmp_path / "loss.py").write_text("two")
    second = _digest(tmp_path)
    assert second != first
    (tmp_path / "loss.py").rename(tmp_path / "losses.py")
    assert _digest(tmp_path) not in (first, second)
    (tmp_path / "packed").mkdir()
    (tmp_path / "packed" / "layer.py").write_text("three")
    assert len({first, second, _digest(tmp_path)}) == 3


def test_what_is_listed_as_without_effect_exists() -> None:
    assert all((PACKAGE / name).is_file() for name in WITHOUT_EFFECT)


def test_a_module_beside_the_package_counts(tmp_path) -> None:
    module = tmp_path / "claim_text.py"
    module.write_text("A = 1\n")
    first = _digest(module)
    module.write_text("A = 2\n")
    assert _digest(module) != first
