"""The claim chart as its page shows it: lines, cells, places in the texts, and the joined table."""

from annotator.claim_chart import ChartView, view_chart
from annotator.joint_chart import join_charts
from patclaimeval.claims.reading import read_pair, read_plainly

REFERENCE = (
    "1. A kettle comprising:\n"
    "a body made of steel;\n"
    "a spout joined to an upper edge of the body; and\n"
    "a lid hinged to the body opposite to the spout.\n"
    "2. The kettle of claim 1, wherein the lid has a knob made of wood."
)
# The spout has become a dependent claim, half of the lid is gone, the knob is nowhere.
CANDIDATE = (
    "1. A kettle comprising:\n"
    "a body made of steel; and\n"
    "a lid hinged to the body.\n"
    "2. The kettle of claim 1, further comprising a spout joined to an upper edge of the body.\n"
    "3. The kettle of claim 7, wherein the whistle sounds at boiling point."
)


def chart(candidate: str = CANDIDATE, name: str = "Candidate 1") -> ChartView:
    return view_chart(read_pair(REFERENCE, candidate, "en"), name)


def labels(view: ChartView) -> list[str]:
    return [line.label for group in view.rows for line in group.lines]


def test_each_limitation_of_the_reference_has_a_line_with_its_verdict():
    view = chart()
    assert [group.place.label for group in view.rows] == ["claim 1", "claim 2"]
    assert [place.label for place in view.columns] == ["claim 1", "claim 2", "claim 3"]
    found = labels(view)
    assert found[:3] == ["in claim 1", "in claim 1", "demoted to dependent claim 2"]
    assert "claim 1" in found[3] and found[-1] == "nowhere"
    lid = view.rows[0].lines[3]
    assert "opposite to the spout" in lid.reason


def test_a_cell_stands_in_the_column_of_its_claim_and_empty_ones_are_counted():
    lines = chart().rows[0].lines
    assert [(cell.before, cell.verdict) for cell in lines[1].cells] == [(0, "in")]
    assert lines[1].after == 2
    assert [(cell.before, cell.verdict) for cell in lines[2].cells] == [(1, "demoted")]
    assert lines[2].after == 1
    nowhere = chart().rows[-1].lines[-1]
    assert (nowhere.cells, nowhere.after, nowhere.places) == ((), 3, ())


def test_places_are_the_ids_of_the_claims_and_lead_back_to_the_first_line():
    view = chart()
    spout = view.rows[0].lines[2]
    assert spout.places[0].anchor == f"candidate-{CANDIDATE.index('2. The')}"
    texts = {claim.number: line for claim, line in view.candidate_texts}
    assert texts[2] == spout.anchor
    assert texts[1] == view.rows[0].lines[0].anchor
    assert view.reference_texts[0][1] == view.rows[0].lines[0].anchor
    anchors = [line.anchor for group in (*view.rows, *view.own) for line in group.lines]
    assert len(anchors) == len(set(anchors))


def test_what_the_candidate_has_of_its_own_and_took_over_is_listed():
    own = {line.limitation: line.label for group in chart().own for line in group.lines}
    assert [label for text, label in own.items() if "whistle" in text] == ["added"]
    assert any("spout" in text and "from" in label for text, label in own.items())
    assert not any("steel" in text for text in own)


def test_gaps_broken_references_and_notes_name_their_side_and_claim():
    view = chart(f"Here are the revised claims:\n{CANDIDATE}")
    assert [(one.side, one.place.label) for one in view.citations] == [("Candidate 1", "claim 3")]
    assert ("Candidate 1", "claim 3") in [(one.side, one.place.label) for one in view.antecedents]
    assert [one.side for one in view.notes] == ["Candidate 1"]


def test_texts_without_numbers_or_too_large_to_compare_have_a_view():
    bare = view_chart(read_pair("A pump with a rod.", "A pump with a rod.", "en"), "Left", "left")
    assert labels(bare) == ["in the text without a number"]
    assert view_chart(read_pair("", ""), "Left").rows == ()
    plain = view_chart(read_plainly("1. A pump.", "1. A pump.", "Too large."), "Left")
    assert (plain.notices, plain.rows, plain.reference_texts) == (("Too large.",), (), [])


def test_in_a_language_that_is_not_read_the_view_says_what_is_not_checked():
    german = (
        "1. Pumpe mit einem Gehäuse und einer Welle.\n"
        "2. Pumpe nach Anspruch 1, wobei die Welle hohl ist."
    )
    view = view_chart(read_pair(german, german, "de"), "Left")
    assert [one.partition(":")[0] for one in view.unchecked] == ["Reference", "Left"]
    assert all("German" in one for one in view.unchecked)


def test_the_joined_table_says_who_has_a_limitation_and_where():
    charts = [chart(name="Candidate 1"), chart(REFERENCE, "Candidate 2")]
    joint = join_charts(charts, ["/one/", "/two/"])
    assert [claim.place.label for claim in joint] == ["claim 1", "claim 2"]
    spout = joint[0].lines[2]
    found = [cell.line.label for cell in spout.cells if cell.line]
    assert found == ["demoted to dependent claim 2", "in claim 1"]
    assert spout.cells[0].line == charts[0].rows[0].lines[2]
    assert [cell.address for cell in spout.cells] == ["/one/", "/two/"]
    # The back-reference of claim 2 has no line where no claim corresponds to claim 2.
    lines = {line.limitation: line.cells for line in joint[1].lines}
    first, second = (cell.line for cell in lines["The kettle of claim 1,"])
    assert first is None and second is not None and second.label == "in claim 2"


def test_a_split_limitation_has_a_cell_for_each_of_its_claims():
    whole = (
        "1. A lamp comprising a bulb with curved walls of quartz glass that are sealed in a copper "
        "base by a heat cured epoxy adhesive.\n2. The lamp of claim 1, wherein it is blue."
    )
    parts = (
        "1. A lamp comprising a bulb with curved walls of quartz glass.\n"
        "2. The lamp of claim 1, wherein it is blue.\n"
        "3. The lamp of claim 1, wherein the walls are sealed in a copper base by a heat cured "
        "epoxy adhesive.\n4. The lamp of claim 1, wherein a switch is provided."
    )
    bulb = view_chart(read_pair(whole, parts, "en"), "Left").rows[0].lines[1]
    assert bulb.label == "split over claims 1, 3"
    assert [(cell.before, cell.verdict) for cell in bulb.cells] == [(0, "split"), (1, "split")]
    assert [cell.place.label for cell in bulb.cells] == ["claim 1", "claim 3"]
    assert bulb.after == 1
