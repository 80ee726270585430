from patclaimeval.metrics.base import Missing, Pair
from patclaimeval.metrics.defects import NO_CLAIMS, Defects, count_defects

CLEAN = (
    "1. A pump comprising a housing and a valve.\n"
    "2. The pump of claim 1, wherein the valve is made of steel."
)


def score(candidate: str, reference: str = "") -> object:
    return Defects().score([Pair(reference, candidate)])[0]


def test_a_clean_claim_set_has_no_defect_whatever_the_reference() -> None:
    assert (count_defects(CLEAN), score(CLEAN), score(CLEAN, "1. A cup.")) == (0, 1.0, 1.0)


def test_each_kind_of_defect_counts_once_over_the_number_of_claims() -> None:
    no_antecedent = CLEAN.replace("the valve", "the spring")
    unknown_claim = CLEAN.replace("claim 1", "claim 7")
    vague = CLEAN.replace("of steel", "of substantially steel")
    for text in (no_antecedent, unknown_claim, vague):
        assert (count_defects(text), score(text)) == (1, 1 / 1.5)
    assert count_defects(vague.replace("the valve", "the spring")) == 2


def test_a_text_without_words_is_missing_and_not_free_of_defects() -> None:
    for text in ("...", "1. ...", " "):
        assert score(text) == Missing(NO_CLAIMS)


def test_a_candidate_of_many_pairs_is_read_once_and_scored_alike() -> None:
    pairs = [Pair("1. A cup.", CLEAN), Pair("1. A lid.", CLEAN), Pair("1. A lid.", "1. A thing.")]
    assert Defects().score(pairs) == [1.0, 1.0, 0.5]


def test_claims_that_are_not_in_english_are_missing() -> None:
    pair = Pair("1. Pumpe mit einem Ventil.", "1. Pumpe mit einem Ventil.", language="de")
    assert Defects().score([pair]) == [Missing("defects does not read German.")]
