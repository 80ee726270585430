import json
from io import BytesIO
from typing import Any

import pytest

from patclaimeval.text_io.streams import FormatError, ReadNotes
from scoring.formats import dataset_files
from scoring.quadruplets import DatasetRow


def annotation(**more: Any) -> dict[str, Any]:
    claims = "2. The cup of claim 1, wherein it is {}."
    texts = {"output1": claims.format("red"), "output2": claims.format("blue")}
    times = {"created_at": "2024-03-22T16:32:50Z", "updated_at": "2024-03-22T16:33:50Z"}
    own = {"input_claim": "1. A cup.", "annotator": 3, "annotation_id": 1}
    return own | texts | times | more


def read(*items: dict[str, Any]) -> list[DatasetRow]:
    return list(dataset_files.read(BytesIO(json.dumps(items).encode()), ReadNotes()))


@pytest.mark.parametrize(
    ("comparison", "label"),
    [
        ({"comparison": [{"selected": "left"}]}, 1),
        ({"comparison": [{"selected": "right"}]}, -1),
        *(({"comparison": []}, 0), ({"comparison": None}, 0), ({}, 0)),
    ],
    ids=["left", "right", "empty", "null", "absent"],
)
def test_an_absent_comparison_is_a_tie(comparison, label) -> None:
    (row,) = read(annotation(**comparison))
    assert row.y == {"overall_quality": label}
    assert (row.b[-5:], row.c[-6:]) == (" red.", " blue.")
    assert row.annotator == "label-studio-3"
    assert row.provenance == {"annotators": 1}


def test_two_annotators_of_one_pair_give_two_rows() -> None:
    first, second = read(annotation(), annotation(annotator=4, annotation_id=2))
    assert first.id != second.id
    assert (first.reference_id, first.b_id) == (second.reference_id, second.b_id)


def test_equal_outputs_are_flagged() -> None:
    (row,) = read(annotation(output2="2. The cup of claim 1, wherein it is red."))
    assert row.extras["flags"] == ["B equals C"]


def test_a_bad_item_is_named() -> None:
    with pytest.raises(FormatError, match=r"item 2, field output1: missing"):
        read(annotation(), {k: v for k, v in annotation().items() if k != "output1"})
