"""Who signs."""

import pytest

from annotator.models import User
from tests.annotator.adjudication.rulings import PASSWORD


@pytest.fixture
def carol(cast, quick_passwords: None) -> User:
    """Return the adjudicator with a password to sign by."""
    cast.carol.set_password(PASSWORD)
    cast.carol.save()
    return cast.carol
