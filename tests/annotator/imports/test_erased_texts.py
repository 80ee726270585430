"""Emptying what was written in a matter and about it."""

from typing import Any

import pytest

from annotator.imports.erasing import erase_texts
from annotator.imports.services import import_file
from annotator.models import Reference
from tests.annotator.imports.import_files import file, good

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def test_references_of_one_file_can_be_erased_one_after_the_other(cast: Any) -> None:
    import_file(slug="cups", file=file(good(3)), file_name="a.jsonl", format="claims-jsonl")
    rows = list(Reference.objects.all())
    # Their keys begin with the moment of the import.
    assert len({row.pk.hex[:12] for row in rows}) == 1
    for row in rows:
        erase_texts(row)
    found = Reference.objects.values_list("reference_id", "claims")
    assert len({name for name, _ in found}) == 3
    assert all(name.startswith("erased-") and claims == "" for name, claims in found)
