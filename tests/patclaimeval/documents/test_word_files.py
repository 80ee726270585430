import pytest

from patclaimeval.documents.docx.numbering import formatted
from patclaimeval.documents.docx.reader import read_docx
from patclaimeval.documents.records import ReadDocument, ReadOptions, Severity, TrackedChanges
from tests.patclaimeval.documents.word_files import (
    CLAIMS,
    STRICT,
    TRANSITIONAL,
    abstract_list,
    added,
    level,
    listed,
    paragraph,
    removed,
    text,
    word_file,
)

HEADING = paragraph("Claims")
END = paragraph("Abstract") + paragraph("A lamp is described.")


def read(body: str, changes: str = "accepted", **parts: object) -> ReadDocument:
    return read_docx(word_file(body, **parts), ReadOptions(TrackedChanges(changes)))


def kinds(document: ReadDocument, severity: Severity) -> list[str]:
    return [item.kind for item in document.findings if item.severity is severity]


@pytest.mark.parametrize("space", [TRANSITIONAL, STRICT])
def test_automatic_numbers_are_written_out(space: str) -> None:
    body = paragraph("A lamp lights a desk.") + HEADING
    body += paragraph("A lamp comprising:", number=(1, 0))
    body += paragraph("a foot; and", number=(1, 1)) + paragraph("a shade.", number=(1, 1))
    body += paragraph("The lamp of claim 1, wherein the foot is heavy.", number=(1, 0))
    document = read(body + END, numbering=CLAIMS, space=space)
    assert document.claims.text == (
        "1. A lamp comprising:\n    a) a foot; and\n    b) a shade.\n\n"
        "2. The lamp of claim 1, wherein the foot is heavy."
    )
    assert [(claim.number, str(claim.place)) for claim in document.claims.claims] == [
        (1, "paragraph 3"),
        (2, "paragraph 6"),
    ]
    assert [(item.part, item.text) for item in document.context] == [
        ("description", "A lamp lights a desk."),
        ("abstract", "Abstract"),
        ("abstract", "A lamp is described."),
    ]
    assert document.findings == ()


@pytest.mark.parametrize(
    ("numbering", "numbers", "shown"),
    [
        (
            abstract_list(0, level(0, "Claim %1:")) + listed(1, 0),
            [(1, 0)] * 2,
            ["Claim 1:", "Claim 2:"],
        ),
        (abstract_list(0, level(0, "(%1)", start=7)) + listed(1, 0), [(1, 0)] * 2, ["(7)", "(8)"]),
        (
            # One list goes on where another use of it left off.
            abstract_list(0, level(0, "%1.")) + listed(1, 0) + listed(2, 0),
            [(1, 0), (2, 0)],
            ["1.", "2."],
        ),
        (
            abstract_list(0, level(0, "%1.")) + listed(1, 0) + listed(2, 0, start=5),
            [(1, 0), (2, 0)],
            ["1.", "5."],
        ),
    ],
)
def test_a_list_counts_as_word_counts_it(
    numbering: str, numbers: list[tuple[int, int]], shown: list[str]
) -> None:
    body = HEADING + "".join(paragraph("A lamp.", number=number) for number in numbers)
    document = read(body, numbering=numbering)
    claims = document.claims.claims
    assert [document.claims.text_of(claim) for claim in claims] == [f"{x} A lamp." for x in shown]


def test_levels_count_within_those_above_them() -> None:
    levels = abstract_list(
        0,
        level(0, "%1."),
        level(1, "%1.%2", "upperRoman"),
        level(2, "%1.%2.%3", "lowerRoman", more="<w:isLgl/>"),
    )
    places = [0, 1, 2, 2, 1, 2, 0, 1]
    body = HEADING + "".join(paragraph("A lamp.", number=(1, place)) for place in places)
    document = read(body, numbering=levels + listed(1, 0))
    assert [line.split()[0] for line in document.claims.text.split("\n") if line] == [
        *("1.", "1.I", "1.1.i", "1.1.ii", "1.II", "1.2.i"),
        *("2.", "2.I"),
    ]


def test_a_style_numbers_its_paragraphs_and_a_paragraph_may_opt_out() -> None:
    styles = (
        '<w:style w:type="paragraph" w:styleId="Base"><w:pPr><w:numPr><w:numId w:val="1"/>'
        '</w:numPr></w:pPr></w:style><w:style w:type="paragraph" w:styleId="Claim">'
        '<w:basedOn w:val="Base"/></w:style>'
    )
    body = HEADING + paragraph("A lamp comprising", style="Claim")
    body += paragraph("a foot.", style="Claim", number=(0, 0))
    body += paragraph("The lamp of claim 1.", style="Claim")
    document = read(body, numbering=CLAIMS, styles=styles)
    assert document.claims.text == "1. A lamp comprising\n    a foot.\n\n2. The lamp of claim 1."


CHANGED = (
    HEADING
    + paragraph("A lamp with a ", removed("foot"), added(text("base")), ".", number=(1, 0))
    + paragraph(added(text("The lamp of claim 1.")), number=(1, 0), more="<w:rPr><w:ins/></w:rPr>")
    + paragraph(removed("A torch."), number=(1, 0), more="<w:rPr><w:del/></w:rPr>")
    + paragraph("A chair.", number=(1, 0))
)


@pytest.mark.parametrize(
    ("changes", "claims", "draft"),
    [
        ("accepted", "1. A lamp with a base.\n\n2. The lamp of claim 1.\n\n3. A chair.", None),
        ("original", "1. A lamp with a foot.\n\n2. A torch.\n\n3. A chair.", None),
        (
            "both",
            "1. A lamp with a base.\n\n2. The lamp of claim 1.\n\n3. A chair.",
            "1. A lamp with a foot.\n\n2. A torch.\n\n3. A chair.",
        ),
    ],
)
def test_tracked_changes_are_read_as_asked(changes: str, claims: str, draft: str | None) -> None:
    document = read(CHANGED, changes, numbering=CLAIMS)
    assert document.claims.text == claims
    assert (document.draft and document.draft.text) == draft
    assert kinds(document, Severity.NOTE) == ["tracked changes"]


def test_a_paragraph_that_was_split_or_joined_is_whole_in_the_other_text() -> None:
    body = HEADING + paragraph("A lamp ", number=(1, 0), more="<w:rPr><w:del/></w:rPr>")
    body += paragraph("with a foot.", number=(1, 0)) + paragraph(
        "The lamp of claim 1.", number=(1, 0)
    )
    assert read(body, numbering=CLAIMS).claims.text == (
        "1. A lamp with a foot.\n\n2. The lamp of claim 1."
    )
    before = read(body, "original", numbering=CLAIMS)
    assert [claim.number for claim in before.claims.claims] == [1, 2, 3]


def test_moved_text_stands_once_in_each_text() -> None:
    body = HEADING + paragraph(
        "1. A lamp ", removed("red ", "moveFrom"), "with a ", added(text("red "), "moveTo"), "foot."
    )
    assert read(body).claims.text == "1. A lamp with a red foot."
    assert read(body, "original").claims.text == "1. A lamp red with a foot."


def test_a_number_that_was_put_in_by_a_tracked_change_of_format_is_not_in_the_original() -> None:
    change = "<w:pPrChange w:id='1'><w:pPr/></w:pPrChange>"
    body = HEADING + paragraph("1. A lamp.") + paragraph("2. A torch.", number=(1, 0), more=change)
    assert read(body, "original", numbering=CLAIMS).claims.text == "1. A lamp.\n\n2. A torch."


def test_a_row_of_a_table_that_was_put_in_is_not_in_the_original() -> None:
    cell = "<w:tc>{}</w:tc>"
    rows = f"<w:tr>{cell.format(paragraph('tin'))}{cell.format(paragraph('5 %'))}</w:tr>"
    rows += f"<w:tr><w:trPr><w:ins/></w:trPr>{cell.format(paragraph('zinc'))}</w:tr>"
    body = (
        HEADING + paragraph("1. An alloy of:") + f"<w:tbl>{rows}</w:tbl>" + paragraph("2. A lamp.")
    )
    document = read(body)
    assert document.claims.text == "1. An alloy of:\n    tin | 5 %\n    zinc\n\n2. A lamp."
    assert kinds(document, Severity.CHECK) == ["table"]
    assert read(body, "original").claims.text == "1. An alloy of:\n    tin | 5 %\n\n2. A lamp."


def test_what_is_no_text_of_a_claim_is_named_and_left_out() -> None:
    box = (
        "<w:r><w:pict><v:s><w:txbxContent>"
        + paragraph("A box")
        + "</w:txbxContent></v:s></w:pict></w:r>"
    )
    field = (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>REF _1</w:instrText></w:r>'
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r>'
        + text("1")
        + '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )
    body = paragraph("<w:r><w:commentReference/></w:r>", "Outside") + HEADING
    body += paragraph("1. A lamp.", "<w:r><w:footnoteReference/></w:r>", box)
    body += paragraph("2. The lamp of claim ", field, ".", "<w:r><w:commentReference/></w:r>")
    body += paragraph("3. A torch.", "<w:r><w:rPr><w:vanish/></w:rPr><w:t> secret</w:t></w:r>")
    more = {"header1": paragraph("Docket 7"), "footer1": paragraph("1"), "header2": paragraph("")}
    document = read(body, more=more)
    assert document.claims.text == "1. A lamp.\n\n2. The lamp of claim 1.\n\n3. A torch."
    assert {(item.kind, item.count) for item in document.left_out} == {
        *(("header", 1), ("footer", 1), ("footnote", 1), ("text box", 1)),
        *(("field", 1), ("comment", 1), ("hidden text", 1)),
    }
    assert [str(item.places[0]) for item in document.left_out if item.kind == "comment"] == [
        "paragraph 4"
    ]


@pytest.mark.parametrize(
    ("inside", "shown", "severity", "kind"),
    [
        ("<w:r><w:drawing/></w:r>", "[image]", "check", "image"),
        ("<w:r><w:object/></w:r>", "[object]", "check", "object"),
        ("<m:oMath><m:f><m:num/></m:f></m:oMath>", "[formula]", "check", "formula"),
        ('<w:r><w:sym w:font="Symbol" w:char="F061"/></w:r>', "[symbol]", "check", "symbol"),
        ("<w:r><w:rPr><w:strike/></w:rPr><w:t>big</w:t></w:r>", "big", "question", "struck out"),
        (
            '<w:r><w:rPr><w:vertAlign w:val="subscript"/></w:rPr><w:t>2</w:t></w:r>',
            "2",
            "check",
            "raised or lowered",
        ),
    ],
)
def test_what_cannot_be_written_as_text_is_marked_and_asked_about(
    inside: str, shown: str, severity: str, kind: str
) -> None:
    document = read(HEADING + paragraph("1. A lamp, ", inside, ", lit.") + paragraph("2. A torch."))
    assert document.claims.text == f"1. A lamp, {shown}, lit.\n\n2. A torch."
    (finding,) = document.findings
    assert (finding.severity, finding.kind, str(finding.place)) == (severity, kind, "paragraph 2")


def test_letters_in_a_row_are_text_also_in_a_formula() -> None:
    body = HEADING + paragraph(
        "1. A lamp of height ", "<m:oMath><m:r><m:t>h</m:t></m:r></m:oMath>", "."
    )
    document = read(body)
    assert document.claims.text == "1. A lamp of height h."
    assert document.findings == ()


def test_numbers_that_a_field_counts_are_asked_for() -> None:
    field = (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>AUTONUM</w:instrText></w:r>'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )
    document = read(HEADING + paragraph(field, " A lamp."))
    assert [item.kind for item in document.questions] == ["field without result"]


def test_two_numbering_systems_are_a_question() -> None:
    body = HEADING + paragraph("A lamp.", number=(1, 0)) + paragraph("2. The lamp of claim 1.")
    body += paragraph("A torch.", number=(1, 0)) + paragraph("4. A chair.")
    document = read(body, numbering=CLAIMS)
    (question,) = document.questions
    assert question.kind == "two numbering systems"
    assert "2 paragraphs are numbered by one list, from paragraph 2 on" in question.sentence
    assert "2 by numbers typed, from paragraph 3 on" in question.sentence


def test_steps_counted_by_another_list_like_claims_are_a_question() -> None:
    numbering = CLAIMS + abstract_list(5, level(0, "%1.")) + listed(9, 5)
    body = HEADING + paragraph("A method comprising:", number=(1, 0))
    body += paragraph("Lighting.", number=(9, 0)) + paragraph("Waiting.", number=(9, 0))
    body += paragraph("The method of claim 1.", number=(1, 0))
    document = read(body, numbering=numbering)
    assert [item.kind for item in document.questions] == ["two numbering systems"]


def test_items_of_the_claims_list_are_claims_however_they_begin_and_end() -> None:
    body = HEADING + paragraph("lamp with a foot", number=(1, 0))
    body += paragraph("lamp of claim 1, lit", number=(1, 0))
    document = read(body, numbering=CLAIMS)
    assert document.claims.text == "1. lamp with a foot\n\n2. lamp of claim 1, lit"
    assert document.findings == ()


def test_an_automatic_number_behind_an_open_citation_is_a_question() -> None:
    body = (
        HEADING + paragraph("A lamp.", number=(1, 0)) + paragraph("A lamp of claim", number=(1, 0))
    )
    document = read(body + paragraph("A desk.", number=(1, 0)), numbering=CLAIMS)
    (question,) = document.questions
    assert (question.kind, str(question.place)) == ("number in doubt", "paragraph 4")


def test_a_list_that_begins_anew_repeats_numbers() -> None:
    numbering = abstract_list(0, level(0, "%1.")) + listed(1, 0) + listed(2, 0, start=1)
    body = HEADING + paragraph("A lamp.", number=(1, 0)) + paragraph("A desk.", number=(2, 0))
    document = read(body, numbering=numbering)
    assert [item.sentence for item in document.findings] == [
        "Number 1 is used for more than one claim."
    ]


def test_a_format_of_numbers_that_is_not_rendered_is_a_question() -> None:
    numbering = abstract_list(0, level(0, "%1.", "hebrew1")) + listed(1, 0)
    document = read(HEADING + paragraph("A lamp.", number=(1, 0)), numbering=numbering)
    assert "number format" in [item.kind for item in document.questions]


def test_both_texts_without_tracked_changes_are_one() -> None:
    document = read(HEADING + paragraph("1. A lamp."), "both")
    assert document.draft is None
    assert kinds(document, Severity.NOTE) == ["tracked changes"]


@pytest.mark.parametrize(
    ("kind", "numbers"),
    [
        ("decimalZero", ["(01)", "(02)"]),
        ("upperLetter", ["(A)", "(B)"]),
        ("lowerRoman", ["(i)", "(ii)"]),
        ("upperRoman", ["(I)", "(II)"]),
        ("decimalFullWidth", ["(\uff11)", "(\uff12)"]),
        ("chineseCounting", ["(\u4e00)", "(\u4e8c)"]),
        ("bullet", ["\u2022", "\u2022"]),
    ],
)
def test_a_number_below_a_claim_is_written_in_its_format(kind: str, numbers: list[str]) -> None:
    numbering = abstract_list(0, level(0, "%1."), level(1, "(%2)", kind)) + listed(1, 0)
    body = HEADING + paragraph("A lamp:", number=(1, 0)) + paragraph("lit;", number=(1, 1)) * 2
    document = read(body + paragraph("A desk.", number=(1, 0)), numbering=numbering)
    assert document.claims.text == "1. A lamp:\n    {} lit;\n    {} lit;\n\n2. A desk.".format(
        *numbers
    )
    assert document.findings == ()


@pytest.mark.parametrize(
    ("number", "shown"), [(1, "i"), (4, "iv"), (9, "ix"), (40, "xl"), (1994, "mcmxciv")]
)
def test_roman_numerals(number: int, shown: str) -> None:
    assert formatted(number, "lowerRoman") == shown


@pytest.mark.parametrize(("number", "shown"), [(1, "a"), (26, "z"), (27, "aa"), (53, "aaa")])
def test_letters_go_on_doubled_after_z(number: int, shown: str) -> None:
    assert formatted(number, "lowerLetter") == shown


@pytest.mark.parametrize(
    ("number", "shown"),
    [(10, "\u5341"), (11, "\u5341\u4e00"), (20, "\u4e8c\u5341"), (21, "\u4e8c\u5341\u4e00")],
)
def test_han_numerals(number: int, shown: str) -> None:
    assert formatted(number, "japaneseCounting") == shown


def test_a_list_may_name_a_style_whose_list_counts() -> None:
    numbering = abstract_list(0, level(0, "%1.")) + listed(1, 0)
    numbering = abstract_list(7, more='<w:numStyleLink w:val="L"/>') + numbering + listed(2, 7)
    styles = (
        '<w:style w:type="numbering" w:styleId="L"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr>'
        "</w:pPr></w:style>"
    )
    body = HEADING + paragraph("A lamp.", number=(1, 0)) + paragraph("A desk.", number=(2, 0))
    document = read(body, numbering=numbering, styles=styles)
    assert document.claims.text == "1. A lamp.\n\n2. A desk."


@pytest.mark.parametrize(("restart", "last"), [("", "a)"), ('<w:lvlRestart w:val="0"/>', "b)")])
def test_a_level_counts_on_where_it_says_so(restart: str, last: str) -> None:
    below = level(1, "%2)", "lowerLetter", more=restart)
    numbering = abstract_list(0, level(0, "%1."), below) + listed(1, 0)
    one = paragraph("A lamp:", number=(1, 0)) + paragraph("lit;", number=(1, 1))
    assert read(HEADING + one * 2, numbering=numbering).claims.text.endswith(f"{last} lit;")


def test_a_style_of_a_level_and_the_default_style_number_too() -> None:
    styles = (
        '<w:style w:type="paragraph" w:default="1" w:styleId="N"><w:name w:val="Normal"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="Part"><w:pPr><w:numPr><w:numId w:val="1"/>'
        "</w:numPr></w:pPr></w:style>"
    )
    below = level(1, "%2)", "lowerLetter", more='<w:pStyle w:val="Part"/>')
    numbering = abstract_list(0, level(0, "%1."), below) + listed(1, 0)
    body = HEADING + paragraph("A lamp:", number=(1, 0)) + paragraph("lit.", style="Part")
    assert read(body, numbering=numbering, styles=styles).claims.text == "1. A lamp:\n    a) lit."


def test_paragraphs_within_controls_and_alternatives_are_read() -> None:
    body = "<w:sdt><w:sdtContent>" + HEADING + "</w:sdtContent></w:sdt>"
    body += "<mc:AlternateContent><mc:Choice>" + paragraph("1. A lamp.") + "</mc:Choice>"
    body += "<mc:Fallback>" + paragraph("1. An old lamp.") + "</mc:Fallback></mc:AlternateContent>"
    body += "<w:ins>" + paragraph("2. A torch.") + "</w:ins>"
    inner = "<mc:AlternateContent><mc:Fallback>" + text("desk") + "</mc:Fallback>"
    body += paragraph(
        "3. A ",
        inner + "</mc:AlternateContent>",
        '<w:fldSimple w:instr="REF x">' + text(" lamp") + "</w:fldSimple>",
        "<w:hyperlink>" + text(" of tin") + "</w:hyperlink>",
        ".",
    )
    assert read(body).claims.text == "1. A lamp.\n\n2. A torch.\n\n3. A desk lamp of tin."
    assert read(body, "original").claims.text == "1. A lamp.\n\n3. A desk lamp of tin."


def test_breaks_tabs_hyphens_and_readings_beside_the_text() -> None:
    inner = "<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:br w:type='page'/>"
    inner += "<w:noBreakHyphen/><w:t>d</w:t><w:softHyphen/><w:cr/><w:t>e</w:t></w:r>"
    ruby = "<w:r><w:ruby><w:rt>" + text("x") + "</w:rt><w:rubyBase>" + text("y")
    document = read(HEADING + paragraph("1. ", inner, ruby + "</w:rubyBase></w:ruby></w:r>"))
    assert document.claims.text == "1. a b\n    c\u2011d\n    ey"
    assert [item.kind for item in document.left_out] == ["ruby"]


def test_another_file_within_the_claims_is_a_question() -> None:
    document = read(HEADING + paragraph("1. A lamp.") + "<w:altChunk/>")
    assert [item.kind for item in document.questions] == ["embedded file"]


def test_a_heading_among_the_claims_is_to_be_looked_at() -> None:
    styles = '<w:style w:type="paragraph" w:styleId="H"><w:name w:val="heading 2"/></w:style>'
    body = HEADING + paragraph("1. A lamp.") + paragraph("Second group", style="H")
    document = read(body + paragraph("2. A desk."), styles=styles)
    assert kinds(document, Severity.CHECK) == ["heading among claims"]


def test_the_last_paragraph_is_read_also_where_its_end_was_taken_out() -> None:
    body = (
        HEADING + paragraph("1. A lamp.") + paragraph("2. A desk.", more="<w:rPr><w:del/></w:rPr>")
    )
    assert read(body).claims.text == "1. A lamp.\n\n2. A desk."
