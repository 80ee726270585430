import pytest

from patclaimeval.documents.plain_text import read_text
from patclaimeval.documents.records import ReadDocument, ReadOptions, Severity
from patclaimeval.documents.sections import claims_heading, ends_claims
from patclaimeval.text_io.streams import FormatError


def read(text: str, **options: object) -> ReadDocument:
    return read_text(text.encode(), ReadOptions(**options))


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("Claims", "en"),
        ("CLAIMS:", "en"),
        ("What is claimed is:", "en"),
        ("We claim", "en"),
        ("IV. Claims", "en"),
        ("The invention claimed is:", "en"),
        ("Listing of Claims:", "en"),
        ("Amendments to the Claims", "en"),
        ("Patentansprüche", "de"),
        ("P a t e n t a n s p r ü c h e", "de"),
        ("Schutzansprüche", "de"),
        ("Revendications", "fr"),
        ("Cross-reference and claim of priority", ""),
        ("A lamp as claimed in claim 1", ""),
        ("The claims define the invention.", ""),
    ],
)
def test_headings_of_claims_are_known_in_three_languages(line: str, language: str) -> None:
    assert claims_heading(line) == language


@pytest.mark.parametrize("line", ["Abstract", "ZUSAMMENFASSUNG", "Abrégé", "* * * * *", "REMARKS"])
def test_what_follows_the_claims_is_known(line: str) -> None:
    assert ends_claims(line)
    document = read(f"Claims\n1. A lamp.\n{line}\nA lamp is described.")
    assert document.claims.text == "1. A lamp."


def test_claims_stay_as_typed_and_say_where_they_begin() -> None:
    text = "1)  A lamp,\twith\n      a foot.\n\n2) The lamp of claim 1."
    document = read(f"A lamp\n\nWhat is claimed is:\n\n{text}\n\nAbstract\nIt is lit.")
    assert document.claims.text == text
    assert [(item.number, str(item.place)) for item in document.claims.claims] == [
        (1, "line 5"),
        (2, "line 8"),
    ]
    assert "".join(document.claims.text_of(item) for item in document.claims.claims) == text
    assert [(item.part, item.text) for item in document.context] == [
        ("description", "A lamp"),
        ("abstract", "Abstract"),
        ("abstract", "It is lit."),
    ]


def test_a_heading_may_stand_in_the_line_of_claim_1() -> None:
    assert (
        read("What is claimed is: 1. A lamp.\n2. A desk.").claims.text == "1. A lamp.\n2. A desk."
    )


def test_a_sentence_between_heading_and_claims_is_left_out() -> None:
    document = read("Listing of Claims\nThis listing replaces all others.\n1. (Original) A lamp.")
    assert document.claims.text == "1. (Original) A lamp."
    assert [item.kind for item in document.left_out] == ["text before the first claim"]
    assert document.claims.claims[0].status == "original"


def test_two_headings_of_one_section_are_one() -> None:
    assert read("CLAIMS\n\nWhat is claimed is:\n1. A lamp.").claims.text == "1. A lamp."


def test_claims_in_two_places_are_a_question_that_two_numbers_answer() -> None:
    text = "Claims\n1. A lamp.\nAbstract\nA lamp.\nClaims\n1. A desk."
    (question,) = read(text).questions
    assert "at lines 1 and 5" in question.sentence
    assert read(text, first=5).claims.text == "1. A desk."
    assert read(text, first=1, last=3).claims.text == "1. A lamp.\nAbstract"


def test_no_heading_is_a_question_unless_the_text_begins_with_claim_1() -> None:
    assert [item.kind for item in read("A lamp.\n1. A lamp.").questions] == ["where claims begin"]
    document = read("\n1. A lamp.")
    assert document.claims.text == "1. A lamp."
    assert [item.kind for item in document.findings] == ["no heading"]


def test_a_claim_without_a_number_is_one_to_be_looked_at() -> None:
    document = read("I claim:\nThe ornamental design for a lamp, as shown.")
    assert document.claims.text == "The ornamental design for a lamp, as shown."
    assert [(item.severity, item.kind) for item in document.findings] == [
        (Severity.CHECK, "no numbers")
    ]


def test_numbers_at_fault_are_found() -> None:
    document = read("1. A lamp.\n3. The lamp of claim 7.")
    sentences = [item.sentence for item in document.findings if item.kind == "numbers"]
    assert sentences == [
        "Number 2 is missing before claim 3.",
        "Claim 3 cites claim 7, which does not exist.",
    ]


def test_cancelled_claims_keep_their_range() -> None:
    (one, two) = read("1-3. (Cancelled)\n4. A lamp.").claims.claims
    assert (one.number, one.last_number, one.status) == (1, 3, "cancelled")
    assert (two.number, two.last_number) == (4, 4)


def test_what_amendments_say_in_brackets_is_named_and_what_they_delete_is_asked() -> None:
    document = read(
        "1. (Currently amended) A lamp with a [[foot]] base.\n2. (Original) A desk [2]."
    )
    assert document.claims.text.startswith("1. (Currently amended) A lamp with a [[foot]] base.")
    assert [(item.severity, item.kind) for item in document.findings[1:]] == [
        (Severity.QUESTION, "double brackets"),
        (Severity.CHECK, "status"),
    ]
    assert [str(item.place) for item in document.questions] == ["line 1"]


@pytest.mark.parametrize("data", [b"", b" \n"])
def test_no_text_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError, match="holds no text"):
        read_text(data, ReadOptions())
