import io

import pytest
from django.test import Client

from annotator.imports.documents import Choices
from annotator.imports.services import carry_out_import, request_import
from annotator.models import AuditEvent, Rating, Reference
from scoring.datasets.exports.services import export_version
from scoring.models import DatasetVersion, UsedRating
from scoring.reports.services import ask_for_report
from tests.scoring.conftest import FrozenScene, imported, signed_in
from tests.scoring.model_rows import CRITERION, model_row

pytestmark = [pytest.mark.django_db]


@pytest.fixture
def ada(scene):
    """The browser of the campaign's admin."""
    return signed_in(scene.ada)


def used(client: Client, rating: Rating) -> list[str]:
    answer = client.get(f"/datasets/ratings/{rating.pk}/")
    assert answer.status_code == 200
    return [str(use.version) for use in answer.context["uses"]]


def rating_of(scene: FrozenScene, reference: int, number: int) -> Rating:
    rating = Rating.objects.filter(candidate=scene.scenario.candidate(reference, number)).first()
    assert rating is not None
    return rating


def reference_of(scene: FrozenScene, number: int) -> Reference:
    return Reference.objects.get(campaign=scene.campaign, reference_id=f"r{number}")


def test_a_rating_leads_to_the_versions_models_and_reports_that_used_it(scene, ada) -> None:
    rating = rating_of(scene, 0, 1)
    assert used(ada, rating) == []
    one, two = scene.freeze(), scene.freeze(tie_band=9.0)
    model = model_row(two)
    report = ask_for_report(
        version=one, criterion=CRITERION, scorers=["length"], split="all"
    ).report
    assert used(ada, rating) == ["trial@2", "trial@1"]
    answer = ada.get(f"/datasets/ratings/{rating.pk}/")
    first, second = answer.context["uses"]
    assert (first.models, first.reports) == ((model,), ())
    assert (second.models, second.reports) == ((), (report,))
    page = answer.content.decode()
    assert f"/models/{model.pk}/" in page and f"/reports/{report.pk}/" in page


def test_the_page_of_a_reference_names_the_documents_that_it_was_read_from(scene, ada) -> None:
    row = request_import(
        campaign=scene.campaign,
        file=io.BytesIO(b"Claims\n1. A lamp."),
        file_name="lamp.txt",
        format="text",
        choices=Choices(reference_id="lamp"),
        is_confirmed=True,
    )
    carry_out_import(row.pk)
    found = Reference.objects.get(reference_id="lamp")
    page = ada.get(f"/datasets/references/{found.pk}/").content.decode()
    assert "lamp.txt" in page.split("Documents")[-1]
    assert page.count(row.file_sha256) == 2
    assert "not here any more" not in page


def test_a_version_without_the_reference_does_not_use_its_ratings(scene, ada) -> None:
    Reference.objects.filter(reference_id="r0").update(may_train=False)
    scene.freeze()
    assert used(ada, rating_of(scene, 0, 1)) == []
    assert used(ada, rating_of(scene, 1, 1)) == ["trial@1"]


def test_the_page_of_a_rating_has_a_pseudonym_and_no_text(scene, ada) -> None:
    rating = rating_of(scene, 0, 1)
    page = ada.get(f"/datasets/ratings/{rating.pk}/").content.decode()
    assert "Annotator " in page and rating.annotator.username not in page
    assert "A mug" not in page and "A cup" not in page


def test_lineage_goes_from_a_quadruplet_to_its_ratings_and_back(scene, ada) -> None:
    scene.freeze()
    answer = ada.get("/datasets/trial/1/quadruplets/1/")
    for line in answer.context["lineage"].ratings:
        assert f'href="/datasets/ratings/{line["row"].pk}/"' in answer.content.decode()
        assert used(ada, Rating.objects.get(pk=line["row"].pk)) == ["trial@1"]


def test_an_erasure_touches_what_holds_the_reference_or_was_made_of_it(scene, ada) -> None:
    with_it = scene.freeze()
    Reference.objects.filter(reference_id="r0").update(may_train=False)
    without_it = scene.freeze()
    model, _ = model_row(with_it), model_row(without_it)
    for version in (with_it, without_it):
        b"".join(export_version(version=version, exported_by=scene.ada).pieces)
    reference = reference_of(scene, 0)
    answer = ada.get(f"/datasets/references/{reference.pk}/")
    touched = answer.context["touched"]
    assert [(use.version, use.models) for use in touched["uses"]] == [(with_it, (model,))]
    assert [touched[name] for name in ("candidates", "ratings", "assignments")] == [3, 9, 9]
    (export,) = touched["exports"]
    assert (export.action, export.object_id) == ("dataset.exported", str(with_it.pk))
    page = answer.content.decode()
    assert "trial-ada" in page and "patent-ce-jsonl" in page
    assert "A cup" not in page


def test_an_erasure_finds_versions_that_left_no_row_for_their_ratings(scene, ada) -> None:
    version = scene.freeze()
    UsedRating.objects.all().delete()
    answer = ada.get(f"/datasets/references/{reference_of(scene, 0).pk}/")
    assert [use.version for use in answer.context["touched"]["uses"]] == [version]


def test_an_erasure_finds_imports_into_the_campaign_by_the_reference(
    scene, ada, data_directory, rows
) -> None:
    version = imported("tiny", rows(2), campaign=scene.campaign)
    touched = [
        ada.get(f"/datasets/references/{reference_of(scene, n).pk}/").context["touched"]["uses"]
        for n in range(3)
    ]
    assert [[use.version for use in uses] for uses in touched] == [[version], [version], []]


def test_looking_at_what_an_erasure_would_touch_changes_nothing(scene, ada) -> None:
    scene.freeze()
    before = (Rating.objects.count(), DatasetVersion.objects.count(), AuditEvent.objects.count())
    ada.get(f"/datasets/references/{reference_of(scene, 0).pk}/")
    after = (Rating.objects.count(), DatasetVersion.objects.count(), AuditEvent.objects.count())
    assert before == after
