from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from scoring.datasets.cards import data_card
from scoring.datasets.markdown import NOTHING, OLD_MAJORITY, card_markdown, number
from tests.scoring.datasets.card_builders import CARD, NAMED, OLD_CARD

GOLDEN = Path(__file__).with_name("golden")


def markdown(card: dict[str, Any], **named: Any) -> str:
    return card_markdown(data_card(card, **NAMED | named)).decode()


def section(page: str, title: str) -> str:
    return page.split(f"\n## {title}\n")[1].split("\n## ", maxsplit=1)[0]


def test_the_bytes_are_fixed() -> None:
    assert markdown(CARD).encode() == (GOLDEN / "cups_1-2.card.md").read_bytes()


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
def test_labels_of_the_first_majority_rule_are_marked(made, sentence, is_old) -> None:
    page = markdown(CARD | made)
    assert sentence in section(page, "How it was made")
    assert (OLD_MAJORITY in page) is is_old


@pytest.mark.parametrize("count", [1, 2, len(CARD) - 1])
def test_no_key_is_needed_and_no_two_need_each_other(count) -> None:
    for keys in combinations(CARD, count):
        assert markdown({key: CARD[key] for key in keys}).startswith("# cups")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        *((0, "0"), (1234567, "1,234,567"), (2.0, "2"), (0.5, "0.5"), (0.12345, "0.123")),
        *((-0.0004, "0"), (1234.5678, "1,234.568")),
        *((None, NOTHING), (True, NOTHING), ("7", NOTHING)),
    ],
)
def test_a_number_is_written_for_people(value, words) -> None:
    assert number(value) == words


def test_foreign_text_is_no_markup() -> None:
    bad = "x\n# <script>alert(1)</script> | [a](javascript:b) `c` $d$"
    files = [{"name": bad, "sha256": "0" * 64, "bytes": 1}]
    page = markdown(OLD_CARD | {"files": files}, licence=bad)
    assert "<script>" not in page
    assert "\n# \\<" not in page
    assert "\\<script\\>alert(1)\\</script\\> \\| \\[a\\](javascript:b) \\`c\\` \\$d\\$" in page
