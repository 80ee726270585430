import pytest

from patclaimeval.documents.office_xml.reader import read_office_xml
from patclaimeval.documents.records import ReadDocument, ReadOptions, Severity, TrackedChanges
from patclaimeval.text_io.streams import FormatError

GRANT = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE us-patent-grant SYSTEM "us-patent-grant-v45-2014-04-03.dtd" [ ]>
<us-patent-grant lang="EN" country="US">
<us-bibliographic-data-grant>
<publication-reference><document-id><country>US</country><doc-number>09999999</doc-number>
<kind>B2</kind><date>20180612</date></document-id></publication-reference>
<application-reference><document-id><country>US</country><doc-number>15000000</doc-number>
</document-id></application-reference>
<classifications-ipcr><classification-ipcr><section>F</section><class>21</class>
<subclass>S</subclass><main-group>8</main-group><subgroup>08</subgroup></classification-ipcr>
</classifications-ipcr>
<classifications-cpc><main-cpc><classification-cpc><section>F</section><class>21</class>
<subclass>V</subclass><main-group>21</main-group><subgroup>00</subgroup></classification-cpc>
</main-cpc></classifications-cpc>
<invention-title id="t">Desk <i>lamp</i></invention-title></us-bibliographic-data-grant>
<abstract id="abstract"><p id="p-0001" num="0000">A lamp is described.</p></abstract>
<description id="description"><heading id="h-0001">FIELD</heading>
<p id="p-0002" num="0001">Lamps light desks, see <figref idref="D">FIG. <b>1</b></figref>.</p>
</description>
<us-claim-statement>What is claimed is:</us-claim-statement>
<claims id="claims">
<claim id="CLM-00001" num="00001">
<claim-text><b>1</b>. A lamp comprising:
<claim-text>a foot; and</claim-text>
<claim-text>a shade of&#x2014;tin.</claim-text>
</claim-text>
</claim>
<claim id="CLM-00002" num="00002">
<claim-text><b>2</b>. The lamp of
<claim-ref idref="CLM-00001">claim 1</claim-ref>, lit.</claim-text>
</claim>
<claim id="CLM-00003-00009" num="3-9">
<claim-text><b>3</b>-<b>9</b>. (canceled)</claim-text></claim>
</claims></us-patent-grant>"""

SUBMITTED = """<uspat:ClaimsDocument xmlns:uspat="urn:us:gov:doc:uspto:patent"
 xmlns:pat="http://www.wipo.int/standards/XMLSchema/ST96/Patent"
 xmlns:com="http://www.wipo.int/standards/XMLSchema/ST96/Common">
<uspat:Claims com:id="CLM-00000">
<uspat:Claim com:id="CLM-00001"><pat:ClaimNumber>1</pat:ClaimNumber>
<uspat:ClaimText>1.   (Currently Amended) A lamp comprising: </uspat:ClaimText>
<uspat:ClaimText>a <pat:Del>foot</pat:Del><pat:Ins>base</pat:Ins>.</uspat:ClaimText>
</uspat:Claim>
<uspat:Claim com:id="CLM-00002"><pat:ClaimNumber>2</pat:ClaimNumber>
<uspat:ClaimText>2. (Original) The lamp of claim
 <uspat:ClaimReference com:idrefs="CLM-00001">1</uspat:ClaimReference>, lit.</uspat:ClaimText>
</uspat:Claim>
</uspat:Claims></uspat:ClaimsDocument>"""

EUROPEAN = """<ep-patent-document id="EP1B1" lang="de" country="EP" doc-number="9999999" kind="B1"
 date-publ="20250129"><SDOBI lang="de"><B500><B510EP><classification-ipcr sequence="1">
<text>F21S   8/    08            A I</text></classification-ipcr></B510EP>
<B540><B541>de</B541><B542>LAMPE</B542><B541>en</B541><B542>LAMP</B542></B540></B500></SDOBI>
<description id="desc" lang="de"><p id="p0001" num="0001">Eine Lampe.</p></description>
<claims id="claims01" lang="de"><claim id="c-de-01-0001" num="0001">
<claim-text>Lampe mit einem Fuß.</claim-text></claim></claims>
<claims id="claims02" lang="en"><claim id="c-en-01-0001" num="0001">
<claim-text>Lamp with a foot.</claim-text></claim><claim id="c-en-01-0002" num="0002">
<claim-text>Lamp of claim 1, lit.</claim-text></claim></claims></ep-patent-document>"""

OPS = """<ops:world-patent-data xmlns="http://www.epo.org/exchange" xmlns:ops="http://ops.epo.org">
<fulltext-document xmlns="http://www.epo.org/fulltext"><bibliographic-data>
<publication-reference data-format="docdb"><document-id><country>EP</country>
<doc-number>9999999</doc-number><kind>A1</kind></document-id></publication-reference>
</bibliographic-data><claims lang="EN"><claim><claim-text>{}</claim-text></claim></claims>
</fulltext-document></ops:world-patent-data>"""


def read(xml: str, **options: object) -> ReadDocument:
    return read_office_xml(xml.encode(), ReadOptions(**options))


def test_a_grant_gives_claims_links_number_date_title_classes_and_context() -> None:
    document = read(GRANT)
    assert document.claims.text == (
        "1. A lamp comprising:\n    a foot; and\n    a shade of\u2014tin.\n\n"
        "2. The lamp of claim 1, lit.\n\n3-9. (canceled)"
    )
    one, two, rest = document.claims.claims
    assert (one.number, str(one.place), one.cites) == (1, "line 22", ())
    assert two.cites == (1,)
    assert (rest.number, rest.last_number, rest.status) == (3, 9, "canceled")
    about = document.bibliography
    assert (about.office, about.number, about.date) == ("USPTO", "US09999999B2", "2018-06-12")
    assert (about.title, about.language) == ("Desk lamp", "en")
    assert (about.ipc, about.cpc) == (("F21S 8/08",), ("F21V 21/00",))
    assert [(item.part, item.label, item.text) for item in document.context] == [
        ("description", "", "FIELD"),
        ("description", "0001", "Lamps light desks, see FIG. 1."),
        ("abstract", "0000", "A lamp is described."),
    ]
    assert [item.severity for item in document.findings] == [Severity.NOTE]


@pytest.mark.parametrize(
    ("changes", "part", "draft"),
    [
        (TrackedChanges.ACCEPTED, "a base.", None),
        (TrackedChanges.ORIGINAL, "a foot.", None),
        (TrackedChanges.BOTH, "a base.", "a foot."),
    ],
)
def test_amendments_of_st96_are_read_as_asked(
    changes: TrackedChanges, part: str, draft: str | None
) -> None:
    document = read(SUBMITTED, tracked_changes=changes)
    first = f"1. (Currently Amended) A lamp comprising:\n    {part}"
    assert document.claims.text == f"{first}\n\n2. (Original) The lamp of claim 1, lit."
    assert [claim.status for claim in document.claims.claims] == ["currently amended", "original"]
    assert document.claims.claims[1].cites == (1,)
    assert (document.draft.text.split("\n")[1].strip() if document.draft else None) == draft


def test_a_claim_that_an_amendment_has_put_in_has_no_text_before_it() -> None:
    claim = '<claim num="{0}"><claim-text>{1}</claim-text></claim>'
    xml = f"<doc><claims>{claim.format(1, 'A lamp.')}{claim.format(2, '<ins>A desk.</ins>')}"
    xml += "</claims></doc>"
    assert read(xml).claims.text == "1. A lamp.\n\n2. A desk."
    before = read(xml, tracked_changes=TrackedChanges.ORIGINAL)
    assert before.claims.text == "1. A lamp."
    assert "no text" in [item.kind for item in before.findings]


def test_numbers_come_from_ids_or_places_where_none_is_stated() -> None:
    claim = "<claim{0}><claim-text>A lamp.</claim-text></claim>"
    named = claim.format(" id='CLM-00004'")
    xml = f"<doc><claims>{named}{claim.format('')}</claims></doc>"
    assert [item.number for item in read(xml).claims.claims] == [4, 2]


def test_the_language_that_is_asked_for_is_read() -> None:
    document = read(EUROPEAN, language="en")
    assert document.claims.text == "1. Lamp with a foot.\n\n2. Lamp of claim 1, lit."
    about = document.bibliography
    assert (about.title, about.language, about.languages) == ("LAMP", "en", ("de", "en"))
    assert (about.office, about.number, about.date) == ("EPO", "EP9999999B1", "2025-01-29")
    assert about.ipc == ("F21S 8/08",)
    assert document.context == ()
    assert read(EUROPEAN, language="de").context[0].text == "Eine Lampe."


def test_several_languages_are_a_question_and_another_one_is_refused() -> None:
    (question,) = read(EUROPEAN).questions
    assert "(de, en)" in question.sentence
    with pytest.raises(FormatError, match="no claims in fr; it has them in: de, en"):
        read(EUROPEAN, language="fr")


def test_several_sets_in_one_language_are_a_question_that_a_line_answers() -> None:
    claims = '<claims lang="en"><claim num="1"><claim-text>A {}.</claim-text></claim></claims>'
    xml = f"<doc>\n{claims.format('lamp')}\n{claims.format('torch')}</doc>"
    (question,) = read(xml).questions
    assert "lines 2 and 3" in question.sentence
    assert read(xml, first=3).claims.text == "1. A torch."


@pytest.mark.parametrize(
    "inside",
    [
        "1. A lamp.</claim-text><claim-text>2. A lamp of claim 1.",
        "Claims\n1. A lamp.\n2. A lamp of claim 1.",
    ],
)
def test_claims_that_ops_puts_into_one_are_divided_by_their_numbers(inside: str) -> None:
    document = read(OPS.format(inside))
    assert document.claims.text == "1. A lamp.\n\n2. A lamp of claim 1."
    assert document.bibliography.number == "EP9999999A1"


def test_amended_claims_stand_beside_those_filed() -> None:
    xml = (
        '<doc><claims lang="en"><claim num="1"><claim-text>A lamp.</claim-text></claim></claims>'
        '<amended-claims lang="en"><claim num="1"><claim-text>A red lamp.</claim-text></claim>'
        "</amended-claims></doc>"
    )
    assert read(xml).claims.text == "1. A red lamp."
    assert read(xml, tracked_changes=TrackedChanges.ORIGINAL).claims.text == "1. A lamp."
    both = read(xml, tracked_changes=TrackedChanges.BOTH)
    assert (both.claims.text, both.draft and both.draft.text) == ("1. A red lamp.", "1. A lamp.")


@pytest.mark.parametrize(
    ("inside", "shown", "kind"),
    [
        ('<img file="a.tif"/>', "[image]", "image"),
        ("<maths><math><mi>x</mi></math></maths>", "[formula]", "formula"),
        (
            "<tables><table><row><entry>tin</entry><entry>5</entry></row></table></tables>",
            "tin | 5",
            "table",
        ),
        ("CO<sub>2</sub>", "CO2", "raised or lowered"),
    ],
)
def test_what_is_no_text_is_marked(inside: str, shown: str, kind: str) -> None:
    claim = f'<claim num="1"><claim-text>A lamp, {inside}</claim-text></claim>'
    document = read(f"<doc><claims>{claim}</claims></doc>")
    assert shown in document.claims.text
    assert [item.kind for item in document.findings] == [kind]


def test_a_link_that_the_text_does_not_make_is_found() -> None:
    xml = GRANT.replace(">claim 1</claim-ref>", ">any lamp</claim-ref>")
    assert [item.kind for item in read(xml).findings] == ["links", "cancelled"]


@pytest.mark.parametrize(
    ("xml", "why"),
    [
        ("<us-patent-grant><claims>", "no well-formed XML at line 1"),
        ("<doc><abstract/></doc>", "holds no claims"),
        (GRANT + GRANT, "several XML documents"),
        (GRANT.replace("[ ]", '[<!ENTITY a "aaaa">]'), "declares XML entities"),
        (GRANT.replace("a foot", "&unknown; foot"), "entity is used and not known"),
    ],
)
def test_what_cannot_be_read_is_refused(xml: str, why: str) -> None:
    with pytest.raises(FormatError, match=why):
        read(xml)


def test_an_entity_of_the_named_dtd_that_html_knows_is_its_character() -> None:
    assert "a\u2014foot" in read(GRANT.replace("a foot", "a&mdash;foot")).claims.text


def test_entities_are_found_in_utf_16_too() -> None:
    xml = GRANT.replace("UTF-8", "UTF-16").replace("[ ]", '[<!ENTITY a "aaaa">]')
    # Said before anything is parsed: what follows may be no XML at all.
    for text in (xml, xml[:-40]):
        with pytest.raises(FormatError, match="declares XML entities"):
            read_office_xml(text.encode("utf-16"), ReadOptions())
