"""Tests of reading the demo fixtures."""

from pathlib import Path

from annotator.demo import read_sources
from core.claim_text import parse_claims

DEMO = Path(__file__).parents[3] / "fixtures" / "demo"


def test_eighteen_different_references_of_both_offices_are_read():
    source = read_sources(DEMO)
    assert source.slug == "demo"
    assert len({item.reference_id for item in source.references}) == 18
    assert len({item.text for item in source.references}) == 18
    assert {item.office for item in source.references} == {"USPTO", "EPO"}
    assert len(list((DEMO / "references").glob("*.txt"))) == 18
    assert all(3 <= len(parse_claims(item.text)) <= 15 for item in source.references)


def test_every_word_pair_has_its_place_in_the_text():
    for item in read_sources(DEMO).references:
        for old, _new in (*item.renamings, *item.narrowings, *item.rewordings):
            assert old in item.text, (item.reference_id, old)


def test_no_wrong_name_stands_in_the_reference_itself():
    for item in read_sources(DEMO).references:
        for _term, name in item.renamings:
            assert f"the {name}" not in item.text, (item.reference_id, name)
