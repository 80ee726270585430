"""The claim chart: where each limitation stands in the other claim set."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patclaimeval.claims.chart import read_chart
from tests.claims_in_languages import ALL, ClaimSet

REFERENCE = (
    "1. A box comprising: a base of oak; a lid hinged to the base by a brass hinge; and a latch "
    "that holds the lid against the base.\n"
    "2. The box of claim 1, wherein the hinge has a damping spring.\n"
    "3. The box of claim 2, wherein the spring is made of copper wire.\n"
    "4. The box of claim 1, further comprising a felt lining glued to the base.\n"
)


def rows(candidate: str, side: str = "reference", reference: str = REFERENCE) -> list[str]:
    """Return what differs, a line each: the claim, its limitation and the label."""
    return [
        f"{row.claim} {' '.join(row.limitation.split())} | {row.label}"
        for row in read_chart(reference, candidate).rows
        if row.side == side and row.label
    ]


def edited(*pairs: tuple[str, str]) -> str:
    text = REFERENCE
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


LID = " a lid hinged to the base by a brass hinge;"


def test_a_claim_set_has_all_of_its_limitations_where_they_were() -> None:
    assert rows(REFERENCE) == rows(REFERENCE, "candidate") == []


def test_a_limitation_moved_into_a_dependent_claim_is_demoted_there_and_not_missing() -> None:
    candidate = edited(
        (LID, ""),
        ("4. The box of claim 1, ", "4. The box of claim 1, further comprising" + LID[:-1] + ", "),
    )
    assert rows(candidate)[0] == (
        "1 a lid hinged to the base by a brass hinge; and | demoted to dependent claim 4"
    )
    assert (
        "4 further comprising a lid hinged to the base by a brass hinge, | "
        "demoted from independent claim 1"
    ) in rows(candidate, "candidate")


def test_a_limitation_of_a_dependent_claim_in_the_independent_one_is_promoted() -> None:
    candidate = edited(
        ("a base of oak;", "a base of oak; a felt lining glued to the base;"),
        ("4. The box of claim 1, further comprising a felt lining glued to the base.\n", ""),
    )
    assert rows(candidate) == [
        "4 further comprising a felt lining glued to the base. | promoted to independent claim 1"
    ]


def test_claims_made_one_are_merged() -> None:
    candidate = edited(
        ("a damping spring.\n3. The box of claim 2, wherein the spring is made of copper wire.",
         "a damping spring, wherein the spring is made of copper wire."),
        ("4. The box", "3. The box"),
    )  # fmt: skip
    (merged,) = [row for row in rows(candidate) if "merged" in row]
    assert merged.endswith("| merged into claim 2")


def test_a_limitation_in_parts_of_two_claims_is_split_over_them() -> None:
    reference = (
        "1. A pump comprising a rotor with curved blades of carbon fibre that are bonded to a "
        "titanium hub by a heat cured epoxy adhesive.\n2. The pump of claim 1, wherein a motor "
        "turns the rotor.\n"
    )
    candidate = (
        "1. A pump comprising a rotor with curved blades of carbon fibre.\n"
        "2. The pump of claim 1, wherein a motor turns the rotor.\n"
        "3. The pump of claim 1, wherein the blades are bonded to a titanium hub by a heat cured "
        "epoxy adhesive.\n"
    )
    assert rows(candidate, reference=reference) == [
        "1 a rotor with curved blades of carbon fibre that are bonded to a titanium hub by a heat "
        "cured epoxy adhesive. | split over claims 1, 3"
    ]


def test_what_is_lacking_of_a_limitation_is_quoted() -> None:
    candidate = edited(("a latch that holds the lid against the base", "a latch on the base"))
    row = next(row for row in read_chart(REFERENCE, candidate).rows if row.verdict == "part")
    assert row.where == (1,)
    assert (row.reason, row.scope) == ("lacks “holds the lid against”", "unsure")


@pytest.mark.parametrize(
    ("reference", "candidate", "reason", "scope"),
    [
        # Nothing else was changed, so that the claim can only be broader.
        (
            "1. A box having a lid.\n2. The box of claim 1, wherein the base is red.",
            "1. A box having a lid.\n2. The box, wherein the base is red.",
            "now independent",
            "broader",
        ),
        # What the other claim said is written out.
        (
            "1. A box having a lid.\n2. The box of claim 1, wherein the base is red.",
            "1. A box having a lid.\n2. The box, wherein the base is red, and having a blue lid.",
            "now independent",
            "unsure",
        ),
        # The words stand in another limitation.
        (
            "1. A box comprising: a wall bonded to a frame of steel by cured epoxy resin; and "
            "a lid.",
            "1. A box comprising: a wall bonded to a frame of steel; a lid fixed by epoxy resin "
            "that is cured.",
            "“cured” elsewhere or in other words",
            "unsure",
        ),
        # A product is compared with the method of making it.
        (
            "1. A box comprising: a wall of thick glass; and a lid of tin.",
            "1. A method comprising: a wall of glass; and a lid of tin.",
            "“thick” dropped",
            "unsure",
        ),
    ],
)
def test_one_doubt_and_a_limitation_is_called_changed(reference, candidate, reason, scope):
    found = [row for row in read_chart(reference, candidate).rows if row.reason == reason]
    assert [row.scope for row in found] and {row.scope for row in found} == {scope}


def test_what_stands_nowhere_is_said_to_and_what_is_new_is_added() -> None:
    candidate = edited((LID, " a drawer that slides on two rails;"))
    assert "1 a lid hinged to the base by a brass hinge; and | nowhere" in rows(candidate)
    assert "1 a drawer that slides on two rails; and | added" in rows(candidate, "candidate")


def test_a_limitation_in_other_words_is_not_said_to_be_nowhere() -> None:
    candidate = edited((LID, " a cover with a brass hinge at the base;"))
    assert "1 a lid hinged to the base by a brass hinge; and | similar words in claim 1" in rows(
        candidate
    )


def test_a_limitation_that_is_repeated_in_a_dependent_claim_is_not_demoted() -> None:
    candidate = edited(("4. The box of claim 1, ", "4. The box of claim 1, further having" + LID))
    found = rows(candidate, "candidate")
    assert found == ["4 further having a lid hinged to the base by a brass hinge; | from claim 1"]


def test_a_thing_with_the_device_of_another_claim_was_not_moved_out_of_it() -> None:
    reference = (
        "1. A method for cooling a motor, comprising: pumping oil through the motor.\n"
        "2. A cooling device for a motor, which is configured to perform the method of claim 1.\n"
    )
    candidate = reference + (
        "3. A vehicle, comprising: a cooling device for a motor according to claim 2; and a "
        "radiator.\n"
    )
    found = [row for row in rows(candidate, "candidate", reference) if "a cooling device" in row]
    assert found and not [row for row in found if "demoted" in row or "not for a" in row]


def test_an_added_claim_says_what_it_takes_over() -> None:
    candidate = REFERENCE + "5. A tray, comprising: a felt lining glued to the base.\n"
    assert rows(candidate) == []
    found = rows(candidate, "candidate")
    assert any("5 a felt lining glued to the base." in row and "claim 4" in row for row in found)


def test_a_renumbered_citation_of_the_corresponding_claim_is_no_change() -> None:
    head, *others = REFERENCE.splitlines()
    candidate = "\n".join(
        [
            head,
            "2. The box of claim 1, further comprising a carrying handle of leather.",
            others[0].replace("2.", "3.", 1),
            others[1].replace("3.", "4.", 1).replace("claim 2", "claim 3"),
            others[2].replace("4.", "5.", 1),
        ]
    )
    assert rows(candidate) == []


def test_a_back_reference_that_is_dropped_makes_the_claim_independent_and_broader() -> None:
    candidate = edited(("4. The box of claim 1, further", "4. A box, further"))
    assert rows(candidate)[0].endswith("| broader")
    reason = next(row.reason for row in read_chart(REFERENCE, candidate).rows if row.label)
    assert reason.startswith("now independent")


def test_what_cites_no_claim_there_is_says_nothing_of_what_it_depends_on() -> None:
    broken = edited(("The box of claim 2", "The box of claim 9"))
    assert rows(broken) == ["3 The box of claim 2, | changed"]
    assert rows(broken, reference=broken) == []


def test_articles_forms_and_signs_are_differences_of_their_own_classes() -> None:
    candidate = edited(("a felt lining glued", "the felt linings (5) glued"))
    (row,) = [
        r for r in read_chart(REFERENCE, candidate).rows if r.side == "candidate" and r.differences
    ]
    found = [(candidate[start:end], str(change)) for start, end, change in row.differences]
    assert found == [("the", "articles"), ("linings", "forms"), ("(5)", "signs")]
    assert row.label == ""


def test_a_claim_of_blanks_has_no_row() -> None:
    assert rows(REFERENCE + "5. ") == rows(REFERENCE + "5. ", "candidate") == []


def test_a_place_in_which_thousands_of_limitations_stand_is_called_changed() -> None:
    parts = [f"a wheel {n} of stone{n} on axle{n}" for n in range(400)]
    reference = "1. A mill comprising: " + "; ".join(parts) + "."
    found = rows("1. A mill comprising: " + " beside ".join(parts) + ".", reference=reference)
    assert {line.rpartition("| ")[2] for line in found} == {"changed"}


def test_a_cancelled_claim_and_chatter_are_notes_and_no_rows() -> None:
    reference = REFERENCE + "5. (canceled)\n"
    candidate = "Here are the revised claims:\n" + REFERENCE
    chart = read_chart(reference, candidate)
    assert [row.label for row in chart.rows if row.label] == []
    assert len(chart.notes) == 2


def test_a_renamed_term_is_one_entry_of_the_ledger_and_no_lack() -> None:
    candidate = REFERENCE.replace("hinge", "joint").replace("jointd", "hinged")
    chart = read_chart(REFERENCE, candidate)
    assert [(term.reference, term.candidate, str(term.verdict)) for term in chart.terms] == [
        ("hinge", "joint", "renamed")
    ]
    assert not [row.label for row in chart.rows if row.verdict != "in"]


def test_broken_citations_and_missing_antecedents_are_of_their_side() -> None:
    candidate = edited(("The box of claim 2", "The box of claim 9"), ("a latch", "the latch"))
    chart = read_chart(REFERENCE, candidate)
    assert not chart.citations["reference"] and not chart.antecedents["reference"]
    assert [fault.number for fault in chart.citations["candidate"]] == [3]
    assert "the latch" in [gap.phrase for gap in chart.antecedents["candidate"]]


@pytest.mark.parametrize("claim_set", ALL, ids=lambda one: one.language)
def test_in_every_language_a_set_stands_in_itself(claim_set: ClaimSet) -> None:
    chart = read_chart(claim_set.text, claim_set.text)
    assert not [row for row in chart.rows if row.label]


PIECES = st.sampled_from(
    [
        *("1. ", "2. ", "3) ", "Claim 4 ", "A pump", " comprising ", "a rotor; ", "the rotor", "."),
        *(" of claim 1", " of claims 2 to 5", " of any preceding claim", "\n", "\r\n", "\t", " "),
        *("\x00", "\u202e", "\u200b", "<b>", "一种泵", "。", "(canceled)", "wherein the rotor "),
    ]
)
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=30).map("".join))


@given(TEXTS, TEXTS)
def test_rows_quote_both_texts_and_the_document_is_json(reference: str, candidate: str) -> None:
    chart = read_chart(reference, candidate)
    texts = {"reference": reference, "candidate": candidate}
    for row in chart.rows:
        other = texts["candidate" if row.side == "reference" else "reference"]
        assert texts[row.side][row.start : row.end] == row.limitation
        assert all(other[start:end].strip() for start, end in row.places)
        assert all(row.start <= start < end <= row.end for start, end, _ in row.differences)
        assert row.verdict == "nowhere" or row.where
    json.dumps(chart.as_json())
    assert all(isinstance(line, str) for line in chart.lines())


@given(TEXTS)
def test_nothing_is_said_of_a_text_beside_itself(text: str) -> None:
    assert not [row for row in read_chart(text, text).rows if row.label]
