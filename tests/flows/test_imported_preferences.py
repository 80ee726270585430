"""From an export to the reliability figures: they equal what other libraries make of the file.

The expected figures are worked out from the file itself, by none of our readers, queries or
coefficients. krippendorff and scikit-learn are the second implementations.
"""

import ast
import csv
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

from annotator.accounts.sessions import create_token
from annotator.models import Campaign, Preference
from annotator.reliability.services import (
    Given,
    carry_out_reliability,
    figures_of,
    request_reliability,
)
from annotator.typology import CLAIM_TAGS
from patclaimeval.rubric import OVERALL
from tests.annotator.formats.exports import ABSENT, as_bytes, item
from tests.conftest import grant, make_user, signed_in

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
            labels = [tag.published for tag in CLAIM_TAGS if chance.random() < 0.1]
            given = {"choices": labels} if len(labels) > 1 else labels[0] if labels else ABSENT
            more = {"comparison": comparison, "dimension2": given}
            items.append(item(**texts, annotator=annotator, **more))
    return as_bytes(*items)


@pytest.mark.parametrize("seed", range(3))
def test_figures_of_an_import_equal_other_libraries_on_the_file(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "export.json"
    path.write_bytes(random_export(seed))
    answers = shared_answers(path)
    assert len(answers) > 20
    assert_equal_to_the_oracles(figures(path), answers)


def tag_counts(path: Path) -> Counter[str]:
    """Return how many annotations name each published tag, as the file has it."""
    counts: Counter[str] = Counter()
    for entry in json.loads(path.read_text()):
        named: set[str] = set()
        for field in ("dimension1", "dimension2"):
            given = entry.get(field) or []
            # Label Studio writes a single choice as a text, several as {"choices": [...]}.
            choices = given["choices"] if isinstance(given, dict) else [given]
            named |= set(choices) if given else set()
        for field in ("mark1", "mark2"):
            named |= {label for mark in entry.get(field) or [] for label in mark["labels"]}
        counts.update(tag.name for tag in CLAIM_TAGS if {tag.name, tag.published} & named)
    return counts


def assert_pages_and_calls_count_preferences(path: Path) -> None:
    """Import the file; progress, reliability and error tags count what it says, page and call."""
    answers, entries = shared_answers(path), json.loads(path.read_text())
    figures(path)
    campaign = Campaign.objects.get(slug="elsewhere")
    ada = grant(make_user("ada"), campaign, "admin")
    carry_out_reliability(request_reliability(campaign=campaign, asked_by=ada).pk)
    client = signed_in(ada)
    headers = {"Authorization": f"Token {create_token(user=ada).token}"}

    def call(name: str) -> Any:
        return client.get(f"/api/v1/campaigns/elsewhere/{name}/", headers=headers).json()

    progress = call("progress")
    assert (progress["preferences"], progress["comparisons"]) == (len(entries), len(entries))
    page = client.get("/campaigns/elsewhere/").text
    assert f"<dt>Preferences</dt><dd>{len(entries)} on {len(entries)} comparisons" in page

    stated = call("agreement")["result"]["preferences"]
    assert stated["n"] == len(entries)
    page = client.get("/campaigns/elsewhere/reliability/").text
    assert f"<dd>{len(entries)} by 2 annotators on {stated['pairs']} pairs" in page
    assert f"{len(answers)} compared by two or more" in page
    one, other = zip(*answers, strict=True)
    alpha = krippendorff.alpha([one, other], level_of_measurement="ordinal")
    assert f"ordinal alpha of which candidate is better overall is {alpha:.3f}" in page.replace(
        "&#x27;", "'"
    )
    assert f"over {len(answers)} pairs" in page
    assert "There are no ratings, so agreement on scores cannot be measured." in page
    assert "No verdict" not in page

    tagged = tag_counts(path)
    page = client.get("/campaigns/elsewhere/error-tags/").text
    assert f"of {len(entries)} preferences carry one or more" in page
    assert "0 of 0" not in page
    for name, count in tagged.items():
        assert f'>{name}</span></th><td class="number">{count}</td>' in page
    lines = csv.DictReader(
        io.StringIO(client.get("/campaigns/elsewhere/error-tags/?format=csv").text)
    )
    assert {line["name"]: int(line["tagged"]) for line in lines} == tagged


def test_pages_and_calls_count_the_preferences_of_an_import(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_bytes(random_export(1))
    assert_pages_and_calls_count_preferences(path)


@pytest.mark.skipif(not SAMPLE, reason="PATENTEVAL_SAMPLE names no file: the sample is not shipped")
def test_pages_and_calls_count_the_preferences_of_the_published_sample() -> None:
    assert_pages_and_calls_count_preferences(Path(SAMPLE))


@pytest.mark.skipif(not SAMPLE, reason="PATENTEVAL_SAMPLE names no file: the sample is not shipped")
def test_figures_of_the_published_sample_equal_other_libraries_on_the_file() -> None:
    answers = shared_answers(Path(SAMPLE))
    assert len(answers) == 29
    assert_equal_to_the_oracles(figures(Path(SAMPLE)), answers)
    by_annotator = Preference.objects.filter(overall_quality=0).values_list(
        "comparison__annotator__username", flat=True
    )
    assert Counter(by_annotator).total() == 24
