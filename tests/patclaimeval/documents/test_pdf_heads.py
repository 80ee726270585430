"""What stands around the text of a PDF of one or two pages: heads, feet, numbers of lines."""

from collections.abc import Sequence

import pytest

from patclaimeval.documents.pdf.reader import read_pdf
from patclaimeval.documents.records import ReadDocument, ReadOptions
from tests.patclaimeval.documents.pdf_files import Placed, column, pdf_file

LEFT = [
    "What is claimed is:",
    "1. A pump for water, the pump",
    "comprising a housing and a rotor",
    "that is turned by a motor, wherein",
    "the turning of the rotor is repeated",
    "every 10 s, the rotor having a blade",
    "of steel, a hub of brass, and a shaft.",
    "2. The pump of claim 1, wherein the",
    "shaft is hollow and made of steel,",
    "and the hub is pressed on the shaft",
]
RIGHT = [
    "by a ring of bronze that is shrunk",
    "on the hub when it is warm.",
    "3. The pump of claim 1, wherein the",
    "housing has two halves that are",
    "joined by screws.",
]
TEXT = (
    "1. A pump for water, the pump comprising a housing and a rotor that is turned by a motor, "
    "wherein the turning of the rotor is repeated every 10 s, the rotor having a blade of steel, "
    "a hub of brass, and a shaft.\n\n"
    "2. The pump of claim 1, wherein the shaft is hollow and made of steel, and the hub is pressed "
    "on the shaft by a ring of bronze that is shrunk on the hub when it is warm.\n\n"
    "3. The pump of claim 1, wherein the housing has two halves that are joined by screws."
)


def read(*pages: Sequence[Placed]) -> ReadDocument:
    return read_pdf(pdf_file(pages), ReadOptions())


def page_of_a_patent(
    left: Sequence[str], right: Sequence[str], *, head: str, number: int, beside: float = 330
) -> list[Placed]:
    """Return a page in two columns: the number of the patent, of the columns, and of lines."""
    page: list[Placed] = [(260, 760, 10, head)]
    page += [(170, 742, 9, str(number)), (430, 742, 9, str(number + 1))]
    page += column(left, 60, 720, 12) + column(right, beside, 720, 12)
    lines = max(len(left), len(right))
    return page + [(297, 720 - 12 * (n - 1), 8, str(n)) for n in range(5, lines + 1, 5)]


@pytest.mark.parametrize("head", ["US 9,999,999 B2", "4,123,456", "EP 1 234 567 B1"])
@pytest.mark.parametrize("beside", [330, 307])
def test_heads_and_numbers_of_one_page_of_a_patent_are_left_out(head: str, beside: float) -> None:
    document = read(page_of_a_patent(LEFT, RIGHT, head=head, number=11, beside=beside))
    assert document.claims.text == TEXT
    assert {(item.kind, item.count) for item in document.left_out} == {
        ("head or foot of a page", 3),
        ("line number", 2),
    }
    assert document.questions == ()


@pytest.mark.parametrize("count", [4, 5, 9])
def test_one_number_of_a_line_or_none_leaves_the_text_whole(count: int) -> None:
    left = LEFT[:count]
    document = read(page_of_a_patent(left, RIGHT, head="US 2020/0123456 A1", number=3))
    assert document.claims.text.startswith(" ".join(left[1:7])[:100])
    assert not {"5", "3", "4", "A1"} & set(document.claims.text.replace(".", " ").split()[1:-30])


def test_the_claims_go_on_over_the_heads_of_two_pages() -> None:
    one = page_of_a_patent(LEFT, RIGHT, head="US 9,999,999 B2", number=11)
    more = ["4. The pump of claim 3, wherein the", "screws are short and have a head", "of brass."]
    other = ["5. The pump of claim 4, wherein the", "screws are six and stand in a row", "on it."]
    two = page_of_a_patent(
        [*more, "", *more[1:]], [*other, *other], head="US 9,999,999 B2", number=13
    )
    document = read(one, two)
    assert document.claims.text.startswith(f"{TEXT}\n\n4. The pump of claim 3")
    assert "999" not in document.claims.text
    assert not {"5", "13", "14"} & set(document.claims.text.split())


CLAIMS = [
    "Claims",
    "1. A lamp for the desk of a person who reads, the lamp comprising a foot",
    "that stands on the desk, a shade, and a neck between the foot and the",
]


def test_what_two_pages_have_at_the_same_height_is_a_head() -> None:
    def head(number: int) -> list[Placed]:
        return [(72, 770, 9, f"Docket LAMP-7, sheet {number}"), (72, 30, 9, "Smith and Partners")]

    rest = ["shade.", "2. The lamp of claim 1, wherein the foot is heavy and made of brass."]
    document = read(head(1) + column(CLAIMS), head(2) + column(rest))
    assert document.claims.text == (f"{CLAIMS[1]} {CLAIMS[2]} shade.\n\n{rest[1]}")
    assert document.questions == ()


def test_claims_that_begin_two_pages_alike_are_no_heads() -> None:
    one = ["1. A lamp for the desk of a person.", "2. The lamp of claim 1, wherein the", "foot is"]
    two = ["3. A desk for the lamp of a person.", "4. The desk of claim 3, wherein the", "leg is"]
    document = read(column([*one, "heavy."]), column([*two, "long."]))
    assert [claim.number for claim in document.claims.claims] == [1, 2, 3, 4]


def test_a_line_far_below_the_claims_of_one_page_is_a_question() -> None:
    foot: list[Placed] = [(72, 30, 9, "Smith and Partners, patent attorneys")]
    document = read(column([*CLAIMS, "shade.", "2. The lamp of claim 1, lit."]) + foot)
    assert [item.kind for item in document.questions] == ["head or foot in doubt"]


def test_a_number_in_a_claim_is_no_number_of_a_line() -> None:
    page = column(["1. A pump in which the rotor is turned", "at a rate of", "", "times a second."])
    document = read([*page, (200, 692, 11, "5")])
    assert document.claims.text.split()[-4] == "5"
