import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patclaimeval.claims.parsing import parse_claims
from patclaimeval.claims.tree import FaultKind, build_tree, find_circles
from tests.amounts import tries

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


@pytest.mark.parametrize(
    ("text", "fault", "sentence"),
    [
        (
            "1. A pump.\n2. The pump of claim 9.",
            (FaultKind.UNKNOWN, 1, 9, "9"),
            "Claim 2 cites claim 9, which does not exist.",
        ),
        (
            "1. A pump.\n2. The pump of claims 1 to 2.",
            (FaultKind.SELF, 1, 2, "2"),
            "Claim 2 cites itself.",
        ),
        (
            "1. A pump.\n2. The pump of claim 3.\n3. The pump of claim 1.",
            (FaultKind.FORWARD, 1, 3, "3"),
            "Claim 2 cites claim 3, which stands after it.",
        ),
        (
            "1. A pump of claim 4.\n2. It of claim 1.\n3. It of claim 2.\n4. It of claim 3.",
            (FaultKind.CIRCULAR, 0, 4, "4"),
            "Claim 1 cites claim 4, which itself depends on claim 1.",
        ),
        (
            "1. A pump according to any preceding claim.",
            (FaultKind.UNKNOWN, 0, None, "preceding claim"),
            "Claim 1 cites the claims before it, but there are none.",
        ),
    ],
    ids=["unknown", "itself", "later", "in a circle", "nothing precedes"],
)
def test_a_citation_that_cannot_be_is_a_fault_with_place_and_gives_no_link(text, fault, sentence):
    assert faults(text) == [fault]
    assert tree(text).faults[0].sentence == sentence
    cited = fault[2] and fault[2] - 1
    assert cited not in tree(text).nodes[fault[1]].parents


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
    assert faults("1-3. (canceled) 4. A pump. 5. The pump of claim 4.") == []
    sentences = [item.sentence for item in tree("1. A.\n3. A.\n3. A.\n7. A.\n5. A.").faults]
    assert sentences == [
        "Number 2 is missing before claim 3.",
        "Number 3 is used for more than one claim.",
        "Numbers 4 to 6 are missing before claim 7.",
        "Claim 5 stands after a claim with a higher number.",
    ]


@pytest.mark.parametrize(
    ("text", "parents"),
    [
        ("1. A.\n2. A fan.\n2. The fan of claim 2.\n3. The fan of claim 2.", [(), (), (1,), (2,)]),
        ("1-3. (canceled) 4. A pump. 5. The pump of claim 4.", [(), (), (1,)]),
        ("What is claimed is:\n1. A pump.\n2. The pump of claim 1.", [(), (), (1,)]),
        ("A pump of claim 7.", [()]),
        ("", []),
    ],
    ids=[
        *("a repeated number means the nearest before", "cancelled", "words before the first"),
        *("no number", "no text"),
    ],
)
def test_the_parents_of_unusual_claims(text, parents):
    found = tree(text)
    assert [node.parents for node in found.nodes] == parents


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


LINKS = st.lists(st.lists(st.integers(0, 6), max_size=3), min_size=7, max_size=7)


def reach(out):
    """Which nodes each node reaches, by repeated squaring of the relation."""
    known = [{place, *targets} for place, targets in enumerate(out)]
    for _ in out:
        known = [set().union(*(known[item] for item in own)) for own in known]
    return known


@given(LINKS)
def test_nodes_share_a_group_when_each_reaches_the_other(out):
    group, known = find_circles(out), reach(out)
    for one in range(len(out)):
        for two in range(len(out)):
            together = two in known[one] and one in known[two]
            assert (group[one] == group[two]) == together


def test_a_ring_of_many_nodes_is_one_group():
    assert len(set(find_circles([[(place + 1) % 50_000] for place in range(50_000)]))) == 1
