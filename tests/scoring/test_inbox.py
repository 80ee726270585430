from datetime import timedelta

import pytest

from annotator.models import User
from core.clock import database_now
from scoring.models import DatasetVersion, Erasure, Freeze, ModelVersion, Promotion
from tests.conftest import grant, make_user, signed_in
from tests.scoring.model_rows import model_row
from tests.scoring.report_rows import stored, words

pytestmark = pytest.mark.django_db


def home(user: User) -> str:
    return words(signed_in(user).get("/").content.decode())


@pytest.fixture
def model(cups: DatasetVersion) -> ModelVersion:
    return model_row(cups)


def asks(model: ModelVersion, actor: User) -> Promotion:
    return Promotion.objects.create(
        act="asked",
        model=model,
        criterion=model.criterion,
        campaign=model.run.dataset_version.dataset.campaign,
        actor=actor,
        reason="better",
    )


def test_a_promotion_waits_for_an_admin_who_did_not_ask_until_it_is_answered(cast, model) -> None:
    row = asks(model, cast.rita)
    line = "1 promotion request waits for agreement"
    assert line in home(cast.ada)
    assert f'href="/models/{model.pk}/"' in signed_in(cast.ada).get("/").content.decode()
    outsider = grant(make_user("olga"), cast.elsewhere, "admin")
    assert line not in home(cast.rita) and line not in home(outsider)
    Promotion.objects.update(actor=cast.ada)
    assert line not in home(cast.ada)
    Promotion.objects.update(actor=cast.rita)
    asks(model, cast.ada)
    Promotion.objects.filter(act="asked").exclude(pk=row.pk).update(act="agreed", answers=row)
    assert line not in home(cast.ada)


def test_an_erasure_waits_for_a_site_admin_who_did_not_ask(cast) -> None:
    reference = cast.reference("r1", 1)
    Erasure.objects.create(
        campaign=cast.campaign,
        reference=reference,
        asked_by=cast.ada,
        asked_at=database_now(),
        reason="the client's wish",
    )
    sam = make_user("sam", is_superuser=True)
    line = "1 erasure waits for a second person"
    assert line in home(sam) and line not in home(cast.ada)
    Erasure.objects.update(asked_by=sam)
    assert line not in home(sam)


def test_own_jobs_of_every_kind_stand_in_the_inbox_of_who_asked(cast, cups, model) -> None:
    now = database_now()
    run = model.run
    run.requested_by, run.status, run.finished_at = cast.rita, "failed", now
    run.save()
    report = stored(cups, None, requested_by=cast.rita)
    report.status, report.finished_at = "succeeded", now - timedelta(hours=1)
    report.save()
    Freeze.objects.create(
        campaign=cast.campaign, asked_by=cast.rita, settings={}, status="failed", finished_at=now
    )
    page = home(cast.rita)
    assert "1 training failed in the last week" in page
    assert "1 freeze failed in the last week" in page
    assert "Finished since your last visit 1 report finished" in page
    assert "failed in the last week" not in home(cast.ada)


def test_the_jobs_of_a_campaign_in_which_one_rates_are_not_listed(cast, cups, model) -> None:
    run = model.run
    run.requested_by, run.status, run.finished_at = cast.rita, "failed", database_now()
    run.save()
    assert "1 training failed" in home(cast.rita)
    grant(cast.rita, cast.campaign, "annotator")
    assert "1 training failed" not in home(cast.rita)
