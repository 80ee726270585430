import hashlib
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patclaimeval.claims.parsing import parse_claims
from tests.amounts import tries

SAMPLE = os.environ.get("PATENT_CE_SAMPLE", "")
GOLDEN = Path(__file__).with_name("golden_trees.json")
REFERENCES = Path(__file__).parents[4] / "fixtures" / "demo" / "references"
PIECES = st.sampled_from(
    [
        *("1. ", "2) ", "Claim 3", "\n", " ", "A pump", ". ", "claim 1", "claims 1 to 3", ";", "9"),
        *("、", "一", "。", "\x00", "\u200b", "\u202e", "\r\n", "\u2028", "\ufeff"),
        *("(canceled)", "4-6. ", "<p>", "(7) ", "权利要求1"),
    ]
)


def numbers(text):
    return [claim.number for claim in parse_claims(text)]


@given(st.one_of(st.text(), st.lists(PIECES, max_size=30).map("".join)))
def test_joining_the_claims_gives_the_input(text):
    claims = parse_claims(text)
    assert "".join(claim.text for claim in claims) == text
    assert all(text[claim.start : claim.end] == claim.text for claim in claims)


@pytest.mark.parametrize(
    "text",
    [
        "1. A pump.\n2. The pump of claim 1.\n3. The pump of claim 2.",
        "1) A pump.\n2) The pump of claim 1.\n3) The pump of claim 2.",
        "Claim 1: A pump.\nClaim 2: The pump of claim 1.\nClaim 3: The pump of claim 2.",
        "Claim 1\nA pump.\nClaim 2\nThe pump of claim 1.\nClaim 3\nThe pump of claim 2.",
        "1. A pump. 2. The pump of claim 1. 3. The pump of claim 2.",
        "1. A pump.2. The pump of claim 1, made of steel.3. The pump of claim 2.",
        "1. A pump  2. The pump of claim 1  3. The pump of claim 2",
        "\n\n  1. A pump.\n\n  2. The pump of claim 1.\n\n  3. The pump of claim 2.\n",
        "1. A pump.\r\n2. The pump of claim 1.\r\n3. The pump of claim 2.\r\n",
        "(1) A pump.\n(2) The pump of claim 1.\n(3) The pump of claim 2.",
        "1 . A pump. 2 . The pump of claim 1. 3 . The pump of claim 2.",
        "1.A pump.\n2.The pump of claim 1.\n3.The pump of claim 2.",
        "1 A pump\n2 The pump of claim 1\n3 The pump of claim 2",
        "Claim 1: A pump. Claim 2: The pump of Claim 1. Claim 3: The pump of Claim 2.",
        "1. (Original) A pump. 2. (New) The pump of claim 1. 3. (New) The pump of claim 2.",
        "<p>1. A pump.</p>\n<p>2. The pump of claim 1.</p>\n<p>3. The pump of claim 2.</p>",
        "\ufeff1.\u200b A pump.\n\u202a2.\u202c The pump of claim\u00a01."
        "\n\x003. The pump of claim 2.",
        "**1.** A pump.\n\n**2.** The pump of claim 1.\n\n**3.** The pump of claim 2.",
        "# Claim 1\nA pump.\n# Claim 2\nThe pump of claim 1.\n# Claim 3\nThe pump of claim 2.",
        "**Claim 1**: A pump\n**Claim 2**: The pump of claim 1\n**Claim 3**: The pump of claim 2",
        "1. A pump.\n2) The pump of claim 1.\n3. The pump of claim 2.",
        "1. A pump.2. The pump of claim 1.3. The pump of claim 2.",
    ],
)
def test_every_usual_way_of_numbering_is_read(text):
    claims = parse_claims(text)
    assert [claim.number for claim in claims] == [1, 2, 3]
    assert [claim.depends_on for claim in claims] == [(), (1,), (2,)]
    assert "A pump" in claims[0].body
    assert "The pump" in claims[1].body
    assert not any(char.isdigit() for char in claims[0].body)


@pytest.mark.parametrize(
    "text",
    [
        "1、一种泵\uff0c包括壳体。\n2、根据权利要求1所述的泵\uff0c长1.5米。\n3、如权利要求1至2中任一项所述的泵。",
        "1. 一种泵\uff0c包括壳体。2. 根据权利要求1所述的泵。3. 如权利要求1或2所述的泵。",
        "1.一种泵\uff0c包括壳体。2.根据权利要求1所述的泵。3.如上述任一权利要求所述的泵。",
        "权利要求1\uff1a一种泵。\n权利要求2\uff1a根据权利要求1所述的泵。\n权利要求3\uff1a如权利要求1-2任一项。",
    ],
)
def test_chinese_claims_are_cut_and_linked(text):
    claims = parse_claims(text)
    assert [claim.number for claim in claims] == [1, 2, 3]
    assert [claim.depends_on for claim in claims] == [(), (1,), (1, 2)]


@pytest.mark.parametrize("heading", ["What is claimed is:\n", "Claims\n"])
def test_words_before_the_first_number_are_a_part_without_number(heading):
    claims = parse_claims(f"{heading}1. A pump.\n2. The pump of claim 1.")
    assert [claim.number for claim in claims] == [None, 1, 2]
    assert claims[0].text == heading


def test_text_without_numbers_is_one_claim_and_empty_text_none():
    (claim,) = parse_claims("A pump comprising a 2.5 mm valve and a housing.")
    assert claim.number is None
    assert claim.body == "A pump comprising a 2.5 mm valve and a housing."
    assert claim.depends_on == ()
    assert parse_claims("") == ()


def test_decimals_and_cited_numbers_open_no_claim():
    text = "1. A rod of 0.2. Metres are meant.\n2. The rod of claim\n1. Nothing else."
    assert numbers(text) == [1, 2]
    assert numbers("1. A rod. 2. The rod of claim 1 or 2. The rod is long. 3. A bar.") == [1, 2, 3]


@pytest.mark.parametrize(
    "text",
    [
        "1. A method comprising:\n1) heating;\n2) cooling.\n2. The method of claim 1.",
        "1. A method of:\n1. heating;\n2. cooling.\n2. The method of claim 1.",
        "1. A pump, comprising: 1. a rod; 2. a seal. 2. The pump of claim 1.",
        "1. A pump as in Fig. 2. The pump is red. 2. The pump of claim 1.",
        "1. A set of:\n(1) rods;\n(2) bars.\n2. The set of claim 1.",
    ],
)
def test_a_list_inside_a_claim_opens_no_claim(text):
    assert numbers(text) == [1, 2]


def test_missing_and_repeated_numbers_are_kept_as_written():
    assert numbers("1. A pump.\n3. A fan.\n3. A jet.\n2. A rod.") == [1, 3, 3, 2]
    assert numbers("1. A pump. 3. A fan. 3. A jet. 2. A rod.") == [1, 3, 3, 2]


@pytest.mark.parametrize("mark", ["1-3. (canceled)", "1.-3. (Cancelled)", "Claims 1-3 (withdrawn)"])
def test_a_cancelled_range_is_one_part(mark):
    claims = parse_claims(mark + " 4. A pump. 5. The pump of claim 4.")
    assert [(item.number, item.last_number) for item in claims] == [(1, 3), (4, 4), (5, 5)]


@pytest.mark.parametrize(
    "text",
    [
        "1. A pump " + "word " * tries(100_000),
        "".join(f"{place}. The pump of any preceding claim.\n" for place in range(1, tries(9999))),
        "1. " + "claims 1 to 200, " * tries(30_000),
        "1. A\x00" * tries(100_000),
        "\u200b" * tries(500_000),
        ("1." + " " * 1000) * tries(300),
        "权利要求1、" * tries(50_000),
    ],
    ids=["words", "claims", "ranges", "nul", "zero width", "spaces", "chinese"],
)
def test_huge_text_comes_back_whole(text):
    assert "".join(claim.text for claim in parse_claims(text)) == text


@pytest.mark.skipif(not SAMPLE, reason="PATENT_CE_SAMPLE names no file: the sample is not shipped")
def test_the_published_sample_is_read_as_a_second_method_reads_it():
    expected = json.loads(GOLDEN.read_text(encoding="utf-8"))
    rows = json.loads(Path(SAMPLE).read_text(encoding="utf-8"))
    texts = {row[part] for row in rows for part in ("gold_claim", "A", "B")}
    trees = {
        hashlib.sha256(text.encode()).hexdigest(): [
            [claim.number, claim.last_number, list(claim.depends_on)]
            for claim in parse_claims(text)
        ]
        for text in texts
    }
    assert trees == expected


@pytest.mark.parametrize("path", sorted(REFERENCES.glob("*.txt")), ids=lambda path: path.stem)
def test_the_demo_references_are_numbered_without_a_gap(path):
    claims = parse_claims(path.read_text(encoding="utf-8"))
    assert [claim.number for claim in claims] == list(range(1, len(claims) + 1))
    assert not claims[0].depends_on
    assert all(cited < (claim.number or 0) for claim in claims for cited in claim.depends_on)
