import io
from typing import Any

import pytest

from annotator.formats.label_studio import PreferenceRecord, read
from annotator.typology import ABSTRACT_TAGS, CLAIM_TAGS
from patclaimeval.text_io.streams import FormatError
from tests.annotator.formats.exports import ABSENT, as_bytes, item, mark

OTHER = "Other (comment on the specific nature of these errors in the comment bar please)"
FIRST = "2. The \U0001d450up."


def record(**changes: Any) -> PreferenceRecord:
    (found,) = read(io.BytesIO(as_bytes(item(**changes))))
    return found


def bad(**changes: Any) -> list[tuple[str, str]]:
    with pytest.raises(FormatError) as caught:
        record(**changes)
    return [(one.field, one.reason) for one in caught.value.bad_records]


@pytest.mark.parametrize(
    "value",
    [
        "Format - Claim Numbering Error",
        {"choices": ["Format - Claim Numbering Error"]},
        "{'choices': ['Format - Claim Numbering Error', 'Format - Claim Numbering Error']}",
    ],
    ids=range(3),
)
def test_tags_of_the_second_output_are_of_the_right(value: object) -> None:
    found = record(dimension2=value, dimension1="Brevity - Verbose Redundancy")
    assert found.error_tags == (
        {"tag": "verbose-redundancy", "side": "left"},
        {"tag": "claim-numbering-error", "side": "right"},
    )


@pytest.mark.parametrize("tag", ABSTRACT_TAGS, ids=lambda tag: tag.code)
@pytest.mark.parametrize("explanation", ["", " (Deviation from Subject Matter)"])
def test_every_label_of_an_abstract_is_known_with_its_explanation(
    tag: Any, explanation: str
) -> None:
    named = record(dimension2={"choices": [f"{tag.name}{explanation}"]}, dependency=ABSENT)
    assert named.error_tags == ({"tag": tag.code, "side": "right"},)
    marked = record(mark1=[mark(3, 6, "The", tag.name)])
    assert marked.error_tags == ({"tag": tag.code, "side": "left", "start": 3, "end": 6},)


@pytest.mark.parametrize("tag", CLAIM_TAGS, ids=lambda tag: tag.code)
def test_every_published_name_is_known(tag: Any) -> None:
    assert record(dimension1=tag.published).error_tags == ({"tag": tag.code, "side": "left"},)


@pytest.mark.parametrize(
    "value",
    ["Grammar - Vagueness", "Error", "(Vagueness)", {"choices": ["x\n" * 100]}],
    ids=range(4),
)
def test_an_unknown_name_is_a_bad_record(value: object) -> None:
    ((field, why),) = bad(dimension1=value)
    assert field == "dimension1"
    assert "none of the error tags" in why
    assert "\n" not in why and len(why) < 100


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (3, "dimension1"),
        ([["Vagueness"]], "dimension1"),
        ({"choices": "Vagueness"}, "dimension1"),
        ({"choices": [1]}, "dimension1"),
        ({"choices": None}, "dimension1"),
        ({"selected": []}, "dimension1.selected"),
        ("{'choices': {'Vagueness'}}", "dimension1"),
        ("{'choices': ['Vagueness'", "dimension1"),
    ],
    ids=range(8),
)
def test_what_is_no_list_of_tags_is_a_bad_record(value: object, field: str) -> None:
    assert bad(dimension1=value)[0][0] == field


def test_an_error_without_a_tag_goes_into_the_comment() -> None:
    described = record(dimension2=OTHER, comment2=" two claims in one")
    assert (described.error_tags, described.comment) == ((), " two claims in one")
    assert described.other_errors == ("right",)
    bare = record(dimension1={"choices": [OTHER, "Clarity - Vagueness"]})
    assert bare.comment == "Another error of the left candidate, not described."
    assert [tag["tag"] for tag in bare.error_tags] == ["vagueness"]


def test_two_comments_are_kept_with_their_sides() -> None:
    assert record(comment1="a", comment2="b").comment == "Left: a\nRight: b"
    assert record(comment1="a").comment == "a"


def test_a_marked_tag_has_its_place_in_code_points_and_stands_once() -> None:
    # A browser counts the letter outside the first plane as two.
    found = record(
        output1=FIRST,
        dimension1={"choices": ["Clarity - Vagueness", "Brevity - Verbose Redundancy"]},
        mark1=[mark(7, 11, "\U0001d450up", "Clarity - Vagueness")] * 2,
    )
    assert found.error_tags == (
        {"tag": "vagueness", "side": "left", "start": 7, "end": 10},
        {"tag": "verbose-redundancy", "side": "left"},
    )
    assert FIRST[7:10] == "\U0001d450up"


def test_highlights_of_a_program_are_counted_and_not_kept() -> None:
    marks = [mark(0, 1, "2", "UNK"), mark(900, 903, "far", "PROFANITY", "RELATIVE")]
    found = record(mark1=marks, mark2=str(marks))
    assert (found.error_tags, found.highlights) == ((), 6)


@pytest.mark.parametrize(
    ("value", "field", "reason"),
    [
        ("x", "mark1", "an array"),
        ([3], "mark1[1]", "an object"),
        ([{"start": 0}], "mark1[1].end", "missing"),
        ([mark(0, 1, "2", "Unkown")], "mark1[1].labels", "neither"),
        ([mark(0, 1, "2", "Clarity - Vagueness") | {"labels": "UNK"}], "mark1[1].labels", "array"),
        ([mark(0, 1, "2") | {"text": 2}], "mark1[1].text", "a text"),
        ([mark(1, 1, "", "UNK")], "mark1[1].start", "start < end"),
        ([mark(-1, 1, "2", "UNK")], "mark1[1].start", "start < end"),
        ([mark(0, 1, "2", "UNK") | {"end": True}], "mark1[1].start", "start < end"),
        ([mark(0, 1, "2", "UNK"), mark(0, 1, "2", "UNK") | {"x": 1}], "mark1[2].x", "unknown"),
        ([mark(0, 2, "2", "Clarity - Vagueness")], "mark1[1].text", "do not stand there"),
        ([mark(90, 91, "2", "Clarity - Vagueness")], "mark1[1].text", "do not stand there"),
        ([mark(90, 91, "", "Clarity - Vagueness")], "mark1[1].text", "do not stand there"),
        ([mark(8, 9, "x", "Clarity - Vagueness")], "mark1[1].text", "do not stand there"),
        ([mark(0, 10**17, FIRST, "Clarity - Vagueness")], "mark1[1].text", "do not stand there"),
    ],
    ids=range(15),
)
def test_a_bad_mark_names_its_place(value: object, field: str, reason: str) -> None:
    found = bad(mark1=value, output1=FIRST)
    assert found[0][0] == field
    assert reason in found[0][1]


def test_more_tags_than_a_preference_may_have_are_refused() -> None:
    marks = [mark(n, n + 1, "x", "Clarity - Vagueness") for n in range(51)]
    ((field, why),) = bad(output1="x" * 60, mark1=marks)
    assert field == "dimension1" and "more than 50" in why
