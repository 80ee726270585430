"""Small texts of our own that every format must keep: quotes, line ends, letters, formulas."""

from pathlib import Path
from typing import Final

from scoring.quadruplets import DatasetRow

GOLDEN: Final = Path(__file__).with_name("golden")
LID: Final = '1. A cup comprising a body, a handle and a lid of 3" width.\r\n2. The cup of claim 1.'
MUG: Final = "1. Ein Becher mit Griff\u2028und De\u0301ckel \U0001f375, \u8336\u676f."
FORMULA: Final = '=HYPERLINK("http://a.example","1. A bowl.")'
ROWS: Final = (
    DatasetRow(
        *("q1", "EP1", LID, MUG, FORMULA, "-b", "c2"),
        y={"feature_completeness": 1, "overall_quality": -1},
        split="train",
        provenance={
            "policy": "settled",
            "rubric_version": "1",
            "annotators": 2,
            "ratings": ["r-1", "r-2"],
            "adjudications": [],
        },
        extras={
            "y_soft": {"feature_completeness": 1.0, "overall_quality": 0.25},
            "annotator": "annotator-1",
            "office": "EPO",
            "ipc": "A47G 19/22",
            "language": "de",
            "family": "+F1",
            "flags": ["B equals C"],
        },
    ),
    DatasetRow(
        *("q2", "EP2", "\t1. A dish.", "\uff1dA1", "1. A plate, round\rand flat.", "b", "c"),
        y={"logical_linkage": 0},
        split="test",
    ),
)


def golden(name: str) -> bytes:
    return (GOLDEN / name).read_bytes()
