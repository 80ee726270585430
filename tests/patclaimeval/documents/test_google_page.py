import pytest

from patclaimeval.documents.google_page import read_google_page
from patclaimeval.documents.records import ReadDocument, ReadOptions
from patclaimeval.text_io.streams import FormatError

PAGE = """<!doctype html><html><head><meta name="DC.title" content="Lamp"></head><body>
<h1 itemprop="pageTitle">US9999999B2 - Lamp - Google Patents</h1>
<dd itemprop="publicationNumber">US9999999B2</dd>
<time itemprop="publicationDate" datetime="2018-06-12">x</time>
<section itemprop="family"><h2>Family</h2><h2>ID=12345678</h2></section>
<span itemprop="Code">F21S8/08</span><span itemprop="Code">F21</span>
<section itemprop="abstract"><h2>Abstract</h2><div class="abstract">A lamp.</div></section>
<section itemprop="description"><div class="description"><heading>FIELD</heading>
<div class="description-paragraph" num="0001">Lamps <b>10</b> &amp; desks.</div></div></section>
<section itemprop="claims" itemscope><h2>Claims (<span itemprop="count">2</span>)</h2>
<div itemprop="content"><div lang="EN" class="claims">{}</div></div></section>
</body></html>"""
FIRST = (
    '<div id="CLM-00001" num="00001" class="claim"><div class="claim-text"><b>1</b>. A lamp, with:'
    '<div class="claim-text">a foot; and</div><div class="claim-text">a shade.</div></div></div>'
)
SECOND = (
    '<div num="00002" class="claim"><div class="claim-text">2. The lamp of '
    '<claim-ref idref="CLM-00001">claim 1</claim-ref>, lit.</div></div>'
)
TEXT = "1. A lamp, with:\n    a foot; and\n    a shade.\n\n2. The lamp of claim 1, lit."


def read(html: str, **options: object) -> ReadDocument:
    return read_google_page(html.encode(), ReadOptions(**options))


@pytest.mark.parametrize(
    "claims",
    [
        f'<div class="claim">{FIRST}</div><div class="claim-dependent">{SECOND}</div>',
        f'<ol><li class="claim">{FIRST}</li><li class="claim-dependent">{SECOND}</li></ol>',
        (FIRST + SECOND).replace('class="claim"', 'class="claim style-scope patent-text"'),
    ],
)
def test_claims_and_what_they_cite_come_from_each_shape_of_the_page(claims: str) -> None:
    document = read(PAGE.format(claims))
    assert document.claims.text == TEXT
    assert [(claim.number, claim.cites) for claim in document.claims.claims] == [(1, ()), (2, (1,))]
    assert document.findings == ()


def test_the_page_says_number_date_title_classes_family_language_and_context() -> None:
    document = read(PAGE.format(FIRST))
    about = document.bibliography
    assert (about.number, about.date, about.title) == ("US9999999B2", "2018-06-12", "Lamp")
    assert (about.cpc, about.family, about.language) == (("F21S 8/08",), "12345678", "en")
    assert [(item.part, item.label, item.text) for item in document.context] == [
        ("description", "", "FIELD"),
        ("description", "0001", "Lamps 10 & desks."),
        ("abstract", "", "A lamp."),
    ]


def test_a_page_that_the_script_has_made_is_known_by_the_name_of_its_section() -> None:
    page = PAGE.replace('itemprop="claims"', 'id="claims"').format(FIRST + SECOND)
    assert read(page).claims.text == TEXT


def test_of_a_translated_page_the_translation_is_read_and_said_to_be_one() -> None:
    claim = FIRST.replace(
        "a foot;", '<span><span class="google-src-text">Fuß;</span> a foot;</span>'
    )
    document = read(PAGE.format(claim))
    assert "Fuß" not in document.claims.text
    assert "a foot;" in document.claims.text
    assert [item.kind for item in document.findings] == ["translation"]
    assert [item.kind for item in document.left_out] == ["original text"]


@pytest.mark.parametrize(
    ("html", "why"),
    [
        ("<html><body><p>1. A lamp.</p></body></html>", "no claims as pages of Google Patents"),
        (PAGE.format(""), "a section of claims, but no claim"),
        ("<html>", "no claims as pages of Google"),
    ],
)
def test_other_pages_are_refused(html: str, why: str) -> None:
    with pytest.raises(FormatError, match=why):
        read(html)


def test_a_page_in_another_language_than_asked_is_refused() -> None:
    with pytest.raises(FormatError, match="shows the claims in en, not in de"):
        read(PAGE.format(FIRST), language="de")
