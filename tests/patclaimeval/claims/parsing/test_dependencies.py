import pytest

from patclaimeval.claims.parsing import citations, dependencies, find_references


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("The pump of claim 1, wherein", (1,)),
        ("Pump according to any one of claims 1 to 3, wherein", (1, 2, 3)),
        ("The pump of claims 2-4", (2, 3, 4)),
        ("The pump of claim 1, 3 or 5", (1, 3, 5)),
        ("The pump of any of claims 1, 2, and 4 to 6", (1, 2, 4, 5, 6)),
        ("The pump of claim 1 or claim 2", (1, 2)),
        ("The pump as claimed in claim 2, having 3 valves", (2,)),
        ("A system carrying out the method of claim 7", (7,)),
        ("Pump according to any preceding claim", (1, 2, 3, 4)),
        ("Pump according to one of the previous claims", (1, 2, 3, 4)),
        ("A pump with 3 valves", ()),
        ("The pump of claim 99", (99,)),
        ("Pump as claimed in claims 1 through 3", (1, 2, 3)),
        ("Pump of any one of claims 1-3 or 5, wherein", (1, 2, 3, 5)),
        ("The pump of claims 1-2, 4, and 7 to 9", (1, 2, 4, 7, 8, 9)),
        ("Pump according to either of claims 1, 2, wherein", (1, 2)),
        ("Pump according to claim 1 or any one of claims 3 to 4", (1, 3, 4)),
        ("The pump of claims 1 to claim 3", (1, 2, 3)),
        ("The pump of claim (2)", (2,)),
        ("The pump of claim 1, 2 valves being open", (1,)),
        ("Pump as claimed in any of the preceding method claims", (1, 2, 3, 4)),
        ("Pump of any of the above claims", (1, 2, 3, 4)),
        ("Pump according to the immediately preceding claim", (4,)),
        ("Pump according to any one of the preceding claim", (1, 2, 3, 4)),
        ("Pump according to any of the preceding claims 1 to 3", (1, 2, 3)),
        ("根据权利要求1所述的泵", (1,)),
        ("如权利要求1至3中任一项所述的泵", (1, 2, 3)),
        ("根据权利要求1、2或4所述的泵", (1, 2, 4)),
        ("根据权利要求1或者权利要求3所述的泵", (1, 3)),
        ("根据前述权利要求中任一项所述的泵", (1, 2, 3, 4)),
        ("Pumpe nach einem der Ansprüche 1 bis 3", (1, 2, 3)),
        ("Pompe selon la revendication 2", (2,)),
        ("Pumpe nach einem der vorstehenden Patentansprüche", (1, 2, 3, 4)),
        ("Pumpe nach mindestens einem der vorangegangenen Ansprüche", (1, 2, 3, 4)),
        ("Pumpe nach Patentanspruch 2 oder 3", (2, 3)),
        ("System mit der Pumpe des Anspruches 3", (3,)),
        ("Pompe selon l'une quelconque des revendications 1 à 3", (1, 2, 3)),
        ("Pompe selon l'une des revendications qui précèdent", (1, 2, 3, 4)),
        ("如請求項1至3中任一項所述之泵", (1, 2, 3)),
        ("如前述請求項中任一項所述之泵", (1, 2, 3, 4)),
        ("請求項１ないし３のいずれか１項に記載のポンプ", (1, 2, 3)),
        ("請求項1から請求項3のいずれか一項に記載のポンプ", (1, 2, 3)),
        ("請求項1、2又は4に記載のポンプ", (1, 2, 4)),
        ("請求項1または請求項3に記載のポンプ", (1, 3)),
        ("前記請求項のいずれかに記載のポンプ", (1, 2, 3, 4)),
        ("ポンプが２つの軸を備える", ()),
        # A backward or endless range: its ends.
        ("of claims 5 to 2", (5, 2)),
        ("of claims 1 to 9999", (1, 9999)),
    ],
)
def test_dependencies_are_read(text, cited):
    assert dependencies(text, earlier=(1, 2, 3, 4)) == cited


def test_spans_point_at_the_digits():
    text = "of claims 1 to 12"
    found = find_references(text)
    assert [text[item.start : item.end] for item in found] == ["1", "12"]
    assert [item.closes_range for item in found] == [False, True]


def test_preceding_claims_are_cited_without_a_number():
    assert dependencies("according to any of the foregoing claims", (1, 2)) == (1, 2)
    assert find_references("according to any of the foregoing claims") == ()
    assert dependencies("according to the preceding claim", (1, 2)) == (2,)


def test_each_citation_carries_its_numbers_and_its_place():
    text = "of claims 1 to 3 or any preceding claim"
    found = citations(text, (1, 2))
    assert [(item.numbers, text[item.start : item.end]) for item in found] == [
        ((1,), "1"),
        ((2, 3), "3"),
        ((1, 2), "preceding claim"),
    ]
