"""Tests of two claim sets side by side."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from patclaimeval.claims import reading as module
from patclaimeval.claims import sides
from patclaimeval.claims.mark_kinds import (
    BROKEN,
    FOREIGN,
    LIKELY_BASIS,
    MISREAD,
    NO_ANTECEDENT,
    RENAMED,
    SIGN,
)
from patclaimeval.claims.parsing import Claim, parse_claims
from patclaimeval.claims.reading import (
    ONLY_HERE,
    ClaimView,
    SideView,
    read_alone,
    read_pair,
)
from patclaimeval.claims.reading_limits import CHARACTERS, CLAIMS, LIMITATIONS, MARKS
from patclaimeval.claims.segments import Segment, Span, cut_segments
from patclaimeval.claims.tree import ClaimTree, Fault, build_tree, misread_faults
from tests.amounts import tries
from tests.claims_in_languages import ALL, CHINESE, ENGLISH, GERMAN, JAPANESE, ClaimSet

REFERENCE = (
    "1. A pump comprising a housing and a rotor in the housing.\n"
    "2. The pump of claim 1, wherein the rotor is hollow.\n"
)
CANDIDATE = (
    "1. A pump comprising a housing and a magnet in the shell.\n"
    "3. The pump of claim 7, wherein the rotor is hollow.\n"
    "4. A valve\u200b.\n"
)
PIECES = st.sampled_from(
    [
        *("1. ", "2. ", "3) ", "Claim 4 ", "A pump", " comprising ", "a rotor; ", "the rotor", "."),
        *(" of claim 1", " of claims 2 to 5", " of any preceding claim", "\n", "\r\n", "\t", " "),
        *("\x00", "\u202e", "\u200b", "\ufeff", "\u2028", "<b>", "{{7*7}}", "一种泵", "。"),
        *("e\u0301", "(a) ", "(i) ", "12", "wherein said shell", "1. 1. 1. "),
    ]
)
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=30).map("".join))


def joined(claim: ClaimView) -> str:
    return claim.marker + "".join(
        segment.text for limitation in claim.limitations for segment in limitation.segments
    )


def text_of(side: SideView) -> str:
    return "".join(joined(claim) for claim in side.claims)


def words_of(side: SideView, kind: str) -> list[str]:
    return [finding.words for finding in side.findings if finding.kind == kind]


def marked(claim: ClaimView, kind: str) -> list[str]:
    return [
        segment.text
        for limitation in claim.limitations
        for segment in limitation.segments
        if kind in segment.kinds
    ]


@given(TEXTS, TEXTS)
@example("", "")
@example("\r\n", "1. A\x00")
@settings(max_examples=tries(150))
def test_nothing_is_changed_or_lost_on_either_side(reference: str, candidate: str) -> None:
    reading = read_pair(reference, candidate)
    for text, side in ((reference, reading.reference), (candidate, reading.candidate)):
        assert text_of(side) == text
        for claim, parsed in zip(side.claims, parse_claims(text), strict=True):
            assert (claim.start, claim.number) == (parsed.start, parsed.number)
            assert joined(claim) == parsed.text
            places = [s.start for entry in claim.limitations for s in entry.segments]
            assert places == sorted(set(places))


@given(TEXTS, TEXTS)
def test_rows_hold_every_claim_once_and_faults_stand_at_their_claims(reference, candidate):
    reading = read_pair(reference, candidate)
    for place, side in enumerate((reading.reference, reading.candidate)):
        starts = [claim.start for row in reading.rows if (claim := row[place])]
        assert sorted(starts) == [claim.start for claim in side.claims]
    assert all(left or right for left, right in reading.rows)
    for text, side in ((reference, reading.reference), (candidate, reading.candidate)):
        claims = parse_claims(text)
        every = build_tree(claims).faults
        misread = misread_faults(every, claims)
        faults = [fault for fault in every if fault not in misread]
        assert sorted(words_of(side, MISREAD)) == sorted(fault.sentence for fault in misread)
        listed = [(index, str(one)) for index, c in enumerate(side.claims) for one in c.faults]
        assert sorted(listed) == sorted((fault.claim, fault.sentence) for fault in faults)
        assert sorted(words_of(side, BROKEN)) == sorted(fault.sentence for fault in faults)
        assert [f.start for f in side.findings] == sorted(f.start for f in side.findings)
        for finding in side.findings:
            claim = max((c for c in side.claims if c.start <= finding.start), key=lambda c: c.start)
            assert finding.claim == claim.number


@given(TEXTS)
@settings(max_examples=tries(60))
def test_a_claim_set_beside_itself_has_nothing_of_its_own(text: str) -> None:
    reading = read_pair(text, text)
    for side in (reading.reference, reading.candidate):
        assert not any(marked(claim, ONLY_HERE) for claim in side.claims)
    assert words_of(reading.candidate, FOREIGN) == []


def test_differences_are_counted_by_class_on_both_sides() -> None:
    reading = read_pair("1. A round cup (7) of baked clay.", "1. The round cup (8) of baked horn.")
    counts = {name: count for name, _, count in reading.changes}
    assert counts == {
        "substance": 2,
        "signs": 2,
        "articles": 2,
        "connectives": 0,
        "forms": 0,
        "punctuation": 0,
    }
    (claim,) = reading.candidate.claims
    assert marked(claim, "only-signs") == ["8"]


def test_each_kind_of_mark_lies_on_its_words() -> None:
    reading = read_pair(REFERENCE, CANDIDATE)
    first, third, _ = reading.candidate.claims
    assert "magnet" in " ".join(marked(first, ONLY_HERE))
    assert "magnet" in " ".join(words_of(reading.candidate, FOREIGN))
    assert "the shell" in "".join(marked(first, LIKELY_BASIS))
    assert words_of(reading.candidate, LIKELY_BASIS)[0] == "“shell” is not introduced before"
    assert words_of(reading.candidate, RENAMED) == ["“shell”, called “housing” before"]
    assert marked(third, BROKEN) and third.faults
    assert "cites claim 7, which does not exist" in " ".join(map(str, third.faults))
    assert words_of(reading.candidate, "invisible") == ["U+200B ZERO WIDTH SPACE"]
    assert reading.reference.findings == ()


def test_a_sign_that_changes_its_element_is_named_with_its_first_one() -> None:
    text = (
        "1. A pump having a lens (10) and a rotor (12) that turns in a round housing of cast iron "
        "with a hollow shaft, and a pushrod (10) on the rotor."
    )
    side = read_pair(text, text).candidate
    assert words_of(side, SIGN) == ["“pushrod”, 10 stood for “lens” before"]
    assert words_of(side, RENAMED) == []


def test_a_term_that_may_be_introduced_in_other_words_is_less_certain() -> None:
    text = (
        "1. A device comprising a valve and a seal for the skin, typing a form, sending the saved "
        "form to the server, with the width 'w' and the half-height 'h', a touchscreen and the "
        "touch screen, and the coated rotor."
    )
    side = read_pair(text, text).candidate
    likely = ("skin", "saved form", "half-height", "touch screen")
    assert words_of(side, LIKELY_BASIS) == [f"“{term}” is not introduced before" for term in likely]
    firm = [f"“{term}” is not introduced before" for term in ("server", "coated rotor")]
    assert words_of(side, NO_ANTECEDENT) == firm


def test_a_number_that_may_be_no_claims_is_less_certain() -> None:
    text = (
        "1. A seed of the kind:\n3. Blue.\n4. A salt, which is not: 2) The acid of claim 7.\n"
        "5. The salt of claim 9."
    )
    side = read_pair(text, text).candidate
    assert words_of(side, BROKEN) == ["Claim 5 cites claim 9, which does not exist."]
    assert words_of(side, MISREAD) == [
        "Number 2 is missing before claim 3.",
        "Claim 4 cites claim 7, which does not exist.",
    ]


def test_what_is_less_certain_is_counted_and_listed_apart() -> None:
    text = "1. A cup of a person with the skin and the lid."
    reading = read_pair(text, text)
    assert reading.less_certain == 2
    assert [one.kind for one in reading.candidate.certain_findings] == [NO_ANTECEDENT]
    assert len(reading.candidate.findings) == 2


def test_a_claim_without_counterpart_is_wholly_of_its_side() -> None:
    reading = read_pair(REFERENCE, CANDIDATE)
    alone = [right for left, right in reading.rows if left is None]
    assert [claim.number for claim in alone if claim] == [4]
    assert alone[0]
    assert [(entry.standing, entry.note) for entry in alone[0].limitations] == [
        ("nowhere", "added")
    ]
    reading = read_pair(CANDIDATE, REFERENCE)
    missing = [left for left, right in reading.rows if right is None]
    assert missing[0] and {entry.standing for entry in missing[0].limitations} == {"nowhere"}


def test_tree_and_counts_are_those_of_the_text_and_no_text_has_none() -> None:
    side = read_pair(REFERENCE, CANDIDATE).reference
    assert [(c.depth, c.parents) for c in side.claims] == [(0, ()), (1, (1,))]
    assert (side.claim_count, side.word_count) == (2, 21)
    reading = read_pair("", "")
    assert reading.rows == () and reading.reference.claims == ()
    assert (reading.candidate.claim_count, reading.candidate.word_count) == (0, 0)


def long_claim(words: int) -> str:
    return "1. A pump comprising " + " ".join(
        f"a part {n} on the shaft;" for n in range(words // 6)
    )


BLANKS = " " * tries(50_000)
LARGE = {
    "100,000 words": "\n".join(
        f"{n}. " + "A pump with the rotor. " * tries(200) for n in range(1, 101)
    ),
    "one claim of 5,000 words": long_claim(tries(5_000)),
    "NUL": "1. A\x00 pump\x00.\n" * tries(500),
    "bidi": "1. \u202eA pump\u202c \u2066of\u2069.\n" * tries(500),
    "markup": "1. <script>alert(1)</script> {{7*7}} A <b>pump</b>.\n" * tries(500),
    "brackets": "1. A pump " + "((" * tries(5_000),
    "numbers": "1. 2. 3. " * tries(2_000),
    "one word": "a" * tries(200_000),
    "spaces": " \n" * tries(50_000),
    "of claim 1": "2. The pump of claim 1. " * tries(1_000),
    "zero width": "\u200b" * tries(20_000),
    # Two runs of blanks side by side in a pattern take the square of this, or its cube.
    "claim 1 and blanks": f"2. The pump of claim 1{BLANKS}and{BLANKS}x",
    "cancelled": "1-9999. (canceled)\n" * tries(900),
}


@pytest.mark.parametrize("name", LARGE)
def test_large_and_hostile_texts_are_read_whole(name: str) -> None:
    reading = read_pair(REFERENCE, LARGE[name])
    assert text_of(reading.candidate) == LARGE[name]
    assert text_of(reading.reference) == REFERENCE


# What a pair may have too much of, and how it is read then.
TOO_MUCH = {
    "characters": (CHARACTERS, "1. A pump\u200b. " + "x " * (CHARACTERS.most // 2)),
    "claims": (CLAIMS, "\n1. A\u200b" * (CLAIMS.most + 1)),
    "limitations": (LIMITATIONS, "1. A\u200b lid:" + " a rod;" * (LIMITATIONS.most + 1)),
    "marks": (MARKS, "1. A" + "\u200b" * (MARKS.most + 1)),
}


@pytest.mark.parametrize("what", TOO_MUCH)
def test_what_is_too_much_is_left_out_and_said_and_the_texts_are_whole(what: str) -> None:
    limit, text = TOO_MUCH[what]
    other = text.replace("A", "The")
    reading = read_pair(text, other)
    (notice,) = reading.notices
    assert f"{limit.most:,}" in notice and notice.endswith("The texts are complete.")
    assert (text_of(reading.reference), text_of(reading.candidate)) == (text, other)
    assert reading.is_plain == (limit is not MARKS)
    assert len(reading.reference.findings) <= MARKS.most
    # What nobody can see is marked whatever else is off.
    assert words_of(reading.reference, "invisible")


def test_up_to_the_limits_every_aid_is_on() -> None:
    claims = "".join(
        f"\n{n}. The pump of claim {max(1, n - 1)}; with a rod." for n in range(1, CLAIMS.most + 1)
    )
    reading = read_pair(claims, claims.replace("rod", "bar"))
    assert (reading.notices, len(reading.rows)) == ((), CLAIMS.most)
    assert len({left.number for left, right in reading.rows if left and right}) == len(reading.rows)


def test_a_mark_is_looked_at_where_it_stands_and_nowhere_else(monkeypatch) -> None:
    looked_at: list[int] = []

    def counted(text: str, offset: int, spans: list[Span]) -> tuple[Segment, ...]:
        looked_at.append(len(spans))
        return cut_segments(text, offset, spans)

    monkeypatch.setattr(module, "cut_segments", counted)
    work = []
    for count in (200, 400):
        looked_at.clear()
        parts = "1. A pump" + "".join(f"; a red plate of steel {n} (1)" for n in range(count))
        assert not read_pair(parts, parts.replace("(1)", "(2)")).notices
        work.append(sum(looked_at))
    assert 0 < work[1] <= 2.3 * work[0]


class Counted(tuple[Fault, ...]):
    """Faults that count how often one is looked at."""

    __slots__ = ()
    looks = 0

    def __iter__(self) -> Iterator[Fault]:
        for fault in super().__iter__():
            Counted.looks += 1
            yield fault


def test_a_fault_is_looked_at_for_its_own_claim_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def counting(claims: tuple[Claim, ...]) -> ClaimTree:
        tree = build_tree(claims)
        return replace(tree, faults=Counted(tree.faults))

    monkeypatch.setattr(sides, "build_tree", counting)
    monkeypatch.setattr(Counted, "looks", 0)
    text = "".join(f"\n{n}. The pump of claim {n + 5000}." for n in range(1, 301))
    reading = read_pair(text, text)
    assert [len(claim.faults) for claim in reading.candidate.claims] == [1] * 300
    assert Counted.looks <= 4 * 300


def test_what_a_model_says_about_its_claims_has_no_marks() -> None:
    remark = " Note that the provided draft may be changed."
    reading = read_pair(REFERENCE, REFERENCE + remark)
    assert not words_of(reading.candidate, NO_ANTECEDENT)
    assert not words_of(reading.candidate, LIKELY_BASIS)


UNREAD = {"de": "German", "fr": "French", "zh": "Chinese", "ja": "Japanese"}


@pytest.mark.parametrize("claims", ALL)
def test_marks_that_a_language_does_not_have_are_named_and_the_tree_is_read(
    claims: ClaimSet,
) -> None:
    reading = read_pair(claims.text, claims.damaged(0), claims.language)
    name = UNREAD.get(claims.language)
    for side in (reading.reference, reading.candidate):
        numbered = {claim.number: claim.parents for claim in side.claims if claim.number}
        assert numbered == claims.parents
        assert not words_of(side, BROKEN)
        marks = {finding.kind for finding in side.findings}
        if name is None:
            assert side.unchecked == ""
        else:
            assert not marks
            assert side.unchecked.startswith(f"Not checked in this language ({name}): antecedents")
    assert ("not in the reference" in reading.candidate.unchecked) == (name is not None)
    # What is different is marked in any language.
    both = (*reading.reference.claims, *reading.candidate.claims)
    assert any(marked(claim, ONLY_HERE) for claim in both)


@pytest.mark.parametrize("claims", [*CHINESE, *JAPANESE])
def test_a_script_is_enough_to_know_which_marks_there_are_none_of(claims: ClaimSet) -> None:
    assert read_pair(claims.text, claims.text) == read_pair(
        claims.text, claims.text, claims.language
    )


@pytest.mark.parametrize("claims", GERMAN)
def test_words_are_enough_to_know_which_marks_there_are_none_of(claims: ClaimSet) -> None:
    reading = read_pair(claims.text, claims.damaged(0))
    assert not reading.reference.certain_findings
    for side in (reading.reference, reading.candidate):
        assert side.unchecked.startswith("Not checked in this language (German)")
        assert side.language_note == ("No language is recorded. By its words it is read as German.")
    alone, _ = read_alone(claims.text)
    assert alone.unchecked.startswith("Not checked in this language (German)")
    assert alone.language_note == reading.reference.language_note


def test_a_record_that_the_words_contradict_counts_and_is_said() -> None:
    reading = read_pair(GERMAN[0].text, GERMAN[0].text, "en")
    assert reading.candidate.unchecked == ""
    assert reading.candidate.language_note == (
        "The record says English, but the text looks like German. It is read as English."
    )


def test_a_short_text_beside_one_that_tells_its_language_is_read_as_that() -> None:
    reading = read_pair(GERMAN[0].text, "1. Pumpe.")
    assert "(German)" in reading.candidate.unchecked
    assert reading.candidate.language_note == ""


def test_latin_letters_that_do_not_tell_their_language_are_read_as_english_and_say_so() -> None:
    found = words_of(
        read_pair(ENGLISH[0].text, "1. A pump comprising the valve.").candidate, FOREIGN
    )
    assert found == ["valve"]
    short = read_pair("1. A pump.", "1. A pump.").candidate
    assert (short.unchecked, short.language_note) == (
        "",
        "No language is recorded, and the words do not tell it. It is read as English.",
    )


def test_a_candidate_in_english_beside_a_reference_in_chinese_says_what_is_not_compared() -> None:
    candidate = read_pair(CHINESE[0].text, "1. A pump comprising the valve.", "zh").candidate
    assert words_of(candidate, NO_ANTECEDENT)
    assert not words_of(candidate, FOREIGN)
    assert candidate.unchecked == (
        "Not checked beside a reference in Chinese: terms that are not in it."
    )


def test_a_language_without_a_word_for_claim_says_that_citations_are_not_read() -> None:
    side = read_pair("1. \ud380\ud504.", "1. \ud380\ud504.").reference
    assert side.unchecked == (
        "Not checked in this language (Korean): antecedents, renamed terms, claims cited."
    )


def test_characters_are_counted_where_no_blanks_divide_words() -> None:
    side = read_pair(CHINESE[0].text, ENGLISH[0].text).reference
    assert (side.unit, side.word_count) == ("characters", 116)
    assert read_pair(ENGLISH[0].text, "").reference.unit == "words"
