import pytest

from annotator.formats.csv_streams import damage_of_id, damage_of_text


@pytest.mark.parametrize(
    "text",
    ["3-Oct", "Oct-03", "03. Okt", "3-Oct-24", "10/3/2024", "03.10.2024", "2024-10-03",
     "2024-10-03 00:00:00", "Mar 24", "1-M\u00e4rz"],
)  # fmt: skip
def test_a_date_is_found_in_the_place_of_an_id(text):
    assert "date" in str(damage_of_id(text))


@pytest.mark.parametrize("text", ["1E+05", "1.23457E+15", "1,2E+05", "-1e-05"])
def test_a_rounded_number_is_found_in_the_place_of_an_id(text):
    assert "number" in str(damage_of_id(text))


@pytest.mark.parametrize("text", ["#NAME?", "#REF!", "#N/A", "########"])
def test_an_error_value_is_found_everywhere(text):
    assert text in str(damage_of_id(text))
    assert text in str(damage_of_text(text))


@pytest.mark.parametrize(
    "text",
    ["EP1234567B1", "c1", "3", "10.5", "E+05", "ref-0123456789e+12x", "US2024/10", "oct", "1E5",
     "12E+05", "a-Oct", "marker-3", "", "#1", "2024", "1-2", "decoder-12"],
)  # fmt: skip
def test_ordinary_ids_are_left_alone(text):
    assert damage_of_id(text) is None
