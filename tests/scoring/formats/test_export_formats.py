"""Names and types of exported files."""

import pytest

from scoring.formats.export_formats import base_name, data_file_name, media_type


@pytest.mark.parametrize(
    ("file_format", "split", "is_gzipped", "name"),
    [
        ("patent-ce-jsonl", "all", False, "cups-2.jsonl"),
        ("patent-ce-jsonl", "test", False, "cups-2-test.jsonl"),
        ("patent-ce-json", "all", True, "cups-2.json.gz"),
        ("csv", "validation", True, "cups-2-validation.csv.gz"),
    ],
)
def test_a_name_says_which_version_split_and_format(file_format, split, is_gzipped, name) -> None:
    found = data_file_name(base_name("cups", 2), file_format, split, is_gzipped=is_gzipped)
    assert found == name


def test_what_is_packed_has_the_type_of_what_packs_it() -> None:
    assert media_type("csv", is_gzipped=False).startswith("text/csv")
    assert media_type("csv", is_gzipped=True) == "application/gzip"
