"""The seal of a registered model: what its row says of it, vouched for by the site's secret.

The manifest vouches for the files and the row for the manifest. Whoever can write both files and
rows could change all three; they cannot make a seal without SECRET_KEY (ADR 0021).
"""

import json
from typing import Final

from django.conf import settings
from django.utils.crypto import constant_time_compare, salted_hmac

from scoring.models import ModelVersion

BROKEN: Final = (
    "What is registered about this model was not sealed with this site's secret: its row was "
    "changed, or comes from another site. Somebody with the command line can look at its files "
    "and run `manage.py seal_models`."
)


def seal_of(model: ModelVersion) -> str:
    """Return the seal of a model's row under the secret of today: 64 hexadecimal digits."""
    return _made(model, settings.SECRET_KEY)


def is_sealed(model: ModelVersion) -> bool:
    """Tell whether the row still says what was sealed, under a secret that counts."""
    secrets = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return any(constant_time_compare(model.seal, _made(model, secret)) for secret in secrets)


def _made(model: ModelVersion, secret: str | bytes) -> str:
    facts = (
        *(str(model.pk), str(model.run_id), model.criterion, model.directory),
        *(model.manifest_sha256, model.dataset_sha256, model.code_version),
    )
    made = salted_hmac("scoring.models", json.dumps(facts), secret=secret, algorithm="sha256")
    return made.hexdigest()
