"""The key of most rows: random, so that it shows neither their number nor their order."""

import uuid

from django.db import models


class Keyed(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)

    class Meta:
        abstract = True
