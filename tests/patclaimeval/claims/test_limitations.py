# ruff: noqa: RUF001
import pytest
from hypothesis import given
from hypothesis import strategies as st

from patclaimeval.claims.limitations import (
    Standing,
    align_features,
    count_elements,
    listed_elements,
)
from patclaimeval.claims.parsing import parse_claims
from patclaimeval.claims.splitting import split_features

PIECES = st.sampled_from(
    [
        *("a rod", "a seal", "; ", ";", ":\n", "\n", ", wherein ", "the layer includes: ", "and "),
        *("comprising: ", ".", " ", "\x00", "一"),
    ]
)
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=20).map("".join))
REFERENCE = (
    "1. A pump comprising: a housing (12); a rotor mounted in the housing; "
    "a rubber seal that closes a gap of 2 mm; and an electric motor."
)


def words(text, limitation):
    return text[limitation.start : limitation.end].strip() if limitation else None


def align_limitations(*texts):
    return align_features(*map(split_features, texts))


def standings(reference, candidate):
    """Each pair in words: the side's own words and the standing."""
    return [
        (words(reference, pair.reference), words(candidate, pair.candidate), pair.standing.value)
        for pair in align_limitations(reference, candidate)
    ]


@given(TEXTS, TEXTS)
def test_limitations_cover_each_side_and_only_what_stands_alone_is_missing_or_added(
    reference, candidate
):
    pairs = align_limitations(reference, candidate)
    for text, own in (
        (reference, [pair.reference for pair in pairs if pair.reference]),
        (candidate, [pair.candidate for pair in pairs if pair.candidate]),
    ):
        own.sort(key=lambda item: item.start)
        assert "".join(text[item.start : item.end] for item in own) == text
        assert {item.start for item in own} <= {item.start for item in split_features(text)}
    starts = [
        pair.reference.start for pair in align_limitations(reference, candidate) if pair.reference
    ]
    assert starts == sorted(starts)
    for pair in align_limitations(reference, candidate):
        if pair.reference is None or pair.candidate is None:
            assert pair.standing in {Standing.MISSING, Standing.ADDED, Standing.MATCHED}
        else:
            assert pair.standing not in {Standing.MISSING, Standing.ADDED}


@given(TEXTS)
def test_a_claim_matches_itself(text):
    for pair in align_limitations(text, text):
        assert pair.reference == pair.candidate
        assert pair.standing is Standing.MATCHED


TURNING = "a rotor turning in a round housing with"
PAIRS = {
    "matched": [
        ("a seal of rubber", "the rubber seals"),
        ("a rod fastened to the seal (12, 14a)", "a rod (R1), attached to said seal"),
        ("monitoring the zone", "iii. monitoring the zone"),
        ("a unit configured to count", "a unit adapted to count in a suitable manner"),
        (f"{TURNING} a lid", f"{TURNING} a cap"),
        ("3. The pump of claim 1", "7. The pump of any of claims 2 to 5"),
    ],
    "narrowed": [
        ("a seal", "a rubber seal"),
        ("a gap in the seal", "a gap of 2 mm in the seal"),
        ("一种水泵", "一种水泵和轴"),
        ("3. The pump of claim 1 with a lid", "3. The pump of claim 1 with a round lid"),
        ("A method comprising:", "A method for cleaning a vessel, the method comprising:"),
    ],
    "broadened": [
        ("a rubber seal", "a seal"),
        ("a lid that is formed on the base and carries a rod", "a lid formed on the base"),
    ],
    "changed": [
        ("a rod and a wide seal in a groove", "a bar and a wide seal of red rubber in a groove"),
        ("a rod of red steel and a seal in a wide groove", "a bar and a seal in a wide groove"),
        ("a vane turning in air", "a vane not turning in air"),
        ("a vane without a rim", "a vane with a rim"),
        ("the seal is fastened", "the seal is fastened in a suitable manner or not"),
        ("a seal of rubber", "a seal of rubber or cork"),
        (f"{TURNING} 2 lids", f"{TURNING} 3 lids"),
        ("a seal of rubber", "a seal of steel"),
        ("less than 5 bar in the vessel", "more than 5 bar in the vessel"),
        # What a dependent claim calls its subject limits nothing.
        ("3. The cleaning pump of claim 1", "3. The pump of claim 1"),
        ("3. The pump of any preceding claim", "3. The pump of claim 1"),
        # The subject is another one.
        ("a lid holding a rod", "a housing with a lid holding a rod"),
        ("the lid is carried by a rod", "a rod carries a round lid"),
        # Words put in may widen.
        ("a gap of 2 mm in steel", "a gap of 2 to 3 mm in steel"),
        ("a seal of a metal", "a seal of a metal such as copper"),
        ("the lid opens", "the lid opens when a rod turns"),
        ("without a lid", "without a round lid"),
        ("one of rods and bars", "one of rods, bars and pins"),
        # Another name, and a name for the class of thing.
        ("a gas in the vessel", "a gas (neon) in the vessel"),
        ("a pump", "a pump device"),
        # Something else instead, or the head of a list.
        ("cut with a blade", "cut based on a blade of steel"),
        ("forming a lid", "forming a round lid comprising:"),
    ],
}


@pytest.mark.parametrize("standing", PAIRS)
def test_a_pair_stands_as_its_words_say(standing):
    for pair in PAIRS[standing]:
        assert [found[2] for found in standings(*pair)] == [standing], pair


def test_each_limitation_finds_its_own_and_the_rest_is_missing_or_added():
    candidate = (
        "1. A pump comprising: a rotor mounted in a housing of steel; "
        "a seal that closes a gap of 2 mm; and a bubble detector; and a housing."
    )
    assert standings(REFERENCE, candidate) == [
        ("1. A pump comprising:", "1. A pump comprising:", "matched"),
        ("a housing (12);", "a housing.", "matched"),
        ("a rotor mounted in the housing;", "a rotor mounted in a housing of steel;", "narrowed"),
        (
            "a rubber seal that closes a gap of 2 mm; and",
            "a seal that closes a gap of 2 mm; and",
            "broadened",
        ),
        (None, "a bubble detector; and", "added"),
        ("an electric motor.", None, "missing"),
    ]


def test_a_limitation_in_two_parts_is_one():
    reference = "a rotor that turns in the housing and carries helical blades of steel"
    candidate = "a rotor that turns in the housing; wherein helical blades of steel are carried"
    assert standings(reference, candidate) == [(reference, candidate, "matched")]
    assert standings(candidate, reference) == [(candidate, reference, "matched")]


def test_the_opening_of_a_list_is_not_missing_when_its_words_are_there():
    reference = "a drum with a layer; wherein the layer includes: a mesh of wire"
    candidate = "a drum with a layer; a mesh of wire"
    assert ("wherein the layer includes:", None, "matched") in standings(reference, candidate)


@given(TEXTS)
def test_joining_the_features_gives_the_input_and_each_holds_a_word_if_the_text_does(text):
    features = split_features(text)
    assert "".join(feature.text for feature in features) == text
    assert all(text[item.start : item.end] == item.text for item in features)
    if any(char.isalnum() for char in text):
        assert all(any(map(str.isalnum, feature.text)) for feature in split_features(text))


ON_ONE_LINE = (
    "A lamp comprising:|a base; and/or|a shade,|where the shade is red,|in which a bulb glows|"
    "wherein said bulb includes:|a wire;|characterised in that:|the ratio is 1: 2,|wherein:|x"
)
IDEOGRAPHS = (
    "1\u3001\u6cf5\uff0c\u5305\u62ec\uff1a|\u58f3\u4f53\uff1b|\u8f74\uff0c|\u5176\u4e2d\u8f74\u957f"
)


@pytest.mark.parametrize(
    ("text", "features"),
    [
        (
            "A pump comprising:\n  a rod;\n  a seal; and\n  a cap, wherein the cap is round.",
            "A pump comprising:|a rod;|a seal; and|a cap,|wherein the cap is round.",
        ),
        (ON_ONE_LINE.replace("|", " "), ON_ONE_LINE),
        (IDEOGRAPHS.replace("|", ""), IDEOGRAPHS),
    ],
    ids=["many lines", "one line", "ideographs"],
)
def test_a_claim_is_cut_at_its_lines_lists_and_wherein_clauses(text, features):
    found = [" ".join(feature.text.split()) for feature in split_features(text)]
    assert found == features.split("|")


def test_elements_are_counted_over_all_claims():
    text = "1. A pump comprising a rod; a seal; and a cap.\n2. The pump of claim 1, wherein x."
    assert count_elements(parse_claims(text)) == 4
    assert ";".join(listed_elements(text)) == text


def test_long_runs_of_spaces_and_marks_are_no_trap():
    for run in (" " * 200_000, ";" * 200_000, ", " * 100_000, ":\n" * 100_000):
        assert [feature.text for feature in split_features("a" + run)] == ["a" + run]


@pytest.mark.parametrize(
    ("text", "features"),
    [
        (
            "Pumpe nach Anspruch 1, wobei der Rotor hohl ist, worin er dreht.",
            ["Pumpe nach Anspruch 1, ", "wobei der Rotor hohl ist, ", "worin er dreht."],
        ),
        (
            "Pumpe nach Anspruch 1, dadurch gekennzeichnet, dass sie dicht ist.",
            ["Pumpe nach Anspruch 1, ", "dadurch gekennzeichnet, dass sie dicht ist."],
        ),
        (
            "Pompe selon la revendication 1, dans laquelle l'axe est creux, "
            "caractérisée en ce que le joint est souple.",
            [
                "Pompe selon la revendication 1, ",
                "dans laquelle l'axe est creux, ",
                "caractérisée en ce que le joint est souple.",
            ],
        ),
        (
            "根据权利要求1的泵，其特征在于：轴为空心。",
            [
                "根据权利要求1的泵，",
                "其特征在于：",
                "轴为空心。",
            ],
        ),
        (
            "ポンプであって、弁と、軸とを備える。",
            [
                "ポンプであって、",
                "弁と、",
                "軸とを備える。",
            ],
        ),
    ],
)
def test_claims_are_cut_into_limitations_in_each_language(text, features):
    assert [feature.text for feature in split_features(text)] == features


@pytest.mark.parametrize(
    ("text", "word", "negation"),
    [
        ("Das Ventil der Pumpe ist im Ruhezustand des Motors {} offen", "stets", "nicht"),
        ("la soupape de la pompe reste au repos du moteur {} ouverte", "toujours", "jamais"),
        ("所述泵的阀门在所述电机静止且压力低于阈值的状态下{}打开并连通外部空间", "均", "不"),
    ],
)
def test_a_negation_is_never_the_same_in_other_words(text, word, negation):
    ((*_, same),) = standings(text.format(word), text.format(word + "x" * (len(word) > 1)))
    assert same == "matched"
    ((*_, standing),) = standings(text.format(word), text.format(negation))
    assert standing != "matched"
