import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.formats.claims_csv import COLUMNS, MOST_CHARACTERS, read
from patclaimeval.documents.references import CandidateRecord, ReferenceRecord
from patclaimeval.text_io.streams import FormatError, ReadNotes
from patclaimeval.text_io.text import is_formula

GOLDEN = Path(__file__).parent / "golden"
HEADER = "reference_id,reference_claims,candidate_id,claims"
NAMES = (*HEADER.split(","), "system", "office", "title", "draft_claims", "may_train")
CLAIMS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])).map(
    lambda t: "1. A" + t
)
ANY_TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])).map(
    lambda t: t + "A"
)
DELIMITERS = st.sampled_from(",;\t|")
MUG = "=1. A mug."
ENDS = st.sampled_from(["\n", "\r\n"])


def table(*rows, header=HEADER):
    return "\n".join((header, *rows)).encode() + b"\n"


def references(data, notes=None):
    return list(read(io.BytesIO(data), notes))


def problems(data):
    with pytest.raises(FormatError) as caught:
        references(data)
    return [(bad.line, bad.field, bad.reason) for bad in caught.value.bad_records]


def written(references, delimiter=",", end="\n", *, repeats=True):
    """Write references as a spreadsheet program would, marks before formulas included."""
    file = io.StringIO(newline="")
    # Before 3.13 Python's own writer leaves a lone CR unquoted where lines end in LF.
    quoting = csv.QUOTE_ALL if "\\r" in repr(references) else csv.QUOTE_MINIMAL
    sheet = csv.writer(file, delimiter=delimiter, lineterminator=end, quoting=quoting)
    sheet.writerow([*NAMES, "apostrophe_put_before"])
    for reference in references:
        of_reference = {n: getattr(reference, n, "") for n in NAMES}
        of_reference["may_train"] = {True: "yes", False: "no", None: ""}[reference.may_train]
        for place, candidate in enumerate(reference.candidates):
            cells = dict.fromkeys(NAMES, "") if place and not repeats else dict(of_reference)
            cells |= {n: getattr(candidate, n) for n in ("candidate_id", "claims", "system")}
            marked = [name for name, text in cells.items() if is_formula(text)]
            cells |= {name: "'" + cells[name] for name in marked}
            sheet.writerow([*(cells[name] for name in NAMES), " ".join(marked)])
    return file.getvalue().encode()


@pytest.mark.parametrize("name", ["excel.csv", "pandas.csv"])
def test_golden_files_are_read_as_what_they_say(name):
    notes = ReadNotes()
    found = references((GOLDEN / name).read_bytes(), notes)
    assert found == [
        ReferenceRecord(
            "EP1",
            '1. A pump; with a seal.\n2. The pump of claim 1, "sealed".',
            (CandidateRecord("c1", "1. A pump.", "gpt-4"), CandidateRecord("c2", "1. A pümp.")),
            office="EPO",
            ipc="F04D 29/08",
            title="P\u00fcmp",
            may_train=True,
        ),
        ReferenceRecord("EP2", "1. A cup.", (CandidateRecord("c1", MUG),), may_train=False),
    ]
    lines = {"excel.csv": [2, 5], "pandas.csv": [2, 6]}
    assert [reference.line for reference in found] == lines[name]
    assert notes.has_bom == (name == "excel.csv")
    assert notes.records == 3


@given(CLAIMS, CLAIMS, ANY_TEXT, DELIMITERS, ENDS, st.booleans())
def test_texts_come_out_byte_for_byte(claims, other, title, delimiter, end, repeats):
    wanted = [
        ReferenceRecord(
            "EP1",
            claims,
            (CandidateRecord("c1", other, "=s"), CandidateRecord("c2", claims)),
            title=title[:500],
            draft_claims=other,
            may_train=None,
        ),
        ReferenceRecord("EP2", other, (CandidateRecord("c1", title),), may_train=False),
    ]
    assert references(written(wanted, delimiter, end, repeats=repeats)) == wanted


def test_a_frame_of_pandas_is_read(tmp_path):
    pandas = pytest.importorskip("pandas")
    claims = '1. A\u2028 "cup",\n2.'
    candidates = [("c1", "1. A\r\nmug"), ("c2", "1. A jug")]
    names = ("reference_id", "reference_claims", "candidate_id", "claims", "may_train")
    rows = [dict(zip(names, ("EP1", claims, *one, True), strict=True)) for one in candidates]
    path = tmp_path / "claims.csv"
    pandas.DataFrame(rows).to_csv(path, index=False)
    assert references(path.read_bytes()) == [
        ReferenceRecord(
            "EP1", claims, tuple(CandidateRecord(*one) for one in candidates), may_train=True
        )
    ]
    pandas.DataFrame(rows).to_csv(path)
    ((line, field, reason),) = problems(path.read_bytes())
    assert (line, field, "index=False" in reason) == (1, "", True)


def test_columns_may_stand_in_any_order_and_every_one_is_read():
    names = sorted(COLUMNS - {"apostrophe_put_before"})
    cells = {name: name[:2] + "x" for name in names} | {"may_train": "FALSE"}
    (found,) = references(table(",".join(cells[n] for n in names), header=",".join(names)))
    assert (found.office, found.ipc, found.language, found.title) == ("ofx", "ipx", "lax", "tix")
    assert (found.family, found.draft_claims, found.may_train) == ("fax", "drx", False)
    assert found.candidates == (CandidateRecord("cax", "clx", "syx"),)


WRONG = {
    "unknown, doubled and missing columns": (
        table(header="reference_id,scroe,reference_id,claims,candidate_id"),
        (1, "scroe", "unknown column"),
        (1, "reference_id", "this column stands twice"),
        (1, "reference_claims", "this column is missing"),
    ),
    "a reference that comes again further down": (
        table("r1,1. A.,c1,1. B.", "r2,1. A.,c1,1. B.", "r1,1. A.,c2,1. B."),
        (4, "reference_id", "'r1' stands on line 2 already"),
    ),
    "a candidate that stands twice": (
        table("r1,1. A.,c1,1. B.", ",,c1,1. C."),
        (3, "candidate_id", "'c1' stands twice in this reference"),
    ),
    "broken records beside wrong fields": (
        table('r1,1. A.,c1,"a"b', "r2,1. A.,,1. B.").replace(b"1. B.", b"1. \xe9."),
        *((2, "", "quote"), (3, "", "0xE9 is not UTF-8")),
    ),
    "an encoded surrogate": (
        table("r1,1. A.,c1,x").replace(b"x", b"\xed\xa0\x80"),
        (2, "", "0xED is not UTF-8"),
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_named_by_line_and_field(what):
    data, *expected = WRONG[what]
    found = problems(data)
    assert [bad[:2] for bad in found] == [bad[:2] for bad in expected]
    for bad, wanted in zip(found, expected, strict=True):
        assert wanted[2] in bad[2]


def test_rows_of_one_reference_leave_out_or_repeat_what_it_is():
    data = table("r1,1. A.,c1,1. B.", ",,c2,1. C.", "r1,,c3,1. D.", "r1,1. A.,c4,1. E.")
    (found,) = references(data)
    assert [c.candidate_id for c in found.candidates] == ["c1", "c2", "c3", "c4"]
    assert problems(table("r1,1. A.,c1,1. B.", "r1,1. A. ,c2,1. C.")) == [
        (3, "reference_claims", "differs from line 2, the same reference")
    ]
    assert problems(table(",1. A.,c1,1. B."))[0] == (2, "reference_id", "empty")


@pytest.mark.parametrize(
    ("rows", "candidates", "repeats"),
    [
        (("r1,1. A.,c1,1. B.", ",,c1,1. B.", ",,c2,1. C."), ["c1", "c2"], 1),
        (("r1,1. A.,c1,1. B.", "r1,1. A.,c1,1. B."), ["c1"], 1),
        (("r1,1. A.,c1,1. B.", "r2,1. A.,c9,1. B.", "r1,1. A.,c1,1. B."), ["c1", "c9"], 1),
        (("r1,1. A.,c1,1. B.", ",,c2,1. C.", "r2,1. A.,c9,1. B.") * 2, ["c1", "c2", "c9"], 3),
    ],
)
def test_rows_that_only_repeat_an_earlier_one_are_counted_and_taken_once(rows, candidates, repeats):
    notes = ReadNotes()
    found = list(read(io.BytesIO(table(*rows)), notes))
    assert [c.candidate_id for one in found for c in one.candidates] == candidates
    assert notes.duplicates == repeats


@pytest.mark.parametrize("claims", ["", "  ", '"\n"', "\u200b"])
def test_claims_that_show_nothing_are_refused(claims):
    data = table(f"r1,{claims},c1,1. A.", f"r2,1. A.,c1,{claims}")
    assert [field for _, field, _ in problems(data)] == ["reference_claims", "claims"]


@pytest.mark.parametrize(
    ("text", "meant"), [("yes", True), ("True", True), ("no", False), ("FALSE", False), ("", None)]
)
def test_may_train_is_yes_no_true_or_false(text, meant):
    header = f"{HEADER},may_train"
    (found,) = references(table(f"r1,1. A.,c1,1. B.,{text}", header=header))
    assert found.may_train is meant
    for wrong in ("1", "0", "y", "wahr", "yes "):
        ((_, field, _),) = problems(table(f"r1,1. A.,c1,1. B.,{wrong}", header=header))
        assert field == "may_train"


def test_an_apostrophe_is_dropped_only_where_the_row_says_that_it_was_put_there():
    header = f"{HEADER},apostrophe_put_before"
    notes = ReadNotes()
    data = table("r1,'=A,c1,'=B,claims", ",,c2,'B,", header=header)
    (found,) = references(data, notes)
    assert found.reference_claims == "'=A"
    assert [c.claims for c in found.candidates] == ["=B", "'B"]
    assert any(sentence.startswith("1 cells begin with an apostrophe") for sentence in notes.extra)
    wrong = table("r1,1. A.,c1,1. B.,claims no", header=header)
    assert [(line, field) for line, field, _ in problems(wrong)] == [
        (2, "claims"),
        (2, "apostrophe_put_before"),
    ]


def test_a_cell_as_long_as_a_spreadsheet_can_hold_is_noted():
    notes = ReadNotes()
    references(table("r1,1. A.,c1," + "x" * 32_767), notes)
    assert any("32,767 characters" in sentence for sentence in notes.sentences())


def test_a_cell_longer_than_the_limit_of_python_is_read():
    (found,) = references(table("r1,1. A.,c1," + "x" * 200_000))
    assert len(found.candidates[0].claims) == 200_000


def test_a_reference_without_end_is_refused(monkeypatch):
    monkeypatch.setattr("annotator.formats.claims_csv.MOST_CHARACTERS", 1_000)
    with pytest.raises(FormatError, match="more than 1,000 characters"):
        references(table("r1,1. A.,c0,1. B.", *(f",,c{n},{'x' * 99}" for n in range(1, 20))))
    assert MOST_CHARACTERS > 4 * 1024 * 1024


def test_bad_rows_are_listed_up_to_a_hundred_and_good_ones_before_are_given():
    rows = ["r0,1. A.,c1,1. B.", "r1,1. A.,c1,1. B.", *(f"x{n},,c1,1. B." for n in range(200))]
    stream = read(io.BytesIO(table(*rows)))
    assert next(stream).reference_id == "r0"
    with pytest.raises(FormatError) as caught:
        list(stream)
    assert [bad.line for bad in caught.value.bad_records] == list(range(4, 104))


@given(st.integers(0, 400))
def test_a_file_that_was_cut_off_is_refused_or_lacks_its_end(length):
    wanted = [
        ReferenceRecord(f"EP{n}", 'a "b"\nc', (CandidateRecord("c1", "d;e"),), may_train=True)
        for n in range(5)
    ]
    data = written(wanted, ";")
    try:
        found = references(data[:length])
    except FormatError:
        return
    names = [f"EP{number}" for number in range(len(found))]
    assert [reference.reference_id for reference in found] == names and len(names) <= 5
