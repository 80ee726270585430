import io
import json
import os
from pathlib import Path

import pytest

from annotator.formats.patent_ce_claims import read
from patclaimeval.text_io.text import candidate_id_of, reference_id_of

SAMPLE = os.environ.get("PATENT_CE_SAMPLE", "")


def item(reference, b, c, **fields):
    return {"gold_claim": reference, "A": b, "B": c, "human_eval": {"Quality": 1}} | fields


def references(*items):
    return list(read(io.BytesIO(json.dumps(items).encode())))


def test_items_are_grouped_by_reference_and_equal_texts_are_one_candidate():
    found = references(item("R1", "a", "b"), item("R2", "a", "c"), item("R1", "b", "R1"))
    assert [(r.reference_claims, [c.claims for c in r.candidates]) for r in found] == [
        ("R1", ["a", "b", "R1"]),
        ("R2", ["a", "c"]),
    ]


def test_ids_depend_on_the_texts_alone():
    ((one,), (two,)) = references(item("R", "a", "b")), references(item("R", "b", "a"))
    assert one.reference_id == two.reference_id == reference_id_of("R")
    assert {c.candidate_id for c in one.candidates} == {candidate_id_of("a"), candidate_id_of("b")}
    assert one.candidates == two.candidates[::-1]
    (found,) = references(item("R", "a", "a "))
    assert len({candidate.candidate_id for candidate in found.candidates}) == 2


def test_labels_may_be_absent_and_are_not_read():
    bare = item("R", "a", "b")
    del bare["human_eval"]
    assert references(bare) == references(item("R", "a", "b", human_eval={"anything": "x"}))


def test_a_file_read_in_part_leaves_no_table_open_and_can_be_read_again():
    data = io.BytesIO(json.dumps([item("R1", "a", "b"), item("R2", "a", "c")]).encode())
    assert next(read(data)).reference_claims == "R1"
    data.seek(0)
    assert len(list(read(data))) == 2


@pytest.mark.skipif(not SAMPLE, reason="PATENT_CE_SAMPLE names no file: the sample is not shipped")
def test_the_published_sample_gives_ten_references_and_ninety_six_candidates():
    with Path(SAMPLE).open("rb") as file:
        found = list(read(file))
    assert len(found) == 10
    assert sum(len(reference.candidates) for reference in found) == 96
