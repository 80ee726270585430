"""Tests that edits are planted as they say, and that judged sheets are counted."""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.mark_precision import (
    Mark,
    is_row_right,
    share_with_interval,
    tally,
    write_sheet,
)
from benchmarks.marks.claim_sets import ClaimSet
from benchmarks.marks.edit_kinds import CONTROLS, EDITS
from benchmarks.marks.planting import EditKind, PlantedEdit, plant, plant_in_pairs, row
from patclaimeval.claims.chart import ChartRow

LAMP = (
    "1. A lamp comprising: a housing (10) mounted on a wall plate; a bracket connected to the"
    " housing (10) by an elongated lever; and a timer that includes a quartz clock, wherein the"
    " timer stores at least one of a day programme or a night programme, and wherein the upper rim"
    " of the wall plate carries a groove.\n"
    "2. The lamp of claim 1, wherein the bracket comprises a red diode and a blue diode.\n"
    "3. The lamp of claim 2, wherein the red diode flashes at between 10 and 20 kHz.\n"
    "4. The lamp of claim 1, wherein the housing (10) has a round slot that is lined with felt.\n"
    "5. The lamp of claim 1, further comprising a solar cell glued under the housing (10).\n"
    "6. The lamp of claim 4, wherein the housing (10) is painted white."
)


@pytest.fixture(scope="module")
def lamp() -> ClaimSet:
    return ClaimSet(LAMP)


def planted(lamp: ClaimSet, name: str) -> list[PlantedEdit]:
    kinds = [kind for kind in (*EDITS, *CONTROLS) if kind.name == name]
    return plant([lamp], kinds, 50, 1)


@pytest.mark.parametrize("kind", [*EDITS, *CONTROLS], ids=lambda kind: kind.name)
def test_each_kind_can_be_planted_and_changes_the_text(lamp: ClaimSet, kind: EditKind) -> None:
    found = plant([lamp], [kind], 50, 1)
    assert found
    for edit in found:
        assert (edit.candidate if kind.is_reversed else edit.reference) == LAMP
        assert (edit.reference == edit.candidate) == (kind.name == "unchanged")


def test_the_seed_alone_decides_what_is_planted(lamp: ClaimSet) -> None:
    first, again = (plant([lamp], EDITS, 30, 7) for _ in range(2))
    assert first == again
    assert first != plant([lamp], EDITS, 30, 8)
    assert max(Counter(edit.kind for edit in first).values()) <= 2


def test_a_moved_limitation_stands_in_the_new_claim_only(lamp: ClaimSet) -> None:
    edits = planted(lamp, "limitation into a new dependent claim")
    rim = next(edit for edit in edits if "the upper rim" in LAMP[slice(*edit.expected.span)])
    assert rim.candidate.endswith(
        "7. The lamp of claim 1, wherein the upper rim of the wall plate carries a groove."
    )
    assert rim.candidate.count("upper rim") == 1
    assert (rim.expected.verdicts, rim.expected.claim) == (("demoted",), 7)


def test_a_claim_put_in_shifts_numbers_and_citations(lamp: ClaimSet) -> None:
    edits = planted(lamp, "claim inserted, others renumbered")
    second = next(
        edit for edit in edits if "2. The lamp of claim 1, wherein the lamp" in edit.candidate
    )
    assert "3. The lamp of claim 1, wherein the bracket" in second.candidate
    assert "4. The lamp of claim 3, wherein the red diode" in second.candidate
    assert second.expected.finding == "nothing"


def test_a_reversed_edit_expects_the_opposite_scope(lamp: ClaimSet) -> None:
    (dropped,), (added,) = planted(lamp, "word dropped"), planted(lamp, "word added")
    assert "by a lever;" in dropped.candidate
    assert (dropped.expected.scopes, added.expected.scopes) == (("broader",), ("narrower",))
    assert added.reference == dropped.candidate


def test_a_lost_antecedent_is_expected_where_the_candidate_refers_to_it(lamp: ClaimSet) -> None:
    (edit,) = planted(lamp, "parent without the antecedent")
    assert "3. The lamp of claim 1, wherein the red diode" in edit.candidate
    assert edit.candidate[slice(*edit.expected.span)].startswith("the red diode")
    assert (edit.side, edit.expected.claim) == ("candidate", 3)


def test_real_candidates_are_edited_where_they_have_the_reference_s_words(lamp: ClaimSet) -> None:
    other = ClaimSet(LAMP.replace("5. The", "5. The bright").replace("quartz clock", "clock"))
    edits = plant_in_pairs([(lamp, other)], EDITS, 50, 1)
    assert {edit.reference for edit in edits} == {LAMP}
    scopes = {LAMP[slice(*e.expected.span)] for e in edits if e.kind == "number or range changed"}
    assert scopes == {"wherein the red diode flashes at between 10 and 20 kHz"}
    assert not any("clock" in LAMP[slice(*edit.expected.span)] for edit in edits)


def chart_row(verdict: str, scope: str, where: tuple[int, ...] = (1,), end: int = 10) -> ChartRow:
    return ChartRow("reference", 1, "a lid", 0, end, verdict, where, scope)  # type: ignore[arg-type]


def test_a_verdict_is_right_in_the_right_claim_and_for_most_words() -> None:
    demoted = row((0, 10), "demoted", claim=4)
    assert is_row_right(demoted, [chart_row("demoted", "same", (4,))])
    assert not is_row_right(demoted, [chart_row("demoted", "same", (3,))])
    assert not is_row_right(demoted, [chart_row("nowhere", "same", ())])
    rows = [chart_row("demoted", "same", (4,), end=10), chart_row("in", "same", end=30)]
    assert not is_row_right(demoted, rows)
    assert not is_row_right(demoted, [])


def test_a_scope_is_right_without_another_scope_and_in_the_right_claim() -> None:
    broader = row((0, 10), claim=1, scopes=("broader",))
    assert is_row_right(broader, [chart_row("in", "broader"), chart_row("in", "same")])
    assert is_row_right(broader, [chart_row("part", "broader")])
    assert not is_row_right(broader, [chart_row("in", "unsure")])
    assert not is_row_right(broader, [chart_row("in", "broader", (2,))])
    assert not is_row_right(broader, [chart_row("in", "broader"), chart_row("in", "narrower")])
    assert not is_row_right(broader, [chart_row("demoted", "broader")])


def test_a_judged_sheet_is_tallied_by_kind() -> None:
    marks = [Mark("broader", "in 1", "a lid judged: true", "## 9 x")] * 3 + [
        Mark("nowhere", "nowhere", "a hinge", "")
    ]
    sheet = write_sheet(Counter(broader=40, nowhere=7), marks)
    assert tally([sheet])["broader"].right == 0
    answers = iter(["true", "unclear", "false", "true"])
    judged = "\n".join(
        f"judged: {next(answers)}" if line == "judged:" else line for line in sheet.splitlines()
    )
    found = tally([judged, judged])
    one = found["broader"]
    assert (one.in_all, one.right, one.unclear, one.wrong) == (80, 2, 2, 2)
    assert (found["nowhere"].in_all, found["nowhere"].right) == (14, 2)
    assert share_with_interval(2, 6) == "33 % [10, 70]"
    assert share_with_interval(0, 0) == "-"
