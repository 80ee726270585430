from pathlib import Path
from typing import Any

import pytest

from annotator.context.files import PictureGone, read_picture
from annotator.context.services import erase_context, store_context
from annotator.formats.context import Context, Sheet
from annotator.models import Drawing, Reference
from core.artefacts.settings import StoreSettings
from core.errors import Unreachable
from tests.annotator.formats.documents.pictures import picture
from tests.conftest import signed_in
from tests.s3_servers import (
    Between,
    OwnS3,
    between,
    on_another_host,
    s3,
    shared,
    shared_between,
)

__all__ = ["between", "s3", "shared", "shared_between"]
pytestmark = [pytest.mark.broker, pytest.mark.django_db]
PNG = picture()


def stored(cast: Any) -> Drawing:
    reference = cast.reference("r1", 1)
    sheet = Sheet(name="fig1.png", png=PNG, width=1, height=1)
    store_context([(reference.pk, Context(paragraphs=(), sheets=(sheet,)))])
    return Drawing.objects.get()


def test_picture_is_shown_on_another_host(
    shared: StoreSettings, s3: OwnS3, cast: Any, settings: Any, tmp_path: Path
) -> None:
    drawing = stored(cast)
    assert s3.keys(shared.bucket) == [f"of-this-site/drawings/{drawing.pk}/{drawing.png_sha256}"]

    with on_another_host(settings, tmp_path):
        assert read_picture(drawing.pk, drawing.png_sha256) == PNG


def test_erased_picture_is_gone_from_the_store(
    shared: StoreSettings, s3: OwnS3, cast: Any, settings: Any, tmp_path: Path
) -> None:
    drawing = stored(cast)

    erase_context(drawing.context.reference)

    assert s3.keys(shared.bucket) == []
    with (
        on_another_host(settings, tmp_path),
        pytest.raises(PictureGone, match="missing from the artefact store"),
    ):
        read_picture(drawing.pk, drawing.png_sha256)


def test_erasure_that_cannot_reach_the_store_is_not_carried_out(
    shared_between: StoreSettings, between: Between, cast: Any
) -> None:
    drawing = stored(cast)
    between.is_dead = True

    with pytest.raises(Unreachable):
        erase_context(drawing.context.reference)


def test_page_that_needs_it_says_that_the_store_is_away(
    shared_between: StoreSettings, between: Between, cast: Any, settings: Any, tmp_path: Path
) -> None:
    stored(cast)
    assignment = cast.assign(cast.alice, Reference.objects.get())[0]
    client = signed_in(cast.alice, raise_request_exception=False)
    page = f"/rate/{assignment.pk}/context/1/"
    assert client.get(page).content == PNG
    between.is_dead = True

    with on_another_host(settings, tmp_path):
        answer = client.get(page)

    assert answer.status_code == 503
    assert f"{shared_between.address} cannot be reached now" in answer.content.decode()


def test_picture_that_was_changed_in_the_store_is_refused_and_named(
    shared: StoreSettings, s3: OwnS3, cast: Any, settings: Any, tmp_path: Path
) -> None:
    drawing = stored(cast)
    (key,) = s3.keys(shared.bucket)
    s3.client().put_object(Bucket=shared.bucket, Key=key, Body=b"of somebody else")

    with on_another_host(settings, tmp_path), pytest.raises(PictureGone, match=key):
        read_picture(drawing.pk, drawing.png_sha256)
