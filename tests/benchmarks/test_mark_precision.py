"""Tests that edits are planted as they say, and that judged sheets are counted."""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.mark_precision import (
    Mark,
    check_edit,
    is_marked_elsewhere,
    is_regular,
    is_row_right,
    print_tally,
    tally,
    write_sheet,
)
from benchmarks.shared.edits import KINDS, Edit, plant
from patclaimeval.claims.chart import ChartRow, read_chart
from patclaimeval.claims.placing import Verdict
from patclaimeval.claims.scope_rules import Scope

LAMP = (
    "1. A lamp comprising: a housing (10) mounted on a wall plate; a bracket connected to the"
    " housing (10) by an elongated lever; a timer that includes a quartz clock; and a solar cell"
    " glued under the housing (10), wherein the upper rim of the wall plate carries a groove.\n"
    "2. The lamp of claim 1, wherein the bracket comprises a red diode and a blue diode.\n"
    "3. The lamp of claim 2, wherein the red diode flashes at a rate of 10 to 20 kHz when the"
    " housing (10) is dark.\n"
    "4. The lamp of claim 1, wherein the housing (10) has a round slot that is lined with felt.\n"
    "5. The lamp of claim 4, wherein the timer is set by a dial, and wherein the dial shows when"
    " the timer starts, the timer stops, and the timer rings.\n"
    "6. The lamp of claim 4, wherein the housing (10) is painted white, the timer is hidden there,"
    " and the timer is silent."
)


def plant_one(name: str, words: str) -> Edit:
    """Return the edit of a kind that has the words in its candidate."""
    edits = (edit for seed in range(9) for edit in plant([LAMP], name, 50, seed))
    return next(edit for edit in edits if words in edit.texts[1])


def test_each_kind_can_be_planted_and_changes_the_text() -> None:
    for name in KINDS:
        found = plant([LAMP], name, 50, 1)
        assert found, name
        for edit in found:
            assert LAMP in edit.texts, name
            assert (edit.texts[0] == edit.texts[1]) == (name == "unchanged"), name


def test_the_seed_alone_decides_what_is_planted() -> None:
    first = [plant([LAMP], "citation broken", 1, seed) for seed in range(9)]
    assert first == [plant([LAMP], "citation broken", 1, seed) for seed in range(9)]
    assert len({edit.texts for edits in first for edit in edits}) > 1
    assert {len(edits) for edits in first} == {1}


def test_a_moved_limitation_stands_in_the_new_claim_only() -> None:
    end = "7. The lamp of claim 1, wherein the upper rim of the wall plate carries a groove."
    edit = plant_one("limitation into a dependent claim", end)
    assert edit.texts[1].endswith(end)
    assert edit.texts[1].count("upper rim") == 1
    assert edit.texts[1][slice(*edit.places[1])] == LAMP[slice(*edit.places[0])]
    assert edit.claims == (1, 7)


def test_the_opposite_edit_swaps_texts_places_and_claims() -> None:
    (edit,) = (
        edit
        for edit in plant([LAMP], "limitation into the independent claim", 50, 1)
        if "7. The lamp of claim 1, wherein the upper rim" in edit.texts[0]
    )
    assert edit.texts[1] == LAMP
    assert edit.claims == (7, 1)
    assert edit.texts[0][slice(*edit.places[0])].startswith("wherein the upper rim")


def test_a_claim_inserted_shifts_numbers_and_citations() -> None:
    edit = plant_one(
        "claim inserted, others renumbered", "2. The lamp of claim 1, wherein a manual"
    )
    assert "3. The lamp of claim 1, wherein the bracket" in edit.texts[1]
    assert "4. The lamp of claim 3, wherein the red diode" in edit.texts[1]
    assert is_regular(edit.texts[1])


def test_a_dropped_word_leaves_the_article_that_the_noun_needs() -> None:
    edit = plant_one("word dropped", "by a lever;")
    assert LAMP[slice(*edit.places[0])] == "an elongated lever"
    assert edit.texts[1][slice(*edit.places[1])] == "a lever"


def test_an_antecedent_is_lacking_where_the_candidate_refers_to_it() -> None:
    edit = plant_one("one path without the antecedent", "3. The lamp of claim 1 or 2,")
    assert edit.texts[1][slice(*edit.places[1])].startswith("the red diode")
    assert edit.claims == (3, 3)


def test_a_number_with_a_bound_is_left_alone() -> None:
    text = LAMP.replace("10 to 20 kHz", "at least 20 kHz")
    assert plant([LAMP], "number or range changed", 9, 1)
    assert not plant([text], "number or range changed", 9, 1)


@pytest.mark.parametrize(
    ("text", "is_right"),
    [
        (LAMP, True),
        (LAMP.replace("2. The", "7. The"), False),
        (LAMP.replace("claim 2", "claim 3"), False),
    ],
)
def test_regular_claims_count_up_and_cite_earlier_ones(text: str, *, is_right: bool) -> None:
    assert is_regular(text) == is_right


def test_the_chart_of_an_edit_is_checked_against_the_expected_verdict() -> None:
    edit = plant_one("comprising -> consisting of", "A lamp consisting of")
    chart = read_chart(*edit.texts)
    assert check_edit(edit, ["narrower"], chart) == "right"
    assert check_edit(edit, ["broader"], chart) == "wrong"
    assert not is_marked_elsewhere(edit, ["narrower"], chart)
    other = read_chart(LAMP, LAMP.replace("blue", "green"))
    assert check_edit(edit, ["nothing"], other) == "wrong"


def chart_row(verdict: str, scope: str, where: tuple[int, ...] = (1,), end: int = 10) -> ChartRow:
    return ChartRow("reference", 1, "a lid", 0, end, Verdict(verdict), where, Scope(scope))


def test_a_verdict_is_right_in_the_right_claim_and_for_most_characters() -> None:
    demoted = chart_row("demoted", "same", (4,))
    assert is_row_right(["demoted"], 4, [demoted])
    assert not is_row_right(["demoted"], 3, [demoted])
    assert not is_row_right(["demoted"], 4, [chart_row("nowhere", "same", ())])
    assert not is_row_right(["demoted"], 4, [demoted, chart_row("in", "same", end=30)])
    assert not is_row_right(["demoted"], 4, [])


def test_a_scope_is_right_without_another_scope_and_in_the_right_claim() -> None:
    broader = chart_row("in", "broader")
    assert is_row_right(["broader"], 1, [broader, chart_row("in", "same")])
    assert is_row_right(["broader"], 1, [chart_row("part", "broader")])
    assert is_row_right(["broader", "part"], 1, [chart_row("part", "unsure")])
    assert not is_row_right(["broader"], 1, [chart_row("part", "unsure")])
    assert not is_row_right(["broader"], 2, [broader])
    assert not is_row_right(["broader"], 1, [broader, chart_row("in", "narrower")])
    assert not is_row_right(["broader"], 1, [chart_row("demoted", "broader")])


def test_a_judged_sheet_is_tallied_by_kind(capsys: pytest.CaptureFixture[str]) -> None:
    marks = [Mark("broader", "in 1", "a lid judged: true", "## 9 x")] * 3
    marks.append(Mark("nowhere", "nowhere", "a hinge", ""))
    sheet = write_sheet(Counter(broader=40, nowhere=7), marks)
    assert tally([sheet])["broader"] == {"in all": 40}
    answers = iter(["true", "unclear", "false", "true"])
    judged = "\n".join(
        f"judged: {next(answers)}" if line == "judged:" else line for line in sheet.splitlines()
    )
    found = tally([judged, judged])
    assert found["broader"] == {"in all": 80, "true": 2, "unclear": 2, "false": 2}
    assert found["nowhere"] == {"in all": 14, "true": 2}
    print_tally(found)
    assert "| broader | 80 | 6 | 2 | 2 | 33 % [10, 70] |" in capsys.readouterr().out
