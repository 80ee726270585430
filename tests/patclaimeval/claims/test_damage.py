from pathlib import Path
from typing import Any

import pytest

from patclaimeval.claims import damage
from patclaimeval.claims.antecedents import find_antecedent_gaps
from patclaimeval.claims.damage import (
    NothingToDamage,
    break_dependency,
    delete_antecedent,
    drop_feature,
    muddle_clause,
    rename_term,
)
from patclaimeval.claims.edits import (
    Edit,
    apply_edits,
    remove_claim,
    remove_element,
    without_overlaps,
)
from patclaimeval.claims.parsing import parse_claims
from patclaimeval.claims.splitting import listed_elements
from tests.amounts import few, tries

REFERENCES = Path(__file__).parents[3] / "fixtures" / "demo" / "references"
PUMP = (REFERENCES / "01-dosing-pump.txt").read_text(encoding="utf-8")
ALL = [path.read_text(encoding="utf-8") for path in sorted(REFERENCES.glob("*.txt"))]
PAIRS = (("plunger", "ram"), ("pumping chamber", "working space"))
DAMAGES = {
    "drop_feature": drop_feature,
    "rename_term": lambda text, n, seed: rename_term(text, n, seed, PAIRS),
    "delete_antecedent": delete_antecedent,
    "muddle_clause": muddle_clause,
    "break_dependency": break_dependency,
}


def dependencies(text):
    return [claim.depends_on for claim in parse_claims(text)]


def elements(claims):
    return sum(len(listed_elements(claim.text)) for claim in claims)


def faulty(text):
    claims = parse_claims(text)
    known = {claim.number for claim in claims}
    return [
        claim.number
        for claim in claims
        if any(cited not in known or cited >= (claim.number or 0) for cited in claim.depends_on)
    ]


@pytest.mark.parametrize("kind", DAMAGES)
def test_the_same_seed_gives_the_same_damage_and_a_severity_of_nought_none(kind):
    one, two = (DAMAGES[kind](PUMP, 1, seed=5) for _ in range(2))
    assert one == two
    assert one.text != PUMP
    assert [(item.kind, item.severity) for item in one.applied] == [(kind, 1)]
    with pytest.raises(NothingToDamage):
        DAMAGES[kind](PUMP, 0, seed=0)


@pytest.mark.parametrize("kind", DAMAGES)
def test_another_seed_can_give_other_damage(kind):
    assert len({DAMAGES[kind](PUMP, 1, seed=seed).text for seed in range(12)}) > 1


@pytest.mark.parametrize("kind", DAMAGES)
@pytest.mark.parametrize("text", ["", "Nothing here", "1. A thing"])
def test_a_text_without_a_place_for_damage_is_refused(kind, text):
    with pytest.raises(NothingToDamage, match=kind):
        DAMAGES[kind](text, 2, seed=0)


@pytest.mark.parametrize("text", few(ALL, 4), ids=range(1, len(ALL) + 1))
def test_dropped_features_leave_a_sound_shorter_claim_set(text):
    for severity in (1, 4):
        damaged = drop_feature(text, severity, seed=severity)
        claims = parse_claims(damaged.text)
        assert damaged.applied[0].severity == severity
        assert elements(claims) == elements(parse_claims(text)) - severity
        assert [claim.number for claim in claims] == list(range(1, len(claims) + 1))
        assert find_antecedent_gaps(damaged.text) == ()
        assert faulty(damaged.text) == []
        assert all(claim.body.endswith(".") for claim in claims)


def test_more_places_than_a_text_has_are_said_honestly():
    damaged = rename_term(PUMP, 900, 0, PAIRS)
    assert damaged.applied[0].severity < 900
    assert damaged.applied[0].note == f"places renamed: {damaged.applied[0].severity}"


def test_a_renamed_term_keeps_its_first_name_where_it_is_introduced():
    damaged = rename_term(PUMP, 4, 1, PAIRS)
    new_names = damaged.text.count("the ram") + damaged.text.count("the working space")
    assert new_names == damaged.applied[0].severity == 4
    assert "a plunger" in damaged.text
    assert dependencies(damaged.text) == dependencies(PUMP)


def test_a_general_lexicon_serves_where_no_pairs_are_known():
    assert rename_term(PUMP, 2, 0).applied[0].criterion == "terminology_consistency"


def test_deleted_antecedents_leave_as_many_terms_without_basis_and_preambles_their_article():
    damaged = delete_antecedent(PUMP, 4, 0)
    assert damaged.applied[0].severity == 4
    assert len(find_antecedent_gaps(damaged.text)) == 4
    assert len(damaged.text.split()) == len(PUMP.split())
    for seed in range(tries(10)):
        text = delete_antecedent(PUMP, 20, seed).text
        assert text.startswith("1. A dosing pump")
        assert "10. A method" in text


def test_a_muddled_clause_only_adds_words():
    damaged = muddle_clause(PUMP, 6, 3)
    words = iter(damaged.text.replace(",", " ").replace(";", " ").replace(".", " ").split())
    before = PUMP.replace(",", " ").replace(";", " ").replace(".", " ").split()
    assert all(word in words for word in before)
    assert find_antecedent_gaps(damaged.text) == ()
    assert faulty(damaged.text) == []


def test_broken_dependencies_are_faults_of_the_claims_named():
    damaged = break_dependency(PUMP, 3, 2)
    assert len(faulty(damaged.text)) == damaged.applied[0].severity == 3
    assert find_antecedent_gaps(damaged.text) == ()


def test_a_feature_that_introduces_a_later_phrase_is_not_dropped():
    text = "1. A pad comprising:\n a receiver coil;\n auxiliary coils; and\n a fan.\n\n"
    text += "2. The pad of claim 1, wherein each of the auxiliary coils is flat.\n\n"
    text += "3. The pad of claim 2, wherein the fan and the auxiliary coils are red."
    for seed in range(20):
        dropped = drop_feature(text, 1, seed).text
        assert ("auxiliary coils; and" in dropped) or ("the auxiliary" not in dropped)


@pytest.mark.parametrize(
    ("kind", "text", "spares"),
    [
        # Each trial finds more terms without basis than the text had, or none.
        ("drop_feature", "1. A pump comprising: " + "a lid; " * 300 + "a rod.", False),
        ("delete_antecedent", "1. A pump comprising: " + "a lid; " * 300 + "a rod.", True),
    ],
)
def test_trials_read_so_many_characters_and_no_more(monkeypatch, kind, text, spares):
    read = []

    def found(trial):
        read.append(len(trial))
        return () if spares else tuple(read)

    monkeypatch.setattr(damage, "find_antecedent_gaps", found)
    monkeypatch.setattr(damage, "count_antecedents", lambda trial: (0, len(found(trial))))
    monkeypatch.setattr(damage, "MOST_READ", 20_000, raising=False)
    with pytest.raises(NothingToDamage):
        DAMAGES[kind](text, 3, seed=0)
    assert 20_000 - len(text) < sum(read) <= 20_000 + 2 * len(text)


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        ("listed_elements", "1. A pump comprising: " + "a lid; " * 200 + "a rod."),
        (
            "find_references",
            "1. A pump." + "".join(f"\n{n}. A lid of claim 1." for n in range(2, 60)),
        ),
    ],
)
def test_what_may_be_dropped_is_read_once_for_each_claim(monkeypatch, inner, text):
    calls = []
    read = getattr(damage, inner)

    def counted(words):
        calls.append(words)
        return read(words)

    monkeypatch.setattr(damage, inner, counted)
    drop_feature(text, 1, seed=0)
    assert 0 < len(calls) <= len(parse_claims(text))


LIST = "1. A pump comprising:\n  a rod;\n  a seal; and\n  a cap.\n\n2. The pump of claim 1."


def test_edits_are_made_in_any_order_and_an_insertion_at_a_replacement_loses_nothing():
    assert apply_edits("abcd", [Edit(0, 1, "xx"), Edit(3, 4, ""), Edit(2, 2, "-")]) == "xxb-c"
    for edits in ([Edit(1, 1, "-"), Edit(1, 3, "xx")], [Edit(1, 3, "xx"), Edit(1, 1, "-")]):
        assert apply_edits("abcd", edits) == "a-xxd"


class CountedText(str):
    """Counts the characters that are copied out of it or joined to it."""

    __slots__ = ()
    copied = 0

    def __getitem__(self, key: Any) -> "CountedText":
        return self._made(super().__getitem__(key))

    def __add__(self, other: str) -> "CountedText":
        return self._made(super().__add__(other))

    def _made(self, text: str) -> "CountedText":
        CountedText.copied += len(text)
        return CountedText(text)


def test_many_edits_copy_the_text_once_and_not_each():
    source = CountedText("abcd" * 500)
    CountedText.copied = 0
    assert apply_edits(source, [Edit(4 * n, 4 * n + 1, "x") for n in range(500)]) == "xbcd" * 500
    assert CountedText.copied <= 2 * len(source)


class CountedPlace(int):
    """Counts how often it is compared."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other: object) -> bool:
        CountedPlace.compared += 1
        return int.__eq__(self, other)

    def __lt__(self, other: int) -> bool:
        CountedPlace.compared += 1
        return int.__lt__(self, other)

    def __le__(self, other: int) -> bool:
        CountedPlace.compared += 1
        return int.__le__(self, other)

    __hash__ = int.__hash__


def test_an_edit_is_not_compared_with_all_that_were_kept():
    def compared(count: int) -> int:
        # Every place twice, in no order.
        starts = [3 * (n * 7919 % count) for n in range(2 * count)]
        edits = [Edit(CountedPlace(start), CountedPlace(start + 2), "") for start in starts]
        CountedPlace.compared = 0
        assert without_overlaps(edits) == edits[:count]
        return CountedPlace.compared

    assert compared(1000) < 3 * compared(500)


def test_of_overlapping_edits_the_first_is_kept():
    first, second, third = Edit(2, 5, "a"), Edit(4, 6, "b"), Edit(5, 6, "c")
    assert without_overlaps([first, second, third]) == [first, third]


@pytest.mark.parametrize(
    ("place", "left"),
    [(1, "a rod; and\n  a cap"), (2, "a rod; and\n  a seal")],
    ids=["middle", "last"],
)
def test_what_is_left_when_an_element_is_removed_is_a_list_with_its_conjunction(place, left):
    shorter = remove_element(LIST, parse_claims(LIST)[0], place)
    assert shorter == f"1. A pump comprising:\n  {left}.\n\n2. The pump of claim 1."


def test_a_removed_claim_renumbers_what_comes_after_it_and_leaves_no_blank_lines():
    text = "1. A pump.\n2. The pump of claim 1.\n3. The pump of claim 1.\n"
    text += "4. The pump of claims 1 to 3."
    shorter = remove_claim(text, parse_claims(text)[1])
    assert shorter == "1. A pump.\n2. The pump of claim 1.\n3. The pump of claims 1 to 2."
    last = "1. A pump.\n\n2. The pump of claim 1."
    assert remove_claim(last, parse_claims(last)[1]) == "1. A pump."


def test_a_claim_taken_out_leaves_digits_of_the_width_that_they_had():
    text = "【請求項１】\nポンプ。\n【請求項２】\n弁。\n【請求項３】\n請求項２に記載の弁。"  # noqa: RUF001
    shorter = remove_claim(text, parse_claims(text)[0])
    assert shorter == "【請求項１】\n弁。\n【請求項２】\n請求項１に記載の弁。"  # noqa: RUF001
