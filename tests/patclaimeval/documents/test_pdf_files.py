from collections.abc import Sequence

import pytest

from patclaimeval.documents.pdf import reader
from patclaimeval.documents.pdf.reader import read_pdf
from patclaimeval.documents.records import ReadDocument, ReadOptions
from patclaimeval.text_io.streams import FormatError
from tests.patclaimeval.documents.pdf_files import Placed, column, pdf_file

CLAIMS = [
    "Claims",
    "",
    "1. A lamp for the desk of a person who reads, the lamp comprising a foot",
    "that stands on the desk, a shade, and a neck between the foot and the",
    "shade.",
    "",
    "2. The lamp of claim 1, wherein the foot is heavy.",
]
TEXT = (
    "1. A lamp for the desk of a person who reads, the lamp comprising a foot that stands on the "
    "desk, a shade, and a neck between the foot and the shade.\n\n"
    "2. The lamp of claim 1, wherein the foot is heavy."
)


def read(*pages: Sequence[Placed], **options: object) -> ReadDocument:
    return read_pdf(pdf_file(pages), ReadOptions(**options))


def test_lines_of_a_claim_are_one_paragraph_and_say_where_it_begins() -> None:
    document = read(column(["A lamp lights the desk of a person."]), column(CLAIMS))
    assert document.claims.text == TEXT
    assert [str(claim.place) for claim in document.claims.claims] == [
        "page 2, line 2",
        "page 2, line 5",
    ]
    assert [item.kind for item in document.findings] == ["read by position"]


def test_a_claim_goes_on_over_heads_feet_and_numbers_of_pages() -> None:
    def page(number: int, lines: Sequence[str]) -> list[Placed]:
        head: list[Placed] = [(72, 770, 9, "Docket LAMP-7"), (300, 30, 9, f"- {number} -")]
        return head + column(lines)

    document = read(
        page(1, CLAIMS[:4]), page(2, CLAIMS[4:]), page(3, ["3. The lamp of claim 2, lit."])
    )
    assert document.claims.text == f"{TEXT}\n\n3. The lamp of claim 2, lit."
    (heads,) = document.left_out
    assert (heads.kind, heads.count) == ("head or foot of a page", 6)


@pytest.mark.parametrize("step", [1, 5])
def test_numbers_beside_the_lines_are_left_out(step: int) -> None:
    numbers: list[Placed] = [
        (40, 720 - 14 * place, 9, str(place + 1)) for place in range(20) if (place + 1) % step == 0
    ]
    lines = [*CLAIMS, "", *(f"{n}. The lamp of claim {n - 1}." for n in range(3, 12))]
    document = read(column(lines) + numbers)
    assert document.claims.text.startswith(TEXT)
    assert [claim.number for claim in document.claims.claims] == list(range(1, 12))
    assert [(item.kind, item.count) for item in document.left_out] == [("line number", 20 // step)]


def test_two_columns_are_read_one_after_the_other_and_numbers_between_them_left_out() -> None:
    left = [
        "What is claimed is:",
        "1. A lamp for the desk of a person",
        "who reads, comprising a foot and",
    ]
    left += ["a shade.", "2. The lamp of claim 1, wherein the", "foot is heavy."]
    right = ["3. The lamp of claim 1, wherein the", "shade is made of tin, of paper or"]
    right += [
        "of another material.",
        "4. The lamp of claim 3, wherein the",
        "material is thin.",
        "5. A desk.",
    ]
    numbers: list[Placed] = [(297, 720 - 14 * place, 8, str(place + 1)) for place in range(1, 6, 2)]
    document = read(column(left, 60) + column(right, 330) + numbers)
    assert document.claims.text == (
        "1. A lamp for the desk of a person who reads, comprising a foot and a shade.\n\n"
        "2. The lamp of claim 1, wherein the foot is heavy.\n\n"
        "3. The lamp of claim 1, wherein the shade is made of tin, of paper or of another "
        "material.\n\n4. The lamp of claim 3, wherein the material is thin.\n\n5. A desk."
    )
    assert "columns" in [item.kind for item in document.findings]
    assert [item.kind for item in document.left_out] == ["line number"]


def test_a_word_divided_at_the_end_of_a_line_is_as_it_is_elsewhere() -> None:
    lines = ["Claims", "1. A lamp with a well-known shade and a reflector, the shade being a well-"]
    lines += ["known shade, the reflector being a round reflec-", "tor, the lamp being a read-"]
    lines += ["ing lamp."]
    document = read(column(lines))
    assert document.claims.text == (
        "1. A lamp with a well-known shade and a reflector, the shade being a well-known shade, "
        "the reflector being a round reflector, the lamp being a reading lamp."
    )
    unsure = [item for item in document.findings if item.kind == "divided word"]
    assert [str(item.place) for item in unsure] == ["page 1, line 5"]


def test_indented_parts_of_a_claim_are_lines_of_their_own() -> None:
    page = column(["Claims", "1. A lamp comprising:"])
    page += column(
        ["a foot that is heavy enough to carry all that is above it on a desk;"], 100, 690
    )
    page += column(["and", "a shade."], 100, 676)
    page += column(["2. A desk."], 72, 648)
    assert read(page).claims.text == (
        "1. A lamp comprising:\n    a foot that is heavy enough to carry all that is above it on a "
        "desk; and\n    a shade.\n\n2. A desk."
    )


def test_a_page_of_the_claims_without_text_is_a_question() -> None:
    document = read(column(CLAIMS[:5]), [], column(CLAIMS[6:]))
    assert [item.kind for item in document.questions] == ["pages without text"]
    assert "Pages 2 among" in document.questions[0].sentence


def refusal(data: bytes) -> str:
    with pytest.raises(FormatError) as refused:
        read_pdf(data, ReadOptions())
    return refused.value.sentence


def test_what_is_written_from_right_to_left_is_refused() -> None:
    hebrew = {sign: chr(0x5D0 + place) for place, sign in enumerate("abcdefghijklmnop")}
    data = pdf_file([column(["1. abc defg hijk lmnop abcdefg hijk"])], meanings=hebrew)
    assert "written from right to left" in refusal(data)


def test_signs_without_a_meaning_are_marked_and_asked_about() -> None:
    data = pdf_file([column(["1. A lamp of xx volts, on a foot."])], meanings={"x": "\ufffd"})
    document = read_pdf(data, ReadOptions())
    assert document.claims.text == "1. A lamp of \ufffd\ufffd volts, on a foot."
    assert [item.kind for item in document.questions] == ["unknown signs"]


def test_a_page_of_more_signs_than_any_has_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = pdf_file([column(["1. A lamp for a desk with a foot."])] * 3)
    for limit, why in (
        ("MOST_SIGNS_A_PAGE", "Page 1 of the PDF has"),
        ("MOST_SIGNS", "up to page 2"),
    ):
        with monkeypatch.context() as changed:
            changed.setattr(reader, limit, 50 if limit == "MOST_SIGNS" else 20)
            assert why in refusal(data)


def test_lines_without_blanks_between_words_are_joined_without_one() -> None:
    chinese = {"a": "\u4e00", "b": "\u79cd", "c": "\u706f"}
    data = pdf_file([column(["1. abcabcabcabcabcabc", "abcabcabcabcabcabcabc"])], meanings=chinese)
    document = read_pdf(data, ReadOptions())
    assert document.claims.text == "1. " + "\u4e00\u79cd\u706f" * 13
