import pytest

from patclaimeval.models.claims import (
    Claim,
    ancestors,
    antecedents,
    is_term,
    read_claims,
    singular,
    terms,
)

SET = (
    "1. A pump comprising a housing and a plurality of bolts. "
    "2. The pump of claim 1, wherein the bolts are of steel. "
    "3. The pump of any one of claims 1 to 2, wherein the gasket is soft."
)


def test_claims_are_split_at_their_numbers_and_not_at_citations() -> None:
    text = "1. A pump. 2. A kit with the pump of claim 1. 3. The kit of claim 2, having a lid."
    assert [claim.number for claim in read_claims(text)] == [1, 2, 3]
    assert [claim.cited for claim in read_claims(text)] == [(), (1,), (2,)]


def test_text_without_numbers_is_one_claim_and_so_is_no_text() -> None:
    (claim,) = read_claims("A pump comprising 2 valves.")
    assert (claim.number, claim.words) == (1, ("a", "pump", "comprising", "2", "valves"))
    assert [(one.number, one.words) for one in read_claims("")] == [(1, ())]


def test_words_are_letters_and_digits_of_any_script_and_single_chinese_characters() -> None:
    (claim,) = read_claims("Ein Gehäuse_teil, C₆H₅ 泵体 of ポンプ and насос.")
    assert claim.words == (
        *("ein", "gehäuse", "teil", "c₆h₅", "泵", "体", "of", "ポ", "ン", "プ", "and", "насос"),
    )


def test_a_phrase_stands_behind_an_article_and_ends_where_a_verb_or_a_sign_does() -> None:
    (claim,) = read_claims(
        "A first rotary pump housing, one of the valves comprising said outer sealing ring."
    )
    assert claim.phrases == (
        *((False, ("rotary", "pump", "housing")), (True, ("valve",))),
        (True, ("outer", "sealing", "ring")),
    )


def test_terms_are_what_a_claim_is_about_counted_in_the_singular() -> None:
    words = ("the", "valves", "wherein", "valve", "lid", "2024", "glass", "claim", "泵", "壳", "体")
    assert terms(words) == {"valve": 2, "glass": 1, "泵壳": 1, "壳体": 1}
    assert terms(("泵", "valve", "壳")) == {"valve": 1}
    assert [singular(word) for word in ("bolts", "gas", "glass", "cups")] == [
        *("bolt", "gas", "glass", "cup")
    ]
    assert not any(map(is_term, ("lid", "1234", "comprising")))


def test_claims_of_a_chinese_set_are_cut_and_cite_by_number() -> None:
    claims = read_claims("1. 一种泵。\n2. 如权利要求1所述的泵。")
    assert [(claim.number, claim.cited) for claim in claims] == [(1, ()), (2, (1,))]
    assert claims[0].words == ("一", "种", "泵")


def test_what_stands_before_the_first_claim_and_what_was_cancelled_is_no_claim() -> None:
    claims = read_claims(
        "What is claimed is:\n1-2. (canceled)\n3. A pump.\n4. The pump of claim 3."
    )
    assert [(claim.number, claim.cited) for claim in claims] == [(3, ()), (4, (3,))]
    assert claims[0].words == ("a", "pump")


def test_ancestors_follow_the_chain_and_no_forward_citation() -> None:
    claims = read_claims(
        "1. A pump. 2. The pump of claim 1. 3. That of claim 2 or 4. 4. A lid. 5. That of claim 9."
    )
    assert ancestors(claims) == [0b0, 0b1, 0b11, 0b0, 0b0]


def test_only_the_part_never_introduced_is_missing() -> None:
    total, missing = antecedents(read_claims(SET))
    assert (total, missing) == (4, 1)


def test_a_part_introduced_in_another_branch_is_missing() -> None:
    text = (
        "1. A pump. 2. The pump of claim 1, having a seal. 3. The pump of claim 1, the seal soft."
    )
    assert antecedents(read_claims(text))[1] == 1


@pytest.mark.parametrize("per_claim", [1, 10_000])
def test_a_definite_phrase_is_looked_up_and_not_compared_with_all_before(per_claim) -> None:
    class Word(str):
        __slots__ = ()
        looks = 0

        def __eq__(self, other: object) -> bool:
            Word.looks += 1
            return str.__eq__(self, other)

        def __hash__(self) -> int:
            Word.looks += 1
            return str.__hash__(self)

    def looks(count: int) -> int:
        """Read so many pairs "a sealN, the capN", in one claim or each citing all before."""
        words = [Word(f"{noun}{place}") for place in range(count) for noun in ("seal", "cap")]
        phrases = tuple((not word.startswith("seal"), (word, Word("x"))) for word in words)
        size = 2 * min(per_claim, count)
        claims = tuple(
            Claim(number, (), tuple(range(1, number)), phrases[start : start + size])
            for number, start in enumerate(range(0, 2 * count, size), start=1)
        )
        Word.looks = 0
        assert antecedents(claims) == (count, count)
        return Word.looks

    assert looks(400) < 3 * looks(200)
