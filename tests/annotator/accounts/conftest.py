"""People who can sign in."""

from typing import Final

import pytest
from django.contrib.auth.hashers import make_password

from annotator.models import User

PASSWORD: Final = "a long enough phrase"


@pytest.fixture
def alice(cast) -> User:
    """Give everybody of the cast a password; return alice."""
    User.objects.update(password=make_password(PASSWORD))
    return User.objects.get(username="alice")
