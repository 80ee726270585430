"""Tests of the tree of claims and of its faults."""

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.claims.tree import FaultKind, build_tree
from core.claim_text import parse_claims
from tests.amounts import tries

REFERENCES = Path(__file__).parents[3] / "fixtures" / "demo" / "references"
CLAIM = st.sampled_from(
    [
        " A pump.\n",
        " The pump of claim 1.\n",
        " The pump of claims 2 to 5.\n",
        " The pump of any preceding claim.\n",
        " The pump of claim 4 or 9.\n",
    ]
)


def tree(text):
    return build_tree(parse_claims(text))


def faults(text):
    return [
        (item.kind, item.claim, item.cites, text[item.start : item.end])
        for item in tree(text).faults
    ]


def test_parents_and_depths():
    found = tree(
        "1. A pump.\n2. The pump of claim 1.\n3. The pump of claim 1 or 2.\n4. A fan.\n"
        "5. The fan of claim 4."
    )
    assert [node.parents for node in found.nodes] == [(), (0,), (0, 1), (), (3,)]
    assert [node.depth for node in found.nodes] == [0, 1, 2, 0, 1]
    assert found.faults == ()


def test_an_unknown_claim_is_a_fault_with_its_place():
    text = "1. A pump.\n2. The pump of claim 9."
    assert faults(text) == [(FaultKind.UNKNOWN, 1, 9, "9")]
    (fault,) = tree(text).faults
    assert fault.sentence == "Claim 2 cites claim 9, which does not exist."
    assert [node.parents for node in tree(text).nodes] == [(), ()]


def test_a_claim_that_cites_itself():
    text = "1. A pump.\n2. The pump of claims 1 to 2."
    assert faults(text) == [(FaultKind.SELF, 1, 2, "2")]
    assert tree(text).nodes[1].parents == (0,)
    assert tree(text).faults[0].sentence == "Claim 2 cites itself."


def test_a_later_claim_gives_a_fault_and_no_link():
    text = "1. A pump.\n2. The pump of claim 3.\n3. The pump of claim 1."
    assert faults(text) == [(FaultKind.FORWARD, 1, 3, "3")]
    assert tree(text).nodes[1].parents == ()
    assert tree(text).faults[0].sentence == "Claim 2 cites claim 3, which stands after it."


def test_a_circle_is_found_however_long():
    text = "1. A pump of claim 4.\n2. It of claim 1.\n3. It of claim 2.\n4. It of claim 3."
    assert faults(text) == [(FaultKind.CIRCULAR, 0, 4, "4")]
    expected = "Claim 1 cites claim 4, which itself depends on claim 1."
    assert tree(text).faults[0].sentence == expected


def test_a_circle_of_later_claims_only_does_not_touch_others():
    text = "1. A pump of claim 2.\n2. It of claim 3.\n3. It of claim 2."
    assert [item[:3] for item in faults(text)] == [
        (FaultKind.FORWARD, 0, 2),
        (FaultKind.CIRCULAR, 1, 3),
    ]


def test_numbers_repeated_missing_and_falling():
    assert faults("1. A pump.\n1. A fan.") == [(FaultKind.REPEATED_NUMBER, 1, None, "1.")]
    assert faults("1. A pump.\n4. A fan.") == [(FaultKind.MISSING_NUMBER, 1, 2, "4.")]
    assert faults("1. A pump.\n3. A fan.\n2. A jet.") == [(FaultKind.FALLING_NUMBER, 2, None, "2.")]
    sentences = [item.sentence for item in tree("1. A.\n3. A.\n3. A.\n7. A.\n5. A.").faults]
    assert sentences == [
        "Number 2 is missing before claim 3.",
        "Number 3 is used for more than one claim.",
        "Numbers 4 to 6 are missing before claim 7.",
        "Claim 5 stands after a claim with a higher number.",
    ]


def test_a_repeated_number_means_the_nearest_claim_before():
    text = "1. A pump.\n2. A fan.\n2. The fan of claim 2.\n3. The fan of claim 2."
    found = tree(text)
    assert [node.parents for node in found.nodes] == [(), (), (1,), (2,)]


def test_cancelled_claims_are_not_missing():
    found = tree("1-3. (canceled) 4. A pump. 5. The pump of claim 4.")
    assert found.faults == ()
    assert [node.parents for node in found.nodes] == [(), (), (1,)]


def test_the_first_claim_has_no_preceding_claims():
    text = "1. A pump according to any preceding claim."
    assert faults(text) == [(FaultKind.UNKNOWN, 0, None, "preceding claim")]
    expected = "Claim 1 cites the claims before it, but there are none."
    assert tree(text).faults[0].sentence == expected


def test_words_before_the_first_number_are_a_node_of_their_own():
    found = tree("What is claimed is:\n1. A pump.\n2. The pump of claim 1.")
    assert [node.depth for node in found.nodes] == [0, 0, 1]


def test_text_without_numbers_is_one_root():
    assert [node.parents for node in tree("A pump of claim 7.").nodes] == [()]
    assert tree("").nodes == ()


def test_a_very_deep_chain_is_not_limited_by_recursion():
    # Deeper than Python lets a function call itself, either way.
    last = tries(9000, 4)
    assert last > 2 * sys.getrecursionlimit()
    text = "1. A pump.\n" + "".join(f"{n}. It of claim {n - 1}.\n" for n in range(2, last))
    assert tree(text).nodes[-1].depth == last - 2
    backward = "".join(f"{n}. It of claim {n + 1}.\n" for n in range(1, last)) + f"{last}. It."
    assert len(tree(backward).faults) == last - 1


@given(st.lists(st.tuples(st.integers(1, 9), CLAIM), max_size=9))
def test_links_lead_to_cited_claims_before_and_so_never_form_a_circle(parts):
    text = "".join(f"{number}.{words}" for number, words in parts)
    claims = parse_claims(text)
    found = build_tree(claims)
    for place, (claim, node) in enumerate(zip(claims, found.nodes, strict=True)):
        assert all(parent < place for parent in node.parents)
        assert node.depth == max((found.nodes[p].depth + 1 for p in node.parents), default=0)
        assert all(claims[p].number in claim.depends_on for p in node.parents)
    for fault in found.faults:
        assert claims[fault.claim].start <= fault.start < fault.end <= claims[fault.claim].end
        assert fault.sentence.endswith(".")


@pytest.mark.parametrize("path", sorted(REFERENCES.glob("*.txt")), ids=lambda path: path.stem)
def test_the_demo_references_have_no_faults(path):
    assert tree(path.read_text(encoding="utf-8")).faults == ()
