import math
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from patclaimeval.claims.parsing import Claim
from patclaimeval.claims.term_changes import renamed_terms
from patclaimeval.models import features
from patclaimeval.models.features import (
    FEATURES,
    GROUPS,
    CountedClaim,
    compare_each,
    feature_vector,
    pair_claims,
    pair_features,
    read_claim_set,
)

PUMP = "1. A pump comprising a housing, an inlet valve, a spring and a pressure sensor. "
SPRING = "wherein the spring presses the inlet valve against the housing. "
SENSOR = "wherein the pressure sensor is fixed to the housing. "
REFERENCE = f"{PUMP}2. The pump of claim 1, {SPRING}3. The pump of claim 2, {SENSOR}"
# Nothing of the reference itself can be found fault with.
PERFECT = pair_features(REFERENCE, REFERENCE)


def flat(groups: dict[str, dict[str, float]]) -> dict[str, float]:
    return {name: value for values in groups.values() for name, value in values.items()}


def test_a_shorter_candidate_is_measured_as_counted_by_hand() -> None:
    found = pair_features(
        "1. A pump with a valve. 2. The pump of claim 1 having springs.",
        "1. A pump with a valve and a lever.",
    )
    # Terms: pump, valve; pump, spring; pump, valve, lever. Words: 5, 7; 8. With 1 added: 6, 8; 9.
    assert found["structure"] == pytest.approx(
        {
            "claims_matched": 1 / 1,
            "claims_matched_f": 2 / 3,
            "claims_alike": 4 / 5,
            "claim_count": -math.log(2),
            "claim_length": -math.log(9 / 7),
            "parents": 1 / 2,
            # The second claim shares one word of 7 and 8: 8 * 2/15 is less than 6 * 10/13.
            "kept_rouge_l": 2 * 6 * (10 / 13) / 23,
            "kept_rouge_1": 2 * 6 * (10 / 13) / 23,
            "kept_dice": 2 * 6 * (4 / 5) / 23,
            "kept_half": 2 * 6 / 23,
        },
        abs=1e-12,
    )
    # Of 3 claims pump stands in 3; a, with, valve in 2; each other word in 1.
    one, two, three = (math.log(4 / (count + 0.5)) for count in (1, 2, 3))
    assert found["overlap"] == pytest.approx(
        {
            "rouge_1": 2 * 5 / (12 + 8),
            "rouge_2": 2 * 4 / (11 + 7),
            "rouge_l": 2 * 5 / (12 + 8),
            "content_words": 2 * 2 / (4 + 3),
            "rare_words": 2 * (4 * two + three) / (9 * two + 3 * three + 8 * one),
        },
        abs=1e-12,
    )
    assert found["terms"] == pytest.approx(
        {
            "terms_new": -math.log(2),
            "terms_lost": -math.log(2),
            **dict.fromkeys(("phrases_lost", "numbers_new"), 0),
            **dict.fromkeys(("antecedents_missing", "vague_share"), 0),
        },
        abs=1e-12,
    )
    assert found["citations"]["dependent_share"] == -1 / 2


def test_faults_within_a_candidate_are_counted_by_hand() -> None:
    found = pair_features(
        "1. A pump and 5 bolts. 2. The pump of claim 1. 3. The pump of claim 1.",
        "1. A pump and 6 nuts. 2. The lid of claim 9. "
        "3. The pump of claim 3, the rod, it is about 7 cm.",
    )
    # The rod needs an introduction and has none; the phrases that open claims need none.
    assert found["antecedents"] == pytest.approx(
        {"antecedents_share": -1 / 1, "antecedents_count": -math.log(2)}
    )
    assert found["terms"]["antecedents_missing"] == pytest.approx(-1 / 3)
    # "it" and "about", among 5 + 5 + 12 words.
    assert found["vagueness"] == {"vague_count": pytest.approx(-math.log(3))}
    assert found["terms"]["vague_share"] == pytest.approx(-100 * 2 / 22)
    # New are 6, 7, 9 of 1, 2, 3, 6, 7, 9.
    assert found["terms"]["numbers_new"] == pytest.approx(-3 / 6)
    assert found["citations"] == pytest.approx(
        {
            "citations_unknown": -math.log(2),
            "citations_forward": -math.log(3),
            "citations_same": 1 / 3,
            "dependent_share": 0,
        }
    )


VALVES = (
    "1. A pump with a housing and an inlet valve. "
    "2. The pump of claim 1, wherein the inlet valve is open. "
    "3. The pump of claim 2, wherein the inlet valve is red. "
    "4. The pump of claim 3, wherein the housing is blue."
)


@pytest.mark.parametrize(
    ("old", "new", "mixed", "places"),
    [
        ("inlet valve", "outlet flap", 0, 3),
        ("the inlet valve", "the outlet flap", 1, 2),
        # One place of several is no second name for certain.
        ("the inlet valve is red", "the outlet flap is red", 0, 0),
        # But one known as a synonym is, in the candidate by itself.
        ("the housing", "the casing", 1, 0),
        ("a housing", "a housing", 0, 0),
    ],
)
def test_terms_of_two_names_and_places_of_another_name_are_counted(old, new, mixed, places) -> None:
    found = pair_features(VALVES, VALVES.replace(old, new))
    assert found["renaming"] == pytest.approx(
        {"renamings_mixed": -math.log(1 + mixed), "renamings_places": -math.log(1 + places)}
    )


def test_a_place_of_a_term_that_drifts_is_not_counted_again_as_a_second_name() -> None:
    text = VALVES.replace("housing is blue", "housing is blue and the housing is round")
    candidate = text.replace("the housing", "the casing")
    assert renamed_terms(candidate)
    assert pair_features(text, candidate)["renaming"]["renamings_mixed"] == -math.log(2)


def test_a_claim_shares_each_word_as_often_as_both_have_it() -> None:
    left = read_claim_set("1. A lid, a rod, a rod. 2. A red cap.")
    right = read_claim_set("1. A lid. 2. A red, red cap of tin. 3. Glue.")
    assert compare_each(left.claims, right.claims).rouge_1 == pytest.approx(
        np.array([[2 * 2 / 8, 2 * 1 / 12, 0], [2 * 1 / 5, 2 * 3 / 9, 0]])
    )


def test_content_words_are_compared_each_once() -> None:
    left = read_claim_set("1. A seal ring and a seal. 2. A seal ring with grease. 3. A lever.")
    right = read_claim_set("1. A seal ring with grease. 2. A seal. 3. A motor.")
    assert compare_each(left.claims, right.claims).dice == pytest.approx(
        np.array([[2 * 2 / 5, 2 * 1 / 3, 0], [1, 2 * 1 / 4, 0], [0, 0, 0]])
    )


def test_claims_are_paired_in_the_order_of_the_reference_and_strangers_stay_alone() -> None:
    pump, lid, lever = "A pump with a rotor.", "A lid of clay.", "A lever of steel."
    left = read_claim_set(f"1. {pump}\n2. {lid}\n3. {lever}")
    right = read_claim_set(f"1. {lid}\n2. {pump}\n3. A motor.")
    assert pair_claims(left, right) == ((0, 1), (1, 0))


def test_text_before_the_first_number_and_cancelled_claims_are_not_counted() -> None:
    found = read_claim_set(
        "What is claimed is:\n1-2. (canceled)\n3. A pump.\n4. The pump of claim 3."
    )
    assert [(one.number, sorted(one.cited)) for one in found.claims] == [(3, []), (4, [3])]
    assert found.claims[0].words == ("a", "pump")
    assert pair_claims(found, read_claim_set("1. A pump. 2. The pump of claim 1.")) == (
        (0, 0),
        (1, 1),
    )


def test_text_without_numbers_is_one_claim_and_so_is_no_text() -> None:
    (claim,) = read_claim_set("A pump comprising 2 valves.").claims
    assert (claim.number, claim.words) == (1, ("a", "pump", "comprising", "2", "valves"))
    assert [(one.number, one.words) for one in read_claim_set("").claims] == [(1, ())]
    assert pair_claims(read_claim_set(""), read_claim_set("1. A pump.")) == ()


def test_words_are_letters_and_digits_of_any_script_and_single_chinese_characters() -> None:
    (claim,) = read_claim_set("Ein Gehäuse_teil, C₆H₅ 泵体 of ポンプ and насос.").claims
    assert claim.words == (
        *("ein", "gehäuse", "teil", "c₆h₅", "泵", "体", "of", "ポ", "ン", "プ", "and", "насос"),
    )


def test_the_reference_itself_lacks_nothing() -> None:
    ones = {*GROUPS["overlap"], "claims_matched", "claims_matched_f", "claims_alike", "parents"}
    ones |= {"kept_rouge_l", "kept_rouge_1", "kept_dice", "kept_half"}
    ones |= {"citations_same", "claim_order"}
    assert flat(PERFECT) == pytest.approx({name: float(name in ones) for name in FEATURES})


DAMAGES: dict[str, tuple[str, set[str]]] = {
    "a claim left out": (
        f"{PUMP}2. The pump of claim 1, {SPRING}",
        {"claims_matched_f", "claim_count", "parents", "kept_rouge_l", "kept_rouge_1"}
        | {"kept_dice", "kept_half", "rouge_1", "rouge_2", "rouge_l", "content_words"}
        | {"rare_words", "terms_lost"},
    ),
    "a claim of another invention added": (
        f"{REFERENCE}4. A bicycle with brakes.",
        {"claims_matched", "claims_matched_f", "claim_count", "terms_new", "numbers_new"},
    ),
    "parts left out": (
        REFERENCE.replace(", a spring and a pressure sensor", ""),
        {"claims_alike", "claim_length", "antecedents_missing", "antecedents_share"}
        | {"antecedents_count", "kept_dice", "content_words"},
    ),
    "a term renamed in some places": (
        REFERENCE.replace("the housing", "the shell"),
        {"terms_new", "renamings_mixed", "renamings_places"},
    ),
    "a part replaced": (
        REFERENCE.replace("pressure sensor", "copper pipe"),
        {"phrases_lost", "terms_lost", "terms_new", "renamings_places"},
    ),
    "a citation of no claim": (
        REFERENCE.replace("claim 2", "claim 9"),
        {"citations_unknown", "citations_forward", "citations_same", "parents", "numbers_new"},
    ),
    "a citation of itself": (
        REFERENCE.replace("claim 2", "claim 3"),
        {"citations_forward", "citations_same", "parents"},
    ),
    "a citation of another claim": (
        REFERENCE.replace("claim 2", "claim 1"),
        {"citations_same", "parents"},
    ),
    "a dependent claim made independent": (
        REFERENCE.replace("3. The pump of claim 2,", "3. A pump,"),
        {"dependent_share", "citations_same", "parents"},
    ),
    "vague words": (
        REFERENCE.replace("is fixed to", "is somehow approximately near"),
        {"vague_share", "vague_count", "rouge_2"},
    ),
    "claims in another order": (
        f"{PUMP}2. The pump of claim 1, {SENSOR}3. The pump of claim 2, {SPRING}",
        {"claim_order", "word_order", "rouge_l"},
    ),
}


@pytest.mark.parametrize("kind", list(DAMAGES))
def test_damage_lowers_what_measures_it_and_raises_nothing(kind) -> None:
    damaged, lowered = DAMAGES[kind]
    assert damaged != REFERENCE
    whole, found = flat(PERFECT), flat(pair_features(REFERENCE, damaged))
    assert {name for name in lowered if not found[name] < whole[name] - 1e-9} == set()
    assert {name for name in FEATURES if found[name] > whole[name] + 1e-9} == set()


def test_every_feature_is_lowered_by_some_damage() -> None:
    assert set().union(*(lowered for _, lowered in DAMAGES.values())) == set(FEATURES)


SET = st.lists(
    st.lists(
        st.sampled_from(["the", "a", "pump", "valve", "housing", "spring", "of claim 1", "about"]),
        max_size=9,
    ).map(" ".join),
    min_size=1,
    max_size=5,
).map(lambda claims: "\n".join(f"{n}. A {words}." for n, words in enumerate(claims, start=1)))


@given(st.one_of(SET, st.text(max_size=80)))
def test_no_candidate_surpasses_the_reference_itself_in_anything(candidate) -> None:
    whole, found = flat(PERFECT), flat(pair_features(REFERENCE, candidate))
    assert {name for name in FEATURES if found[name] > whole[name] + 1e-9} == set()


BOTH_WAYS = {
    *GROUPS["overlap"],
    *("claims_matched_f", "claims_alike", "claim_count", "claim_length"),
    *("kept_rouge_l", "kept_rouge_1", "kept_dice", "kept_half"),
    *("dependent_share", "word_order"),
}


@pytest.mark.parametrize("kind", list(DAMAGES))
def test_what_compares_two_texts_is_the_same_both_ways(kind) -> None:
    damaged = DAMAGES[kind][0]
    there = flat(pair_features(REFERENCE, damaged))
    back = flat(pair_features(damaged, REFERENCE))
    assert {name: back[name] for name in BOTH_WAYS} == pytest.approx(
        {name: there[name] for name in BOTH_WAYS}
    )


def test_claims_numbered_otherwise_keep_their_places_in_the_tree() -> None:
    renumbered = (
        f"{PUMP.replace('1.', '11.')}\n12. The pump of claim 11, {SPRING}"
        f"\n13. The pump of claim 12, {SENSOR}"
    )
    found = pair_features(REFERENCE, renumbered)
    assert found["structure"]["parents"] == found["structure"]["kept_dice"] == 1
    assert found["structure"]["claims_alike"] == found["order"]["claim_order"] == 1
    assert found["citations"]["citations_unknown"] == found["citations"]["citations_forward"] == 0
    assert found["terms"]["numbers_new"] == -1


def many(count: int, words: int) -> str:
    draw = np.random.default_rng(count)
    drawn = draw.integers(0, 400, (count, words)).tolist()
    return "\n".join(
        f"{n}. A " + " ".join(f"part{word}" for word in row) + f" of claim {max(1, n - 1)}."
        for n, row in enumerate(drawn, start=1)
    )


HOSTILE = {
    "nothing": "",
    "blank": " \n\t\u3000",
    "empty claims": "1.\n2.\n3.",
    "signs": "...;;; ((( \x00 \ufeff",
    "one huge claim": many(1, 20_000),
    "300 claims": many(300, 40),
    "Chinese": "1. 一种泵,包括壳体和阀。\n2. 如权利要求1所述的泵。\n" + "阀" * 3000,
    "the same number": "\n".join(["1. A pump of claim 1."] * 50),
    "citations": "1. A pump.\n2. The pump of claims 1 to 9999 and of claim 0 or -1.",
}


@pytest.mark.parametrize("name", list(HOSTILE))
def test_hostile_texts_have_finite_features_of_the_same_names(name) -> None:
    text = HOSTILE[name]
    for pair in ((REFERENCE, text), (text, REFERENCE), (text, text), (text, HOSTILE["Chinese"])):
        found = pair_features(*pair)
        assert all(math.isfinite(value) for value in flat(found).values())
        assert {group: tuple(values) for group, values in found.items()} == GROUPS


@given(st.text(max_size=60), st.text(max_size=60))
def test_features_of_any_texts_are_finite(left, right) -> None:
    assert np.isfinite(feature_vector(left, right)).all()


def test_chinese_claims_are_compared_by_their_characters() -> None:
    whole = "1. 一种泵,包括壳体和阀。\n2. 如权利要求1所述的泵,其中所述阀固定于所述壳体。"
    near = whole.replace("壳体", "外壳")
    far = "1. 一种自行车。\n2. 如权利要求1所述的车。"
    for group in ("structure", "overlap"):
        same, less, least = (
            sum(pair_features(whole, one)[group].values()) for one in (whole, near, far)
        )
        assert same > less > least
    assert flat(pair_features(whole, near))["terms_lost"] < 0


def test_a_vector_is_in_the_order_of_the_names_made_once_and_never_changed(monkeypatch) -> None:
    made: list[str] = []
    plain = pair_features

    def counted(reference: str, candidate: str) -> dict[str, dict[str, float]]:
        made.append(candidate)
        return plain(reference, candidate)

    monkeypatch.setattr(features, "pair_features", counted)
    candidate = REFERENCE.replace("spring", "coil spring of another test")
    vector = feature_vector(REFERENCE, candidate)
    assert vector.tolist() == list(flat(plain(REFERENCE, candidate)).values())
    assert feature_vector(REFERENCE, candidate) is vector
    assert made == [candidate]
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 0


def test_the_words_of_a_claim_are_read_a_few_times_and_not_for_each_of_the_other_side() -> None:
    class Counted(tuple[str, ...]):
        __slots__ = ()
        readings = 0

        def __iter__(self) -> Iterator[str]:
            Counted.readings += 1
            return super().__iter__()

    def readings(count: int) -> int:
        claims = [
            CountedClaim(Claim(number, "", 0, 0, ()), words(number), (), words(number))
            for number in range(1, count + 1)
        ]
        Counted.readings = 0
        compare_each(claims, claims[:-1])
        return Counted.readings

    def words(number: int) -> tuple[str, ...]:
        return Counted(("a", "pump", str(number)))

    assert readings(60) <= 2.1 * readings(30)
