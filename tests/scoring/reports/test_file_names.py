"""Names of files hold nothing that a shell, a path or a header would read."""

import pytest

from scoring.reports.files import TYPES, file_name
from tests.scoring.report_documents import report_document


def test_a_name_holds_dataset_criterion_and_split() -> None:
    name = file_name(report_document(), "csv")
    assert name == "agreement-cups-1-overall-quality-test.csv"


@pytest.mark.parametrize("wanted", TYPES)
def test_a_name_is_safe_whatever_the_dataset_is_called(wanted: str) -> None:
    document = report_document()
    document["question"]["dataset"] = '../../x"; rm\r\n@1' + "y" * 500
    name = file_name(document, wanted)
    assert len(name) < 150
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.")
    assert not name.startswith((".", "-")) and ".." not in name
