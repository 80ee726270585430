"""Canonical JSON does not depend on the order in which a database gives keys back."""

import json

import pytest

from scoring.reports.files import canonical_json
from tests.scoring.report_documents import report_document


def test_the_order_of_keys_does_not_move_a_byte() -> None:
    document = report_document()
    turned = dict(reversed(list(document.items())))
    assert canonical_json(document) == canonical_json(turned)
    assert json.loads(canonical_json(document)) == document


def test_a_number_that_json_does_not_know_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json(report_document(power={"smallest_difference": float("nan")}))
