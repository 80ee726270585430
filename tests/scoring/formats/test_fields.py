"""The fields of a row that need more than a text check."""

import pytest

from patclaimeval.rubric import ALL_CRITERIA, OVERALL
from patclaimeval.text_io.shapes import Shape
from scoring.formats.rows import EXTRAS, PROVENANCE, extras_of, labels_of, provenance_of

KEYS = {key: key for key in ALL_CRITERIA}


def problems(shape: Shape) -> list[str]:
    return [field for field, _ in shape.problems]


@pytest.mark.parametrize("label", [True, False, 1.0, -1.0, "1", 2, None, [1]])
def test_a_label_is_exactly_the_whole_number_1_0_or_minus_1(label) -> None:
    shape = Shape({"y": {"overall_quality": label, "logical_linkage": -1}}, ["y"])
    assert labels_of(shape, "y", KEYS) == {"logical_linkage": -1}
    assert problems(shape) == ["y.overall_quality"]


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        *(({}, "y"), ({"y": {}}, "y"), ({"y": None}, "y"), ({"y": [1]}, "y")),
        ({"y": {"Quality": 1}}, "y.Quality"),
    ],
)
def test_labels_are_an_object_of_known_criteria_with_at_least_one(fields, wrong) -> None:
    shape = Shape(fields, ["y"])
    labels_of(shape, "y", KEYS)
    assert problems(shape) == [wrong]


def test_provenance_stays_as_it_is() -> None:
    value = {"adjudications": [], "ratings": ["r1"], "annotators": 2, "policy": "settled"}
    shape = Shape({"provenance": value}, ["provenance"])
    assert provenance_of(shape) == value
    assert list(provenance_of(shape)) == list(value)
    assert shape.problems == []
    assert provenance_of(Shape({}, ["provenance"])) == {}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("polcy", "x"), ("policy", 1), ("rubric_version", 1), ("ratings", [1])),
        *(("adjudications", "x"), ("annotators", True), ("annotators", 1.0), ("annotators", -1)),
    ],
)
def test_a_wrong_key_of_the_provenance_is_named(key, value) -> None:
    shape = Shape({"provenance": {key: value}}, ["provenance"])
    provenance_of(shape)
    assert problems(shape) == [f"provenance.{key}"]


def test_a_provenance_that_is_no_object_is_named() -> None:
    shape = Shape({"provenance": []}, ["provenance"])
    provenance_of(shape)
    assert problems(shape) == ["provenance"]


def test_optional_keys_that_are_there_stay_as_they_are_in_their_order() -> None:
    value = {"flags": ["x"], "y_soft": {"overall_quality": 1}, "office": "", "annotator": "a-1"}
    shape = Shape(value, EXTRAS)
    assert extras_of(shape) == value
    assert list(extras_of(shape)) == ["y_soft", "annotator", "office", "flags"]
    assert shape.problems == []


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        *(({"y_soft": {OVERALL: soft}}, f"y_soft.{OVERALL}") for soft in (1.5, -0.1, True, "0.5")),
        ({"y_soft": {"Quality": 0.5}}, "y_soft.Quality"),
        ({"y_soft": 0.5}, "y_soft"),
        ({"annotator": ""}, "annotator"),
        ({"office": 3}, "office"),
        ({"ipc": "x" * 41}, "ipc"),
        ({"flags": "x"}, "flags"),
        ({"flags": [{}]}, "flags"),
    ],
)
def test_a_wrong_optional_key_is_named(fields, wrong) -> None:
    shape = Shape(fields, EXTRAS)
    extras_of(shape)
    assert problems(shape) in ([wrong], [wrong] * 2)


def test_the_five_keys_of_a_provenance_are_those_of_the_format() -> None:
    expected = ("policy", "rubric_version", "annotators", "ratings", "adjudications")
    assert expected == PROVENANCE
