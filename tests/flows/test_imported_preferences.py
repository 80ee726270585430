"""From an export to the reliability figures: they equal what other libraries make of the file.

The expected figures are worked out from the file itself, by none of our readers, queries or
coefficients. krippendorff and scikit-learn are the second implementations.
"""

import ast
import io
import json
import os
import random
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import krippendorff
import pytest
from django.core.management import call_command
from sklearn.metrics import cohen_kappa_score

from annotator.models import Campaign, Preference
from annotator.reliability.services import Given, figures_of
from annotator.rubric import OVERALL
from tests.annotator.formats.exports import ABSENT, as_bytes, item

SAMPLE = os.environ.get("PATENTEVAL_SAMPLE", "")
pytestmark = pytest.mark.django_db

Answers = list[tuple[int, int]]


def shared_answers(path: Path) -> Answers:
    """Return what both annotators answered for each item that both have, as the file has it."""
    by_item: dict[str, dict[int, int]] = defaultdict(dict)
    for entry in json.loads(path.read_text()):
        chosen = entry.get("comparison") or "[]"
        chosen = ast.literal_eval(chosen) if isinstance(chosen, str) else chosen
        answer = {"left": 1, "right": -1}[chosen[0]["selected"]] if chosen else 0
        by_item[entry["input_claim"] + entry["output1"]][entry["annotator"]] = answer
    first, second = sorted({who for answers in by_item.values() for who in answers})
    return [(a[first], a[second]) for a in by_item.values() if len(a) == 2]


def figures(path: Path) -> dict[str, dict[str, Any]]:
    """Import the file and return the figures of the reliability report on the overall quality."""
    quiet = {"stdout": io.StringIO(), "stderr": io.StringIO()}
    call_command("import_claims", path, "--campaign", "elsewhere", "--json", **quiet)
    found = figures_of(Given(Campaign.objects.get(slug="elsewhere")))["preferences"]
    (overall,) = (entry for entry in found["criteria"] if entry["key"] == OVERALL)
    return {figure["key"]: figure for figure in overall["figures"]}


def assert_equal_to_the_oracles(found: dict[str, dict[str, Any]], answers: Answers) -> None:
    one, other = zip(*answers, strict=True)
    expected = {
        "exact": sum(a == b for a, b in answers) / len(answers),
        "kappa": cohen_kappa_score(one, other),
        "alpha_nominal": krippendorff.alpha([one, other], level_of_measurement="nominal"),
        "alpha_ordinal": krippendorff.alpha([one, other], level_of_measurement="ordinal"),
    }
    for key, value in expected.items():
        assert found[key]["value"] == pytest.approx(value, abs=1e-9), key
    assert {found[key]["n"] for key in expected if key != "kappa"} == {len(answers)}


def random_export(seed: int) -> bytes:
    """Return 40 pairs of 14 references; both annotators have most of them, and often agree."""
    chance = random.Random(seed)
    items = []
    for number in range(40):
        texts = {
            "input_claim": f"1. A cup {number % 14}.",
            "output1": f"2. A mug {number}.",
            "output2": f"2. A pot {number}.",
        }
        leaning = chance.choice(["left", "right", ""])
        for annotator in (5, 6):
            if chance.random() < 0.15:
                continue
            answer = (
                leaning if chance.random() < 0.6 else chance.choice(["left", "left", "right", ""])
            )
            comparison = f"[{{'selected': '{answer}'}}]" if answer else ABSENT
            items.append(item(**texts, annotator=annotator, comparison=comparison))
    return as_bytes(*items)


@pytest.mark.parametrize("seed", range(3))
def test_figures_of_an_import_equal_other_libraries_on_the_file(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "export.json"
    path.write_bytes(random_export(seed))
    answers = shared_answers(path)
    assert len(answers) > 20
    assert_equal_to_the_oracles(figures(path), answers)


@pytest.mark.skipif(not SAMPLE, reason="PATENTEVAL_SAMPLE names no file: the sample is not shipped")
def test_figures_of_the_published_sample_equal_other_libraries_on_the_file() -> None:
    answers = shared_answers(Path(SAMPLE))
    assert len(answers) == 29
    assert_equal_to_the_oracles(figures(Path(SAMPLE)), answers)
    by_annotator = Preference.objects.filter(overall_quality=0).values_list(
        "comparison__annotator__username", flat=True
    )
    assert Counter(by_annotator).total() == 24
