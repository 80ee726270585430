"""Refresh tokens and the key that opens them."""

import pytest

from annotator.models import Identity
from annotator.operations.health.database import Level
from annotator.operations.health.sealed_secrets import look_at_sealed, seal_anew
from annotator.sealing import seal, unseal

pytestmark = pytest.mark.django_db


def test_refresh_tokens_are_sealed_anew_with_todays_key(settings) -> None:
    row = Identity.objects.create(issuer="https://firm.example", subject="1")
    row.refresh_token = seal("a token", owner=row.owner)
    row.save()
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another secret that is long enough to be one, and is none of ours"
    assert [one.level for one in look_at_sealed()][-1] == Level.WARNING
    assert seal_anew() == {"sealed": 1, "unopened": 0}
    settings.SECRET_KEY_FALLBACKS = []
    row.refresh_from_db()
    assert unseal(row.refresh_token, owner=row.owner) == "a token"
    assert [one.level for one in look_at_sealed()][-1] == Level.OK
