"""The parts of a report's page, read from its document."""

from scoring.reports.page_parts import (
    breakdowns,
    calibrations,
    ceiling_figures,
    ceiling_people,
    families,
    orders,
    published,
    with_and_without,
)
from tests.scoring.report_documents import judged_document, report_document


def test_a_family_without_pairs_is_left_out() -> None:
    document = report_document()
    document["comparisons"]["families"][1]["pairs"] = []
    ((pair,),) = (family.pairs for family in families(document))
    assert (pair.first, pair.second) == ("bleu-1", "rouge-l")
    assert (pair.verdict, pair.p_holm) == ("worse", 0.03)


def test_fixed_and_calibrated_figures_stand_in_pairs() -> None:
    rows = {row.label: row for row in calibrations(report_document())}
    assert set(rows) == {"bleu-1", "rouge-l", "majority", "length"}
    row = rows["bleu-1"]
    assert [one.value for one in row.pairs[0]] == [0.26, 0.31]
    assert (row.threshold, row.over_folds) == ("0.013", "0.011 … 0.016, 5 folds")
    assert row.in_sample == 0.36


def test_a_scorer_that_was_not_calibrated_says_why() -> None:
    document = report_document()
    document["scorers"]["bleu-1"]["calibrated"] = {"reason": "Too few references."}
    row = calibrations(document)[0]
    assert row.reason == "Too few references."
    assert row.pairs[0][1].value is None


def test_figures_without_the_reference_stand_beside_all() -> None:
    rows = with_and_without(report_document())
    assert [row.label for row in rows] == ["bleu-1", "rouge-l", "majority", "length"]
    assert (rows[0].n, rows[0].n_without) == (60, 40)
    assert [one.value for one in rows[0].pairs[0]] == [0.31, 0.155]


def test_groups_have_a_cell_for_every_scorer_and_reasons_once() -> None:
    found = {one.key: one for one in breakdowns(report_document())}
    assert found["system"].reason and not found["system"].groups
    ipc = found["ipc"]
    assert ipc.names == ("bleu-1", "rouge-l")
    assert [one.value for one in ipc.groups[1].cells] == [0.1, None]
    assert ipc.undefined == ("Every label of this group is a tie.",)


def test_ours_stands_beside_the_paper_only_where_it_was_scored() -> None:
    (line,) = published(report_document())
    theirs, ours = line.pairs[0]
    assert theirs == 0.326 and ours is not None and ours.value == 0.29
    document = report_document()
    document["published"] = {"bertscore": document["published"]["bleu-1"]}
    (line,) = published(document)
    assert line.pairs[0][1] is None


def test_the_ceiling_is_told_by_figure_and_by_annotator() -> None:
    document = report_document()
    names = [name for name, _ in ceiling_figures(document)]
    assert names == ["tau-b", "tau, papers'", "accuracy", "F1 weighted"]
    assert [(who, n, one.value) for who, n, one in ceiling_people(document)] == [
        ("Annotator 1", 40, 0.57),
        ("Annotator 2", 40, 0.53),
    ]
    assert dict(ceiling_figures(document))["accuracy"].low == 0.4


def test_how_far_both_orders_agree_is_told_of_what_compares() -> None:
    assert orders(report_document()) == ()
    ((_, label, sentence),) = orders(judged_document())
    assert label == "Judge_1"
    assert sentence.endswith("in both orders on 45 of 58 items (77.6 %).")
