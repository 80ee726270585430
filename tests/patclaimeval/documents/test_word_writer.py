import io
import json
import os
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from lxml import etree

from patclaimeval.claims.sides import CANDIDATE, REFERENCE
from patclaimeval.claims.tracked_changes import track_changes, unchanged
from patclaimeval.documents.reading import read_document
from patclaimeval.documents.records import ReadOptions, Severity, TrackedChanges
from patclaimeval.documents.word_writer import (
    Comment,
    UnwritableText,
    WordFile,
    first_unwritable,
    write_docx,
)
from tests.amounts import tries
from tests.patclaimeval.claims.test_tracked_changes import TEXTS
from tests.patclaimeval.documents.office_program import WORD as WORD_FORMAT
from tests.patclaimeval.documents.office_program import converted, needs_office

SAMPLE = os.environ.get("PATENT_CE_SAMPLE", "")
WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
BEFORE = "1. A pump of steel & tin, comprising:\n    a rod; and\n    a seal.\n\n2. A blue chair."
AFTER = "1. A pump of <brass>, comprising:\n    a seal.\n\n2. A boat.\n\n3. The boat of claim 2."


def written(claims, *, comments=()):
    lines = ["Reference R1"]
    marks = {"author": "Annotator 1", "date": "2026-11-26T09:30:00Z"}
    return write_docx(
        WordFile("Candidate A", lines, "Confidential", claims, comments=comments, **marks)
    )


def read(data, changes="accepted"):
    return read_document(data, "docx", ReadOptions(TrackedChanges(changes)))


def part(data, name):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return etree.fromstring(archive.read(name))


def is_writable(text):
    return first_unwritable(text) is None and text.strip()


@given(TEXTS.filter(is_writable))
def test_claims_are_read_again_to_the_byte(text):
    document = read(written(unchanged(text)))
    assert document.claims.text == text
    assert document.context == ()


@given(TEXTS.filter(is_writable), TEXTS.filter(is_writable))
def test_accepting_gives_the_candidate_and_rejecting_the_reference(reference, candidate):
    data = written(track_changes(reference, candidate))
    assert read(data).claims.text == candidate
    assert read(data, "original").claims.text == reference
    both = read(data, "both")
    assert both.claims.text == candidate
    if reference != candidate:
        assert both.draft.text == reference


@pytest.mark.skipif(not SAMPLE, reason="PATENT_CE_SAMPLE names no published file")
def test_published_claims_come_back_both_ways():
    rows = json.loads(Path(SAMPLE).read_text(encoding="utf-8"))
    for row in rows[: tries(len(rows))]:
        data = written(track_changes(row["gold_claim"], row["A"]))
        assert read(data).claims.text == row["A"]
        assert read(data, "original").claims.text == row["gold_claim"]


def test_claims_within_a_line_have_paragraphs_of_their_own_and_no_new_byte():
    data = written(unchanged("1. A pump. 2. A lamp. 3. A chair."))
    shown = ["".join(one.itertext()) for one in part(data, "word/document.xml")[0]]
    assert shown[3:] == ["1. A pump.", " 2. A lamp.", " 3. A chair.", ""]
    found = read(data).claims
    assert found.text == "1. A pump. 2. A lamp. 3. A chair."
    assert [claim.number for claim in found.claims] == [1, 2, 3]


def test_changes_bear_author_and_date_and_each_an_id_of_its_own():
    tree = part(written(track_changes(BEFORE, AFTER)), "word/document.xml")
    changes = [*tree.iter(f"{WORD}ins", f"{WORD}del")]
    assert {one.get(f"{WORD}author") for one in changes} == {"Annotator 1"}
    assert {one.get(f"{WORD}date") for one in changes} == {"2026-11-26T09:30:00Z"}
    assert len({one.get(f"{WORD}id") for one in changes}) == len(changes) > 4


def commented(tree, number):
    """Return the text between the two ends of a comment."""
    inside, words = False, ""
    for one in tree.iter():
        if one.get(f"{WORD}id") == str(number) and one.tag.startswith(f"{WORD}commentRange"):
            inside = one.tag == f"{WORD}commentRangeStart"
        elif inside:
            words += one.text or ""
    return words


def test_comments_stand_at_their_places():
    def of(side, text, words):
        start = text.index(words)
        return Comment(f"on {words}", "Annotator 1", side, start, start + len(words))

    comments = [
        Comment("on all of it\nin two lines", "Annotator 1"),
        of(CANDIDATE, AFTER, "brass"),
        of(CANDIDATE, AFTER, "boat.\n\n3. The"),
        of(REFERENCE, BEFORE, "a rod"),
        of(REFERENCE, BEFORE, "steel & tin"),
        Comment("beyond the text", "Annotator 1", CANDIDATE, 5, 999),
    ]
    data = written(track_changes(BEFORE, AFTER), comments=comments)
    tree = part(data, "word/document.xml")
    expected = ["Candidate A", "brass", "boat.3. The", "a rod", "steel & tin", "Candidate A"]
    assert [commented(tree, number) for number in range(6)] == expected
    inner = part(data, "word/comments.xml")
    assert [one.get(f"{WORD}author") for one in inner] == ["Annotator 1"] * 6
    assert ["".join(line.itertext()) for line in inner[0]] == ["on all of it", "in two lines"]
    assert "comment" in [one.kind for one in read(data).left_out]
    assert read(data).claims.text == AFTER


def test_a_comment_on_words_that_are_not_there_any_more_begins_before_it_ends():
    claims = track_changes("1. The seal, the lid.", "1. The seal, lid.", ())
    data = written(claims, comments=[Comment("gone", "Annotator 1", REFERENCE, 13, 16)])
    names = [one.tag.removeprefix(WORD) for one in part(data, "word/document.xml").iter()]
    places = [names.index(f"commentRange{end}") for end in ("Start", "End")]
    assert places == sorted(places)
    assert names.index("commentReference") > places[1]


def test_nothing_of_a_person_a_machine_or_the_moment_is_in_the_file():
    one, other = written(unchanged(AFTER)), written(unchanged(AFTER))
    assert one == other
    with zipfile.ZipFile(io.BytesIO(one)) as archive:
        assert sorted(archive.namelist()) == [
            *("[Content_Types].xml", "_rels/.rels", "docProps/app.xml"),
            *("word/_rels/document.xml.rels", "word/document.xml", "word/header.xml"),
            "word/styles.xml",
        ]
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {(e.create_system, e.external_attr, e.extra) for e in archive.infolist()} == {
            (0, archive.infolist()[0].external_attr, b"")
        }
    (program,) = part(one, "docProps/app.xml")
    assert program.text == "PatClaimEval workbench"


def test_the_notice_stands_on_each_page_and_is_no_claim():
    data = written(unchanged(AFTER))
    assert "".join(part(data, "word/header.xml").itertext()) == "Confidential"
    assert [one.kind for one in read(data).left_out] == ["header"]


@pytest.mark.parametrize("sign", ["\x00", "\x0b", "\x1f", "\ufffe", "\uffff"])
def test_a_character_that_no_document_can_hold_is_refused_with_its_code(sign):
    with pytest.raises(UnwritableText, match=rf"U\+{ord(sign):04X}"):
        written(unchanged(f"1. A pump{sign}."))
    # Beside the claims it is marked: nothing is read from there.
    assert written(unchanged("1. A pump."), comments=[Comment(f"a{sign}", "Annotator 1")])


def test_lines_from_right_to_left_are_set_so():
    tree = part(written(unchanged("1. مضخة\nA pump.")), "word/document.xml")
    assert [len([*one.iter(f"{WORD}bidi")]) for one in tree[0]][3:5] == [1, 0]


def test_whoever_says_where_the_claims_begin_is_asked_as_with_any_file():
    data = written(unchanged("1. A pump.\n\n\n2. A lamp of claim 1."))
    chosen = read_document(data, "docx", ReadOptions(first=4))
    assert chosen.claims.text == "1. A pump.\n\n2. A lamp of claim 1."
    assert "marked claims" not in [one.kind for one in chosen.findings]
    assert "marked claims" in [one.kind for one in read(data).findings]
    assert {one.severity for one in read(data).findings} == {Severity.NOTE}


@pytest.mark.slow
@needs_office
def test_an_office_program_opens_it_and_writes_it_again_with_the_same_texts(tmp_path):
    comments = [Comment("a word", "Annotator 1", CANDIDATE, 5, 9)]
    written_here = written(track_changes(BEFORE, AFTER), comments=comments)
    data = converted(tmp_path, "in.docx", written_here, WORD_FORMAT)
    assert read(data).claims.text == AFTER
    assert read(data, "original").claims.text == BEFORE
    assert "comment" in [one.kind for one in read(data).left_out]
