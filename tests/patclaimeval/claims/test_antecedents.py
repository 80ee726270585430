from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patclaimeval.claims.antecedents import (
    count_antecedents,
    find_antecedent_gaps,
)
from patclaimeval.claims.parsing import parse_claims
from patclaimeval.claims.term_changes import renamed_terms
from patclaimeval.claims.terms import find_mentions, singular
from patclaimeval.claims.tree import build_tree
from tests.amounts import tries

REFERENCES = Path(__file__).parents[3] / "fixtures" / "demo" / "references"


def terms(text):
    found = find_antecedent_gaps(text)
    assert all(text[item.start : item.end].startswith(("the ", "The ", "said ")) for item in found)
    assert all(text[item.start : item.end].endswith(item.term) for item in found)
    claims = parse_claims(text)
    return [
        (claim.number, item.term)
        for item in found
        for claim in claims
        if claim.start <= item.start < claim.end
    ]


PISTON = "1. A pump comprising a piston.\n"
SEAL = "1. A pump.\n2. The pump of claim 1, having a seal.\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1. A pump comprising a housing, wherein the piston moves.", [(1, "piston")]),
        (PISTON + "2. The pump of claim 1, wherein the piston is hollow.", []),
        (SEAL + "3. The pump of claim 1, wherein the seal is soft.", [(3, "seal")]),
        (
            SEAL + "3. The pump of claim 1 or 2.\n4. The pump of claim 3, the seal being soft.",
            [(4, "seal")],
        ),
        ("1. A pump, wherein the piston is coupled to a piston.", [(1, "piston")]),
        ("1. A pump, the piston.\n2. The pump of claim 1, the piston.", [(1, "piston")]),
        (PISTON + "2. The pump of claim 9, wherein the piston is hollow.", []),
        ("1. A pump comprising valves, wherein the valve is closed.", []),
        ("1. A system for inserting a lens.\n2. The insertion system of claim 1.", []),
        ("1. A method of heating.\n2. The method further comprises cooling.", [(2, "method")]),
    ],
    ids=[
        *(
            "nowhere",
            "in the chain",
            "outside the chain",
            "in one of several, farther up",
            "only afterwards",
        ),
        *("named once in a chain", "a broken dependency is no other fault", "plurals"),
        *("a preamble that says more", "a claim that opens with the and cites none"),
    ],
)
def test_a_term_has_basis_where_it_is_introduced_before_in_the_chain(text, found):
    assert terms(text) == found


@pytest.mark.parametrize("path", sorted(REFERENCES.glob("*.txt")), ids=lambda path: path.stem)
def test_the_demo_references_have_no_fault(path):
    text = path.read_text(encoding="utf-8")
    assert build_tree(parse_claims(text)).faults == ()
    assert find_antecedent_gaps(text) == ()
    assert renamed_terms(text) == ()


def test_phrases_must_agree_as_a_whole_to_count_as_introduced():
    text = (
        "1. A pad with a receiver coil, wherein the auxiliary coils are around the receiver coil."
    )
    assert terms(text) == [(1, "auxiliary coils")]


def test_a_qualifier_that_nothing_introduced_is_found():
    text = "1. A vehicle with an automatic drive mode.\n2. The vehicle of claim 1, leaving "
    assert terms(text + "the manual drive mode.") == [(2, "manual drive mode")]
    assert terms(text + "the drive mode.") == []
    assert terms(text + "the current drive mode.") == []
    assert terms("1. A pad with a first coil, the second coil being flat.") == [(1, "second coil")]


@pytest.mark.parametrize(
    "words",
    [
        "inserting a lens into the eye of a subject, the eye being open",
        "having a lens, the center and the edge of the lens being round",
        "measuring light in the visible region without the need for a filter",
        "heating oil, wherein the heating step ends",
        "forming an upper, wherein the formation ends",
        "transmitting data, the transmission being slow",
        "drying a film, the dried film being thin",
        "having at least one rod, the at least one rod being long",
        "having bacteria, the bacterium being dead",
        "having a lens, the lenses being flat",
        "having a layer of a first type, the layer vary",
        "having a base layer, the base layer vary with time",
        "having a nip, forming the nip therebetween",
        "having a film, moving the film away from it",
        "having a lightly doped layer, the lightly doped layer being flat",
        "using the bacterium Escherichia",
        "heating to the lowest pressure and to the respective temperature",
        "having a coil-shaped wire, the coil being round",
    ],
)
def test_these_definite_terms_need_no_other_introduction(words):
    assert terms(f"1. A thing {words}.") == []


@pytest.mark.parametrize(
    ("words", "term"),
    [
        ("having said eye of a subject", "eye"),
        ("having the at least one rod", "at least one rod"),
        ("wherein the two rods are long", "two rods"),
        ("having a portion at the port", "port"),
        ("having a film, the doped film being thin", "doped film"),
    ],
)
def test_these_definite_terms_do(words, term):
    assert terms(f"1. A thing {words}.") == [(1, term)]


def gaps(text):
    return [(gap.claim, gap.phrase, gap.path) for gap in find_antecedent_gaps(text)]


def certain(text):
    return [gap.phrase for gap in find_antecedent_gaps(text) if gap.is_certain]


PAD = "1. A pad.\n2. A pad of claim 1, with an opening.\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (PAD + "3. The pad of claim 1 or 2, the opening being round.", [(3, "the opening", (1,))]),
        (PAD + "3. The pad of any of claims 1-2, the opening.", [(3, "the opening", (1,))]),
        (PAD + "3. The pad of any preceding claim, the opening.", [(3, "the opening", (1,))]),
        (
            PAD + "3. The pad of claim 1 or 2.\n4. The pad of claim 3 or 1, the opening.",
            [(4, "the opening", (3, 1))],
        ),
        (
            PAD + "3. The pad of claim 2.\n4. The pad of claim 2 or 3, the opening.",
            [],
        ),
        (PAD + "3. A kit with the pad of claim 2 and the pad of claim 1, the opening.", []),
        (PAD + "3. A kit of claims 1 and 2, the opening being round.", []),
        (PAD + "3. The pad of claim 1 or 2, the lid.", [(3, "the lid", (1, 2))]),
        (
            PAD + "3. The pad of claim 1 or 2, the opening.\n4. The pad of claim 3, the opening.",
            [(3, "the opening", (1,))],
        ),
    ],
    ids=[
        *("or", "a range", "any preceding", "every path", "all paths", "two citations", "and"),
        *("no path", "reported in the chain"),
    ],
)
def test_a_phrase_needs_basis_on_every_claim_that_its_claim_may_depend_on(text, found):
    assert gaps(text) == found


def test_a_gap_on_some_paths_says_on_which():
    (gap,) = find_antecedent_gaps(PAD + "3. The pad of claim 1 or 2, the opening being round.")
    assert gap.is_partial and gap.is_certain
    assert gap.sentence == "\u201copening\u201d has no basis when read on claim 1"
    (gap,) = find_antecedent_gaps("1. A pad, wherein the opening is round.")
    assert not gap.is_partial and gap.path == ()
    assert gap.sentence == "\u201copening\u201d is not introduced before"


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("an entry, the use indicator and the mode indicator", ["use indicator", "mode indicator"]),
        ("a first rod, the first and second rods being long", ["second rods"]),
        ("a rod, the first, second and third rods", ["first rods", "second rods", "third rods"]),
        ("an upper lid, the upper and lower lids", ["lower lids"]),
        ("a rod and a lid, the rod, lid and bolt being long", ["bolt"]),
        ("a rod and a lid, the rod, and water flows", []),
        ("a rod and a lid, moving the rod and closing the lid", []),
    ],
)
def test_every_item_of_a_list_is_checked(words, found):
    text = f"1. A thing with {words}."
    assert [gap.phrase for gap in find_antecedent_gaps(text)] == [f"the {term}" for term in found]


def test_a_new_noun_in_a_list_with_one_article_is_less_certain():
    text = "1. A thing with an anode, the anode and separator and the lid being flat."
    assert [(gap.phrase, gap.is_certain) for gap in find_antecedent_gaps(text)] == [
        ("the separator", False),
        ("the lid", True),
    ]


@pytest.mark.parametrize(
    "words",
    [
        "a plurality of lids, each lid, the lid, the lids, the plurality of lids being flat",
        "one or more lids, the lid, the one or more lids being flat",
        "at least one lid, the at least one lid being flat",
        "a rod, lids and a bolt, wherein the lid and the bolt are flat",
        "a first lid and a second lid, the first lid, the second lid, the lid being flat",
        "first and second lids, the second lid being flat",
        "a first and a second upper lid, the second lid being flat",
        "a second, different lid, the second lid being flat",
        "a central processing unit (CPU), wherein the CPU is fast",
        "a first user interface (UI), wherein the first UI is shown",
        "a first flip-flop, the first flip flop being fast",
        "an offset, if the offset falls below a limit",
        "a pump, the insertion device, as it inserts",
        "a ring visible to a user, wherein the ring shines",
        "a rod along the axial direction, the user holding the upper part",
        "a respiratory probe, the respiration probe being small",
        "a CMTS, each of the CMTSs being fast",
        "a gene encoding the protein having the amino acid sequence of SEQ ID NO: 1",
        "a focal length, where f is the focus",
        "lids that are fixed, the fixed and loose lids",
    ],
)
def test_these_phrases_have_basis(words):
    assert certain(f"1. A thing for inserting, a device and loose parts, with {words}.") == []


@pytest.mark.parametrize(
    ("words", "phrase"),
    [
        (
            "a second upper film, a light-emitting film, the second light-emitting film",
            "the second light-emitting film",
        ),
        ("a first rod and a second lid, the second rod being long", "the second rod"),
        ("a pump with two ends, the bit body having an axis", "the bit body"),
        ("an image, the carrying part being long", "the carrying part"),
        ("an image, the first user being old", "the first user"),
        ("a path in a first direction, along the second direction", "the second direction"),
    ],
)
def test_these_phrases_have_none(words, phrase):
    assert certain(f"1. A thing with {words}.") == [phrase]


@pytest.mark.parametrize(
    ("words", "phrase"),
    [
        ("a valve housing, wherein the valve is open", "the valve"),
        ("an upper wall and a lid, wherein the upper lid is flat", "the upper lid"),
        ("lids, wherein the first lid is flat", "the first lid"),
        ("a form, sending the signed form", "the signed form"),
        ("a touchscreen, tapping the touch screen", "the touch screen"),
        ("a micro-processor, starting the microprocessor", "the microprocessor"),
    ],
)
def test_a_phrase_that_resembles_an_earlier_one_is_less_certain(words, phrase):
    found = find_antecedent_gaps(f"1. A thing with {words}.")
    assert [(gap.phrase, gap.is_certain) for gap in found] == [(phrase, False)]


def test_phrases_that_a_citation_names_are_no_gaps():
    assert gaps("1. A pump.\n2. A car with the motor as claimed in any one of claims 1 to 1.") == []
    assert gaps("1. A pump.\n2. The motor (5) of claim 1, the rod.") == [(2, "the rod", (1,))]


def test_hundreds_of_claims_that_depend_on_all_before_come_to_an_end():
    many = range(2, tries(3000))
    rest = (f"{n}. The pump of any preceding claim, with a x{n}a rod.\n" for n in many)
    assert terms("1. A pump.\n" + "".join(rest)) == []
    # The number of paths doubles with every claim.
    rest = (f"{n}. The pump of any preceding claim, the x{n}a rod, the bolt.\n" for n in many)
    assert len(terms("1. A pump.\n" + "".join(rest))) >= len(many)
    assert len(terms("1. A pump " + "wherein the rod is a bar " * tries(20_000))) == 1
    assert terms("1. A pump with " + "the first, " * tries(10_000)) == []


def test_mentions_carry_article_term_and_span():
    text = "A pump with the flexible diaphragm clamped in said housing"
    found = find_mentions(text)
    assert [(item.article, item.term) for item in found] == [
        ("a", "pump"),
        ("the", "flexible diaphragm"),
        ("said", "housing"),
    ]
    assert [text[item.start : item.end] for item in found][1] == "the flexible diaphragm"
    assert [item.is_definite for item in found] == [False, True, True]


def test_the_heads_are_the_nouns_before_a_verb_and_those_in_ing():
    (mention,) = find_mentions("the pressure sensor rises")
    (in_ing,) = find_mentions("the pump housing")
    assert "sensor" in mention.heads and in_ing.heads == ("housing",)


PLURALS = "valves valve, boxes box, batteries battery, glass glass, axis axis, lens lens, "
PLURALS += "lenses lens, bacteria bacterium, gases gas, indices index"


@pytest.mark.parametrize("plural_and_one", PLURALS.split(", "))
def test_plurals_are_folded(plural_and_one):
    plural, one = plural_and_one.split()
    assert singular(plural) == one


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("the at least one valve, said plurality of rods", ["valve", "rods"]),
        ("the signal received by it", ["signal"]),
        ("the lightly doped layer", ["lightly doped layer"]),
        ("the member axially moving", ["member"]),
        ("the valve assembly", ["valve assembly"]),
        ("the nip therebetween", ["nip"]),
        ("the display different from it", ["display"]),
        ("the power feed unit", ["power feed unit"]),
        ("the protrusions deflect when", ["protrusions"]),
        ("the protrusions engage the lid", ["protrusions", "lid"]),
        ("the arms support the plate", ["arms", "plate"]),
        ("the valve opens.", ["valve"]),
        ("the unit stores its file", ["unit"]),
        ("the control signals are", ["control signals"]),
        ("the wall surrounding the lid", ["wall", "lid"]),
        ("the disk rotating in", ["disk"]),
        ("the roller bearing in", ["roller bearing"]),
        ("the ports connectable to", ["ports"]),
        ("the plane orthogonal to", ["plane"]),
        ("the upper portions each", ["upper portions"]),
        ("the H2O sensor", ["h2o sensor"]),
        ("the long range radio link unit", ["long range radio link unit"]),
    ],
)
def test_a_term_ends_where_its_noun_ends(text, terms):
    found = find_mentions(text)
    assert [item.term for item in found] == terms
    assert all(item.is_definite for item in found)


@given(st.text(alphabet="the aseid,.- \n"))
def test_spans_lie_inside_any_text(text):
    for mention in find_mentions(text):
        assert 0 <= mention.start < mention.end <= len(text)
        assert text[mention.start : mention.end].lower().startswith(mention.article)


def test_definite_phrases_and_those_without_basis_are_counted():
    assert count_antecedents("1. A pump with a rod, the rod and the lid, the lid.") == (3, 1)
    assert count_antecedents("") == (0, 0)
