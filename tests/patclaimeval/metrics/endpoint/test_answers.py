"""Of what a model says, whole numbers in range are taken, and nothing else."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patclaimeval.metrics.endpoint.prompt import (
    Completion,
    NoCompletionError,
    Prompt,
    UnreadableError,
    are_numbers,
    completion,
    numbers_in,
)
from tests.patclaimeval.metrics.endpoint.local_endpoint import saying

PROMPT = Prompt("marks", "Mark.", ("breadth", "depth"), 0, 100)


def read(text: str) -> dict[str, int]:
    return numbers_in(Completion(text, is_cut=False), PROMPT)


@pytest.mark.parametrize(
    "text",
    [
        '{"breadth": 0, "depth": 100}',
        ' \n{"depth": 100, "breadth": 0}\n ',
        '```json\n{"breadth": 0, "depth": 100}\n```',
        '```\n{"breadth": 0, "depth": 100}```',
    ],
)
def test_one_object_with_the_keys_is_read(text) -> None:
    assert read(text) == {"breadth": 0, "depth": 100}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "holds no text"),
        ("  \n", "holds no text"),
        ("I would say 80 and 90.", "not one JSON object"),
        ('Sure! {"breadth": 80, "depth": 90}', "not one JSON object"),
        ('{"breadth": 80, "depth": 90} I hope this helps.', "not one JSON object"),
        ('{"breadth": 80, "depth": 90}{"breadth": 80, "depth": 90}', "not one JSON object"),
        ('{"breadth": 80, "depth": 90', "not one JSON object"),
        ('{"breadth": 80, "breadth": 81, "depth": 90}', "not one JSON object"),
        ('{"breadth": NaN, "depth": 90}', "not one JSON object"),
        ('{"breadth": 1e400, "depth": 90}', "not one JSON object"),
        ("[80, 90]", "not one JSON object"),
        ("80", "not one JSON object"),
        ("null", "not one JSON object"),
        ("[" * 100_000, "not one JSON object"),
        ("\ud800", "not one JSON object"),
        ("{}", "not the ones asked for"),
        ('{"breadth": 80}', "not the ones asked for"),
        ('{"breadth": 80, "depth": 90, "height": 1}', "not the ones asked for"),
        ('{"Breadth": 80, "depth": 90}', "not the ones asked for"),
        ('{"breadth": 80.0, "depth": 90}', "not a whole number"),
        ('{"breadth": 80.5, "depth": 90}', "not a whole number"),
        ('{"breadth": 8e1, "depth": 90}', "not a whole number"),
        ('{"breadth": "80", "depth": 90}', "not a whole number"),
        ('{"breadth": true, "depth": 90}', "not a whole number"),
        ('{"breadth": null, "depth": 90}', "not a whole number"),
        ('{"breadth": [80], "depth": 90}', "not a whole number"),
        ('{"breadth": -1, "depth": 90}', "not from 0 to 100"),
        ('{"breadth": 101, "depth": 90}', "not from 0 to 100"),
        ('{"breadth": 999999999999999999, "depth": 90}', "not from 0 to 100"),
    ],
)
def test_anything_else_is_refused_in_words_of_ours(text, fault) -> None:
    with pytest.raises(UnreadableError, match=fault):
        read(text)


def test_an_answer_that_was_cut_off_is_refused_even_if_it_reads_well() -> None:
    with pytest.raises(UnreadableError, match="cut off"):
        numbers_in(Completion('{"breadth": 0, "depth": 100}', is_cut=True), PROMPT)


def test_kept_numbers_are_looked_at_in_the_same_way() -> None:
    assert are_numbers({"breadth": 0, "depth": 100}, PROMPT)
    assert not are_numbers({"breadth": 0, "depth": 101}, PROMPT)
    assert not are_numbers({"breadth": 0, "depth": True}, PROMPT)
    assert not are_numbers([0, 100], PROMPT)


@pytest.mark.parametrize(
    ("said", "reason", "found"),
    [
        ("eighty", "stop", Completion("eighty", is_cut=False)),
        ("eigh", "length", Completion("eigh", is_cut=True)),
        (None, "content_filter", Completion("", is_cut=False)),
    ],
)
def test_what_is_said_is_found_in_a_completion(said, reason, found) -> None:
    assert completion(saying(said, finish_reason=reason).body) == found


@pytest.mark.parametrize(
    "body",
    [
        *("", "<html>", b"\xff\xfe", '{"choices": [', "[" * 100_000, "null", "[]", "{}"),
        *('{"choices": null}', '{"choices": {}}', '{"choices": []}', '{"choices": [null]}'),
        *('{"choices": ["text"]}', '{"choices": [{}]}', '{"choices": [{"message": null}]}'),
        *('{"choices": [{"message": "text"}]}', '{"error": {"message": "overloaded"}}'),
    ],
)
def test_what_is_no_json_or_of_another_form_is_no_completion(body) -> None:
    with pytest.raises(NoCompletionError):
        completion(body if isinstance(body, bytes) else body.encode())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "message", "content", "finish_reason", "breadth", "depth"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_no_json_whatever_gives_anything_but_numbers_or_a_refusal(value) -> None:
    text = json.dumps(value)
    try:
        said = completion(text.encode())
        assert isinstance(said.text, str)
    except NoCompletionError:
        pass
    try:
        numbers = read(text)
    except UnreadableError:
        return
    assert set(numbers) == {"breadth", "depth"}
    assert all(type(number) is int and 0 <= number <= 100 for number in numbers.values())
