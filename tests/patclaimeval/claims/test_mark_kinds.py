"""Each kind of mark is listed, with whether it is shown without being asked for."""

import re
from pathlib import Path

from patclaimeval.claims import mark_kinds
from patclaimeval.claims.invisible import KIND as INVISIBLE
from patclaimeval.claims.mark_kinds import CERTAIN, KINDS, LESS_CERTAIN
from patclaimeval.claims.reading import read_pair

ROOT = Path(mark_kinds.__file__).parents[2]
TEXT = (
    "1. A pump having a lens (10) and a touchscreen that hangs in a round housing of cast iron "
    "with a hollow shaft, the lid and the touch screen, and a pushrod (10) for the skin\u200b.\n"
    "2. The valve of claim 1 with a magnet of claim 7.\n"
    "3. A pump, which is not: 2) The pump of claim 8."
)


def test_every_kind_that_a_reading_has_is_listed_once() -> None:
    names = [kind.name for kind in KINDS]
    assert len(set(names)) == len(names)
    assert all(kind.label for kind in KINDS)
    found = {finding.kind for finding in read_pair("1. A pump.", TEXT).candidate.findings}
    assert found == set(names)


def test_every_constant_of_the_module_is_a_listed_kind() -> None:
    written = {
        value for name, value in vars(mark_kinds).items() if name.isupper() and type(value) is str
    }
    assert written - {LESS_CERTAIN} == {kind.name for kind in KINDS}


def test_the_page_marks_and_walks_each_kind_and_the_less_certain_ones_on_request_only() -> None:
    style = (ROOT / "static/css/reading.css").read_text(encoding="utf-8")
    script = (ROOT / "static/js/shared/reading.js").read_text(encoding="utf-8")
    walked = re.search(r'const MARKS = "(.*)";', script)
    assert walked
    always, on_request = walked[1].split(", .shows-marks.shows-less-certain")
    for kind in KINDS:
        assert f".{kind.name}" in style, kind
        if kind.name == INVISIBLE:
            continue
        assert (f".{kind.name}" in always) == kind.is_certain, kind
        assert (f".{kind.name}" in on_request) == (not kind.is_certain), kind
    assert {kind.name for kind in KINDS if kind.is_certain} == CERTAIN
