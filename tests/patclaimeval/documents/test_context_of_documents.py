"""Description, abstract and drawings of a reference, and none of a candidate."""

import tempfile

import pytest

from patclaimeval.documents import bounds
from patclaimeval.documents.confined import read_confined
from patclaimeval.documents.matters import read_matters
from patclaimeval.documents.reading import read_document
from patclaimeval.documents.records import ReadDocument, ReadOptions, TrackedChanges
from patclaimeval.text_io.streams import FormatError
from tests.patclaimeval.documents.pictures import SVG, pages, picture
from tests.patclaimeval.documents.word_files import (
    paragraph,
    relations,
    text,
    word_parts,
    zipped,
)

# Pillow says of damaged pictures what is wrong with them.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
CLAIMS = b"Claims\n1. A lamp."
WHOLE = b"[0001] A lamp is known.\nIt shines.\nClaims\n1. A lamp.\nAbstract\nA lamp."
FOLDER: dict[str, str | bytes] = {
    "P1/reference.txt": CLAIMS,
    "P1/candidates/a.txt": b"1. A torch.",
    "P1/description.txt": "TECHNICAL FIELD\n\n[0001] A lamp is known.\n[0002] It shines.\n",
    "P1/abstract.txt": "A lamp.",
    "P1/drawings/fig10.png": picture(),
    "P1/drawings/fig2.tif": pages(2),
    "P1/drawings/fig1.jpg": picture("JPEG"),
}


def read(files: dict[str, str | bytes]) -> ReadDocument:
    return read_matters(zipped(files), ReadOptions()).matters[0].document


def passages(document: ReadDocument) -> list[tuple[str, str, str]]:
    return [(one.part, one.label, one.text) for one in document.context]


def left_out(document: ReadDocument) -> list[str]:
    return [str(one) for one in document.left_out]


def test_a_folder_brings_description_abstract_and_drawings() -> None:
    found = read(FOLDER)
    assert passages(found) == [
        ("description", "", "TECHNICAL FIELD"),
        ("description", "0001", "A lamp is known."),
        ("description", "0002", "It shines."),
        ("abstract", "", "A lamp."),
    ]
    assert [one.name for one in found.sheets] == ["fig1", "fig2, page 1", "fig2, page 2", "fig10"]


def test_a_manifest_names_context_by_its_part() -> None:
    rows = "file,reference_id,candidate_id,part\nr.txt,P1,,\nc.txt,P1,a,\n"
    rows += "d.txt,P1,,description\nf.png,P1,,drawing\n"
    files: dict[str, str | bytes] = {"manifest.csv": rows, "r.txt": CLAIMS, "c.txt": b"1. A torch."}
    found = read({**files, "d.txt": "A lamp is known.", "f.png": picture()})
    assert passages(found) == [("description", "", "A lamp is known.")]
    assert [one.name for one in found.sheets] == ["f"]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"P2/description.txt": "A"}, "P2/description.txt: is context of a reference that is not"),
        ({"P1/Description.TXT": "A"}, "is the same part as"),
        ({"P1/reference.txt": WHOLE}, "P1/reference.txt holds the description itself"),
        ({"P1/drawings/a.svg": SVG}, "P1/drawings/a.svg is SVG"),
        ({"P1/drawings/a.tif": pages(2)[:200]}, "P1/drawings/a.tif is damaged or incomplete"),
        ({"P1/abstract.txt": b"\xff"}, "P1/abstract.txt: Line 1: the byte 0xFF is not UTF-8"),
        ({"P1/abstract.docx": "A"}, "no place in its layout"),
    ],
)
def test_context_that_cannot_be_told_is_refused(more: dict[str, str | bytes], why: str) -> None:
    with pytest.raises(FormatError) as caught:
        read({**FOLDER, **more})
    told = [caught.value.sentence, *map(str, caught.value.bad_records)]
    assert any(why in one for one in told), told


@pytest.mark.parametrize(
    ("row", "why"),
    [("c.txt,P1,a,drawing", "never a candidate's"), ("c.txt,P1,,figure", "description, abstract,")],
)
def test_a_manifest_gives_context_to_references_only(row: str, why: str) -> None:
    rows = f"file,reference_id,candidate_id,part\nr.txt,P1,,\n{row}\n"
    with pytest.raises(FormatError) as caught:
        read({"manifest.csv": rows, "r.txt": CLAIMS, "c.txt": b"1. A torch."})
    assert why in str(caught.value.bad_records[0])


def test_that_of_a_candidate_is_left_out_and_named() -> None:
    files: dict[str, str | bytes] = {"P1/reference.txt": CLAIMS, "P1/candidates/a.txt": WHOLE}
    (candidate,) = read_matters(zipped(files), ReadOptions()).matters[0].candidates
    assert (candidate.document.context, candidate.document.sheets) == ((), ())
    assert left_out(candidate.document) == [
        "description: 2; context is a reference's, never a candidate's.",
        "abstract: 2; context is a reference's, never a candidate's.",
    ]


def word_with_pictures() -> bytes:
    def shown(key: str) -> str:
        blip = f'<a:blip xmlns:a="a" r:embed="{key}"/>'
        return paragraph(f"<w:r><w:drawing>{blip}</w:drawing></w:r>")

    body = paragraph("A lamp is known.") + shown("r2") + shown("r2") + paragraph("Claims")
    body += paragraph("1. A lamp ", f"<w:r><w:drawing>{text('')}</w:drawing></w:r>", ".")
    body += paragraph("Abstract") + paragraph("A lamp.") + shown("r3") + shown("r4") + shown("r9")
    images = [("image", name, "") for name in ("media/1.png", "media/2.tif", "media/3.svg")]
    parts = word_parts(body, outside=images)
    assert parts["word/_rels/document.xml.rels"] != relations([])
    parts |= {"word/media/1.png": picture(), "word/media/2.tif": pages(2), "word/media/3.svg": SVG}
    return zipped(parts)


def test_a_word_file_brings_the_pictures_around_its_claims() -> None:
    data = word_with_pictures()
    found = read_document(data, "docx", ReadOptions(TrackedChanges.BOTH))
    assert [one.name for one in found.sheets] == ["1", "2, page 1", "2, page 2"]
    assert "[image]" in found.claims.text
    (drawing,) = [one for one in left_out(found) if one.startswith("drawing")]
    assert drawing.startswith("drawing: 2 (paragraph 9, paragraph 10); word/media/3.svg is SVG")
    asked = read_document(data, "docx", ReadOptions(first=90, last=91))
    assert asked.sheets == ()


def test_office_xml_names_drawings_that_it_does_not_hold() -> None:
    xml = b'<d><drawings><figure num="1"><img file="D1.TIF"/></figure></drawings><description>'
    xml += b'<p num="0001">A lamp.</p></description><claims><claim num="1"><claim-text>A lamp.'
    xml += b"</claim-text></claim></claims></d>"
    found = read_document(xml, "xml", ReadOptions())
    assert passages(found) == [("description", "0001", "A lamp.")]
    assert left_out(found) == [
        "drawing: 1; the XML only names its file; put that into drawings/ of an archive."
    ]


def test_a_part_that_is_too_long_is_left_out_and_the_claims_are_read() -> None:
    many = b"".join(b"[%04d] A lamp.\n" % n for n in range(100_000)) + CLAIMS
    found = read_document(many + b"\nAbstract\nA lamp.", "text", ReadOptions())
    assert found.claims.text == "1. A lamp."
    assert [one.part for one in found.context] == ["abstract", "abstract"]
    assert left_out(found) == [
        "description: 100,000; at most 20,000 paragraphs are stored of one reference."
    ]
    wide = b"a" * (bounds.MOST_CHARACTERS + 1) + b"\n" + CLAIMS
    found = read_document(wide, "text", ReadOptions())
    assert found.context == ()
    assert "at most 2,000,000 characters" in left_out(found)[0]


def test_a_long_paragraph_is_cut_and_nothing_of_it_lost() -> None:
    long = "a" * (bounds.LONGEST_PASSAGE + 5)
    found = read_document(f"{long}\nClaims\n1. A lamp.".encode(), "text", ReadOptions())
    assert [len(one.text) for one in found.context] == [bounds.LONGEST_PASSAGE, 5]


def test_drawings_beyond_the_bounds_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MOST_SHEETS", 3)
    found = read(FOLDER)
    assert len(found.sheets) == 3
    assert left_out(found)[-1].startswith("drawing: 1; at most 3 and 33,554,432 bytes are stored")
    monkeypatch.setattr(bounds, "MOST_SHEETS_BYTES", len(found.sheets[0].png))
    assert len(read(FOLDER).sheets) == 1


def test_who_is_asked_where_the_claims_are_sees_all_lines() -> None:
    many = b"".join(b"A lamp.\n" for _ in range(bounds.MOST_PASSAGES + 1))
    found = read_document(many, "text", ReadOptions())
    assert len(found.context) == bounds.MOST_PASSAGES + 1 and found.questions


def test_another_process_hands_over_the_same() -> None:
    for data in (zipped(FOLDER), word_with_pictures()):
        with tempfile.TemporaryFile() as file:
            file.write(data)
            file.flush()
            found = read_confined(file)
        if isinstance(found, ReadDocument):
            assert found == read_document(data, "docx", ReadOptions())
        else:
            assert found == read_matters(data, ReadOptions())
