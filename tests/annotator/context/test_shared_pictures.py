from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotator.context.files import PictureGone, read_picture
from annotator.context.services import erase_context, store_context
from annotator.models import Drawing, Reference
from core.errors import Unreachable
from patclaimeval.documents.context import Context, Sheet
from tests.conftest import signed_in
from tests.patclaimeval.documents.pictures import picture
from tests.s3_servers import OwnS3, bucket, on_another_host, s3, unreachable

__all__ = ["bucket", "s3", "unreachable"]
pytestmark = [pytest.mark.broker, pytest.mark.django_db]
PNG = picture()


def stored(cast: Any) -> Drawing:
    reference = cast.reference("r1", 1)
    sheet = Sheet(name="fig1.png", png=PNG, width=1, height=1)
    store_context([(reference.pk, Context(paragraphs=(), sheets=(sheet,)))])
    return Drawing.objects.get()


def test_a_picture_is_shown_on_another_host_until_it_is_erased(
    bucket: str, s3: OwnS3, cast: Any, settings: Any, tmp_path: Path
) -> None:
    drawing = stored(cast)
    assert s3.keys(bucket) == [f"drawings/{drawing.pk}"]
    with on_another_host(settings, tmp_path) as there:
        assert read_picture(drawing.pk, drawing.png_sha256) == PNG
        (there / "drawings" / str(drawing.pk)).unlink()

    erase_context(drawing.context.reference)

    assert s3.keys(bucket) == []
    with (
        on_another_host(settings, tmp_path),
        pytest.raises(PictureGone, match=f"missing from the bucket {bucket}"),
    ):
        read_picture(drawing.pk, drawing.png_sha256)


def test_an_unreachable_bucket_fails_a_page_with_a_sentence_and_an_erasure(
    bucket: str, unreachable: Callable[[], None], cast: Any, settings: Any, tmp_path: Path
) -> None:
    drawing = stored(cast)
    assignment = cast.assign(cast.alice, Reference.objects.get())[0]
    client = signed_in(cast.alice, raise_request_exception=False)
    page = f"/rate/{assignment.pk}/context/1/"
    unreachable()
    assert client.get(page).content == PNG  # this host has it

    with on_another_host(settings, tmp_path):
        answer = client.get(page)

    assert answer.status_code == 503
    assert f"The storage bucket {bucket} cannot be used now" in answer.content.decode()
    with pytest.raises(Unreachable):
        erase_context(drawing.context.reference)


def test_a_picture_that_was_changed_in_the_bucket_is_refused(
    bucket: str, s3: OwnS3, cast: Any, settings: Any, tmp_path: Path
) -> None:
    drawing = stored(cast)
    (key,) = s3.keys(bucket)
    s3.client().put_object(Bucket=bucket, Key=key, Body=b"of somebody else")

    with on_another_host(settings, tmp_path), pytest.raises(PictureGone, match="was changed"):
        read_picture(drawing.pk, drawing.png_sha256)
