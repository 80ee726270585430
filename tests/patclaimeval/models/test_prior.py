import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from patclaimeval.claims.damage import break_dependency, delete_antecedent, drop_feature
from patclaimeval.models import prior
from patclaimeval.models.errors import CheckpointInvalid
from patclaimeval.models.features import FEATURES, GROUPS
from patclaimeval.models.prior import (
    PRIOR,
    load_prior,
    prior_sha256,
    prior_tie_threshold,
    prior_version,
)

REFERENCES = Path(__file__).parents[3] / "fixtures" / "demo" / "references"
TEXTS = [path.read_text(encoding="utf-8") for path in sorted(REFERENCES.glob("*.txt"))]
CRITERIA = tuple(PRIOR)
SENSOR_CLAIM = "\n3. The pump of claim 2, wherein the pressure sensor is fixed to the housing."
PUMP = (
    "1. A pump comprising a housing, an inlet valve, a spring and a pressure sensor.\n"
    "2. The pump of claim 1, wherein the spring presses the inlet valve on the housing."
    f"{SENSOR_CLAIM}"
)


@pytest.fixture
def of_another_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Have the program read another file than the one that ships."""

    def forget() -> None:
        load_prior.cache_clear()
        prior._stored.cache_clear()

    path = tmp_path / "prior.json"
    path.write_bytes(prior.FILE.read_bytes())
    monkeypatch.setattr(prior, "FILE", path)
    forget()
    yield path
    forget()


def test_the_file_holds_what_the_program_computes_and_every_feature_differs() -> None:
    stored = json.loads(prior.FILE.read_bytes())
    assert list(stored["features"]) == list(FEATURES)
    assert list(stored["spread"]) == list(GROUPS)
    assert list(stored["tie_threshold"]) == list(CRITERIA)
    assert min(one["scale"] for one in stored["features"].values()) > 0
    assert min(stored["spread"].values()) > 0


def test_a_file_of_other_features_is_refused_with_what_to_do(of_another_file) -> None:
    stored = json.loads(of_another_file.read_bytes()) | {"feature_version": "2"}
    of_another_file.write_text(json.dumps(stored))
    with pytest.raises(CheckpointInvalid, match="measure its scales again"):
        load_prior("overall_quality")


def test_another_file_is_another_version_and_no_score_of_the_first_is_taken_for_its_own(
    of_another_file,
) -> None:
    first = {criterion: prior_sha256(criterion) for criterion in CRITERIA}
    assert len(set(first.values())) == len(CRITERIA)
    assert all(len(digest) == 64 for digest in first.values())
    stored = json.loads(of_another_file.read_bytes())
    assert prior_version() == f"scales {stored['made_from'][:12]}"
    stored["features"]["rouge_l"]["centre"] += 0.1
    of_another_file.write_text(json.dumps(stored))
    assert not {prior_sha256(criterion) for criterion in CRITERIA} & set(first.values())


def test_five_criteria_score_by_what_each_is_about() -> None:
    models = {criterion: load_prior(criterion) for criterion in CRITERIA}
    assert len({tuple(one.model.weight.tolist()) for one in models.values()}) == 5
    for criterion, one in models.items():
        counting = {name for name, weight in zip(FEATURES, one.model.weight, strict=True) if weight}
        assert counting == {name for group in PRIOR[criterion] for name in GROUPS[group]}
        assert one.model.weight.min() >= 0
        assert one.config == {
            "kind": "prior",
            "criterion": criterion,
            "tie_threshold": prior_tie_threshold(criterion),
        }
        assert 0 < one.tie_threshold < 0.1


def test_a_criterion_of_ones_own_is_scored_as_the_overall_quality() -> None:
    own, overall = load_prior("novelty"), load_prior("overall_quality")
    assert own.config["criterion"] == "novelty"
    assert own.tie_threshold == overall.tie_threshold
    pair = (TEXTS[0], TEXTS[1])
    assert own.score([pair]) == overall.score([pair])


@pytest.mark.parametrize("criterion", CRITERIA)
def test_each_reference_is_above_another_and_above_next_to_nothing(criterion) -> None:
    scorer = load_prior(criterion)
    for place, text in enumerate(TEXTS[:4]):
        itself, *worse = scorer.score(
            [(text, one) for one in (text, TEXTS[place + 1], "1. A thing.")]
        )
        assert itself > max(worse)
        assert all(0 < score < 1 for score in (itself, *worse))


def test_the_undamaged_is_above_the_damaged_and_the_more_the_lower() -> None:
    scorer = load_prior("overall_quality")
    for damage in (drop_feature, delete_antecedent, break_dependency):
        scores = [
            scorer.score([(text, text), *((text, damage(text, n, 7).text) for n in (1, 5))])
            for text in TEXTS[::3]
        ]
        whole, little, much = np.array(scores).T
        assert (whole > little).all(), damage.__name__
        assert little.mean() > much.mean(), damage.__name__


@pytest.mark.parametrize(
    ("criterion", "old", "new"),
    [
        ("feature_completeness", SENSOR_CLAIM, ""),
        ("conceptual_clarity", "is fixed to", "is somehow fixed near about to"),
        ("terminology_consistency", "the housing", "the casing"),
        ("logical_linkage", "of claim 2", "of claim 7"),
        ("overall_quality", SENSOR_CLAIM, ""),
    ],
)
def test_the_damage_that_a_criterion_is_about_costs_there_more_than_a_tie(
    criterion, old, new
) -> None:
    scorer = load_prior(criterion)
    damaged = PUMP.replace(old, new)
    assert damaged != PUMP
    whole, less = scorer.score([(PUMP, PUMP), (PUMP, damaged)])
    assert whole - less > scorer.tie_threshold


def test_what_a_web_process_asks_of_it_loads_neither_numpy_nor_torch() -> None:
    program = (
        "from patclaimeval.models.prior import prior_sha256, prior_tie_threshold, prior_version\n"
        "prior_sha256('overall_quality'), prior_tie_threshold('x'), prior_version()\n"
        "import sys; sys.exit(bool({'numpy', 'torch', 'scipy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
