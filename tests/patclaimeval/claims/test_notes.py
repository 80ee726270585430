import pytest
from hypothesis import given
from hypothesis import strategies as st

from patclaimeval.claims.notes import (
    NoteKind,
    find_notes,
    is_cancelled,
    spans_without_claims,
)
from patclaimeval.claims.parsing import parse_claims
from tests.amounts import tries


def notes(text):
    return find_notes("candidate", text, parse_claims(text))


def said(text):
    return [(note.kind.value, note.claim, note.sentence) for note in notes(text)]


PUMP = "1. A pump with a rotor. 2. The pump of claim 1, wherein the rotor is of steel."


def test_plain_claims_have_no_notes():
    assert notes(PUMP) == ()
    assert notes("What is claimed is:\n" + PUMP) == ()
    assert notes("A pump with a rotor") == ()
    assert notes("") == ()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1-10. (canceled) 11. A pump.", "Claims 1 to 10 are cancelled."),
        ("1. A pump.\n2. (Cancelled)\n3. (withdrawn)\n", "Claims 2 and 3 are cancelled."),
        ("1. A pump.\n2. (previously cancelled without prejudice)\n", "Claim 2 is cancelled."),
        ("1. Pumpe mit einem Rotor.\n2. (gestrichen)\n", "Claim 2 is cancelled."),
        ("1. Pompe avec un rotor.\n2. (annul\u00e9e)\n", "Claim 2 is cancelled."),
        ("1. \u4e00\u79cd\u6cf5\u3002\n2. \uff08\u5220\u9664\uff09\n", "Claim 2 is cancelled."),
        ("1. \u30dd\u30f3\u30d7\u3002\n2. \uff08\u524a\u9664\uff09\n", "Claim 2 is cancelled."),
    ],
)
def test_cancelled_claims_are_named_by_run(text, sentence):
    (note,) = notes(text)
    assert (note.kind, note.sentence) == (NoteKind.CANCELLED, sentence)
    cancelled = [one.number for one in parse_claims(text) if is_cancelled(one)]
    assert cancelled and cancelled[0] == note.claim


def test_a_claim_about_deleting_is_not_cancelled():
    assert notes("1. Deleted data of a store. 2. (withdrawn) The data of claim 1.") == ()


@pytest.mark.parametrize(
    ("before", "remark", "after"),
    [
        ("", "Here are the revised claims:", "\n" + PUMP),
        ("", "Sure, I can help with that. Below is a set.", "\n\n" + PUMP),
        (PUMP + "\n\n", "I made the following changes to the original claims:", ""),
        (PUMP + " ", "Note that these claims cover more. They are broad.", ""),
        ("1. A pump.\n\n", "Dependent claims:", "\n\n2. The pump of claim 1."),
        ("1. A pump. ", "Let me know what to change.", " 2. The pump of claim 1."),
        ("1. ", "Certainly!", " A pump with a rotor."),
    ],
)
def test_remarks_have_their_place(before, remark, after):
    text = before + remark + after
    (note,) = notes(text)
    assert note.kind == NoteKind.CHATTER
    assert text[note.start : note.end] == remark
    assert spans_without_claims([note]) == ((note.start, note.end),)


def test_a_list_of_what_was_done_belongs_to_the_remark():
    remark = "I made the following changes:\n1. Added a rotor.\n2. Removed a valve."
    (span,) = spans_without_claims(notes(f"{PUMP}\n\n{remark}\n"))
    assert f"{PUMP}\n\n{remark}\n"[slice(*span)] == remark


def test_a_disclaimer_is_a_kind_of_its_own():
    assert said(PUMP + " This is not legal advice.") == [
        (
            "disclaimer",
            2,
            "The text after claim 2 is a disclaimer, not a claim: “This is not legal advice.”.",
        )
    ]
    assert [kind for kind, *_ in said("As an AI language model, I cannot draft claims.")] == [
        "disclaimer"
    ]


def test_sentences_of_claims_are_no_remarks():
    text = (
        "1. A method, comprising: a. Providing a note. b. Ensuring that these claims are stored. "
        "2. The method of claim 1. Based on the provided signal, the valve is closed."
    )
    assert notes(text) == ()


def test_repeated_claims_are_one_note():
    again = "The pump of claim 1, wherein the rotor  is of Steel."
    assert said(f"{PUMP} 3. {again} 4. The pump of claim 1. 5. {again} 6. {again}") == [
        ("repeated", 3, "Claims 3, 5 and 6 repeat claim 2 word for word.")
    ]


@pytest.mark.parametrize(
    ("text", "kind", "sentence"),
    [
        (
            r"1. A pump at 60\u00b0 and 70\u00b0.",
            "escape",
            r"The text has “\u00b0” written out instead of the character, 2 times, "
            "first in claim 1.",
        ),
        (
            "1. A pump.\n2. A pump &lt; 5 mm.",
            "escape",
            "The text has “&lt;” written out instead of the character, once, first in claim 2.",
        ),
        (
            "1. A **pump**.",
            "decoration",
            "The text has marks of markdown (“**”), 2 times, first in claim 1.",
        ),
        ("1. A pump.\n2.\n3. A valve.", "empty", "Claim 2 has no text."),
        (
            "1. A pump. 2. The pump of claim 1, wherein the rotor and the",
            "truncated",
            "Claim 2 ends in the middle of a sentence: "
            "“… The pump of claim 1, wherein the rotor and the”.",
        ),
        (
            "1. A pump. 2. A valve. 3. A tap. 4. A pump with a rot",
            "truncated",
            "Claim 4, the last one, has no full stop: the text may have been cut off.",
        ),
    ],
)
def test_faults_of_the_text_are_named_once(text, kind, sentence):
    (note,) = notes(text)
    assert (note.kind.value, note.sentence) == (kind, sentence)


def test_claims_without_full_stops_are_not_cut_off():
    assert notes("1. A pump. 2. A valve\n3. A tap. 4. A lid. 5. A pump with a rotor") == ()


def test_what_stands_before_the_claims_does_not_break_off():
    assert notes("The invention claimed is the\n1. A pump.") == ()


def test_formulae_are_no_escapes():
    assert notes(r"1. A pump with an angle \theta and a ratio \nu of 5.") == ()


@given(st.text(alphabet="12. ()aA*\n\\u0&lt;:cancelled"))
def test_notes_lie_inside_any_text(text):
    for note in notes(text):
        assert 0 <= note.start <= note.end <= len(text)


def test_long_texts_are_read_to_their_end():
    many = tries(50_000)
    assert notes("here " * many) == ()
    assert len(notes("1. Note that. " * many)) < 3
    assert notes("1. A pump. " + "here. " * many) == ()
    assert len(notes("".join(f"{n}. A pump.\n" for n in range(1, 200)))) == 1
    notes("\\" * many + "*" * many + "(" * many + " " * many + "\n" * many)
