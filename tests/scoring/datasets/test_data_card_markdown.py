"""The card in Markdown: fixed bytes, no foreign markup, older cards without what they lack."""

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from scoring.datasets.cards import data_card
from scoring.datasets.markdown import OLD_MAJORITY, card_markdown
from tests.scoring.datasets.card_builders import CARD, NAMED, OLD_CARD

GOLDEN = Path(__file__).with_name("golden")


def markdown(card: dict[str, Any], **named: Any) -> str:
    return card_markdown(data_card(card, **NAMED | named)).decode()


def section(page: str, title: str) -> str:
    return page.split(f"\n## {title}\n")[1].split("\n## ", maxsplit=1)[0]


def test_the_bytes_are_fixed() -> None:
    assert markdown(CARD).encode() == (GOLDEN / "cups_1-2.card.md").read_bytes()


def test_labels_and_lengths_stand_beside_the_published_ones() -> None:
    page = markdown(CARD)
    labels = section(page, "Labels")
    assert "| Overall quality | 2 | 1 | 0 | 33.3 % | 422 / 382 / 424 | 31.1 % |" in labels
    lengths = section(page, "Length of claim sets")
    assert "| 1,900 | 400.123 | 380 |" in lengths
    assert "| tokens, published | \u2013 | 156 | 1,461 | 644 | 631 | 245 |" in lengths
    assert "Longformer" in lengths


def test_agreement_says_its_interval_and_n_or_why_there_is_none() -> None:
    found = section(markdown(CARD), "Agreement among annotators")
    assert "Krippendorff's alpha (interval) | 0.71 | 0.5 to 0.851 | 12 |" in found
    assert "undefined: Every rating is the same. | \u2013 | 12 |" in found


def test_an_older_card_is_shown_without_what_it_lacks() -> None:
    page = markdown(OLD_CARD, licence="")
    for title in ("Agreement among annotators", "Length of claim sets", "People", "Rubric"):
        assert f"## {title}" not in page
    assert "quality\\_test.json" in page
    assert "How far annotators agree is not known." in page
    assert "split by single items" in page
    assert "As the publisher states." in section(page, "Licence")


@pytest.mark.parametrize(
    ("made", "sentence", "is_old"),
    [
        ({"policy": "majority"}, "Policy: majority, by its first rule", True),
        ({"policy": "majority", "policy_version": 2}, "what more than half", False),
        ({"policy": "settled", "policy_version": 1}, "compare settled ratings", False),
    ],
)
def test_labels_of_the_first_majority_rule_are_distinguished(
    made: dict[str, Any], sentence: str, is_old: bool
) -> None:
    page = markdown(CARD | made)
    assert sentence in section(page, "How it was made")
    assert (OLD_MAJORITY in page) is is_old


@pytest.mark.parametrize("left", range(len(CARD)))
def test_no_key_is_needed(left: int) -> None:
    """Any card with one key, or without one, gives a page."""
    key = list(CARD)[left]
    assert markdown({key: CARD[key]}).startswith("# cups")
    assert markdown({name: CARD[name] for name in CARD if name != key}).startswith("# cups")


def test_no_two_keys_need_each_other() -> None:
    for pair in combinations(CARD, 2):
        assert markdown({key: CARD[key] for key in pair}).startswith("# cups")


def test_foreign_text_is_no_markup() -> None:
    bad = "x\n# <script>alert(1)</script> | [a](javascript:b) `c` $d$"
    files = [{"name": bad, "sha256": "0" * 64, "bytes": 1}]
    page = markdown(OLD_CARD | {"files": files}, licence=bad)
    assert "<script>" not in page
    assert "\n# \\<" not in page
    assert "\\<script\\>alert(1)\\</script\\> \\| \\[a\\](javascript:b) \\`c\\` \\$d\\$" in page
