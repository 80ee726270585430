import pytest

from annotator.models import AuditEvent
from core.errors import Refused
from scoring.datasets.exports.services import LONGEST, set_licence
from scoring.models import DatasetVersion

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def test_a_licence_is_set_and_the_earlier_one_is_on_record(cast, version) -> None:
    for licence in (" CC BY 4.0 ", "CC BY 4.0", "CC0 1.0"):
        set_licence(version=version, licence=licence, set_by=cast.ada)
    row = DatasetVersion.objects.get()
    assert (row.licence, row.sha256) == ("CC0 1.0", version.sha256)
    events = AuditEvent.objects.filter(action="dataset.licence_set")
    assert [(event.actor, event.details) for event in events] == [
        (cast.ada, {"dataset": "tiny@1", "licence": "CC BY 4.0", "earlier": ""}),
        (cast.ada, {"dataset": "tiny@1", "licence": "CC0 1.0", "earlier": "CC BY 4.0"}),
    ]


@pytest.mark.parametrize("licence", ["", "  ", "x" * (LONGEST + 1), "a\nb", "a\x00", "a\u202eb"])
def test_what_is_no_licence_is_refused(version, licence) -> None:
    with pytest.raises(Refused) as caught:
        set_licence(version=version, licence=licence, set_by=None)
    assert list(caught.value.fields) == ["licence"]
    assert DatasetVersion.objects.get().licence == ""
    assert not AuditEvent.objects.filter(action="dataset.licence_set").exists()
