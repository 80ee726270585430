import pytest

from patclaimeval.documents.matters import read_matters
from patclaimeval.documents.records import ReadOptions, TrackedChanges
from patclaimeval.documents.wire import Answer, decode_answer, encode_answer
from patclaimeval.text_io.streams import FormatError
from tests.patclaimeval.documents.word_files import added, paragraph, text, word_file, zipped

A_LAMP, A_TORCH, A_DESK = b"1. A lamp.", b"1. A torch.", b"1. A desk."


def read(files: dict[str, str | bytes]):
    return read_matters(zipped(files), ReadOptions())


def shown(files: dict[str, str | bytes]) -> list[tuple[str, str, list[tuple[str, str]]]]:
    return [
        (
            item.reference_id,
            item.document.claims.text,
            [(one.candidate_id, one.document.claims.text) for one in item.candidates],
        )
        for item in read(files).matters
    ]


BOTH = [
    ("P1", "1. A lamp.", [("a", "1. A torch."), ("b", "1. A desk.")]),
    ("P2", "1. A desk.", [("a", "1. A lamp.")]),
]


@pytest.mark.parametrize("above", ["", "sent on Monday/"])
def test_a_folder_is_a_reference_with_its_candidates(above: str) -> None:
    files = {
        f"{above}P2/reference.txt": A_DESK,
        f"{above}P2/candidates/a.txt": A_LAMP,
        f"{above}P1/candidates/b.txt": A_DESK,
        f"{above}P1/Reference.TXT": A_LAMP,
        f"{above}P1/candidates/a.docx": word_file(paragraph("1. A torch.")),
        f"__MACOSX/{above}P1/._reference.txt": b"x",
        f"{above}P1/.DS_Store": b"x",
    }
    assert shown(files) == BOTH
    assert len(read(files).passed_over) == 2


def test_a_manifest_names_files_ids_and_which_text_of_each() -> None:
    body = paragraph("1. A ", added(text("red ")), "lamp.")
    rows = "file;reference_id;candidate_id;system;tracked_changes\n"
    rows += "one.docx;EP 1;;;original\nx/two.txt;EP 1;c1;GPT-4;\n"
    (found,) = read(
        {"manifest.csv": rows, "one.docx": word_file(body), "x/two.txt": A_DESK}
    ).matters
    assert (found.reference_id, found.document.claims.text) == ("EP 1", "1. A lamp.")
    (candidate,) = found.candidates
    assert (candidate.candidate_id, candidate.system) == ("c1", "GPT-4")


def test_files_of_one_folder_go_together_by_their_names() -> None:
    assert (
        shown(
            {
                "P1_reference.txt": A_LAMP,
                "P1_candidate_a.txt": A_TORCH,
                "P1-candidate-b.txt": A_DESK,
                "P2.reference.txt": A_DESK,
                "P2.candidate.a.txt": A_LAMP,
            }
        )
        == BOTH
    )


def test_only_references_have_a_draft() -> None:
    word = word_file(paragraph("1. A ", added(text("red ")), "lamp."))
    files = {"P1/reference.docx": word, "P1/candidates/a.docx": word}
    both = ReadOptions(tracked_changes=TrackedChanges.BOTH)
    (found,) = read_matters(zipped(files), both).matters
    assert (found.document.draft and found.document.draft.text) == "1. A lamp."
    candidate = found.candidates[0].document
    assert (candidate.claims.text, candidate.draft) == ("1. A red lamp.", None)


def test_only_references_bring_their_context() -> None:
    document = b"A lamp is known.\nClaims\n1. A lamp."
    (found,) = read({"P1/reference.txt": document, "P1/candidates/a.txt": document}).matters
    assert [item.text for item in found.document.context] == ["A lamp is known."]
    assert found.candidates[0].document.context == ()


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({}, "holds no files"),
        ({"P1/reference.txt": A_LAMP}, "P1: has no candidates"),
        ({"P1/candidates/a.txt": A_LAMP}, "P1: has no file of the reference"),
        ({"P1/claims.txt": A_LAMP}, "no place in its layout, the first is P1/claims.txt"),
        (
            {
                "P1/reference.txt": A_LAMP,
                "P1/candidates/a.txt": A_LAMP,
                "P1/candidates/a.docx": A_LAMP,
            },
            "P1/candidates/a.docx: is the same claim set as P1/candidates/a.txt",
        ),
        (
            {"P1/reference.txt": A_LAMP, "P1/candidates/a.txt": b"\xff"},
            "P1/candidates/a.txt: Line 1: the byte 0xFF is not UTF-8",
        ),
        ({"manifest.csv": "file,who\n", "a.txt": A_LAMP}, "field who: unknown column"),
        (
            {"manifest.csv": "file,reference_id\nb.txt,P1\n", "a.txt": A_LAMP},
            "manifest.csv, line 2, field file: is not in the archive",
        ),
        (
            {"manifest.csv": "file,reference_id,tracked_changes\na.txt,P1,all\n", "a.txt": A_LAMP},
            "field tracked_changes: accepted, original or both",
        ),
        (
            {"manifest.csv": "file,reference_id\na.txt\n", "a.txt": A_LAMP},
            "line 2: another number of cells than the header has columns",
        ),
        (
            {"manifest.csv": "file,reference_id\na.txt,P1\na.txt,P2\n", "a.txt": A_LAMP},
            "line 3, field file: is named in an earlier row",
        ),
        (
            {"manifest.csv": 'file,reference_id\na.txt,"P1\n', "a.txt": A_LAMP},
            "manifest.csv, line 2: a quote is opened in this record",
        ),
        ({"manifest.csv": "file\na.txt\n", "a.txt": A_LAMP}, "field reference_id: this column"),
        ({"manifest.csv": "file,reference_id\na.txt,\n", "a.txt": A_LAMP}, "its name is no id"),
        (
            {"P1/reference.txt": A_LAMP, "P1/candidates/" + "a" * 201 + ".txt": A_LAMP},
            "its name is no id",
        ),
    ],
)
def test_what_is_missing_or_has_no_place_is_refused_with_its_name(
    files: dict[str, str | bytes], why: str
) -> None:
    with pytest.raises(FormatError) as refused:
        read(files)
    assert why in " ".join([refused.value.sentence, *map(str, refused.value.bad_records)])


def test_what_was_read_comes_back_from_the_answer() -> None:
    one = word_file(paragraph("1. A ", added(text("red ")), "lamp, ", "<w:r><w:drawing/></w:r>"))
    found = read({"P1/reference.docx": one, "P1/candidates/a.txt": b"Claims\n2. A lamp of claim 9"})
    assert found.matters[0].document.findings
    assert decode_answer(encode_answer(Answer(matters=found))).matters == found


def test_an_id_is_one_whichever_way_a_file_system_has_spelt_it() -> None:
    files = {"Pru\u0308f/reference.txt": A_LAMP, "Pr\u00fcf/candidates/a.txt": A_TORCH}
    assert shown(files) == [("Pr\u00fcf", "1. A lamp.", [("a", "1. A torch.")])]
