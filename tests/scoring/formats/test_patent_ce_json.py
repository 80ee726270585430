import json
import os
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from patclaimeval.models.data import PUBLISHED_CRITERIA
from patclaimeval.rubric import ALL_CRITERIA
from patclaimeval.text_io.streams import FormatError
from scoring.formats.patent_ce_json import read, write
from tests.scoring.formats.golden_rows import ROWS, golden

ITEMS: list[dict[str, Any]] = [
    {
        "gold_claim": "1. A cup\u2028 e\u0301.",
        "A": "1. A mug.",
        "B": "1. A \U0001f600 bowl.",
        "human_eval": {"Quality": -1},
    },
    {
        "gold_claim": "1. A cup.",
        "A": "1. A cup.",
        "B": "1. A bowl.",
        "human_eval": {"Completeness": 1, "Clarity": 0, "Consistency": 0, "Linkage": -1},
    },
]


def content(*items: Any) -> bytes:
    return json.dumps(list(items), ensure_ascii=False).encode()


def refusal(data: bytes) -> str:
    with pytest.raises(FormatError) as caught:
        list(read(BytesIO(data)))
    return caught.value.sentence


def test_the_files_own_a_and_b_are_our_b_and_c() -> None:
    row = next(read(BytesIO(content(ITEMS[0]))))
    assert [row.reference, row.b, row.c] == [ITEMS[0][key] for key in ("gold_claim", "A", "B")]
    assert row.y == {"overall_quality": -1}


def test_every_criterion_has_its_published_name() -> None:
    assert set(PUBLISHED_CRITERIA.values()) == set(ALL_CRITERIA)
    row = next(read(BytesIO(content(ITEMS[1]))))
    assert row.y == {
        "feature_completeness": 1,
        "conceptual_clarity": 0,
        "terminology_consistency": 0,
        "logical_linkage": -1,
    }
    assert list(row.extras["flags"]) == ["B equals the reference"]


def test_writing_what_was_read_gives_equal_values_in_order() -> None:
    written = b"".join(write(read(BytesIO(content(*ITEMS)))))
    assert json.loads(written) == ITEMS
    assert b"".join(write(read(BytesIO(written)))) == written


def test_the_golden_file_is_written_and_read_with_its_texts() -> None:
    assert b"".join(write(ROWS)) == golden("patent-ce.json")
    found = list(read(BytesIO(golden("patent-ce.json"))))
    assert [(row.reference, row.b, row.c, row.y) for row in found] == [
        (row.reference, row.b, row.c, row.y) for row in ROWS
    ]


def test_no_rows_are_an_empty_array() -> None:
    assert json.loads(b"".join(write([]))) == []


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (content(), "0 records"),
        (b"", "0 records"),
        (content({**ITEMS[0], "C": "x"}), "field C: unknown field"),
        (content({**ITEMS[0], "human_eval": {"quality": 1}}), "is no criterion"),
        (
            content(ITEMS[1], ITEMS[0] | {"human_eval": {"Quality": 1.0}}),
            "item 2, field human_eval.Quality: a label is 1, 0 or -1",
        ),
        (content({**ITEMS[0], "gold_claim": ""}), "field gold_claim: empty"),
        (content(*ITEMS)[:-1], "not closed"),
        (content(*ITEMS) + b"[]", "goes on after the end"),
        (json.dumps(ITEMS[0]).encode(), "does not hold a JSON array"),
        (content("text"), "an object was expected, not a text"),
    ],
)
def test_a_file_that_is_not_what_it_says_is_refused_in_a_sentence(data, expected) -> None:
    assert expected in refusal(data)


def test_the_published_sample_is_read_whole_and_written_with_equal_values() -> None:
    given = os.environ.get("PATENT_CE_SAMPLE")
    if not given:
        pytest.skip("PATENT_CE_SAMPLE names no published file")
    data = Path(given).read_bytes()
    rows = list(read(BytesIO(data)))
    assert len(rows) == 95
    assert len({row.reference for row in rows}) == 10
    assert {key for row in rows for key in row.y} == {"overall_quality"}
    assert json.loads(b"".join(write(rows))) == json.loads(data)
